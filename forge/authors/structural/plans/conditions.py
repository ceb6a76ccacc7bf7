"""What the description of one argument says of when and how it is taken.

Always holds: nothing here knows the record; an argument with a condition is one the agent could
pass where the document has it refused.
"""

import re

from forge.authors.structural.reading.reading import Argument

_BOUND = (
    r"\b(may|can) (only|not) be (updated|set|changed|provided|modified|edited|\w*activated)\b"
    r"|\bcannot be (updated|set|changed|modified|edited)\b"
    r"|\bmay only be (used|passed|specified)\b"
)
_CONDITIONAL = re.compile(_BOUND, re.IGNORECASE)
_AT_FIRST = re.compile(
    r"\b(may|can) only be (set|provided|used|passed|specified) (if|in|when|with|for)\b",
    re.IGNORECASE,
)
_IDLE = re.compile(r"\bignored (unless|if|when)\b", re.IGNORECASE)
_LISTED = re.compile(r"\bcomma[- ]separated\b", re.IGNORECASE)
_BRINGS = re.compile(
    r"\bwill have an? \w+ (applied|attached|created)\b"
    r"|\b(true|false)`? (publishes|starts|sends|triggers|deploys)\b",
    re.IGNORECASE,
)
"""It makes another record, or does more than to be stored."""
_CASELESS = re.compile(r"\bcase[- ]insensitive(ly)?\b|\bis like\b", re.IGNORECASE)


def is_conditional(argument: Argument, *, create: bool) -> bool:
    """Whether an argument is said to be taken now and then only."""
    said = argument.description
    at_first = _AT_FIRST.search(said) or _BRINGS.search(said) or _IDLE.search(said)
    return bool(at_first or (not create and _CONDITIONAL.search(said)))


def is_several(argument: Argument) -> bool:
    """Whether one text is said to hold several values."""
    return argument.shape.type == "string" and bool(_LISTED.search(argument.description))


def is_likeness(description: str) -> bool:
    """Whether texts are said to be compared by more than being equal."""
    return bool(_CASELESS.search(description))
