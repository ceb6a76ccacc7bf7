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
from forge.tasks.intents.inside import aggregates, deeds, values
from forge.types.dag import CallNode, Origin, Output, Reasoned, ReasonNode
from forge.types.data import Json
from forge.types.intent import (
    Answer,
    Branch,
    Change,
    Computed,
    Condition,
    Deed,
    Delete,
    Insert,
    Intent,
    Keys,
    MadeKey,
    Measure,
    Plain,
    RecordKey,
    Refused,
    Selection,
)
from forge.types.state import StateSchema
from forge.types.task import Due, Task


def malformed(world: World, task: Task) -> str | None:
    """The first thing that is wrong, or None."""
    return next(_faults(world, task), None)


def _faults(world: World, task: Task) -> Iterator[str]:
    yield from _start_faults(world, task)
    yield from _dag_faults(world, task)
    yield from _intent_faults(world.environment.state_schema, task.intent)
    yield from _due_faults(task)


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
    places: dict[str, int] = {}

    def unmet(origin: Origin) -> bool:
        return (isinstance(origin, Output) and origin.node not in calls) or (
            isinstance(origin, Reasoned) and origin.node not in reasons
        )

    for place, node in enumerate(task.dag.nodes):
        if node.id in places:
            yield f"two nodes are named {node.id!r}"
        for origin in origins_of(node):
            if unmet(origin):
                yield f"node {node.id} uses what no earlier node gives"
        each = None if isinstance(node, ReasonNode) else node.each
        if each is not None and each not in reasons:
            yield f"node {node.id} is for each of {each!r}, which is no earlier choice"
        if isinstance(node, CallNode):
            yield from _call_faults(world, node, reasons)
            calls.add(node.id)
        else:
            reasons.add(node.id)
        places[node.id] = place
    for first, then in task.dag.orders:
        if places.get(first, len(places)) >= places.get(then, -1):
            yield f"{first!r} cannot come before {then!r}"
    for due in task.dues:
        if unmet(due.origin):
            yield "an answer is due that no node gives"


def _call_faults(world: World, node: CallNode, reasons: set[str]) -> Iterator[str]:
    tool = world.tools.get(node.tool)
    if tool is None:
        yield f"node {node.id} calls {node.tool!r}: there is no tool of that name"
    elif node.writes != (tool.kind == "write"):
        yield f"node {node.id} is said to {'write' if node.writes else 'only read'}"
    if node.when is not None and node.when not in reasons:
        yield f"node {node.id} hangs on {node.when!r}, which nothing decides"


def _intent_faults(schema: StateSchema, intent: Intent) -> Iterator[str]:
    columns = {table.name: {c.name for c in table.columns} for table in schema.tables}

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


def _comparable(condition: Condition) -> bool:
    """Whether the operator can take the value, where that can be seen."""
    if not isinstance(condition.value, Plain):
        fits = isinstance(condition.value, Keys)
        return condition.op not in ("contains", "icontains") and fits == (condition.op == "in")
    value: Json = condition.value.value
    if condition.op == "in":
        return isinstance(value, list)
    return condition.op not in ("contains", "icontains") or isinstance(value, str)
