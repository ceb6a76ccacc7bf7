"""Which columns the word lists have nothing to say of: there rules write what would fit anywhere,
"Default tariff", "standard", "Needs a signature.", or one and the same example of the document.

Always holds: what is asked is decided by the schema alone, and so the same for the same document.
"""

import re
from functools import cache
from random import Random

from forge.authors.structural.lexicon import lists
from forge.authors.structural.values.meaning import Meaning, meaning
from forge.authors.structural.values.phrases import SLOT, short_of
from forge.authors.structural.values.values import new_value
from forge.types.data import Json
from forge.types.state import Column, Table

_SAMPLES = 24
_FEW = 5
"""Examples of a document that are too few to fill a table with."""
_READ: tuple[Meaning, ...] = ("name", "text", "thing", "field")


def bland_columns(table: Table) -> list[Column]:
    """The text columns that people read, and that rules know no words of the domain for; the one
    that records are told apart by first."""
    if table.singleton:
        return []
    found = [column for column in table.columns if _is_read(table, column)]
    found = [column for column in found if _is_bland(table, column)]
    return sorted(found, key=lambda column: column.name != table.label)


def _is_read(table: Table, column: Column) -> bool:
    return (
        column.type == "string"
        and column.format is None
        and column.enum is None
        and column.references is None
        and not column.among
        and column.generated is None
        and column.name not in table.key
        and (table.parent is None or column.name not in table.parent.columns)
        and meaning(column, table.noun) in _READ
    )


def _is_bland(table: Table, column: Column) -> bool:
    made = [
        new_value(table, column, Random(f"{table.name}/{column.name}/{number}"))
        for number in range(_SAMPLES)
    ]
    few = len(column.examples) < _FEW
    shown = {each for each in column.examples if few and " " in str(each)}  # others are codes
    bland = sum(value in shown or _is_generic(value, table) for value in made)
    return 2 * bland >= len(made)


def _is_generic(value: Json, table: Table) -> bool:
    text = str(value)
    return text.endswith(f" {short_of(table.noun)}") or bool(_anywhere().fullmatch(text))


@cache
def _anywhere() -> re.Pattern[str]:
    """What is written where nothing is known; also two of such sentences."""
    templates = [*lists()["plain_word"], *lists()["quote_text"]]
    parts = "|".join(
        ".+".join(map(re.escape, SLOT.sub("\0", template).split("\0"))) for template in templates
    )
    return re.compile(f"(?:{parts})(?: (?:{parts}))?")
