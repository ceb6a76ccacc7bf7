"""What a record is given once, when it is made, in the document's words: what must be given then,
and what no update may change.

Always holds: an argument is asked for, or kept out of updates, only where a sentence names it.
"""

import re

from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.needs import sentences
from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Argument, Reading
from forge.authors.structural.words import said, split

_ONCE = re.compile(
    r"\bcreate[- ]only\b|\b(cannot|can't|can not) be (changed|updated|modified) (once|after)\b"
    r"|\bonly be (set|specified|given|provided) (on|at|during|upon|when) creat",
    re.IGNORECASE,
)
_NOT_BY = re.compile(
    r"\b(?:cannot|can't|can not) be (?:changed|updated|modified) (?:using|by|with|through|via) "
    r"an? (PUT|PATCH|POST)\b"
)
_NAMED_ONCE = re.compile(r"`(\w+)` (?:cannot|can't|can not) be (?:changed|updated|modified)\b")
_MADE_IN = re.compile(
    r"\b(?:is|are) required to be created in an? (?:specific|given) (\w+)", re.IGNORECASE
)
_GIVEN = re.compile(
    r"^creates? an? (?:new )?\w+ in the (?:given|specified) (\w+)"
    r"(?: with the (?:supplied|given|specified) (\w+))?|\byou must also supply an? `?(\w+)`?",
    re.IGNORECASE,
)
_MUST = re.compile(r"^\W*required\b(?! (for|if|when|only|unless|in|with|by)\b)", re.IGNORECASE)
_INSTEAD = re.compile(r"\bdeprecated\b.*?\bprefer (?:the )?`?(\w+)`?", re.IGNORECASE)


def required_by(plan: Plan, argument: Argument) -> bool:
    """Whether a new record cannot be made without the argument, in the document's words."""
    if _MUST.search(argument.description):
        return True
    return argument.field in _asked(plan.reading)


def _asked(reading: Reading) -> set[str]:
    found: set[str] = set()
    for sentence in sentences(reading):
        for pattern in (_MADE_IN, _GIVEN):
            for match in pattern.finditer(sentence):
                found |= {word for word in match.groups() if word}
    return found


def check_made_in(plan: Plan) -> None:
    """Unclear where a new record must be in something that no argument says."""
    given = {u.column for u in plan.uses}
    for sentence in sentences(plan.reading):
        made_in = _MADE_IN.search(sentence)
        column = plan.sheet.column(made_in[1]) if made_in is not None else None
        if column is not None and column.name not in given:
            raise Unclear(f"nothing shows the {said(split(column.name))} it is made in")


def is_fixed(plan: Plan, argument: Argument) -> bool:
    """Whether an update may not change what the argument gives."""
    if _ONCE.search(argument.description) or _is_for_another(plan, argument):
        return True
    named: set[str] = set()
    for sentence in sentences(plan.reading):
        named |= {match[1] for match in _NAMED_ONCE.finditer(sentence)}
    for reading in plan.sheet.entity.creates:
        for sentence in sentences(reading):
            made_in = _MADE_IN.search(sentence)
            if made_in is not None and _ONCE.search(sentence):
                named.add(made_in[1])
    return argument.field in named | _instead(plan.sheet, named)


def _is_for_another(plan: Plan, argument: Argument) -> bool:
    """Whether a value is said to be changed by another operation: "not by a PUT request"."""
    named = [
        s.property(argument.field) for s in plan.sheet.entity.shown if argument.field in s.names()
    ]
    told = [argument.description, *(shape.description for shape in named)]
    found = [match[1] for text in told for match in _NOT_BY.finditer(text)]
    return plan.reading.operation.method in found


def _instead(sheet: Sheet, names: set[str]) -> set[str]:
    """What deprecated properties of these names say that is used in their place."""
    found = set()
    for shape in sheet.entity.shown:
        for name in names & set(shape.names()):
            match = _INSTEAD.search(shape.property(name).description)
            if match is not None:
                found.add(match[1])
    return found
