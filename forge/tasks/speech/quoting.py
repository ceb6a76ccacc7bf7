"""When words are put in quotes: titles, free text, and what would else run into the sentence."""

from forge.tasks.speech.called import bare
from forge.tasks.speech.lexicon import TITLED, is_person
from forge.tasks.speech.words import role
from forge.types.data import Json
from forge.types.state import Column, Table

_PROSE = {
    "wishes", "note", "notes", "comment", "comments", "message", "remark", "remarks", "reason",
    "instructions", "description", "text", "body", "content", "memo", "summary", "details",
    "feedback", "request", "requests",
}  # fmt: skip
_LONG_CODE = 2
_LONG_NAME = 3


def is_prose(words: str) -> bool:
    """Whether a column of these words holds free text, which never stands as a name."""
    return bool(set(words.split()) & _PROSE)


def is_quoted(value: Json, text: str, column: Column, table: Table) -> bool:
    """Whether the text, which says the value of the column, stands in quotes."""
    if not isinstance(value, str) or not any(c.isalpha() for c in text):
        return False
    words, named = text.replace("& ", "").split(), column.name == table.label
    if column.enum is not None:
        return len(words) > _LONG_CODE
    if text != value or column.format is not None or (named and is_person(table.noun)):
        return False
    if named and text.lower().endswith(f" {table.noun.lower()}") and "," not in text:
        return False
    titled = table.noun in TITLED and named and len(words) > 1
    odd = text[-1] in ".!?" or "," in text
    return titled or odd or _is_title(column, table) or len(words) > _LONG_NAME


def _is_title(column: Column, table: Table) -> bool:
    return role(column.name, table.noun) in ("title", "subject") or is_prose(bare(column, table))


def as_adjective(text: str) -> str:
    """What is said of a kind as it stands before a noun: "checked-in", "disposed"."""
    text = text.strip('"').replace(" ", "-")
    return text.lower() if text[:1].isupper() and text[1:].islower() else text
