"""Of which tables one can say which record is meant so that some tool can follow, and which tools
nobody could turn to: known from tables and tools alone, so that no proposal is spent on them.

Always holds: what is called out of reach here is out of reach for `described` too, but for the one
record that most others refer to, where that alone tells one; what is not may still be, for the
names and ties that the records happen to have.
"""

from collections import Counter

from forge.tasks.intents.columns import column_named, is_internal, label_of, target_of
from forge.tasks.speech.called import is_asked_for, is_bookkeeping, sorts_in_words, stem
from forge.tasks.wishes.groups import referring
from forge.tasks.wishes.scene import Scene
from forge.types.environment import Effect, Tool
from forge.types.state import Column, Table

Says = frozenset[str]
"""Columns of which a way of telling gives the value."""


def hopeless(tool: Tool, scene: Scene) -> str | None:
    """Why no wish for what this tool does or shows could come to anything, or None."""
    effect = tool.effect
    if effect is None:
        return "the tool's effect is not declared"
    table = scene.table(effect.table)
    if is_bookkeeping(table):
        return "nobody asks for bookkeeping"
    counts = tool.kind == "read" and scene.needs(table.name, "count")
    if not (effect.verb in ("create", "add") or counts or is_reached(table, scene)):
        return f"no way to say which record of {table.name} that a tool can follow"
    if effect.verb == "create" and _lacks(tool, effect, table, scene):
        return f"no value for a required argument of {tool.name}"
    if effect.verb == "update" and not effect.sets and not _writes(effect, table, scene):
        return f"{tool.name} changes nothing that a user would say"
    return None


def _writes(effect: Effect, table: Table, scene: Scene) -> bool:
    columns = [column_named(table, name) for name in effect.fields.values()]
    return any(
        column.name not in table.key
        and is_asked_for(column, table)
        and (column.enum is not None or column.type == "boolean" or _is_given(column, table, scene))
        for column in columns
    )


def _is_given(column: Column, table: Table, scene: Scene) -> bool:
    """Whether a user could give a value for the column, or name whom it refers to."""
    schema, items = scene.store.schema, column.items
    if target_of(schema, table.name, column.name) is not None:
        return True
    if table.parent is not None and column.name in table.parent.columns:
        return True
    if is_internal(schema, table.name, column.name) or column.generated is not None:
        return False
    listed = items is not None and bool(items.references or items.type == "object")
    return column.type not in ("object", "any") and not listed


def _lacks(tool: Tool, effect: Effect, table: Table, scene: Scene) -> bool:
    """Whether the tool needs a value for a new record that no user could give."""
    required = [effect.fields[a] for a in tool.parameters.get("required", ()) if a in effect.fields]
    columns = [column_named(table, name) for name in effect.fields.values()]
    stems = Counter(stem(column, table) for column in columns)
    return any(
        column.name in required
        and stems[stem(column, table)] == 1
        and not _is_given(column, table, scene)
        for column in columns
    )


def is_reached(table: Table, scene: Scene) -> bool:
    """Whether there might be a way to say which record is meant that some tool can follow."""
    return is_told(table, scene) or is_counted(table, scene)


def is_told(table: Table, scene: Scene) -> bool:
    """Whether a record might be told by its name, number, kind or place, or by whose it is."""
    told = scene.known.told
    if table.name not in told:
        told[table.name] = _is_told(table, _named(scene), scene)
    return told[table.name]


def is_counted(table: Table, scene: Scene) -> bool:
    """Whether it can be seen which record most others refer to."""
    counted = scene.known.counted
    if table.name not in counted:
        counted[table.name] = len(table.key) == 1 and any(
            len(needs) <= 1 and needs <= _kinds(child)
            for child, _ in referring(table, scene)
            for needs in [*scene.needs(child.name, "list"), *scene.needs(child.name, "get")]
        )
    return counted[table.name]


def _named(scene: Scene) -> set[str]:
    """The tables whose records can be found by their name, alone or with that of what they belong
    to: grown from those that need nothing else."""
    named = scene.known.named
    if named is None:
        named = set[str]()
        while True:
            tables = [t for t in scene.store.schema.tables if t.name not in named]
            more = {t.name for t in tables if _is_named(t, named, scene)}
            if not more:
                break
            named |= more
        scene.known.named = named
    return named


def _is_named(table: Table, named: set[str], scene: Scene) -> bool:
    is_whole = table.parent is None and len(table.key) > 1
    if is_whole and all(column_named(table, name).spoken for name in table.key):
        return True
    label = label_of(table)
    if label is None:
        return False
    ways = [frozenset({label}) | owner for owner in _owners(table, named, scene)]
    return any(_reaches(table, says, scene) for says in ways)


def _is_told(table: Table, named: set[str], scene: Scene) -> bool:
    if table.name in named:
        return True
    label = label_of(table)
    own = {name for name in table.key if column_named(table, name).spoken}
    own |= {label} if label is not None else set()
    beside = _kinds(table)
    owners = _owners(table, named, scene)
    if label is None:
        beside |= {c.name for c in table.columns if c.format in ("date", "date-time")}
        owners = [*owners, frozenset().union(*owners)]
    return any(
        _reaches(table, owner | own | {other}, scene)
        for owner in owners
        for other in [*sorted(beside), ""]
    )


def _kinds(table: Table) -> set[str]:
    return {c.name for c in table.columns if c.enum is not None and sorts_in_words(c, table)}


def _owners(table: Table, named: set[str], scene: Scene) -> list[Says]:
    """What is given by saying whose the record is, for each that can be said; nothing, first."""
    schema = scene.store.schema
    found: list[Says] = [frozenset()]
    if table.parent is not None and table.parent.table in {*named, schema.actors}:
        found.append(frozenset(table.parent.columns))
    for column in table.columns:
        target = target_of(schema, table.name, column.name)
        if target is None and column.items is not None:
            target = column.items.references
        if target is not None and target in {*named, schema.actors}:
            found.append(frozenset({column.name}))
    return found


def _reaches(table: Table, says: Says, scene: Scene) -> bool:
    """Whether some tool finds a record of which this is said."""
    if says.issuperset(table.key):
        return True
    return any(needs <= says for verb in ("get", "list") for needs in scene.needs(table.name, verb))
