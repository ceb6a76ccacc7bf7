"""The twelve ways in which `gates_kill.py` spoils a task, each as a task maker with a bug would.

Always holds: a spoilt task is consistent in itself as far as its maker could see (the golden calls
and the golden state are those of its DAG), and it comes to another end, or says something else,
than the good one; where that cannot be had, `NoChange` says why, in words that can be counted.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.env.compare import compare
from forge.env.identity import same
from forge.env.session import Session, World
from forge.errors import UserError
from forge.gates.unique import gist, structure
from forge.gates.wording import OPPOSITES
from forge.tasks.dags.play import PlayError, before, facts_of, origins_of, play, value_of
from forge.tasks.dags.reason import ReasonError
from forge.tasks.intents.columns import column_named, is_internal, label_of, table_named
from forge.tasks.intents.inside import place_of, selections
from forge.tasks.intents.intent import IntentError, select
from forge.tasks.speech.spoken import renderings
from forge.types.dag import (
    CallNode,
    Default,
    Listed,
    Node,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    TaskDag,
    Told,
)
from forge.types.data import Json
from forge.types.state import TableOverlay
from forge.types.task import Fact, Task

TURNED = {
    "argmin": "argmax", "argmax": "argmin", "first": "last", "last": "first", "min": "max",
    "max": "min",
}  # fmt: skip
GREETINGS = ("Hi! ", "Hello there, ", "Good morning. ", "Hey, ", "Excuse me, ")


class NoChange(Exception):
    """Why a task was not spoilt."""


@dataclass(frozen=True, slots=True)
class Spoiler:
    """A good task, the other tasks of its environment, and what to draw with."""

    world: World
    task: Task
    others: Sequence[Task]
    rng: random.Random

    def session(self, task: Task | None = None) -> Session:
        task = task or self.task
        return self.world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)

    def settled(self, spoilt: Task) -> Task:
        """With what its DAG does: golden calls, golden state, answers. NoChange if that cannot be
        played, or ends like the good task."""
        session = self.session(spoilt)
        try:
            played = play(session, spoilt.dag, facts_of(spoilt.facts), spoilt.dues)
        except PlayError:
            raise NoChange("cannot be played") from None
        golden, store = session.overlay(), session.store
        answers = [due.value for due in self.task.dues]
        alike = compare(store.schema, store.initial, self.task.golden, golden).equal
        if alike and same(played.answers, answers):
            raise NoChange("comes to the same end")
        dues = tuple(
            due.model_copy(update={"value": value, "candidates": ()})
            for due, value in zip(spoilt.dues, played.answers, strict=True)
        )
        calls = tuple(played.calls)
        return spoilt.model_copy(update={"golden_calls": calls, "golden": golden, "dues": dues})

    def first(self, drafts: Sequence[Task]) -> Task:
        """The first that can be settled, in random order."""
        reason = NoChange("has no such place")
        for draft in self.rng.sample(drafts, len(drafts)):
            try:
                return self.settled(draft)
            except NoChange as why:
                reason = why
        raise reason

    def with_nodes(self, nodes: Sequence[Node]) -> Task:
        """With these nodes for its DAG, and the order edges that still have both ends."""
        there = {node.id for node in nodes}
        orders = tuple(pair for pair in self.task.dag.orders if set(pair) <= there)
        dag = TaskDag(nodes=tuple(nodes), orders=orders)
        return self.task.model_copy(update={"dag": dag})

    def with_node(self, place: int, node: Node) -> Task:
        nodes = list(self.task.dag.nodes)
        nodes[place] = node
        return self.with_nodes(nodes)


# -------------------------------------------------------------------- the writes


def drop_write(spoiler: Spoiler) -> Task:
    """A write is left out, with what was looked up for it alone."""
    dag = spoiler.task.dag
    drafts = []
    for node in dag.nodes:
        if isinstance(node, CallNode) and node.writes and not node.refused:
            kept = [n for n in dag.nodes if n.id != node.id]
            drafts.append(spoiler.with_nodes(_used(kept, spoiler.task)))
    return spoiler.first(drafts)


def _used(nodes: list[Node], task: Task) -> list[Node]:
    """Without the reads and the reasoning that nothing needs any more."""
    while True:
        needs = before(TaskDag(nodes=tuple(nodes)))
        told = {d.origin.node for d in task.dues if isinstance(d.origin, Output | Reasoned)}
        used = set().union(told, *needs.values())
        kept = [
            n
            for n in nodes
            if n.id in used
            or (isinstance(n, CallNode) and (n.writes or n.refused))
            or (isinstance(n, ReasonNode) and n.form == "none")
        ]
        if len(kept) == len(nodes):
            return kept
        nodes = kept


def add_write(spoiler: Spoiler) -> Task:
    """The writes of another task are done as well."""
    drafts = []
    for other in spoiler.others:
        if any(isinstance(n, CallNode) and n.writes and not n.refused for n in other.dag.nodes):
            nodes = [_renamed(n, "more_") for n in other.dag.nodes]
            facts = tuple(f.model_copy(update={"name": f"more {f.name}"}) for f in other.facts)
            dag = TaskDag(nodes=(*spoiler.task.dag.nodes, *nodes), orders=spoiler.task.dag.orders)
            update = {"dag": dag, "facts": (*spoiler.task.facts, *facts)}
            drafts.append(spoiler.task.model_copy(update=update))
    return spoiler.first(drafts)


def _renamed(node: Node, prefix: str) -> Node:
    """The node under another name, its facts and what it hangs on, too."""

    def own(origin: Origin) -> Origin:
        match origin:
            case Said() | Told():
                return origin.model_copy(update={"fact": f"more {origin.fact}"})
            case Output() | Reasoned():
                return origin.model_copy(update={"node": prefix + origin.node})
            case Listed():
                return Listed(items=tuple(own(item) for item in origin.items))
        return origin

    changed: dict[str, Json] = {"id": prefix + node.id}
    if not isinstance(node, ReasonNode) and node.each is not None:
        changed["each"] = prefix + node.each
    match node:
        case CallNode():
            changed["arguments"] = {name: own(o) for name, o in node.arguments.items()}
            changed["when"] = prefix + node.when if node.when is not None else None
        case ReasonNode():
            changed["over"] = own(node.over)
            changed["tests"] = tuple(
                test.model_copy(update={"value": own(test.value)}) for test in node.tests
            )
            changed["to"] = own(node.to) if node.to is not None else None
        case _:
            changed["values"] = tuple(own(o) for o in node.values)
    return node.model_copy(update=changed)


def swap_write(spoiler: Spoiler) -> Task:
    """Another tool that takes the same is called: a close for a reopen, a delete for an update."""
    drafts = []
    for place, node in enumerate(spoiler.task.dag.nodes):
        if not isinstance(node, CallNode) or not node.writes or node.refused:
            continue
        for tool in spoiler.world.environment.tools:
            properties = set(tool.parameters.get("properties", {}))
            given = {n: o for n, o in node.arguments.items() if n in properties}
            enough = set(tool.parameters.get("required", ())) <= set(given) and given
            if tool.kind == "write" and tool.name != node.tool and enough:
                other = node.model_copy(update={"tool": tool.name, "arguments": given})
                drafts.append(spoiler.with_node(place, other))
    return spoiler.first(drafts)


# -------------------------------------------------------------------- the values


def another_record(spoiler: Spoiler) -> Task:
    """Looked up and changed is the record next to the one that is named."""
    task, drafts = spoiler.task, []
    store = spoiler.session().store
    for number, fact in enumerate(task.facts):
        place = place_of(task.intent, fact.name)
        if place is None or place.role != "value" or place.op != "eq":
            continue
        table = table_named(store.schema, place.table)
        if place.column == label_of(table) or place.column in table.key:
            values = [r.get(place.column) for r in store.find(place.table)]
            drafts += [
                _with_fact(task, number, value)
                for value in values
                if value is not None and not same(value, fact.value)
            ]
    for place_, node in enumerate(task.dag.nodes):  # which one is not said, but chosen
        if isinstance(node, ReasonNode) and node.form in ("argmin", "argmax"):
            drafts.append(spoiler.with_node(place_, node.model_copy(update={"nth": node.nth + 1})))
    return spoiler.first(drafts)


def _with_fact(task: Task, number: int, value: Json) -> Task:
    """With another value for a fact, said as before."""
    facts = list(task.facts)
    facts[number] = facts[number].model_copy(update={"value": value})
    return task.model_copy(update={"facts": tuple(facts)})


def another_enum_value(spoiler: Spoiler) -> Task:
    """Another of a few values than the one that is said."""
    task, drafts = spoiler.task, []
    schema = spoiler.world.environment.state_schema
    for number, fact in enumerate(task.facts):
        place = place_of(task.intent, fact.name)
        if place is None or place.role != "value" or place.op != "eq":
            continue
        column = column_named(table_named(schema, place.table), place.column)
        drafts += [
            _with_fact(task, number, value)
            for value in column.enum or ()
            if not same(value, fact.value)
        ]
    return spoiler.first(drafts)


def newest_for_oldest(spoiler: Spoiler) -> Task:
    """The DAG chooses from the other end."""
    drafts = [
        spoiler.with_node(place, node.model_copy(update={"form": TURNED[node.form]}))
        for place, node in enumerate(spoiler.task.dag.nodes)
        if isinstance(node, ReasonNode) and node.form in TURNED
    ]
    return spoiler.first(drafts)


def newest_asked_for_oldest(spoiler: Spoiler) -> Task:
    """The question asks for the other end."""
    task = spoiler.task
    chooses = any(of.pick is not None and of.pick.near is None for of, _ in selections(task.intent))
    said = [w for w in OPPOSITES if re.search(rf"\b{w}\b", _without_facts(task))]
    if not chooses or not said:
        raise NoChange("has no such place")
    word = spoiler.rng.choice(sorted(said))
    question = re.sub(rf"\b{word}\b", OPPOSITES[word], task.question)
    return task.model_copy(update={"question": question})


def _without_facts(task: Task) -> str:
    text = task.question
    for fact in task.facts:
        text = text.replace(fact.text, " ")
    return text


def tie(spoiler: Spoiler) -> Task:
    """One more record that comes where the chosen one does."""
    task, store = spoiler.task, spoiler.session().store
    for of, _ in selections(task.intent):
        if of.pick is None or of.pick.counted is not None:
            continue
        table = table_named(store.schema, of.table)
        try:
            chosen = select(of, store, {})[-1]
        except (IntentError, IndexError):
            continue
        twin = dict(chosen)
        for column in table.columns:
            if column.name in table.key and column.name in (table.key[-1],):
                twin[column.name] = _beside(chosen[column.name])
            elif (column.unique or column.name == table.label) and column.name != of.pick.column:
                twin[column.name] = _beside(chosen.get(column.name))
        if any(c.column in table.key[-1:] for c in of.where):
            continue
        key = "/".join(str(twin[part]) for part in table.key)
        setup = {**task.setup, table.name: TableOverlay(made={key: twin})}
        spoilt = task.model_copy(update={"setup": setup})
        try:
            session = spoiler.session(spoilt)
        except UserError:
            continue
        for call in task.golden_calls:
            session.call(call.tool, call.arguments)
        return spoilt.model_copy(update={"golden": session.overlay()})
    raise NoChange("has no such place")


def _beside(value: Json) -> Json:
    return value + 900001 if isinstance(value, int) else f"{value}x" if value is not None else None


# --------------------------------------------------------------------- the words


def id_in_the_question(spoiler: Spoiler) -> Task:
    """A record is called by a key that people do not know, in the place of its name or beside."""
    task, store = spoiler.task, spoiler.session().store
    places = []
    for fact in task.facts:
        place = place_of(task.intent, fact.name)
        if place is None or place.role != "value" or fact.told or fact.text not in task.question:
            continue
        table = table_named(store.schema, place.table)
        if len(table.key) == 1 and is_internal(store.schema, table.name, table.key[0]):
            for record in store.find(table.name, **{f"{place.column}__eq": fact.value}):
                places.append((fact.text, str(record[table.key[0]])))
    if not places:
        raise NoChange("has no such place")
    text, key = spoiler.rng.choice(places)
    said = key if spoiler.rng.random() < 0.5 else f"{text} ({key})"
    return task.model_copy(update={"question": task.question.replace(text, said)})


def missing_fact(spoiler: Spoiler) -> Task:
    """A value that the calls use is not in the question; nobody has it, or all is well with it but
    for that."""
    task = spoiler.task
    said = [f for f in task.facts if not f.told and f.text in task.question]
    if not said:
        raise NoChange("has no such place")
    fact = spoiler.rng.choice(said)
    question = re.sub(r" {2,}", " ", task.question.replace(fact.text, ""))
    spoilt = task.model_copy(update={"question": question})
    return spoilt if spoiler.rng.random() < 0.5 else _unknown(spoilt, fact)


def _unknown(task: Task, fact: Fact) -> Task:
    """The value of the fact is a constant of intent and DAG."""
    name = f'"fact":"{fact.name}"'
    intent = task.intent.model_validate_json(
        task.intent.model_dump_json().replace(name, '"fact":null')
    )

    def constant(origin: Json) -> Json:
        if isinstance(origin, dict) and origin.get("fact") == fact.name:
            return {"kind": "default", "value": fact.value}
        if isinstance(origin, dict):
            return {key: constant(value) for key, value in origin.items()}
        return [constant(each) for each in origin] if isinstance(origin, list) else origin

    dag = TaskDag.model_validate(constant(task.dag.model_dump(mode="json")))
    facts = tuple(f for f in task.facts if f.name != fact.name)
    return task.model_copy(update={"intent": intent, "dag": dag, "facts": facts})


def question_of_another(spoiler: Spoiler) -> Task:
    """The question was put to the wrong task."""
    task = spoiler.task
    others = [
        o for o in spoiler.others if gist(o) != gist(task) and structure(o) != structure(task)
    ]
    if not others:
        raise NoChange("has no such place")
    return task.model_copy(update={"question": spoiler.rng.choice(others).question})


def nearly_the_same(spoiler: Spoiler) -> Task:
    """The task once more: another greeting, an idle word, a date said otherwise."""
    task, rng = spoiler.task, spoiler.rng
    facts, question = list(task.facts), task.question
    for number, fact in enumerate(facts):
        ways = [w for w in renderings(fact.value) if w != fact.text]
        if isinstance(fact.value, str) and len(ways) > 2 and fact.text in question:
            text = rng.choice(ways[:3])
            facts[number] = fact.model_copy(update={"text": text})
            question = question.replace(fact.text, text)
            break
    first, _, rest = question.partition(" ")
    question = f"{rng.choice(GREETINGS)}{first} {rng.choice(('', 'kindly '))}{rest}"
    return task.model_copy(update={"question": question, "facts": tuple(facts)})


# ---------------------------------------------------------------------- the way


def first_page_only(spoiler: Spoiler) -> Task:
    """The DAG looks at fewer records than there are."""
    drafts = []
    for place, node in enumerate(spoiler.task.dag.nodes):
        if not isinstance(node, CallNode) or node.writes:
            continue
        effect = spoiler.world.tools[node.tool].effect
        if effect is None or effect.paging.limit is None or effect.verb != "list":
            continue
        least = spoiler.world.tools[node.tool].parameters["properties"][effect.paging.limit]
        for limit in range(max(1, int(least.get("minimum", 1))), 8):
            arguments = {**node.arguments, effect.paging.limit: Default(value=limit)}
            drafts.append(
                spoiler.with_node(place, node.model_copy(update={"arguments": arguments}))
            )
    return spoiler.first(drafts)


def idle_read(spoiler: Spoiler) -> Task:
    """Something is read that has nothing to do with it."""
    task, session = spoiler.task, spoiler.session()
    played = play(session.fork(), task.dag, facts_of(task.facts))
    used = {(call.tool, repr(call.arguments)) for call in played.calls}
    for tool in spoiler.rng.sample(spoiler.world.environment.tools, len(spoiler.world.tools)):
        if tool.kind != "read":
            continue
        arguments = _readable(tool.parameters.get("required", ()), spoiler, tool.name)
        if arguments is None or session.call(tool.name, _plain(arguments, played)).failure:
            continue
        if (tool.name, repr(_plain(arguments, played))) in used:
            continue
        idle = CallNode(id="idle", tool=tool.name, arguments=arguments)
        at = 1 + max(
            (task.dag.nodes.index(n) for n in task.dag.nodes if _feeds(n, idle)), default=-1
        )
        nodes = [*task.dag.nodes[:at], idle, *task.dag.nodes[at:]]
        spoilt = spoiler.with_nodes(nodes)
        again = play(spoiler.session(), spoilt.dag, facts_of(task.facts))
        return spoilt.model_copy(update={"golden_calls": tuple(again.calls)})
    raise NoChange("has no such place")


def _readable(required: Sequence[str], spoiler: Spoiler, tool: str) -> dict[str, Origin] | None:
    """Arguments for what is required, from where the task's own calls have theirs."""
    known: dict[str, Origin] = {}
    for node in spoiler.task.dag.nodes:
        if isinstance(node, CallNode) and node.each is None:
            known = {**node.arguments, **known}
    return {name: known[name] for name in required} if set(required) <= set(known) else None


