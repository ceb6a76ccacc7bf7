"""A plan as the tool that the agent sees, and its effect as data.

Always holds: the parameters are the uses of the plan; the effect says what `source.py` writes of
the same plan.
"""

import re

from forge.authors.structural.model.model import Model
from forge.authors.structural.plans.plans import Plan, Role, Tally, Tied, Use
from forge.authors.structural.plans.views import Envelope, returns_of
from forge.types.data import Json, JsonSchema
from forge.types.environment import Effect, Match, Paging, Tool
from forge.types.state import Column, OnDelete, StateSchema


def tool_of(plan: Plan, model: Model, schema: StateSchema) -> Tool:
    operation = plan.reading.operation
    reads = plan.verb in ("get", "list", "count")
    properties: JsonSchema = {u.name: u.schema for u in plan.all_uses}
    return Tool(
        name=operation.name,
        description=description_of(plan),
        parameters={
            "type": "object",
            "properties": properties,
            "required": [u.name for u in plan.all_uses if u.required],
            "additionalProperties": False,
        },
        kind="read" if reads else "write",
        returns=_returns(plan, model),
        effect=effect_of(plan, schema),
        operation=f"{operation.method} {operation.path}".strip() or operation.name,
    )


def description_of(plan: Plan) -> str:
    """The document's words, whole sentences up to some length, and what else must be known."""
    operation = plan.reading.operation
    summary = " ".join(operation.summary.split())
    text = " ".join(operation.description.split())
    if summary and summary[-1] not in ".!?":
        summary += "."
    said = summary
    bare = summary.rstrip(".!?").lower()
    if text and not text.lower().startswith(bare):
        for sentence in _sentences(text):
            if len(said) + len(sentence) > 400:
                break
            said = f"{said} {sentence}"
    elif text and len(text) <= 400:
        said = text
    return " ".join([said, *plan.notes])


def _sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]


def effect_of(plan: Plan, schema: StateSchema) -> Effect | None:
    """What the plan does, as data; None where an effect cannot say it."""
    reply = plan.reply
    tied = isinstance(plan.work, Tied) and plan.work.told
    apart = plan.through is not None or bool(plan.used("inside"))
    apart = apart or any("default" in use.schema for use in plan.used("match"))
    apart = apart or any(guard.columns or guard.values for guard in plan.guards)
    if apart or (plan.work is not None and not tied) or _takes_several(plan):
        return None
    asked = [u for u in plan.uses if u.argument.asker]
    if any(u.op != "eq" for u in asked) or (asked and plan.verb in ("add", "remove")):
        return None
    mine: dict[str, Json] = {u.column: "$me" for u in asked if u.role == "match"}
    made: dict[str, Json] = {u.column: "$me" for u in asked if u.role == "field"}
    paging = {u.role: u.name for u in plan.uses if u.role in Paging.model_fields}
    other = reply.view is not None and reply.view.table != plan.sheet.name
    shown = reply.kind in ("record", "list", "count", "scalar") and not other
    shows = reply.view.shows() if reply.view is not None and not other else None
    if reply.kind == "scalar":
        shows = {reply.scalar: ()}
    return Effect(
        verb=plan.verb,
        table=plan.sheet.table.name,
        match={u.name: Match(column=u.column, op=u.op) for u in _passed(plan, "match")},
        fixed=plan.fixed | mine,
        fields={u.name: u.column for u in _passed(plan, "field")},
        sets=plan.sets | made,
        merges=tuple(u.name for u in plan.uses if u.merges),
        requires=plan.requires,
        replaces=plan.replaces,
        result=_place(reply.envelope) if shown else None,
        shows=shows,
        paging=Paging.model_validate(paging),
        cascades=_cascades(plan.sheet.table.name, schema) if plan.verb == "delete" else (),
    )


def _passed(plan: Plan, role: Role) -> list[Use]:
    return [use for use in plan.used(role) if not use.argument.asker]


def _takes_several(plan: Plan) -> bool:
    """Whether it adds or takes out several items at once, which an effect cannot say."""
    items = plan.used("field") if plan.verb in ("add", "remove") else ()
    return any(use.schema.get("type") == "array" for use in items)


def _place(envelope: Envelope) -> tuple[str | int, ...]:
    for name, what in envelope:
        if what == "record":
            return (name,)
        if not isinstance(what, str) and "'record'" in repr(what):
            return (name, *_place(what))
    return ()


def _cascades(table: str, schema: StateSchema) -> tuple[str, ...]:
    """The tables whose records go along with, or are cleared by, a delete, in their order."""
    found: dict[str, None] = {}
    going = [table]
    done: set[str] = set()
    while going:
        gone = going.pop()
        done.add(gone)
        for other in schema.tables:
            goes = other.parent is not None and other.parent.table == gone
            goes = goes and other.parent is not None and other.parent.on_delete == "cascade"
            clears = False
            for column in other.columns:
                ways = _ways(column, gone)
                goes = goes or "cascade" in ways
                clears = clears or "clear" in ways
            if goes or clears:
                found[other.name] = None
            if goes and other.name not in done:
                going.append(other.name)
    return tuple(t.name for t in schema.tables if t.name in found and t.name != table)


def _ways(column: Column, table: str) -> set[OnDelete]:
    found: set[OnDelete] = {column.on_delete} if column.references == table else set()
    inner = [*column.properties, *(c for c in (column.items, column.values) if c is not None)]
    for each in inner:
        found |= _ways(each, table)
    return found


def _returns(plan: Plan, model: Model) -> JsonSchema | None:
    reply = plan.reply
    if reply.kind == "constant":
        return reply.constant_schema
    if reply.kind == "scalar":
        column = plan.sheet.column(reply.scalar)
        return {"type": column.type} if column is not None else None
    if isinstance(plan.work, Tally):
        return {"type": "object", "additionalProperties": {"type": "integer"}}
    if reply.kind == "count":
        return _surrounded(reply.envelope, {"type": "integer"})
    assert reply.view is not None
    record = returns_of(model, reply.view)
    inner: JsonSchema = {"type": "array", "items": record} if reply.kind == "list" else record
    return _surrounded(reply.envelope, inner)


_EXTRA_SCHEMAS: dict[str, JsonSchema] = {
    "total": {"type": "integer"},
    "pages": {"type": "integer"},
    "page": {"type": "integer"},
    "limit": {"type": ["integer", "null"]},
    "offset": {"type": "integer"},
    "next": {"type": ["string", "null"]},
    "more": {"type": "boolean"},
    "true": {"type": "boolean"},
}


def _surrounded(envelope: Envelope, inner: JsonSchema) -> JsonSchema:
    if not envelope:
        return inner
    properties: JsonSchema = {}
    for name, what in envelope:
        if what == "record":
            properties[name] = inner
        elif isinstance(what, str) and what.startswith("="):
            properties[name] = {"type": "string", "enum": [what[1:]]}
        elif isinstance(what, str):
            properties[name] = _EXTRA_SCHEMAS[what]
        else:
            properties[name] = _surrounded(what, inner)
    return {"type": "object", "properties": properties, "required": list(properties)}
