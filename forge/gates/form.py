"""Whether a task can be judged at all: that it names tools, tables, columns, nodes and wishes that
are there, in an order that works.

A task from disk may say anything; the gates may rely on what is looked at here.
"""

from collections.abc import Iterator

from forge.env.conditions import is_number
from forge.env.identity import same
from forge.env.session import World
from forge.errors import ToolError, UserError
from forge.tasks.dags.play import origins_of
from forge.tasks.intents.forms import FormError, difference
from forge.tasks.intents.inside import aggregates, deeds, values
from forge.types.dag import CallNode, ComputeNode, Noted, Origin, Output, Reasoned, ReasonNode
from forge.types.data import Data, Json
from forge.types.intent import (
    Answer,
    Branch,
    Change,
    Computed,
    Condition,
    Deed,
    Delete,
    Insert,
    Keys,
    MadeKey,
    Measure,
    Pick,
    Plain,
    RecordKey,
    Refused,
    Selection,
)
from forge.types.state import StateSchema
from forge.types.task import Due, Task

LISTS = ("all", "first", "last", "values")
"""Forms that give a list."""
DEEPEST = 60
"""Levels of nesting; what forge makes has some 20."""


MOST_LAID = 20
"""Records of a setup; that of a task that follows another is where that one ends."""


def malformed(world: World, task: Task) -> str | None:
    """The first thing that is wrong, or None."""
    return next(_faults(world.of(task.kind), task), None)


def _faults(world: World, task: Task) -> Iterator[str]:
    if _is_too_deep(task):
        yield f"it is nested more than {DEEPEST} levels deep"
        return
    yield from _start_faults(world, task)
    yield from _dag_faults(world, task)
    yield from _intent_faults(world.environment.state_schema, task)
    yield from _due_faults(task)


def _is_too_deep(task: Task) -> bool:
    """Looked at level by level, since whatever is nested too deeply breaks all that recurses."""
    level: list[object] = [task]
    for _ in range(DEEPEST):
        below: list[object] = []
        for each in level:
            if isinstance(each, Data):
                below += each.__dict__.values()
            elif isinstance(each, dict):
                below += each.values()
            elif isinstance(each, list | tuple):
                below += each
        if not below:
            return False
        level = below
    return True


def _due_faults(task: Task) -> Iterator[str]:
    wishes = task.intent.wishes
    for due in task.dues:
        if not (0 <= due.wish < len(wishes) and isinstance(wishes[due.wish], Answer)):
            yield f"an answer is due to wish {due.wish}, which asks for none"
        for value in (due.value, *due.candidates):
            if not _is_of(due, value):
                yield f"{value!r} is no {due.type} to be told"
        if any(same(due.value, other) for other in due.candidates):
            yield f"{due.value!r} is the answer and one of the wrong ones"


def _is_of(due: Due, value: Json) -> bool:
    match due.type:
        case "boolean":
            return isinstance(value, bool)
        case "integer" | "number":
            return is_number(value)
        case _:
            return isinstance(value, str)


def _start_faults(world: World, task: Task) -> Iterator[str]:
    laid = sum(len(t.made) + len(t.changed) + len(t.deleted) for t in task.setup.values())
    if task.follows is not None and task.kind != "sequence":
        yield f"it follows a task, and its kind is {task.kind}"
    if laid > MOST_LAID and task.follows is None:
        yield f"its setup lays {laid} records on the base, more than {MOST_LAID}"
    try:
        session = world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)
    except UserError as error:
        yield f"it cannot start: {error}"
        return
    try:
        session.store.apply(task.golden)
    except (UserError, ToolError) as error:
        yield f"the golden state is none: {error}"


def _dag_faults(world: World, task: Task) -> Iterator[str]:
    calls: set[str] = set()
    reasons: set[str] = set()
    lists: set[str] = set()
    tests: set[str] = set()
    places: dict[str, int] = {}

    def unmet(origin: Origin) -> bool:
        return (isinstance(origin, Output | Noted) and origin.node not in calls) or (
            isinstance(origin, Reasoned) and origin.node not in reasons
        )

    for place, node in enumerate(task.dag.nodes):
        if node.id in places:
            yield f"two nodes are named {node.id!r}"
        for origin in origins_of(node):
            if unmet(origin):
                yield f"node {node.id} uses what no earlier node gives"
        each = None if isinstance(node, ReasonNode) else node.each
        if each is not None and each not in lists:
            yield f"node {node.id} is for each of {each!r}, which is no earlier list"
        match node:
            case CallNode():
                yield from _call_faults(world, node, tests)
                calls.add(node.id)
            case ReasonNode():
                yield from _reason_faults(node)
                reasons.add(node.id)
                if node.form in LISTS:
                    lists.add(node.id)
            case ComputeNode():
                reasons.add(node.id)
                if node.form == "holds":
                    tests.add(node.id)
                elif node.op != "eq":
                    yield f"node {node.id} computes a {node.form} and compares"
        places[node.id] = place
    for first, then in task.dag.orders:
        if places.get(first, len(places)) >= places.get(then, -1):
            yield f"{first!r} cannot come before {then!r}"
    for due in task.dues:
        if unmet(due.origin):
            yield "an answer is due that no node gives"


