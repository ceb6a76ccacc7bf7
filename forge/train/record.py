"""A run's folder while the run goes on: see `runs.py` for what is in it.

Always holds: a line is on disk, whole, when the call that adds it returns, so whatever ends a run
leaves at most a torn last line; no step is there twice; one process writes at a time.
"""

import fcntl
import os
import platform
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from math import isfinite, sqrt
from pathlib import Path

from forge import __version__
from forge.dataset.files import json_text, write_json, write_text, writing
from forge.dataset.rates import rate_of
from forge.dataset.trajectories import trajectory_line
from forge.errors import UserError
from forge.train.advantage import Scored, deviation
from forge.train.recipe import Recipe, Sft, as_yaml
from forge.train.resume import check_same, cut, last_step
from forge.train.runs import (
    CHECKPOINTS,
    EVALUATION,
    HEAD,
    METRICS,
    RECIPE,
    SAMPLES,
    Counts,
    Evaluation,
    Head,
    Session,
    read_head,
)
from forge.types.data import Json
from forge.types.rollout import Trajectory

PACKAGES = ("torch", "transformers", "trl", "accelerate", "peft", "deepspeed", "vllm")


@dataclass(frozen=True, slots=True)
class Kept:
    """A rollout to be kept; `advantage`: None where it was not trained on."""

    reward: float
    advantage: float | None
    trajectory: Trajectory


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt at a held-out task, that could be scored."""

    task: str
    env: str
    passed: bool


class Record:
    """A run that is being written. `checkpoint`: the folder that it goes on from, None: from the
    beginning; `done`: the steps that it has, up to there."""

    def __init__(self, folder: Path, head: Head, checkpoint: Path | None, done: int) -> None:
        self.folder, self.checkpoint, self.done = folder, checkpoint, done
        self._head = head
        self._last = {name: last_step(folder / name) for name in (METRICS, SAMPLES, EVALUATION)}

    def step(self, n: int, metrics: Mapping[str, float]) -> None:
        """The numbers of a step; one that is none, or infinite, is null. ValueError for a step
        before the last."""
        numbers = {name: value if isfinite(value) else None for name, value in metrics.items()}
        self._add(METRICS, n, [{**numbers, "step": n}])

    def samples(self, n: int, kept: Iterable[Kept]) -> None:
        lines = []
        for each in kept:
            of = each.trajectory
            head = {"step": n, "task": of.task, "env": of.env, "reward": each.reward}
            text = json_text({**head, "advantage": each.advantage})
            lines.append(text[:-1].encode() + b',"trajectory":' + trajectory_line(of)[:-1] + b"}")
        self._write(SAMPLES, n, lines)

    def evaluated(self, n: int, tried: Sequence[Tried]) -> None:
        """How held-out tasks went with the weights after step `n`, 0: before the first."""
        of: dict[str, dict[str, tuple[int, int]]] = {}
        for each in sorted(tried, key=lambda each: (each.env, each.task)):
            counts = of.setdefault(each.env, {})
            passed, attempts = counts.get(each.task, (0, 0))
            counts[each.task] = (passed + each.passed, attempts + 1)
        told = {env: {**_rate(counts), "tasks": counts} for env, counts in of.items()}
        whole = _rate(Evaluation(n, of).tasks)
        self._add(EVALUATION, n, [{**whole, "environments": told, "step": n}])

    def has_evaluated(self, n: int) -> bool:
        """Whether the weights after step `n` were measured; a run that goes on need not again."""
        return self._last[EVALUATION] >= n

    def finish(self) -> None:
        """The run has come to its end."""
        self._head = self._head.model_copy(update={"finished": True})
        write_json(self.folder / HEAD, self._head.model_dump())

    def _add(self, name: str, n: int, lines: Iterable[Mapping[str, Json]]) -> None:
        self._write(name, n, [json_text({"step": n, **line}).encode() for line in lines])

    def _write(self, name: str, n: int, lines: Sequence[bytes]) -> None:
        if n <= self._last[name]:
            raise ValueError(f"step {n} comes after step {self._last[name]} in {name}")
        path = self.folder / name
        with writing(path), path.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        self._last[name] = n


@contextmanager
def begin(
    folder: Path, recipe: Recipe | Sft, *, data: str, steps: int, resume: bool
) -> Iterator[Record]:
    """Opens the folder for a new run, or to go on with the one that is in it from its last
    checkpoint. `data`: the hash of the data set; `steps`: how many there are to be. Of many
    processes that train together one alone calls this.

    UserError if there is a run and `resume` was not said, or none and it was; if the run is of
    another kind, recipe or data; if it is at its end, or another process writes it."""
    kind = recipe.algorithm if isinstance(recipe, Recipe) else "sft"
    if resume and not (folder / HEAD).is_file():
        raise UserError("holds no run to go on with", where=str(folder), mend="without --resume")
    if not resume:
        _check_empty(folder)
    with _locked(folder / METRICS):
        checkpoint, done = None, 0
        sessions: tuple[Session, ...] = ()
        if resume:
            was = read_head(folder)
            check_same(folder, was, recipe, kind, data, steps)
            checkpoint, done = cut(folder, recipe)
            sessions = was.sessions
        write_text(folder / RECIPE, as_yaml(recipe))
        head = Head(
            kind=kind,
            model=str(recipe.model),
            data=data,
            steps=steps,
            sessions=(*sessions, Session(step=done, versions=_versions())),
        )
        write_json(folder / HEAD, head.model_dump())
        yield Record(folder, head, checkpoint, done)


def reward_numbers(batch: Sequence[Scored]) -> dict[str, float]:
    """What a picture of a run needs of each step: `reward`, the mean over questions of the mean of
    their valid rollouts, and `reward_error`, its standard error over questions. Nothing of a batch
    without valid rollouts."""
    questions: dict[object, list[float]] = defaultdict(list)
    for each in batch:
        if each.valid:
            questions[each.question].append(each.reward)
    means = [sum(rewards) / len(rewards) for rewards in questions.values()]
    if not means:
        return {}
    error = deviation(means, 1) / sqrt(len(means)) if len(means) > 1 else 0.0
    return {"reward": sum(means) / len(means), "reward_error": error}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another forge is training here", where=str(path.parent), mend="wait for it to end"
            ) from None
        yield


def _check_empty(folder: Path) -> None:
    if (folder / HEAD).exists():
        mend = "go on with it by --resume, or remove it"
        raise UserError("holds a run already", where=str(folder), mend=mend)
    for name in (METRICS, SAMPLES, EVALUATION, CHECKPOINTS):
        path = folder / name
        if path.is_dir() or (path.is_file() and path.stat().st_size):
            raise UserError(f"holds {name} of no run", where=str(folder), mend="remove it")


def _rate(counts: Counts) -> dict[str, float]:
    return asdict(rate_of(list(counts.values())))


def _versions() -> dict[str, str]:
    found = {"forge": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
