"""The parts that plans of all kinds share: arguments that pick a record, that are its parents,
that are its values; and how its answer is given.

Always holds: arguments that pick a record pick exactly one.
"""

import json
import re

from forge.authors.structural.model.columns import is_free, is_free_shape, is_seal, schema_of
from forge.authors.structural.model.keys import property_named
from forge.authors.structural.model.model import Model
from forge.authors.structural.model.owners import name_given, named_by
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.conditions import is_conditional
from forge.authors.structural.plans.objects import names_record, shows_as_given
from forge.authors.structural.plans.plans import Guard, Reply, Use
from forge.authors.structural.plans.views import Unclear, envelope_of, view_of, whole_view
from forge.authors.structural.reading.reading import Argument, Reading, Step, plain
from forge.authors.structural.reading.told import is_said_of_call
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import a, is_id, split, without_id
from forge.types.data import Json, JsonSchema
from forge.types.state import Column


def told(schema: JsonSchema, argument: Argument) -> JsonSchema:
    """The schema with the argument's own description."""
    description = argument.description or str(schema.get("description") or "")
    rest = {k: v for k, v in schema.items() if k != "description"}
    return {**rest, "description": description} if description else rest


def match_use(argument: Argument, column: Column, *, required: bool = True) -> Use:
    schema = schema_of(column, nullable=False)
    for word in ("minimum", "maximum", "minLength", "maxLength"):
        schema.pop(word, None)
    return Use(argument, "match", told(schema, argument), required, column.name)


def key_uses(sheet: Sheet, reading: Reading) -> list[Use]:
    """The arguments that pick the one record: its key, or a unique column, and its parents."""
    table = sheet.table
    if sheet.key is None:
        raise Unclear("there is only one record")
    if sheet.key.hidden:
        raise Unclear(f"no answer shows by what {a(sheet.entity.noun)} is picked")
    if reading.steps:
        uses = [*_outer_uses(sheet, reading.steps[:-1]), *_picking(sheet, reading.steps[-1])]
    else:
        uses = _loose_keys(sheet, reading)
    covered = {u.column for u in uses}
    names = [c for u in uses if (c := sheet.column(u.column)) is not None and c.unique]
    unique = any(set(column.within) <= covered for column in names)
    if len(covered) < len(uses) or not (unique or set(table.key) <= covered):
        raise Unclear(f"its arguments do not pick one {table.noun}")
    return uses


def _outer_uses(sheet: Sheet, outer: tuple[Step, ...]) -> list[Use]:
    """The arguments of what the record is in: each is in a column of its."""
    uses: list[Use] = []
    for step in outer:
        if not step.arguments:
            continue
        names = sheet.parents.get(step.noun)
        if names is None or len(step.arguments) > len(names):
            raise Unclear(f"nothing shows how {a(sheet.entity.noun)} belongs to {a(step.noun)}")
        for argument, name in zip(step.arguments, names[-len(step.arguments) :], strict=True):
            column = sheet.column(name)
            if column is None or column.type == "array":
                raise Unclear(f"{a(sheet.entity.noun)} may belong to several {step.text}")
            if argument.shape.type not in (column.type, "any"):
                raise Unclear(f"its argument {argument.field} is not of the type of the key")
            uses.insert(0 if len(names) == 1 else len(uses), match_use(argument, column))
    return uses


def _picking(sheet: Sheet, step: Step) -> list[Use]:
    """The arguments of the record's own step."""
    assert sheet.key is not None
    *outer, own = step.arguments
    if len(outer) not in (0, len(sheet.key.beside)):
        raise Unclear("its path picks a record by several arguments at once")
    uses = []
    for argument, name in zip(outer, sheet.key.beside, strict=False):
        column = sheet.column(name)
        if column is None or argument.shape.type not in (column.type, "any"):
            raise Unclear(f"its argument {argument.field} is not of the type of the key")
        uses.append(match_use(argument, column))
    return [*uses, match_use(own, _picked_column(sheet, own))]


