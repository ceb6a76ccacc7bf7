"""Actions on one record: state transitions, single values set, items added and taken out.

Always holds: a transition needs a column that has the state its verb names; an item goes into the
one column that the relation names.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.columns import schema_of
from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.needs import check_besides, state_needs, told_needs
from forge.authors.structural.plans.parts import field_use, key_uses, record_reply, told
from forge.authors.structural.plans.plans import Plan, Reply, Use
from forge.authors.structural.plans.relations import inverse_of
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.plans.writes import merging, plan_create
from forge.authors.structural.reading.reading import Argument, Reading, Step
from forge.authors.structural.reading.routes import SET
from forge.authors.structural.verbs import opposite, participle, states_of
from forge.authors.structural.words import Words, a, many, one, said, snake, split
from forge.types.data import Json
from forge.types.environment import Requirement, Verb
from forge.types.state import Column


def plan_action(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """Raises Unclear."""
    if not reading.steps:
        return _named_action(model, reading, sheet)
    last = reading.steps[-1]
    before = reading.steps[-2] if len(reading.steps) > 1 else None
    if before is None or not before.arguments or last.arguments:
        raise Unclear(f"nothing shows what {last.text} does")
    holder = model.sheets.get(before.noun)
    if holder is None:
        raise Unclear(f"{a(before.noun)} is no record that the document shows")
    column = inverse_of(holder, sheet, last.noun)
    if column is not None and reading.operation.method == "POST":
        return plan_create(model, replace(reading, steps=(last,)), sheet, (before, column))
    return _on_record(model, reading, holder, last.words, before)


def _on_record(model: Model, reading: Reading, sheet: Sheet, action: Words, step: Step) -> Plan:
    """`/tasks/{id}/close`, `/tasks/{id}/addFollowers`."""
    inner = replace(reading, steps=reading.steps[: reading.steps.index(step) + 1])
    keys = key_uses(sheet, inner)
    return _act(model, reading, sheet, action, keys)


def _named_action(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`close_task`, `assign_task`, `change_member_role`."""
    keys = key_uses(sheet, reading)
    words = reading.words
    noun = sheet.entity.noun
    rest = _without(words, noun)
    return _act(model, reading, sheet, rest, keys)


def _without(words: Words, noun: Words) -> Words:
    for start in range(len(words) - len(noun) + 1):
        if one(words[start : start + len(noun)]) == noun:
            return (*words[:start], *words[start + len(noun) :])
    return words


def _act(model: Model, reading: Reading, sheet: Sheet, action: Words, keys: list[Use]) -> Plan:
    taken = {u.name for u in keys}
    rest = [
        a
        for a in reading.arguments
        if a.name not in taken and a.where not in ("path", "header", "cookie")
    ]
    if action and action[0] in ("add", "remove") and len(action) > 1:
        return _item(model, reading, sheet, action, keys, rest)
    if (named := _listed(sheet, action, rest)) is not None:
        return _put_in(model, reading, sheet, keys, *named)
    marked = _marked(sheet, action)
    if marked is not None and not any(a.required for a in rest):
        silent = reading.answer.kind == "none" and reading.operation.path
        reply = Reply("constant") if silent else record_reply(model, sheet, reading)
        return Plan(reading, sheet, "update", tuple(keys), reply, sets={marked.name: True})
    taken_back = _taken_back(sheet, action) if reading.operation.method == "DELETE" else None
    if taken_back is not None and not any(a.required for a in rest):
        reply = record_reply(model, sheet, reading)
        if reading.answer.kind == "none":
            reply = Reply("constant")
        sets: dict[str, Json] = {taken_back.name: False}
        return Plan(reading, sheet, "update", tuple(keys), reply, sets=sets)
    state = (
        _state(sheet, action) if reading.operation.method in ("", "POST", "PUT", "PATCH") else None
    )
    if state is not None:
        return _transition(model, reading, sheet, action, keys, rest, *state)
    return _setting(model, reading, sheet, action, keys, rest)


def _listed(sheet: Sheet, action: Words, rest: list[Argument]) -> tuple[Column, Argument] | None:
    """The list that a verb is called after, and what is put in: `tag(note_id, tags)`, `mention` of
    what has `mentions`."""
    needed = [a for a in rest if a.required]
    if len(action) != 1 or len(needed) != 1 or needed[0].shape.type != "array":
        return None
    item = needed[0].shape.items()
    for column in sheet.table.columns:
        named = split(column.name) == many(action) != action and column.name not in sheet.hidden
        inner = column.items.type if column.items is not None else ""
        if named and item is not None and inner == item.type and inner in ("string", "integer"):
            return column, needed[0]
    return None


