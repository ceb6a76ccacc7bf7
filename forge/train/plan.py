"""What a run would be, before anything is trained: tasks, rollouts, and whether they have room.

The oracle plays some of the tasks as the policy would read and write them, so that lengths are
measured and not guessed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge.dataset.folder import read_dataset
from forge.rollout.tokens.load import load_template
from forge.train.play import Playground, playground
from forge.train.recipe import Recipe, Sft
from forge.train.shown import ANY, shows
from forge.types.data import Json
from forge.types.task import Task

LOOKED_AT = 16
"""Tasks whose lengths are measured."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`tasks`: to train on, by environment; `held_out`: to be measured by; `rollouts`: of a step;
    `weights`: bytes; `lengths`: ids of the oracle's rollouts, the shortest first, of which `room`
    fit; `begins`: ids that the longest of them begins with before the policy writes."""

    algorithm: str
    steps: int | None
    tasks: Mapping[str, int]
    held_out: int
    rollouts: int
    weights: int
    lengths: Sequence[int]
    begins: int
    room: int

    def as_json(self) -> dict[str, Json]:
        return {
            "algorithm": self.algorithm,
            "steps": self.steps,
            "tasks": dict(self.tasks),
            "held_out": self.held_out,
            "rollouts": self.rollouts,
            "weights": self.weights,
            "lengths": list(self.lengths),
            "begins": self.begins,
            "room": self.room,
        }


def planned(recipe: Recipe | Sft) -> Plan:
    """UserError as the run itself would have it: a model without a template, no task, no room."""
    tests = recipe.evaluation.tasks if recipe.evaluation.every else 0
    place = playground(read_dataset(recipe.data), recipe.tasks, tests)
    template = load_template(recipe.model)
    if isinstance(recipe, Sft):
        format, turns, tokens = recipe.format, recipe.turns, recipe.tokens
        algorithm, steps, rollouts = "sft", recipe.steps, recipe.batch
    else:
        part = recipe.rollouts
        format, turns, tokens = part.format, part.turns[-1], part.tokens
        algorithm, steps, rollouts = recipe.algorithm, recipe.steps, part.questions * part.group
    some = _some(place)
    whole = shows(place, template, format=format, turns=turns, tokens=ANY, tasks=some)
    lengths = sorted(len(row.ids) for row in whole.rows)
    return Plan(
        algorithm,
        steps,
        dict(sorted(Counter(task.env for task in place.train.values()).items())),
        len(place.test),
        rollouts,
        _size(recipe.model),
        lengths,
        max(row.trained.index(1) for row in whole.rows),
        tokens,
    )


def _some(place: Playground) -> list[Task]:
    tasks = list(place.train.values())
    return tasks[:: max(1, len(tasks) // LOOKED_AT)][:LOOKED_AT]


def _size(model: Path) -> int:
    files = [model] if model.is_file() else sorted(model.glob("*.safetensors"))
    return sum(file.stat().st_size for file in files)
