"""The page of an environment: from the document, operation by operation, to tables, tools, what
their checks said, and the graph of what can follow what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.browse.drawing import Box, Drawing, Entry, draw
from forge.browse.files import environment_at, optional
from forge.browse.page import Asked, Missing, Names, Page, Values
from forge.browse.things import Site, Thing
from forge.dataset.environments import read_checks, read_graph
from forge.dataset.files import SAFE_NAME
from forge.dataset.folder import environment_folder, read_dataset
from forge.types.data import Json
from forge.types.environment import Edge, Environment, Tool
from forge.types.state import Column, Table

SHOWN = 7
"""Columns of a table that are drawn, beside keys and references."""
ELSEWHERE = "no table"


@dataclass(frozen=True, slots=True)
class Operation:
    """`tool`: what became of it, or `reason`: why nothing did."""

    operation: str
    tool: str = ""
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks said of one tool; `failed`: check -> why."""

    passed: bool
    checks: Mapping[str, str]
    mutants: int
    killed: int


@dataclass(frozen=True, slots=True)
class ToolShown:
    """`takes`: argument -> tools that show such a value; `gives`: tools that take what it shows."""

    tool: Tool
    source: str
    checked: Checked | None
    made: str
    takes: Mapping[str, tuple[str, ...]]
    gives: tuple[str, ...]


def show(asked: Asked) -> Values:
    folder, name = asked.thing.path, asked.names["env"]
    dataset = read_dataset(folder)
    if name not in dataset.names():
        raise Missing(f"there is no environment {name!r} in {asked.thing.name}")
    environment = environment_at(folder, name)
    home = environment_folder(folder, name)
    graph, graph_note = optional(read_graph, home)
    checks, checks_note = optional(read_checks, home)
    edges = graph.edges if graph else ()
    source, _, digest = environment.origin.partition(" ")
    return {
        "title": environment.title,
        "environment": environment,
        "edited": dataset.edited(environment),
        "source": source,
        "digest": digest.removeprefix("sha256:"),
        "notes": [note for note in (graph_note, checks_note) if note],
        "operations": _operations(environment),
        "tables": environment.state_schema.tables,
        "sizes": {
            table.name: [len(base.get(table.name, {})) for base in environment.bases.values()]
            for table in environment.state_schema.tables
        },
        "column_notes": column_notes,
        "space": _space(environment),
        "graph": _graph(environment, edges),
        "edges": len(edges),
        "tools": _tools(environment, edges, checks.tools if checks else {}),
    }


def _every(site: Site, thing: Thing) -> Iterable[Names]:
    return [{"env": n} for n in read_dataset(thing.path).names() if SAFE_NAME.fullmatch(n)]


def _operations(environment: Environment) -> list[Operation]:
    """What was left out, then the tools, by path: no order of a document is kept."""
    made = [Operation(t.operation or t.name, t.name, t.kind) for t in environment.tools]
    left = [Operation(each.operation, reason=each.reason) for each in environment.left_out]
    return [*sorted(left, key=_place), *sorted(made, key=_place)]


def _place(operation: Operation) -> tuple[str, str]:
    path = next((w.strip("()") for w in operation.operation.split() if "/" in w), "")
    return path or operation.operation, operation.operation


def column_notes(table: Table, column: Column) -> list[str]:
    """What is special about it, in words."""
    return [
        *(["key"] if column.name in table.key else []),
        *(["label"] if column.name == table.label else []),
        *([f"→ {column.references}"] if column.references else []),
        *([f"one of {', '.join(map(str, column.enum))}"] if column.enum else []),
        *(["unique"] if column.unique else []),
        *([f"made by the store ({column.generated})"] if column.generated else []),
        *(["required"] if column.required else []),
        *(["null is allowed"] if column.nullable and column.required else []),
    ]


def _space(environment: Environment) -> Drawing:
    """Tables and what refers to what, the referring ones on the left."""
    tables = environment.state_schema.tables
    arrows: dict[tuple[str, str], str] = {}
    for table in tables:
        for column in table.columns:
            for target in _references(column):
                told = arrows.get((table.name, target))
                arrows[table.name, target] = f"{told}, {column.name}" if told else column.name
        if table.parent is not None:
            arrows.setdefault((table.name, table.parent.table), ", ".join(table.parent.columns))
    known = {table.name for table in tables}
    arrows = {line: label for line, label in arrows.items() if line[1] in known}
    boxes = [
        Box(table.name, table.name, tuple(_entries(table)), address=f"#table-{table.name}")
        for table in tables
    ]
    return draw("Tables and references between them", boxes, arrows, across=True)


