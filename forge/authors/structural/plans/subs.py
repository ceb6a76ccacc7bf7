"""What each record has one of: `/repos/{id}/subscription`, `/branches/{name}/protection`.

Always holds: such a record is picked by the key of what it is of, and goes with it; its answer is
no record of another table; what is only read is plain values, worked out from no other records.
"""

from collections.abc import Collection
from dataclasses import replace

from forge.authors.structural.model.entities import Entity
from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet, sheet_of
from forge.authors.structural.plans.parts import constant_reply, key_uses, record_reply
from forge.authors.structural.plans.plans import Guard, Plan, Put, Reply, Use
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.plans.writes import check_filled, plan_update
from forge.authors.structural.reading.reading import Reading, Step
from forge.authors.structural.reading.routes import NO_NOUNS, PEOPLE
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import (
    Words,
    a,
    one,
    snake,
    split,
    without_id,
    word_set,
)
from forge.types.data import Json
from forge.types.state import Column, Parent

Place = tuple[Words, tuple[str, ...]]
"""The noun of what it is of, and the texts of the path after that."""

_DERIVED = NO_NOUNS | word_set(
    "usage summary stats statistics count counts billing traffic metrics timing latest status "
    "languages participation activity logs log report reports analytics frequency breakdown "
    "preview compare diff archive tokens import migration imports languages"
)
_FLAGS = frozenset({("enabled",), ("active",), ("is", "enabled"), ("is", "active")})


def place_of(reading: Reading) -> tuple[Step, Place] | None:
    """What a path without an argument at its end is of, and the rest of it."""
    if reading.odd or not reading.steps or reading.steps[-1].arguments:
        return None
    at = max((n for n, step in enumerate(reading.steps) if step.arguments), default=-1)
    if at < 0:
        return None
    tail = tuple(step.text for step in reading.steps[at + 1 :])
    return reading.steps[at], (reading.steps[at].noun, tail)


def with_subs(model: Model, readings: tuple[Reading, ...], unclear: Collection[str]) -> Model:
    """The model with a table for each such record that operations otherwise unclear are about."""
    groups: dict[Place, list[Reading]] = {}
    collections = _collections(readings)
    for reading in readings:
        found = place_of(reading)
        if found is None or found[1] in collections:
            continue
        if reading.operation.name in unclear:
            groups.setdefault(found[1], []).append(reading)
    sheets, subs = dict(model.sheets), {}
    for place, group in groups.items():
        sheet = _sheet(model, place, group)
        if sheet is not None and sheet.entity.noun not in sheets:
            sheets[sheet.entity.noun] = sheet
            subs[place] = sheet.entity.noun
    return replace(model, sheets=sheets, subs=subs)


def _collections(readings: tuple[Reading, ...]) -> set[Place]:
    """The places at which paths pick one of several: `/namespaces/{namespace}/pods/{name}`."""
    found: set[Place] = set()
    for reading in readings:
        of: Step | None = None
        tail: tuple[str, ...] = ()
        for step in reading.steps:
            tail = (*tail, step.text)
            if step.arguments:
                if of is not None:
                    found.add((of.noun, tail))
                of, tail = step, ()
    return found


def _sheet(model: Model, place: Place, group: list[Reading]) -> Sheet | None:
    noun, tail = place
    holder = model.sheets.get(noun)
    methods = {r.operation.method for r in group}
    shown = tuple(
        r.answer.shape
        for r in group
        if r.answer.kind == "record" and r.answer.shape is not None and r.answer.shape.names()
    )
    if holder is None or not holder.table.key or "GET" not in methods or not shown:
        return None
    if holder.key is None or holder.key.hidden or len(methods) != len(group):
        return None
    got = next(r for r in group if r.operation.method == "GET")
    if got.answer.kind != "record" or any(_is_another(model, s, tail) for s in shown):
        return None
    words = tuple(word for text in tail for word in split(text))
    if _is_in_set(model, noun, words[-1:]):
        return None
    own = holder.worded(split(tail[-1])) or holder.worded(one(split(tail[-1])))
    if len(tail) == 1 and own is not None and own.name not in holder.hidden:
        return None
    if any(_is_derived(split(text)) for text in tail):
        return None
    if methods <= {"GET", "POST"} and not _is_plain(got.answer.shape):
        return None
    writes = tuple(r for r in group if r.operation.method in ("PUT", "PATCH", "POST"))
    makes = tuple(r for r in writes if _makes(r, methods, got.answer.shape))
    if any(r.operation.method == "POST" and not r.taken("body") for r in writes):
        return None  # what it shows is the work that this starts
    entity = Entity((*noun, *one(words)), shown, (), makes, writes, ())
    bare = _apart(sheet_of(entity, {}, model.targets(), (), {}))
    return _of(holder, bare, each=not makes and "DELETE" not in methods)


