"""Choices of a column that only the filters of its lists tell: `?state=open|closed|all`.

Always holds: what means every record is no choice; a filter that is left out chooses nothing,
unless the document says what it chooses then, which makes the list `Unclear`.
"""

import re
from collections.abc import Sequence

from forge.authors.structural.model.entities import Entity
from forge.types.data import Json
from forge.types.state import Column

_EVERY = ("all", "any", "both", "*")
_NOTHING = (*_EVERY, "null", "none", "empty")
_DEFAULT = re.compile(r"\bdefaults? (?:to|is|value is|value:|:)\W{0,3}(\w+)", re.IGNORECASE)


def stated(entity: Entity, column: Column) -> Column:
    """A text column with the choices of the filter of its name, where it has none itself."""
    plain = column.references is None and column.format is None and column.generated is None
    if column.type != "string" or column.enum is not None or not plain:
        return column
    for reading in entity.lists:
        for argument in reading.taken("query"):
            values = without_every(argument.shape.enum)
            if argument.field == column.name and 1 < len(values) < len(argument.shape.enum):
                return column.model_copy(update={"enum": values})
    return column


def without_every(values: Sequence[Json]) -> tuple[Json, ...]:
    return tuple(value for value in values if value not in _EVERY)


def chosen_unasked(description: str) -> str:
    """What a filter chooses that is not passed, in the words of its description; empty where they
    say nothing, or that it is every record."""
    told = _DEFAULT.search(description)
    return told[1] if told is not None and told[1].lower() not in _NOTHING else ""
