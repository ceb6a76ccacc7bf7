"""Plans of operations on ties: who is in a set, putting one in, taking one out, asking for one.

Always holds: the holder is picked as everywhere; an item that is not there is not found; putting
in what is in already changes nothing, as does taking out what is not, unless the document says
that it is not found.
"""

import re
from dataclasses import replace
from typing import Literal

from forge.authors.structural.model.columns import schema_of
from forge.authors.structural.model.model import Model, Tie
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.model.ties import Touch, of_me, touch_of
from forge.authors.structural.plans.filters import is_look, list_uses
from forge.authors.structural.plans.parts import constant_reply, key_uses, record_reply, told
from forge.authors.structural.plans.plans import Guard, Plan, Reply, Tied, Use
from forge.authors.structural.plans.reads import list_reply
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.plans.writes import check_filled
from forge.authors.structural.reading.reading import Argument, Reading, Step
from forge.authors.structural.words import split
from forge.types.data import Json
from forge.types.environment import Requirement


def plan_tie(model: Model, reading: Reading) -> Plan | None:
    """None where the operation is about no tie. Raises Unclear."""
    touch = touch_of(reading)
    touch = of_me(model, touch) if touch is not None else None
    tie = model.ties.get((touch.holder, touch.words)) if touch is not None else None
    if touch is None or tie is None:
        return None
    holder = model.sheets[tie.holder]
    place = reading.steps.index(touch.step)
    keys: list[Use] = []
    if touch.step.arguments:
        keys = key_uses(holder, replace(reading, steps=reading.steps[: place + 1]))
    _check_rest(reading, touch, keys)
    plan = _planned(model, reading, touch, tie, keys)
    setting = _setting(model, reading, touch, keys)
    return plan if setting is None else replace(plan, guards=(*plan.guards, setting))


def _planned(model: Model, reading: Reading, touch: Touch, tie: Tie, keys: list[Use]) -> Plan:
    holder, items = model.sheets[tie.holder], model.sheets[tie.items]
    if touch.does == "list":
        return _list(model, reading, tie, holder, items, keys)
    if touch.does == "put":
        _check_kept(items, reading)
    requires = _told_of_holder(holder, reading)
    if touch.does in ("set", "clear"):
        plan = _whole(model, reading, tie, holder, items, keys, touch)
        return replace(plan, requires=requires)
    if touch.item is None:
        raise Unclear("nothing shows which of its arguments is the item")
    picks = _item_uses(model, items, reading, touch)
    if touch.does == "ask":
        return _ask(model, reading, tie, holder, items, keys, picks)
    adds = touch.does in ("put", "add")
    plan = _change(model, reading, tie, holder, items, keys, picks, adds=adds)
    if requires and tie.turned:
        raise Unclear(f"its {holder.table.noun} must be in a state")
    return replace(plan, requires=requires)


def _told_of_holder(holder: Sheet, reading: Reading) -> tuple[Requirement, ...]:
    """What must hold of the holder, as descriptions and refusals say: "when visibility is not set
    to `selected`"."""
    operation = reading.operation
    told = " ".join(f"{operation.description} {' '.join(operation.failures.values())}".split())
    found = []
    for column in holder.table.columns:
        values = "|".join(re.escape(v) for v in column.enum or () if isinstance(v, str))
        named = re.escape(" ".join(split(column.name)))
        match = (
            re.search(rf"\b{named}\b[^.]{{0,60}}\bset to `?({values})\b", told) if values else None
        )
        if match is not None:
            found.append(Requirement(column=column.name, op="eq", value=match[1]))
    return tuple(found)


_SET_TO = re.compile(r"\b(?:set|configured) to `(\w+)`")


def _setting(model: Model, reading: Reading, touch: Touch, keys: list[Use]) -> Guard | None:
    """What the description says must be set of the settings that the set is under: `permissions`
    of `/permissions/repositories`, whose "policy must be configured to `selected`"."""
    text = " ".join(reading.operation.description.split())
    told = _SET_TO.search(text)
    if told is None or not touch.under:
        return None
    places = [touch.under[:size] for size in range(len(touch.under), 0, -1)]
    nouns = [noun for place in places if (noun := model.subs.get((touch.holder, place)))]
    sheet = model.sheets[nouns[0]] if nouns else None
    columns = [c for c in sheet.table.columns if told[1] in (c.enum or ())] if sheet else []
    columns = [c for c in columns if f"`{c.name}`" in text] or columns
    if sheet is None or len(columns) != 1:
        raise Unclear("it has a condition that no column shows")
    names = tuple(use.name for use in keys)
    return Guard(sheet.name, sheet.table.noun, names, values=((columns[0].name, told[1]),))


