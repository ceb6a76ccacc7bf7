"""Plans of operations that make, change and delete one record.

Always holds: every argument that is kept is written to a column or picks the record; whatever a
new record must have is given, made or has a default.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.filters import is_look
from forge.authors.structural.plans.needs import check_besides, delete_needs
from forge.authors.structural.plans.parts import (
    constant_reply,
    field_use,
    key_uses,
    match_use,
    parent_uses,
    record_reply,
)
from forge.authors.structural.plans.plans import Cleared, Guard, Plan, Put, Use
from forge.authors.structural.plans.unseen import MAKES, unseen_use
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Argument, Reading, Step, field_arguments
from forge.authors.structural.reading.routes import CREATE, GET, LIST, UPDATE
from forge.authors.structural.shapes import is_gone
from forge.authors.structural.words import a, is_id, said, snake, split, without_id, word_set
from forge.types.data import Json
from forge.types.state import Column


def plan_create(
    model: Model, reading: Reading, sheet: Sheet, under: tuple[Step, Column] | None = None
) -> Plan:
    if _is_process(sheet):
        raise Unclear(f"it starts {a(sheet.entity.noun)} whose outcome nothing shows")
    if _is_asked(sheet):
        raise Unclear(f"{a(sheet.entity.noun)} is a question that the server answers")
    said_first = _first_word(reading)
    if reading.steps and said_first in _OTHERWISE:
        raise Unclear(f"to {said_first} something is no making of a record")
    doing = [word for word in reading.words if word in _DOING]
    if doing and not set(reading.words) & CREATE:
        raise Unclear(f"to {doing[0]} something is more than to make a record")
    _check_alone(reading)
    outer, guards = parent_uses(model, sheet, reading)
    uses = []
    if under is not None:
        step, holder = under
        outer = [match_use(step.arguments[0], holder)]
        guards = [Guard(sheet.name, sheet.table.noun, (step.arguments[0].name,))]
    for use in outer:
        column = sheet.column(use.column)
        if column is None or column.type == "array":
            raise Unclear(f"a new {sheet.table.noun} may be in several of what it is made in")
        uses.append(Use(use.argument, "field", use.schema, True, use.column))
    taken = {u.name for u in uses}
    filled = {u.column for u in uses}
    for argument in field_arguments(reading):
        if argument.name in taken or argument.where == "path":
            continue
        if not reading.steps and argument.required and _is_made(sheet, argument.field):
            raise Unclear(f"it takes {argument.field} of what is there already")
        made = field_use(model, sheet, argument, create=True)
        if made is None or made.column in filled:
            if argument.required and not _is_made(sheet, argument.field):
                raise Unclear(f"nothing shows what its required argument {argument.field} becomes")
            continue
        uses.append(made)
        filled.add(made.column)
    for argument in reading.taken("query", "header", "cookie") if reading.steps else ():
        if argument.required and not is_look(argument):
            raise Unclear(f"nothing shows what its required argument {argument.field} does")
    uses = needed_uses(sheet, reading, uses)
    check_filled(sheet, {u.column for u in uses})
    if not uses:
        raise Unclear("nothing shows what a new record holds")
    sets = _made_by(model, reading, sheet, {u.column for u in uses})
    reply = record_reply(model, sheet, reading)
    return Plan(reading, sheet, "create", tuple(uses), reply, tuple(guards), sets=sets)


_PROCESSES = frozenset(
    ("export", "import", "job", "run", "execution", "backup", "sync", "migration", "batch")
)


def _is_process(sheet: Sheet) -> bool:
    """Whether a record stands for work that the server does, with a state that it sets."""
    states = [sheet.worded((word,)) for word in ("status", "state")]
    return sheet.entity.noun[-1] in _PROCESSES and any(states)


_SERVERS = re.compile(r"\b(filled in|populated|determined|computed) by the (server|system)\b", re.I)


def _is_asked(sheet: Sheet) -> bool:
    """Whether it is only made, for what the server then says of it, and never read again."""
    entity = sheet.entity
    return not (entity.items or entity.lists) and any(
        _SERVERS.search(shape.property(name).description)
        for shape in entity.shown
        for name in shape.names()
    )


_ALREADY = re.compile(
    r"\b(have|has|was|were|you) already (added|created|made|given)\b"
    r"|\balready exists?, the existing\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"^(adds?|creates?|removes?|closes?|deletes?|deactivates?|updates?) .*\b(to|of|for|from) all\b",
    re.IGNORECASE | re.DOTALL,
)


def _check_alone(reading: Reading) -> None:
    """Unclear where what it makes may be there already, or where other records change, too, unless
    one asks for nothing else."""
    if _ALREADY.search(reading.operation.description):
        raise Unclear("nothing shows what it answers where there is one already")
    for argument in reading.taken("body"):
        if argument.shape.type == "boolean" and _BESIDE.search(argument.description):
            unless = argument.shape.schema.get("default") is True
            if unless or re.search(r"\bdefault:? `?true", argument.description, re.I):
                raise Unclear(f"{argument.field}, if not given, changes other records, too")


_OTHERWISE = UPDATE | GET | LIST


def _first_word(reading: Reading) -> str:
    """The verb that the document's own words begin with, bare: "Updates the features of"."""
    operation = reading.operation
    text = operation.description or operation.summary
    return next(iter(re.findall(r"[a-z]+", text.lower())), "").removesuffix("s")


