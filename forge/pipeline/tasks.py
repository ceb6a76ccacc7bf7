"""More tasks for a data set that lies on disk, made by forge or by hand.

Always holds: the bytes that the data set ends with depend on what was there and on what is asked
for, not on processes, interruptions or the clock; until all is made the data set stays as it was,
and what is made waits in `.adding/`; then the new files take the place of the old, which is taken
up where it was interrupted.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from forge.dataset.environments import read_checks
from forge.dataset.files import parse_json, read_text, remove, write_atomic, write_json, writing
from forge.dataset.folder import environment_names, lines, read_dataset, spans
from forge.dataset.manifest import Added, Manifest
from forge.dataset.write import write_lines
from forge.env.sandbox.sandbox import SandboxKind
from forge.errors import UserError
from forge.pipeline.more import (
    CHECKS,
    GRAPH,
    JUDGED,
    SET_ASIDE,
    WORK,
    Addition,
    Request,
    add_to,
    judged_rows,
    made_lines,
)
from forge.pipeline.output import UNFINISHED, held
from forge.pipeline.workers import run

READY = "ready"
"""In the work folder: new files for the data set, complete once its `dataset.json` is there."""
DONE = "done.json"
"""Beside them: the environments whose work is in them."""


@dataclass(frozen=True, slots=True)
class Progress:
    """An environment is finished: `done` of `total` are."""

    done: int
    total: int
    result: Addition


@dataclass(frozen=True, slots=True)
class Adding:
    """One run of `forge tasks`."""

    folder: Path
    request: Request
    environments: tuple[Addition, ...]
    seconds: float


def add_tasks(
    folder: Path,
    request: Request,
    *,
    names: Sequence[str],
    jobs: int,
    resume: bool = True,
    sandbox: SandboxKind = "monty",
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Adding:
    """`names`: the environments to make them of. Raises a `UserError` where the data set cannot be
    read or written, or another request waits to be finished there."""
    start = perf_counter()
    if (folder / UNFINISHED).exists():
        raise UserError(
            "forge synth has not finished it", where=str(folder), mend="run that again first"
        )
    if not environment_names(folder):
        read_dataset(folder)
    with held(folder):
        _settle(folder)
        if not resume:
            shutil.rmtree(folder / WORK, ignore_errors=True)
        manifest = _manifest(folder)
        places = _places(folder)
        calls = {
            name: partial(add_to, folder, name, places.get(name), request, sandbox)
            for name in names
        }
        found: dict[str, Addition] = {}
        try:
            for name, result in run(calls, jobs):
                found[name] = result
                tell(Progress(len(found), len(calls), result))
            results = tuple(found[name] for name in names)
            if any(_changes(folder, each) for each in results):
                _prepare(folder, manifest, request, results, places)
                _settle(folder)
        except UserError as error:
            again = "what is finished is kept: mend that and run the same command again"
            raise UserError(error.what, where=error.where, mend=error.mend or again) from None
        _sweep(folder, names)
    return Adding(folder, request, results, perf_counter() - start)


def _manifest(folder: Path) -> Manifest | None:
    """None: there is none yet, for the environments were written by hand."""
    if not (folder / "dataset.json").exists():
        return None
    return read_dataset(folder).manifest


def _places(folder: Path) -> dict[str, tuple[int, int]]:
    places = spans(folder / "tasks.jsonl")
    if lost := sorted(set(places) - set(environment_names(folder))):
        raise UserError(
            f"tasks of environment {lost[0]!r} have no folder under envs/", where=str(folder)
        )
    return places


def _changes(folder: Path, result: Addition) -> bool:
    """Whether there is something to write."""
    work = folder / WORK / result.environment
    return result.kept > 0 or (work / CHECKS).exists() or (work / JUDGED).exists()


def _prepare(
    folder: Path,
    manifest: Manifest | None,
    request: Request,
    results: Sequence[Addition],
    places: Mapping[str, tuple[int, int]],
) -> None:
    """Writes the new files beside the old ones."""
    ready, sound = folder / WORK / READY, [each for each in results if not each.unsound]
    for each in sound:
        _prepare_environment(folder, ready, each.environment)
    added = Added(
        seed=request.seed,
        asked=request.count,
        kind=request.kind,
        difficulty=request.difficulty,
        environments={each.environment: each.kept for each in sound if each.kept},
    )
    write_json(ready / DONE, [each.environment for each in results])
    checks = {
        name: fresh
        for name in environment_names(folder)
        if (fresh := read_checks(ready / "envs" / name)) is not None
    }
    before = manifest.added if manifest else ()
    write_lines(
        folder,
        _all_lines(folder, [each.environment for each in sound], places),
        into=ready,
        seed=manifest.seed if manifest else None,
        models=manifest.models if manifest else (),
        sources=manifest.sources if manifest else {},
        added=(*before, added) if added.environments else before,
        checks=checks,
    )


def _prepare_environment(folder: Path, ready: Path, name: str) -> None:
    work, home = folder / WORK / name, ready / "envs" / name
    for file in (CHECKS, GRAPH):
        if (work / file).exists():
            write_atomic(home / file, [(work / file).read_bytes()])
    if (work / JUDGED).exists():
        failing = (line for passed, line in judged_rows(folder, name) if not passed)
        write_atomic(home / SET_ASIDE, failing)


def _all_lines(
    folder: Path, names: Sequence[str], places: Mapping[str, tuple[int, int]]
) -> Iterator[bytes]:
    for name in sorted({*places, *names}):
        if name in names and (folder / WORK / name / JUDGED).exists():
            yield from (line for passed, line in judged_rows(folder, name) if passed)
        elif name in places:
            for _, line in lines(folder / "tasks.jsonl", places[name]):
                yield line.encode()
        if name in names:
            yield from made_lines(folder, name)


def _settle(folder: Path) -> None:
    """Puts the new files in the place of the old ones, if they are complete; takes them away, if
    not."""
    ready = folder / WORK / READY
    if not (ready / "dataset.json").exists():
        shutil.rmtree(ready, ignore_errors=True)
        return
    if (ready / DONE).exists():
        for name in parse_json(read_text(ready / DONE), str(ready / DONE)):
            shutil.rmtree(folder / WORK / name, ignore_errors=True)
        remove(ready / DONE)
    files = sorted(path for path in ready.rglob("*") if path.is_file())
    for path in sorted(files, key=lambda path: path.name == "dataset.json"):
        with writing(folder):
            path.replace(folder / path.relative_to(ready))
    for path in sorted(folder.glob(f"envs/*/{SET_ASIDE}")):
        if not path.stat().st_size:
            remove(path)
    shutil.rmtree(ready)


def _sweep(folder: Path, names: Sequence[str]) -> None:
    """Takes away what has no use any more: work that came to nothing."""
    for name in names:
        shutil.rmtree(folder / WORK / name, ignore_errors=True)
    with suppress(OSError):  # not empty: other environments' tasks wait there
        (folder / WORK).rmdir()
