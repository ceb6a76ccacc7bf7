"""The unit of work: one environment, from its draft to its proven tasks.

Always holds: what is made is a pure function of the unit; the same unit gives the same bytes in any
process, on any machine.
"""

import hashlib
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from forge import __version__
from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.dataset.files import compact, json_text
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.errors import CannotWrite
from forge.gates.keep import Tally, kept_tasks
from forge.pipeline.output import Product, put, put_tasks
from forge.pipeline.report import Broken, EnvironmentReport, Made
from forge.synth.build import build
from forge.synth.check import AGREED, ToolCheck
from forge.tasks.dags.graph import tool_graph
from forge.types.environment import Environment, ToolGraph
from forge.types.task import Lang


@dataclass(frozen=True, slots=True)
class Unit:
    """Everything that decides what the environment and its tasks become."""

    draft: Draft
    document: str
    sha256: str
    """Of the document."""
    seed: int
    tasks: int
    """How many to make."""
    lang: Lang = "en"
    """What its users are to speak."""
    overlaps: tuple[str, ...] = ()
    """Known benchmarks whose tools the document's are."""

    def inputs(self) -> str:
        """A hash of all of it, and of forge's version."""
        draft = self.draft
        parts = [
            __version__,
            self.document,
            self.sha256,
            self.seed,
            self.tasks,
            draft.name,
            draft.title,
            compact(draft.state_schema),
            compact(draft.tools),
            draft.sources,
            compact(draft.left_out),
            self.overlaps,
            draft.author,
            {name: compact(each) for name, each in draft.made.items()},
            draft.rules,
            *([self.lang, draft.words] if self.lang != "en" else []),
        ]
        return hashlib.sha256(json_text(parts, sort=True).encode()).hexdigest()


def attempt(unit: Unit, out: Path, sandbox: SandboxKind) -> Made | Broken:
    """Makes the environment and puts it into `out`; only `CannotWrite` is raised."""
    stages = Stages()
    try:
        product = _make(unit, out, sandbox, stages)
    except CannotWrite:
        raise
    except Exception:  # a bug of ours in one environment: reported, and the others go on
        return Broken(traceback.format_exc())
    if product.environment.tools:
        with stages.timed("write"):
            put(out, unit.inputs(), product)
    return Made(product.report, stages.seconds)


def _make(unit: Unit, out: Path, sandbox: SandboxKind, stages: "Stages") -> Product:
    with stages.timed("build"):
        built, checks = build(unit.draft, StructuralAuthor(), seed=unit.seed)
        origin = f"{unit.document} sha256:{unit.sha256}"
        # As it will be read back: authors copy models, and a copy's values are not coerced.
        beside = {"origin": origin, "overlaps": unit.overlaps}
        environment = Environment.model_validate(built.model_dump() | beside)
    with stages.timed("graph"):
        graph = tool_graph(environment)
    tally = Tally()
    if environment.tools:
        kind: SandboxKind = "native" if _agreed(environment, checks) else sandbox
        with stages.timed("tasks"), World(environment, sandbox=kind, workers=1) as world:
            found = kept_tasks(world, graph, count=unit.tasks, seed=unit.seed, tally=tally)
            put_tasks(out, environment.name, found)
    report = _report(unit, environment, checks, graph, tally)
    return Product(report, environment, graph, checks)


def _agreed(environment: Environment, checks: Mapping[str, ToolCheck]) -> bool:
    """Whether the tools are forge's own templates, and each was seen to do the same in both
    sandboxes: then the faster one may run them. What comes from a model or from disk never is."""
    return environment.author == "structural" and all(
        checks[tool.name].checks.get(AGREED) == "pass" for tool in environment.tools
    )


def _report(
    unit: Unit,
    environment: Environment,
    checks: Mapping[str, ToolCheck],
    graph: ToolGraph,
    tally: Tally,
) -> EnvironmentReport:
    return EnvironmentReport(
        environment=environment.name,
        document=unit.document,
        operations=len(environment.tools) + len(environment.left_out),
        implemented=len(environment.tools),
        left_out=environment.left_out,
        by_model=sum(name.startswith("tools/") for name in environment.made),
        checked=sum(checks[tool.name].passed for tool in environment.tools),
        tables=len(environment.state_schema.tables),
        edges=len(graph.edges),
        walks=tally.walks,
        proposed=tally.proposed,
        kept=tally.kept,
        unfit=dict(sorted(tally.unfit.items())),
        refused=dict(sorted(tally.refused.items())),
    )


class Stages:
    """How long each stage took, in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = perf_counter() - start
