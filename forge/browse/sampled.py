"""The rollouts that a run of training kept, found without reading them all.

Always holds: rollouts of a step are numbered from 1 in the order of the file, which only grows, so
that an address goes on meaning what it meant; a line that is not whole is not there yet; a file
that has not changed is looked through once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from forge.browse.files import Stamp, stamp
from forge.dataset.files import parse_json, parse_model
from forge.dataset.trajectories import Place
from forge.errors import UserError
from forge.train.runs import SAMPLES
from forge.types.data import Json
from forge.types.rollout import Trajectory

STEP = re.compile(rb'\{"step":\s*(\d{1,9})\b')


@dataclass(frozen=True, slots=True)
class Sample:
    """`advantage`: None where the rollout was not trained on."""

    step: int
    number: int
    reward: float | None
    advantage: float | None
    trajectory: Trajectory


def sampled_steps(run: Path) -> Mapping[int, Sequence[Place]]:
    """Step -> where its rollouts are, in order; nothing where none was kept yet. UserError if the
    file cannot be read."""
    path = run / SAMPLES
    try:
        return _steps(path, stamp(path))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


@lru_cache(maxsize=16)
def _steps(path: Path, stamp: Stamp) -> Mapping[int, Sequence[Place]]:
    found: dict[int, list[Place]] = {}
    at = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and (head := STEP.match(line)):
                found.setdefault(int(head[1]), []).append((at, len(line)))
            at += len(line)
    return dict(sorted(found.items()))


def samples_of(run: Path, step: int) -> Iterator[Sample]:
    """Those of a step. UserError for one that cannot be read."""
    for number, place in enumerate(sampled_steps(run).get(step, ()), 1):
        yield _sample(run / SAMPLES, step, number, place)


def sample_of(run: Path, step: int, number: int) -> Sample | None:
    """UserError where it cannot be read."""
    places = sampled_steps(run).get(step, [])
    if not 1 <= number <= len(places):
        return None
    return _sample(run / SAMPLES, step, number, places[number - 1])


def _sample(path: Path, step: int, number: int, place: Place) -> Sample:
    start, length = place
    where = f"{path}: at byte {start}"
    try:
        with path.open("rb") as file:
            file.seek(start)
            line = file.read(length)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    row = parse_json(line.decode("utf-8", "replace"), where)
    trajectory = parse_model(Trajectory, row.get("trajectory"), where)
    return Sample(step, number, _number(row, "reward"), _number(row, "advantage"), trajectory)


def _number(row: dict[str, Json], name: str) -> float | None:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else None
