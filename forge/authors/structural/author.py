"""The structural author: a document in, drafts of environments out, with no model.

Always holds: the same document gives the same drafts; every operation of the document is either a
tool of a draft or left out of it with the reason.
"""

from dataclasses import replace

from forge.authors.author import Draft
from forge.authors.structural.bare import with_bare_values
from forge.authors.structural.calls import with_calls
from forge.authors.structural.classify import plan_of
from forge.authors.structural.entities import find_entities
from forge.authors.structural.leads import with_leads
from forge.authors.structural.model import Model, build_model
from forge.authors.structural.picks import with_picks
from forge.authors.structural.plans import Plan, Tied
from forge.authors.structural.reading import Reading, read_operations
from forge.authors.structural.resources import tell_apart
from forge.authors.structural.routed import as_resources
from forge.authors.structural.shown import Shared
from forge.authors.structural.source import source_of
from forge.authors.structural.split import left_out_of, parts_of
from forge.authors.structural.subs import with_subs
from forge.authors.structural.ties import with_ties
from forge.authors.structural.tools import tool_of
from forge.authors.structural.values import make_base
from forge.authors.structural.views import Unclear
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import LeftOut
from forge.types.state import State, StateSchema, Table

_NOW = "2026-03-02T09:00:00Z"


class StructuralAuthor:
    name = "structural"

    def draft(self, doc: ApiDoc) -> list[Draft]:
        names = {operation.name: _called(operation) for operation in doc.operations}
        readings = tell_apart(
            as_resources(with_picks(with_bare_values(with_leads(with_calls(read_operations(doc))))))
        )
        model = build_model(find_entities(doc, readings), readings)
        plans, left = _plans(model, readings)
        more = with_subs(with_ties(model, readings, left), readings, left)
        if more.ties or more.subs:
            model = more
            plans, left = _plans(model, readings)
        every = {name: LeftOut(operation=names[name], reason=why) for name, why in left.items()}
        parts = parts_of(doc, model, plans)
        drafts = [_draft(model, part.name, part.title, part.plans) for part in parts]
        if not any(operation.path for operation in doc.operations):
            drafts = [_as_named(draft) for draft in drafts]
        if not drafts:
            return [
                Draft(doc.name, doc.title, StateSchema(tables=()), (), {}, tuple(every.values()))
            ]
        return [
            replace(draft, left_out=missing)
            for draft, missing in zip(drafts, left_out_of(doc, parts, every), strict=True)
        ]

    def base(self, draft_schema: StateSchema, seed: int) -> State:
        return make_base(draft_schema, seed=seed, now=_NOW)


def _plans(model: Model, readings: tuple[Reading, ...]) -> tuple[list[Plan], dict[str, str]]:
    """What can be planned, and by name why the rest cannot."""
    plans: list[Plan] = []
    left: dict[str, str] = {}
    for reading in readings:
        try:
            plans.append(plan_of(model, reading))
        except Unclear as unclear:
            left[reading.operation.name] = str(unclear)
    return plans, left


def _called(operation: Operation) -> str:
    way = f"{operation.method} {operation.path}".strip()
    return f"{operation.name} ({way})" if way else operation.name


def _as_named(draft: Draft) -> Draft:
    """With the way back to a document that knows its tools by name alone."""
    tools = tuple(tool.model_copy(update={"operation": tool.name}) for tool in draft.tools)
    return replace(draft, tools=tools)


def _draft(model: Model, name: str, title: str, plans: tuple[Plan, ...]) -> Draft:
    schema = StateSchema(tables=_tables(model, plans), actors=_actors(model, plans))
    shared = Shared(model)
    sources = {plan.reading.operation.name: source_of(plan, shared) for plan in plans}
    tools = tuple(tool_of(plan, model, schema) for plan in plans)
    preamble = "\n\n".join(shared.sources)
    return Draft(name, title, schema, tools, {"": preamble, **sources}, ())


def _tables(model: Model, plans: tuple[Plan, ...]) -> tuple[Table, ...]:
    """The tables that tools work on, and those they refer to, in the order of the document."""
    needed = {plan.sheet.name for plan in plans}
    needed |= {plan.through.holder.name for plan in plans if plan.through is not None}
    for work in [plan.work for plan in plans if isinstance(plan.work, Tied)]:
        needed |= {s.name for s in (work.holder, work.items, work.link) if s is not None}
    needed |= {guard.table for plan in plans for guard in plan.guards}
    if model.actors is not None and _uses_me(plans):
        needed.add(model.actors)
    while True:
        more = set(needed)
        for sheet in model.sheets.values():
            if sheet.name in needed:
                more |= _referred(sheet.table)
        if more == needed:
            return tuple(s.table for s in model.sheets.values() if s.name in needed)
        needed = more


def _referred(table: Table) -> set[str]:
    found: set[str] = set() if table.parent is None else {table.parent.table}
    pending = list(table.columns)
    while pending:
        column = pending.pop()
        if column.references is not None:
            found.add(column.references)
        found |= set(column.among)
        pending += column.properties
        pending += [c for c in (column.items, column.values) if c is not None]
    return found


def _uses_me(plans: tuple[Plan, ...]) -> bool:
    asked = [(*plan.fixed.values(), *plan.sets.values()) for plan in plans]
    asked += [tuple(p.work.fixed.values()) for p in plans if isinstance(p.work, Tied)]
    return any(plan.asks for plan in plans) or any("$me" in values for values in asked)


def _actors(model: Model, plans: tuple[Plan, ...]) -> str | None:
    return model.actors if _uses_me(plans) else None
