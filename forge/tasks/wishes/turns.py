"""Two wishes of which the second can only be granted after the first: reopen, then change; take
away what belongs to it, then delete; rename, then make another by the old name."""

from collections.abc import Callable, Sequence
from typing import cast

from forge.env.identity import same
from forge.errors import ToolError
from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.intents.intent import IntentError, select_one
from forge.tasks.wishes.choice import described, fits
from forge.tasks.wishes.describe import is_said_easily
from forge.tasks.wishes.fields import constant, field, is_clocked
from forge.tasks.wishes.groups import MIN_CANDIDATES, referring
from forge.tasks.wishes.ranks import MAX_EACH
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.tasks.wishes.wish import wish_for
from forge.types.environment import Comparison, Effect, Requirement, Tool
from forge.types.intent import (
    Change,
    Condition,
    Delete,
    Insert,
    Plain,
    RecordKey,
    Selection,
    Value,
)
from forge.types.state import Record, Table

TURN_SHARE, DEEP_TURN_SHARE = 0.2, 0.4
"""How often such wishes are sought."""
MOST_TRIED = 12


def seldom_in_turn(writes: Sequence[str], scene: Scene) -> list[Wished]:
    """Now and then, two wishes of which one must come first, of which one of these tools grants
    the other."""
    if scene.rng.random() >= (DEEP_TURN_SHARE if scene.deep else TURN_SHARE):
        return []
    for name in writes:
        try:
            return in_turn(scene.tools[name], scene)
        except Unfit:
            continue
    return []


def in_turn(tool: Tool, scene: Scene) -> list[Wished]:
    """A wish that this write tool grants, and before it the one that makes it possible. Raises
    Unfit."""
    effect = tool.effect
    if effect is None or tool.kind != "write" or scene.made:
        raise Unfit("the tool's effect is not declared")
    ways: list[Callable[[Tool, Effect, Scene], list[Wished] | None]]
    ways = [_turned, _emptied, _freed]
    for way in ways:
        wished = way(tool, effect, scene)
        if wished is not None:
            return wished
    raise Unfit(f"nothing has to come before what {tool.name} does")


def _writers(table: str, verb: str, scene: Scene) -> list[Tool]:
    tools = [
        t
        for t in scene.tools.values()
        if t.kind == "write"
        and t.effect is not None
        and t.effect.table == table
        and t.effect.verb == verb
    ]
    scene.rng.shuffle(tools)
    return tools


# ---------------------------------------------------------------------- states


def _turned(tool: Tool, effect: Effect, scene: Scene) -> list[Wished] | None:
    """Of a record in a state in which the tool refuses, brought first into one in which it does
    not: "reopen order 1042, then add a line to it"."""
    turnable = [r for r in effect.requires if r.op in OPPOSITE]
    if not turnable or effect.verb == "create":
        return None
    unmet = scene.rng.choice(turnable)
    turned = unmet.model_copy(update={"op": OPPOSITE[cast(Comparison, unmet.op)]})
    twin = tool.model_copy(update={"effect": effect.model_copy(update={"requires": (turned,)})})
    try:
        deed = wish_for(twin, scene, 1).wish
        if not isinstance(deed, Change | Delete) or deed.each or _names(deed.of, unmet.column):
            return None
        record = select_one(deed.of, scene.store, {})
    except (Unfit, IntentError):
        return None
    for other in _writers(effect.table, "update", scene):
        change = _bringing(other, record, effect, unmet, scene)
        if change is None or other.name == tool.name:
            continue
        last = deed.change.get(unmet.column) if isinstance(deed, Change) else None
        if isinstance(last, Plain) and same(last.value, record.get(unmet.column)):
            continue  # it would end as it was
        return [
            Wished(Change(of=deed.of, change=change), other),
            Wished(deed, tool),
        ]
    return None


def _names(of: Selection, column: str) -> bool:
    return column in {c.column for c in of.where} or (
        of.pick is not None and of.pick.column == column
    )


