"""What one record is to share with another: "the same due date as the task "Order desks"", "for the
same customer as order 1042"."""

from forge.tasks.intents.columns import column_named
from forge.tasks.speech.called import called
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.relation import tied
from forge.types.intent import Aggregate, Computed, Value
from forge.types.state import Column, Table


def source(value: Computed, speaker: Speaker) -> str:
    """The record that has the value."""
    assert isinstance(value.of, Aggregate)
    return speaker.thing(value.of.of)


def alike(value: Computed, column: Column, table: Table, speaker: Speaker) -> str:
    """ "the same due date as the task "Order desks"."""
    target = _referred(column, speaker)
    key = target is not None and column.name in target.key
    named = target.noun if target is not None and key else called(column, table)
    return f"the same {named} as {source(value, speaker)}"


def shared(said: dict[str, Value], table: Table, speaker: Speaker) -> list[str]:
    """What a new record belongs to, told by another that does, with its prepositions: "for the same
    customer as order 1042". What these say is taken out of `said`."""
    parts: list[str] = []
    for name, value in list(said.items()):
        target = _referred(column_named(table, name), speaker)
        if target is None or not isinstance(value, Computed):
            continue
        if tied(name, table, target, "", new=True).startswith("with "):
            continue
        del said[name]
        same = f"the same {target.noun} as {source(value, speaker)}"
        parts.append(tied(name, table, target, same, new=True))
    return parts


def _referred(column: Column, speaker: Speaker) -> Table | None:
    return speaker.table(column.references) if column.references is not None else None
