"""Plans of operations that read: one record, a list, a list with a fixed filter.

Always holds: every filter is a column and a comparison that the document names; a list under a
parent asks for the parent first.
"""

from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.filters import BOUND_WORDS, find_column, is_look, list_uses
from forge.authors.structural.plans.paging import default_size, paging_use, usual_order
from forge.authors.structural.plans.parts import key_uses, match_use, parent_uses, record_reply
from forge.authors.structural.plans.plans import Guard, Plan, Reply, Through, Use
from forge.authors.structural.plans.views import Unclear, View, envelope_of, view_of, whole_view
from forge.authors.structural.reading.reading import Argument, Reading
from forge.authors.structural.reading.routes import name_of
from forge.authors.structural.words import is_id, one, without_id
from forge.types.data import Json


def plan_get(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    uses = key_uses(sheet, reading)
    check_rest(reading, uses)
    reply = _id_reply(sheet, reading) or record_reply(model, sheet, reading)
    return Plan(reading, sheet, "get", tuple(uses), reply)


def check_rest(reading: Reading, uses: list[Use]) -> None:
    """An argument that must be passed and has no use leaves the operation out."""
    used = {u.name for u in uses}
    for argument in reading.arguments:
        if argument.required and argument.name not in used and not is_look(argument):
            raise Unclear(f"nothing shows what its required argument {argument.field} chooses")


def _id_reply(sheet: Sheet, reading: Reading) -> Reply | None:
    """The answer of `get_project_id_by_name`, where it is the bare id."""
    answer = reading.answer
    if answer.kind != "value" or sheet.key is None or answer.shape is None:
        return None
    if name_of(reading).asks_id and answer.shape.type == sheet.key.kind:
        return Reply("scalar", scalar=sheet.key.column)
    return None


def plan_single(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    check_rest(reading, [])
    return Plan(reading, sheet, "get", (), record_reply(model, sheet, reading))


def plan_list(
    model: Model,
    reading: Reading,
    sheet: Sheet,
    *,
    fixed: dict[str, Json] | None = None,
    needs_filter: bool = False,
) -> Plan:
    through = _through(model, sheet, reading)
    uses, guards = ([], []) if through else parent_uses(model, sheet, reading)
    taken = {u.name for u in uses} | ({through.use.name} if through else set())
    rest = tuple(a for a in reading.arguments if a.name not in taken and a.where != "path")
    uses = [*uses, *list_uses(model, sheet, rest)]
    if through is not None:
        uses = [u for u in uses if u.role == "match"]
    if not reading.steps:
        guards = [*guards, *_named_parents(model, sheet, uses)]
    if needs_filter:
        _check_search(rest, uses)
    uses = _without_inside(uses)
    uses, reply = list_reply(model, sheet, reading, uses)
    told = f"{reading.operation.summary} {reading.operation.description}"
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
        through=through,
        order=usual_order(sheet, told, uses),
    )


def plan_values(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`list_note_titles`: of each record, the value of the one column that its name ends in."""
    column = sheet.worded(one(reading.words[-1:]))
    item = reading.answer.shape
    sure = column is not None and (column.required or column.name in sheet.table.key)
    if column is None or item is None or not sure or column.name in sheet.hidden:
        raise Unclear("its answer is no list of records")
    if item.type != column.type:
        raise Unclear(f"its answer lists no values of {column.name}")
    listed = replace(reading, answer=replace(reading.answer, kind="list", shape=None))
    plan = plan_list(model, listed, sheet)
    view = View(sheet.name, (column.name,), (), frozenset(), whole=False, bare=True)
    return replace(plan, reply=replace(plan.reply, view=view))


def _check_search(arguments: tuple[Argument, ...], uses: list[Use]) -> None:
    """A search is a list with filters only if each of its arguments is one."""
    known = {u.name for u in uses}
    if any(a.name not in known and not is_look(a) for a in arguments):
        raise Unclear("its search has a language of its own")
    if not any(u.role in ("match", "inside") for u in uses):
        raise Unclear("nothing shows what it searches by")


def _without_inside(uses: list[Use]) -> list[Use]:
    """A look into the items of a column goes with no parts of an answer: those are made before."""
    inside = [u for u in uses if u.role == "inside"]
    if not inside or not any(u.role in ("limit", "offset", "page", "cursor") for u in uses):
        return uses
    for use in inside:
        if use.required:
            raise Unclear(f"nothing shows what its required argument {use.name} selects by")
    return [u for u in uses if u.role != "inside"]


def _through(model: Model, sheet: Sheet, reading: Reading) -> Through | None:
    """`/tasks/{task_id}/tags`, where the task lists its tags and not the tag its tasks."""
    if not reading.steps:
        return _through_named(model, sheet, reading)
    holders = [step for step in reading.steps[:-1] if step.arguments]
    if len(holders) != 1 or holders[0].noun in sheet.parents or not reading.steps[-1].words:
        return None
    holder = model.sheets.get(holders[0].noun)
    if holder is None or len(holders[0].arguments) != 1:
        return None
    column = holder.worded(reading.steps[-1].words)
    items = column.items if column is not None else None
    if column is None or items is None or items.references != sheet.name:
        return None
    if column.name in holder.hidden:
        return None
    inner = replace(reading, steps=reading.steps[:-1])
    uses = key_uses(holder, inner)
    return Through(holder, uses[0], column.name) if len(uses) == 1 else None


def _through_named(model: Model, sheet: Sheet, reading: Reading) -> Through | None:
    """`list_tags(task_id)` likewise."""
    for argument in reading.arguments:
        holder = model.sheets.get(without_id(argument.field)) if is_id(argument.field) else None
        if holder is None or holder.key is None or not argument.required or holder is sheet:
            continue
        if holder.key.kind != argument.shape.type or len(holder.table.key) != 1:
            continue
        key = holder.column(holder.key.column)
        naming = [c for c in holder.table.columns if c.items and c.items.references == sheet.name]
        if key is not None and len(naming) == 1 and find_column(sheet, argument.words) is None:
            return Through(holder, match_use(argument, key), naming[0].name)
    return None


def plan_search(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """A list whose filters are those that can only mean equality: how a search compares texts, and
    objects, nothing shows unless its arguments are described as the rules of filters know."""
    plan = plan_list(model, reading, sheet)
    uses = [u for u in plan.uses if u.role != "match" or _only_equal(sheet, u)]
    if any(u.required for u in plan.uses if u not in uses):
        raise Unclear("nothing shows how its search compares texts")
    if not any(u.role == "match" for u in uses) and not only_pages(reading):
        raise Unclear("nothing shows what it searches by")
    return replace(plan, uses=tuple(uses))


def only_pages(reading: Reading) -> bool:
    """Whether its arguments choose no records, only what part of them is answered."""
    return all(
        is_look(a) or paging_use(a) is not None for a in reading.arguments if a.where != "path"
    )


def _only_equal(sheet: Sheet, use: Use) -> bool:
    column = sheet.column(use.column)
    if column is None or use.op != "eq":
        return column is not None
    if use.argument.words[-1:] != () and use.argument.words[-1] in BOUND_WORDS:
        return (
            False  # `yearFrom` of a search, where the record has a `yearFrom`: from it, or at it?
        )
    plain = column.type == "string" and not (column.enum or column.references or column.format)
    return (
        (not plain and column.type != "object") or column.unique or column.name in sheet.table.key
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
    if answer.kind == "none" or (answer.shape is None and answer.kind != "list"):
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
    if not roles & {"limit", "page", "after", "before"}:
        kinds -= {"more"}
    envelope = envelope_of(answer.whole, answer.path, frozenset(kinds))
    if "cursor" in roles and "'next'" not in repr(envelope):
        uses = [u for u in uses if u.role != "cursor"]
    if "offset" in roles and "limit" not in roles:
        uses = [u for u in uses if u.role != "offset"]
    shape = answer.shape
    view = whole_view(sheet) if shape is None else view_of(model, sheet, shape)
    return uses, Reply("list", view, envelope)
