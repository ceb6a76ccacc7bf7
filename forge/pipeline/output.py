"""The folder a run writes into: what is finished there, and how an environment gets into it.

Always holds: an environment appears under `envs/` whole, by one rename, with its tasks beside it
until they are merged; one run at a time writes into a folder; what someone edited, or forge never
made, is not overwritten. `.unfinished/` is there as long as a data set is not.
"""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from forge.dataset.environments import read_checks, read_environment, write_environment
from forge.dataset.files import (
    compact,
    parse_json,
    parse_model,
    read_text,
    write_atomic,
    write_json,
    writing,
)
from forge.dataset.folder import environment_folder, lines, read_dataset, spans
from forge.dataset.hashes import environment_hash, is_edited
from forge.dataset.manifest import Added
from forge.dataset.write import task_line
from forge.errors import UserError
from forge.pipeline.report import EnvironmentReport
from forge.types.data import Data
from forge.types.environment import Environment, ToolGraph
from forge.types.task import Task

UNFINISHED = ".unfinished"
TASKS = "tasks.jsonl"
ANEW = "choose another --out, or start over with --no-resume"


class MadeFile(Data):
    """`made.json`: the hash of what the environment was made from, and the report."""

    inputs: str
    report: EnvironmentReport


@dataclass(frozen=True, slots=True)
class Product:
    """An environment as made, and what goes on disk with it; its tasks are there already."""

    report: EnvironmentReport
    environment: Environment
    graph: ToolGraph
    checks: Mapping[str, Data]
    """By tool."""


@contextmanager
def claim(out: Path) -> Iterator[None]:
    """Makes the folder and holds it against other runs. Raises a `UserError` if another run has
    it, if it cannot be made, or if it is full of other things."""
    if out.is_dir() and not _is_ours(out):
        raise UserError(
            "is not empty and holds no data set", where=str(out), mend="choose another --out"
        )
    with writing(out):
        (out / UNFINISHED).mkdir(parents=True, exist_ok=True)
    with held(out):
        _sweep(out)
        yield


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the folder against other runs. Raises a `UserError` if another has it."""
    with writing(folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another forge is writing here", where=str(folder), mend="wait for it to end"
            ) from None
        yield
    finally:
        os.close(handle)


def release(out: Path) -> None:
    """Takes away what a run leaves besides its data set; all of it, if nothing was made."""
    _sweep(out)
    if (out / "dataset.json").exists() or not has_environments(out):
        with suppress(OSError):  # not empty: it holds what is worth keeping
            (out / UNFINISHED).rmdir()
            (out / "envs").rmdir()
            out.rmdir()


def take_stock(
    out: Path, wanted: Mapping[str, str], *, resume: bool
) -> dict[str, EnvironmentReport]:
    """What is finished, of `wanted` (environment name -> hash of its inputs). What is to be made
    again is taken away; a `UserError` says what is in the way, before anything is."""
    merged = spans(out / TASKS) if resume else {}
    finished: dict[str, EnvironmentReport] = {}
    stale: list[Path] = []
    for home in sorted(path for path in out.glob("envs/*") if path.is_dir()):
        if not (home / "made.json").exists():
            raise UserError(
                "was not made by forge synth", where=str(home), mend="choose another --out"
            )
        if not resume:
            stale.append(home)
            continue
        if home.name not in wanted:
            raise UserError("is of another document", where=str(home), mend=ANEW)
        made = parse_model(
            MadeFile, parse_json(read_text(home / "made.json"), str(home)), str(home)
        )
        number = _count_unedited(home, _tasks_of(out, home, merged))
        if made.inputs == wanted[home.name] and number >= made.report.kept:
            finished[home.name] = made.report
        elif number > made.report.kept:
            raise UserError("has tasks that forge tasks added", where=str(home), mend=ANEW)
        else:
            stale.append(home)
    for home in stale:
        shutil.rmtree(home)
    return finished


def put_tasks(out: Path, name: str, tasks: Iterable[Task]) -> None:
    """Writes the tasks of an environment that is yet to be put there, as they come."""
    write_atomic(out / UNFINISHED / name / TASKS, map(task_line, tasks))


def put(out: Path, inputs: str, product: Product) -> None:
    """Writes one environment beside its tasks, so that all is there or nothing."""
    name = product.environment.name
    target = environment_folder(out, name)
    home = out / UNFINISHED / name
    write_environment(product.environment, home, graph=product.graph, checks=product.checks)
    write_json(home / "made.json", compact(MadeFile(inputs=inputs, report=product.report)))
    with writing(target):
        target.parent.mkdir(exist_ok=True)
        home.rename(target)


def merged_lines(out: Path) -> Iterator[bytes]:
    """The tasks of all environments, these in the order of their names."""
    merged = spans(out / TASKS)
    for home in sorted(path for path in out.glob("envs/*") if path.is_dir()):
        for _, line in _tasks_of(out, home, merged):
            yield line.encode()


def added_so_far(out: Path) -> tuple[Added, ...]:
    """What `forge tasks` added to what is there, by its manifest."""
    return read_dataset(out).manifest.added if (out / "dataset.json").exists() else ()


def tasks_of(out: Path, name: str) -> Iterator[tuple[str, str]]:
    """Place and text of the tasks of one environment."""
    merged = spans(out / TASKS) if not (out / "envs" / name / TASKS).exists() else {}
    return _tasks_of(out, environment_folder(out, name), merged)


@contextmanager
def tasks_anew(out: Path, name: str) -> Iterator[BinaryIO]:
    """A file that takes the place of the environment's tasks once all of it is written."""
    part = out / UNFINISHED / name / TASKS
    with writing(part):
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            yield file
        part.replace(environment_folder(out, name) / TASKS)


def forget_parts(out: Path) -> None:
    """Takes away the tasks beside each environment, once they are merged."""
    for part in sorted(out.glob(f"envs/*/{TASKS}")):
        part.unlink()


def has_environments(out: Path) -> bool:
    return any(out.glob("envs/*/environment.json"))


def _is_ours(out: Path) -> bool:
    return (out / "dataset.json").exists() or (out / UNFINISHED).exists() or not any(out.iterdir())


def _sweep(out: Path) -> None:
    """What a run that was killed has left half done."""
    for part in sorted((out / UNFINISHED).glob("*")):
        shutil.rmtree(part, ignore_errors=True)
    for part in sorted(out.glob(".*.tmp")):
        part.unlink(missing_ok=True)


def _tasks_of(
    out: Path, home: Path, merged: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[str, str]]:
    """Place and text of the tasks of an environment: they lie beside it until they are merged."""
    beside = home / TASKS
    if beside.exists():
        yield from lines(beside)
    elif home.name in merged:
        yield from lines(out / TASKS, merged[home.name])


def _count_unedited(home: Path, tasks: Iterable[tuple[str, str]]) -> int:
    """How many there are. Raises a `UserError` if environment or tasks are somebody's work."""
    checks = read_checks(home)
    if checks is None or checks.edited or checks.hash != environment_hash(read_environment(home)):
        raise UserError("was edited since forge made it", where=str(home), mend=ANEW)
    number = 0
    for where, line in tasks:
        task = parse_model(Task, parse_json(line, where), where)
        if is_edited(task):
            raise UserError(
                f"task {task.id} was edited since forge made it", where=str(home), mend=ANEW
            )
        number += 1
    return number
