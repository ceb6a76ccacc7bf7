"""Documents -> a verified data set, in the order of the stages.

Always holds: the bytes of the data set depend on the documents, the seed and the number of tasks
alone, not on processes, interruptions or the clock; what is finished is kept whatever happens to
the rest.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.dataset.files import remove
from forge.dataset.folder import environment_names
from forge.dataset.write import write_lines
from forge.docs.read import read
from forge.env.sandbox.sandbox import SandboxKind
from forge.errors import UserError
from forge.llm.model import Model
from forge.pipeline.commission import (
    Commission,
    Drafts,
    Engagement,
    Estimate,
    authored,
    estimated,
)
from forge.pipeline.output import (
    added_so_far,
    claim,
    forget_parts,
    has_environments,
    merged_lines,
    release,
    take_stock,
)
from forge.pipeline.passes import questions, stories
from forge.pipeline.passes.desk import Piece
from forge.pipeline.report import Broken, DocumentReport, Made, Synthesis
from forge.pipeline.telling import all_told
from forge.pipeline.unit import Unit, attempt
from forge.pipeline.wording import all_worded
from forge.pipeline.workers import run
from forge.types.doc import ApiDoc
from forge.types.environment import LeftOut
from forge.types.task import Lang


@dataclass(frozen=True, slots=True)
class Progress:
    """An environment is finished (or broken): `done` of `total` are."""

    done: int
    total: int
    environment: str
    result: Made | Broken


def synthesise(
    paths: Sequence[Path],
    out: Path,
    *,
    tasks: int,
    seed: int,
    jobs: int,
    resume: bool = True,
    sandbox: SandboxKind = "monty",
    commission: Commission | None = None,
    reader: Callable[[Sequence[Path]], list[ApiDoc]] = read,
    part: Callable[[Drafts], Drafts] = lambda drafts: drafts,
    agree: Callable[[Commission, dict[str, Estimate]], None] = lambda commission, estimates: None,
    heed: Callable[[Piece, Model], None] = lambda piece, model: None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Synthesis:
    """Writes the data set into `out`; `tasks` is a number per environment. `commission`: a model
    that adds to what rules can make; `reader`: how the documents are read; `part`: of what was
    made of these, that which is gone on with; `agree` is told what the model may cost, and raises
    if it is too much; `heed` hears of each piece that it was asked for.

    Raises a `UserError` where nothing can be made or `out` cannot be written: what was finished by
    then stays, and the same call goes on from there.
    """
    start = perf_counter()
    found = reader(paths)
    read_at = perf_counter()
    drafts = part(drafted(found))
    docs = [doc for doc, _ in drafts]
    with ExitStack() as stack:
        engagement: Engagement | None = None
        if commission is not None:
            agree(commission, estimated(drafts, commission, tasks))
            engagement = stack.enter_context(Engagement(commission, seed=seed, tell=heed))
            drafts = engagement.run(partial(authored, drafts, commission))
        lang = "en" if commission is None else commission.lang
        documents, units = _plan(drafts, tasks, seed, lang)
        if not units:
            raise _nothing_made(docs, [left for report in documents for left in report.left_out])
        drafted_at = perf_counter()
        with claim(out):
            try:
                results = _make_all(units, out, jobs, resume, sandbox, tell, engagement)
            finally:
                release(out)
        reports = [result.report for result in results.values() if isinstance(result, Made)]
        if len(reports) == len(results) and not any(report.implemented for report in reports):
            raise _nothing_made(docs, [left for report in reports for left in report.left_out])
        ended_at = perf_counter()
        seconds = {
            "read": read_at - start,
            "draft": drafted_at - read_at,
            "make": ended_at - drafted_at,
            "all": ended_at - start,
        }
        done = None if engagement is None else engagement.done()
    return Synthesis(out, documents, results, seconds, done)


def drafted(docs: Sequence[ApiDoc]) -> list[tuple[ApiDoc, list[Draft]]]:
    """What rules make of each document."""
    author = StructuralAuthor()
    return [(doc, author.draft(doc)) for doc in docs]


def _nothing_made(docs: Sequence[ApiDoc], left: Sequence[LeftOut]) -> UserError:
    return UserError(
        f"no operation could be made into a tool; {left[0].operation}: {left[0].reason}",
        where=", ".join(doc.source for doc in docs),
        mend="the README says what forge can understand",
    )


def _plan(
    drafts: Drafts, tasks: int, seed: int, lang: Lang
) -> tuple[tuple[DocumentReport, ...], list[Unit]]:
    """What each document gives, and the environments to make, each with a name of its own."""
    taken: set[str] = set()
    reports: list[DocumentReport] = []
    units: list[Unit] = []
    for doc, several in drafts:
        names: list[str] = []
        left: list[LeftOut] = []
        for draft in several:
            if not draft.tools:
                left += draft.left_out
                continue
            name = _free_name(draft.name, taken)
            taken.add(name)
            names.append(name)
            named = replace(draft, name=name)
            units.append(Unit(named, doc.source, doc.sha256, seed, tasks, lang, doc.overlaps))
        reports.append(
            DocumentReport(
                doc.source,
                doc.title,
                len(doc.operations),
                tuple(names),
                tuple(left),
                doc.skipped,
                doc.overlaps,
            )
        )
    return tuple(reports), units


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _make_all(
    units: Sequence[Unit],
    out: Path,
    jobs: int,
    resume: bool,
    sandbox: SandboxKind,
    tell: Callable[[Progress], None],
    engagement: Engagement | None,
) -> dict[str, Made | Broken]:
    """Makes what is not finished yet, has the model, if there is one, join wishes and word
    the questions, then merges the tasks; the results by environment, in the order of the units."""
    wanted = {unit.draft.name: unit.inputs() for unit in units}
    finished = take_stock(out, wanted, resume=resume)
    results: dict[str, Made | Broken] = {}

    def note(name: str, result: Made | Broken) -> None:
        results[name] = result
        tell(Progress(len(results), len(units), name, result))

    for name, report in finished.items():
        note(name, Made(report, resumed=True))
    calls = {
        unit.draft.name: partial(attempt, unit, out, sandbox)
        for unit in units
        if unit.draft.name not in finished
    }
    try:
        for name, result in run(calls, jobs):
            note(name, result)
        if engagement is not None and units[0].tasks:
            made, has = environment_names(out), engagement.commission.has
            if has(stories.USE):
                engagement.run(partial(all_told, out, made, sandbox, units[0].seed))
            if has(questions.USE):
                lost = engagement.run(partial(all_worded, out, made, sandbox))
                results = {
                    name: _without(each, lost.get(name, 0)) for name, each in results.items()
                }
        if has_environments(out):
            sources = {unit.document: unit.sha256 for unit in units}
            added = added_so_far(out)
            remove(out / "dataset.json")
            write_lines(
                out,
                merged_lines(out),
                into=out,
                seed=units[0].seed,
                models=sorted({each.model for unit in units for each in unit.draft.made.values()}),
                sources=sources,
                added=added,
            )
            forget_parts(out)
    except UserError as error:
        again = "what is finished is kept: mend that and run the same command again"
        raise UserError(error.what, where=error.where, mend=error.mend or again) from None
    return {name: results[name] for name in wanted}


def _without(result: Made | Broken, lost: int) -> Made | Broken:
    """What was made, without the tasks that have no words in the language that is asked for."""
    if isinstance(result, Broken) or not lost:
        return result
    kept, refused = result.report.kept - lost, {**result.report.refused, "question": lost}
    report = result.report.model_copy(update={"kept": kept, "refused": refused})
    return replace(result, report=report)
