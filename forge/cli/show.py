"""`forge show`: a data set, one of its environments, or one of its tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.dataset.folder import Dataset
    from forge.dataset.marks import Mark
    from forge.types.environment import Environment, Tool
    from forge.types.state import Column, Table
    from forge.types.task import Task


def show(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    name: Annotated[
        str | None, typer.Argument(metavar="ENV | TASK", help="An environment or a task's id.")
    ] = None,
    state: Annotated[
        bool, typer.Option("--state", help="Of a task: the whole initial and golden state.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a data set, an environment (tables, tools, what was left out) or a task."""
    from forge.cli.output import unknown
    from forge.dataset.folder import read_dataset
    from forge.dataset.marks import read_marks
    from forge.dataset.query import query

    found = read_dataset(dataset)
    if name is None:
        _show_dataset(found, json)
    elif name in found.names():
        _show_environment(found, found.environment(name), json)
    elif tasks := found.sequence(name):
        environment, marks = found.environment(tasks[0].env), read_marks(dataset)
        _show_tasks(environment, tasks, marks, name, state, json)
    else:
        ids = [id for (id,) in query(dataset, "select id from tasks order by id")]
        raise unknown("environment or task", name, [*found.names(), *ids], str(dataset))


def _show_dataset(dataset: Dataset, json: bool) -> None:
    from collections import Counter

    from forge.cli.output import print_heading, print_json, print_lines, print_table
    from forge.dataset.marks import read_marks

    manifest = dataset.manifest
    reviews = Counter(mark.review for mark in read_marks(dataset.folder).values())
    marked = {"good": reviews["good"], "bad": reviews["bad"]} if reviews else {}
    if json:
        print_json(manifest.model_dump(mode="json") | ({"marked": marked} if marked else {}))
        return
    counts = manifest.counts
    print_heading(f"tasks: {counts.tasks}, environments: {counts.environments}", gap=False)
    made = f"with seed {manifest.seed}" if manifest.seed is not None else "by hand"
    authors = ", ".join([*manifest.authors, *manifest.models])
    print_lines([f"made {made} by forge {manifest.forge}, author {authors}"])
    for title, numbers in (
        ("kinds", counts.kinds),
        ("difficulty", counts.bands),
        ("splits", counts.splits),
        ("marked", marked),
    ):
        if numbers:
            print_lines([f"{title}: {', '.join(f'{name} {n}' for name, n in numbers.items())}"])
    print_lines(f"from {name} (sha256 {digest[:12]})" for name, digest in manifest.sources.items())
    print_lines(
        f"{name} has the tools of {', '.join(entry.overlaps)}"
        for name, entry in manifest.environments.items()
        if entry.overlaps
    )
    for each in manifest.added:
        wanted = " ".join([each.difficulty or "", each.kind or ""]).strip()
        what = f"{sum(each.environments.values())} {wanted} tasks".replace("  ", " ")
        print_lines([f"{what} were added with seed {each.seed}"])
    print()
    print_table(
        ["environment", "title", "tables", "tools", "left out", "tasks"],
        [
            [name, entry.title, entry.tables, entry.tools, entry.left_out, entry.tasks]
            for name, entry in manifest.environments.items()
        ],
    )


def _show_environment(dataset: Dataset, environment: Environment, json: bool) -> None:
    from forge.cli.output import print_heading, print_json, print_lines
    from forge.dataset.files import compact
    from forge.dataset.hashes import environment_hash

    edited = dataset.edited(environment)
    if json:
        content = compact(environment)
        del content["bases"], content["source"]
        extra = {"hash": environment_hash(environment), "edited": edited}
        print_json(content | extra)
        return
    print_heading(
        f"{environment.name}: {environment.title}{' (edited)' if edited else ''}", gap=False
    )
    print_lines([f"author {environment.author}, from {environment.origin or 'no document'}"])
    print_lines([f"rules: {environment.rules}"] if environment.rules else [])
    if environment.overlaps:
        print_lines(
            [f"the tools of {', '.join(environment.overlaps)}: not to be trained on for it"]
        )
    for table in environment.state_schema.tables:
        sizes = ", ".join(str(len(b.get(table.name, {}))) for b in environment.bases.values())
        print_heading(f"table {table.name}, key {' / '.join(table.key)}, {sizes} records")
        print_lines(_column(table, column) for column in table.columns)
    print_heading("tools")
    for tool in environment.tools:
        print_lines(_tool(tool))
    if environment.made:
        print_heading("by a model")
        print_lines(
            f"{name}: {made.model}, prompt {made.prompt}, at try {made.tries}"
            + (f", held to {made.cases} example cases" if made.cases else "")
            for name, made in sorted(environment.made.items())
        )
    if environment.left_out:
        print_heading("left out")
        print_lines(f"{each.operation}: {each.reason}" for each in environment.left_out)


