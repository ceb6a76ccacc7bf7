"""What must hold of a record before something is done to it, in the document's words.

Always holds: a condition that is said and that no column shows makes the operation `Unclear`.
"""

import re
from collections.abc import Iterator

from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.words import many, said, split
from forge.types.data import Json
from forge.types.environment import Requirement
from forge.types.state import Column

_ONLY = re.compile(
    r"\bonly\b[^.`]*?\bwith (?:the |an? )?([\w ]+?) ((?:`[^`]+`(?:,| or|, or)? ?)+)", re.I
)
_STATED = re.compile(
    r"\b(can|may|must)\b.*\b(status(es)?|states?)\b|\bwith a (status|state) of\b"
    r"|\b(when|if) (its|the) (status|state) is\b",
    re.IGNORECASE,
)
_SORT = re.compile(
    r"^\w+s an? ([a-z_]+) |\bonly (?:an? )?([a-z_]+) [\w -]{2,40} (?:can|may) be\b", re.IGNORECASE
)
_NOT = r"(can ?not|can't|can’t|may not|must not)"
_CONDITION = re.compile(
    r"\b(can|may) (only )?be \w+ed\b[^.]* (if|when|unless|once|while)\b"
    rf"|\bonly\b[^.]* (can|may) be\b|\b{_NOT} (be )?\w+|\bexcept if\b|\bonly possible\b",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"\bto be deleted\b.* must\b|\bdelet\w+[^.]* (is only possible|is not possible|will fail)\b",
    re.IGNORECASE,
)
"""Of a delete: a condition on every record, not a word about one that is special."""
_FOREVER = re.compile(
    rf"\b{_NOT} be (undone|restored|recovered|reversed|reverted|undeleted)\b", re.IGNORECASE
)
_BESIDES = re.compile(
    r"\band (all )?(its|their) (associated|related)\b"
    r"|\bwill (also )?(refund|create|remove|delete all)\b"
    r"|\bfunds will be\b|\band links\b|\ball objects related\b"
    r"|\b(?:also|then) (?:immediately )?(?:cancels?|closes?|refunds?|revokes?|archives?)\b",
    re.IGNORECASE,
)


def sentences(reading: Reading) -> list[str]:
    """The sentences of a document about an operation; a line that goes on in small letters is of
    the one before."""
    operation = reading.operation
    text = f"{operation.summary}\n\n{operation.description}"
    parts = re.split(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*[^a-z\s])", text)
    return [" ".join(part.split()) for part in parts if part.strip()]


def told_needs(sheet: Sheet, reading: Reading) -> tuple[Requirement, ...]:
    """What a documented refusal says must hold, as in "Only a loan with status `out` can be
    returned."."""
    found = []
    for text in reading.operation.failures.values():
        for match in _ONLY.finditer(text):
            column = sheet.worded(split(match[1]))
            values = re.findall(r"`([^`]+)`", match[2])
            if column is not None and column.enum is not None and set(values) <= set(column.enum):
                found.append(_in(column, values))
    return tuple(found)


def state_needs(
    reading: Reading, sheet: Sheet, column: Column, leaves: Json
) -> tuple[Requirement, ...]:
    """What is said of the state before an action that leaves another one in a column: "Only
    pending top-ups can be canceled."."""
    values: list[str] = []
    unseen = ""
    for sentence in sentences(reading):
        named = list(_states(sentence, column, leaves))
        kind = _SORT.search(sentence)
        if kind is not None and (sort := kind[1] or kind[2]).lower() in (column.enum or ()):
            named = [sort.lower()]
        elif not _STATED.search(sentence):
            named = []
        values += named
        if not named and _is_condition(sentence):
            unseen = sentence
    if unseen and not values:
        raise Unclear(f"it has a condition that no column shows: {unseen[:80]}")
    return (_in(column, list(dict.fromkeys(values))),) if values else ()


def delete_needs(
    reading: Reading, sheet: Sheet, kept_by: frozenset[str]
) -> tuple[Requirement, ...]:
    """What is said of records that cannot be deleted; `kept_by` are the tables whose records keep
    theirs from being deleted, which needs no further test."""
    columns = [
        c for c in sheet.table.columns if c.enum and split(c.name) in (("status",), ("state",))
    ]
    for sentence in sentences(reading):
        conditional = re.search(
            r"\b(only|not|can't|can’t|cannot|except|unless|if|fail)\b", sentence
        )
        if not _KEPT.search(sentence) or not conditional or _FOREVER.search(sentence):
            continue
        words = set(split(sentence))
        if any(words & {table, *split(table)[-1:]} for table in kept_by):
            continue
        for column in columns:
            named = list(_states(sentence, column, None))
            if named and re.search(r"\bno longer\b|\bonly\b", sentence, re.IGNORECASE):
                return (_in(column, named),)
        raise Unclear(f"it has a condition that no column shows: {sentence[:80]}")
    return ()


def check_besides(reading: Reading, sheet: Sheet) -> None:
    """Unclear where an action is said to do something to other records too."""
    for sentence in sentences(reading):
        found = _BESIDES.search(sentence)
        if found is not None and said(many(sheet.entity.noun)) not in found[0]:
            raise Unclear(f"it does more than to change one record: {sentence[:80]}")


def _states(sentence: str, column: Column, leaves: Json) -> Iterator[str]:
    words = re.findall(r"[A-Za-z_]+", sentence)
    for value in column.enum or ():
        if isinstance(value, str) and value != leaves and value in words:
            yield value


def _is_condition(sentence: str) -> bool:
    return bool(_CONDITION.search(sentence)) and not _FOREVER.search(sentence)


def _in(column: Column, values: list[str]) -> Requirement:
    if len(values) == 1:
        return Requirement(column=column.name, op="eq", value=values[0])
    return Requirement(column=column.name, op="in", value=values)
