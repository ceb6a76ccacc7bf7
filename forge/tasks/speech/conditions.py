"""What the conditions of a selection say, before any word is chosen."""

from forge.tasks.speech.words import role
from forge.types.intent import Condition, Keys, Plain, RecordKey, Selection
from forge.types.state import Table


def is_numbered(condition: Condition, table: Table) -> bool:
    """Whether it says the number by which records of a kind go: "issue 12"."""
    return (
        condition.column in table.key
        and condition.op == "eq"
        and role(condition.column, table.noun) == "number"
        and isinstance(condition.value, Plain)
    )


def is_owning(condition: Condition, table: Table) -> bool:
    """Whether it says that other records refer to this one."""
    return isinstance(condition.value, Keys) and condition.column in table.key


def told_once(conditions: list[Condition]) -> list[Condition]:
    """Without the further parts of a composite key that names a record."""
    kept: list[Condition] = []
    named: list[Selection] = []
    for condition in conditions:
        value = condition.value
        if isinstance(value, RecordKey) and value.column is not None:
            if value.of in named:
                continue
            named.append(value.of)
        kept.append(condition)
    return kept


def is_whole_key(selection: Selection, table: Table) -> bool:
    """Whether the record is told by all parts of its key and nothing else."""
    said = [c.column for c in selection.where if isinstance(c.value, Plain)]
    return said == list(table.key) and len(said) == len(selection.where)
