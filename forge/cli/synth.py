"""`forge synth`: documents in, a verified data set out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from forge.cli.list import HOME
from forge.cli.options import Encoding, Json, ModelContext, OneDoc, Slots, Threads
from forge.errors import UserError

if TYPE_CHECKING:
    from forge.pipeline.report import Broken, DocumentReport, Made, Synthesis
    from forge.pipeline.synth import Progress

SIDE_BY_SIDE = 16
SHOWN = 5
"""Of each document: parts that were skipped, and reasons why operations were left out."""


def synth(
    running: typer.Context,
    docs: Annotated[
        list[Path], typer.Argument(help="API documents, and folders of them.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write into.", show_default="generated/NAME OF DOCS"),
    ] = None,
    tasks: Annotated[int, typer.Option(min=0, help="How many for each environment.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed, another data set.")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes at work.", show_default="one a processor"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from what is finished.")
    ] = True,
    sandbox: Annotated[
        Literal["monty", "native"],
        typer.Option(
            help="Where tools run that are not forge's own templates; these run native, once each"
            " was seen to do the same in both."
        ),
    ] = "monty",
    model: Annotated[
        str | None,
        typer.Option(
            envvar="FORGE_MODEL",
            help="A model at an OpenAI-compatible endpoint, or local:FILE.gguf, for the operations"
            " that rules leave out. A key in the environment alone turns none on.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Its address. A key comes from OPENAI_API_KEY.", envvar="OPENAI_BASE_URL"
        ),
    ] = None,
    lang: Annotated[
        Literal["en", "zh"],
        typer.Option(help="What the users speak. Chinese questions are for a model to write."),
    ] = "en",
    budget: Annotated[
        str | None,
        typer.Option(metavar="5usd|200ktok", help="What the model may cost; it stops before."),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Requests at a time.",
            show_default=f"{SIDE_BY_SIDE}; the --slots of a model from a file",
        ),
    ] = None,
    threads: Threads = None,
    slots: Slots = None,
    model_context: ModelContext = None,
    passes: Annotated[
        str | None,
        typer.Option(
            metavar="PASS,…",
            help="Of space, tools, edges, values, rules, stories, questions.",
            show_default="all",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Functions for one operation.")] = 5,
    repairs: Annotated[
        int, typer.Option(min=0, help="More of them, told what is wrong with the last.")
    ] = 1,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one request.")] = 300.0,
    cache: Annotated[
        Path, typer.Option(help="Where the model's answers are kept, so that none is paid twice.")
    ] = HOME / "answers.db",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the model may cost, and stop.")
    ] = False,
    preview: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Make N tasks of one environment, show them, and say what all would cost by that.",
        ),
    ] = None,
    one_doc: OneDoc = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Make environments and proven tasks from API documents."""
    from forge.cli.commission import (
        agree,
        announce,
        commission_of,
        heeding,
        show_estimates,
        show_preview,
    )
    from forge.cli.endpoints import reaching
    from forge.cli.output import print_json
    from forge.docs.encoding import known
    from forge.docs.read import read
    from forge.llm.local import SLOTS, files_of
    from forge.pipeline.commission import estimated
    from forge.pipeline.preview import previewed
    from forge.pipeline.report import as_json
    from forge.pipeline.synth import drafted, synthesise

    reader = partial(read, one_doc=one_doc, encoding=known(encoding))
    commission = None
    if model is not None:
        files = files_of((model,), threads=threads, slots=slots, context=model_context)
        endpoint = reaching(running, files, timeout)(model, base_url)
        most = concurrency or ((slots or SLOTS) if files else SIDE_BY_SIDE)
        commission = commission_of(endpoint, budget, most, samples, repairs, cache, lang, passes)
    elif lang != "en":
        raise UserError("a question in Chinese is for a model to write", mend="--model NAME")
    elif dry_run or budget is not None or preview is not None or passes is not None:
        raise UserError("nothing is spent without a model", mend="--model NAME")
    if commission is not None and dry_run:
        estimates = estimated(drafted(reader(docs)), commission, tasks)
        announce(commission, estimates)
        show_estimates(commission, estimates, json)
        return
    if commission is not None and preview is not None:
        found = previewed(
            docs,
            preview,
            tasks=tasks,
            seed=seed,
            commission=commission,
            reader=reader,
            agree=partial(agree, budget is not None),
            heed=heeding(),
        )
        show_preview(commission, found, json)
        return
    with _progress() as tell:
        made = synthesise(
            docs,
            out or HOME / _name(docs[0]),
            tasks=tasks,
            seed=seed,
            jobs=jobs or os.cpu_count() or 1,
            resume=resume,
            sandbox=sandbox,
            commission=commission,
            reader=reader,
            agree=partial(agree, budget is not None),
            heed=heeding(),
            tell=tell,
        )
    if json:
        print_json(as_json(made))
    else:
        _show(made)
    _complain(made)