_DOING = word_set(
    "install upgrade trigger retry run send execute invoke restart reboot rotate migrate transfer "
    "validate test convert capture refund merge duplicate copy clone import export search login"
)


def _is_made(sheet: Sheet, field: str) -> bool:
    column = sheet.column(field)
    return column is not None and column.generated is not None


_OPTIONAL = re.compile(r"^\W*optional\b|\bis optional\b", re.IGNORECASE)


def needed_uses(sheet: Sheet, reading: Reading, uses: list[Use]) -> list[Use]:
    """Columns that must have a value and get none by themselves: their arguments are required,
    unless the document says that they need not be passed."""
    made = []
    for use in uses:
        column = sheet.column(use.column)
        must = (
            column is not None
            and column.required
            and column.default is None
            and column.generated is None
        )
        named = use.column in (*sheet.table.key, sheet.table.label)
        left = not named and not _is_own(sheet, reading)
        if must and not use.required and (left or _OPTIONAL.search(use.argument.description)):
            raise Unclear(f"nothing shows the {said(split(use.column))} where it is not given")
        made.append(Use(use.argument, "field", use.schema, use.required or must, use.column))
    return made


def _is_own(sheet: Sheet, reading: Reading) -> bool:
    """Whether what is taken says as little of what is required as what is shown: it is the same
    schema, or nothing shows more."""
    name = reading.operation.body_entity
    return (
        not reading.steps
        or not sheet.entity.shown
        or any(shape.name == name for shape in sheet.entity.shown if name)
    )


def check_filled(sheet: Sheet, filled: set[str]) -> None:
    for column in sheet.table.columns:
        given = column.default is not None or column.generated is not None
        if column.required and not given and column.name not in filled:
            raise Unclear(
                f"nothing shows the {said(split(column.name))} of a new {sheet.table.noun}"
            )


def _made_by(model: Model, reading: Reading, sheet: Sheet, filled: set[str]) -> dict[str, Json]:
    if model.actors is None:
        return {}
    made: dict[str, Json] = {}
    for column in sheet.table.columns:
        words = split(column.name)
        if column.references == model.actors and column.name not in filled:
            bare = without_id(column.name) if is_id(column.name) else words
            signed = column.name == reading.signer
            if (
                signed
                or bare in (("created", "by"), ("creator",), ("author",))
                or words == ("created", "by")
            ):
                made[column.name] = "$me"
    return made


