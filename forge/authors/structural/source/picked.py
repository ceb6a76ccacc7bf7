"""The source that finds the one record that a tool is about, and refuses one that is not as it
must be."""

from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.source.syntax import FOUND, ROW, constant, where


def picked(plan: Plan) -> list[str]:
    """Lines that put the one record in `row`."""
    table, noun = plan.sheet.table, plan.sheet.table.noun
    if table.singleton:
        return [f"{ROW} = get({table.name!r})"]
    if list(plan.fixed) == list(table.key):
        return [f"{ROW} = get({table.name!r}, {constant(plan.fixed[table.key[0]])})"]
    matches = {u.column: u for u in plan.used("match")}
    if not plan.fixed and set(table.key) <= set(matches):
        keys = ", ".join(matches[c].name for c in table.key)
        lines = [f"{ROW} = get({table.name!r}, {keys})"]
        for column, use in matches.items():
            if column not in table.key:
                missing = repr(f"there is no {noun} ")
                shown = f"{missing} + repr({matches[table.key[-1]].name}) + ' there'"
                lines.append(f"if {ROW}.get({column!r}) != {use.name}:")
                lines.append(f"    fail('not_found', {shown})")
        return lines
    if plan.fixed:
        wanted = [where(c, "eq", constant(v)) for c, v in plan.fixed.items()]
        missing = repr(f"there is no such {noun}")
    else:
        wanted = [where(u.column, u.op, u.name) for u in matches.values()]
        shown = list(matches.values())[-1].name
        missing = repr(f"there is no {noun} ") + f" + repr({shown})"
    return [
        f"{FOUND} = find({table.name!r}, {', '.join(wanted)})",
        f"if not {FOUND}:",
        f"    fail('not_found', {missing})",
        f"{ROW} = {FOUND}[0]",
    ]


def required(plan: Plan, sheet: Sheet) -> list[str]:
    """Lines that refuse where the record in `row`, of the sheet, is not as it must be."""
    lines = []
    for need in plan.requires:
        value = repr(need.value)
        have = f"{ROW}.get({need.column!r})"
        test = {"eq": "!=", "ne": "==", "in": "not in"}[need.op]
        text = repr(f"the {need.column} of the {sheet.table.noun} is ")
        lines += [f"if {have} {test} {value}:", f"    fail('conflict', {text} + repr({have}))"]
    return lines