def _check_rest(reading: Reading, touch: Touch, keys: list[Use]) -> None:
    taken = {u.name for u in keys} | {a.name for a in touch.outer}
    taken |= {touch.item.name} if touch.item is not None else set()
    for argument in reading.arguments:
        needed = argument.required and argument.name not in taken
        if needed and touch.does != "list" and not is_look(argument):
            raise Unclear(f"nothing shows what its required argument {argument.field} does")


def _check_kept(items: Sheet, reading: Reading) -> None:
    """Unclear where what is said beside who is put in is shown of them."""
    for argument in reading.taken("body"):
        if items.column(argument.field) is not None or items.worded(argument.words) is not None:
            raise Unclear(f"nothing shows what its argument {argument.field} becomes")


def _guard(holder: Sheet, keys: list[Use]) -> Guard:
    by_column = {u.column: u.name for u in keys}
    if not set(holder.table.key) <= set(by_column):
        raise Unclear(f"its path does not pick a {holder.table.noun} by its key")
    return Guard(holder.name, holder.table.noun, tuple(by_column[c] for c in holder.table.key))


def _list(
    model: Model, reading: Reading, tie: Tie, holder: Sheet, items: Sheet, keys: list[Use]
) -> Plan:
    rest = tuple(a for a in reading.arguments if a.where == "query")
    others = [u for u in list_uses(model, items, rest) if u.role != "cursor"]
    if tie.turned and not tie.link and tuple(u.column for u in keys) == holder.table.key:
        [key] = keys
        column = items.column(tie.column)
        assert column is not None and column.items is not None
        schema = told(schema_of(column.items, nullable=False), key.argument)
        uses = [Use(key.argument, "match", schema, True, tie.column, "has"), *others]
        uses, reply = list_reply(model, items, reading, uses)
        return Plan(reading, items, "list", tuple(uses), reply, (_guard(holder, keys),))
    kept = [u for u in others if u.role in ("match", "limit", "page", "offset")]
    kept, reply = list_reply(model, items, reading, kept)
    work = _tied(model, "list", tie, holder, items, keys)
    return Plan(reading, items, "list", (*apart(keys), *kept), reply, work=work)


def apart(keys: list[Use]) -> list[Use]:
    """Arguments that pick another record than the one that the plan is about."""
    return [replace(u, role="holder") for u in keys]


def _item_uses(
    model: Model, items: Sheet, reading: Reading, touch: Touch
) -> tuple[tuple[Use, ...], Use]:
    """What picks an item: what goes before, and the argument itself."""
    argument = touch.item
    assert argument is not None
    if argument.where == "path":
        own = _named_as_key(items, argument, touch)
        step = Step(reading.steps[-1].text, (*touch.outer, own))
        found = key_uses(items, replace(reading, steps=(step,)))
        if len(found) != len(step.arguments):
            raise Unclear(f"its argument {argument.field} does not pick a {items.table.noun}")
        *outer, last = found
        return tuple(outer), replace(last, argument=argument)
    return (), _given_item(model, items, argument)


_CALLED = re.compile(r"^(the )?(user ?name|login|id) of\b", re.IGNORECASE)


def _named_as_key(items: Sheet, argument: Argument, touch: Touch) -> Argument:
    """An argument that is called as the set calls what is in it, or is said to be the name of one,
    as the key that it is: `/collaborators/{collaborator}`, `{target}` ("username of")."""
    key = items.key
    if key is None or key.hidden or items.column(argument.field) is not None:
        return argument
    said = _CALLED.match(argument.description)
    by_id = said is not None and said[2].lower() == "id"
    fits = said is not None and by_id is not key.natural
    if argument.shape.type != key.kind or not (fits or argument.words == touch.words):
        return argument
    return replace(argument, field=key.column)


def _given_item(model: Model, items: Sheet, argument: Argument) -> Use:
    shape = argument.shape
    single = shape.items() if shape.type == "array" else shape
    if single is None:
        raise Unclear(f"its argument {argument.field} is not of the type of the items")
    column = items.column(items.table.key[0])
    named = model.reference(items, argument.field, single)
    if named is not None and named[0] != items.name:
        raise Unclear(f"its argument {argument.field} names no {items.table.noun}")
    if column is None or single.type != column.type:
        raise Unclear(f"its argument {argument.field} is not of the type of the items")
    schema = schema_of(column, nullable=False)
    if shape.type == "array":
        schema = {"type": "array", "items": schema}
    return Use(argument, "item", told(schema, argument), True, column.name)


