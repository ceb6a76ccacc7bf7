"""An operation as a plan, or the reason why there is none.

Always holds: nothing is planned that the document does not show; what needs meaning that rules
cannot see raises `Unclear` with the reason, in words for the report.
"""

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.references import is_mine
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.actions import plan_action
from forge.authors.structural.plans.bulk import plan_bulk, plan_tally
from forge.authors.structural.plans.doubts import check_doubts
from forge.authors.structural.plans.heeded import heeded
from forge.authors.structural.plans.inner import plan_inner
from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.plans.reads import (
    plan_get,
    plan_list,
    plan_search,
    plan_single,
    plan_values,
)
from forge.authors.structural.plans.relations import check_own, plan_mine, plan_other_list
from forge.authors.structural.plans.subs import plan_sub
from forge.authors.structural.plans.switches import plan_switch
from forge.authors.structural.plans.tying import plan_tie
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.plans.within import inner_of, with_holder
from forge.authors.structural.plans.writes import (
    plan_clear,
    plan_create,
    plan_delete,
    plan_put,
    plan_update,
)
from forge.authors.structural.reading.reading import MANY, Reading
from forge.authors.structural.reading.routes import (
    CLEAR,
    CREATE,
    DELETE,
    GET,
    LIST,
    SEARCHES,
    SET,
    UPDATE,
    name_of,
)
from forge.authors.structural.words import a, is_id, is_plural, split, stems, without_id


def plan_of(model: Model, reading: Reading) -> Plan:
    """Raises Unclear."""
    try:
        return heeded(model, _plan(model, reading))
    except Unclear:
        found = (
            plan_tie(model, reading)
            or plan_sub(model, reading)
            or plan_switch(model, reading)
            or plan_inner(model, reading)
            or _within(model, reading)
        )
        if found is None:
            raise
        return heeded(model, found)


def _within(model: Model, reading: Reading) -> Plan | None:
    """By what its holder is in, where the record itself does not say that."""
    found = inner_of(model, reading)
    if found is None:
        return None
    inner, holder, near = found
    try:
        return with_holder(_plan(model, inner), reading, holder, near)
    except Unclear:
        return None


def _plan(model: Model, reading: Reading) -> Plan:
    if reading.odd == MANY:
        return plan_bulk(model, reading)
    if reading.odd:
        raise Unclear(f"it {reading.odd}" if not reading.odd.startswith("its") else reading.odd)
    tally = plan_tally(model, reading)
    if tally is not None:
        return tally
    sheet = model.of(reading)
    if sheet is None:
        noun = model.entities.about.get(reading.operation.name, ())
        what = f"{a(noun)} is" if noun else "what it is about is"
        raise Unclear(f"{what} no record that the document shows whole")
    plan = _by_path(model, reading, sheet) if reading.steps else _by_name(model, reading, sheet)
    _check_hints(plan)
    check_own(plan)
    check_doubts(plan)
    return plan


def _check_hints(plan: Plan) -> None:
    """What a document says of a tool beside its schemas must fit what its name says."""
    hints = plan.reading.operation.hints
    reads = plan.verb in ("get", "list", "count")
    if hints is None:
        return
    if hints.reads is not None and hints.reads is not reads:
        said = "only reads" if hints.reads else "changes something"
        raise Unclear(f"it is said that it {said}, and its name says otherwise")
    if hints.destroys is False and plan.verb in ("delete", "remove"):
        raise Unclear("it is said that it takes nothing away, and its name says otherwise")


