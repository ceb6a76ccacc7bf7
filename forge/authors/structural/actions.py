"""Operations that are neither plain reads nor plain writes of a collection: state transitions,
items added to and taken from lists, one's own records, lists with a fixed filter.

Always holds: a transition needs a column that has the state its verb names; an item goes into the
one column that the relation names.
"""

import re

from forge.authors.structural.columns import is_id, schema_of
from forge.authors.structural.model import Model, Sheet
from forge.authors.structural.parts import (
    constant_reply,
    field_use,
    key_uses,
    match_use,
    parent_uses,
    record_reply,
    told,
)
from forge.authors.structural.plans import Guard, Plan, Reply, Use
from forge.authors.structural.reading import Argument, Reading, Step
from forge.authors.structural.routes import MINE, SET, name_of
from forge.authors.structural.verbs import opposite, participle, states_of
from forge.authors.structural.views import Unclear, envelope_of, view_of, whole_view
from forge.authors.structural.words import Words, many, one, said, snake, split
from forge.types.data import Json
from forge.types.environment import Requirement
from forge.types.state import Column


def plan_action(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """Raises Unclear."""
    if not reading.steps:
        return _named_action(model, reading, sheet)
    last = reading.steps[-1]
    if any(step.words in MINE for step in reading.steps):
        return _mine(model, reading, sheet)
    before = reading.steps[-2] if len(reading.steps) > 1 else None
    method = reading.operation.method
    if method == "GET":
        return _other_list(model, reading, sheet)
    if before is not None and before.arguments and not last.arguments:
        holder = model.sheets.get(before.noun)
        if holder is None:
            raise Unclear(f"a {said(before.noun)} is no record that the document shows")
        return _on_record(model, reading, holder, last.words, before)
    raise Unclear(f"nothing shows what {last.text} does")


# -------------------------------------------------------------- on one record


def _on_record(
    model: Model, reading: Reading, sheet: Sheet, action: Words, step: Step
) -> Plan:
    """`/tasks/{id}/close`, `/tasks/{id}/addFollowers`."""
    inner = Reading(
        reading.operation,
        reading.steps[: reading.steps.index(step) + 1],
        reading.arguments,
        reading.answer,
        reading.body_noun,
    )
    keys = key_uses(sheet, inner)
    return _act(model, reading, sheet, action, keys)


def _named_action(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`close_task`, `assign_task`, `change_member_role`."""
    name = name_of(reading)
    if name.mine:
        return _mine(model, reading, sheet)
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


def _act(
    model: Model, reading: Reading, sheet: Sheet, action: Words, keys: list[Use]
) -> Plan:
    taken = {u.name for u in keys}
    rest = [
        a
        for a in reading.arguments
        if a.name not in taken and a.where not in ("path", "header", "cookie")
    ]
    if action and action[0] in ("add", "remove") and len(action) > 1:
        return _item(model, reading, sheet, action, keys, rest)
    state = _state(sheet, action) if reading.operation.method in ("", "POST", "PUT", "PATCH") else None
    if state is not None:
        return _transition(model, reading, sheet, action, keys, rest, *state)
    return _setting(model, reading, sheet, action, keys, rest)


def _state(sheet: Sheet, action: Words) -> tuple[Column, Json] | None:
    """The column and the value that an action leaves."""
    verb = action
    back = opposite(verb[0]) if len(verb) == 1 else None
    wanted = states_of(verb)
    for column in sheet.table.columns:
        if column.enum is None or column.name in sheet.hidden or column.type != "string":
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
    uses = list(keys)
    for argument in rest:
        use = field_use(model, sheet, argument, create=False)
        if use is not None and use.column != column.name and use.column not in sheet.table.key:
            uses.append(use)
        elif argument.required:
            raise Unclear(f"nothing shows what its required argument {argument.field} does")
    sets: dict[str, Json] = {column.name: value}
    sets |= _stamps(sheet, action, {u.column for u in uses})
    reply = record_reply(model, sheet, reading)
    requires = _told_requirements(sheet, reading) or (
        Requirement(column=column.name, op="ne", value=value),
    )
    return Plan(reading, sheet, "update", tuple(uses), reply, sets=sets, requires=requires)


_ONLY = re.compile(r"\bonly\b[^.`]*?\bwith (?:the |an? )?([\w ]+?) ((?:`[^`]+`(?:,| or|, or)? ?)+)", re.I)


def _told_requirements(sheet: Sheet, reading: Reading) -> tuple[Requirement, ...]:
    """What a documented refusal says must hold: "Only a loan with status `out` can be returned."
    """
    found = []
    for text in reading.operation.failures.values():
        for match in _ONLY.finditer(text):
            column = sheet.worded(split(match[1]))
            values = re.findall(r"`([^`]+)`", match[2])
            if column is None or column.enum is None or not set(values) <= set(column.enum):
                continue
            if len(values) == 1:
                found.append(Requirement(column=column.name, op="eq", value=values[0]))
            else:
                found.append(Requirement(column=column.name, op="in", value=values))
    return tuple(found)


def _stamps(sheet: Sheet, action: Words, filled: set[str]) -> dict[str, Json]:
    """`closed_at` after `close`: the clock; after `reopen`: nothing."""
    sets: dict[str, Json] = {}
    if len(action) != 1:
        return sets
    back = opposite(action[0])
    for column in sheet.table.columns:
        words = split(column.name)
        stamp = column.format in ("date-time", "date") and len(words) == 2
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
        use = field_use(model, sheet, argument, create=False) or _target(model, sheet, action, argument)
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


# --------------------------------------------------------- items of a relation


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
    if column is None or column.items is None:
        raise Unclear(f"a {sheet.table.noun} shows no list of its {said(many(relation))}")
    if any(a.required for a in rest[:0]):
        raise Unclear("")
    needed = [a for a in rest if a.required] or rest
    named = [a for a in needed if one(a.words) in (relation, (*relation, "id"), (*relation, "gid"))]
    if len(named) != 1 or any(a.required and a is not named[0] for a in rest):
        raise Unclear("nothing shows which of its arguments is the item")
    argument = named[0]
    shape = argument.shape
    item = shape.items() if shape.type == "array" else shape
    if item is None or item.type != column.items.type:
        raise Unclear(f"its argument {argument.field} is not of the type of the items")
    single = schema_of(column.items, nullable=False)
    schema = {"type": "array", "items": single} if shape.type == "array" else single
    use = Use(argument, "field", told(schema, argument), True, column.name)
    reply = record_reply(model, sheet, reading)
    verb = "add" if action[0] == "add" else "remove"
    return Plan(reading, sheet, verb, (*keys, use), reply)


# ------------------------------------------------------------------ one's own


def _mine(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    if model.actors is None or reading.operation.method not in ("GET", ""):
        raise Unclear("nothing shows what belongs to the one who asks")
    if sheet.name == model.actors:
        if reading.answer.kind == "list":
            raise Unclear("nothing shows what belongs to the one who asks")
        fixed: dict[str, Json] = {sheet.table.key[0]: "$me"}
        return Plan(reading, sheet, "get", (), record_reply(model, sheet, reading), fixed=fixed)
    column = _own_column(model, sheet, reading)
    fixed = {column.name: "$me"}
    if reading.answer.kind == "record":
        if not column.unique:
            raise Unclear(f"someone may have several {said(many(sheet.entity.noun))}")
        return Plan(reading, sheet, "get", (), record_reply(model, sheet, reading), fixed=fixed)
    from forge.authors.structural.classify import plan_list

    steps = tuple(s for s in reading.steps if s.words not in MINE)
    inner = Reading(
        reading.operation, steps, reading.arguments, reading.answer, reading.body_noun
    )
    return plan_list(model, inner, sheet, fixed=fixed)


def _own_column(model: Model, sheet: Sheet, reading: Reading) -> Column:
    found = [c for c in sheet.table.columns if c.references == model.actors]
    text = f"{reading.operation.summary} {reading.operation.description}".lower()
    if len(found) > 1:
        for hint, stem in (("assigned", "assign"), ("created", "creat"), ("own", "own")):
            fitting = [c for c in found if c.name.lower().startswith(stem)]
            if hint in text and len(fitting) == 1:
                return fitting[0]
        raise Unclear("nothing shows which column says whose it is")
    if not found:
        raise Unclear(f"a {sheet.table.noun} does not show whose it is")
    return found[0]


# -------------------------------------------------------------- other lists


def _other_list(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`/labs/open`, `/pets/findByStatus`, `/tasks/{id}/tags`, `/tasks/{id}/subtasks`."""
    from forge.authors.structural.classify import plan_list

    last = reading.steps[-1]
    before = reading.steps[-2] if len(reading.steps) > 1 else None
    if reading.answer.kind != "list" or last.arguments or before is None:
        raise Unclear(f"nothing shows what {last.text} is")
    if before.arguments:
        return _related(model, reading, sheet, last, before)
    if before.noun != sheet.entity.noun:
        raise Unclear(f"nothing shows what {last.text} is")
    outer = reading.steps[:-1]
    inner = Reading(
        reading.operation, outer, reading.arguments, reading.answer, reading.body_noun
    )
    words = last.words
    if words[:2] == ("find", "by") or words[:1] == ("by",) or words in (("search",), ("find",)):
        return plan_list(model, inner, sheet, needs_filter=True)
    found = _state_named(sheet, words)
    if found is None:
        raise Unclear(f"nothing in the record shows what {last.text} means")
    return plan_list(model, inner, sheet, fixed={found[0].name: found[1]})


def _state_named(sheet: Sheet, words: Words) -> tuple[Column, Json] | None:
    found: list[tuple[Column, Json]] = []
    for column in sheet.table.columns:
        if column.name in sheet.hidden:
            continue
        if column.enum is not None and column.type == "string":
            found += [(column, v) for v in column.enum if split(str(v)) == words]
        elif column.type == "boolean" and split(column.name) in (words, ("is", *words)):
            found.append((column, True))
    return found[0] if len(found) == 1 else None


def _related(
    model: Model, reading: Reading, sheet: Sheet, last: Step, before: Step
) -> Plan:
    holder = model.sheets.get(before.noun)
    if holder is None:
        raise Unclear(f"a {said(before.noun)} is no record that the document shows")
    from forge.authors.structural.classify import list_reply
    from forge.authors.structural.filters import list_uses

    argument = before.arguments[0]
    noun = last.noun
    inverse = _inverse(holder, sheet, noun)
    if inverse is not None:
        rest = tuple(a for a in reading.arguments if a.where == "query")
        uses = [match_use(argument, inverse), *list_uses(model, sheet, rest)]
        uses, reply = list_reply(model, sheet, reading, uses)
        guard = Guard(holder.name, holder.table.noun, (argument.name,))
        return Plan(reading, sheet, "list", tuple(uses), reply, (guard,))
    raise Unclear(f"a {holder.table.noun} does not show its {said(many(noun))}")


def _inverse(holder: Sheet, sheet: Sheet, noun: Words) -> Column | None:
    """The column of a child that names the parent: `subtasks` of a task by `parent`."""
    if noun in (("child",), ("sub", *sheet.entity.noun), ("subtask",)) and holder is sheet:
        found = [
            c
            for c in sheet.table.columns
            if c.references == sheet.name and split(c.name)[:1] == ("parent",)
        ]
        return found[0] if len(found) == 1 else None
    return None


