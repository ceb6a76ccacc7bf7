"""Tools and fields under other names: what is renamed, what stays, and that nothing is lost."""

import asyncio
import json
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from evals.speed.endpoint import Server, calls, says, serving
from forge.dataset.folder import read_dataset
from forge.llm.client import Client, Endpoint
from forge.rollout.loop import rollout
from forge.rollout.policies.chat import Chat
from forge.rollout.policies.context import WHOLE
from forge.rollout.policies.first_match import FirstMatch
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.random import Random
from forge.rollout.policies.renamed import Renamed
from forge.rollout.policies.shown import Shown
from forge.rollout.renaming.names import field_names, other_names, tool_names, value_texts
from forge.rollout.renaming.renaming import Renaming
from forge.rollout.users.scripted import Scripted
from forge.types.data import Json, JsonSchema
from forge.types.environment import Environment, Tool
from forge.types.rollout import Result, ToolCall, Trajectory
from tests.places import ROOT
from tests.test_formats_rollouts import played
from tests.worlds import hand_environment, hand_tasks, hand_world

PARAMETERS: JsonSchema = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "description": "Of the order, as `order_id` of an item."},
        "status": {"enum": ["open", "status"], "default": "open"},
        "address": {"$ref": "#/$defs/address", "default": {"city": "city"}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {
            "status": {"type": "string"}, "$count": {"type": "integer"}},
            "additionalProperties": False}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "byDay": {"type": "object", "additionalProperties": {"$ref": "#/$defs/address"}},
        "extra": {"type": "object"},
        "either": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/address"}]},
    },
    "required": ["order_id"],
    "additionalProperties": False,
    "$defs": {"address": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "postal_code": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }},
}  # fmt: skip
SHIP = Tool(
    name="ship_order",
    description="Ships an order. Use `status` of `list_orders`, or order_id; the status stays.",
    kind="write",
    parameters=PARAMETERS,
    returns=PARAMETERS,
)


@cache
def small() -> Environment:
    names = {"name": "list_orders", "parameters": {"type": "object"}, "returns": None}
    return hand_environment().model_copy(update={"tools": (SHIP, SHIP.model_copy(update=names))})


@cache
def environments() -> tuple[Environment, ...]:
    sample = read_dataset(ROOT / "generated" / "sample")
    return (small(), hand_environment(), *(sample.environment(name) for name in sample.names()))


def keys_of(value: Json) -> set[str]:
    if isinstance(value, list):
        return {key for each in value for key in keys_of(each)}
    if isinstance(value, dict):
        return {*value, *(key for each in value.values() for key in keys_of(each))}
    return set()


# --------------------------------------------------------------------------------- names


def all_names(environment: Environment) -> set[str]:
    return tool_names(environment) | field_names(environment)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_each_name_has_another_one_and_none_that_was_there(seed: int) -> None:
    for environment in environments():
        names = Renaming(environment, seed).names
        true = all_names(environment)
        others = {names[name] for name in true}
        assert len(others) == len(true)
        assert not {each.replace("_", "").casefold() for each in others} & {
            each.replace("_", "").casefold() for each in true | value_texts(environment)
        }
        assert {names[names[name]] for name in true} == true
        assert all(re.fullmatch(r"\w{1,64}", each) for each in others)


def test_names_follow_from_the_seed() -> None:
    def made(seed: int) -> dict[str, str]:
        return dict(Renaming(hand_environment(), seed).names)

    assert made(1) == made(1)
    true = all_names(hand_environment())
    same = {name for name in true if made(1)[name] == made(2)[name]}
    assert len(same) < len(true) / 3


def test_a_word_and_its_plural_have_the_same_synonym() -> None:
    names = other_names(["get_order", "list_orders"], ["order_id"], [], 1)
    plural, single = names["list_orders"].casefold(), names["order_id"].casefold()
    assert "order" not in plural + single
    assert any(each in plural and each in single for each in ("purchase",))


@given(st.lists(st.text(min_size=1), max_size=12), st.integers(0, 50))
def test_any_names_can_be_renamed(names: list[str], seed: int) -> None:
    made = other_names(names[:4], names, [], seed)
    assert {made[made[name]] for name in names} == set(names)
    assert not {made[name] for name in names} & set(names)


# -------------------------------------------------------------------- arguments and schemas

KEYS = ("order_id", "status", "address", "lines", "labels", "byDay", "extra", "either", "city",
        "postal_code", "$count", "other", "open")  # fmt: skip
values = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["open", "status", "city", "x"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=10,
)
address = st.fixed_dictionaries({"city": st.just("city")}, optional={"postal_code": st.text()})
fitting = st.fixed_dictionaries(
    {"order_id": st.text()},
    optional={
        "status": st.sampled_from(["open", "status", "shut"]),
        "address": address | values,
        "lines": st.lists(st.fixed_dictionaries({}, optional={"status": st.text()}) | values),
        "labels": st.dictionaries(st.sampled_from(KEYS), st.text()),
        "byDay": st.dictionaries(st.sampled_from(KEYS), address),
        "extra": values,
        "either": address | values,
    },
)
any_arguments = fitting | st.dictionaries(st.sampled_from(KEYS), values, max_size=5)
seeds = st.integers(0, 5)


@cache
def renaming(seed: int) -> Renaming:
    return Renaming(small(), seed)


@given(any_arguments, seeds)
def test_arguments_come_back_as_they_were(given: dict[str, Json], seed: int) -> None:
    here = renaming(seed)
    there = here.arguments("ship_order", given)
    assert here.arguments(here.name("ship_order"), there) == given


@given(any_arguments, seeds)
def test_the_renamed_schema_takes_exactly_the_renamed_arguments(given: Any, seed: int) -> None:
    here = renaming(seed)
    schema = here.tools[here.name("ship_order")].parameters
    Draft202012Validator.check_schema(schema)
    there = here.arguments("ship_order", given)
    true = Draft202012Validator(PARAMETERS).is_valid(given)
    assert Draft202012Validator(schema).is_valid(there) == true
    assert here.schema(schema) == PARAMETERS


def test_fields_at_any_depth_are_renamed_and_values_and_keys_of_maps_are_not() -> None:
    given = {
        "order_id": "status",
        "status": "status",
        "address": {"city": "city"},
        "lines": [{"status": "city"}],
        "labels": {"status": "order_id"},
        "byDay": {"status": {"city": "x"}},
        "extra": {"status": {"city": 1}},
    }
    here = renaming(1)
    n = here.name
    assert here.arguments("ship_order", given) == {
        n("order_id"): "status",
        n("status"): "status",
        n("address"): {n("city"): "city"},
        n("lines"): [{n("status"): "city"}],
        n("labels"): {"status": "order_id"},
        n("byDay"): {"status": {n("city"): "x"}},
        n("extra"): {"status": {"city": 1}},
    }


def test_a_schema_keeps_its_choices_and_renames_what_it_names() -> None:
    here = renaming(1)
    schema = here.tools[here.name("ship_order")].parameters
    properties = schema["properties"]
    assert set(properties) == {here.name(name) for name in PARAMETERS["properties"]}
    assert schema["required"] == [here.name("order_id")]
    assert properties[here.name("status")] == {"enum": ["open", "status"], "default": "open"}
    assert properties[here.name("address")]["default"] == {here.name("city"): "city"}
    assert here.name("order_id") in properties[here.name("order_id")]["description"]


# ---------------------------------------------------------------------------------- results


@given(values, seeds, st.sampled_from(["ship_order", "list_orders", "unknown"]))
def test_nothing_is_lost_of_a_result(value: Json, seed: int, tool: str) -> None:
    here = renaming(seed)
    true = Result(text=json.dumps(value, ensure_ascii=False))
    there = here.result(tool, true)
    assert here.result(here.name(tool), there) == true


def test_a_result_without_a_schema_has_its_fields_renamed() -> None:
    here = renaming(1)
    result = here.result("list_orders", Result(text='[{"status": "status", "é": 1}]'))
    assert json.loads(result.text) == [{here.name("status"): "status", "é": 1}]


# ------------------------------------------------------------------------------------ texts


def test_only_identifiers_are_renamed_in_a_description() -> None:
    here = renaming(1)
    shown = here.tools[here.name("ship_order")].description
    listed, key = here.name("list_orders"), here.name("order_id")
    # `status` is a choice too: what is meant cannot be told.
    assert shown == f"Ships an order. Use `status` of `{listed}`, or {key}; the status stays."


@pytest.mark.parametrize(
    "message",
    [
        "<lines> is required",
        "<lines>, <byDay> are required",
        '<lines>[0].<city> must be a text, not "city"',
        'no argument "<lines>": did you mean "<city>"?',
        'no argument "x": there is <address>, <city>, <order_id>',
        '<address> has no "<status>": there is <city>',
        'there is no tool "<list_orders>": did you mean "<ship_order>"?',
        '<order_id>: there is no address "lines"',
        'there is no address "lines": the city is full',
        '<city> "lines" is already used by address "city" (it must be unique within <lines>)',
        "the <postal_code> of the address is 'lines'",
        'the arguments are not JSON: city. Expected is an object with "<order_id>", "<city>"',
        '<lines> fits none of what is allowed: <city> must be a number, not "x"',
    ],
)
def test_an_error_names_arguments_as_the_agent_sees_them(message: str) -> None:
    here = renaming(1)
    true = re.sub("<(.*?)>", r"\1", message)
    there = re.sub("<(.*?)>", lambda match: here.name(match[1]), message)
    assert here.message(true) == there
    assert here.message(there) == true


