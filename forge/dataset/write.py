"""Writing a data set: the file of tasks, its Parquet twin, the card and the manifest.

Always holds: tasks lie in canonical order (environment, then id; those of a sequence after its
first), in whatever order they came; only their ids and places are in memory, so their number is
bounded by the disk; `dataset.json` comes last.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any

from forge import __version__
from forge.dataset.card import write_card
from forge.dataset.environments import Checks, read_checks, read_environment
from forge.dataset.files import (
    compact,
    json_text,
    parse_json,
    parse_model,
    remove,
    write_atomic,
    write_json,
    writing,
)
from forge.dataset.folder import Dataset, environment_folder, environment_names, lines
from forge.dataset.hashes import environment_hash, is_held_out, sealed
from forge.dataset.manifest import FORMAT, Added, Counts, EnvironmentEntry, Manifest
from forge.dataset.parquet import ABSENT, write_parquet
from forge.dataset.sequences import places
from forge.types.data import Json
from forge.types.task import Task

Row = dict[str, Any]
"""A line of `tasks.jsonl`, parsed."""


def write_dataset(
    folder: Path,
    tasks: Iterable[Task],
    *,
    seed: int | None = None,
    models: Sequence[str] = (),
    sources: Mapping[str, str] | None = None,
    added: Sequence[Added] = (),
) -> Dataset:
    """Seals the tasks and writes all but the environments, which must lie in `folder` already.

    `tasks` come environment by environment, these in the order of their names; within one, any
    order will do. `sources`: document file name -> sha256. A folder without `dataset.json` is one
    that was not finished.
    """
    remove(folder / "dataset.json")
    manifest = write_lines(
        folder,
        (task_line(sealed(task)) for task in tasks),
        into=folder,
        seed=seed,
        models=models,
        sources=sources or {},
        added=added,
    )
    return Dataset(folder, manifest)


def task_row(task: Task) -> dict[str, Json]:
    """A line of `tasks.jsonl`: every field of the task, but those that it has not (what it follows,
    who worded or joined it); within them, what is not the default."""
    return {name: compact(value) for name, value in task if value is not None or name not in ABSENT}


def task_line(task: Task) -> bytes:
    return json_text(task_row(task)).encode() + b"\n"


def write_lines(
    folder: Path,
    tasks: Iterable[bytes],
    *,
    into: Path,
    seed: int | None,
    models: Sequence[str],
    sources: Mapping[str, str],
    added: Sequence[Added] = (),
    checks: Mapping[str, Checks] | None = None,
) -> Manifest:
    """The same of tasks that are lines already, written into another folder than that of the
    environments. `checks`: of environments whose `checks.json` is not in place yet."""
    tally = _Tally()
    path = into / "tasks.jsonl"
    write_atomic(path, _ordered(tasks, tally, into))
    write_parquet(into / "tasks.parquet", (parse_json(line, at) for at, line in lines(path)))
    entries = {
        name: _entry(folder, name, tally, (checks or {}).get(name))
        for name in environment_names(folder)
    }
    manifest = Manifest(
        format=FORMAT,
        forge=__version__,
        seed=seed,
        authors=tuple(sorted({entry.author for entry in entries.values()})),
        models=tuple(sorted({*models, *tally.models})),
        sources=dict(sorted(sources.items())),
        added=tuple(added),
        counts=tally.counts(entries),
        environments=entries,
    )
    write_card(into / "README.md", manifest, example=tally.example)
    write_json(into / "dataset.json", compact(manifest))
    return manifest


class _Tally:
    """Counts the tasks as they go by."""

    def __init__(self) -> None:
        self.of_env: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.bands: Counter[str] = Counter()
        self.splits: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.models: set[str] = set()
        """Those that worded questions, or joined wishes."""
        self.worded = self.merged = 0
        self.example = ""

    def add(self, row: Row) -> None:
        self.of_env[row["env"]] += 1
        self.kinds[row["kind"]] += 1
        self.bands[row["band"]] += 1
        self.splits[row["split"]] += 1
        self.languages[row["lang"]] += 1
        self.example = self.example or row["question"]
        self.worded += "worded" in row
        self.merged += "merged" in row
        self.models |= {row[way]["model"] for way in ("worded", "merged") if way in row}

    def counts(self, entries: Mapping[str, EnvironmentEntry]) -> Counts:
        return Counts(
            environments=len(entries),
            tools=sum(entry.tools for entry in entries.values()),
            tasks=self.of_env.total(),
            kinds=dict(sorted(self.kinds.items())),
            bands={name: self.bands[name] for name in ("easy", "medium", "hard")},
            splits=dict(sorted(self.splits.items())),
            languages=dict(sorted(self.languages.items())),
            worded=self.worded,
            merged=self.merged,
        )


def _ordered(tasks: Iterable[bytes], tally: _Tally, near: Path) -> Iterator[bytes]:
    """The lines in canonical order. Those of one environment wait in a file that has no name."""
    rows = map(_whole, tasks)
    last = ""
    for env, group in groupby(rows, key=lambda each: each[0]["env"]):
        if env <= last:
            raise ValueError(f"tasks of {env!r} come after those of {last!r}")
        last = env
        with ExitStack() as stack:
            with writing(near):
                spool = stack.enter_context(tempfile.TemporaryFile(dir=near))
            found: dict[str, list[tuple[int, int]]] = {}
            follows: dict[str, str | None] = {}
            for row, line in group:
                with writing(near):
                    found.setdefault(row["id"], []).append((spool.tell(), len(line)))
                    follows[row["id"]] = row.get("follows")
                    spool.write(line)
            where = places(follows)
            for start, length in (
                at for id in sorted(found, key=where.__getitem__) for at in found[id]
            ):
                spool.seek(start)
                line = spool.read(length)
                tally.add(parse_json(line.decode(), "a task"))
                yield line


def _whole(line: bytes) -> tuple[Row, bytes]:
    """The line parsed; one written by hand may leave out what is the default."""
    row = parse_json(line.decode(), "a task")
    named = row.keys() | set(ABSENT) == Task.model_fields.keys()
    if named and all(row.get(name, "") is not None for name in ABSENT) and line.endswith(b"\n"):
        return row, line
    task = parse_model(Task, row, "a task")
    return task_row(task), task_line(task)


def _entry(folder: Path, name: str, tally: _Tally, fresh: Checks | None) -> EnvironmentEntry:
    home = environment_folder(folder, name)
    environment = read_environment(home)
    checks = fresh or read_checks(home)
    return EnvironmentEntry(
        title=environment.title,
        author=environment.author,
        origin=environment.origin,
        hash=checks.hash if checks else environment_hash(environment),
        edited=checks is not None and checks.edited,
        held_out=is_held_out(name),
        tables=len(environment.state_schema.tables),
        tools=len(environment.tools),
        left_out=len(environment.left_out),
        tasks=tally.of_env[name],
        overlaps=environment.overlaps,
    )
