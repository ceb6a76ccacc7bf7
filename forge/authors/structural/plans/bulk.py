"""Operations on several records at once: new ones from a list, and how many there are by a value.

Always holds: a list of new records takes for each what making one would take; a count by a value
names the records and the column in so many words.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.parts import constant_reply, field_use
from forge.authors.structural.plans.plans import Bulk, Plan, Reply, Tally, Use
from forge.authors.structural.plans.views import Unclear, envelope_of, view_of
from forge.authors.structural.plans.writes import check_filled, needed_uses
from forge.authors.structural.reading.reading import MANY, Argument, Reading
from forge.authors.structural.reading.routes import CREATE
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import many, one, split
from forge.types.data import JsonSchema


def plan_bulk(model: Model, reading: Reading) -> Plan:
    """`POST /users/createWithList`: its body is a list of new records. Raises Unclear."""
    odd = Unclear(f"it {MANY}")
    body = reading.taken("body")
    item = body[0].shape.items() if len(body) == 1 else None
    name = (item.name if item is not None else None) or reading.operation.body_entity
    sheet = model.sheets.get(model.entities.names.get(name or "", ())) or model.of(reading)
    if item is None or sheet is None or not item.names() or sheet.entity.singleton:
        raise odd
    makes = bool(set(reading.words) & (CREATE | {"bulk", "batch"}))
    if reading.operation.method != "POST" or not makes:
        raise odd
    others = [a for a in reading.arguments if a.name != body[0].name and a.required]
    if others or any(step.arguments for step in reading.steps):
        raise odd
    uses = _fields(model, reading, sheet, item)
    use = Use(body[0], "items", _schema(body[0], uses), True)
    reply = _reply(model, sheet, reading)
    bulk = Bulk(use, tuple((u.argument.field, u.column) for u in uses))
    return Plan(reading, sheet, "create", (use,), reply, work=bulk)


def _fields(model: Model, reading: Reading, sheet: Sheet, item: Shape) -> list[Use]:
    uses: list[Use] = []
    for name in item.names():
        shape = item.property(name)
        if shape.read_only:
            continue
        needed = name in item.required()
        argument = Argument(name, name, "body", shape, needed, shape.description)
        use = field_use(model, sheet, argument, create=True)
        if use is not None and use.column not in {u.column for u in uses}:
            uses.append(use)
        elif needed:
            raise Unclear(f"nothing shows what {name} of its items becomes")
    uses = needed_uses(sheet, reading, uses)
    check_filled(sheet, {u.column for u in uses})
    return uses


def _schema(argument: Argument, uses: list[Use]) -> JsonSchema:
    items: JsonSchema = {
        "type": "object",
        "properties": {u.argument.field: u.schema for u in uses},
        "required": [u.argument.field for u in uses if u.required],
        "additionalProperties": False,
    }
    made: JsonSchema = {"type": "array", "items": items}
    return {**made, "description": argument.description} if argument.description else made


def _reply(model: Model, sheet: Sheet, reading: Reading) -> Reply:
    answer = reading.answer
    if answer.kind == "list" and answer.shape is not None:
        envelope = envelope_of(answer.whole, answer.path, frozenset())
        return Reply("list", view_of(model, sheet, answer.shape), envelope)
    return constant_reply(sheet, reading, "", "created")


_BY = re.compile(r"\b(?:by|per|for each|of each) ([A-Za-z_]+)", re.IGNORECASE)


def plan_tally(model: Model, reading: Reading) -> Plan | None:
    """`GET /store/inventory`, "Returns pet inventories by status": how many there are."""
    answer = reading.answer
    values = answer.shape.values() if answer.kind == "map" and answer.shape is not None else None
    if values is None or values.type != "integer" or reading.operation.method not in ("GET", ""):
        return None
    if answer.path or any(a.required for a in reading.arguments):
        return None
    summary = reading.operation.summary
    words = split(summary)
    named = [split(match) for match in _BY.findall(summary)]
    found = [
        (sheet, column)
        for sheet in model.sheets.values()
        if _has(words, sheet.entity.noun) or _has(words, many(sheet.entity.noun))
        for column in sheet.table.columns
        if column.enum and column.type == "string" and one(split(column.name)) in map(one, named)
    ]
    if len(found) != 1:
        return None
    sheet, column = found[0]
    tally = Tally(column.name, tuple(str(value) for value in column.enum or ()))
    bare = replace(reading, arguments=())
    return Plan(bare, sheet, "count", (), Reply("count"), work=tally)


def _has(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(words[n : n + len(part)] == part for n in range(len(words)))
