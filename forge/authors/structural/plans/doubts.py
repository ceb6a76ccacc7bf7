"""What a document says of an operation in words, and no rule can do: conditions on records that no
column shows, effects beyond the one record, lists of some records only.

Always holds: a plan that its own document's words go beyond is no tool; an optional argument that
has a condition of its own is not offered.
"""

import re

from forge.authors.structural.plans.needs import sentences
from forge.authors.structural.plans.paging import says_newest_first
from forge.authors.structural.plans.plans import Plan, Put
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.verbs import participle
from forge.authors.structural.words import split

_SOME = re.compile(
    r"\b(that|which|whose) (have|has|had) \W*\w+\W* set to\b"
    r"|\b(from|in|during|for) the (last|past) \d+ (hour|day|week|month)s?\b"
    r"|\bgoing back (up )?to \d+ (hour|day|week|month)s?\b",
    re.IGNORECASE,
)
"""Of a list: it shows some of the records, by what the rules do not read."""
_UNLESS_SET = re.compile(
    r"\b(will|does|do) not include\b[^.]*\bif\b[^.]*\bnot (set|given|passed|provided)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(to|want to) (list|retrieve|get|fetch|see)\b[^.]*\byou should use\b", re.IGNORECASE
)
"""Others of the records are answered by another operation."""
_CHECKED = re.compile(r"\bvalidates? that\b|\bvalidates? whether\b", re.IGNORECASE)
_FIXED = re.compile(
    r"\bonly possible\b|\bcan no longer be (updated|changed|edited|modified)\b"
    r"|\bmust (first )?be\b[^.]* to be (updated|changed|edited|modified)\b"
    r"|\bcan only be (updated|changed|edited|modified) (if|when|while|once|until|before)\b"
    r"|\b(when|while|if) [^.]*\b(status|state) is\b[^.]*\bcan (use|update|change|edit)\b",
    re.IGNORECASE,
)
"""Of an update: a condition on the record."""
_FOLLOWED = re.compile(r"\bmay need to \w+[^.]* again\b|\balways require you to\b", re.IGNORECASE)
_IN_PARTS = re.compile(
    r"\bproperties (on|in|of) the \w+ (object|hash) can be (unset|cleared|removed)\b", re.IGNORECASE
)
_BESIDES = re.compile(
    r"\bwill automatically be\b|\b(is|are) automatically (refunded|canceled|cancelled|created)\b"
    r"|\byou (cannot|can't|can’t) \w+ (the|an?)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly (applies|works|applicable|available|valid)\b", re.IGNORECASE)
_GONE_ONLY = re.compile(r"\bcan only be deleted (if|once|when|after|while)\b", re.IGNORECASE)
_DEALS = (("accept",), ("redeem",), ("finalize",))
"""Actions by which other records come to be."""
_UPSERT = re.compile(r"^\W*(creates?|adds?) or (replaces?|updates?|overwrites?)\b", re.IGNORECASE)
_NEEDED_IF = re.compile(
    r"\brequired (only )?(if|when|unless)\b"
    r"|\bmust be (present|provided|passed|given|specified) (if|when|unless)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"['’]s `\w+` must be\b", re.IGNORECASE)
"""Of an argument that names a record: what that record must be like."""
_MODE = re.compile(r"\bdetermines how\b|\bindicates (if|whether) the\b|\bwhether the\b", re.I)
_DEFAULT = re.compile(r"\bdefault (value )?is `\w+`", re.IGNORECASE)


def check_doubts(plan: Plan) -> None:
    """Unclear where the document says more than the plan does."""
    if plan.verb == "list":
        _check_list(plan)
    elif plan.verb == "get":
        _check_said(plan, _ELSEWHERE, "others of these records are answered elsewhere")
    elif plan.verb == "create":
        _check_create(plan)
    elif plan.verb == "delete":
        _check_said(plan, _GONE_ONLY, "it has a condition that no column shows")
        _check_modes(plan)
    elif plan.verb == "update" and not isinstance(plan.work, Put):
        _check_update(plan)


def _check_said(plan: Plan, pattern: re.Pattern[str], why: str) -> None:
    for sentence in sentences(plan.reading):
        if pattern.search(sentence):
            raise Unclear(f"{why}: {sentence[:80]}")


def _check_list(plan: Plan) -> None:
    if not plan.fixed:
        _check_said(plan, _SOME, "it shows some of the records only")
    _check_said(plan, _ELSEWHERE, "others of these records are answered elsewhere")
    for argument in plan.reading.arguments:
        if _UNLESS_SET.search(argument.description):
            raise Unclear(f"it shows some of the records only unless {argument.field} is passed")
    operation = plan.reading.operation
    told = says_newest_first(f"{operation.summary} {operation.description}")
    if told and not plan.order and not plan.used("sort"):
        raise Unclear("nothing shows by what its order is the newest first")


def _check_create(plan: Plan) -> None:
    _check_said(plan, _UPSERT, "it changes what may be there already")
    for argument in plan.reading.arguments:
        optional = argument.where == "body" and not argument.required
        if optional and _NEEDED_IF.search(argument.description):
            raise Unclear(f"its argument {argument.field} is required now and then")
        if _OTHERS.search(argument.description):
            raise Unclear(f"its argument {argument.field} names records of some kinds only")
    shown = plan.reply.view
    given = plan.used("field")
    unseen = not any(use.required or use.column not in plan.sheet.hidden for use in given)
    if plan.reply.kind == "record" and shown is not None and unseen:
        raise Unclear("nothing that it is given is shown")


def _check_update(plan: Plan) -> None:
    _check_said(plan, _CHECKED, "it has conditions that are told elsewhere")
    _check_said(plan, _FOLLOWED, "it has effects that are told elsewhere")
    _check_said(plan, _IN_PARTS, "it changes single parts of an object")
    _check_modes(plan)
    for argument in plan.reading.taken("body"):
        if not argument.required and _NEEDED_IF.search(argument.description):
            raise Unclear(f"its argument {argument.field} is required now and then")
    if not plan.sets:
        _check_said(plan, _FIXED, "it has a condition that no column shows")
        return
    _check_said(plan, _BESIDES, "it does more than to change one record")
    if not any(need.op != "ne" for need in plan.requires):
        _check_said(plan, _ONLY, "it has a condition that no column shows")
    done = plan.reading.steps[-1].words if plan.reading.steps else ()
    if done[:1] in _DEALS:
        raise Unclear(f"nothing shows what comes of it once it is {participle(done[0])}")
    stems = {word.removesuffix("e") for word in done[:1]}
    for column in plan.sheet.table.columns:
        words = split(column.name)[-1:]
        able = {f"{stem}{end}" for stem in stems for end in ("able", "eable", "lable")}
        if column.type == "boolean" and words and words[0] in able:
            raise Unclear(f"{column.name} says whether a record can be {participle(done[0])}")


def _check_modes(plan: Plan) -> None:
    """An argument that is not offered, and says how the thing is done: what is usual is not told
    by the record."""
    used = {use.name for use in plan.uses}
    for argument in plan.reading.arguments:
        if argument.name in used or argument.where not in ("body", "query"):
            continue
        values = [v for v in argument.shape.enum if isinstance(v, str)]
        column = plan.sheet.column(argument.field)
        kept = column is not None and column.name not in plan.sheet.hidden
        if len(values) > 1 and not kept:
            said = argument.description
            if _MODE.search(said) or _DEFAULT.search(said):
                raise Unclear(f"nothing shows what its argument {argument.field} does")
