"""TRL's SFT trainer on the rows of rollouts.

Always holds: what is learned is what the policy wrote, the end of its turns included; what users,
tools and the prompt say is read and never learned.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from datasets import Dataset as Rows
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from forge.errors import UserError
from forge.rollout.tokens.rows import Row
from forge.train.arguments import arguments
from forge.train.recipe import Sft

UNLEARNED = -100
"""What torch's cross entropy leaves out."""


def config_of(recipe: Sft, folder: Path, ranks: int) -> SFTConfig:
    """What TRL is told. UserError if a batch does not divide into rows."""
    optimiser = recipe.optimiser
    rows = min(optimiser.rows, max(1, recipe.batch // ranks))
    if recipe.batch % (rows * ranks):
        raise UserError(
            f"{recipe.batch} rows a step do not divide into {ranks} times {rows}",
            mend="--set batch=… or --set optimiser.rows=…",
        )
    return SFTConfig(
        **arguments(optimiser, folder, recipe.seed),
        num_train_epochs=recipe.passes,
        max_steps=recipe.steps or -1,
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=recipe.batch // (rows * ranks),
        max_length=None,
        save_steps=recipe.keep_every,
        report_to="none",
    )


class ShowTrainer(SFTTrainer):  # type: ignore[misc]
    """`logged`: gets the numbers of each step."""

    def __init__(
        self,
        recipe: Sft,
        model: Any,
        tokenizer: Any,
        rows: Sequence[Row],
        folder: Path,
        *,
        ranks: int = 1,
        logged: Callable[[int, Mapping[str, float]], None] = lambda step, metrics: None,
        **more: Any,
    ) -> None:
        self._logged, self._began = logged, perf_counter()
        super().__init__(
            model=model,
            args=config_of(recipe, folder, ranks),
            train_dataset=Rows.from_list([_learned(row) for row in rows]),
            processing_class=tokenizer,
            **more,
        )

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        more = {key: sum(each) / len(each) for key, each in self._metrics["train"].items() if each}
        super().log(logs, start_time)
        if self.accelerator.is_main_process:
            now = perf_counter()
            if "loss" in logs:
                numbers = {**logs, **more, "seconds": now - self._began}
                self._logged(self.state.global_step, numbers)
            self._began = now


def _learned(row: Row) -> dict[str, list[int]]:
    learned = zip(row.ids, row.trained, strict=True)
    return {
        "input_ids": list(row.ids),
        "labels": [id if trained else UNLEARNED for id, trained in learned],
    }