def _name(docs: Path) -> str:
    """Of the data set: the folder's name, or the file's without its ending."""
    home = docs.resolve()
    return (home.name if home.is_dir() else home.stem) or "dataset"


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Tells on stderr what is finished: a bar at a terminal, else a line each."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda progress: typer.echo(
            f"{progress.done}/{progress.total} {progress.environment}: {_told(progress.result)}",
            err=True,
        )
        return
    columns = (
        TextColumn("making environments"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda progress: bar.update(task, total=progress.total, completed=progress.done)


def _told(result: Made | Broken) -> str:
    from forge.pipeline.report import Broken

    if isinstance(result, Broken):
        return "failed, by a bug of forge"
    report = result.report
    done = f"{report.implemented} of {report.operations} operations, {report.kept} tasks"
    return f"{done}, made earlier" if result.resumed else f"{done}, {result.total():.0f} s"


def _show(synthesis: Synthesis) -> None:
    from forge.cli.commission import compared, worked
    from forge.cli.output import print_lines, print_table
    from forge.pipeline.report import Made

    made = [result for result in synthesis.environments.values() if isinstance(result, Made)]
    rows = [
        [
            result.report.environment,
            result.report.document,
            result.report.operations,
            result.report.implemented,
            result.report.tables,
            result.report.kept,
            sum(result.report.refused.values()),
            "earlier" if result.resumed else f"{result.total():.0f}",
        ]
        for result in made
    ]
    headers = ["environment", "document", "operations", "tools", "tables", "tasks", "refused", "s"]
    print_table(headers, rows)
    tasks = sum(result.report.kept for result in made)
    environments = sum(result.report.implemented > 0 for result in made)
    for document in synthesis.documents:
        print_lines(_coverage(document, synthesis), indent="")
    if synthesis.model is not None:
        print_lines(worked(synthesis.model), indent="")
        print_lines(compared(synthesis), indent="")
    print_lines([f"{tasks} tasks in {environments} environments: {synthesis.folder}"], indent="")


def _coverage(document: DocumentReport, synthesis: Synthesis) -> Iterator[str]:
    """How much of a document became tools, and the main reasons why the rest did not."""
    from forge.pipeline.report import coverage

    found = coverage(document, synthesis)
    yield f"{document.document}: {found.implemented} of {found.operations} operations are tools"
    for reason, count in found.reasons[:SHOWN]:
        yield f"  {count} left out: {reason}"
    if more := sum(count for _, count in found.reasons[SHOWN:]):
        yield f"  {more} left out for other reasons: forge show {synthesis.folder} ENVIRONMENT"


def _complain(synthesis: Synthesis) -> None:
    """What was not understood, in few lines on stderr; exit 1 if forge itself failed."""
    from forge.cli.output import clean
    from forge.pipeline.report import Broken

    for document in synthesis.documents:
        if document.overlaps and document.environments:
            known = ", ".join(document.overlaps)
            text = (
                f"{document.document} has the tools of {known}: marked, not to be trained on for it"
            )
            typer.echo(clean(text), err=True)
        for part in document.skipped[:SHOWN]:
            typer.echo(clean(f"skipped {part.where}: {part.reason}"), err=True)
        if len(document.skipped) > SHOWN:
            more = len(document.skipped) - SHOWN
            typer.echo(clean(f"skipped {more} more in {document.document}: see --json"), err=True)
    broken = {
        name: result
        for name, result in synthesis.environments.items()
        if isinstance(result, Broken)
    }
    for name, bug in broken.items():
        typer.echo(f"forge: a bug kept {name} from being made\n{bug.traceback}", err=True)
    if broken:
        raise typer.Exit(1)
