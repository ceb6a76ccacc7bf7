"""Reading and changing one part of a record at a path of its own: `GET` and `PATCH
/hooks/{id}/config`, where a hook shows its `config`.

Always holds: the answer shows no more than records show in the part; a change keeps all of the
part that is not passed.
"""

from dataclasses import replace

from forge.authors.structural.model.columns import schema_of
from forge.authors.structural.model.model import Model
from forge.authors.structural.plans.parts import key_uses, told
from forge.authors.structural.plans.plans import Part, Plan, Reply, Use
from forge.authors.structural.plans.subs import place_of
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import a
from forge.types.state import Column


def plan_inner(model: Model, reading: Reading) -> Plan | None:
    """None where the operation is about no part of a record. Raises Unclear."""
    found = place_of(reading)
    method = reading.operation.method
    if found is None or len(found[1][1]) != 1 or method not in ("GET", "PATCH"):
        return None
    step, (noun, tail) = found
    sheet = model.sheets.get(noun)
    column = sheet.worded(reading.steps[-1].words) if sheet is not None else None
    shape = reading.answer.shape
    if sheet is None or column is None or column.name in sheet.hidden or not column.properties:
        return None
    if (
        reading.answer.kind != "record"
        or shape is None
        or not _is_part(sheet.entity.shown, column.name, shape)
    ):
        return None
    keys = key_uses(sheet, replace(reading, steps=reading.steps[: reading.steps.index(step) + 1]))
    if not set(sheet.table.key) <= {use.column for use in keys}:
        raise Unclear(f"its path does not pick {a(sheet.entity.noun)} by its key")
    reply = Reply("scalar", scalar=column.name)
    if not column.required:
        raise Unclear(f"nothing shows what it answers where there is no {tail[0]}")
    if method == "GET":
        return Plan(reading, sheet, "get", tuple(keys), reply)
    uses = _fields(column, reading)
    if not uses:
        raise Unclear("nothing shows what it changes")
    return Plan(reading, sheet, "update", (*keys, *uses), reply, work=Part(column.name))


def _is_part(shown: tuple[Shape, ...], name: str, shape: Shape) -> bool:
    """Whether records show an object of this schema, or of these properties, as the part."""
    parts = [each.property(name) for each in shown if name in each.names()]
    return bool(parts) and all(
        (part.name is not None and part.name == shape.name)
        or set(part.names()) == set(shape.names())
        for part in parts
    )


def _fields(column: Column, reading: Reading) -> list[Use]:
    properties = {part.name: part for part in column.properties}
    uses = []
    for argument in reading.taken("body"):
        part = properties.get(argument.field)
        if part is None or part.type != argument.shape.type:
            if argument.required:
                raise Unclear(f"nothing shows what its required argument {argument.field} becomes")
            continue
        schema = told(schema_of(part, nullable=False), argument)
        uses.append(Use(argument, "inner", schema, argument.required, part=part.name))
    return uses