def _ask(
    model: Model,
    reading: Reading,
    tie: Tie,
    holder: Sheet,
    items: Sheet,
    keys: list[Use],
    picks: tuple[tuple[Use, ...], Use],
) -> Plan:
    outer, last = picks
    item = replace(last, role="item")
    reply, shows = _reply(model, reading, tie, holder, items, "is in")
    if shows in ("link", "items"):
        raise Unclear(f"its answer is no {items.table.noun}")
    work = _tied(model, "ask", tie, holder, items, keys)
    work = replace(work, item=replace(item, role="match"), outer=outer, shows=shows)
    return Plan(reading, items, "get", (*apart(keys), *_beside(outer), item), reply, work=work)


def _beside(outer: tuple[Use, ...]) -> list[Use]:
    return [replace(use, role="item") for use in outer]


def _change(
    model: Model,
    reading: Reading,
    tie: Tie,
    holder: Sheet,
    items: Sheet,
    keys: list[Use],
    picks: tuple[tuple[Use, ...], Use],
    *,
    adds: bool,
) -> Plan:
    outer, item = picks
    verb: Literal["add", "remove"] = "add" if adds else "remove"
    reply, shows = _reply(model, reading, tie, holder, items, "added" if adds else "removed")
    missed = reading.operation.method == "DELETE" and "404" in reading.operation.failures
    work = replace(
        _tied(model, verb, tie, holder, items, keys),
        item=replace(item, role="match"),
        outer=outer,
        strict=missed and not adds,
        shows=shows,
    )
    if shows == "link" and not adds:
        raise Unclear(f"its answer is a {holder.table.noun} that is gone")
    if work.many and shows in ("item", "link"):
        raise Unclear("its answer shows one of several")
    if work.link is not None:
        if adds:
            check_filled(work.link, {work.column, work.other})
        uses = (*apart(keys), replace(item, role="item"))
        return Plan(reading, work.link, "create" if adds else "delete", uses, reply, work=work)
    if not work.told:
        uses = (*apart(keys), *_beside(outer), replace(item, role="item"))
        return Plan(reading, holder, verb, uses, reply, work=work)
    if tie.turned:
        field = replace(keys[0], role="field", column=tie.column)
        uses = (field, *outer, replace(item, role="match"))
        return Plan(reading, items, verb, uses, reply, work=work)
    field = replace(item, role="field", column=tie.column)
    return Plan(reading, holder, verb, (*keys, field), reply, work=work)


def _whole(
    model: Model,
    reading: Reading,
    tie: Tie,
    holder: Sheet,
    items: Sheet,
    keys: list[Use],
    touch: Touch,
) -> Plan:
    """The set is exchanged for another, or for none."""
    if tie.turned or tie.link or not keys:
        raise Unclear("its whole set is put at once")
    uses = list(keys)
    sets: dict[str, Json] = {}
    if touch.item is None:
        sets = {tie.column: []}
    else:
        item = _given_item(model, items, touch.item)
        uses.append(replace(item, role="field", column=tie.column))
    reply, shows = _reply(model, reading, tie, holder, items, "set")
    if shows == "items":
        work = replace(_tied(model, "set", tie, holder, items, keys), shows=shows)
        return Plan(reading, holder, "update", tuple(uses), reply, sets=sets, work=work)
    if shows not in ("nothing", "holder"):
        raise Unclear("nothing shows what its answer says")
    return Plan(reading, holder, "update", tuple(uses), reply, sets=sets)


def _tied(
    model: Model,
    does: Literal["list", "ask", "add", "remove", "set"],
    tie: Tie,
    holder: Sheet,
    items: Sheet,
    keys: list[Use],
) -> Tied:
    link = model.sheets[tie.link] if tie.link else None
    return Tied(
        does,
        holder,
        items,
        tuple(keys),
        tie.column,
        fixed={} if keys else {holder.table.key[0]: "$me"},
        turned=tie.turned,
        link=link,
        other=tie.other,
    )


def _reply(
    model: Model, reading: Reading, tie: Tie, holder: Sheet, items: Sheet, done: str
) -> tuple[Reply, Literal["nothing", "holder", "item", "items", "link"]]:
    answer = reading.answer
    alone = answer.kind == "list" and not answer.path
    listed = model.entities.of_shape(answer.shape) if alone else None
    if listed is not None and listed.noun == tie.items and not (tie.turned or tie.link):
        _, reply = list_reply(model, items, reading, [])
        return reply, "items"
    if answer.kind in ("none", "empty"):
        return constant_reply(items, reading, "", done), "nothing"
    entity = model.entities.of_shape(answer.shape) if answer.kind == "record" else None
    if entity is not None and entity.noun == tie.link:
        return record_reply(model, model.sheets[tie.link], reading), "link"
    if entity is not None and entity.noun == tie.holder:
        return record_reply(model, holder, reading), "holder"
    if entity is not None and entity.noun == tie.items:
        return record_reply(model, items, reading), "item"
    return constant_reply(items, reading, "", done), "nothing"
