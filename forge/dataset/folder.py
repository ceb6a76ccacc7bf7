"""A data set: a folder of environments and one file of tasks, with a manifest and a card.

Always holds: tasks are in canonical order (environment, then id; those of a sequence after its
first) and read one at a time; equal content gives equal bytes; nothing in the folder says when,
where or by whom it was made. Writing one is in `write.py`.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forge.dataset.environments import read_environment
from forge.dataset.files import SAFE_NAME, parse_json, parse_model, read_text
from forge.dataset.hashes import environment_hash
from forge.dataset.manifest import FORMAT, Manifest
from forge.dataset.sequences import in_sequence
from forge.errors import UserError
from forge.types.environment import Environment
from forge.types.task import Task

WHOLE = (0, sys.maxsize)


@dataclass(frozen=True, slots=True)
class Dataset:
    """What lies in `folder`; environments and tasks are read when asked for."""

    folder: Path
    manifest: Manifest

    def names(self) -> list[str]:
        """The names of the environments, sorted."""
        return environment_names(self.folder)

    def environment(self, name: str) -> Environment:
        return environment_of(self.folder, name)

    def edited(self, environment: Environment) -> bool:
        """Whether someone changed the environment, or made it, since forge last checked it."""
        entry = self.manifest.environments.get(environment.name)
        return entry is None or entry.hash != environment_hash(environment)

    def tasks(self) -> Iterator[Task]:
        """One at a time, in the order of the file."""
        for where, line in lines(self.folder / "tasks.jsonl"):
            yield parse_model(Task, parse_json(line, where), where)

    def task(self, id: str) -> Task | None:
        for where, line in lines(self.folder / "tasks.jsonl"):
            if id in line:
                task = parse_model(Task, parse_json(line, where), where)
                if task.id == id:
                    return task
        return None

    def sequence(self, id: str) -> tuple[Task, ...]:
        """The tasks of the sequence that the task of that id is in, or itself alone; nothing where
        there is none such."""
        return next(
            (found for found in in_sequence(self.tasks()) if any(t.id == id for t in found)), ()
        )


def read_dataset(folder: Path) -> Dataset:
    """Raises a `UserError` that says what is missing or wrong, and where."""
    path = folder / "dataset.json"
    if not path.is_file():
        raise UserError(
            "not a data set: there is no dataset.json",
            where=str(folder),
            mend="make one with forge synth",
        )
    content = parse_json(read_text(path), str(path))
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise UserError(f"format {found!r}, but this forge reads format {FORMAT}", where=str(path))
    return Dataset(folder, parse_model(Manifest, content, str(path)))


def environment_of(folder: Path, name: str) -> Environment:
    """Raises a `UserError` where it cannot be read."""
    home = environment_folder(folder, name)
    environment = read_environment(home)
    if environment.name != name:
        raise UserError(
            f"the environment is named {environment.name!r}",
            where=str(home),
            mend="name the folder so, too",
        )
    return environment


def environment_names(folder: Path) -> list[str]:
    return sorted(file.parent.name for file in folder.glob("envs/*/environment.json"))


def environment_folder(folder: Path, name: str) -> Path:
    """Where the environment lies; a name that could lead elsewhere is refused."""
    if not SAFE_NAME.fullmatch(name):
        raise UserError(f"{name!r} cannot be the name of an environment", where=str(folder))
    return folder / "envs" / name


def lines(path: Path, span: tuple[int, int] | None = None) -> Iterator[tuple[str, str]]:
    """Each line with its place, for errors; empty ones are passed over. `span`: only those between
    these bytes, counted from the first of them."""
    for number, _, line in _numbered(path, span or WHOLE):
        yield (f"{path}:{number}" if span is None else str(path)), line


def spans(path: Path) -> dict[str, tuple[int, int]]:
    """Environment -> where in the file its tasks begin and end, in bytes; nothing if there is no
    file. Raises a `UserError` if they do not lie together."""
    found: dict[str, tuple[int, int]] = {}
    last = None
    for number, at, line in _numbered(path, WHOLE) if path.exists() else ():
        row = parse_json(line, f"{path}:{number}")
        env = row.get("env") if isinstance(row, dict) else None
        if not isinstance(env, str):
            raise UserError("not a task: it has no `env`", where=f"{path}:{number}")
        if env in found and env != last:
            raise UserError(f"tasks of environment {env!r} lie apart", where=f"{path}:{number}")
        start, _ = found.get(env, (at, at))
        found[env] = (start, at + len(line.encode()))
        last = env
    return found


def _numbered(path: Path, span: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
    """Number, place in bytes, and text of each line that is not empty."""
    at, end = span
    try:
        with path.open("rb") as file:
            if at:  # what cannot be sought in, a pipe, can still be read from its start
                file.seek(at)
            for number, line in enumerate(file, 1):
                if at >= end:
                    return
                if line.strip():
                    yield number, at, line.decode("utf-8")
                at += len(line)
    except UnicodeDecodeError:
        raise UserError("not UTF-8 text", where=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
