"""What a step of training costs beside plain TRL: the same model, on the same rows.

    pip install 'forge-envs[train]'
    python evals/speed/train.py DATASET MODEL [--steps 8] [--json]

forge's trainer plays rollouts and trains on them; what it sampled is then given to TRL's own GRPO
trainer, step by step, with the same batch, the same rows at a time and the same rewards. Compared
is the time of a step without that of its rollouts: masks, advantages, log-probs, loss, gradients
and the optimiser. The first step of each, which warms up, is not counted. Rollouts are told beside
it, with their tokens a second.
"""

import argparse
import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from datasets import Dataset as Rows
from transformers import TrainerCallback
from trl.trainer.grpo_trainer import GRPOTrainer

from forge.dataset.folder import read_dataset
from forge.rollout.tokens.load import context_of, load_model, load_template
from forge.train.play import playground
from forge.train.player import Player
from forge.train.recipe import Recipe
from forge.train.trainer import Batch, PolicyTrainer, config_of
from forge.train.weights import here

MOST = 1.05


class Clock(TrainerCallback):
    """Seconds of each step."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._began = perf_counter()

    def on_step_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self._began = perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self.seconds.append(perf_counter() - self._began)


class Heard(PolicyTrainer):
    """Keeps what its rollouts gave to the trainer, and how long they took."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.took: list[float] = []
        self.given: list[dict[str, list[Any]]] = []
        super().__init__(*given, **more)

    def roll_out(self, prompts: Sequence[str]) -> dict[str, list[Any]]:
        began = perf_counter()
        found = super().roll_out(prompts)
        self.took.append(perf_counter() - began)
        self.given.append(found)
        return found


def measured(data: Path, model: Path, steps: int) -> Mapping[str, float]:
    weights = load_model(model).float()
    tokens = context_of(weights)
    recipe = Recipe(
        model=model,
        data=data,
        steps=steps,
        rollouts={"questions": 4, "group": 4, "turns": (6,), "turn_tokens": 64, "tokens": tokens,
                  "mask_cut": False},
        loss={"drop": "never"},
        optimiser={"rows": 8, "rate": 1e-5},
        evaluation={"every": 0},
    )  # fmt: skip
    template = load_template(model)
    place = playground(read_dataset(data), recipe.tasks, 0)
    sampled: list[int] = []

    def heard(step: int, batch: Batch) -> None:
        rows = [each.row for each in batch.samples if each.row is not None]
        sampled.append(sum(sum(row.trained) for row in rows))

    with tempfile.TemporaryDirectory() as folder:
        ours = Clock()
        trainer = Heard(
            recipe,
            weights,
            template.tokenizer,
            place,
            Path(folder) / "ours",
            heard=heard,
            callbacks=[ours],
        )
        trainer.player = Player(
            here(weights, template, tokens),
            template,
            place,
            format="hermes",
            turn_tokens=64,
            concurrent=16,
        )
        trainer.train()
        trainer.player.close()
        given = iter(trainer.given)
        theirs = Clock()
        GRPOTrainer(
            model=load_model(model).float(),
            reward_funcs=[lambda reward, **rest: reward],
            args=config_of(recipe, Path(folder) / "theirs", 1),
            train_dataset=Rows.from_list([{"prompt": name} for name in place.train]),
            processing_class=template.tokenizer,
            rollout_func=lambda prompts, trainer: next(given),
            callbacks=[theirs],
        ).train()
    own = [whole - took for whole, took in zip(ours.seconds, trainer.took, strict=True)][1:]
    return {
        "steps": steps - 1,
        "forge, a step without rollouts, s": median(own),
        "plain TRL, a step, s": median(theirs.seconds[1:]),
        "ratio": median(own) / median(theirs.seconds[1:]),
        "rollouts of a step, s": median(trainer.took[1:]),
        "sampled tokens a second": sum(sampled[1:]) / sum(trainer.took[1:]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = measured(given.data, given.model, given.steps)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:40} {value:10.3f}")
    print(f"at most {MOST} of plain TRL: {'met' if found['ratio'] <= MOST else 'NOT met'}")


if __name__ == "__main__":
    main()
