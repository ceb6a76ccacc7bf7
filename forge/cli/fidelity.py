"""`forge fidelity`: a generated environment beside a hand-written one with the same tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.options import Json, Sandbox
from forge.errors import UserError

if TYPE_CHECKING:
    from forge.fidelity.report import Fidelity, OfTool

DRAWN = 20


def fidelity(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="ENVIRONMENT", help="An environment's folder, or a data set's that has one."
        ),
    ],
    against: Annotated[
        str,
        typer.Option(
            metavar="BENCHMARK:DOMAIN",
            help="The reference: tau-bench:retail, bfcl:TicketAPI, acebench:en and so on.",
        ),
    ],
    root: Annotated[
        Path,
        typer.Option(help="Your checkout of it, whose code runs in this process: trust it first."),
    ],
    number: Annotated[
        int | None,
        typer.Option("-n", min=1, help="Only its first so many tasks.", show_default="all of them"),
    ] = None,
    drawn: Annotated[
        int, typer.Option(min=0, help="Random valid calls of each tool, beside its authors'.")
    ] = DRAWN,
    sandbox: Sandbox = "monty",
    json: Json = False,
) -> None:
    """Make the same calls on an environment and on a benchmark's own, from the same state, and say
    tool by tool whether results, changes and refusals are the same."""
    from forge.cli.output import print_json
    from forge.dataset.environments import read_environment
    from forge.dataset.folder import environment_folder, environment_names
    from forge.fidelity.against import reference_at
    from forge.fidelity.replay import replay

    names = environment_names(folder)
    if len(names) > 1:
        folders = ", ".join(str(environment_folder(folder, name)) for name in names)
        raise UserError("a data set of several", where=str(folder), mend=f"say which: {folders}")
    where = environment_folder(folder, names[0]) if names else folder
    environment = read_environment(where)
    with reference_at(against, root) as reference:
        found = replay(environment, reference, sandbox=sandbox, scenarios=number, drawn=drawn)
    if json:
        print_json(as_json(found))
    else:
        show(found)


def show(found: Fidelity) -> None:
    """A table of the tools that were compared, those that were not and why, and what is mapped."""
    from forge.cli.output import print_heading, print_lines, print_table

    compared = found.compared
    lines = [
        f"{found.environment} beside {found.reference}: {found.covered} of {len(found.tools)} tools"
        f" covered, {len(compared)} compared, over {found.scenarios} tasks",
        f"checkout: commit {found.commit[:12] or 'unknown (no .git there)'}, hash {found.digest}",
    ]
    print_lines(lines, indent="")
    if compared:
        print()
        print_table(
            ["tool", "calls", "refusal", "result", "alike", "change", "same", "broke"],
            [row for tool in compared for row in _rows(tool)],
        )
    firsts = [(tool.name, tool.first) for tool in compared if tool.first is not None]
    if firsts:
        print_heading("the first call of each that differs")
        for name, first in firsts:
            drawn = ", random" if first.drawn else ""
            print_lines(
                [
                    f"{name}({_short(dict(first.arguments))}), {first.part}: {first.why}",
                    f"  reference    {_short(first.theirs)}",
                    f"  environment  {_short(first.ours)}",
                    f"  in {first.scenario}{drawn}",
                ]
            )
    left = [tool for tool in found.tools if tool.why]
    if left:
        print_heading("not compared")
        print_lines(
            f"{tool.name} ({'covered' if tool.covered else 'left out'}, {tool.gold} calls):"
            f" {tool.why}"
            for tool in left
        )
    print_heading("records")
    print_lines(_records(found))


def _rows(tool: OfTool) -> list[list[object]]:
    return [
        [
            f"{tool.name}{how}",
            tally.calls,
            f"{tally.refusal} of {tally.calls}",
            f"{tally.result} of {tally.answered}",
            tally.alike,
            f"{tally.change} of {tally.calls}",
            f"{tally.same} of {tally.calls}",
            tool.bugs if not how else "",
        ]
        for how, tally in (("", tool.golden), (" (random)", tool.drawn))
        if tally.calls or not how
    ]


def _records(found: Fidelity) -> list[str]:
    lines = [f"{table}: {place}" for table, place in found.tables.items()]
    lines += [f"{table}: not mapped: {why}" for table, why in found.absent.items()]
    for table, columns in found.without.items():
        if columns:
            lines.append(f"{table}: the reference has nothing like {', '.join(columns)}")
    for table, fields in found.beside.items():
        if fields:
            lines.append(f"{table}: has no column for {', '.join(fields)}")
    for tool in found.compared:
        for name, count in tool.beside.items():
            lines.append(f"{tool.name} also changes {name} in the reference, {count} times")
        if tool.unloaded:
            lines.append(
                f"{tool.name}: {tool.unloaded} calls on records that do not load:"
                f" {tool.unloaded_why}"
            )
    lines.append(f"who acts: {found.actor or 'nobody that the reference names'}")
    return lines


def _short(value: object) -> str:
    from forge.env.identity import shown

    return shown(value, 160)


def as_json(found: Fidelity) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(found), "covered": found.covered, "compared": len(found.compared)}
