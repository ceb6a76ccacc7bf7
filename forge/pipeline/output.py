"""The folder a run writes into: what is finished there, and how an environment gets into it.

Always holds: an environment appears under `envs/` whole, by one rename, with its tasks beside it
until they are merged; one run at a time writes into a folder; what someone edited, or forge never
made, is not overwritten. `.unfinished/` is there as long as a data set is not.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from forge.dataset.environments import read_checks, read_environment, write_environment
from forge.dataset.files import (
    compact,
    json_text,
    parse_json,
    parse_model,
    read_log,
    read_text,
    write_atomic,
    write_json,
)
from forge.dataset.folder import environment_folder, task_row
from forge.dataset.hashes import environment_hash, is_edited
from forge.errors import UserError
from forge.pipeline.report import EnvironmentReport
from forge.types.data import Data
from forge.types.environment import Environment, ToolGraph
from forge.types.task import Task

UNFINISHED = ".unfinished"
ANEW = "choose another --out, or start over with --no-resume"


class MadeFile(Data):
    """`made.json`: the hash of what the environment was made from, and the report."""

    inputs: str
    report: EnvironmentReport


@dataclass(frozen=True, slots=True)
class Product:
    """An environment and its tasks (sealed) as made, and what goes on disk with them."""

    report: EnvironmentReport
    environment: Environment
    graph: ToolGraph
    checks: Mapping[str, Data]
    """By tool."""
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """An environment of an earlier run that need not be made again."""

    report: EnvironmentReport
    tasks: tuple[Task, ...]


@contextmanager
def claim(out: Path) -> Iterator[None]:
    """Makes the folder and holds it against other runs. Raises a `UserError` if another run has
    it, if it cannot be made, or if it is full of other things."""
    if out.is_dir() and not _is_ours(out):
        raise UserError(
            "is not empty and holds no data set", where=str(out), mend="choose another --out"
        )
    with _writing(out):
        (out / UNFINISHED).mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another forge synth is writing here", where=str(out), mend="wait for it to end"
            ) from None
        _sweep(out)
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


def take_stock(out: Path, wanted: Mapping[str, str], *, resume: bool) -> dict[str, Finished]:
    """What is finished, of `wanted` (environment name -> hash of its inputs). What is to be made
    again is taken away; a `UserError` says what is in the way, before anything is."""
    merged = _merged_tasks(out) if resume else {}
    finished: dict[str, Finished] = {}
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
        tasks = _tasks_beside(home) or merged.get(home.name, ())
        _refuse_edited(home, tasks)
        if made.inputs == wanted[home.name] and len(tasks) == made.report.kept:
            finished[home.name] = Finished(made.report, tasks)
        else:
            stale.append(home)
    for home in stale:
        shutil.rmtree(home)
    return finished


def put(out: Path, inputs: str, product: Product) -> None:
    """Writes one environment and its tasks, so that it is there whole or not at all."""
    name = product.environment.name
    target = environment_folder(out, name)
    home = out / UNFINISHED / name
    write_environment(product.environment, home, graph=product.graph, checks=product.checks)
    lines = (json_text(task_row(task)).encode() + b"\n" for task in product.tasks)
    write_atomic(home / "tasks.jsonl", lines)
    write_json(home / "made.json", compact(MadeFile(inputs=inputs, report=product.report)))
    with _writing(target):
        target.parent.mkdir(exist_ok=True)
        home.rename(target)


def unmerged(out: Path, finished: Mapping[str, Finished]) -> Iterator[Task]:
    """The tasks of all environments, these in the order of their names."""
    for home in sorted(path for path in out.glob("envs/*") if path.is_dir()):
        yield from finished[home.name].tasks if home.name in finished else _tasks_beside(home)


def forget_parts(out: Path) -> None:
    """Takes away the tasks beside each environment, once they are merged."""
    for part in sorted(out.glob("envs/*/tasks.jsonl")):
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


def _tasks_beside(home: Path) -> tuple[Task, ...]:
    return _read_tasks(home / "tasks.jsonl")


def _merged_tasks(out: Path) -> dict[str, tuple[Task, ...]]:
    groups: dict[str, list[Task]] = {}
    for task in _read_tasks(out / "tasks.jsonl"):
        groups.setdefault(task.env, []).append(task)
    return {name: tuple(tasks) for name, tasks in groups.items()}


def _read_tasks(path: Path) -> tuple[Task, ...]:
    return tuple(parse_model(Task, row, str(path)) for row in read_log(path))


def _refuse_edited(home: Path, tasks: Sequence[Task]) -> None:
    checks = read_checks(home)
    if checks is None or checks.hash != environment_hash(read_environment(home)):
        raise UserError("was edited since forge made it", where=str(home), mend=ANEW)
    for task in tasks:
        if is_edited(task):
            raise UserError(
                f"task {task.id} was edited since forge made it", where=str(home), mend=ANEW
            )


@contextmanager
def _writing(where: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=str(where)) from None
