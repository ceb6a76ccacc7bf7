"""What there is to browse, told from paths: data sets, runs of training, files of trajectories.

Always holds: each has a name of its own among those browsed, which is a plain one, whatever the
folder or file is called.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from forge.dataset.files import parse_json, parse_model
from forge.errors import UserError
from forge.train.runs import HEAD, runs_in
from forge.types.rollout import Trajectory

Kind = Literal["dataset", "run", "trajectories"]
MANIFEST = "dataset.json"
LIKE = "give data sets (dataset.json), runs (run.json) or files of trajectories (.jsonl)"


@dataclass(frozen=True, slots=True)
class Thing:
    """`name`: its part of every address."""

    name: str
    kind: Kind
    path: Path


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that is browsed together."""

    things: tuple[Thing, ...]

    def of(self, kind: Kind) -> tuple[Thing, ...]:
        return tuple(thing for thing in self.things if thing.kind == kind)

    def named(self, name: str) -> Thing | None:
        return next((thing for thing in self.things if thing.name == name), None)


def site_of(paths: Sequence[Path]) -> Site:
    """UserError at the first path that is none of them. A folder with runs in it is those runs."""
    found = dict.fromkeys(each for path in paths for each in _told(path))
    names = _names(path for _, path in found)
    return Site(
        tuple(Thing(name, kind, path) for name, (kind, path) in zip(names, found, strict=True))
    )


def _told(path: Path) -> list[tuple[Kind, Path]]:
    if (path / MANIFEST).is_file():
        return [("dataset", path)]
    if path.is_dir():
        runs = runs_in(path)
        if not runs:
            what = f"holds no data set and no run: there is no {MANIFEST} and no {HEAD}"
            raise UserError(what, where=str(path), mend=LIKE)
        return [("run", run) for run in runs]
    if path.is_file():
        _check_trajectories(path)
        return [("trajectories", path)]
    raise UserError("is not there", where=str(path), mend=LIKE)


def _check_trajectories(path: Path) -> None:
    """UserError unless the first whole line of the file is a trajectory; it may have none yet."""
    try:
        with path.open("rb") as file:
            line = file.readline()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if not line.endswith(b"\n"):
        if line and not line.lstrip().startswith(b"{"):
            raise UserError("is no file of trajectories", where=str(path), mend=LIKE)
        return
    try:
        text = line.decode()
        parse_model(Trajectory, parse_json(text, f"{path}:1"), f"{path}:1")
    except UnicodeDecodeError:
        raise UserError("is no file of trajectories", where=str(path), mend=LIKE) from None
    except UserError as error:
        raise UserError(
            f"is no file of trajectories: {error.what}", where=error.where, mend=LIKE
        ) from None


def _names(paths: Iterable[Path]) -> list[str]:
    taken = {"index", "static"}
    names = []
    for path in paths:
        stem = re.sub(r"[^a-z0-9_-]+", "-", path.resolve().stem.lower()).strip("-")[:60] or "data"
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        names.append(name)
    return names
