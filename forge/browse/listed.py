"""What is in a file of trajectories, a line each, so that a page reads only those that it shows.

Always holds: the last line of a task and attempt counts; a line that is no trajectory, or not
whole, is passed over and told; a file that has not changed is looked through once.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from forge.browse.files import Stamp, stamp
from forge.dataset.files import SAFE_NAME
from forge.dataset.trajectories import Place
from forge.errors import UserError

BEGINNING = 200
"""Letters of a question."""
TOLD = 5
"""Lines that are no trajectories and are named; of the others, their number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`question`: how it begins; `reward`: None where it could not be scored; `errors`: how many of
    the user."""

    task: str
    attempt: int
    env: str
    kind: str
    band: str
    policy: str
    question: str
    outcome: str
    reward: int | None
    steps: int
    errors: int
    place: Place

    @property
    def name(self) -> str:
        """Its part of an address: the same for the same task and attempt, whatever else is in the
        file."""
        return f"{plain_name(self.task)}.{self.attempt}"


@dataclass(frozen=True, slots=True)
class Listed:
    """`entries`: by their names, in the order of the file; `by_task`: the same, by their tasks;
    `faults`: what could not be read."""

    entries: Mapping[str, Entry]
    by_task: Mapping[str, Sequence[Entry]]
    faults: tuple[str, ...]


def plain_name(task: str) -> str:
    """The task's id where it is plain, else one made of it."""
    if SAFE_NAME.fullmatch(task):
        return task
    return f"task-{hashlib.sha256(task.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def listed(path: Path) -> Listed:
    """UserError if the file cannot be read."""
    try:
        return _listed(path, stamp(path))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


@lru_cache(maxsize=16)
def _listed(path: Path, stamp: Stamp) -> Listed:
    entries: dict[str, Entry] = {}
    faults: list[str] = []
    for number, at, line in _lines(path):
        if not line.endswith(b"\n"):
            faults.append(f"line {number} is not whole: it is being written, or was cut off")
            continue
        entry = _entry(line, at)
        if entry is None:
            faults.append(f"line {number} is no trajectory")
        else:
            entries[entry.name] = entry
    if len(faults) > TOLD:
        faults[TOLD:] = [f"{len(faults) - TOLD:,} more lines are no trajectories"]
    by_task: dict[str, list[Entry]] = {}
    for entry in entries.values():
        by_task.setdefault(entry.task, []).append(entry)
    return Listed(entries, by_task, tuple(faults))


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield number, at, line
            at += len(line)


def _entry(line: bytes, at: int) -> Entry | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    texts = ("task", "env", "kind", "band", "policy", "question", "outcome")
    attempt, steps, errors = row.get("attempt"), row.get("steps"), row.get("user_errors", [])
    if not all(isinstance(row.get(name), str) for name in texts) or type(attempt) is not int:
        return None
    if not (isinstance(steps, list) and isinstance(errors, list)):
        return None
    return Entry(
        task=row["task"],
        attempt=attempt,
        env=row["env"],
        kind=row["kind"],
        band=row["band"],
        policy=row["policy"],
        question=row["question"][:BEGINNING],
        outcome=row["outcome"],
        reward=_reward(row.get("verdict")),
        steps=len(steps),
        errors=len(errors),
        place=(at, len(line)),
    )


def _reward(verdict: Any) -> int | None:
    reward = verdict.get("reward") if isinstance(verdict, dict) else None
    return reward if reward in (0, 1) else None