def _reason_faults(node: ReasonNode) -> Iterator[str]:
    if node.nth > 1 and node.form not in ("argmin", "argmax"):
        yield f"node {node.id} takes the {node.nth}. of what has no order"
    if node.take > 1 and node.form not in ("first", "last"):
        yield f"node {node.id} takes {node.take} where its form gives one value"
    if (node.to is not None) != (node.form == "nearest"):
        yield f"node {node.id} is {node.form} {'to' if node.to else 'but not to'} a value"
    if (node.times != ()) != (node.form == "total"):
        yield f"node {node.id} is {node.form} {'with' if node.times else 'without'} a factor"


def _call_faults(world: World, node: CallNode, tests: set[str]) -> Iterator[str]:
    tool = world.tools.get(node.tool)
    if tool is None:
        yield f"node {node.id} calls {node.tool!r}: there is no tool of that name"
    elif node.writes != (tool.kind == "write"):
        yield f"node {node.id} is said to {'write' if node.writes else 'only read'}"
    if node.when is not None and node.when not in tests:
        yield f"node {node.id} hangs on {node.when!r}, which decides nothing"


def _intent_faults(schema: StateSchema, task: Task) -> Iterator[str]:
    intent = task.intent
    in_vain = any(isinstance(wish, Refused) for wish in intent.wishes)
    if in_vain != (task.kind == "refuse"):
        yield f"its kind is {task.kind}, and {'a' if in_vain else 'no'} wish is to be refused"
    columns = {table.name: {c.name for c in table.columns} for table in schema.tables}
    keys = {table.name: table.key for table in schema.tables}

    def missing(table: str, *names: str | None) -> Iterator[str]:
        if table not in columns:
            yield f"the intent names table {table!r}, which is not there"
            return
        for name in names:
            if name is not None and name not in columns[table]:
                yield f"the intent names column {name!r}, which {table} does not have"

    def selection(of: Selection) -> Iterator[str]:
        pick = of.pick.column if of.pick else None
        yield from missing(of.table, pick, *(condition.column for condition in of.where))
        for condition in of.where:
            if not _comparable(condition):
                yield f"the intent asks whether {condition.column} is {condition.op} no such value"
        if of.pick is not None:
            yield from _pick_faults(of.pick, keys.get(of.table, ()))
        counted = of.pick.counted if of.pick else None
        if counted is not None:
            yield from missing(counted.of.table, counted.column)
            yield from selection(counted.of)

    def measure(what: Measure) -> Iterator[str]:
        for each in aggregates(what):
            yield from selection(each.of)
            yield from missing(each.of.table, each.column, each.times)
            if each.op != "count" and each.column is None:
                yield f"the intent asks for the {each.op} of no column"
            if each.op == "total" and each.times is None:
                yield "the intent asks for a total of one column"

    def deed(wish: Deed) -> Iterator[str]:
        match wish:
            case Insert():
                yield from missing(wish.table, *wish.values)
            case Change():
                yield from selection(wish.of)
                yield from missing(wish.of.table, *wish.change)
            case Delete():
                yield from selection(wish.of)

    for wish in intent.wishes:
        for each in deeds(wish):
            yield from deed(each)
        match wish:
            case Answer():
                yield from measure(wish.what)
            case Branch():
                yield from measure(wish.test.measure)
            case Refused():
                if wish.why == "missing" and isinstance(wish.deed, Insert):
                    yield "a new record cannot be missing"
    for place in values(intent):
        match place.value:
            case Plain() if place.role == "step" and not is_number(place.value.value):
                yield f"the intent moves {place.column} by {place.value.value!r}"
            case RecordKey() | Keys():
                yield from selection(place.value.of)
                yield from missing(place.value.of.table, place.value.column)
            case Computed():
                yield from measure(place.value.of)
            case MadeKey():
                number = place.value.wish
                maker = intent.wishes[number] if 0 <= number < len(intent.wishes) else None
                if not isinstance(maker, Insert):
                    yield f"the intent uses the record of wish {number}, which makes none"
                else:
                    yield from missing(maker.table, place.value.column)


def _pick_faults(pick: Pick, key: tuple[str, ...]) -> Iterator[str]:
    ways = [pick.near is not None, pick.take > 1, pick.nth > 1]
    if sum(ways) > 1:
        yield f"the intent picks by {pick.column} in two ways at once"
    if pick.near is not None and not _is_measurable(pick.near.value):
        yield f"the intent picks what is closest to {pick.near.value!r}"
    if pick.counted is not None and pick.column not in key:
        yield f"the intent counts what refers to {pick.column}, which is no key"


def _is_measurable(value: Json) -> bool:
    """Whether something can be close to it: a number, a date."""
    try:
        difference(value, value)
    except FormError:
        return False
    return True


def _comparable(condition: Condition) -> bool:
    """Whether the operator can take the value, where that can be seen."""
    if not isinstance(condition.value, Plain):
        fits = isinstance(condition.value, Keys)
        return condition.op not in ("contains", "icontains") and fits == (condition.op == "in")
    value: Json = condition.value.value
    if condition.op == "in":
        return isinstance(value, list)
    return condition.op not in ("contains", "icontains") or isinstance(value, str)
