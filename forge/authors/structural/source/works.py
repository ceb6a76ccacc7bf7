"""The source of tools that no verb alone describes: each is a plan's `work`."""

from dataclasses import replace

from forge.authors.structural.plans.plans import Asked, Bulk, Cleared, Part, Plan, Put, Tally, Tied
from forge.authors.structural.source.listing import list_body
from forge.authors.structural.source.picked import picked, required
from forge.authors.structural.source.syntax import (
    ANSWER,
    FOUND,
    HOLDER,
    ITEM,
    ITEMS,
    KEPT,
    ROW,
    Renderer,
    constant,
    enveloped,
    field_argument,
    where,
)


def work_body(plan: Plan, shared: Renderer) -> list[str]:
    work = plan.work
    assert work is not None
    match work:
        case Cleared():
            key = "".join(f", {ROW}[{c!r}]" for c in plan.sheet.table.key)
            gone = f"    delete({plan.sheet.name!r}{key})"
            every = f"for {ROW} in find({plan.sheet.name!r}):"
            return [every, gone, f"return {plan.reply.constant}"]
        case Tally():
            return _tally_body(plan, work)
        case Bulk():
            return _bulk_body(plan, work, shared)
        case Tied():
            return _tied_body(plan, work, shared)
        case Put():
            return _put_body(plan, shared)
        case Asked():
            refuse = f"fail('not_found', {f'{plan.sheet.table.noun} without {work.column}'!r})"
            off = [f"if not {ROW}[{work.column!r}]:", f"    {refuse}"]
            return [*picked(plan), *off, f"return {plan.reply.constant}"]
        case Part():
            return _part_body(plan, work)


def _tally_body(plan: Plan, tally: Tally) -> list[str]:
    counted = f"count({plan.sheet.name!r}, {where(tally.column, 'eq', ITEM)})"
    return [
        f"{FOUND} = {{}}",
        f"for {ITEM} in {list(tally.values)!r}:",
        f"    {FOUND}[{ITEM}] = {counted}",
        f"return {FOUND}",
    ]


def _bulk_body(plan: Plan, bulk: Bulk, shared: Renderer) -> list[str]:
    """Each item is a new record; one that cannot be made takes all the others back."""
    pairs = ", ".join(f"({field!r}, {column!r})" for field, column in bulk.columns)
    part = f"**{{column: {ITEM}[field] for field, column in [{pairs}] if field in {ITEM}}}"
    made = f"insert({plan.sheet.name!r}, {part})"
    if plan.reply.kind == "constant":
        return [f"for {ITEM} in {bulk.use.name}:", f"    {made}", f"return {plan.reply.constant}"]
    assert plan.reply.view is not None
    lines = [f"{ANSWER} = []", f"for {ITEM} in {bulk.use.name}:", f"    {ANSWER}.append({made})"]
    shown = shared.shown_all(plan.reply.view, ANSWER)
    return [*lines, f"return {enveloped(plan.reply.envelope, {'record': shown, 'true': 'True'})}"]


def _put_body(plan: Plan, shared: Renderer) -> list[str]:
    """What is there is changed, keeping what no argument writes; what is not is made."""
    table = plan.sheet.name
    keys = {u.column: u.name for u in plan.used("match")}
    fields = [u for u in plan.used("field") if u.column not in keys]
    own = ", ".join(f"{column!r}: {name}" for column, name in keys.items())
    lines = [f"{FOUND} = find({table!r}, {', '.join(where(c, 'eq', n) for c, n in keys.items())})"]
    kept = f"{FOUND}[0]"
    if plan.replaces:
        names = "(" + "".join(f"{u.column!r}, " for u in fields) + ")"
        kept = f"{{name: value for name, value in {FOUND}[0].items() if name not in {names}}}"
    lines.append(f"{ROW} = {kept} if {FOUND} else {{{own}}}")
    for use in fields:
        change = f"{ROW}[{use.column!r}] = {use.name}"
        lines += [change] if use.required else [f"if {use.name} is not None:", f"    {change}"]
    lines += [f"{ROW}[{name!r}] = {constant(value)}" for name, value in plan.sets.items()]
    lines.append(f"{ROW} = save({table!r}, {ROW}) if {FOUND} else insert({table!r}, **{ROW})")
    if plan.reply.kind == "constant":
        return [*lines, f"return {plan.reply.constant}"]
    assert plan.reply.view is not None
    shown = shared.shown(plan.reply.view, ROW)
    return [*lines, f"return {enveloped(plan.reply.envelope, {'record': shown, 'true': 'True'})}"]


def _part_body(plan: Plan, part: Part) -> list[str]:
    """What is not passed of the part stays."""
    lines = [*picked(plan), f"{KEPT} = dict({ROW}[{part.column!r}])"]
    for use in plan.used("inner"):
        change = f"{KEPT}[{use.part!r}] = {use.name}"
        lines += [change] if use.required else [f"if {use.name} is not None:", f"    {change}"]
    key = "".join(f", {ROW}[{c!r}]" for c in plan.sheet.table.key)
    changed = f"update({plan.sheet.name!r}{key}, {field_argument(part.column, KEPT)})"
    return [*lines, f"{ROW} = {changed}", f"return {ROW}[{part.column!r}]"]


