"""Going on with a run: whether it is the same run, and from where.

Always holds: it goes on from the last checkpoint that is whole, with the steps up to there, each
once; what came after is cut off, however the run ended.
"""

import os
import shutil
from pathlib import Path

from forge.dataset.files import json_text, parse_json, parse_model, read_text, writing
from forge.errors import UserError
from forge.train.recipe import Recipe, Sft
from forge.train.runs import (
    CHECKPOINTS,
    EVALUATION,
    METRICS,
    RECIPE,
    SAMPLES,
    Head,
    flat,
    read_lines,
    read_recipe_of,
)
from forge.types.data import Json

CHECKPOINT = "checkpoint-"
STATE = "trainer_state.json"
"""What is written last of a checkpoint."""

FREE = (
    *("steps", "report_to", "keep_every", "samples", "evaluation", "data"),
    *("rollouts.concurrent", "optimiser.rows", "optimiser.checkpointing"),
)
"""Keys that may differ when a run is gone on with, as they change no step that is done; of the data
its hash counts, not its place."""


def is_free(key: str) -> bool:
    return any(key == free or key.startswith(f"{free}.") for free in FREE)


def check_same(
    folder: Path, head: Head, recipe: Recipe | Sft, kind: str, data: str, steps: int
) -> None:
    where, anew = str(folder), "or train into another folder"
    if head.kind != kind:
        raise UserError(f"holds a run of {head.kind}, not {kind}", where=where, mend=anew[3:])
    old = parse_model(type(recipe), read_recipe_of(folder), str(folder / RECIPE))
    was, now = flat(old.model_dump(mode="json")), flat(recipe.model_dump(mode="json"))
    for key in now:
        if was[key] != now[key] and not is_free(key):
            raise UserError(
                f"holds the run of another recipe: {key} is {_told(was[key])} there,"
                f" {_told(now[key])} here",
                where=where,
                mend=f"--set {key}={_told(was[key])}, {anew}",
            )
    if head.data != data:
        raise UserError("holds a run on other data, or it has changed", where=where, mend=anew[3:])
    if head.finished and steps <= head.steps:
        mend = f"--set steps={head.steps + 1} or more goes on"
        raise UserError("the run has come to its end", where=where, mend=mend)


def _told(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)


def cut(folder: Path, recipe: Recipe | Sft) -> tuple[Path | None, int]:
    """The last checkpoint that is whole and whose steps are all there; what came after it is gone
    when this returns. With its step, 0: none, the run begins again."""
    updates = recipe.optimiser.updates if isinstance(recipe, Recipe) else 1
    last = last_step(folder / METRICS)
    found = checkpoints(folder, updates)
    done = max((step for step in found if step <= last), default=0)
    for path in (folder / CHECKPOINTS).glob(f"{CHECKPOINT}*"):
        if path not in {place for step, place in found.items() if step <= done}:
            with writing(path):
                (path / STATE).unlink(missing_ok=True)  # what is left of it is no whole one
                shutil.rmtree(path)
    for name in (METRICS, SAMPLES, EVALUATION):
        path = folder / name
        end = max((end for step, end, _ in read_lines(path) if step <= done), default=0)
        if path.exists():
            with writing(path):
                os.truncate(path, end)
    return found.get(done), done


def checkpoints(folder: Path, updates: int) -> dict[int, Path]:
    """Step -> its checkpoint, of those that are whole. `updates`: of each step."""
    found = {}
    for state in sorted((folder / CHECKPOINTS).glob(f"{CHECKPOINT}*/{STATE}")):
        try:
            done = parse_json(read_text(state), str(state))["global_step"]
        except (UserError, KeyError, TypeError):
            continue  # torn as it was written
        if done % updates == 0 and state.parent.name == f"{CHECKPOINT}{done}":
            found[done // updates] = state.parent
    return found


def last_step(path: Path) -> int:
    return max((step for step, _, _ in read_lines(path)), default=-1)
