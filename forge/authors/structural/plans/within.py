"""Operations nested in more than the record's table knows: `/orgs/{org}/hooks/{id}/deliveries`, of
deliveries that say only whose hook's they are.

Always holds: what a record is in is asked for first, and must be in what the path says it is in.
"""

from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.parts import key_uses
from forge.authors.structural.plans.plans import Guard, Plan
from forge.authors.structural.plans.tying import apart
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Reading, Step


def inner_of(model: Model, reading: Reading) -> tuple[Reading, Sheet, Step] | None:
    """The operation without what only the record's holder is in, and the holder."""
    sheet = model.of(reading)
    holders = [step for step in reading.steps[:-1] if step.arguments]
    if reading.odd or sheet is None or len(holders) < 2:
        return None
    *outer, near = holders
    holder = model.sheets.get(near.noun)
    if holder is None or near.noun not in sheet.parents or holder is sheet:
        return None
    if all(step.noun in sheet.parents for step in outer):
        return None
    taken = {argument.name for step in outer for argument in step.arguments}
    kept = tuple(a for a in reading.arguments if a.name not in taken)
    steps = reading.steps[reading.steps.index(near) :]
    return replace(reading, steps=steps, arguments=kept), holder, near


def with_holder(plan: Plan, reading: Reading, holder: Sheet, near: Step) -> Plan:
    """The plan of the operation without them, with them. Raises Unclear."""
    place = reading.steps.index(near)
    uses = key_uses(holder, replace(reading, steps=reading.steps[: place + 1]))
    keys = tuple(next((u.name for u in uses if u.column == c), "") for c in holder.table.key)
    beside = [u for u in uses if u.column not in holder.table.key]
    if "" in keys or not beside or plan.work is not None:
        raise Unclear(f"its path does not pick a {holder.table.noun} by its key")
    known = {use.name for use in plan.uses}
    columns = tuple((use.column, use.name) for use in beside)
    guard = Guard(holder.name, holder.table.noun, keys, columns)
    others = tuple(g for g in plan.guards if g.table != holder.name)
    more = tuple(use for use in apart(uses) if use.name not in known)
    return replace(plan, reading=reading, uses=(*more, *plan.uses), guards=(guard, *others))