def _put_in(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    keys: list[Use],
    column: Column,
    argument: Argument,
) -> Plan:
    assert column.items is not None
    schema = {"type": "array", "items": schema_of(column.items, nullable=False)}
    use = Use(argument, "field", told(schema, argument), True, column.name)
    return Plan(reading, sheet, "add", (*keys, use), record_reply(model, sheet, reading))


_MARKS = frozenset(("mark", "tag", "flag"))


def _marked(sheet: Sheet, action: Words) -> Column | None:
    """The flag that `mark_feedback_as_done` sets: `feedback_done`. To mark it anew changes nothing,
    and is no mistake."""
    if action[:1] == () or action[0] not in _MARKS or "as" not in action[2:]:
        return None
    place = action.index("as", 2)
    about = tuple(word for word in action[1:place] if word not in ("status", "state"))
    column = sheet.worded((*about, *action[place + 1 :]))
    fits = column is not None and column.type == "boolean" and column.name not in sheet.hidden
    return column if fits else None


def _taken_back(sheet: Sheet, action: Words) -> Column | None:
    """The flag that `PUT /issues/{id}/lock` sets and `DELETE` takes back: `locked`."""
    found = _state(sheet, action) if len(action) == 1 else None
    return found[0] if found is not None and found[1] is True else None


_NO_STATES = (("reason",), ("type",), ("kind",), ("method",))
"""Names of choices that tell of a record what it will stay."""


def _state(sheet: Sheet, action: Words) -> tuple[Column, Json] | None:
    """The column and the value that an action leaves."""
    verb = action
    back = opposite(verb[0]) if len(verb) == 1 else None
    wanted = states_of(verb)
    for column in sheet.table.columns:
        if column.enum is None or column.name in sheet.hidden or column.type != "string":
            continue
        if split(column.name)[-1:] in _NO_STATES:
            continue
        values = {snake(split(str(v))): v for v in column.enum}
        for name in wanted:
            if name in values:
                return column, values[name]
    for column in sheet.table.columns:
        if column.type != "boolean" or column.name in sheet.hidden:
            continue
        words = split(column.name)
        words = words[1:] if words[:1] == ("is",) else words
        name = snake(words)
        if name in wanted:
            return column, True
        if back is not None and name in states_of((back,)):
            return column, False
    return None


def _transition(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    action: Words,
    keys: list[Use],
    rest: list[Argument],
    column: Column,
    value: Json,
) -> Plan:
    check_besides(reading, sheet)
    _check_amounts(sheet, column, value)
    uses = list(keys)
    for argument in rest:
        use = field_use(model, sheet, argument, create=False)
        if (
            argument.shape.type in ("integer", "number")
            and use is not None
            and not _is_time(sheet, use)
        ):
            raise Unclear(f"nothing shows what it makes of {argument.field}")
        if use is not None and use.column != column.name and use.column not in sheet.table.key:
            uses.append(merging(sheet, use))
        elif argument.required:
            raise Unclear(f"nothing shows what its required argument {argument.field} does")
    sets: dict[str, Json] = {column.name: value}
    sets |= _stamps(sheet, action, {u.column for u in uses})
    reply = record_reply(model, sheet, reading)
    again = reading.operation.method == "PUT"  # which may be said again
    requires = (
        told_needs(sheet, reading)
        or state_needs(reading, sheet, column, value)
        or (Requirement(column=column.name, op="ne", value=value),) * (not again)
    )
    return Plan(reading, sheet, "update", tuple(uses), reply, sets=sets, requires=requires)


def _check_amounts(sheet: Sheet, column: Column, value: Json) -> None:
    """Unclear where the record says how much of it is in the new state: `amount_captured`."""
    states = {*split(str(value)), *(split(column.name) if value is True else ())}
    for other in sheet.table.columns:
        counted = other.type in ("integer", "number") and other.format != "unix-time"
        if counted and len(split(other.name)) > 1 and states & set(split(other.name)):
            raise Unclear(f"nothing shows what {other.name} is then")


def _is_time(sheet: Sheet, use: Use) -> bool:
    column = sheet.column(use.column)
    return column is not None and (column.format == "unix-time" or column.references is not None)


