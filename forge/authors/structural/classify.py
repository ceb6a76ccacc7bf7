"""An operation as a plan, or the reason why there is none.

Always holds: nothing is planned that the document does not show; what needs meaning that rules
cannot see raises `Unclear` with the reason, in words for the report.
"""

from forge.authors.structural.actions import plan_action
from forge.authors.structural.columns import is_id, schema_of, without_id
from forge.authors.structural.filters import default_size, is_look, list_uses
from forge.authors.structural.model import Model, Sheet, field_arguments
from forge.authors.structural.parts import (
    children,
    constant_reply,
    field_use,
    key_uses,
    parent_uses,
    record_reply,
)
from forge.authors.structural.plans import Guard, Plan, Reply, Use
from forge.authors.structural.reading import Reading, plain
from forge.authors.structural.routes import CREATE, DELETE, GET, LIST, MINE, UPDATE, name_of
from forge.authors.structural.views import Unclear, envelope_of, view_of, whole_view
from forge.authors.structural.words import one, said, split
from forge.types.data import Json


def plan_of(model: Model, reading: Reading) -> Plan:
    """Raises Unclear."""
    if reading.odd:
        raise Unclear(f"it {reading.odd}" if not reading.odd.startswith("its") else reading.odd)
    sheet = model.of(reading)
    if sheet is None:
        noun = model.entities.about.get(reading.operation.name, ())
        what = f"a {said(noun)} is" if noun else "what it is about is"
        raise Unclear(f"{what} no record that the document shows whole")
    return _by_path(model, reading, sheet) if reading.steps else _by_name(model, reading, sheet)


