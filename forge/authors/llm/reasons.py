"""The pass that writes reasoning: an expression over one table, as data of a closed form.

Always holds: names are held to those of the tables that are told of; what it comes to is worked out
elsewhere, on the records.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, create_model

from forge.authors.llm.prompts import prompt, version
from forge.types.data import Json
from forge.types.expression import MOST_BOUNDS, Bound, Expression
from forge.types.state import Column, Table

PROMPT = version("reason")
MOST_SHOWN = 12
"""Choices of a column that are named."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table, the columns that sort its records into kinds, and those that order them."""

    table: Table
    kinds: Sequence[Column]
    ordered: Sequence[Column]


def form_of(sheets: Sequence[Sheet]) -> type[Expression]:
    """The form, held to the names of these tables and columns."""
    tables = [sheet.table.name for sheet in sheets]
    own = dict.fromkeys(each.name for sheet in sheets for each in (*sheet.kinds, *sheet.ordered))
    name = Annotated[str, Field(json_schema_extra={"enum": list(own)})]
    table = Annotated[str, Field(json_schema_extra={"enum": tables})]
    bound = create_model("Bound", __base__=Bound, column=(name, ...))
    where = Annotated[tuple[bound, ...], Field(max_length=MOST_BOUNDS)]
    return create_model(
        "Expression",
        __base__=Expression,
        table=(table, ...),
        where=(where, ...),
        column=(name | None, ...),
    )


def asked_for(
    title: str, sheets: Sequence[Sheet], *, written: str = "", failure: str = ""
) -> list[Json]:
    """The messages that ask for an expression. `written` and `failure`: what was wrong before."""
    text = prompt(
        "reason",
        title=title,
        tables=["\n".join(_said(sheet)) for sheet in sheets],
        example=_example(sheets),
        written=written,
        failure=failure,
    )
    return [{"role": "user", "content": text}]


def _said(sheet: Sheet) -> list[str]:
    lines = [f"{sheet.table.name}: one {sheet.table.noun} a record"]
    for column in sheet.kinds:
        lines.append(
            f"  {column.name}: one of {', '.join(map(str, (column.enum or ())[:MOST_SHOWN]))}"
        )
    return [*lines, *(f"  {each.name}: {each.format or each.type}" for each in sheet.ordered)]


def _example(sheets: Sequence[Sheet]) -> str:
    """One that fits the form, by the names that there are."""
    sheet = max(sheets, key=lambda each: (bool(each.kinds), bool(each.ordered)))
    where = [
        {
            "column": each.name,
            "op": "eq",
            "value": next(v for v in each.enum or () if v is not None),
        }
        for each in sheet.kinds[:1]
    ]
    column = next((each.name for each in sheet.ordered), None)
    op = "count" if column is None else "most"
    found = {"table": sheet.table.name, "where": where, "op": op, "column": column}
    return json.dumps(found, ensure_ascii=False)