def _bringing(
    tool: Tool, record: Record, effect: Effect, unmet: Requirement, scene: Scene
) -> dict[str, Value] | None:
    """What this tool changes on the record, so that the effect can be had."""
    own = tool.effect
    assert own is not None
    table = scene.table(own.table)
    passed = {a for a, c in own.fields.items() if c == unmet.column and unmet.op == "eq"}
    needed = set(tool.parameters.get("required", ())) - set(own.match) - passed
    if needed or own.replaces or not fits(own, record, scene):
        return None
    written = {c: v for c, v in own.sets.items() if not is_clocked(table, c)}
    change = {c: constant(v) for c, v in written.items()}
    if passed and unmet.column not in written:
        written[unmet.column] = unmet.value
        change[unmet.column] = Plain(value=unmet.value, fact="")
    after = {**record, **written}
    if unmet.column not in written or "$me" in written.values() or not fits(effect, after, scene):
        return None
    return change


# ------------------------------------------------------------------ belongings


def _emptied(tool: Tool, effect: Effect, scene: Scene) -> list[Wished] | None:
    """Of a record that others keep from being deleted, these deleted first."""
    if effect.verb != "delete":
        return None
    table = scene.table(effect.table)
    records = [r for r in scene.store.rows(table.name) if fits(effect, r, scene)]
    scene.rng.shuffle(records)
    for record in records[:MOST_TRIED]:
        for child, column in referring(table, scene):
            rows = [
                r for r in scene.store.rows(child.name) if same(r.get(column), record[table.key[0]])
            ]
            if not 1 <= len(rows) <= MAX_EACH:
                continue
            for other in _writers(child.name, "delete", scene):
                assert other.effect is not None
                if not all(fits(other.effect, r, scene) for r in rows):
                    continue
                if not _keep(table, record, child, rows, scene):
                    continue
                wishes = _both(table, record, child, column, rows, scene)
                if wishes is not None:
                    return [Wished(wishes[0], other), Wished(wishes[1], tool)]
    return None


def _keep(table: Table, record: Record, child: Table, rows: list[Record], scene: Scene) -> bool:
    """Whether these, and nothing else, keep the record from being deleted."""
    trial, key = scene.store.fork(), [record[k] for k in table.key]
    try:
        trial.delete(table.name, *key)
    except ToolError as error:
        if error.kind != "conflict":
            return False
    else:
        return False
    try:
        for row in rows:
            trial.delete(child.name, *(row[k] for k in child.key))
        trial.delete(table.name, *key)
    except ToolError:
        return False
    return True


def _both(
    table: Table, record: Record, child: Table, column: str, rows: list[Record], scene: Scene
) -> tuple[Delete, Delete] | None:
    try:
        of = described(table, record, scene, 0.0)
        if len(rows) == 1:
            return Delete(of=described(child, rows[0], scene, 0.0)), Delete(of=of)
    except Unfit:
        return None
    tie = Condition(column=column, value=RecordKey(of=of))
    belonging = Selection(table=child.name, where=(tie,))
    if not scene.reaches(belonging) or len(rows) < MIN_CANDIDATES - 1:
        return None
    return Delete(of=belonging, each=True), Delete(of=of)


# ----------------------------------------------------------------------- names


def _freed(tool: Tool, effect: Effect, scene: Scene) -> list[Wished] | None:
    """Of a new record by a name that another one has, which first gets another name."""
    if effect.verb != "create":
        return None
    table = scene.table(effect.table)
    label = label_of(table)
    if label is None or label in table.key or label not in effect.fields.values():
        return None
    column = column_named(table, label)
    if not column.unique or column.within:
        return None
    for other in _writers(table.name, "update", scene):
        own = other.effect
        assert own is not None
        arguments = {a for a, c in own.fields.items() if c == label}
        needed = set(other.parameters.get("required", ())) - set(own.match) - arguments
        if not arguments or needed or own.replaces or own.sets:
            continue
        records = [r for r in scene.store.rows(table.name) if fits(own, r, scene)]
        records = [r for r in records if is_said_easily(r.get(label))]
        if not records:
            continue
        record = scene.rng.choice(records)
        new = field(table, column, scene, dict(record), record)
        try:
            of = described(table, record, scene, 0.0)
            made = wish_for(tool, scene, 1)
        except Unfit:
            return None
        if not isinstance(new, Plain) or not isinstance(made.wish, Insert):
            return None
        name = Plain(value=record[label], fact="")
        insert = made.wish.model_copy(update={"values": {**made.wish.values, label: name}})
        late = [c for c in made.late if c != label]
        return [
            Wished(Change(of=of, change={label: new}), other),
            Wished(insert, tool, late),
        ]
    return None
