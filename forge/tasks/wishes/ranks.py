"""Records told by their place: the earliest, the second-cheapest, the closest, the busiest.

Always among at least 3, and never where the task itself makes a record of the table, which could
come first.
"""

from collections.abc import Iterator

from forge.env.identity import same
from forge.tasks.intents.intent import IntentError, select
from forge.tasks.speech.called import event
from forge.tasks.wishes.describe import ordered_columns, picks
from forge.tasks.wishes.groups import MIN_CANDIDATES, groups, referrers, wider_groups
from forge.tasks.wishes.scene import Scene
from forge.types.intent import Condition, Counted, Pick, Plain, Selection
from forge.types.state import Record, Table

MAX_EACH = 5
DEEPEST = 4
"""The fourth is the last place that a person counts to."""


def by_rank(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """As the one in some place of its group by a date or number."""
    if table.name in scene.made.values():
        return
    columns = ordered_columns(table, scene)
    scene.rng.shuffle(columns)
    if scene.rng.random() < 0.25:
        yield from _by_referrers(table, record, scene)
    columns = [column for column in columns if record.get(column.name) is not None]
    if not columns:
        return
    for where in _rival_groups(table, record, scene):
        rivals_of = Selection(table=table.name, where=tuple(where))
        if not scene.reaches(rivals_of):
            continue
        rivals = select(rivals_of, scene.store, {})
        if len(rivals) < MIN_CANDIDATES or record in (rivals[0], rivals[-1]):
            continue  # who takes the first or the last of the list must not be right
        bound = {c.column for c in where}
        for column in columns:
            if column.name in bound:
                continue
            values = [r[column.name] for r in rivals if r.get(column.name) is not None]
            if len(values) < MIN_CANDIDATES:
                continue
            below = sum(v < record[column.name] for v in values)
            above = sum(v > record[column.name] for v in values)
            if below + above + 1 != len(values):
                continue  # it ties with another
            place = min(below, above) + 1
            deepest = 1 if event(column, table) is not None else DEEPEST
            if place <= min(deepest, len(values) // 2 + 1):
                which = "min" if below <= above else "max"
                pick = Pick(column=column.name, which=which, nth=place)
                yield Selection(table=table.name, where=tuple(where), pick=pick)
            yield from _nearest(table, record, column.name, where, scene)


def _rival_groups(table: Table, record: Record, scene: Scene) -> Iterator[list[Condition]]:
    if scene.rng.random() < 0.3:
        yield from wider_groups(table, record, scene)
    yield from groups(table, record, scene)
    yield []


def _nearest(
    table: Table, record: Record, column: str, where: list[Condition], scene: Scene
) -> Iterator[Selection]:
    """Whose price is closest to a round number."""
    value = record[column]
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 10:
        return
    size = 10 ** (len(str(int(value))) - 1)
    target = round(value / size) * size
    if target <= 0 or same(target, value):
        return
    pick = Pick(column=column, which="min", near=Plain(value=target, fact=""))
    selection = Selection(table=table.name, where=tuple(where), pick=pick)
    if picks(selection, record, scene):
        yield selection


def _by_referrers(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """That most others refer to: the project with the most open tasks."""
    for selection in _counted(table, scene):
        if scene.reaches(selection) and picks(selection, record, scene):
            yield selection


def _counted(table: Table, scene: Scene) -> Iterator[Selection]:
    """Ways to count what refers to the table's records: all, or those of one kind."""
    if len(table.key) != 1 or table.name in scene.made.values():
        return
    options = referrers(table, scene)
    scene.rng.shuffle(options)
    for child, column, where in options[:4]:
        counted = Counted(of=Selection(table=child.name, where=where), column=column)
        pick = Pick(column=table.key[0], which="max", counted=counted)
        yield Selection(table=table.name, pick=pick)


def busiest(table: Table, scene: Scene) -> Iterator[Selection]:
    """The one that most others refer to, whichever it is."""
    for selection in _counted(table, scene):
        try:
            found = select(selection, scene.store, {})
        except IntentError:
            continue
        if len(found) == 1 and scene.reaches(selection):
            yield selection


def several(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """The two or three that come first of a group, this one among them."""
    columns = ordered_columns(table, scene)
    scene.rng.shuffle(columns)
    for where in _rival_groups(table, record, scene) if columns else ():
        for column in columns[:2]:
            take = scene.rng.choice([2, 3])
            which = "min" if scene.rng.random() < 0.5 else "max"
            pick = Pick(column=column.name, which=which, take=take)
            selection = Selection(table=table.name, where=tuple(where), pick=pick)
            rivals = select(Selection(table=table.name, where=tuple(where)), scene.store, {})
            if len(rivals) <= take:
                continue
            try:
                found = select(selection, scene.store, {})
            except IntentError:
                continue
            if record in found:
                yield selection


def each_selection(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """Groups of 2 to 5 records, this one among them, that a person would name as one."""
    if scene.rng.random() < 0.2 and table.name not in scene.made.values():
        yield from (of for of in several(table, record, scene) if scene.reaches(of))
    ways = [groups, wider_groups]
    if scene.rng.random() < 0.4:
        ways.reverse()
    for way in ways:
        for where in way(table, record, scene):
            selection = Selection(table=table.name, where=tuple(where))
            if not scene.reaches(selection):
                continue
            if 2 <= len(select(selection, scene.store, {})) <= MAX_EACH:
                yield selection
