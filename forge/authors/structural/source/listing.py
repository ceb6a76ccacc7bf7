"""The source of a list: which records, in which order, and what part of them.

Always holds: the parts of an answer, one after the other, are all of it; a total counts what the
filters find, not the part.
"""

from dataclasses import replace

from forge.authors.structural.plans.plans import Plan, Through, Tied, Use
from forge.authors.structural.source.picked import picked
from forge.authors.structural.source.syntax import (
    HOLDER,
    ITEM,
    KEYS,
    ORDER,
    PART,
    ROW,
    ROWS,
    TOTAL,
    Renderer,
    conditions,
    enveloped,
    where,
)


def list_body(plan: Plan, shared: Renderer) -> list[str]:
    reply = plan.reply
    assert reply.view is not None
    roles: dict[str, Use] = {u.role: u for u in plan.uses}
    lines: list[str] = []
    for use in plan.used("match"):
        if use.every:
            lines += [f"if {use.name} == {use.every!r}:", f"    {use.name} = None"]
    fitting = conditions(plan)
    if plan.through is not None:
        lines += _through_lines(plan.through)
        fitting.insert(0, where(plan.sheet.table.key[0], "in", KEYS))
    if isinstance(plan.work, Tied):
        more, condition = _tied_lines(plan, plan.work)
        lines += more
        fitting.insert(0, condition)
    arguments = list(fitting)
    if "sort" in roles:
        lines += _order_lines(roles["sort"], roles.get("direction"), plan.order)
        arguments.insert(0, f"sort={ORDER}")
    elif plan.order:
        arguments.insert(0, f"sort={list(plan.order)!r}")
    limits, start, size = _part(plan, roles)
    lines += limits
    by_cursor = "cursor" in roles
    by_key = not by_cursor and bool(roles.keys() & {"after", "before"})
    if not by_cursor and not by_key:
        arguments += [f"limit={size}"] if size != "None" else []
        arguments += [f"offset={start}"] if start != "0" else []
    table = repr(plan.sheet.name)
    lines.append(f"{ROWS} = find({', '.join([table, *arguments])})")
    for use in plan.used("inside"):
        lines += _inside_lines(use)
    values = {"true": "True", "limit": size, "offset": start}
    values["page"] = _or(roles["page"], _first(roles["page"])) if "page" in roles else "1"
    if by_cursor:
        lines.append(f"{PART} = page({ROWS}, {size}, {roles['cursor'].name})")
        values["record"] = shared.shown_all(reply.view, f"{PART}['items']")
        values["next"] = f"{PART}['next_cursor']"
        values["more"] = f"{PART}['next_cursor'] is not None"
        values["total"] = f"len({ROWS})"
    elif by_key:
        lines += _beside_lines(plan, roles, size)
        values["record"] = shared.shown_all(reply.view, PART)
        values["total"] = f"len({KEYS})"
        values["more"] = f"len({PART}) < len({ROWS})"
    else:
        values["record"] = shared.shown_all(reply.view, ROWS)
        whole = size == "None" and start == "0"
        total = f"len({ROWS})" if whole else f"count({', '.join([table, *fitting])})"
        extras = _extras(reply.envelope)
        if extras & {"total", "pages", "more"}:
            lines.append(f"{TOTAL} = {total}")
        values["total"] = TOTAL
        values["pages"] = f"-(-{TOTAL} // {size})"
        values["more"] = f"{start} + len({ROWS}) < {TOTAL}"
    lines.append(f"return {enveloped(reply.envelope, values)}")
    return lines


def _extras(envelope: object) -> set[str]:
    """What an envelope holds, at any depth."""
    found: set[str] = set()
    if isinstance(envelope, tuple):
        for _, what in envelope:
            found |= {what} if isinstance(what, str) else _extras(what)
    return found


def _part(plan: Plan, roles: dict[str, Use]) -> tuple[list[str], str, str]:
    """Lines that refuse what is no part, and where the part starts and its size, as source."""
    lines: list[str] = []
    start, size = "0", "None"
    if "page" in roles:
        size = str(plan.page_size)
        size = _or(roles["limit"], size) if "limit" in roles else size
        first = _first(roles["page"])
        current = _or(roles["page"], first)
        lines += [
            f"if {current} < {first} or {size} < 1:",
            f"    fail('invalid', 'pages are counted from {first} and their sizes from 1')",
        ]
        start = f"({current} - 1) * {size}" if first == "1" else f"{current} * {size}"
    elif "limit" in roles:
        size = (
            _or(roles["limit"], str(plan.page_size))
            if roles.keys() & {"cursor", "after", "before"}
            else roles["limit"].name
        )
        if "cursor" not in roles:
            lines += [
                f"if {size} is not None and {size} < 1:",
                f"    fail('invalid', {f'{size} must be at least 1'!r})",
            ]
    elif "cursor" in roles:
        size = str(plan.page_size)
    if "offset" in roles:
        start = _or(roles["offset"], "0")
        text = f"{roles['offset'].name} must not be negative"
        lines += [f"if {start} < 0:", f"    fail('invalid', {text!r})"]
    return lines, start, size