def test_a_call_that_cannot_be_made_keeps_its_fault() -> None:
    here = renaming(1)
    call = ToolCall(tool="ship_order", arguments=None, fault='Expected is an object with "lines"')
    assert here.call(here.call(call)) == call


# ----------------------------------------------------------------------------------- rollouts


@pytest.mark.parametrize("seed", [1, 2])
def test_the_oracle_renamed_and_translated_back_makes_the_same_calls(seed: int) -> None:
    for task in hand_tasks()[:30]:
        plain = played(Oracle(), task)
        other = played(Renamed(Renamed(Oracle(), seed), seed), task)
        assert (other.reward, other.steps) == (1, plain.steps)


def test_a_model_that_writes_other_names_earns_what_it_does() -> None:
    for task in hand_tasks()[:10]:
        shown = Renamed(Shown(Renamed(Oracle(), 1), WHOLE, "react"), 1)
        trajectory = played(shown, task)
        assert trajectory.reward == 1
        assert [[c.tool for c in s.turn.calls] for s in trajectory.steps] == [
            [c.tool for c in s.turn.calls] for s in played(Oracle(), task).steps
        ]
        assert not any(f"Action: {name}\n" in step.turn.raw for step in trajectory.steps
                       for name in hand_world().tools)  # fmt: skip


def test_other_policies_can_be_renamed() -> None:
    task = hand_tasks()[0]
    assert played(Renamed(Noop(), 1), task).reward == 0
    guessed = played(Renamed(Random(), 1), task)
    made = {call.tool for step in guessed.steps for call in step.turn.calls}
    assert made and made <= set(hand_world().tools)
    first = played(Renamed(Renamed(FirstMatch(), 1), 1), task)
    assert first.steps == played(FirstMatch(), task).steps


def at_a_server(*replies: Any) -> tuple[Trajectory, Server]:
    task = hand_tasks()[0]

    async def play(url: str) -> Trajectory:
        policy = Renamed(Chat(Client(Endpoint("scripted", base_url=url))), 1)
        try:
            return await rollout(
                hand_world(),
                task,
                policy.seat(hand_world(), task, 1),
                Scripted().speaker(task, 1),
                policy=policy.name,
                user="scripted",
                seed=1,
            )
        finally:
            await policy.close()

    with serving(replies) as server:
        return asyncio.run(play(server.url)), server


HAND = Renaming(hand_environment(), 1)


def test_a_model_reads_other_names_and_the_trajectory_has_the_true_ones() -> None:
    call = (HAND.name("find_project"), {HAND.name("name"): "Lumen"})
    trajectory, server = at_a_server(calls(call), says("Goodbye."))
    tools = {each["function"]["name"] for each in server.asked[0].body["tools"]}
    assert tools == {HAND.name(name) for name in hand_world().tools}
    read = json.loads(server.asked[1].body["messages"][3]["content"])
    assert read[HAND.name("name")] == "Lumen"
    assert not keys_of(read) & all_names(hand_environment())
    made = trajectory.steps[0].turn.calls[0]
    assert (made.tool, made.arguments) == ("find_project", {"name": "Lumen"})
    assert json.loads(trajectory.steps[0].results[0].text)["name"] == "Lumen"


def test_a_memorised_name_is_refused_under_that_name() -> None:
    memorised = ("find_project", {"name": "Lumen"})
    argument = (HAND.name("find_project"), {"name": "Lumen"})
    trajectory, server = at_a_server(calls(memorised, argument), says("Goodbye."))
    first, second = (json.loads(each["content"]) for each in server.asked[1].body["messages"][3:])
    assert 'no tool "find_project"' in first["message"]
    assert 'no argument "name"' in second["message"]
    assert HAND.name("name") in second["message"]
    assert [result.failure for result in trajectory.steps[0].results] == ["invalid", "invalid"]


def test_names_that_the_agent_speaks_are_understood_and_what_it_wrote_is_kept() -> None:
    said = f"Which {HAND.name('project_id')} do you mean?"
    trajectory, _ = at_a_server(says(said), says("Goodbye."))
    turn = trajectory.steps[0].turn
    assert (turn.text, turn.raw) == ("Which project_id do you mean?", said)