def _references(column: Column) -> list[str]:
    """The tables that it, or anything in it, refers to."""
    inner = [*column.properties, *filter(None, (column.items, column.values))]
    own = [column.references] if column.references else []
    return list(dict.fromkeys([*own, *(name for each in inner for name in _references(each))]))


def _entries(table: Table) -> Iterable[Entry]:
    plain = 0
    for column in table.columns:
        targets = _references(column)
        if column.name in table.key:
            more = f" → {', '.join(targets)}" if targets else ""
            yield Entry(f"{column.name}{more}", "key")
        elif targets:
            yield Entry(f"{column.name} → {', '.join(targets)}", "reference")
        else:
            plain += 1
            if plain <= SHOWN:
                yield Entry(f"{column.name}: {column.format or column.type}", "soft")
    if plain > SHOWN:
        yield Entry(f"and {plain - SHOWN} more", "soft")


def table_of(tool: Tool) -> str:
    return tool.effect.table if tool.effect is not None else ELSEWHERE


def _graph(environment: Environment, edges: Iterable[Edge]) -> Drawing:
    """Tools by the table that they are about, reads before writes; an arrow between tables where a
    tool of the one shows what a tool of the other takes. From tool to tool it is `leads`."""
    homes = {tool.name: table_of(tool) for tool in environment.tools}
    leads: dict[str, dict[str, None]] = {name: {} for name in homes}
    columns: dict[tuple[str, str], dict[str, None]] = {}
    for edge in edges:
        if edge.source in homes and edge.target in homes:
            leads[edge.source][edge.target] = None
            line = homes[edge.source], homes[edge.target]
            columns.setdefault(line, {})[edge.why] = None
    boxes = []
    for table in dict.fromkeys(homes.values()):
        tools = [tool for tool in environment.tools if homes[tool.name] == table]
        entries = [
            Entry(tool.name, tool.kind, f"#tool-{tool.name}", tool.name, tuple(leads[tool.name]))
            for kind in ("read", "write")
            for tool in tools
            if tool.kind == kind
        ]
        boxes.append(Box(table, table, tuple(entries)))
    arrows = {line: ", ".join(found) for line, found in columns.items()}
    return draw("Tools, by table, and what can follow what", boxes, arrows, across=True)


def _tools(
    environment: Environment, edges: Iterable[Edge], checks: Mapping[str, Json]
) -> list[ToolShown]:
    takes: dict[str, dict[str, dict[str, None]]] = {}
    gives: dict[str, dict[str, None]] = {}
    for edge in edges:
        takes.setdefault(edge.target, {}).setdefault(edge.argument, {})[edge.source] = None
        gives.setdefault(edge.source, {})[edge.target] = None
    sources = _sources(environment.source)
    return [
        ToolShown(
            tool,
            sources.get(tool.name, ""),
            _checked(checks.get(tool.name)),
            _made(environment, tool),
            {argument: tuple(found) for argument, found in takes.get(tool.name, {}).items()},
            tuple(gives.get(tool.name, {})),
        )
        for tool in environment.tools
    ]


def _sources(source: str) -> dict[str, str]:
    """Function -> its text, from its `def` to the next, as it stands there."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in source.splitlines():
        if line.startswith("def "):
            name = line[4:].partition("(")[0].strip()
        elif line and not line[0].isspace() and not line.startswith(")"):
            name = ""
        if name:
            found.setdefault(name, []).append(line)
    return {name: "\n".join(lines).rstrip() for name, lines in found.items()}


def _checked(report: Json) -> Checked | None:
    """None for a tool that was not checked, or of which the file says something else."""
    if not isinstance(report, dict) or not isinstance(report.get("checks"), dict):
        return None
    numbers = [report.get(name, 0) for name in ("mutants", "killed")]
    mutants, killed = (each if isinstance(each, int) else 0 for each in numbers)
    checks = {str(name): str(said) for name, said in report["checks"].items()}
    return Checked(report.get("passed") is True, checks, mutants, killed)


def _made(environment: Environment, tool: Tool) -> str:
    made = environment.made.get(f"tools/{tool.name}")
    return f"by {made.model}, prompt {made.prompt}, at try {made.tries}" if made else ""


PAGES = (Page("dataset", "{thing}/environments/{env}.html", "environment.html.j2", show, _every),)
