"""TRL's GRPO trainer with our rollouts, advantages and objective.

Always holds: advantages are taken over the global batch, whatever the ranks and micro-batches; a
rollout that is not trained on is in no sum and no count of the loss. TRL keeps the order of tasks,
the optimiser, checkpoints, weights on many devices, and log-probs.

TRL 1.16: `rollout_func` gives one row a rollout and cannot set advantages, so those are put in
place of TRL's own behind `_generate_and_score_completions`, with what the loss is divided by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from accelerate.utils import gather_object
from datasets import Dataset as Rows
from torch import Tensor
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from forge.errors import UserError
from forge.train import objective
from forge.train.advantage import Estimator, Scored, advantages, deviation
from forge.train.arguments import arguments
from forge.train.choice import by_variance, turns_at
from forge.train.play import Playground
from forge.train.player import Player, Sample, sample_of
from forge.train.recipe import Recipe
from forge.train.record import Kept, reward_numbers

Metrics = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a step was trained on, of this process; `advantages`: None of what was left out."""

    samples: Sequence[Sample]
    advantages: Sequence[float | None]

    def kept(self) -> list[Kept]:
        """As they are written down."""
        return [
            Kept(sample.reward, advantage, sample.trajectory)
            for sample, advantage in zip(self.samples, self.advantages, strict=True)
        ]