def _first(page: Use) -> str:
    """The number of the first page, as source."""
    return str(page.schema["minimum"] if page.schema["minimum"] in (0, 1) else 1)


def _or(use: Use, otherwise: str) -> str:
    """The argument, or what is usual where it was not passed."""
    if use.required or use.schema.get("default") is not None:
        return use.name
    return f"({otherwise} if {use.name} is None else {use.name})"


def _inside_lines(use: Use) -> list[str]:
    """Of the rows, those with an item whose part is one of the values."""
    items = f"{ROW}.get({use.column!r}) or []"
    kept = f"any({ITEM}.get({use.part!r}) in {use.name} for {ITEM} in {items})"
    line = f"{ROWS} = [{ROW} for {ROW} in {ROWS} if {kept}]"
    return [line] if use.required else [f"if {use.name} is not None:", f"    {line}"]


def _beside_lines(plan: Plan, roles: dict[str, Use], size: str) -> list[str]:
    """Of the rows, those after or before a record of the list, as many as one asks for."""
    after = roles["after"].name if "after" in roles else None
    before = roles["before"].name if "before" in roles else None
    asked = [name for name in (after, before) if name is not None]
    missing = repr(f"there is no {plan.sheet.table.noun} ")
    lines = [
        f"{KEYS} = [{ROW}[{plan.sheet.table.key[0]!r}] for {ROW} in {ROWS}]",
        f"for {ITEM} in [{', '.join(asked)}]:",
        f"    if {ITEM} is not None and {ITEM} not in {KEYS}:",
        f"        fail('invalid', {missing} + repr({ITEM}) + ' in this list')",
    ]
    if before is not None:
        part = f"{KEYS}.index({before})"
        lines += [f"if {before} is not None:", f"    {ROWS} = {ROWS}[:{part}]"]
    if after is not None:
        part = f"{KEYS}.index({after}) + 1"
        lines += [f"if {after} is not None:", f"    {ROWS} = {ROWS}[{part}:]"]
    lines.append(f"{PART} = {ROWS}[:{size}]" if size != "None" else f"{PART} = {ROWS}")
    if before is not None and size != "None":
        lines += [f"if {before} is not None:", f"    {PART} = {ROWS}[-{size}:]"]
    return lines


def _tied_lines(plan: Plan, tied: Tied) -> tuple[list[str], str]:
    """Lines that find who is in the set, and the condition that selects them."""
    lines = picked(replace(plan, sheet=tied.holder, uses=tied.keys, fixed=tied.fixed, work=None))
    own = f"{ROW}[{tied.holder.table.key[0]!r}]"
    if tied.link is None and tied.turned:
        return lines, where(tied.column, "has", own)
    keys = f"{ROW}.get({tied.column!r}) or []"
    if tied.link is not None:
        links = f"find({tied.link.name!r}, {where(tied.other, 'eq', own)})"
        keys = f"[{ITEM}.get({tied.column!r}) for {ITEM} in {links}]"
    return [*lines, f"{KEYS} = {keys}"], where(plan.sheet.table.key[0], "in", KEYS)


def _through_lines(through: Through) -> list[str]:
    """The keys that the other record names."""
    picked = f"get({through.holder.name!r}, {through.use.name})"
    return [f"{HOLDER} = {picked}", f"{KEYS} = {HOLDER}.get({through.column!r}) or []"]


def _order_lines(sort: Use, direction: Use | None, usual: tuple[str, ...]) -> list[str]:
    same = all(value == column for value, column in sort.choices)
    orders = "{" + ", ".join(f"{v!r}: {c!r}" for v, c in sort.choices) + "}"
    listed = "[" + ", ".join(repr(v) for v, _ in sort.choices) + "]"
    lines = [
        f"{ORDER} = {list(usual)!r}",
        f"if {sort.name} is not None:",
        f"    if {sort.name} not in {listed if same else orders}:",
        f"        fail('invalid', 'cannot sort by ' + repr({sort.name}))",
        f"    {ORDER} = [{sort.name if same else f'{orders}[{sort.name}]'}]",
    ]
    if direction is not None:
        down = [v for v in direction.schema["enum"] if v.lower().startswith("desc")]
        lines += [
            f"if {direction.name} in {down!r}:",
            f"    {ORDER} = ['-' + column for column in {ORDER}]",
        ]
    return lines
