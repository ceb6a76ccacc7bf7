"""A document's operation and an environment's tables in few words, for a model to read."""

import json
from collections.abc import Iterable, Mapping, Sequence

from forge.types.data import Json, JsonSchema
from forge.types.doc import Operation, Parameter
from forge.types.state import Column, Record, Table

LONGEST = 900
"""Characters of a description or a schema."""
MOST = 10
"""Values that are named of a column."""


def said_of(operation: Operation) -> str:
    """What the document says of an operation."""
    way = f"{operation.method} {operation.path}".strip() or operation.name
    lines = [f"{way}: {_short(operation.summary)}"]
    if operation.description and operation.description != operation.summary:
        lines.append(_short(operation.description))
    lines += [f"- argument {_argument(each)}" for each in operation.parameters]
    if operation.result is not None:
        lines.append(f"- it gives {_short(_shape(operation.result))}")
    lines += [f"- {code}: {_short(text, 200)}" for code, text in operation.failures.items()]
    return "\n".join(lines)


def _argument(parameter: Parameter) -> str:
    needed = "required" if parameter.required else "optional"
    text = f"{parameter.name}: {_shape(parameter.schema)}, {needed}"
    return f"{text}. {_short(parameter.description, 300)}" if parameter.description else text


def _shape(schema: JsonSchema) -> str:
    """A JSON schema without what only tools read."""
    kept = {name: value for name, value in schema.items() if name not in ("$defs", "description")}
    return _short(json.dumps(kept, ensure_ascii=False), LONGEST)


def _short(text: str, most: int = LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def said_of_table(table: Table, records: Mapping[str, Record]) -> str:
    """One line for the table, one for each column."""
    lines = [_keyed(table)]
    for column in table.columns:
        values = [record.get(column.name) for record in records.values()]
        lines.append(f"  {column.name}: {_column(column, values)}")
    return "\n".join(lines)


def briefly_said(table: Table) -> str:
    """In one line, for a table that an operation only comes by."""
    return f"{_keyed(table)}; its columns are {', '.join(each.name for each in table.columns)}"


def _keyed(table: Table) -> str:
    key = ", ".join(table.key)
    several = f', as in get("{table.name}", {key})' if len(table.key) > 1 else ""
    return f"{table.name}: one {table.noun} a record, key {key}{several}"


def _column(column: Column, values: Sequence[Json]) -> str:
    parts: list[str] = [column.format or column.type]
    if column.enum is not None:
        parts.append(f"one of {_listed(column.enum[:MOST])}")
    elif column.type == "string" and column.references is None and column.name:
        texts = sorted({value for value in values if isinstance(value, str)})
        if len(texts) <= MOST < len(values):
            parts.append(f"such as {_listed(texts)}")
    if column.references:
        parts.append(f"the key of a record of {column.references}")
    if column.generated:
        parts.append("made by the database")
    if column.required:
        parts.append("required")
    return ", ".join(parts)


def _listed(values: Iterable[Json]) -> str:
    return ", ".join(json.dumps(each, ensure_ascii=False) for each in values)


def named(value: Json) -> set[str]:
    """The words of a text, for seeing which tables it is about."""
    return set(str(value).replace("_", " ").replace("/", " ").replace("-", " ").lower().split())


def about(operation: Operation, tables: Iterable[Table], most: int = 5) -> list[Table]:
    """The tables that the operation speaks of, the likeliest first, and those they refer to."""
    known = {table.name: table for table in tables}
    text = named(
        f"{operation.path} {operation.name} {operation.summary} {operation.entity or ''}"
        f" {' '.join(each.name for each in operation.parameters)}"
    )
    text |= {word.removesuffix("s") for word in text}

    def likeness(table: Table) -> int:
        words = named(f"{table.noun} {table.name}")
        return sum(word in text for word in words) * 4 - len(words)

    ranked = sorted(known.values(), key=lambda table: (-likeness(table), table.name))
    chosen = [table for table in ranked if likeness(table) > 0][:most] or ranked[:most]
    for table in list(chosen):
        parents = [table.parent.table] if table.parent else []
        refers = [column.references for column in table.columns if column.references]
        for name in [*parents, *refers]:
            if known[name] not in chosen and len(chosen) < most:
                chosen.append(known[name])
    return chosen
