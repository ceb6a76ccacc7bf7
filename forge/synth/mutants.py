"""Broken versions of a tool, made from its syntax tree: the checks must tell them from the tool.

They are made in one fixed order, as many kinds as there are before a second of one kind.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest

from forge.synth import breaks
from forge.synth.breaks import Change
from forge.types.environment import Tool
from forge.types.state import StateSchema

KINDS: Mapping[str, Callable[[ast.FunctionDef, Tool, StateSchema], Iterator[Change]]] = {
    "ignored filter": breaks.ignored_filters,
    "wrong column": breaks.wrong_columns,
    "missing check": breaks.missing_checks,
    "wrong parent": breaks.wrong_parents,
    "PUT for PATCH": breaks.put_for_patch,
    "PATCH for PUT": breaks.patch_for_put,
    "unpassed as null": breaks.unpassed_as_null,
    "ignored parameter": breaks.ignored_parameters,
    "dropped write": breaks.dropped_writes,
    "wrong constant": breaks.wrong_constants,
    "off-by-one page": breaks.off_by_one,
    "wrong default": breaks.wrong_defaults,
    "write on the side": breaks.side_writes,
    "lost result": breaks.lost_results,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    kind: str
    what: str
    name: str
    """Of its function: the tool's, with a number."""
    source: str
    """Its function alone."""


def mutants(
    function: ast.FunctionDef, tool: Tool, schema: StateSchema, *, most: int | None = 6
) -> list[Mutant]:
    """At most `most` of the tool's function; none is the tool itself, no two are the same."""
    rows = zip_longest(*(_named(kind, function, tool, schema) for kind in KINDS))
    seen = {ast.dump(function)}

    def fresh() -> Iterator[Mutant]:
        for kind, what, changed in (each for row in rows for each in row if each is not None):
            text = ast.dump(changed)
            if text not in seen:
                changed.name = f"{tool.name}_{len(seen) - 1}"
                seen.add(text)
                yield Mutant(
                    kind, what, changed.name, ast.unparse(ast.fix_missing_locations(changed))
                )

    return list(islice(fresh(), most))


def _named(
    kind: str, function: ast.FunctionDef, tool: Tool, schema: StateSchema
) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    for what, changed in KINDS[kind](function, tool, schema):
        yield kind, what, changed