def _is_derived(words: Words) -> bool:
    """Whether a part of a path says that something is worked out: `summary-stats`, but not
    `log-retention`, nor the `checks` in which a `status` is asked for."""
    return words[-1:] != () and (words[-1] in _DERIVED or all(w in _DERIVED for w in words))


def _is_in_set(model: Model, noun: Words, words: Words) -> bool:
    """Whether it tells of whoever asks that they are in a set of people, which is kept at the
    record: the `subscription` to what has subscribers."""
    ties = model.ties.items()
    people = [kept[-1] for (of, kept), tie in ties if of == noun and tie.items in PEOPLE]
    return bool(words) and any(kept[:_STEM] == words[-1][:_STEM] for kept in people)


_STEM = 6
"""Letters that the words for being in a set and for who is in it have in common."""


def _is_another(model: Model, shape: Shape, tail: tuple[str, ...]) -> bool:
    """Whether the answer is a record of a table, and no record of its own."""
    entity = model.entities.of_shape(shape)
    return entity is not None and entity.noun in model.sheets


def _is_plain(shape: Shape | None) -> bool:
    if shape is None:
        return False
    for name in shape.names():
        prop = shape.property(name)
        if prop.type == "integer" and set(split(name)) & {"total", "count"}:
            return False
        item = prop.items() if prop.type == "array" else None
        if prop.type == "object" or (item is not None and item.type not in ("string", "integer")):
            return False
    return True


def _makes(reading: Reading, methods: Collection[str], shown: Shape | None) -> bool:
    """Whether writing it also makes it: where it can be deleted, or the words say so."""
    method = reading.operation.method
    if method == "PATCH" or (method == "POST" and not reading.taken("body")):
        return False
    if not reading.taken("body"):
        return "DELETE" in methods and not _flags(shown)
    text = f"{reading.operation.summary} {reading.operation.description}".lower()
    return "DELETE" in methods or "create" in text or "if it does not exist" in text


def _of(holder: Sheet, bare: Sheet, *, each: bool) -> Sheet | None:
    """The sheet with the key of what it is of as its own key: a column that says so, or new ones,
    which no answer shows."""
    columns: list[Column] = []
    prefix = snake(holder.entity.noun)
    said = [c for c in bare.table.columns if _says(c, holder)]
    if len(said) == 1:
        [own] = said
        sure = {"required": True, "nullable": False, "default": None, "on_delete": "cascade"}
        first = own.model_copy(update=sure)
        rest = tuple(c for c in bare.table.columns if c is not own)
        parent = Parent(table=holder.name, columns=(own.name,), each=each)
        return replace(
            bare,
            table=bare.table.model_copy(
                update={"key": (own.name,), "columns": (first, *rest), "parent": parent}
            ),
        )
    for name in holder.table.key:
        column = holder.column(name)
        assert column is not None
        alone = len(holder.table.key) == 1
        columns.append(
            Column(
                name=name if name.startswith(prefix) else f"{prefix}_{name}",
                type=column.type,
                references=holder.name if alone else None,
                on_delete="cascade" if alone else "restrict",
                required=True,
                nullable=False,
            )
        )
    names = tuple(c.name for c in columns)
    if set(names) & {c.name for c in bare.table.columns} or not bare.table.columns:
        return None
    parent = Parent(table=holder.name, columns=names, each=each)
    table = bare.table.model_copy(
        update={"key": names, "columns": (*columns, *bare.table.columns), "parent": parent}
    )
    return replace(bare, table=table, hidden=bare.hidden | set(names))


def _apart(sheet: Sheet) -> Sheet:
    """The sheet without the columns that only the paths of its operations show."""
    held = {name for names in sheet.parents.values() for name in names} & sheet.hidden
    columns = tuple(c for c in sheet.table.columns if c.name not in held)
    table = sheet.table.model_copy(update={"columns": columns, "parent": None})
    return replace(sheet, table=table, parents={}, hidden=sheet.hidden - held)


def _says(column: Column, holder: Sheet) -> bool:
    """Whether a column is the key of what the record is of, by its own name."""
    named = holder.entity.noun in (split(column.name), without_id(column.name))
    return named and column.references == holder.name


# ----------------------------------------------------------------------------- plans