def _column(table: Table, column: Column) -> str:
    notes = [
        column.format or column.type,
        *(["key"] if column.name in table.key else []),
        *(["label"] if column.name == table.label else []),
        *([f"→ {column.references}"] if column.references else []),
        *([f"one of {', '.join(map(str, column.enum))}"] if column.enum else []),
        *(["unique"] if column.unique else []),
        *([f"made by the store ({column.generated})"] if column.generated else []),
        *([] if column.required or column.nullable else ["not null"]),
        *(["required"] if column.required else []),
    ]
    return f"{column.name}: {', '.join(notes)}"


def _tool(tool: Tool) -> list[str]:
    required = tool.parameters.get("required", [])
    arguments = ", ".join(
        name if name in required else f"{name}?" for name in tool.parameters.get("properties", {})
    )
    effect = "no declared effect"
    if tool.effect is not None:
        effect = f"{tool.effect.verb} {tool.effect.table}"
        cascades = tool.effect.cascades
        effect += f", takes along {', '.join(cascades)}" if cascades else ""
    return [f"{tool.name}({arguments})", f"  {tool.kind}: {effect}. {tool.description}"]


def _show_tasks(
    environment: Environment,
    tasks: tuple[Task, ...],
    marks: Mapping[str, Mark],
    id: str,
    state: bool,
    json: bool,
) -> None:
    """A task, or all of its sequence; as JSON itself alone, with the ids of all."""
    from forge.cli.output import print_heading
    from forge.dataset.states import played_in

    for number, task in enumerate(tasks, 1):
        ids = [each.id for each in tasks] if task.kind == "sequence" else []
        if json and task.id != id:
            continue
        if ids and not json:
            print_heading(f"{number} of {len(tasks)} in a sequence", gap=number > 1)
        mark = marks.get(task.id)
        _show_task(played_in(environment, task), task, mark, state, json, ids)


def _show_task(
    environment: Environment,
    task: Task,
    mark: Mark | None,
    state: bool,
    json: bool,
    ids: list[str],
) -> None:
    from forge.cli.output import print_heading, print_json, print_lines
    from forge.dataset.files import compact
    from forge.dataset.hashes import is_edited
    from forge.dataset.states import (
        call_text,
        differences,
        golden_state,
        initial_state,
        marked_states,
        named,
        node_text,
    )
    from forge.dataset.write import task_row

    before, after = initial_state(environment, task), golden_state(environment, task)
    schema = environment.state_schema
    if json:
        states = {"initial": before, "golden": after} if state else {}
        extra = {"edited": is_edited(task), "differences": differences(schema, before, after)}
        extra |= {"sequence": ids} if ids else {}
        extra |= {"mark": {"review": mark.review, "note": mark.note}} if mark else {}
        print_json(compact(task_row(task)) | extra | states)
        return
    edited = " (edited)" if is_edited(task) else ""
    print_heading(
        f"{task.id}: {task.kind}, {task.band}, {task.split}, {task.lang}{edited}", gap=False
    )
    if mark is not None:
        print_lines([f"marked {mark.review}{f': {mark.note}' if mark.note else ''}"])
    actor = ""
    if task.actor is not None and schema.actors is not None:
        actor = f", asked by {named(schema, schema.actors, str(task.actor), before)}"
    print_lines([f"environment {task.env}, base {task.base}, now {task.now}{actor}"])
    print_heading("question")
    print_lines([task.question])
    for how, made in (("worded", task.worded), ("wishes joined", task.merged)):
        if made is not None:
            print_lines([f"{how} by {made.model}, prompt {made.prompt}, try {made.tries}"])
    told = [f"{fact.about or fact.name}: {fact.text}" for fact in task.facts if fact.told]
    noted = [f"{fact.about or fact.name}: {fact.text}" for fact in task.facts if fact.noted]
    dues = [f"wish {due.wish}: {due.value}" for due in task.dues]
    calls = [call_text(call) for call in task.golden_calls]
    reports = [
        f"{name}: {'pass' if report.passed else f'FAIL, {report.reason}'}"
        for name, report in task.gates.items()
    ]
    sections = {
        "told when asked": told,
        "told before, and noted": noted,
        "must be told": dues,
        "plan": [node_text(node) for node in task.dag.nodes],
        "order": [f"{first} before {then}" for first, then in task.dag.orders],
        "golden calls": calls,
        "difference": differences(schema, before, after) or ["none"],
        "difficulty": [", ".join(f"{name} {number}" for name, number in task.difficulty.items())],
        "gates": reports,
        "state": marked_states(schema, before, after) if state else [],
    }
    for title, lines in sections.items():
        if lines:
            print_heading(title)
            print_lines(lines)
