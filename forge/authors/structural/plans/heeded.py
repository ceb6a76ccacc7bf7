"""What sentences of a document say of arguments and outcomes, beside its schemas, heeded in a plan.

Always holds: an argument is passed only where the document's words allow it alone, and must be
where they ask for it; what they refuse, or do besides, that no record shows makes it `Unclear`.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.model.states import chosen_unasked
from forge.authors.structural.plans.fixed import check_made_in, is_fixed, required_by
from forge.authors.structural.plans.needs import sentences
from forge.authors.structural.plans.paging import usual_order
from forge.authors.structural.plans.plans import Plan, Tied, Use
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.words import a, one, split
from forge.types.data import JsonSchema

_REFUSED = re.compile(
    r"\bmust be empty to be\b|\bthe last (remaining )?\w+ (cannot|can't|can not)\b"
    r"|\busers? can only \w+ \w+ (that )?(they|he|she) ha(ve|s) (created|made)\b"
    r"|\bonly [\w ]{2,40} can have (its|their)\b"
    r"|\brequires? at least one\b"
    r"|\b(user|caller|person) making (this|the) (call|request) must\b",
    re.IGNORECASE,
)
"""A refusal by what is in no column: other records, or who asks."""
_SENT = re.compile(
    r"^uploads? (an? |the )?(new )?(file|attachment|image|photo|picture|video|document|asset)\b"
    r"|\bcontents of the file to be uploaded\b",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\bthis (also )?(includes|regenerates|resets|rotates|revokes|invalidates)\b", re.IGNORECASE
)
_IGNORED = re.compile(r"\b(parameter|argument|value) is (always )?ignored\b", re.IGNORECASE)
_EITHER = re.compile(
    r"\bif not (available|found),? (by|the)\b"
    r"|^(the |an? )?[\w -]{2,40} or (the |an? )?(\w+ )?(sha|name|id|slug|number)\.?$",
    re.IGNORECASE,
)
"""Of an argument that picks a record: by one of several columns, whichever fits."""
_BECOMES = re.compile(r"\bwill (also )?become\b", re.IGNORECASE)
_UNIQUE = re.compile(r"\b(\w+) must be unique\b", re.IGNORECASE)
_WITH = re.compile(
    r"\b(must|can only) (also )?be (used|specified|provided|passed|combined) (together )?with\b"
    r"|\byou must also (specify|provide|pass)\b|\bmust be present in the request when\b"
    r"|\bcan(not|'t| not) be (set|used|specified) unless\b"
    r"|\byou can only (write to|set) this (property|field)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Of an argument: it goes with others only, or without them."""
_NOT_WITH = re.compile(
    r"\bcan(not|'t| not) be (used|specified|passed|set) (together |along )?with\b"
    r"|\b(either|one of)\b.*\bbut not both\b",
    re.IGNORECASE | re.DOTALL,
)
"""Of an argument: it goes without another only."""
_WORKED_OUT = re.compile(r"^the (latest|newest|most recent) `?\w+`? \w+ed\b|\bkept in sync with\b")
_FORMS = re.compile(
    r"\b(can|may) (either )?be (the (string|word) )?[\"'`]me[\"'`], an email( address)?,? or the "
    r"(?P<id>(globally unique )?(g?id|identifier)) of (?P<whose>an? \w+)",
    re.IGNORECASE,
)


def heeded(model: Model, plan: Plan) -> Plan:
    """Raises Unclear."""
    if plan.verb not in ("get", "list", "count"):
        _check_told(model, plan)
    _check_picks(plan)
    for use in plan.used("match") if plan.verb in ("list", "count") else ():
        told = "" if use.required else chosen_unasked(use.argument.description)
        if told and "default" not in use.schema:
            raise Unclear(f"without its argument {use.argument.field} it chooses {told[:30]}")
    uses = [kept for use in plan.uses if (kept := _heeded_use(plan, use)) is not None]
    uses = _with_alternative(plan, _without_rivals(uses))
    changes = any(u.role in ("field", "inner") for u in uses)
    if plan.verb == "update" and not plan.sets and not changes:
        raise Unclear("nothing shows what it changes")
    order = plan.order
    if plan.verb == "list" and not order:
        operation = plan.reading.operation
        order = usual_order(plan.sheet, f"{operation.summary} {operation.description}", uses)
    return replace(plan, uses=tuple(uses), order=order)


def _check_picks(plan: Plan) -> None:
    """Unclear where what picks a record is said to do so otherwise than by its column."""
    for argument in plan.reading.taken("path"):
        told = argument.description.strip()
        if _IGNORED.search(told):
            raise Unclear(f"its argument {argument.field} is told to be ignored")
        if _EITHER.search(told):
            raise Unclear(f"its argument {argument.field} may be one of several things")


