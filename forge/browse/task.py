"""The page of a task: what is said, what is wanted, the way there, its proof; and the page on which
its tools are called by hand."""

from collections.abc import Iterable
from urllib.parse import urlencode

from forge.browse.dataset import is_linked, rated
from forge.browse.fields import arguments_of, fields_of
from forge.browse.files import environment_at
from forge.browse.marks import mark_values
from forge.browse.page import Asked, Missing, Names, Page, Values
from forge.browse.records import tables_shown
from forge.browse.rollouts import rollouts_of
from forge.browse.stored import read_task
from forge.browse.things import Site, Thing
from forge.browse.tracing import trace
from forge.browse.worlds import Played
from forge.dataset.files import compact, json_text, parse_json
from forge.dataset.hashes import is_edited
from forge.dataset.states import (
    golden_state,
    initial_state,
    laid_on,
    named,
    node_text,
    played_in,
)
from forge.errors import UserError
from forge.types.call import Call
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.task import Task

LONGEST = 200
"""Calls in a session by hand."""


def show(asked: Asked) -> Values:
    task = _task(asked)
    tasks = rated(asked.site, asked.thing)
    before, behind = tasks.beside(task.id)
    values: dict[str, object] = {
        "title": task.id,
        "task": task,
        "edited": is_edited(task),
        "before": before if before and is_linked(before) else None,
        "behind": behind if behind and is_linked(behind) else None,
        "followed_by": tasks.followed_by(task.id),
        "told": [fact for fact in task.facts if fact.told],
        "noted": [fact for fact in task.facts if fact.noted],
        "said": [fact for fact in task.facts if not fact.told and not fact.noted],
        "plan": [node_text(node) for node in task.dag.nodes],
        "trace": trace(task),
        "rates": tasks.rates(task.id),
        "rollouts": list(rollouts_of(asked.site, task.id)),
        "intent": compact(task.intent),
        "session": query_of(task.golden_calls),
    }
    return {**values, **_in_environment(asked, task), **mark_values(asked, task.id)}


def _in_environment(asked: Asked, task: Task) -> Values:
    """What needs the environment; where it cannot be read or run, the line that says why."""
    shown: dict[str, object] = {"why": "", "actor": "", "played": None, "tables": [], "kinds": {}}
    try:
        environment = environment_at(asked.thing.path, task.env)
        whole = played_in(environment, task)
        if task.base not in whole.bases:
            raise UserError(f"environment {task.env} has no base {task.base!r}")
        before, after = initial_state(whole, task), golden_state(whole, task)
        schema = whole.state_schema
        shown["tables"] = tables_shown(schema, before, after)
        shown["kinds"] = {tool.name: tool.kind for tool in whole.tools}
        if task.actor is not None and schema.actors is not None:
            shown["actor"] = named(schema, schema.actors, str(task.actor), before)
        shown["played"] = asked.worlds.play(environment, task, task.golden_calls)
    except UserError as error:
        shown["why"] = str(error)
    return shown


def show_by_hand(asked: Asked) -> Values:
    task = _task(asked)
    environment = environment_at(asked.thing.path, task.env)
    whole = played_in(environment, task)
    tools = {tool.name: tool for tool in whole.tools}
    calls, why = _calls(asked.query.get("calls", "[]"))
    chosen = tools.get(asked.query.get("tool", "")) or next(iter(tools.values()), None)
    if chosen is None:
        raise Missing(f"the environment {task.env} has no tools")
    given = {
        name.removeprefix("a."): value
        for name, value in asked.query.items()
        if name.startswith("a.")
    }
    if "run" in asked.query and not why:
        calls = (*calls, Call(tool=chosen.name, arguments=arguments_of(chosen, given)))
        given = {}
    played = asked.worlds.play(environment, task, calls)
    return {
        "title": f"By hand: {task.id}",
        "task": task,
        "tools": tools,
        "chosen": chosen,
        "fields": fields_of(chosen, given),
        "calls": json_text([compact(call) for call in calls]),
        "played": played,
        "why": why,
        "tables": _changed(whole, task, played),
        "again": query_of(calls),
        "undone": query_of(calls[:-1]),
        "golden": query_of(task.golden_calls),
    }


def _changed(environment: Environment, task: Task, played: Played) -> list[object]:
    before = initial_state(environment, task)
    shown = tables_shown(environment.state_schema, before, laid_on(before, played.end))
    return [*shown]


def query_of(calls: Iterable[Call]) -> str:
    """The part of an address that names a session by hand."""
    told = [compact(call) for call in calls]
    return f"?{urlencode({'calls': json_text(told)})}" if told else "?"


def _calls(text: str) -> tuple[tuple[Call, ...], str]:
    """The calls that an address tells, or why it tells none."""
    try:
        found: Json = parse_json(text, "calls")
        if not isinstance(found, list) or len(found) > LONGEST:
            raise UserError(f"calls: must be a list of at most {LONGEST}")
        return tuple(Call.model_validate(each) for each in found), ""
    except (UserError, ValueError) as error:
        return (), f"the address tells no calls: {str(error).splitlines()[0]}"


def _task(asked: Asked) -> Task:
    id = asked.names["id"]
    task = read_task(asked.thing.path, id) if is_linked(id) else None
    if task is None:
        raise Missing(f"there is no task {id!r} in {asked.thing.name}")
    return task


def _every(site: Site, thing: Thing) -> Iterable[Names]:
    return [{"id": row.id} for row in rated(site, thing).every() if is_linked(row.id)]


def _never(site: Site, thing: Thing) -> Iterable[Names]:
    """A page that needs a server."""
    return ()


PAGES = (
    Page("dataset", "{thing}/tasks/{id}.html", "task.html.j2", show, _every),
    Page("dataset", "{thing}/by-hand/{id}.html", "by_hand.html.j2", show_by_hand, _never),
)