def _plain(arguments: dict[str, Origin], played: Json) -> dict[str, Json]:
    try:
        return {n: value_of(o, played.values, {}) for n, o in arguments.items()}
    except ReasonError:
        return {}


def _feeds(node: Node, idle: CallNode) -> bool:
    return node.id in {o.node for o in origins_of(idle) if isinstance(o, Output | Reasoned)}


def reversed_order(spoiler: Spoiler) -> Task:
    """Order edges are forgotten, or say the contrary."""
    task = spoiler.task
    if not task.dag.orders:
        raise NoChange("has no order")
    if spoiler.rng.random() < 0.5:
        return task.model_copy(update={"dag": TaskDag(nodes=task.dag.nodes)})
    turned = tuple((then, first) for first, then in task.dag.orders)
    dag = TaskDag(nodes=task.dag.nodes, orders=turned)
    order = _sorted(dag)
    if order is None:
        return task.model_copy(update={"dag": TaskDag(nodes=task.dag.nodes)})
    nodes = {node.id: node for node in task.dag.nodes}
    turned_dag = TaskDag(nodes=tuple(nodes[name] for name in order), orders=turned)
    try:
        return spoiler.settled(task.model_copy(update={"dag": turned_dag}))
    except NoChange:
        return task.model_copy(update={"dag": TaskDag(nodes=task.dag.nodes)})


