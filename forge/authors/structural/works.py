"""The source of tools that no verb alone describes: each is a plan's `work`."""

from forge.authors.structural.plans import Bulk, Plan, Tally
from forge.authors.structural.syntax import ANSWER, FOUND, ITEM, Renderer, enveloped, where


def work_body(plan: Plan, shared: Renderer) -> list[str]:
    work = plan.work
    assert work is not None
    match work:
        case Tally():
            return _tally_body(plan, work)
        case Bulk():
            return _bulk_body(plan, work, shared)


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
