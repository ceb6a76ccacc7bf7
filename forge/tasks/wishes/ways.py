"""All ways to say which record is meant, the likeliest first."""

from collections.abc import Iterator

from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.intents.intent import select_one
from forge.tasks.speech.lexicon import is_person
from forge.tasks.wishes.describe import (
    by_name,
    by_number,
    by_references,
    is_said_easily,
    owners,
    picks,
)
from forge.tasks.wishes.groups import groups
from forge.tasks.wishes.ranks import by_rank
from forge.tasks.wishes.scene import Scene
from forge.types.intent import Actor, Condition, Plain, RecordKey, Selection
from forge.types.state import Record, Table

DEEP_RANK_SHARE = 0.7
WHOSE_SHARE = 0.4
"""How often it is said whose a record is, though its name alone would do."""


def descriptions(
    table: Table, record: Record, scene: Scene, rank_share: float = 0.3
) -> Iterator[Selection]:
    """Selections that pick exactly `record`, the likeliest way of speaking first. `rank_share` is
    how often a ranking ("the one due first") comes before the name."""
    if scene.rng.random() < (DEEP_RANK_SHARE if scene.deep else rank_share):
        yield from by_rank(table, record, scene)
    if scene.rng.random() < WHOSE_SHARE:
        yield from by_name_and_owner(table, record, scene)
    named = by_name(table, record, scene)
    if named is not None:
        yield named
    yield from by_number(table, record, scene)
    yield from by_name_and_group(table, record, scene)
    yield from by_spoken_key(table, record)
    if label_of(table) is None:
        for selection in by_references(table, record, scene):
            if picks(selection, record, scene):
                yield selection
    yield from by_rank(table, record, scene)


def by_name_and_owner(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """By its name and whose it is, where a tool lists what each of these has: one looks there."""
    label = label_of(table)
    if label is None or not is_said_easily(record.get(label)) or is_person(table.noun):
        return
    named = Condition(column=label, value=Plain(value=record[label], fact=""))
    for owner in owners(table, record, scene, 1):
        columns = {c.column for c in owner}
        selection = Selection(table=table.name, where=(named, *owner))
        is_looked_up = label not in columns and scene.lists_by(table.name, columns)
        if is_looked_up and picks(selection, record, scene):
            yield selection


def by_name_and_group(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """By its name among those of its kind or owner: "the open task "Order desks" on Lumen"."""
    label = label_of(table)
    if label is None or not is_said_easily(record.get(label)):
        return
    named = Condition(column=label, value=Plain(value=record[label], fact=""))
    for where in groups(table, record, scene):
        selection = Selection(table=table.name, where=(named, *where))
        if label not in {c.column for c in where} and picks(selection, record, scene):
            yield selection


def by_spoken_key(table: Table, record: Record) -> Iterator[Selection]:
    """By a key that people know, where the name is another: "the member with card number 2041"."""
    if len(table.key) == 1 and column_named(table, table.key[0]).spoken:
        (key,) = table.key
        if not is_said_easily(record[key]):
            return
        named = Condition(column=key, value=Plain(value=record[key], fact=""))
        yield Selection(table=table.name, where=(named,))


def deepened(selection: Selection, scene: Scene) -> Selection:
    """The same record or group, what it belongs to told by its place instead of its name: the
    tasks on the project that is due last. As it was, where there is no such way, and where the
    record has a place of its own already: one is enough."""
    if selection.pick is not None:
        return selection
    for condition in selection.where:
        value = condition.value
        if not isinstance(value, RecordKey) or value.of.pick is not None:
            continue
        target = scene.table(value.of.table)
        record = select_one(value.of, scene.store, {})
        ways = (of for of in by_rank(target, record, scene) if scene.reaches(of))
        ranked = next((of for of in ways if all(_is_plain(c) for c in of.where)), None)
        if ranked is not None:
            return selection.model_copy(
                update={"where": tuple(_told_by(c, value.of, ranked) for c in selection.where)}
            )
    return selection


def _is_plain(condition: Condition) -> bool:
    """Whether the condition takes no thought of its own."""
    value = condition.value
    named = isinstance(value, RecordKey) and value.of.pick is None
    return condition.op == "eq" and (named or isinstance(value, Plain | Actor))


def _told_by(condition: Condition, named: Selection, ranked: Selection) -> Condition:
    """The condition with the other way to tell the record, if it is about that one."""
    value = condition.value
    if isinstance(value, RecordKey) and value.of == named:
        return condition.model_copy(update={"value": value.model_copy(update={"of": ranked})})
    return condition