def _picked_column(sheet: Sheet, argument: Argument) -> Column:
    assert sheet.key is not None
    kinds = {c.name: c.type for c in sheet.table.columns if c.name not in sheet.hidden}
    name = property_named(argument, sheet.entity.noun, kinds)
    column = sheet.column(name) if name is not None else None
    if column is None or not (column.unique or column.name == sheet.key.column):
        column = sheet.column(sheet.key.column)
        alone = is_id(argument.field) or argument.words[-1:] == split(sheet.key.column)[-1:]
        if not alone and not _is_of_noun(sheet, argument):
            raise Unclear(f"its path picks by {argument.field}, which is not the key")
    if column is None or not (
        argument.shape.type in (column.type, "any") or _counts(argument, column)
    ):
        raise Unclear(f"its argument {argument.field} is not of the type of the key")
    return column


def _counts(argument: Argument, column: Column) -> bool:
    """Whether an id that answers show as a text is passed as a whole number, of which the document
    says that it is that id: it is taken as the text that is shown."""
    told = f"`{column.name}` field" in argument.description
    return told and argument.shape.type == "integer" and column.type == "string"


def _is_of_noun(sheet: Sheet, argument: Argument) -> bool:
    """Whether an argument is named like the records that it picks one of, which have an id:
    `/payment_intents/{intent}`."""
    assert sheet.key is not None
    if sheet.key.natural or not is_id(sheet.key.column) or sheet.column(argument.field):
        return False
    words, noun = argument.words, sheet.entity.noun
    return any(noun[n : n + len(words)] == words for n in range(len(noun) - len(words) + 1))


def _loose_keys(sheet: Sheet, reading: Reading) -> list[Use]:
    """Of an operation without a path: the arguments that are the key, or a unique column."""
    uses = []
    for name in sheet.table.key:
        column = sheet.column(name)
        assert column is not None
        argument = next((a for a in reading.arguments if _is_key(a, column, sheet)), None)
        if argument is not None and argument.shape.type in (column.type, "any"):
            uses.append(match_use(argument, column))
    if len(uses) == len(sheet.table.key):
        return uses
    for argument in reading.arguments:
        column = sheet.column(argument.field)
        if column is not None and column.unique and argument.shape.type == column.type:
            return [match_use(argument, column)]
    raise Unclear(f"its arguments do not pick one {sheet.table.noun}")


def _is_key(argument: Argument, column: Column, sheet: Sheet) -> bool:
    if argument.field == column.name:
        return True
    own = sheet.key is not None and column.name == sheet.key.column
    bare = without_id(argument.field)
    return (
        own
        and is_id(argument.field)
        and is_id(column.name)
        and (bare in ((), sheet.entity.noun) and not column.references)
    )


def parent_uses(
    model: Model, sheet: Sheet, reading: Reading, steps: tuple[Step, ...] | None = None
) -> tuple[list[Use], list[Guard]]:
    """The path arguments before the collection: each a filter on the column that holds it, and a
    record that must be there."""
    outer = reading.steps[:-1] if steps is None else steps
    uses: list[Use] = []
    guards: list[Guard] = []
    holders = [step for step in outer if step.arguments]
    for place, step in enumerate(holders):
        names = sheet.parents.get(step.noun)
        parent = model.sheets.get(step.noun)
        if names is None:
            raise Unclear(f"nothing shows how {a(sheet.entity.noun)} belongs to {a(step.noun)}")
        if parent is None or len(step.arguments) > len(names):
            raise Unclear(f"{a(step.noun)} is no record that the document shows")
        for argument, name in zip(step.arguments, names[-len(step.arguments) :], strict=True):
            column = sheet.column(name)
            if column is None:
                raise Unclear(f"{a(step.noun)} is no record that the document shows")
            last = place == len(holders) - 1
            known = (
                column.references == parent.name or len(names) > 1 or parent.name in column.among
            )
            known = known or _is_of_key(sheet, names, holders[place + 1 :])
            if not last and not known:
                raise Unclear("its path is nested too deep to be sure of")
            uses.append(_parent_use(argument, column))
        guard = _guard(parent, names, uses)
        guards = [*(g for g in guards if not set(g.keys) < set(guard.keys)), guard]
    return uses, guards


def _is_of_key(sheet: Sheet, names: tuple[str, ...], nearer: list[Step]) -> bool:
    """Whether the columns that hold what a record is in are of the key of something nearer that it
    is in, too: the organization of a project with the fields of which it is one."""
    held = [sheet.parents[step.noun] for step in nearer if step.noun in sheet.parents]
    return any(set(names) < set(each) for each in held)


