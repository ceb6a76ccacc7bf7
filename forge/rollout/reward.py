"""The reward: 1 if the end state is the golden one and every answer due was said, else 0.

The reasons come as data: what differs and where, what harm was done beside, which answers lack.
"""

from forge.env.compare import compare, equal
from forge.env.store import Store
from forge.rollout.answers import unsaid
from forge.rollout.dialogue import Dialogue
from forge.types.rollout import Deviation, Verdict
from forge.types.state import Overlay
from forge.types.task import Task


def judge(task: Task, store: Store, reached: Overlay, dialogue: Dialogue) -> Verdict:
    """Of a dialogue that ended in this state. ComparisonLimit if that cannot be told."""
    deviations = deviations_of(task, store, reached)
    missing = unsaid(task, dialogue.question, dialogue.steps)
    return Verdict(reward=0 if deviations or missing else 1, deviations=deviations, unsaid=missing)


def deviations_of(task: Task, store: Store, reached: Overlay) -> tuple[Deviation, ...]:
    """How the state reached is not the golden one; nothing where it is. `store`: any of a session
    that began where the task does."""
    if equal(store.schema, store.initial, task.golden, reached):
        return ()
    found = compare(store.schema, store.initial, task.golden, reached).differences
    return tuple(
        Deviation(
            what=each.what,
            table=each.table,
            key=each.key,
            column=each.column,
            expected=each.expected,
            actual=each.actual,
            collateral=each.what != "missing" and not _touches(task.golden, each.table, each.key),
        )
        for each in found
    )


def _touches(golden: Overlay, table: str, key: str) -> bool:
    """Whether the golden calls leave a trace in the record."""
    there = golden.get(table)
    if there is None:
        return False
    return key in there.made or key in there.changed or key in there.deleted
