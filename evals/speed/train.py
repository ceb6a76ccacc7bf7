"""What a step of training costs beside plain TRL: the same model, on the same rows.

    pip install 'forge-envs[train]'
    python evals/speed/train.py [RECIPE.yaml] [--set key=value]... [--steps 8] [--json]

forge's trainer plays rollouts as the recipe says and trains on them. What it sampled is then given,
step by step, to a second trainer of forge's and to TRL's own GRPO trainer, from the same weights,
with the same batch, the same rows at a time and the same rewards. Compared is the time of a step of
these two: masks, advantages, log-probs, loss, gradients and the optimiser; the first, which warms
up, is not counted. All rows are trained on (`loss.drop=never`), as TRL does. Rollouts are told
beside it: sampled tokens a second, and the share of the first trainer's time that goes to them;
and memory at its peak, of the GPU where there is one (with what vLLM holds of it), else of the
process.

On a GPU, some six minutes with weights that are at hand (`--steps 6`):

    python evals/speed/train.py train/h200-one.yaml --steps 6 --set model=… --set data=…
"""

import argparse
import gc
import json
import resource
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import torch
from datasets import Dataset as Rows
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.grpo_trainer import GRPOTrainer

from forge.dataset.folder import read_dataset
from forge.errors import UserError
from forge.rollout.tokens.load import load_model, load_template
from forge.train.play import playground
from forge.train.player import Player, Sample
from forge.train.recipe import Recipe, read_recipe
from forge.train.trainer import PolicyTrainer, config_of
from forge.train.weights import check_sampler, weights_of

MOST = 1.05
RECIPE = Path(__file__).with_suffix(".yaml")


class Clock(TrainerCallback):
    """Seconds of each step."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._began = perf_counter()

    def on_step_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self._began = perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self.seconds.append(perf_counter() - self._began)


class Playing(PolicyTrainer):
    """Keeps what its rollouts gave to the trainer, and how long they took."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.took: list[float] = []
        self.played: list[tuple[Sequence[Sample], dict[str, list[Any]]]] = []
        super().__init__(*given, **more)

    def roll_out(self, prompts: Sequence[str]) -> dict[str, list[Any]]:
        began = perf_counter()
        found = super().roll_out(prompts)
        self.took.append(perf_counter() - began)
        self.played.append((self._samples, found))
        return found


class Replaying(PolicyTrainer):
    """Is given what another's rollouts gave."""

    played: Iterator[tuple[Sequence[Sample], dict[str, list[Any]]]]

    def roll_out(self, prompts: Sequence[str]) -> dict[str, list[Any]]:
        self._samples, found = next(self.played)
        return found


def measured(recipe: Recipe) -> Mapping[str, float]:
    check_sampler(recipe)
    template = load_template(recipe.model)
    place = playground(read_dataset(recipe.data), recipe.tasks, 0)
    alone = without_vllm(recipe)
    whole, own, plain = Clock(), Clock(), Clock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights = load_model(recipe.model).float()
        playing = Playing(
            recipe, weights, template.tokenizer, place, folder / "playing", callbacks=[whole]
        )
        playing.player = Player(
            weights_of(recipe, playing, weights, template),
            template,
            place,
            format=recipe.rollouts.format,
            turn_tokens=recipe.rollouts.turn_tokens,
            concurrent=recipe.rollouts.concurrent,
        )
        run(playing)
        playing.player.close()
        own_peak, took, played = peak(), playing.took, playing.played
        del playing, weights
        freed()
        replaying = Replaying(
            alone,
            load_model(recipe.model).float(),
            template.tokenizer,
            place,
            folder / "own",
            callbacks=[own],
        )
        replaying.played = iter(played)
        run(replaying)
        del replaying
        freed()
        given = (found for _, found in played)
        run(
            GRPOTrainer(
                model=load_model(recipe.model).float(),
                reward_funcs=[lambda reward, **rest: reward],
                args=config_of(alone, folder / "plain", 1),
                train_dataset=Rows.from_list([{"prompt": name} for name in place.train]),
                processing_class=template.tokenizer,
                rollout_func=lambda prompts, trainer: next(given),
                callbacks=[plain],
            )
        )
    rows = [sample.row for samples, _ in played[1:] for sample in samples if sample.row]
    return {
        "steps": recipe.steps - 1,
        "forge, a step without rollouts, s": median(own.seconds[1:]),
        "plain TRL, the same step, s": median(plain.seconds[1:]),
        "ratio": median(own.seconds[1:]) / median(plain.seconds[1:]),
        "tokens in a second of training": sum(len(row.ids) for row in rows) / sum(own.seconds[1:]),
        "rollouts of a step, s": median(took[1:]),
        "sampled tokens a second": sum(sum(row.trained) for row in rows) / sum(took[1:]),
        "share of time in rollouts": sum(took[1:]) / sum(whole.seconds[1:]),
        "forge, peak memory, GB": own_peak,
        "plain TRL, peak memory, GB": peak(),
    }


def run(trainer: GRPOTrainer) -> None:
    trainer.remove_callback(PrinterCallback)
    trainer.train()


def without_vllm(recipe: Recipe) -> Recipe:
    """Its rollouts are given to it: no weights are sent to anyone in its steps."""
    sampler = recipe.sampler.model_copy(update={"by": "transformers"})
    return recipe.model_copy(update={"sampler": sampler})


def freed() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peak() -> float:
    """Of the process it can only grow: TRL's is then the larger of both."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", type=Path, nargs="?", default=RECIPE)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    changes = [*given.set, f"steps={given.steps}", "loss.drop=never", "evaluation.every=0"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = measured(read_recipe(given.recipe, Recipe, changes))
        except UserError as error:
            parser.error(str(error))
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:40} {value:10.3f}")
    print(f"at most {MOST} of plain TRL: {'met' if found['ratio'] <= MOST else 'NOT met'}")


if __name__ == "__main__":
    main()