def _parent_use(argument: Argument, column: Column) -> Use:
    if argument.shape.type != (column.items.type if column.items else column.type):
        raise Unclear(f"its argument {argument.field} is not of the type of the key")
    if column.type != "array":
        return match_use(argument, column)
    assert column.items is not None
    schema = told(schema_of(column.items, nullable=False), argument)
    return Use(argument, "match", schema, True, column.name, "has")


def _guard(parent: Sheet, names: tuple[str, ...], uses: list[Use]) -> Guard:
    """That the parent is there: the record whose key is in these columns."""
    by_column = {use.column: use.name for use in uses}
    keys = tuple(by_column[name] for name in names if name in by_column)
    if len(keys) != len(parent.table.key):
        raise Unclear(f"its arguments do not pick one {parent.table.noun}")
    return Guard(parent.name, parent.table.noun, keys)


def field_use(model: Model, sheet: Sheet, argument: Argument, *, create: bool) -> Use | None:
    """An argument as a value of the record; None where it is none that the column can hold."""
    column = sheet.column(argument.field) or sheet.worded(argument.words)
    if column is None and create:
        column = _named_key(sheet, argument)
    if column is None or column.generated is not None or _APPLIED.search(argument.description):
        return None
    if not argument.required and is_conditional(argument, create=create):
        return None
    hidden_choice = column.name in sheet.hidden and not (
        argument.required or (column.references and create) or column.required
    )
    if hidden_choice:
        return None
    if is_id(column.name) and not _points(column) and column.name not in sheet.table.key:
        sealed = argument.required and is_seal(argument.description)
        if column.name not in sheet.hidden or not sealed:
            return None
    if column.name in sheet.table.key and not create:
        return Use(argument, "field", {}, argument.required, column.name)
    if not _holds(model, column, argument.shape):
        return None
    if not shows_as_given(sheet, argument, create=create):
        return None
    schema = schema_of(column, nullable=argument.required)
    if argument.shape.enum and column.enum:
        narrowed = [v for v in argument.shape.enum if v in column.enum]
        if narrowed:
            schema["enum"] = narrowed
    return Use(argument, "field", told(schema, argument), argument.required, column.name)


_APPLIED = re.compile(r"\b(updates|changes|operations) to (apply|make)\b", re.IGNORECASE)
"""Of a list that says what is done with a value, and is not what becomes of it."""


def _named_key(sheet: Sheet, argument: Argument) -> Column | None:
    """The natural key, or the name that paths pick by, of a new record that is given it under
    another name."""
    names = {a.field for a in named_by(sheet.entity, sheet.key)}
    if sheet.key and argument.field in names:
        return sheet.column(sheet.key.column)
    for column in sheet.table.columns:
        if argument.field in {a.field for a in name_given(sheet.entity, column)}:
            return column
    return None


def _points(column: Column) -> bool:
    return column.references is not None or (
        column.items is not None and column.items.references is not None
    )


def _holds(model: Model, column: Column, shape: Shape) -> bool:
    """Whether a column holds what an argument of this shape gives."""
    kind = shape.type
    if column.references is not None:
        return _refers(model, column, shape)
    if column.type == "array" and column.items is not None and column.items.references:
        item = shape.items() if kind == "array" else None
        return item is not None and _refers(model, column.items, item)
    if is_free(column) and is_free_shape(shape):
        return True
    item = shape.items() if kind == "array" else None
    if item is not None and column.items is not None and not _fills(column.items, item):
        return False
    if kind == "object" and column.type == "object":
        return _fills(column, shape)
    return kind == column.type or (kind == "integer" and column.type == "number")


def _fills(column: Column, shape: Shape) -> bool:
    """Whether objects of this shape have all that a column's must have, and may hold nothing that
    it needs and the column has no place for: hooks are given a secret and shown an id."""
    if shape.type != "object" or not column.properties:
        return True
    known = {p.name for p in column.properties}
    needed = {p.name for p in column.properties if p.required}
    return shape.required() <= known and needed <= set(shape.names())


def _refers(model: Model, column: Column, shape: Shape) -> bool:
    """Whether what is given is the key of a record, or an object that says it."""
    if shape.type != "object":
        return shape.type == column.type
    target = model.of_table(str(column.references))
    return target.key is None or names_record(shape, target.key.column)