def _check_told(model: Model, plan: Plan) -> None:
    for sentence in sentences(plan.reading):
        if _REFUSED.search(sentence):
            raise Unclear(f"it has a condition that no column shows: {sentence[:80]}")
        if _ALSO.search(sentence):
            raise Unclear(f"it does more than to change one record: {sentence[:80]}")
        if _BECOMES.search(sentence) and plan.verb in ("add", "create"):
            raise Unclear(f"it does more than to change one record: {sentence[:80]}")
        unique = _UNIQUE.search(sentence)
        column = plan.sheet.column(unique[1]) if unique is not None else None
        if column is not None and not column.unique and column.name not in plan.sheet.table.key:
            raise Unclear(f"it has a condition that no column shows: {sentence[:80]}")
    if plan.verb in ("add", "remove"):
        _check_memberships(model, plan)
    if plan.verb == "create":
        _check_shown_by_parents(model, plan)
        _check_files(plan)
        check_made_in(plan)


def _check_memberships(model: Model, plan: Plan) -> None:
    """Unclear where other records say who is a member too: nothing shows what else they say."""
    if isinstance(plan.work, Tied):
        holder, items = plan.work.holder.name, plan.work.items.name
        column = plan.work.column
        if plan.work.link is not None:
            return
    else:
        column = plan.used("field")[0].column
        held = plan.sheet.column(column)
        items = held.items.references or "" if held is not None and held.items is not None else ""
        holder = plan.sheet.name
    ends = {model.of_table(name).entity.noun for name in (holder, items) if name}
    if one(split(column)) not in (("member",), *ends):
        return
    for sheet in model.sheets.values():
        pointed = {c.references for c in sheet.table.columns}
        if sheet.entity.noun[-1:] == ("membership",) and {holder, items} <= pointed:
            raise Unclear(f"nothing shows what {a(sheet.entity.noun)} says of it then")


def _check_shown_by_parents(model: Model, plan: Plan) -> None:
    """Unclear where what a record is made in shows a list of its own of such records."""
    noun = plan.sheet.entity.noun
    for guard in plan.guards:
        parent: Sheet = model.of_table(guard.table)
        for column in parent.table.columns:
            points = column.references or (column.items.references if column.items else None)
            own = one(split(column.name)) == noun and column.name not in parent.hidden
            if points == plan.sheet.name and own and parent is not plan.sheet:
                raise Unclear(f"nothing shows the {column.name} of {a(parent.entity.noun)} then")


def _check_files(plan: Plan) -> None:
    """Unclear where a file is sent, which no argument is."""
    for sentence in sentences(plan.reading):
        if _SENT.search(sentence):
            raise Unclear(f"no argument is the file that is sent: {sentence[:80]}")


def _heeded_use(plan: Plan, use: Use) -> Use | None:
    told = use.argument.description
    loose = use.role == "field" or (use.role == "match" and plan.verb == "list")
    if loose and plan.verb in ("create", "update", "list"):
        if not use.required and (_WITH.search(told) or _is_worked_out(told)):
            return None
        if plan.verb == "update" and use.role == "field" and is_fixed(plan, use.argument):
            return None
    must = plan.verb == "create" and use.role == "field" and required_by(plan, use.argument)
    return replace(use, schema=_by_id(use.schema), required=use.required or must)


def _without_rivals(uses: list[Use]) -> list[Use]:
    """Of arguments that do not go together, one."""
    kept: list[Use] = []
    for use in uses:
        rivals = {other.name for other in kept if _excludes(use, other) or _excludes(other, use)}
        if use.required or not rivals:
            kept.append(use)
    return kept


def _excludes(use: Use, other: Use) -> bool:
    told = use.argument.description
    return bool(_NOT_WITH.search(told)) and other.argument.field in re.findall(r"\w+", told)


def _with_alternative(plan: Plan, uses: list[Use]) -> list[Use]:
    """With the first of several choices of arguments required, where one of them must be made: all
    that is asked then is asked as the document has it."""
    for sentence in sentences(plan.reading) if plan.verb == "list" else ():
        asked = _MUST_SPECIFY.search(sentence)
        if asked is None:
            continue
        by_field = {use.argument.field: use for use in uses}
        ways = [re.findall(r"`(\w+)`", way) for way in re.split(r",| or | if ", asked[1])]
        open_ways = [way for way in ways if way and set(way) <= set(by_field)]
        if not open_ways:
            raise Unclear(f"no argument is one that it asks for: {sentence[:80]}")
        first = min(open_ways, key=len)
        uses = [replace(u, required=u.required or u.argument.field in first) for u in uses]
    return uses


_MUST_SPECIFY = re.compile(r"^you must specify (.*`\w+`.* or .*)", re.IGNORECASE)


def _is_worked_out(told: str) -> bool:
    return bool(_WORKED_OUT.search(told[:1].lower() + told[1:]))


def _by_id(schema: JsonSchema) -> JsonSchema:
    """With no other forms of an id in its description than the id."""
    made: JsonSchema = {}
    for name, value in schema.items():
        if name == "description" and isinstance(value, str):
            made[name] = _FORMS.sub(lambda m: f"{m[1]} be the {m['id']} of {m['whose']}", value)
        else:
            made[name] = _by_id(value) if name == "items" and isinstance(value, dict) else value
    return made