def _sorted(dag: TaskDag) -> list[str] | None:
    """The nodes in the first order that the edges allow."""
    needs, order = before(dag), []
    while len(order) < len(dag.nodes):
        ready = [n.id for n in dag.nodes if n.id not in order and needs[n.id] <= set(order)]
        if not ready:
            return None
        order.append(ready[0])
    return order


@dataclass(frozen=True, slots=True)
class Way:
    spoil: Callable[[Spoiler], Task]
    meant: tuple[str, ...]
    """The gates whose matter it is."""
    beside: bool = False
    """Whether it stands beside the good task, not in its place."""


WAYS = {
    "a dropped write": Way(drop_write, ("meaning", "changes")),
    "an added write": Way(add_write, ("meaning",)),
    "a swapped write": Way(swap_write, ("meaning",)),
    "another record": Way(another_record, ("meaning",)),
    "another enum value": Way(another_enum_value, ("meaning", "grounded")),
    "a tie in a choice": Way(tie, ("unambiguous", "meaning")),
    "newest for oldest": Way(newest_for_oldest, ("meaning",)),
    "newest asked for oldest": Way(newest_asked_for_oldest, ("grounded",)),
    "an id in the question": Way(id_in_the_question, ("grounded",)),
    "a missing fact": Way(missing_fact, ("grounded",)),
    "first page only": Way(first_page_only, ("meaning",)),
    "an unrelated extra read": Way(idle_read, ("necessary",)),
    "reversed order": Way(reversed_order, ("order_free", "meaning")),
    "two tasks nearly equal": Way(nearly_the_same, ("unique",), beside=True),
    "the question of another task": Way(question_of_another, ("grounded",)),
}
