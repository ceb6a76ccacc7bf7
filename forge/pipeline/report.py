"""What became of each document and environment, for the terminal and for `--json`.

Always holds: an `EnvironmentReport` is the same for the same inputs, so it can lie in the data set;
seconds are kept apart from it.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path

from forge.dataset.folder import read_dataset
from forge.pipeline.commission import Done
from forge.pipeline.reasons import grouped
from forge.types.data import Data, Json
from forge.types.doc import Skipped
from forge.types.environment import LeftOut


class EnvironmentReport(Data):
    environment: str
    document: str
    operations: int
    """Read from the document for this environment: implemented and left out."""
    implemented: int
    left_out: tuple[LeftOut, ...]
    by_model: int = 0
    """Tools that a model wrote."""
    checked: int
    """Tools that passed their checks."""
    tables: int
    edges: int
    walks: int
    proposed: int
    kept: int
    unfit: dict[str, int]
    """Why walks came to no proposal, and how many."""
    refused: dict[str, int]
    """Gate -> how many proposed tasks it refused."""


@dataclass(frozen=True, slots=True)
class Made:
    """An environment that is finished. `resumed`: by an earlier run."""

    report: EnvironmentReport
    seconds: dict[str, float] = field(default_factory=dict)
    resumed: bool = False

    def total(self) -> float:
        return sum(self.seconds.values())


@dataclass(frozen=True, slots=True)
class Broken:
    """A bug of forge kept an environment from being made."""

    traceback: str


@dataclass(frozen=True, slots=True)
class DocumentReport:
    document: str
    title: str
    operations: int
    environments: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    """All its operations, if it has no environment."""
    skipped: tuple[Skipped, ...]
    overlaps: tuple[str, ...] = ()
    """Known benchmarks whose tools these are."""


@dataclass(frozen=True, slots=True)
class Synthesis:
    """One run of `forge synth`."""

    folder: Path
    documents: tuple[DocumentReport, ...]
    environments: dict[str, Made | Broken]
    seconds: dict[str, float]
    model: Done | None = None
    """What a model did for it."""


@dataclass(frozen=True, slots=True)
class Gains:
    """Tools by author; of the kept `tasks`, those that a model has `touched`: with a tool of its
    in the golden way, wishes that it put together, or its words; `tokens`: of all it was asked,
    kept answers included."""

    by_rules: int
    by_model: int
    tasks: int
    touched: int
    tokens: int


def gains(synthesis: Synthesis) -> Gains:
    """What each author gave to the data set, which lies in its folder."""
    data = read_dataset(synthesis.folder)
    own: dict[str, set[str]] = {}
    tools = 0
    for name in data.manifest.environments:
        environment = data.environment(name)
        made = {key.partition("/")[2] for key in environment.made if key.startswith("tools/")}
        own[name], tools = made, tools + len(environment.tools)
    tasks = touched = 0
    for task in data.tasks():
        tasks += 1
        used = {call.tool for call in task.golden_calls} & own.get(task.env, set())
        touched += bool(used or task.worded is not None or task.merged is not None)
    tallies = () if synthesis.model is None else synthesis.model.tallies.values()
    tokens = sum(each.used.tokens + each.kept.tokens for each in tallies)
    by_model = sum(map(len, own.values()))
    return Gains(tools - by_model, by_model, tasks, touched, tokens)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one document, over all its environments."""

    operations: int
    implemented: int
    reasons: tuple[tuple[str, int], ...]
    """Why the others are no tools, and how many; most first, names left open."""


def coverage(document: DocumentReport, synthesis: Synthesis) -> Coverage:
    """An operation that is a tool of one environment and not of another is left out."""
    reasons = {left.operation: left.reason for left in document.left_out}
    for name in document.environments:
        made = synthesis.environments[name]
        if isinstance(made, Made):
            reasons |= {left.operation: left.reason for left in made.report.left_out}
    implemented = max(0, document.operations - len(reasons))
    return Coverage(document.operations, implemented, tuple(grouped(reasons.values())))


def as_json(synthesis: Synthesis) -> Json:
    return {
        "dataset": str(synthesis.folder),
        "documents": [
            {
                "document": document.document,
                "title": document.title,
                "operations": document.operations,
                "environments": list(document.environments),
                "overlaps": list(document.overlaps),
                **_covered(coverage(document, synthesis)),
                "left_out": [left.model_dump(mode="json") for left in document.left_out],
                "skipped": [
                    {"where": part.where, "reason": part.reason} for part in document.skipped
                ],
            }
            for document in synthesis.documents
        ],
        "environments": [
            _environment(name, result) for name, result in synthesis.environments.items()
        ],
        "model": None if synthesis.model is None else _modelled(synthesis, synthesis.model),
        "seconds": _rounded(synthesis.seconds),
    }


def _modelled(synthesis: Synthesis, done: Done) -> Json:
    found = gains(synthesis)
    each: dict[str, Json] = {}
    if found.tasks:
        usd = None if done.usd is None else done.usd / found.tasks
        each = {"tokens": round(found.tokens / found.tasks), "usd": usd}
    return {**done.as_json(), "gains": asdict(found), "per_task": each}


def _covered(covered: Coverage) -> dict[str, Json]:
    reasons: list[Json] = [{"reason": text, "count": count} for text, count in covered.reasons]
    return {"implemented": covered.implemented, "reasons": reasons}


def _environment(name: str, result: Made | Broken) -> Json:
    if isinstance(result, Broken):
        return {"environment": name, "broken": result.traceback}
    extra = {"resumed": result.resumed, "seconds": _rounded(result.seconds)}
    return result.report.model_dump(mode="json") | extra


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {stage: round(value, 2) for stage, value in seconds.items()}
