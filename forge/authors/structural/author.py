"""The structural author: a document in, drafts of environments out, with no model.

Always holds: the same document gives the same drafts; every operation of the document is either a
tool of a draft or left out of it with the reason.
"""

from dataclasses import replace

from forge.authors.author import Draft
from forge.authors.structural.model.entities import find_entities
from forge.authors.structural.model.model import Model, build_model
from forge.authors.structural.model.ties import with_ties
from forge.authors.structural.parts.split import left_out_of, parts_of
from forge.authors.structural.plans.classify import plan_of
from forge.authors.structural.plans.likewise import with_likewise
from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.plans.subs import with_subs
from forge.authors.structural.plans.switches import with_switches
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.bare import with_bare_values
from forge.authors.structural.reading.calls import with_calls
from forge.authors.structural.reading.leads import with_leads
from forge.authors.structural.reading.picks import with_picks
from forge.authors.structural.reading.reading import Reading, read_operations
from forge.authors.structural.reading.resources import tell_apart
from forge.authors.structural.reading.routed import as_resources
from forge.authors.structural.reading.ways import with_ways
from forge.authors.structural.source.shown import Shared
from forge.authors.structural.source.source import source_of
from forge.authors.structural.source.tables import schema_for
from forge.authors.structural.source.tools import tool_of
from forge.authors.structural.values.values import make_base
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import LeftOut
from forge.types.state import State, StateSchema

_NOW = "2026-03-02T09:00:00Z"


class StructuralAuthor:
    name = "structural"

    def draft(self, doc: ApiDoc) -> list[Draft]:
        names = {operation.name: called(operation) for operation in doc.operations}
        readings = with_likewise(with_leads(with_calls(read_operations(doc))))
        readings = with_ways(with_picks(with_bare_values(readings)))
        readings = tell_apart(as_resources(readings))
        model = build_model(find_entities(doc, readings), readings)
        plans, left = _plans(model, readings)
        more = with_subs(with_ties(model, readings, left), readings, left)
        more = with_switches(more, readings, left)
        if more.ties or more.subs or more.switches:
            model = more
            plans, left = _plans(model, readings)
        every = {name: LeftOut(operation=names[name], reason=why) for name, why in left.items()}
        parts = parts_of(doc, model, plans)
        drafts = [_draft(model, part.name, part.title, part.plans) for part in parts]
        if not any(operation.path for operation in doc.operations):
            drafts = [_as_named(draft) for draft in drafts]
        if not drafts:
            return [
                Draft(
                    doc.name,
                    doc.title,
                    StateSchema(tables=()),
                    (),
                    {},
                    tuple(every.values()),
                    "structural",
                )
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


def called(operation: Operation) -> str:
    """An operation as it stands among what was left out."""
    way = f"{operation.method} {operation.path}".strip()
    return f"{operation.name} ({way})" if way else operation.name


def _as_named(draft: Draft) -> Draft:
    """With the way back to a document that knows its tools by name alone."""
    tools = tuple(tool.model_copy(update={"operation": tool.name}) for tool in draft.tools)
    return replace(draft, tools=tools)


def _draft(model: Model, name: str, title: str, plans: tuple[Plan, ...]) -> Draft:
    schema = schema_for(model, plans)
    shared = Shared(model)
    sources = {plan.reading.operation.name: source_of(plan, shared) for plan in plans}
    tools = tuple(tool_of(plan, model, schema) for plan in plans)
    preamble = "\n\n".join(shared.sources)
    return Draft(name, title, schema, tools, {"": preamble, **sources}, (), "structural")