def plan_sub(model: Model, reading: Reading) -> Plan | None:
    """None where the operation is about no such record. Raises Unclear."""
    found = place_of(reading)
    noun = model.subs.get(found[1]) if found is not None else None
    if found is None or noun is None:
        return None
    step, (of, _) = found
    sheet, holder = model.sheets[noun], model.sheets[of]
    keys = _keys(holder, sheet, reading, step)
    method = reading.operation.method
    if method == "GET":
        _check_rest(reading, keys)
        return Plan(reading, sheet, "get", tuple(keys), _reply(model, sheet, reading, "shown"))
    if method == "DELETE":
        _check_rest(reading, keys)
        reply = _reply(model, sheet, reading, "deleted")
        switch = _switched(model, sheet, False)
        if switch is not None:
            return Plan(reading, sheet, "update", tuple(keys), reply, sets=switch)
        return Plan(reading, sheet, "delete", tuple(keys), reply)
    if method == "PUT" and not reading.taken("body"):
        reply = _reply(model, sheet, reading, "set")
        switch = _switched(model, sheet, True)
        if switch is not None:
            return Plan(reading, sheet, "update", tuple(keys), reply, sets=switch)
        sets = _made_true(sheet, reading)
        check_filled(sheet, {*sheet.table.key, *sets})
        guard = Guard(holder.name, holder.table.noun, tuple(u.name for u in keys))
        return Plan(reading, sheet, "update", tuple(keys), reply, (guard,), sets=sets, work=Put())
    plan = plan_update(model, reading, sheet, keys)
    plan = replace(plan, reply=_reply(model, sheet, reading, "updated"))
    if not sheet.entity.creates or method == "PATCH":
        return plan
    check_filled(sheet, {u.column for u in plan.uses})
    _check_own_flag(sheet, reading, {u.column for u in plan.uses})
    guard = Guard(holder.name, holder.table.noun, tuple(u.name for u in keys))
    return replace(plan, guards=(guard,), work=Put())


def _keys(holder: Sheet, sheet: Sheet, reading: Reading, step: Step) -> list[Use]:
    place = reading.steps.index(step)
    uses = key_uses(holder, replace(reading, steps=reading.steps[: place + 1]))
    by_column = {u.column: u for u in uses}
    if set(by_column) != set(holder.table.key):
        raise Unclear(f"its path does not pick {a(holder.entity.noun)} by its key")
    pairs = zip(holder.table.key, sheet.table.key, strict=True)
    return [replace(by_column[own], column=mine) for own, mine in pairs]


def _check_rest(reading: Reading, keys: list[Use]) -> None:
    taken = {u.name for u in keys}
    for argument in reading.taken("body", "query"):
        if argument.required and argument.name not in taken:
            raise Unclear(f"nothing shows what its required argument {argument.field} does")


def _reply(model: Model, sheet: Sheet, reading: Reading, done: str) -> Reply:
    if reading.answer.kind in ("none", "empty"):
        return constant_reply(sheet, reading, "", done)
    return record_reply(model, sheet, reading)


def _flags(shape: Shape | None) -> bool:
    """Whether the one thing that can be done to it is to switch it on and off."""
    return shape is not None and any(split(name) in _FLAGS for name in shape.names())


def _made_true(sheet: Sheet, reading: Reading) -> dict[str, Json]:
    """`subscribed` of a subscription that is made by putting nothing: yes; other flags: no."""
    own = _own_flags(sheet, reading)
    if len(own) != 1:
        raise Unclear("nothing shows what it sets")
    flags = [c.name for c in sheet.table.columns if c.type == "boolean"]
    return {name: name in own for name in flags}


def _own_flags(sheet: Sheet, reading: Reading) -> list[str]:
    """The flags that are called like the path: `subscribed` of a `subscription`."""
    stem = split(reading.steps[-1].text)[-1][:6]
    flags = [c.name for c in sheet.table.columns if c.type == "boolean"]
    return [name for name in flags if split(name)[-1].startswith(stem) and len(stem) > 3]


def _check_own_flag(sheet: Sheet, reading: Reading, given: Collection[str]) -> None:
    """Unclear where what is put says, beside what it is given, whether it is what it is called."""
    for name in _own_flags(sheet, reading):
        if name not in given:
            raise Unclear(f"nothing shows whether what it puts is {name}")


def _switched(model: Model, sheet: Sheet, on: bool) -> dict[str, Json] | None:
    """What a PUT that takes nothing sets, and a DELETE takes back: the one flag of the record."""
    if sheet.entity.creates:
        return None
    found = [c for c in sheet.table.columns if c.type == "boolean" and split(c.name) in _FLAGS]
    return {found[0].name: on} if len(found) == 1 else None
