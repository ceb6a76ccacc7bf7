"""What is asked once the other wishes are granted: how many open tasks are left, which one is due
first then.

It was another before, so that who looks too early, or does nothing, says what is wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from forge.env.identity import same
from forge.errors import ToolError
from forge.tasks.intents.inside import aggregates
from forge.tasks.intents.intent import IntentError, carry_out, measure, select
from forge.tasks.speech.called import is_bookkeeping
from forge.tasks.wishes.answer import OVER_GROUPS
from forge.tasks.wishes.describe import told_by
from forge.tasks.wishes.groups import MIN_CANDIDATES
from forge.tasks.wishes.scene import Scene, Told, Wished
from forge.types.data import Json
from forge.types.intent import Aggregate, Answer, Intent, Measure, Selection, Wish
from forge.types.state import Overlay, Record, Table

MOST_TOUCHED = 3
"""Records that the other wishes change, about whose groups one asks."""


def asked_after(wishes: Sequence[Wish], scene: Scene) -> Wished | None:
    """Something over a group that is otherwise after these wishes; None if nothing is."""
    store = scene.store.fork()
    try:
        carry_out(Intent(wishes=tuple(wishes)), store)
    except (IntentError, ToolError):
        return None
    before = replace(scene, made={}, focus=[], ended=[])
    overlay = store.overlay()
    told = Told(earlier=scene.told, changed=told_by(overlay, scene))
    after = replace(before, store=store, told=told)
    for table, record, seen in _touched(before, after, overlay):
        makers = list(OVER_GROUPS)
        scene.rng.shuffle(makers)
        for maker in (*makers, _all):
            what = maker(scene.table(table), record, seen)
            if what is None:
                continue
            was, value = _value(what, before), _value(what, after)
            changes = was is not None and value not in (None, "", 0) and not same(was, value)
            if changes and _takes_thought(what, after):
                return Wished(Answer(what=what, after=True), None)
    return None


def _touched(before: Scene, after: Scene, overlay: Overlay) -> Iterator[tuple[str, Record, Scene]]:
    """(table, record, where it is so) of what the wishes changed: as it was and as it is. Where the
    task is to be deep, first what was there, which had to be looked up."""
    found: list[tuple[str, Record, Scene]] = []
    for table, changes in overlay.items():
        if is_bookkeeping(before.table(table)):
            continue
        old = [before.store.initial(table, key) for key in (*changes.changed, *changes.deleted)]
        found += [(table, record, before) for record in old[:MOST_TOUCHED] if record is not None]
        new = [*changes.changed.values(), *changes.made.values()]
        found += [(table, record, after) for record in new[:MOST_TOUCHED]]
    before.rng.shuffle(found)
    yield from sorted(found, key=lambda one: one[2] is after) if before.deep else found


def _all(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """How many there are in all."""
    everything = Selection(table=table.name)
    return Aggregate(of=everything, op="count") if scene.reaches(everything) else None


def _takes_thought(what: Measure, scene: Scene) -> bool:
    """Whether it is still over enough records, and who takes the first or the last is wrong."""
    for each in aggregates(what):
        group = select(each.of.model_copy(update={"pick": None}), scene.store, {})
        if len(group) < MIN_CANDIDATES:
            return False
        if each.of.pick is not None:
            picked = select(each.of, scene.store, {})
            if any(record in (group[0], group[-1]) for record in picked):
                return False
    return True


def _value(what: Measure, scene: Scene) -> Json:
    """What it comes to there; None where that is not exact."""
    try:
        return measure(what, scene.store, {})
    except IntentError:
        return None
