"""A data set: a folder of environments and one file of tasks, with a manifest and a card.

Always holds: tasks are in canonical order (environment, then id) and read one at a time; equal
content gives equal bytes; nothing in the folder says when, where or by whom it was made.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from forge import __version__
from forge.dataset.card import write_card
from forge.dataset.environments import read_checks, read_environment
from forge.dataset.files import (
    SAFE_NAME,
    compact,
    json_text,
    parse_json,
    parse_model,
    read_text,
    remove,
    write_atomic,
    write_json,
)
from forge.dataset.hashes import environment_hash, sealed
from forge.dataset.manifest import FORMAT, Counts, EnvironmentEntry, Manifest
from forge.dataset.parquet import write_parquet
from forge.errors import UserError
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Dataset:
    """What lies in `folder`; environments and tasks are read when asked for."""

    folder: Path
    manifest: Manifest

    def names(self) -> list[str]:
        """The names of the environments, sorted."""
        return environment_names(self.folder)

    def environment(self, name: str) -> Environment:
        home = environment_folder(self.folder, name)
        environment = read_environment(home)
        if environment.name != name:
            raise UserError(
                f"the environment is named {environment.name!r}",
                where=str(home),
                mend="name the folder so, too",
            )
        return environment

    def edited(self, environment: Environment) -> bool:
        """Whether someone changed the environment, or made it, since forge last checked it."""
        entry = self.manifest.environments.get(environment.name)
        return entry is None or entry.hash != environment_hash(environment)

    def tasks(self) -> Iterator[Task]:
        """One at a time, in the order of the file."""
        for where, line in _lines(self.folder / "tasks.jsonl"):
            yield parse_model(Task, parse_json(line, where), where)

    def task(self, id: str) -> Task | None:
        for where, line in _lines(self.folder / "tasks.jsonl"):
            if id in line:
                task = parse_model(Task, parse_json(line, where), where)
                if task.id == id:
                    return task
        return None


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


def environment_names(folder: Path) -> list[str]:
    return sorted(file.parent.name for file in folder.glob("envs/*/environment.json"))


def environment_folder(folder: Path, name: str) -> Path:
    """Where the environment lies; a name that could lead elsewhere is refused."""
    if not SAFE_NAME.fullmatch(name):
        raise UserError(f"{name!r} cannot be the name of an environment", where=str(folder))
    return folder / "envs" / name


def write_dataset(
    folder: Path,
    tasks: Iterable[Task],
    *,
    seed: int | None = None,
    models: Sequence[str] = (),
    sources: Mapping[str, str] | None = None,
) -> Dataset:
    """Seals the tasks and writes all but the environments, which must lie in `folder` already.

    `tasks` come environment by environment, these in the order of their names; within one, any
    order will do. `sources`: document file name -> sha256. `dataset.json` is written last, so that
    a folder without it is one that was not finished.
    """
    tally = _Tally()
    remove(folder / "dataset.json")
    path = folder / "tasks.jsonl"
    write_atomic(path, _sealed_lines(tasks, tally))
    write_parquet(folder / "tasks.parquet", (parse_json(line, at) for at, line in _lines(path)))
    manifest = _manifest(folder, tally, seed, tuple(models), dict(sources or {}))
    write_card(folder / "README.md", manifest, example=tally.example)
    write_json(folder / "dataset.json", compact(manifest))
    return Dataset(folder, manifest)


def task_row(task: Task) -> dict[str, Json]:
    """A line of `tasks.jsonl`: every field of the task; within them, what is not the default."""
    return {name: compact(value) for name, value in task}


class _Tally:
    """Counts the tasks as they go by."""

    def __init__(self) -> None:
        self.of_env: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.splits: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.example = ""

    def add(self, task: Task) -> None:
        self.of_env[task.env] += 1
        self.kinds[task.kind] += 1
        self.splits[task.split] += 1
        self.languages[task.lang] += 1
        self.example = self.example or task.question


def _sealed_lines(tasks: Iterable[Task], tally: _Tally) -> Iterator[bytes]:
    last = ""
    for env, group in groupby(tasks, key=lambda task: task.env):
        if env <= last:
            raise ValueError(f"tasks of {env!r} come after those of {last!r}")
        last = env
        for task in sorted(map(sealed, group), key=lambda task: task.id):
            tally.add(task)
            yield json_text(task_row(task)).encode() + b"\n"


def _manifest(
    folder: Path, tally: _Tally, seed: int | None, models: tuple[str, ...], sources: dict[str, str]
) -> Manifest:
    entries = {name: _entry(folder, name, tally) for name in environment_names(folder)}
    return Manifest(
        format=FORMAT,
        forge=__version__,
        seed=seed,
        authors=tuple(sorted({entry.author for entry in entries.values()})),
        models=models,
        sources=dict(sorted(sources.items())),
        counts=Counts(
            environments=len(entries),
            tools=sum(entry.tools for entry in entries.values()),
            tasks=tally.of_env.total(),
            kinds=dict(sorted(tally.kinds.items())),
            splits=dict(sorted(tally.splits.items())),
            languages=dict(sorted(tally.languages.items())),
        ),
        environments=entries,
    )


def _entry(folder: Path, name: str, tally: _Tally) -> EnvironmentEntry:
    home = environment_folder(folder, name)
    environment = read_environment(home)
    checks = read_checks(home)
    return EnvironmentEntry(
        title=environment.title,
        author=environment.author,
        origin=environment.origin,
        hash=checks.hash if checks else environment_hash(environment),
        tables=len(environment.state_schema.tables),
        tools=len(environment.tools),
        left_out=len(environment.left_out),
        tasks=tally.of_env[name],
        overlaps=environment.overlaps,
    )


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Each line with its place, for errors; empty ones are passed over."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}:{number}", line.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError("not UTF-8 text", where=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
