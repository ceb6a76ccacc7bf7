"""`grounded`: every argument has an origin, every origin is known to the user or shown by a tool,
and the question speaks as people do: no key that people do not know, no name of a tool or field."""

import re
from collections.abc import Set

from forge.env.identity import same
from forge.env.session import World
from forge.env.store import Store
from forge.gates.start import Trial
from forge.gates.wording import misworded, without_facts
from forge.tasks.dags.graph import shown, taken
from forge.tasks.dags.play import origins_of, singles
from forge.tasks.intents.columns import is_internal
from forge.tasks.intents.inside import said_values
from forge.tasks.speech.chinese import ways
from forge.tasks.speech.spoken import renderings
from forge.types.dag import (
    CallNode,
    ComputeNode,
    Default,
    Noted,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    Told,
)
from forge.types.data import Json, Path
from forge.types.environment import Environment, Tool
from forge.types.task import Fact, Task

_TOKEN = re.compile(r"[A-Za-z0-9_$][A-Za-z0-9_$-]*")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]")
_IDENTIFIER = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]")


def grounded(trial: Trial) -> str | None:
    world, task = trial.world, trial.task
    return (
        _origins(task)
        or _defaults(task, world)
        or _facts(task, world.environment)
        or _speech(task, world.names)
        or misworded(
            task, world.environment.words.values() if task.lang == "zh" else world.column_names
        )
        or _keys(task, trial.store())
    )


def _origins(task: Task) -> str | None:
    facts = {f.name: f for f in task.facts}
    tools = {c.tool for c in task.golden_calls}
    for node in task.dag.nodes:
        for origin in origins_of(node):
            if isinstance(origin, Said | Told | Noted):
                fact = facts.get(origin.fact)
                if fact is None:
                    return f"node {node.id} uses {origin.fact!r}, which nobody knows"
                if (fact.told, fact.noted) != (isinstance(origin, Told), isinstance(origin, Noted)):
                    return f"{origin.fact!r} is {_when(fact)}"
                if isinstance(origin, Noted) and origin.words != fact.text:
                    return f"{origin.words!r} are other words than {fact.text!r}"
        if isinstance(node, CallNode) and not node.refused and node.tool not in tools:
            return f"node {node.id} is never called"
    for due in task.dues:
        if not all(isinstance(o, Output | Reasoned) for o in singles([due.origin])):
            return f"nothing that a tool shows gives the answer {due.value!r}"
    used = {o.fact for n in task.dag.nodes for o in origins_of(n) if isinstance(o, Told | Noted)}
    idle = next((f for f in task.facts if (f.told or f.noted) and f.name not in used), None)
    return f"{idle.name!r} is {_when(idle)} and used for nothing" if idle else None


def _when(fact: Fact) -> str:
    return "told earlier" if fact.noted else "told late" if fact.told else "said at once"


def _defaults(task: Task, world: World) -> str | None:
    tools = {n.id: world.tools[n.tool] for n in task.dag.nodes if isinstance(n, CallNode)}
    for node in task.dag.nodes:
        match node:
            case CallNode():
                tool = tools[node.id]
                columns = dict(taken(tool))
                constants = [
                    (columns.get(name, ""), name, single)
                    for name, origin in node.arguments.items()
                    for single in singles([origin])
                ]
            case ReasonNode():
                tool = tools[node.over.node]
                shows = _columns(tool, world.environment)
                constants = [
                    (shows.get(test.path, ""), "", single)
                    for test in node.tests
                    for single in singles([test.value])
                ]
                for origin in singles([node.to] if node.to is not None else []):
                    if isinstance(origin, Default):
                        return f"nobody says {origin.value!r}, which node {node.id} is to be near"
            case ComputeNode():
                for origin in singles(list(node.values)):
                    if isinstance(origin, Default) and not same(origin.value, task.now[:10]):
                        return f"nobody says {origin.value!r}, which node {node.id} computes with"
                continue
        for column, argument, origin in constants:
            if isinstance(origin, Default) and not (
                same(origin.value, task.actor) or _needs_no_word(tool, argument, origin.value)
            ):
                what = argument or column
                return f"nobody says {origin.value!r}, the default for {what} at node {node.id}"
    return None


