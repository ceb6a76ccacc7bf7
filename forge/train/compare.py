"""Runs side by side: what differs in what they were told, and in how they do on the same tasks.

Always holds: runs that differ only in their seed are one group, and their attempts at a task are
attempts at one task; a difference is over tasks that both sides played.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from forge.dataset.files import json_text
from forge.dataset.rates import Difference, difference_of
from forge.train.resume import is_free
from forge.train.runs import Counts, Evaluation, Run
from forge.types.data import Json

PARTS = re.compile("([-_. /])")
"""What stands between the parts of a name."""


@dataclass(frozen=True, slots=True)
class Group:
    """`evaluations`: those that all its runs have, taken together."""

    label: str
    runs: tuple[Run, ...]
    evaluations: tuple[Evaluation, ...]

    @property
    def gain(self) -> Difference | None:
        """From the first evaluation to the last; None with fewer than two."""
        if len(self.evaluations) < 2:
            return None
        return difference(self.evaluations[0], self.evaluations[-1])


def grouped(runs: Sequence[Run]) -> tuple[Group, ...]:
    """In the order of the first of each; one that is a second of its seed is in a second group."""
    found: dict[tuple[str, int], list[tuple[str, Run]]] = {}
    seeds: Counter[tuple[str, Json]] = Counter()
    for name, run in zip(names_of([run.folder for run in runs]), runs, strict=True):
        alike, seed = _but_seed(run), run.recipe.get("seed")
        found.setdefault((alike, seeds[alike, seed]), []).append((name, run))
        seeds[alike, seed] += 1
    labels = [_label([name for name, _ in members]) for members in found.values()]
    return tuple(
        Group(
            label if labels.count(label) == 1 else ", ".join(name for name, _ in members),
            tuple(run for _, run in members),
            _together([run for _, run in members]),
        )
        for label, members in zip(labels, found.values(), strict=True)
    )


def names_of(folders: Sequence[Path]) -> list[str]:
    """Each by its path, without what all have in common."""
    whole = [folder.resolve() for folder in folders]
    if len(set(whole)) < 2:
        return [folder.name for folder in whole]
    shared = Path(os.path.commonpath(whole))
    return [str(folder.relative_to(shared)) for folder in whole]


def difference(one: Evaluation, other: Evaluation) -> Difference:
    """Of the pass rates, over tasks that both have."""
    first, second = one.tasks, other.tasks
    return difference_of([(first[task], second[task]) for task in first if task in second])


def differing(groups: Sequence[Group]) -> Mapping[str, tuple[str, ...]]:
    """What the runs were told that is not the same in all groups: its name, and the value of each.
    Keys that only some kinds of recipe have are left out."""
    told = [[_told(run) for run in group.runs] for group in groups]
    every = [run for runs in told for run in runs]
    keys = [key for key in every[0] if all(key in run for run in every)]
    rows = {key: tuple(_joined([run[key] for run in runs]) for runs in told) for key in keys}
    return {key: row for key, row in rows.items() if any(a != b for a, b in pairwise(row))}


def _told(run: Run) -> dict[str, str]:
    recipe = {key: _text(value) for key, value in run.recipe.items()}
    versions = run.head.sessions[-1].versions
    hashed = {"data (hash)": run.head.data[:14]}
    return {**recipe, "algorithm": run.head.kind, **hashed, **versions}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _joined(values: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _but_seed(run: Run) -> str:
    """Equal for runs that differ only in their seed, as far as it changes numbers."""
    measured = {key: value for key, value in run.recipe.items() if key.startswith("evaluation.")}
    recipe = {key: value for key, value in run.recipe.items() if key != "seed" and not is_free(key)}
    return json_text([run.head.kind, run.head.data, {**recipe, **measured}], sort=True)


def _label(names: Sequence[str]) -> str:
    """What names of a group have in common, up to where a part of a name ends."""
    if len(names) == 1:
        return names[0]
    shared = ""
    for parts in zip(*(PARTS.split(name) for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        shared += parts[0]
    stem = shared.rstrip("-_. /")
    return f"{stem or names[0].rstrip('0123456789') or names[0]} ({len(names)} runs)"


def _together(runs: Sequence[Run]) -> tuple[Evaluation, ...]:
    by_step = [{each.step: each for each in run.evaluations} for run in runs]
    steps = sorted(set.intersection(*(set(each) for each in by_step)))
    return tuple(_added([each[step] for each in by_step]) for step in steps)


def _added(evaluations: Sequence[Evaluation]) -> Evaluation:
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for each in evaluations:
        for env, counts in each.environments.items():
            _add(found.setdefault(env, {}), counts)
    return Evaluation(evaluations[0].step, found)


def _add(into: dict[str, tuple[int, int]], counts: Counts) -> None:
    for task, (passed, attempts) in counts.items():
        before, tried = into.get(task, (0, 0))
        into[task] = (before + passed, tried + attempts)
