"""A task's states written out, and how one differs from the other, for people to read.

Always holds: the texts follow from the data alone. Nothing is judged here; whether two end states
are the same is for `forge.env.compare`.
"""

import json
from collections.abc import Iterator

from forge.env.notes import with_notes
from forge.types.call import Call
from forge.types.dag import (
    CallNode,
    ComputeNode,
    Default,
    Listed,
    Node,
    Noted,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    Told,
)
from forge.types.data import Json, Path
from forge.types.environment import Environment
from forge.types.state import Overlay, State, StateSchema, Table
from forge.types.task import Task


def played_in(environment: Environment, task: Task) -> Environment:
    """The environment as it is when the task is played: for one of a sequence, with notes."""
    return with_notes(environment) if task.kind == "sequence" else environment


def initial_state(environment: Environment, task: Task) -> State:
    """The task's base state with its setup laid on."""
    return laid_on(environment.bases[task.base], task.setup)


def golden_state(environment: Environment, task: Task) -> State:
    """What the golden calls leave."""
    return laid_on(initial_state(environment, task), task.golden)


def laid_on(state: State, overlay: Overlay) -> State:
    """Another state: the tables in order of their names, new records last."""
    laid = {name: dict(records) for name, records in state.items()}
    for name, part in overlay.items():
        records = laid.setdefault(name, {})
        for key in part.deleted:
            records.pop(key, None)
        records.update(part.changed)
        records.update(part.made)
    return dict(sorted(laid.items()))


def differences(schema: StateSchema, before: State, after: State) -> list[str]:
    """One line a record that was made, changed or deleted; references with what they name."""
    lines = []
    for table in schema.tables:
        old, new = before.get(table.name, {}), after.get(table.name, {})
        for key in old:
            who = f"{table.noun} {named(schema, table.name, key, before)}"
            if key not in new:
                lines.append(f"deleted {who}")
            elif new[key] != old[key]:
                changes = ", ".join(_changes(schema, table, key, before, after))
                lines.append(f"changed {who}: {changes}")
        for key in new:
            if key not in old:
                values = ", ".join(
                    f"{name} {_value(schema, table, name, value, after)}"
                    for name, value in new[key].items()
                    if name not in table.key and value is not None
                )
                who = f"{table.noun} {named(schema, table.name, key, after)}"
                lines.append(f"made {who}: {values}" if values else f"made {who}")
    return lines


def marked_states(schema: StateSchema, before: State, after: State) -> list[str]:
    """Both states in one listing: "-" before what is in the first only, "+" the second only."""
    lines = []
    for table in schema.tables:
        old, new = before.get(table.name, {}), after.get(table.name, {})
        lines.append(f"  {table.name}")
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) == new.get(key):
                lines.append(f"    {key} {_json(old[key])}")
                continue
            lines += [
                f"{mark}   {key} {_json(records[key])}"
                for mark, records in (("-", old), ("+", new))
                if key in records
            ]
    return lines


def call_text(call: Call) -> str:
    """`close_task(task_id="tsk_1")`."""
    return f"{call.tool}({', '.join(f'{k}={_json(v)}' for k, v in call.arguments.items())})"


def node_text(node: Node) -> str:
    """A node of the DAG in one line, with the origin of each of its arguments."""
    match node:
        case CallNode():
            arguments = ", ".join(f"{k} ← {_origin(v)}" for k, v in node.arguments.items())
            more = _each(node.each) + (f" if {node.when}" if node.when else "")
            refused = ", which is refused" if node.refused else ""
            return f"{node.id}: {node.tool}({arguments}){more}{refused}"
        case ReasonNode():
            return f"{node.id}: {_reasoning(node)}"
        case ComputeNode():
            one, other = (_origin(value) for value in node.values)
            op = f" {node.op}" if node.form == "holds" else ""
            return f"{node.id}: {node.form}{op} ({one}, {other}){_each(node.each)}"


def _each(node: str | None) -> str:
    return f" for each of {node}" if node else ""


def _reasoning(node: ReasonNode) -> str:
    place = f" number {node.nth}" if node.nth > 1 else f" {node.take}" if node.take > 1 else ""
    by = f" by {path_text(node.by)}" if node.by else ""
    times = f" times {path_text(node.times)}" if node.times else ""
    to = f" to {_origin(node.to)}" if node.to is not None else ""
    tests = " and ".join(
        f"{'not ' if t.negated else ''}{path_text(t.path)} {t.op} {_origin(t.value)}"
        for t in node.tests
    )
    where = f" where {tests}" if tests else ""
    return f"{node.form}{place}{by}{times}{to} over {_origin(node.over)}{where}"


def _origin(origin: Origin) -> str:
    match origin:
        case Said():
            return f"said {origin.fact!r}"
        case Told():
            return f"told {origin.fact!r}"
        case Noted():
            return f"{origin.fact!r} as noted in {origin.node}"
        case Output() | Reasoned():
            return f"{origin.node}{path_text(origin.path)}"
        case Listed():
            return f"[{', '.join(_origin(o) for o in origin.items)}]"
        case Default():
            return f"default {_json(origin.value)}"


def path_text(path: Path) -> str:
    """`.rows[0].id`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _changes(
    schema: StateSchema, table: Table, key: str, before: State, after: State
) -> Iterator[str]:
    old, new = before[table.name][key], after[table.name][key]
    for name in [*old, *(name for name in new if name not in old)]:
        if old.get(name) != new.get(name):
            was = _value(schema, table, name, old.get(name), before)
            now = _value(schema, table, name, new.get(name), after)
            yield f"{name} {was} → {now}"


def _value(schema: StateSchema, table: Table, name: str, value: Json, state: State) -> str:
    target = next((c.references for c in table.columns if c.name == name), None)
    if target is None or not isinstance(value, str | int):
        return _json(value)
    return named(schema, target, str(value), state)


def named(schema: StateSchema, table: str, key: str, state: State) -> str:
    """`Lumen (prj_1)`; where people have no name for the record, by what its key refers to:
    `Lumen / Tom (prj_1/usr_2)`; else the key alone."""
    label = _label(schema, table, key, state)
    if label is None:
        record = state.get(table, {}).get(key, {})
        owner = _table(schema, table)
        targets = {column.name: column.references for column in owner.columns}
        parts = [(str(record.get(name)), targets.get(name)) for name in owner.key]
        names = [_label(schema, target, part, state) if target else None for part, target in parts]
        if any(names):
            label = " / ".join(n or part for n, (part, _) in zip(names, parts, strict=True))
    return f"{label} ({key})" if label not in (None, key) else key


def _label(schema: StateSchema, table: str, key: str, state: State) -> str | None:
    column = _table(schema, table).label
    value = state.get(table, {}).get(key, {}).get(column) if column else None
    return None if value is None else str(value)


def _table(schema: StateSchema, name: str) -> Table:
    return next(table for table in schema.tables if table.name == name)


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