def _columns(tool: Tool, environment: Environment) -> dict[Path, str]:
    """Where a column stands in a record that the tool shows -> the column."""
    return {path: column for column, path in shown(tool, environment.state_schema).items()}


def _needs_no_word(tool: Tool, argument: str, value: Json) -> bool:
    """Whether a constant can be chosen without hearing it: nothing, the tool's own default, the
    only value that is legal, a page size. (What a wish implies, the tool writes by itself.)"""
    parameter = tool.parameters.get("properties", {}).get(argument, {})
    if value is None:
        return True
    only = parameter["enum"] if len(parameter.get("enum", ())) == 1 else []
    for legal in (*only, *(parameter[name] for name in ("default", "const") if name in parameter)):
        if same(legal, value):
            return True
    return (
        bool(argument)
        and tool.effect is not None
        and argument in tool.effect.paging.model_dump().values()
    )


def _facts(task: Task, environment: Environment) -> str | None:
    wanted = said_values(task.intent)
    for fact in task.facts:
        if fact.name not in wanted:
            return f"{fact.name!r} is said but not wanted"
        if not same(wanted[fact.name], fact.value):
            return f"{fact.name!r} is {fact.value!r} in the facts and another in the intent"
        if not (
            fact.text in ways(fact.value, task.now, environment.words)
            if task.lang == "zh"
            else says_value(fact, task.now)
        ):
            return f"{fact.text!r} does not say {fact.value!r}"
        late = fact.told or fact.noted
        if late and _says(task.question, fact):
            return f"the question says {fact.text!r}, which is {_when(fact)}"
        if not late and not _says(task.question, fact):
            return f"the question does not say {fact.text!r}"
    for name in wanted:
        if name not in {f.name for f in task.facts}:
            return f"nobody says {name!r}"
    return None


def says_value(fact: Fact, now: str) -> bool:
    """Whether the fact's words are a way to say its value. Yes and no are said by what they are
    about: "breakfast" or "no breakfast", "archived" or "not archived"."""
    if isinstance(fact.value, bool) and fact.text not in renderings(fact.value):
        denied = fact.text.split(" ")[0] in ("no", "not", "without")
        return (
            bool(fact.text) and denied != fact.value and fact.text not in renderings(not fact.value)
        )
    return fact.text in renderings(fact.value, now)


def _says(question: str, fact: Fact) -> bool:
    at = question.find(fact.text)
    while at >= 0:
        end = at + len(fact.text)
        around = question[at - 1 : at] if at else "", question[end : end + 1]
        if not any(map(_ALPHANUMERIC.match, around)):
            return True
        at = question.find(fact.text, at + 1)
    return False


def _speech(task: Task, names: Set[str]) -> str | None:
    said = without_facts(task)
    for token in _TOKEN.findall(said):
        if token in names and _IDENTIFIER.search(token):
            return f"the question names {token!r}, which is a name in the program"
    return None


def _keys(task: Task, store: Store) -> str | None:
    tokens = set(_TOKEN.findall(without_facts(task)))
    for fact in task.facts:
        tokens |= {fact.text} if isinstance(fact.value, str) else set()
    ordered = sorted(tokens)
    for table in store.schema.tables:
        if len(table.key) != 1 or not is_internal(store.schema, table.name, table.key[0]):
            continue
        for token in ordered:
            keys: list[str | int] = [token]
            if token.isdigit():
                keys.append(int(token))
            if any(store.has(table.name, key) for key in keys):
                return f"the question says {token!r}, a key of {table.name} that people do not know"
    return None