def plan_update(
    model: Model, reading: Reading, sheet: Sheet, keys: list[Use] | None = None
) -> Plan:
    if keys is not None:
        pass
    elif sheet.entity.singleton:
        keys = []
    elif reading.steps and not reading.on_item:
        keys = [_key_in_body(sheet, reading)]
    else:
        keys = key_uses(sheet, reading)
    taken = {u.name for u in keys}
    picked = {u.column for u in keys}
    uses: list[Use] = []
    filled: set[str] = set()
    for argument in field_arguments(reading):
        if argument.name in taken or argument.where == "path":
            continue
        made = field_use(model, sheet, argument, create=False)
        made = made or unseen_use(model, reading, sheet, argument)
        fixed = made is not None and (made.column in sheet.table.key or made.column in filled)
        if made is None or fixed:
            if argument.required and not fixed:
                raise Unclear(f"nothing shows what its required argument {argument.field} becomes")
            continue
        if _CURRENT.search(argument.description):
            continue
        uses.append(made)
        filled.add(made.column)
    if not uses:
        raise Unclear("nothing shows what it changes")
    replaces = _replaces(sheet, reading, uses)
    uses = uses if replaces else [merging(sheet, use) for use in uses]
    if replaces:
        uses = [u for u in uses if u.column not in picked]
    reply = record_reply(model, sheet, reading)
    notes = ("What is not passed is set back to its default.",) if replaces else ()
    if keys and keys[0].argument.where == "body":
        notes = (*notes, f"`{keys[0].name}` says which {sheet.table.noun}.")
    return Plan(reading, sheet, "update", (*keys, *uses), reply, replaces=replaces, notes=notes)


_CURRENT = re.compile(
    r"\b(confirm|ensure|check|verify)\w* (that )?(you'?re|you are|it is) updating\b", re.IGNORECASE
)
"""Of the version that an update is made from, which is not what it becomes."""


def _key_in_body(sheet: Sheet, reading: Reading) -> Use:
    """`PUT /pet`: what it takes is a whole record, and its key says which, even where that is read
    only, if a record that is not there is refused."""
    key = sheet.key
    alone = len(reading.steps) == 1 and reading.operation.method in ("PUT", "PATCH")
    if key is None or key.hidden or not alone or reading.steps[-1].noun != sheet.entity.noun:
        raise Unclear("nothing shows which record it changes")
    column = sheet.column(key.column)
    assert column is not None
    for argument in reading.taken("body"):
        if argument.field == key.column and argument.shape.type == column.type:
            return match_use(argument, column)
    for shape in sheet.entity.shown:
        whole = shape.name is not None and shape.name == reading.operation.body_entity
        if whole and "404" in reading.operation.failures and key.column in shape.names():
            taken = {a.name for a in reading.arguments}
            name = next(
                n for n in (snake(split(key.column)), f"{sheet.table.noun}_key") if n not in taken
            )
            own = shape.property(key.column)
            return match_use(Argument(name, key.column, "body", own, True, own.description), column)
    raise Unclear("nothing shows which record it changes")


_BY_KEYS = re.compile(
    r"\bkeys?\b[^.]*\b(unset|removed|deleted|cleared)\b[^.]*\b(empty|blank)\b", re.IGNORECASE
)


def merging(sheet: Sheet, use: Use) -> Use:
    """A map is merged where single keys of it are said, here or of another tool that takes it, to
    be taken out by an empty text."""
    column = sheet.column(use.column)
    texts = column is not None and column.values is not None and column.values.type == "string"
    if column is None or not texts:
        return use
    takers = [*sheet.entity.creates, *sheet.entity.updates]
    told = [a.description for r in takers for a in field_arguments(r) if a.field == column.name]
    unset = any(map(_BY_KEYS.search, [use.argument.description, *told]))
    return replace(use, merges=True) if unset else use


