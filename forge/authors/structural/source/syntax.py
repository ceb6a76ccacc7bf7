"""The small pieces of source that all tools are written with.

Always holds: values of the document are in the source through `repr` only; a local name is written
between two private characters, which `repr` never lets through, until `named_apart` gives it a
name that no argument has.
"""

import keyword
import re
from collections.abc import Collection
from typing import Protocol

from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.plans.views import Envelope, View
from forge.types.data import Json

_OPEN, _CLOSE = "\ue000", "\ue001"


def _local(name: str) -> str:
    return f"{_OPEN}{name}{_CLOSE}"


ANSWER, FOUND, HOLDER, ITEM, ITEMS = map(_local, ("answer", "found", "holder", "item", "items"))
KEPT, KEYS, ORDER, PART, ROW = map(_local, ("kept", "keys", "order", "part", "row"))
ROWS, TOTAL = map(_local, ("rows", "total"))


def named_apart(source: str, taken: Collection[str]) -> str:
    """The source with its local names, each unlike the names of the arguments."""

    def name(match: re.Match[str]) -> str:
        own = match[1]
        while own in taken:
            own += "_"
        return own

    return re.sub(f"{_OPEN}([a-z]+){_CLOSE}", name, source)


class Renderer(Protocol):
    """How records are shown by a view, as expressions."""

    def shown(self, view: View, row: str) -> str: ...

    def shown_all(self, view: View, rows: str) -> str: ...


_CLOCKS = {"$now": "now()", "$me": "me()"}


_OPS = tuple(
    f"__{op}" for op in ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "icontains", "has"]
)


_TABLE_PARAMETERS = frozenset({"sort", "limit", "offset"})


def where(column: str, op: str, value: str) -> str:
    """One keyword argument of `find`."""
    name = column if op == "eq" and not column.endswith(_OPS) else f"{column}__{op}"
    return _keyword(name, value)


def _keyword(name: str, value: str) -> str:
    if name in _TABLE_PARAMETERS:
        name = f"{name}__eq"
    if name.isascii() and name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={value}"
    return f"**{{{name!r}: {value}}}"


def field_argument(name: str, value: str) -> str:
    """One keyword argument of `insert` and `update`, which take any column's name."""
    if name.isascii() and name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={value}"
    return f"**{{{name!r}: {value}}}"


def given_arguments(pairs: list[tuple[str, str]]) -> str:
    """`**given(…)` over (name, value) pairs; names that are no identifiers go in a dict."""
    return "**given(" + ", ".join(field_argument(n, v) for n, v in pairs) + ")"


def constant(value: Json) -> str:
    return _CLOCKS.get(value, repr(value)) if isinstance(value, str) else repr(value)


def conditions(plan: Plan) -> list[str]:
    """The keyword arguments that say which records a list has."""
    parts = [where(c, "eq", constant(v)) for c, v in plan.fixed.items()]
    maybe: list[tuple[str, str]] = []
    for use in plan.used("match"):
        name = use.column if use.op == "eq" else f"{use.column}__{use.op}"
        if use.op == "eq" and (use.column in _TABLE_PARAMETERS or use.column.endswith(_OPS)):
            name = f"{use.column}__eq"
        if use.required:
            parts.append(where(use.column, use.op, use.name))
        else:
            maybe.append((name, use.name))
    if maybe:
        parts.append(given_arguments(maybe))
    return parts


def enveloped(envelope: Envelope, values: dict[str, str]) -> str:
    """The answer: what is in `values`, by the names that the envelope has for it."""
    if not envelope:
        return values["record"]
    parts = []
    for name, what in envelope:
        if not isinstance(what, str):
            inner = enveloped(what, values)
        else:
            inner = repr(what[1:]) if what.startswith("=") else values[what]
        parts.append(f"{name!r}: {inner}")
    return "{" + ", ".join(parts) + "}"