def _by_path(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    method, last = reading.operation.method, reading.steps[-1]
    own = last.noun == sheet.entity.noun and not _is_verb(reading)
    if is_mine(reading):
        return plan_mine(model, reading, sheet)
    if reading.on_item:
        if not own and _is_other_door(reading, sheet):
            return plan_get(model, reading, sheet)
        if not own:
            return plan_action(model, reading, sheet)
        if method == "GET":
            return plan_get(model, reading, sheet)
        if method == "DELETE":
            return plan_delete(model, reading, sheet)
        if method == "PUT":
            return plan_put(model, reading, sheet)
        if method == "PATCH":
            return plan_update(model, reading, sheet)
        if method == "POST" and _says_update(reading):
            return plan_update(model, reading, sheet)
        raise Unclear("a POST to one record may do anything")
    asks = method == "POST" and last.words in SEARCHES and reading.answer.kind == "list"
    if not own and (method == "GET" or asks):
        return plan_other_list(model, reading, sheet)
    if not own:
        return plan_action(model, reading, sheet)
    if method == "GET":
        if sheet.entity.singleton:
            return plan_single(model, reading, sheet)
        if reading.answer.kind == "list":
            return plan_list(model, reading, sheet)
        if reading.answer.kind == "values":
            return plan_values(model, reading, sheet)
        raise Unclear("its answer is no list of records")
    if method == "POST" and not sheet.entity.singleton:
        return plan_create(model, reading, sheet)
    if method in ("PUT", "PATCH"):
        return plan_update(model, reading, sheet)
    if method == "DELETE":
        raise Unclear("it deletes many records at once")
    raise Unclear(f"nothing shows what {method} does here")


def _is_other_door(reading: Reading, sheet: Sheet) -> bool:
    """Whether it gets a record by its own id, at a path called by all of its schema's name:
    `/repositories/{id}` of `/repos/{owner}/{repo}`."""
    step = reading.steps[-1]
    named = reading.answer.shape is not None and step.noun in stems(reading.answer.shape.name or "")
    [*outer, argument] = step.arguments
    by_id = not outer and is_id(argument.field) and without_id(argument.field) == ()
    column = sheet.column(argument.field) if by_id else None
    alone = (
        reading.operation.method == "GET"
        and len(reading.steps) == 1
        and reading.answer.kind == "record"
    )
    return alone and named and column is not None and column.unique


def _is_verb(reading: Reading) -> bool:
    """Whether a path ends with what is done to a record: `/clusters/{id}/upgrade`."""
    last = reading.steps[-1]
    after_item = len(reading.steps) > 1 and bool(reading.steps[-2].arguments)
    alone = not last.arguments and not is_plural(last.words[-1]) if last.words else True
    return after_item and alone and reading.operation.method == "POST"


def _by_name(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    name = name_of(reading)
    own = name.noun == sheet.entity.noun
    if name.mine:
        return plan_mine(model, reading, sheet)
    if own and name.verb in CREATE:
        if split(reading.operation.name)[0] in SET | UPDATE:
            raise Unclear("its name says that it sets what may be there already")
        return plan_create(model, reading, sheet)
    if own and name.verb in DELETE:
        return plan_delete(model, reading, sheet)
    if own and name.verb in UPDATE:
        return plan_update(model, reading, sheet)
    if own and name.verb in CLEAR:
        return plan_clear(model, reading, sheet)
    is_list = reading.answer.kind == "list" or (reading.answer.kind == "none" and name.plural)
    if own and is_list and reading.called and name.verb in ("search", "query"):
        return plan_search(model, reading, sheet)
    if own and name.verb in GET | LIST | {"find"}:
        return plan_list(model, reading, sheet) if is_list else plan_get(model, reading, sheet)
    if reading.called and name.verb in GET and _answers_own(model, reading, sheet):
        return plan_get(model, reading, sheet)
    return plan_action(model, reading, sheet)


def _answers_own(model: Model, reading: Reading, sheet: Sheet) -> bool:
    """Whether it answers one record as the others do, however it is called: `jobs/get_light`."""
    shape = reading.answer.shape
    named = reading.answer.kind == "record" and shape is not None and shape.name is not None
    return named and shape is not None and model.entities.shows(sheet.entity.noun, shape)


def _says_update(reading: Reading) -> bool:
    return reading.words[:1] in (("update",), ("edit",), ("modify",), ("patch",)) or any(
        reading.operation.summary.lower().startswith(word) for word in ("update", "edit", "modif")
    )
