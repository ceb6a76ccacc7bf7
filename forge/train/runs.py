"""Runs of training as they lie on disk: the folder of one, read.

    RUN/recipe.yaml       as resolved
    RUN/run.json          what it was of: kind, data, model, versions
    RUN/metrics.jsonl     {"step": 3, "reward": 0.4, ...}
    RUN/samples.jsonl     {"step": 20, "task": ..., "reward": ..., "trajectory": {...}}
    RUN/evaluation.jsonl  {"step": 20, "value": ..., "environments": {...}}
    RUN/checkpoints/      checkpoint-20/, ...

Always holds: steps count batches of rollouts from 1, and an evaluation before the first is step 0;
the lines of a file are in their order; a run can be read while it is written, and a line that is
not finished is passed over.
"""

import fcntl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from forge.dataset.files import parse_json, parse_model, read_text
from forge.dataset.rates import Rate, rate_of
from forge.errors import UserError
from forge.types.data import Data, Json

FORMAT = 1
HEAD, RECIPE = "run.json", "recipe.yaml"
METRICS, SAMPLES, EVALUATION = "metrics.jsonl", "samples.jsonl", "evaluation.jsonl"
CHECKPOINTS = "checkpoints"
LAST = 10
"""Steps whose mean reward is that of the end."""

Counts = Mapping[str, tuple[int, int]]
"""Task -> how many attempts passed, of how many."""


class Session(Data):
    """One process that worked on the run, from behind `step` on."""

    step: int
    versions: dict[str, str]


class Head(Data):
    """`steps`: how many there are to be; `finished`: whether it came to its end."""

    format: int = FORMAT
    kind: str
    model: str
    data: str
    """The hash of the data set."""
    steps: int
    sessions: tuple[Session, ...]
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How held-out tasks went with the weights after `step`, by environment."""

    step: int
    environments: Mapping[str, Counts]

    @property
    def tasks(self) -> Counts:
        return {task: of for counts in self.environments.values() for task, of in counts.items()}

    @property
    def rate(self) -> Rate:
        return rate_of(list(self.tasks.values()))


@dataclass(frozen=True, slots=True)
class Run:
    """`recipe`: its keys as `--set` names them. `running`: whether a process is at work on it.
    `metrics`: of each step, in order."""

    folder: Path
    head: Head
    recipe: Mapping[str, Json]
    running: bool
    metrics: tuple[Mapping[str, Json], ...]
    evaluations: tuple[Evaluation, ...]

    @property
    def steps(self) -> int:
        return self.metrics[-1]["step"] if self.metrics else 0

    @property
    def state(self) -> str:
        if self.head.finished:
            return "done"
        return f"{'running, at' if self.running else 'stopped at'} step {self.steps}"

    def mean(self, name: str, last: int = 0) -> float | None:
        """Of a number over the last so many steps, 0: all; None where no step has it."""
        values = [each[name] for each in self.metrics[-last:] if each.get(name) is not None]
        return sum(values) / len(values) if values else None


def runs_in(folder: Path) -> list[Path]:
    """The folders of the runs in it, itself or below, by name. UserError if it cannot be read."""
    if (folder / HEAD).is_file():
        return [folder]
    try:
        inside = sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(folder)) from None
    return [run for each in inside if not each.is_symlink() for run in runs_in(each)]


def read_run(folder: Path) -> Run:
    """UserError if there is none, or it holds what forge did not write."""
    if not (folder / HEAD).is_file():
        raise UserError(f"is no run: it has no {HEAD}", where=str(folder))
    head = read_head(folder)
    return Run(
        folder,
        head,
        flat(read_recipe_of(folder)),
        not head.finished and is_written(folder),
        tuple(row for _, _, row in read_lines(folder / METRICS)),
        tuple(_evaluation(folder, row) for _, _, row in read_lines(folder / EVALUATION)),
    )


def _evaluation(folder: Path, row: dict[str, Json]) -> Evaluation:
    try:
        environments = {
            env: {task: (passed, attempts) for task, (passed, attempts) in of["tasks"].items()}
            for env, of in row["environments"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        where = str(folder / EVALUATION)
        raise UserError(f"step {row['step']} is no evaluation", where=where) from None
    return Evaluation(row["step"], environments)


def read_recipe_of(folder: Path) -> dict[str, Json]:
    """As it stands there, unchecked."""
    path = folder / RECIPE
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError:
        content = None
    if not isinstance(content, dict):
        raise UserError("is no recipe any more", where=str(path))
    return content


def read_head(folder: Path) -> Head:
    path = folder / HEAD
    content = parse_json(read_text(path), str(path))
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise UserError(f"format {found!r}, but this forge reads format {FORMAT}", where=str(path))
    return parse_model(Head, content, str(path))


def read_lines(path: Path) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """The lines that are whole: step, where it ends in bytes, content. Nothing if there is no file;
    UserError for a line that is none of a run's."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                where = f"{path}:{number}"
                row = parse_json(line.decode("utf-8", "replace"), where)
                if not (isinstance(row, dict) and isinstance(row.get("step"), int)):
                    raise UserError("has no `step`", where=where)
                yield row["step"], file.tell(), row
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


def is_written(folder: Path) -> bool:
    """Whether a process is at work on the run."""
    try:
        with (folder / METRICS).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def flat(values: Mapping[str, Json], before: str = "") -> dict[str, Json]:
    """A recipe's keys as `--set` names them, in its order."""
    found: dict[str, Json] = {}
    for name, value in values.items():
        inside = isinstance(value, dict)
        found |= flat(value, f"{before}{name}.") if inside else {before + name: value}
    return found
