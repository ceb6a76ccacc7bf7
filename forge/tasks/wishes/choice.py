"""Choosing the record that a wish is about, and how the user says which one it is."""

from forge.env.conditions import meets
from forge.env.identity import same
from forge.tasks.intents.intent import select
from forge.tasks.wishes.lifecycle import is_finished, is_open_to
from forge.tasks.wishes.ranks import busiest
from forge.tasks.wishes.reach import is_reached, is_told
from forge.tasks.wishes.scene import Scene, Unfit
from forge.tasks.wishes.ways import deepened, descriptions
from forge.types.environment import Effect
from forge.types.intent import Selection
from forge.types.state import Record, Table

FOCUS_SHARE = 0.7
DEEPER_SHARE = 0.55


def fits(effect: Effect, record: Record, scene: Scene) -> bool:
    """Whether the record is in a state for it, and one of those that the tool is for."""
    return all(meets(record.get(r.column), r.op, r.value) for r in effect.requires) and all(
        same(record.get(column), scene.store.me() if constant == "$me" else constant)
        for column, constant in effect.fixed.items()
    )


def any_record(table: Table, scene: Scene, effect: Effect | None = None) -> Record:
    """A record that a person would ask this of, rather one that has to do with earlier wishes."""
    records = list(scene.store.rows(table.name))
    scene.rng.shuffle(records)
    gone = effect is not None and effect.verb == "delete"
    fitting = [
        r
        for r in records
        if (effect is None or fits(effect, r, scene))
        and not (gone and (table.name, r) in scene.focus)
        and not (scene.ended and is_finished(table, r, scene))
    ]
    if not is_told(table, scene):
        of = next(busiest(table, scene), None)
        most = select(of, scene.store, {}) if of is not None else []
        fitting = [r for r in fitting if any(r is each for each in most)]
    if not fitting:
        raise Unfit(f"no record of {table.name} can be acted on")
    related: list[Record] = []
    if scene.focus and scene.rng.random() < FOCUS_SHARE:
        related = _related(table, fitting, scene)
    open_ones = (r for r in [*related, *fitting] if is_open_to(effect, table, r, scene))
    chosen = next(open_ones, fitting[0])
    scene.focus.append((table.name, chosen))
    return chosen


def _related(table: Table, records: list[Record], scene: Scene) -> list[Record]:
    """Those that an earlier wish was about, or that refer to one, or are what one refers to."""
    found: list[Record] = []
    for name, other in scene.focus:
        focused = scene.table(name)
        up = [column for column, target in scene.ties(table) if target == name][:1]
        down = [column for column, target in scene.ties(focused) if target == table.name][:1]
        found += [
            r
            for r in records
            if (name == table.name and other == r)
            or any(same(r.get(column), other[focused.key[0]]) for column in up)
            or any(same(other.get(column), r[table.key[0]]) for column in down if not up)
        ]
    return found


def described(table: Table, record: Record, scene: Scene, rank_share: float = 0.3) -> Selection:
    """How the user says which record: a way that some tool can follow, if there is one."""
    if not is_reached(table, scene):
        raise Unfit(f"no way to say which record of {table.name} that a tool can follow")
    for selection in descriptions(table, record, scene, rank_share):
        if scene.reaches(selection):
            deeper = scene.rng.random() < DEEPER_SHARE or scene.deep
            return deepened(selection, scene) if deeper else selection
    raise Unfit(f"no way to say which record of {table.name} that a tool can follow")
