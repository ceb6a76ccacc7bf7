"""Lists that are not a whole collection: one's own records, those in a state, those that another
record names.

Always holds: what selects the records is a column that the document shows.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.filters import list_uses
from forge.authors.structural.plans.parts import match_use, record_reply
from forge.authors.structural.plans.plans import Guard, Plan
from forge.authors.structural.plans.reads import list_reply, only_pages, plan_list, plan_search
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Reading, Step
from forge.authors.structural.reading.routes import MINE, SEARCHES
from forge.authors.structural.words import Words, a, many, said, split
from forge.types.data import Json
from forge.types.state import Column


def plan_mine(model: Model, reading: Reading, sheet: Sheet) -> Plan:
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

    steps = tuple(s for s in reading.steps if s.words not in MINE)
    inner = replace(reading, steps=steps)
    return plan_list(model, inner, sheet, fixed=fixed)


_MORE = re.compile(
    r"\b(explicit permission|(has|have) access|can (access|see|view)|visible to|member of)\b", re.I
)


def check_own(plan: Plan) -> None:
    """A list of whoever asks is of what is theirs, where the document says no more than that."""
    operation = plan.reading.operation
    if plan.verb == "list" and plan.asks:
        told = re.split(r"(?<=\.)\s", f"{operation.summary}. {operation.description}")
        if any(_MORE.search(sentence) for sentence in told[:2]):
            raise Unclear("what one may see is more than what is one's own")


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
        raise Unclear(f"{a(sheet.entity.noun)} does not show whose it is")
    return found[0]


def plan_other_list(model: Model, reading: Reading, sheet: Sheet) -> Plan:
    """`/labs/open`, `/pets/findByStatus`, `/tasks/{id}/tags`, `/tasks/{id}/subtasks`."""

    last = reading.steps[-1]
    before = reading.steps[-2] if len(reading.steps) > 1 else None
    if reading.answer.kind != "list" or last.arguments or before is None:
        raise Unclear(f"nothing shows what {last.text} is")
    if before.arguments:
        return _related(model, reading, sheet, last, before)
    if before.noun != sheet.entity.noun:
        raise Unclear(f"nothing shows what {last.text} is")
    outer = reading.steps[:-1]
    inner = replace(reading, steps=outer)
    words = last.words
    if words in SEARCHES and (reading.taken("body") or only_pages(reading)):
        return plan_search(model, inner, sheet)
    if words[:2] == ("find", "by") or words[:1] == ("by",) or words in SEARCHES:
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


def _related(model: Model, reading: Reading, sheet: Sheet, last: Step, before: Step) -> Plan:
    holder = model.sheets.get(before.noun)
    if holder is None:
        raise Unclear(f"{a(before.noun)} is no record that the document shows")

    argument = before.arguments[0]
    noun = last.noun
    if last.words[:1] == ("search",):
        raise Unclear("its search has a language of its own")
    inverse = inverse_of(holder, sheet, noun)
    if inverse is not None:
        rest = tuple(a for a in reading.arguments if a.where == "query")
        uses = [match_use(argument, inverse), *list_uses(model, sheet, rest)]
        uses, reply = list_reply(model, sheet, reading, uses)
        guard = Guard(holder.name, holder.table.noun, (argument.name,))
        return Plan(reading, sheet, "list", tuple(uses), reply, (guard,))
    raise Unclear(f"{a(holder.entity.noun)} does not show its {said(many(noun))}")


def inverse_of(holder: Sheet, sheet: Sheet, noun: Words) -> Column | None:
    """The column of a child that names the parent: `subtasks` of a task by `parent`."""
    if noun in (("child",), ("sub", *sheet.entity.noun), ("subtask",)) and holder is sheet:
        found = [
            c
            for c in sheet.table.columns
            if c.references == sheet.name and split(c.name)[:1] == ("parent",)
        ]
        return found[0] if len(found) == 1 else None
    return None