def _stamps(sheet: Sheet, action: Words, filled: set[str]) -> dict[str, Json]:
    """`closed_at` after `close`: the clock; after `reopen`: nothing."""
    sets: dict[str, Json] = {}
    if len(action) != 1:
        return sets
    back = opposite(action[0])
    for column in sheet.table.columns:
        words = split(column.name)
        stamp = column.format in ("date-time", "date", "unix-time") and len(words) == 2
        if not stamp or words[1] not in ("at", "on") or column.name in filled:
            continue
        if column.generated is not None or column.required:
            continue
        if words[0] in (*states_of(action), participle(action[0])):
            sets[column.name] = "$now"
        elif back is not None and words[0] in (*states_of((back,)), participle(back)):
            sets[column.name] = None
    return sets


def _setting(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    action: Words,
    keys: list[Use],
    rest: list[Argument],
) -> Plan:
    """`assign_task(task_id, assignee_id)`, `/tasks/{id}/setParent`: the arguments say the rest."""
    verb = action[0] if action else ""
    known = SET | {"change", "update", "put", "transfer", "extend", "adjust"}
    method = reading.operation.method
    plain_put = method in ("PUT", "PATCH") and len(action) >= 1
    if verb not in known and not plain_put:
        raise Unclear(f"nothing in the record shows what {said(action) or 'it'} does")
    uses = list(keys)
    for argument in rest:
        use = field_use(model, sheet, argument, create=False) or _target(
            model, sheet, action, argument
        )
        if use is not None and use.column not in sheet.table.key:
            uses.append(use)
        elif argument.required:
            raise Unclear(f"nothing shows what its required argument {argument.field} becomes")
    if len(uses) == len(keys):
        raise Unclear("nothing shows what it changes")
    named = action[1:] if verb in known else action
    if named and not any(_about(named, u.column) for u in uses[len(keys) :]):
        raise Unclear(f"nothing in the record shows what {said(action)} does")
    reply = record_reply(model, sheet, reading)
    return Plan(reading, sheet, "update", tuple(uses), reply)


def _about(words: Words, column: str) -> bool:
    """Whether an action's words and a column have a word in common."""
    return bool({one((w,)) for w in words} & {one((w,)) for w in split(column)})


def _target(model: Model, sheet: Sheet, action: Words, argument: Argument) -> Use | None:
    """`assign_task(user_id)`: the one column that the verb names and the argument can be in."""
    if action[:1] not in (("assign",), ("reassign",)):
        return None
    found = model.reference(sheet, argument.field, argument.shape)
    if found is None:
        return None
    fitting = [
        c
        for c in sheet.table.columns
        if c.references == found[0] and split(c.name)[:1] in (("assignee",), ("assigned",))
    ]
    if len(fitting) != 1:
        return None
    schema = told(schema_of(fitting[0], nullable=False), argument)
    return Use(argument, "field", schema, argument.required, fitting[0].name)


_LISTED = re.compile(r"(an? |the )?(array|list|comma[- ]separated)\b", re.IGNORECASE)


def _item(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    action: Words,
    keys: list[Use],
    rest: list[Argument],
) -> Plan:
    relation = one(action[1:])
    column = next(
        (
            c
            for c in sheet.table.columns
            if c.items is not None
            and c.items.references
            and one(split(c.name)) in (relation, (*relation, "id"))
        ),
        None,
    )
    if column is None or column.items is None or column.name in sheet.hidden:
        raise Unclear(f"{a(sheet.entity.noun)} shows no list of its {said(many(relation))}")
    needed = [a for a in rest if a.required] or rest
    named = [a for a in needed if one(a.words) in (relation, (*relation, "id"), (*relation, "gid"))]
    if len(named) != 1 or any(a.required and a is not named[0] for a in rest):
        raise Unclear("nothing shows which of its arguments is the item")
    argument = named[0]
    shape = argument.shape
    item = shape.items() if shape.type == "array" else shape
    if item is None or item.type != column.items.type:
        raise Unclear(f"its argument {argument.field} is not of the type of the items")
    if shape.type != "array" and _LISTED.match(argument.description):
        raise Unclear(f"nothing shows how its argument {argument.field} lists several")
    single = schema_of(column.items, nullable=False)
    schema = {"type": "array", "items": single} if shape.type == "array" else single
    use = Use(argument, "field", told(schema, argument), True, column.name)
    reply = record_reply(model, sheet, reading)
    verb: Verb = "add" if action[0] == "add" else "remove"
    return Plan(reading, sheet, verb, (*keys, use), reply)
