"""The tables of one environment: those that its tools work on, whole, and of what these refer to as
much as is seen.

Always holds: every reference and parent of a table that is there is there too; a table that no tool
works on has its key, what people call its records by, what answers show of it, and how it belongs
to those that tools work on. So a few tools on one corner of a large document need no records of
all the rest.
"""

from forge.authors.structural.model.model import Model
from forge.authors.structural.plans.plans import Plan, Tied
from forge.types.state import Column, StateSchema, Table


def schema_for(model: Model, plans: tuple[Plan, ...]) -> StateSchema:
    """The state space that these plans need, its tables in the order of the document."""
    actors = model.actors if _uses_me(plans) else None
    worked = _worked_on(plans) | ({actors} if actors is not None else set())
    shown = _shown(plans)
    idle = idle_sets(model, plans)
    whole = {
        sheet.name: _without(sheet.table, idle.get(sheet.name, set()))
        for sheet in model.sheets.values()
    }
    found: dict[str, Table] = {}
    queue = sorted(worked)
    while queue:
        name = queue.pop()
        if name not in found:
            table = whole[name]
            found[name] = table if name in worked else _seen(table, shown.get(name, set()), worked)
            queue += sorted(_referred(found[name]))
    return StateSchema(tables=tuple(found[n] for n in whole if n in found), actors=actors)


def idle_sets(model: Model, plans: tuple[Plan, ...]) -> dict[str, set[str]]:
    """Table -> its columns that keep sets which no answer shows and none of these plans touches."""
    found: dict[str, set[str]] = {}
    for tie in model.ties.values():
        sheet = model.sheets[tie.items if tie.turned else tie.holder]
        if not tie.link and tie.column in sheet.hidden:
            found.setdefault(sheet.name, set()).add(tie.column)
    for plan in plans:
        touched = {use.column for use in plan.uses} | set(plan.sets)
        found.get(plan.sheet.name, set()).difference_update(touched)
        if isinstance(plan.work, Tied):
            for sheet in (plan.work.holder, plan.work.items):
                found.get(sheet.name, set()).discard(plan.work.column)
    return found


def _without(table: Table, names: set[str]) -> Table:
    kept = tuple(column for column in table.columns if column.name not in names)
    return table if not names else table.model_copy(update={"columns": kept})


def _uses_me(plans: tuple[Plan, ...]) -> bool:
    values = [(*plan.fixed.values(), *plan.sets.values()) for plan in plans]
    values += [tuple(p.work.fixed.values()) for p in plans if isinstance(p.work, Tied)]
    return any(plan.asks for plan in plans) or any("$me" in each for each in values)


def _worked_on(plans: tuple[Plan, ...]) -> set[str]:
    needed = {plan.sheet.name for plan in plans}
    needed |= {plan.through.holder.name for plan in plans if plan.through is not None}
    for work in [plan.work for plan in plans if isinstance(plan.work, Tied)]:
        needed |= {s.name for s in (work.holder, work.items, work.link) if s is not None}
    return needed | {guard.table for plan in plans for guard in plan.guards}


def _shown(plans: tuple[Plan, ...]) -> dict[str, set[str]]:
    """Table -> its columns that answers show inside of other records."""
    found: dict[str, set[str]] = {}
    for plan in plans:
        for _, embed in plan.reply.view.embeds if plan.reply.view is not None else ():
            found.setdefault(embed.table, set()).update(embed.columns)
    return found


def _seen(table: Table, shown: set[str], worked: set[str]) -> Table:
    kept = {*table.key, *shown, *([table.label] if table.label is not None else [])}
    kept |= set(table.parent.columns) if table.parent is not None else set()
    columns = [c for c in table.columns if c.name in kept or c.spoken or _targets(c) & worked]
    if any(column.template is not None for column in columns):
        return table
    kept = {name for column in columns for name in (column.name, *column.within)}
    columns = [column for column in table.columns if column.name in kept]
    return table.model_copy(update={"columns": tuple(columns)})


def _referred(table: Table) -> set[str]:
    found: set[str] = set() if table.parent is None else {table.parent.table}
    for column in table.columns:
        found |= _targets(column)
    return found


def _targets(column: Column) -> set[str]:
    """The tables that a column refers to, at any depth."""
    found = {*column.among, *([column.references] if column.references is not None else [])}
    for inner in (*column.properties, *(c for c in (column.items, column.values) if c)):
        found |= _targets(inner)
    return found
