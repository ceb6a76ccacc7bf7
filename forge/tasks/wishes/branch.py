"""A wish that hangs on a condition: one change if something is so, another if not.

What the test measures has to be looked up. The change that is not made would have been as natural
as the other, so that who does not look does the wrong thing half of the time.
"""

from forge.env.conditions import is_number
from forge.tasks.intents.columns import column_named
from forge.tasks.intents.forms import OPPOSITE, holds
from forge.tasks.intents.intent import IntentError, select, select_one
from forge.tasks.speech.called import is_unsayable, sensible_totals
from forge.tasks.wishes.fields import new_field
from forge.tasks.wishes.groups import kinds, referring
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.types.data import Json
from forge.types.environment import Comparison
from forge.types.intent import (
    Aggregate,
    Branch,
    Change,
    Condition,
    Deed,
    Measure,
    Plain,
    RecordKey,
    Selection,
    Test,
    Value,
)
from forge.types.state import Record, Table

BRANCH_SHARE = 0.25
TRIES = 4
FEWEST = 2
"""Records that are counted in a test: who counts one has nothing to count."""


def seldom_hanging(wished: Wished, scene: Scene) -> Wished:
    """Now and then, the wish with a condition before it."""
    if scene.rng.random() >= BRANCH_SHARE:
        return wished
    try:
        return branched(wished, scene)
    except Unfit:
        return wished


def branched(wished: Wished, scene: Scene) -> Wished:
    """The wish with a condition before it and another change after it. Raises Unfit."""
    deed = wished.wish
    if not isinstance(deed, Change) or deed.each or len(deed.change) != 1:
        raise Unfit("only a single change hangs on a condition")
    table = scene.table(deed.of.table)
    try:
        record = select_one(deed.of, scene.store, {})
    except IntentError:
        raise Unfit("what a condition is about is not exact") from None
    other = _other(deed, table, record, scene)
    test = _test(deed, table, record, scene)
    if other is None or test is None:
        raise Unfit("no condition fits the wish")
    taken, found = test
    first: Deed = deed
    then, otherwise = (first, other) if found else (other, first)
    return Wished(Branch(test=taken, then=then, otherwise=otherwise), wished.tool)


def _other(deed: Change, table: Table, record: Record, scene: Scene) -> Change | None:
    """Another new value for the same column."""
    ((name, value),) = deed.change.items()
    column = column_named(table, name)
    if not isinstance(value, Plain) or value.fact is None or column.type == "boolean":
        return None
    for _ in range(TRIES):
        other: Value | None = new_field(table, column, record, {}, scene)
        if isinstance(other, Plain) and other.value != value.value:
            return Change(of=deed.of, change={name: other})
    return None


def _test(deed: Change, table: Table, record: Record, scene: Scene) -> tuple[Test, bool] | None:
    """A comparison about the record, and whether it holds."""
    tests = [_counting, _valued]
    scene.rng.shuffle(tests)
    for make in tests:
        made = make(deed, table, record, scene)
        if made is not None:
            measure, value = made
            return _compared(measure, value, scene)
    return None


def _compared(measure: Measure, value: float, scene: Scene) -> tuple[Test, bool]:
    """With a limit near the value, on either side of it, so that it must be looked at."""
    op: Comparison = scene.rng.choice(["gt", "lt"])
    if scene.rng.random() < 0.2 and value == int(value):
        op = scene.rng.choice(["ge", "le"])
    limit = _limit(value, scene)
    answer = holds(value, op, limit)
    if answer == holds(value, OPPOSITE[op], limit):
        raise Unfit("a condition must have two ways")
    plain = Plain(value=limit, fact="")
    return Test.model_validate({"measure": measure, "op": op, "value": plain}), answer


def _limit(value: float, scene: Scene) -> int:
    if value < 15:
        steps = [n for n in (-2, -1, 1, 2) if value + n >= 1]
        return int(value) + scene.rng.choice(steps)
    size = int(10 ** (len(str(int(value))) - 1))
    size = size // 2 if size >= 10 else size
    lower = int(value // size) * size
    options = [int(n) for n in (lower, lower + size) if n > 0 and n != value]
    return scene.rng.choice(options)


def _counting(
    deed: Change, table: Table, record: Record, scene: Scene
) -> tuple[Measure, float] | None:
    """How many others refer to the record: the open tasks on the project."""
    if len(table.key) != 1:
        return None
    for child, column in referring(table, scene):
        key = RecordKey(of=deed.of)
        tie = Condition(column=column, value=key)
        rows = select(Selection(table=child.name, where=(tie,)), scene.store, {})
        if len(rows) < FEWEST:
            continue
        narrower = [(tie, k) for k in kinds(child, scene.rng.choice(rows), scene)]
        for where in [*narrower, (tie,)]:
            of = Selection(table=child.name, where=where)
            count = len(select(of, scene.store, {}))
            if count >= FEWEST and scene.reaches(of):
                return Aggregate(of=of, op="count"), count
    return None


def _valued(
    deed: Change, table: Table, record: Record, scene: Scene
) -> tuple[Measure, float] | None:
    """A number that the record itself has, other than what changes."""
    options: list[tuple[str, Json]] = [
        (c.name, record.get(c.name))
        for c in table.columns
        if c.type in ("integer", "number")
        and c.name not in (*table.key, *deed.change)
        and c.enum is None
        and not is_unsayable(c)
        and (sensible_totals(c, table))
        and is_number(record.get(c.name))
    ]
    options = [(name, value) for name, value in options if is_number(value) and value > 1]
    if not options:
        return None
    name, value = scene.rng.choice(options)
    if not is_number(value):
        return None
    return Aggregate(of=deed.of, op="value", column=name), value