_PARTIAL = (
    "only the",
    "unspecified",
    "not given stays",
    "stays as it is",
    "partial",
    "fields provided",
    "provided in the",
    "the rest stays",
    "remain unchanged",
    "omitted",
)


def _replaces(sheet: Sheet, reading: Reading, uses: list[Use]) -> bool:
    """Whether a PUT is given the whole record: it says so, or it asks for more than the key and
    for all that a record cannot be without."""
    operation = reading.operation
    if operation.method != "PUT":
        return False
    text = f"{operation.summary} {operation.description}".lower()
    if any(word in text for word in _PARTIAL):
        return False
    if "replace" in text or "overwrite" in text:
        return True
    return any(u.required for u in uses) and not any(_is_lasting(sheet, u) for u in uses)


def _is_lasting(sheet: Sheet, use: Use) -> bool:
    """Whether a record must have what may be left out, and nothing says what it then is."""
    column = sheet.column(use.column)
    assert column is not None
    return not use.required and column.required and not column.nullable and column.default is None


def _kept_by(model: Model, sheet: Sheet) -> frozenset[str]:
    """The tables whose records keep the one that they refer to from being deleted."""
    return frozenset(
        other.name
        for other in model.sheets.values()
        for c in other.table.columns
        if c.references == sheet.name and c.on_delete == "restrict" and c.required
    )


_MARKS = re.compile(r"^marks? an? ", re.IGNORECASE)
_ALL = re.compile(r"(^|\. )(remove|delete|revoke|clear|unassign)s? all\b", re.IGNORECASE)


def plan_put(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """An update, or, where the document says so, one that makes what is not there."""
    plan = plan_update(model, reading, sheet)
    if not MAKES.search(f"{reading.operation.summary}. {reading.operation.description}"):
        return plan
    key = sheet.key
    given = {u.column for u in plan.uses}
    made = key is None or not set(sheet.table.key) <= given
    column = sheet.column(key.column) if key is not None else None
    if made or column is None or column.generated is not None:
        raise Unclear(f"nothing shows the key of a new {sheet.table.noun}")
    check_filled(sheet, given)
    _, guards = parent_uses(model, sheet, reading)
    return replace(plan, guards=tuple(guards), work=Put())


def plan_delete(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    told = f"{reading.operation.summary}. {reading.operation.description}"
    if reading.answer.kind == "list" or _ALL.search(told):
        raise Unclear("it deletes many records at once")
    if _MARKS.search(told):
        raise Unclear("it marks a record, and nothing shows how")
    check_besides(reading, sheet)
    requires = delete_needs(reading, sheet, _kept_by(model, sheet))
    uses = key_uses(sheet, reading)
    others = [a for a in reading.arguments if a.name not in {u.name for u in uses}]
    for argument in others:
        if argument.required and not is_look(argument):
            raise Unclear(f"nothing shows what its required argument {argument.field} does")
    answer = reading.answer
    same = model.entities.of_shape(answer.shape) if answer.shape else None
    gone = answer.shape is not None and is_gone(answer.shape.schema)
    shown = answer.shape is not None and model.entities.shows(sheet.entity.noun, answer.shape)
    own = same is not None and shown
    if answer.kind == "record" and own and not gone:
        reply = record_reply(model, sheet, reading)
    else:
        reply = constant_reply(sheet, reading, uses[-1].name, "deleted")
    return Plan(reading, sheet, "delete", tuple(uses), reply, requires=requires)


def plan_clear(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`core_memory_clear`: all records go, where the document says that it is all."""
    told = f"{reading.operation.summary}. {reading.operation.description}"
    if reading.arguments or not _ALL.search(told):
        raise Unclear("nothing shows which records it clears")
    if sheet.parents or model.actors is not None:
        raise Unclear("nothing shows whose records it clears")
    reply = constant_reply(sheet, reading, "", "cleared")
    return Plan(reading, sheet, "delete", (), reply, work=Cleared())