def _tied_body(plan: Plan, tied: Tied, shared: Renderer) -> list[str]:
    if tied.does == "list":
        return list_body(plan, shared)
    if tied.does == "set":
        return _set_body(plan, tied, shared)
    assert tied.item is not None
    lines = picked(replace(plan, sheet=tied.holder, uses=tied.keys, fixed=tied.fixed, work=None))
    lines += [*required(plan, tied.holder), f"{HOLDER} = {ROW}"]
    key = tied.items.table.key[0]
    item = ITEM if tied.many or not tied.by_key else tied.item.name
    names = ", ".join([*(use.name for use in tied.outer), item])
    inner = [f"{ROW} = get({tied.items.name!r}, {names})"]
    if not tied.by_key:
        inner = picked(replace(plan, sheet=tied.items, uses=tied.picks, fixed={}, work=None))
        inner.append(f"{ITEM} = {ROW}[{key!r}]")
    refuse = f"fail('not_found', repr({ITEM if tied.many else tied.item.name}) + ' is not there')"
    if tied.does == "ask":
        inner += [f"if not ({_is_in(tied, item)}):", f"    {refuse}"]
    elif tied.link is not None:
        inner += _link_lines(tied, item, refuse)
    else:
        inner += _array_lines(tied, item, refuse)
    if tied.many:
        lines.append(f"for {ITEM} in {tied.item.name}:")
        inner = [f"    {line}" for line in inner]
    return [*lines, *inner, f"return {_told(plan, tied, shared)}"]


def _set_body(plan: Plan, tied: Tied, shared: Renderer) -> list[str]:
    """The set is exchanged, and what is in it then is answered."""
    lines = picked(replace(plan, sheet=tied.holder, uses=tied.keys, work=None))
    lines += required(plan, tied.holder)
    values = [field_argument(u.column, u.name) for u in plan.used("field")]
    values += [field_argument(c, constant(v)) for c, v in plan.sets.items()]
    key = "".join(f", {ROW}[{c!r}]" for c in tied.holder.table.key)
    changed = f"update({tied.holder.name!r}{key}, {', '.join(values)})"
    return [*lines, f"{HOLDER} = {changed}", f"return {_told(plan, tied, shared)}"]


def _is_in(tied: Tied, item: str) -> str:
    if tied.link is not None:
        return f"find({tied.link.name!r}, {_both(tied, item)})"
    if tied.turned:
        return f"{_own(tied)} in ({ROW}.get({tied.column!r}) or [])"
    return f"{item} in ({HOLDER}.get({tied.column!r}) or [])"


def _own(tied: Tied) -> str:
    return f"{HOLDER}[{tied.holder.table.key[0]!r}]"


def _both(tied: Tied, item: str) -> str:
    return f"{where(tied.other, 'eq', _own(tied))}, {where(tied.column, 'eq', item)}"


def _array_lines(tied: Tied, item: str, refuse: str) -> list[str]:
    """The array is the holder's, of items, or each item's, of holders."""
    owner, sheet = (ROW, tied.items) if tied.turned else (HOLDER, tied.holder)
    part = _own(tied) if tied.turned else item
    key = "".join(f", {owner}[{c!r}]" for c in sheet.table.key)
    lines = [f"{ITEMS} = {owner}.get({tied.column!r}) or []"]
    if tied.does == "add":
        test, new = f"{part} not in {ITEMS}", f"{ITEMS} + [{part}]"
    else:
        test, new = f"{part} in {ITEMS}", f"[one for one in {ITEMS} if one != {part}]"
        if tied.strict:
            lines += [f"if {part} not in {ITEMS}:", f"    {refuse}"]
    change = f"{owner} = update({sheet.name!r}{key}, {field_argument(tied.column, new)})"
    return [*lines, f"if {test}:", f"    {change}"]


def _link_lines(tied: Tied, item: str, refuse: str) -> list[str]:
    assert tied.link is not None
    table = tied.link.name
    lines = [f"{FOUND} = find({table!r}, {_both(tied, item)})"]
    if tied.does == "add":
        own = field_argument(tied.other, _own(tied))
        made = f"insert({table!r}, {own}, {field_argument(tied.column, item)})"
        return [*lines, f"if not {FOUND}:", f"    {FOUND} = [{made}]"]
    key = "".join(f", {ROW}[{c!r}]" for c in tied.link.table.key)
    strict = [f"if not {FOUND}:", f"    {refuse}"] if tied.strict else []
    return [*lines, *strict, f"for {ROW} in {FOUND}:", f"    delete({table!r}{key})"]


def _told(plan: Plan, tied: Tied, shared: Renderer) -> str:
    reply = plan.reply
    if reply.kind == "constant":
        return reply.constant
    assert reply.view is not None
    if tied.shows == "items":
        held = f"{HOLDER}.get({tied.column!r}) or []"
        rows = f"find({tied.items.name!r}, {where(tied.items.table.key[0], 'in', held)})"
        shown = shared.shown_all(reply.view, rows)
        return enveloped(reply.envelope, {"record": shown, "true": "True"})
    row = {"holder": HOLDER, "item": ROW, "link": f"{FOUND}[0]"}[tied.shows]
    return enveloped(reply.envelope, {"record": shared.shown(reply.view, row), "true": "True"})