def config_of(recipe: Recipe, folder: Path, ranks: int) -> GRPOConfig:
    """What TRL is told. UserError if the rollouts of a step do not divide into rows."""
    rollouts, optimiser, loss = recipe.rollouts, recipe.optimiser, recipe.loss
    number = rollouts.questions * rollouts.group
    rows = min(optimiser.rows, number // ranks)
    if number % (rows * ranks):
        raise UserError(
            f"{number} rollouts a step do not divide into {ranks} times {rows} rows",
            mend="--set optimiser.rows=…",
        )
    parts = number // (rows * ranks)
    return GRPOConfig(
        **arguments(optimiser, folder, recipe.seed),
        max_steps=recipe.steps * optimiser.updates,
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=parts,
        steps_per_generation=parts,
        num_generations=rollouts.group,
        num_iterations=optimiser.updates,
        max_completion_length=rollouts.tokens,
        temperature=rollouts.temperature,
        beta=loss.kl,
        save_steps=recipe.keep_every * optimiser.updates,
        report_to=list(recipe.report_to) or "none",
        **_vllm(recipe),
    )


def _vllm(recipe: Recipe) -> dict[str, Any]:
    sampler = recipe.sampler
    if sampler.by == "transformers":
        return {}
    return {
        "use_vllm": True,
        "vllm_mode": "server" if sampler.by == "server" else "colocate",
        "vllm_importance_sampling_correction": False,  # it is in our own loss
        "vllm_server_base_url": sampler.url,
        "vllm_group_port": sampler.port,
        "vllm_gpu_memory_utilization": sampler.memory,
        "vllm_max_model_length": recipe.rollouts.tokens,
    }


class PolicyTrainer(GRPOTrainer):  # type: ignore[misc]
    """`player`: the policy, to be set before training. `heard`: gets what each batch of rollouts
    was, of this process, in each of them; `logged`: the numbers of each step, in the first
    process."""

    player: Player
    _last_loaded_step: int
    """TRL's: at which step vLLM was last given the weights."""

    def __init__(
        self,
        recipe: Recipe,
        model: Any,
        tokenizer: Any,
        place: Playground,
        folder: Path,
        *,
        ranks: int = 1,
        heard: Callable[[int, Batch], None] = lambda step, batch: None,
        logged: Callable[[int, Metrics], None] = lambda step, metrics: None,
        **more: Any,
    ) -> None:
        self.recipe, self.place = recipe, place
        self._heard, self._logged = heard, logged
        self._samples: list[Sample] = []
        self._numbers: dict[str, float] = {}
        self._metrics_of_step: dict[str, float] = {}
        """TRL forgets them with each update, and the rollouts are before the first of a step."""
        self._began = perf_counter()
        self._sums = torch.zeros(3)
        """Over the tokens of a step that are trained on: entropies, how many are clipped, all."""
        if (tokenizer.pad_token_id or 0) >= model.get_input_embeddings().num_embeddings:
            tokenizer.pad_token = (
                tokenizer.eos_token
            )  # the model has no such id; what pads is masked
        super().__init__(
            model=model,
            reward_funcs=[_reward],
            args=config_of(recipe, folder, ranks),
            train_dataset=Rows.from_list([{"prompt": name} for name in place.train]),
            processing_class=tokenizer,
            rollout_func=_rolled_out,
            **more,
        )

    # ------------------------------------------------------------- rollouts

    def roll_out(self, prompts: Sequence[str]) -> dict[str, list[Any]]:
        """TRL's `rollout_func`: the tasks, each as often as its group is large."""
        rollouts, step = self.recipe.rollouts, self.state.global_step // self.num_iterations
        first = self.accelerator.process_index * len(prompts)
        total = len(prompts) * self.accelerator.num_processes
        jobs = [
            (self.place.train[name], step * total + first + number)
            for number, name in enumerate(prompts)
        ]
        began = perf_counter()
        played = self.player.play(
            jobs,
            seed=self.recipe.seed,
            turns=turns_at(step + 1, rollouts.turns, rollouts.per_round),
            temperature=rollouts.temperature,
        )
        self._samples = [sample_of(each, rollouts.mask_cut) for each in played]
        self._metrics["train"]["seconds/rollouts"].append(perf_counter() - began)
        return {
            "prompt_ids": [_prompt(each, self._tokenizer) for each in self._samples],
            "completion_ids": [_behind(each, "ids") or [self._pad()] for each in self._samples],
            "logprobs": [_behind(each, "logprobs") or [0.0] for each in self._samples],
            "env_mask": [_behind(each, "trained") or [0] for each in self._samples],
            "reward": [each.reward for each in self._samples],
        }

    def renew(self) -> None:
        """Gives vLLM the weights of this step, once; in all processes."""
        if self.state.global_step != self._last_loaded_step:
            self.vllm_generation.sync_weights()
            self._last_loaded_step = self.state.global_step

    def _pad(self) -> int:
        return int(self._tokenizer.pad_token_id)

    # ----------------------------------------------------------- advantages

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        mine = [_scored(each) for each in self._samples]
        every: list[Scored] = gather_object(mine)
        cut: list[bool] = gather_object([each.cut for each in self._samples])
        found = self._advantages(every)
        first = self.accelerator.process_index * len(mine)
        own = found[first : first + len(mine)]
        device = output["completion_ids"].device
        kept = torch.tensor([value is not None for value in own], device=device)
        trained = output["completion_mask"] * output["tool_mask"] * kept.unsqueeze(1)
        output["tool_mask"] = trained
        output["advantages"] = torch.tensor([value or 0.0 for value in own], device=device)
        counts = torch.stack([trained.sum(), (trained.sum(-1) > 0).sum()]).unsqueeze(0)
        tokens, rows = self.accelerator.gather(counts).sum(0)
        output["num_items_in_batch"] = tokens
        output["rows_in_batch"] = rows
        self._note(every, found)
        self._metrics["train"]["rollouts/cut"].append(sum(cut) / len(cut))
        step = self.state.global_step // self.num_iterations + 1
        self._heard(step, Batch(self._samples, own))
        return output

    def _advantages(self, every: Sequence[Scored]) -> list[float | None]:
        loss = self.recipe.loss
        estimator = Estimator(self.recipe.algorithm, loss.ddof, loss.epsilon, loss.drop)
        found = advantages(every, estimator)
        if self.recipe.select == 1:
            return found
        names = list(dict.fromkeys(each.question for each in every))
        rewards = [[e.reward for e in every if e.valid and e.question == name] for name in names]
        chosen = {names[number] for number in by_variance(rewards, self.recipe.select)}
        return [
            value if each.question in chosen else None
            for each, value in zip(every, found, strict=True)
        ]

    def _note(self, every: Sequence[Scored], found: Sequence[float | None]) -> None:
        valid = [each for each in every if each.valid]
        groups = {each.question for each in every}
        spreads = [
            deviation([each.reward for each in valid if each.question == name], 1)
            for name in groups
        ]
        mode = self._metrics["train"]
        mode["rollouts/valid"].append(len(valid) / len(every))
        mode["rollouts/trained"].append(sum(value is not None for value in found) / len(every))
        mode["rollouts/spread"].append(sum(spreads) / len(spreads))
        self._numbers = reward_numbers(every)

    # ----------------------------------------------------------------- loss

    def _compute_loss(self, model: Any, inputs: Mapping[str, Tensor]) -> Tensor:
        """The loss of some rows, as their part of the whole batch's."""
        inputs = _learned_from(inputs)
        loss, completion = self.recipe.loss, inputs["completion_ids"]
        ids = torch.cat([inputs["prompt_ids"], completion], dim=1)
        attended = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
        logprobs, entropies, _ = self._get_per_token_logps_and_entropies(
            model, ids, attended, completion.size(1), compute_entropy=True
        )
        trained = inputs["tool_mask"]
        old = inputs.get("old_per_token_logps", logprobs.detach())
        ratio = objective.ratios(logprobs, old, trained, loss.level)
        advantage = inputs["advantages"].unsqueeze(1)
        gained = objective.clipped(ratio, advantage, loss.low, loss.high, loss.dual)
        losses = -gained.expand_as(logprobs)
        sampled = inputs.get("sampling_per_token_logps")
        if loss.correction != "none" and sampled is not None:
            weights = objective.corrections(old, sampled, trained, loss.cap, loss.correction)
            losses = losses * weights.detach()
        if loss.kl:
            losses = losses + loss.kl * objective.divergence(
                logprobs, inputs["ref_per_token_logps"]
            )
        with torch.no_grad():
            within = ratio.clamp(1 - loss.low, 1 + loss.high)
            clipped = (ratio.expand_as(logprobs) != within) * trained
            sums = torch.stack([(entropies * trained).sum(), clipped.sum(), trained.sum()])
            self._sums = self._sums.to(sums.device) + sums
        part = self.current_gradient_accumulation_steps / self.args.steps_per_generation
        whole = objective.count(
            inputs["num_items_in_batch"],
            inputs["rows_in_batch"],
            loss.mean,
            self.recipe.rollouts.tokens,
        )
        share = whole * part / self.accelerator.num_processes
        return objective.total(losses, trained, loss.mean) / share

    # -------------------------------------------------------------- numbers

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        metrics = {
            key: sum(each) / len(each) for key, each in self._metrics["train"].items() if each
        }
        super().log(logs, start_time)
        self._metrics_of_step |= metrics
        if "loss" not in logs or self.state.global_step % self.num_iterations:
            return
        entropy, clipped, tokens = self.accelerator.reduce(self._sums, "sum").tolist()
        self._sums = torch.zeros(3)
        of_tokens = {"entropy": entropy / max(tokens, 1), "clipped": clipped / max(tokens, 1)}
        now = perf_counter()
        told_of = {**logs, **self._metrics_of_step, **of_tokens, **self._numbers}
        found = {**told_of, "seconds": now - self._began}
        self._began, self._metrics_of_step = now, {}
        if self.accelerator.is_main_process:
            told = {key: value for key, value in found.items() if not key.startswith(_UNTOLD)}
            self._logged(self.state.global_step // self.num_iterations, told)


_UNTOLD = ("rewards/", "reward_std", "frac_reward", "step_time", "epoch", "num_tokens")
"""What TRL counts of rewards without knowing which rollouts are valid, and what is there twice."""


def _rolled_out(prompts: list[str], trainer: PolicyTrainer) -> dict[str, list[Any]]:
    return trainer.roll_out(prompts)


def _reward(reward: list[float], **rest: Any) -> list[float]:
    """Only told of: advantages are put in place of those that TRL takes of it."""
    return reward


def _learned_from(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rows with a token that is trained on, which are all that the loss is of; one at least, as
    every rank has its part in each backward pass."""
    rows = inputs["tool_mask"].any(1)
    if rows.all():
        return inputs
    if not rows.any():
        rows[0] = True
    return {
        name: value[rows] if isinstance(value, Tensor) and value.dim() else value
        for name, value in inputs.items()
    }


def _scored(sample: Sample) -> Scored:
    tokens = 0 if sample.row is None else sum(sample.row.trained)
    return Scored(sample.task, sample.env, sample.reward, sample.valid, tokens)


def _split(sample: Sample) -> int:
    """Where the first sampled id of its row is."""
    return 0 if sample.row is None else sample.row.trained.index(1)


def _prompt(sample: Sample, tokenizer: Any) -> list[int]:
    if sample.row is None:
        return [int(tokenizer.pad_token_id)]
    return list(sample.row.ids[: _split(sample)])


def _behind(sample: Sample, what: str) -> list[Any]:
    if sample.row is None:
        return []
    values = {"ids": sample.row.ids, "logprobs": sample.row.logprobs, "trained": sample.row.trained}
    return list(values[what][_split(sample) :])