def _by_path(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    method, last = reading.operation.method, reading.steps[-1]
    own = last.noun == sheet.entity.noun
    if any(step.words in MINE for step in reading.steps):
        return plan_action(model, reading, sheet)
    if reading.on_item:
        if not own:
            return plan_action(model, reading, sheet)
        if method == "GET":
            return plan_get(model, reading, sheet)
        if method == "DELETE":
            return plan_delete(model, reading, sheet)
        if method in ("PUT", "PATCH"):
            return plan_update(model, reading, sheet)
        if method == "POST" and _says_update(reading):
            return plan_update(model, reading, sheet)
        raise Unclear("a POST to one record may do anything")
    if not own:
        return plan_action(model, reading, sheet)
    if method == "GET":
        if sheet.entity.singleton:
            return _get_single(model, reading, sheet)
        if reading.answer.kind == "list":
            return plan_list(model, reading, sheet)
        raise Unclear("its answer is no list of records")
    if method == "POST" and not sheet.entity.singleton:
        return plan_create(model, reading, sheet)
    if method in ("PUT", "PATCH"):
        return plan_update(model, reading, sheet)
    if method == "DELETE":
        raise Unclear("it deletes many records at once")
    raise Unclear(f"nothing shows what {method} does here")


def _by_name(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    name = name_of(reading)
    own = name.noun == sheet.entity.noun
    if name.mine:
        return plan_action(model, reading, sheet)
    if own and name.verb in CREATE:
        return plan_create(model, reading, sheet)
    if own and name.verb in DELETE:
        return plan_delete(model, reading, sheet)
    if own and name.verb in UPDATE:
        return plan_update(model, reading, sheet)
    is_list = reading.answer.kind == "list" or (reading.answer.kind == "none" and name.plural)
    if own and name.verb in GET | LIST | {"find"}:
        return plan_list(model, reading, sheet) if is_list else plan_get(model, reading, sheet)
    return plan_action(model, reading, sheet)


def _says_update(reading: Reading) -> bool:
    return reading.words[:1] in (("update",), ("edit",), ("modify",), ("patch",)) or any(
        reading.operation.summary.lower().startswith(word) for word in ("update", "edit", "modif")
    )


# ------------------------------------------------------------------------ reads


def plan_get(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    uses = key_uses(sheet, reading)
    reply = _id_reply(sheet, reading) or record_reply(model, sheet, reading)
    return Plan(reading, sheet, "get", tuple(uses), reply)


def _id_reply(sheet: Sheet, reading: Reading) -> Reply | None:
    """The answer of `get_project_id_by_name`, where it is the bare id."""
    answer = reading.answer
    if answer.kind != "value" or sheet.key is None or answer.shape is None:
        return None
    if name_of(reading).asks_id and answer.shape.type == sheet.key.kind:
        return Reply("scalar", scalar=sheet.key.column)
    return None


def _get_single(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    if any(a.required and not is_look(a) for a in reading.arguments):
        raise Unclear("nothing shows what its required arguments choose")
    return Plan(reading, sheet, "get", (), record_reply(model, sheet, reading))


def plan_list(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    *,
    fixed: dict[str, Json] | None = None,
    needs_filter: bool = False,
) -> Plan:
    uses, guards = parent_uses(model, sheet, reading)
    taken = {u.name for u in uses}
    rest = tuple(a for a in reading.arguments if a.name not in taken and a.where != "path")
    uses = [*uses, *list_uses(model, sheet, rest)]
    if not reading.steps:
        guards = [*guards, *_named_parents(model, sheet, uses)]
    if needs_filter and not any(u.role == "match" for u in uses):
        raise Unclear("nothing shows what it searches by")
    uses, reply = list_reply(model, sheet, reading, uses)
    size = next((u.argument for u in uses if u.role == "limit"), None)
    return Plan(
        reading,
        sheet,
        "list",
        tuple(uses),
        reply,
        tuple(guards),
        fixed=fixed or {},
        page_size=default_size(size) or 20,
    )


def _named_parents(model: Model, sheet: Sheet, uses: list[Use]) -> list[Guard]:
    """A required argument that is the key of the parent must be the key of one that is there."""
    guards = []
    for use in uses:
        column = sheet.column(use.column) if use.role == "match" and use.required else None
        if column is not None and column.references and use.op == "eq":
            target = model.of_table(column.references)
            guards.append(Guard(column.references, target.table.noun, (use.name,)))
    return guards


def list_reply(
    model: Model, sheet: Sheet, reading: Reading, uses: list[Use]
) -> tuple[list[Use], Reply]:
    """How a list is answered; parts of the answer that no argument could ask for go."""
    roles = {u.role for u in uses}
    answer = reading.answer
    if answer.kind == "none" or answer.shape is None:
        kept = [u for u in uses if u.role != "cursor"]
        return kept, Reply("list", whole_view(sheet))
    kinds = {"total", "limit", "offset", "page", "pages", "more", "next"}
    if "page" not in roles:
        kinds -= {"page"}
    if "limit" not in roles:
        kinds -= {"limit", "pages"}
    if "offset" not in roles:
        kinds -= {"offset"}
    if "cursor" not in roles:
        kinds -= {"next"}
    if not roles & {"limit", "page"}:
        kinds -= {"more"}
    envelope = envelope_of(answer.whole, answer.path, frozenset(kinds))
    if "cursor" in roles and "'next'" not in repr(envelope):
        uses = [u for u in uses if u.role != "cursor"]
    if "offset" in roles and "limit" not in roles:
        uses = [u for u in uses if u.role != "offset"]
    return uses, Reply("list", view_of(model, sheet, answer.shape), envelope)


# ----------------------------------------------------------------------- writes


def plan_create(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    outer, guards = parent_uses(model, sheet, reading)
    uses = []
    for use in outer:
        column = sheet.column(use.column)
        if column is None or column.type == "array":
            raise Unclear(f"a new {sheet.table.noun} may be in several of what it is made in")
        uses.append(
            Use(use.argument, "field", use.schema, True, use.column)
        )
    taken = {u.name for u in uses}
    filled = {u.column for u in uses}
    for argument in field_arguments(reading):
        if argument.name in taken or argument.where == "path":
            continue
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
    uses = _needed(sheet, uses)
    _check_filled(sheet, {u.column for u in uses})
    if not uses:
        raise Unclear("nothing shows what a new record holds")
    sets = _made_by(model, sheet, {u.column for u in uses})
    reply = record_reply(model, sheet, reading)
    return Plan(reading, sheet, "create", tuple(uses), reply, tuple(guards), sets=sets)


def _is_made(sheet: Sheet, field: str) -> bool:
    column = sheet.column(field)
    return column is not None and column.generated is not None


def _needed(sheet: Sheet, uses: list[Use]) -> list[Use]:
    """Columns that must have a value and get none by themselves: their arguments are required."""
    made = []
    for use in uses:
        column = sheet.column(use.column)
        must = (
            column is not None
            and column.required
            and column.default is None
            and column.generated is None
        )
        made.append(Use(use.argument, "field", use.schema, use.required or must, use.column))
    return made


def _check_filled(sheet: Sheet, filled: set[str]) -> None:
    for column in sheet.table.columns:
        given = column.default is not None or column.generated is not None
        if column.required and not given and column.name not in filled:
            raise Unclear(f"nothing shows the {said(split(column.name))} of a new {sheet.table.noun}")


def _made_by(model: Model, sheet: Sheet, filled: set[str]) -> dict[str, Json]:
    if model.actors is None:
        return {}
    made: dict[str, Json] = {}
    for column in sheet.table.columns:
        words = split(column.name)
        if column.references == model.actors and column.name not in filled:
            bare = without_id(column.name) if is_id(column.name) else words
            if bare in (("created", "by"), ("creator",), ("author",)) or words == ("created", "by"):
                made[column.name] = "$me"
    return made


def plan_update(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    if sheet.entity.singleton:
        keys: list[Use] = []
    elif reading.steps and not reading.on_item:
        raise Unclear("nothing shows which record it changes")
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
        fixed = made is not None and (made.column in sheet.table.key or made.column in filled)
        if made is None or fixed:
            if argument.required and not fixed:
                raise Unclear(f"nothing shows what its required argument {argument.field} becomes")
            continue
        uses.append(made)
        filled.add(made.column)
    if not uses:
        raise Unclear("nothing shows what it changes")
    replaces = _replaces(reading, uses)
    if replaces:
        uses = [u for u in uses if u.column not in picked]
    reply = record_reply(model, sheet, reading)
    notes = ("What is not passed is set back to its default.",) if replaces else ()
    return Plan(
        reading, sheet, "update", (*keys, *uses), reply, replaces=replaces, notes=notes
    )


_PARTIAL = ("only the", "unspecified", "not given stays", "stays as it is", "partial", "fields provided",
            "provided in the", "the rest stays", "remain unchanged", "omitted")


def _replaces(reading: Reading, uses: list[Use]) -> bool:
    """Whether a PUT is given the whole record: it says so, or it asks for more than the key."""
    operation = reading.operation
    if operation.method != "PUT":
        return False
    text = f"{operation.summary} {operation.description}".lower()
    if any(word in text for word in _PARTIAL):
        return False
    return "replace" in text or "overwrite" in text or any(u.required for u in uses)


def plan_delete(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    if reading.answer.kind == "list":
        raise Unclear("it deletes many records at once")
    uses = key_uses(sheet, reading)
    others = [a for a in reading.arguments if a.name not in {u.name for u in uses}]
    for argument in others:
        if argument.required and not is_look(argument):
            raise Unclear(f"nothing shows what its required argument {argument.field} does")
    answer = reading.answer
    same = model.entities.of_shape(answer.shape) if answer.shape else None
    if answer.kind == "record" and same is not None and same.noun == sheet.entity.noun:
        reply = record_reply(model, sheet, reading)
    else:
        reply = constant_reply(sheet, reading, uses[-1].name, "deleted")
    return Plan(reading, sheet, "delete", tuple(uses), reply)


__all__ = ["children", "one", "plain", "plan_of", "schema_of"]
