"""What is on or off for each record, and no answer shows: `PUT`, `DELETE`, `GET /gists/{id}/star`.

Always holds: none of the operations takes or answers anything, so on and off is all there is to
it; asked for while it is off, it is not found, as the document says.
"""

from collections.abc import Collection
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.plans.parts import constant_reply, key_uses
from forge.authors.structural.plans.plans import Asked, Plan
from forge.authors.structural.plans.subs import Place, place_of
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.words import a, snake, split
from forge.types.state import Column


def with_switches(model: Model, readings: tuple[Reading, ...], unclear: Collection[str]) -> Model:
    """The model with a column for each such switch that operations otherwise unclear turn."""
    groups: dict[Place, list[Reading]] = {}
    for reading in readings:
        found = place_of(reading)
        if found is not None:
            groups.setdefault(found[1], []).append(reading)
    switches: dict[Place, str] = {}
    sheets = dict(model.sheets)
    for place, group in groups.items():
        sheet = sheets.get(place[0])
        name = snake(tuple(word for text in place[1] for word in split(text)))
        wanted = any(reading.operation.name in unclear for reading in group)
        if sheet is None or sheet.column(name) or not wanted or not _is_switch(group):
            continue
        column = Column(name=name, type="boolean", required=True, nullable=False, default=False)
        table = sheet.table.model_copy(update={"columns": (*sheet.table.columns, column)})
        sheets[place[0]] = replace(sheet, table=table, hidden=sheet.hidden | {name})
        switches[place] = name
    return replace(model, sheets=sheets, switches=switches)


def _is_switch(group: list[Reading]) -> bool:
    """Whether it is put, taken back and asked for, and nothing is said but whether it is there."""
    methods = sorted(reading.operation.method for reading in group)
    if methods != ["DELETE", "GET", "PUT"]:
        return False
    if any(r.answer.kind != "none" or r.taken("body", "query") for r in group):
        return False
    asked = next(r for r in group if r.operation.method == "GET")
    return "404" in asked.operation.failures


def plan_switch(model: Model, reading: Reading) -> Plan | None:
    """None where the operation turns no switch. Raises Unclear."""
    found = place_of(reading)
    name = model.switches.get(found[1]) if found is not None else None
    if found is None or name is None:
        return None
    step, (noun, _) = found
    sheet = model.sheets[noun]
    keys = key_uses(sheet, replace(reading, steps=reading.steps[: reading.steps.index(step) + 1]))
    if not set(sheet.table.key) <= {use.column for use in keys}:
        raise Unclear(f"its path does not pick {a(sheet.entity.noun)} by its key")
    method = reading.operation.method
    if method == "GET":
        reply = constant_reply(sheet, reading, "", "set")
        return Plan(reading, sheet, "get", tuple(keys), reply, work=Asked(name))
    reply = constant_reply(sheet, reading, "", "done")
    return Plan(reading, sheet, "update", tuple(keys), reply, sets={name: method == "PUT"})
