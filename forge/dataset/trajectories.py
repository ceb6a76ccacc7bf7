"""Trajectories on disk: JSON Lines that grow as rollouts end, and are put in order when all are
there.

Always holds: a line is there whole when `add` returns, and what a run left behind can be gone on
from; trajectories are in one file only if they were played in the same way; a file that is
complete is in the order of tasks and attempts, so that equal runs are equal bytes. No file is ever
in memory: of each trajectory only its place is kept.
"""

import fcntl
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from forge.dataset.files import (
    compact,
    drop_torn_line,
    parse_json,
    write_atomic,
    writing,
)
from forge.errors import UserError
from forge.types.data import Json
from forge.types.rollout import Trajectory

AGAIN = ("lost", "broken")
"""Outcomes that are no reason not to try once more."""

Key = tuple[str, int]
"""Task and attempt."""
Place = tuple[int, int]
"""Where in the file a line begins, and its length, in bytes."""


@dataclass(frozen=True, slots=True)
class Manner:
    """What all trajectories of a file have in common."""

    policy: str
    user: str
    seed: int
    settings: Mapping[str, Json] = field(default_factory=dict)


class TrajectoryFile:
    """A file that is open to be added to, by one run at a time."""

    def __init__(self, path: Path, file: BinaryIO, places: dict[Key, Place], end: int) -> None:
        self.path = path
        self._file, self._places, self._end = file, places, end

    def __contains__(self, key: Key) -> bool:
        return key in self._places

    def add(self, trajectory: Trajectory) -> None:
        line = trajectory_line(trajectory)
        with writing(self.path):
            self._file.write(line)
            self._file.flush()
        self._places[trajectory.task, trajectory.attempt] = (self._end, len(line))
        self._end += len(line)

    def settle(self, order: Mapping[str, int]) -> None:
        """Puts the trajectories in order, by the number of their task and the attempt; the file is
        as it was until all of it is written anew."""
        keys = sorted(self._places, key=lambda key: (order[key[0]], key[1]))
        places = [self._places[key] for key in keys]
        at = 0
        for start, length in places:
            if start != at:
                break
            at += length
        else:
            if at == self._end:
                return
        write_atomic(self.path, self._lines(places))

    def _lines(self, places: list[Place]) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            for start, length in places:
                file.seek(start)
                yield file.read(length)


@contextmanager
def trajectory_file(
    path: Path, manner: Manner, tasks: Collection[str], *, resume: bool
) -> Iterator[TrajectoryFile]:
    """Opens the file to add to it, with what an earlier run finished if `resume`. Trajectories that
    were lost or broken are not in it any more. `tasks`: of the data set.

    UserError if it holds something else, what was played in another way, or is being written."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another forge is writing here", where=str(path), mend="wait for it to end"
            ) from None
        places: dict[Key, Place] = {}
        at = 0
        for where, line, head in _heads(path):
            if not resume:  # one line shows that it is a file of trajectories
                break
            _check(head, manner, tasks, where)
            key = (head["task"], head["attempt"])
            if head["outcome"] in AGAIN:
                places.pop(key, None)
            else:
                places[key] = (at, len(line))
            at += len(line)
        with writing(path):
            if resume:
                drop_torn_line(file)
            else:
                file.truncate(0)
        yield TrajectoryFile(path, file, places, at)


def trajectory_line(trajectory: Trajectory) -> bytes:
    try:
        return trajectory.model_dump_json(exclude_defaults=True).encode() + b"\n"
    except ValueError:  # half of a surrogate pair: no strict reader takes it, escaped or not
        text = json.dumps(compact(trajectory), ensure_ascii=False, separators=(",", ":"))
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The trajectories of a file that came to an end, read when asked for; the last of a task and
    attempt counts."""

    path: Path
    places: Mapping[Key, Place]

    def find(self, task: str, attempt: int) -> Trajectory | None:
        """Of that attempt, or else of the first."""
        place = self.places.get((task, attempt)) or self.places.get((task, 0))
        return None if place is None else trajectory_at(self.path, place)


def recorded(path: Path) -> Recorded:
    """UserError if it cannot be read or holds something else."""
    places: dict[Key, Place] = {}
    at = 0
    for _, line, head in _heads(path):
        if head["outcome"] not in AGAIN:
            places[head["task"], head["attempt"]] = (at, len(line))
        at += len(line)
    if not places:
        raise UserError("holds no finished trajectories", where=str(path))
    return Recorded(path, places)


def trajectories_in(path: Path) -> Iterator[Trajectory]:
    """All of a file, in its order. UserError if it cannot be read or holds something else."""
    for where, line, _ in _heads(path):
        yield _parsed(line, where)


def trajectory_at(path: Path, place: Place) -> Trajectory:
    """UserError if it cannot be read, or none is there any more."""
    start, length = place
    try:
        with path.open("rb") as file:
            file.seek(start)
            line = file.read(length)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    return _parsed(line, f"{path}: at byte {start}")


def _parsed(line: bytes, where: str) -> Trajectory:
    try:
        return Trajectory.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(step) for step in first["loc"]) or "the whole"
        raise UserError(f"{field}: {first['msg']}", where=where) from None


HEAD = ("task", "attempt", "policy", "user", "seed", "outcome")


def _heads(path: Path) -> Iterator[tuple[str, bytes, dict[str, Json]]]:
    """Place, text and content of each line that is whole."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                where = f"{path}:{number}"
                try:
                    head = parse_json(line.decode(), where)
                except UnicodeDecodeError:
                    raise UserError("not UTF-8 text", where=where) from None
                if not isinstance(head, dict) or any(name not in head for name in HEAD):
                    raise UserError("not a trajectory", where=where, mend="choose another file")
                yield where, line, head
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _check(head: dict[str, Json], manner: Manner, tasks: Collection[str], where: str) -> None:
    """UserError if the trajectory is not one of these tasks, or was played in another way."""
    anew = "or choose another --out, or start over with --no-resume"
    for name, wanted in (("policy", manner.policy), ("user", manner.user), ("seed", manner.seed)):
        if head[name] != wanted:
            raise UserError(
                f"was made with --{name} {head[name]}, not {wanted}",
                where=where,
                mend=f"give that, {anew}",
            )
    settings = head.get("settings", {})
    for name in sorted({*settings, *manner.settings}):
        made, now = settings.get(name), manner.settings.get(name)
        if made != now:
            was = f"with --{name} {_flag(made)}" if name in settings else f"without --{name}"
            raise UserError(f"was made {was}", where=where, mend=f"do likewise, {anew}")
    if head["task"] not in tasks:
        raise UserError(
            f"is of another data set, which has task {head['task']}",
            where=where,
            mend="choose another --out, or start over with --no-resume",
        )


def _flag(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