# ---------------------------------------------------------------------- replies


def record_reply(model: Model, sheet: Sheet, reading: Reading) -> Reply:
    """One record, as the answer shows it; all that may be seen where the document shows none."""
    answer = reading.answer
    if answer.kind == "none" or answer.shape is None:
        return Reply("record", whole_view(sheet))
    if answer.kind == "record":
        owner = model.entities.of_shape(answer.shape)
        shown = model.entities.shows(sheet.entity.noun, answer.shape)
        if owner is not None and owner.noun != sheet.entity.noun and not shown:
            raise Unclear(f"its answer is {a(owner.noun)}, not the {sheet.table.noun}")
        if owner is None and answer.shape.name and not _looks_like(sheet, answer.shape):
            raise Unclear(f"its answer is no {sheet.table.noun}")
        envelope = envelope_of(answer.whole, answer.path, frozenset())
        return Reply("record", view_of(model, sheet, answer.shape), envelope)
    if answer.kind in ("empty", "note"):
        return constant_reply(sheet, reading, "", "done")
    if answer.kind == "value" and not answer.path:
        if answer.shape.type == "boolean":
            return constant_reply(sheet, reading, "", "done")
        if sheet.key is not None and answer.shape.type == sheet.key.kind:
            return Reply("scalar", scalar=sheet.key.column)
    raise Unclear(f"its answer does not show the {sheet.table.noun}")


def _looks_like(sheet: Sheet, shape: Shape) -> bool:
    names = shape.names()
    known = [n for n in names if sheet.column(n) is not None]
    return bool(names) and len(known) * 2 >= len(names)


_TRUE = frozenset(["success", "ok", "deleted", "removed", "done", "succeeded", "acknowledged"])


def constant_reply(sheet: Sheet, reading: Reading, key: str, done: str) -> Reply:
    """An answer that shows no record: nothing, or a note that it is done."""
    answer = reading.answer
    if answer.kind == "none":
        return Reply("constant")
    if answer.kind == "empty":
        return Reply("constant", constant=_wrapped(answer.path), constant_schema={"type": "object"})
    told = answer.shape.type if answer.shape and answer.kind == "value" else ""
    if told == "boolean" and not answer.path:  # it was done; what could not be done is refused
        return Reply("constant", constant="True", constant_schema={"type": "boolean"})
    if answer.kind not in ("record", "note") or answer.whole is None or answer.shape is None:
        raise Unclear("nothing shows what its answer says")
    source, schema = _note(sheet, answer.shape, key, done)
    for name in reversed(answer.path):
        source = f"{{{json.dumps(str(name))}: {source}}}"
        schema = {"type": "object", "properties": {str(name): schema}, "required": [str(name)]}
    return Reply("constant", constant=source, constant_schema=schema)


def _wrapped(path: tuple[str | int, ...]) -> str:
    source = "{}"
    for name in reversed(path):
        source = f"{{{str(name)!r}: {source}}}"
    return source


def _note(sheet: Sheet, shape: Shape, key: str, done: str) -> tuple[str, JsonSchema]:
    parts: list[str] = []
    properties: JsonSchema = {}
    needed = shape.required()
    for name in shape.names():
        prop = shape.property(name)
        word, kind = plain(name), prop.type
        value: Json = None
        if len(prop.enum) == 1:
            value = prop.enum[0]
        elif kind == "boolean" and word in _TRUE:
            value = True
        elif kind == "string" and word in ("message", "detail", "msg") and not prop.enum:
            value = f"{sheet.table.noun} {done}"
        elif is_said_of_call(name, prop):
            value = True if kind == "boolean" else done
        elif key and sheet.key is not None and kind == sheet.key.kind and is_id(name):
            parts.append(f"{name!r}: {key}")
            properties[name] = {"type": kind}
            continue
        if value is None:
            if name in needed:
                raise Unclear(f"nothing shows what {name} in its answer is")
            continue
        parts.append(f"{name!r}: {value!r}")
        properties[name] = {"type": kind}
    if not parts:
        raise Unclear("nothing shows what its answer says")
    return "{" + ", ".join(parts) + "}", {"type": "object", "properties": properties}
