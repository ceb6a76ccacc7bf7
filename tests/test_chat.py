"""The policy that is a model, in whole rollouts against a server that answers as servers do."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from jsonschema import Draft202012Validator

from evals.speed.endpoint import Reply, Server, calls, completion, refuses, says, serving
from forge.errors import EndpointLost, UserError
from forge.llm.client import Client, Endpoint
from forge.rollout.loop import Limits, rollout
from forge.rollout.policies.actions import action_schema
from forge.rollout.policies.chat import Chat, Sampling
from forge.rollout.users.user import Reply as Said
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Trajectory
from tests.worlds import hand_tasks, hand_world

FIND = ("find_project", {"name": "Lumen"})
LIMITS = Limits(steps=6)
CALL = '{"name": "find_project", "arguments": {"name": "Lumen"}}'


class Brief:
    """A user who says one thing, and is then done."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def opening(self) -> str:
        return hand_tasks()[0].question

    async def reply(self, heard: str) -> Said:
        self.heard.append(heard)
        return Said("Go on.") if len(self.heard) == 1 else Said("Thanks.", "done")


def played(
    replies: Sequence[Reply], limits: Limits = LIMITS, seed: int = 1, **options: Json
) -> tuple[Trajectory, Server, Brief]:
    user = Brief()

    async def play(url: str) -> Trajectory:
        policy = Chat(Client(Endpoint("scripted", base_url=url, tries=2, pause=0.001)), **options)
        try:
            return await rollout(
                hand_world(),
                hand_tasks()[0],
                policy.seat(hand_world(), hand_tasks()[0], seed),
                user,
                policy=policy.name,
                user="brief",
                seed=seed,
                limits=limits,
            )
        finally:
            await policy.close()

    with serving(replies) as server:
        return asyncio.run(play(server.url)), server, user


def messages(server: Server, request: int = -1) -> list[Json]:
    found: list[Json] = server.asked[request].body["messages"]
    return found


BYE = says("Goodbye.")


def test_a_model_calls_a_tool_reads_the_result_and_speaks_to_the_user() -> None:
    trajectory, server, user = played([calls(FIND), says("Shall I?"), BYE])
    assert trajectory.policy == "model:scripted"
    assert trajectory.outcome == "done"
    assert user.heard == ["Shall I?", "Goodbye."]
    result = trajectory.steps[0].results[0]
    assert json.loads(result.text)["name"] == "Lumen"
    assert [message["role"] for message in messages(server)] == [
        "system", "user", "assistant", "tool", "assistant", "user"
    ]  # fmt: skip
    assert messages(server)[1]["content"] == hand_tasks()[0].question
    assert messages(server)[3] == {"role": "tool", "tool_call_id": "c0", "content": result.text}
    assert messages(server)[5]["content"] == "Go on."


def test_tools_go_into_the_request_with_their_schemas() -> None:
    _, server, _ = played([BYE])
    sent = {each["function"]["name"]: each["function"] for each in server.asked[0].body["tools"]}
    assert {name: each["parameters"] for name, each in sent.items()} == {
        name: tool.parameters for name, tool in hand_world().tools.items()
    }


def test_tokens_of_each_turn_are_those_the_server_counted() -> None:
    trajectory, _, _ = played([BYE])
    turn = trajectory.steps[0].turn
    assert (turn.prompt_tokens, turn.completion_tokens) == (7, 5)


def test_messages_only_grow() -> None:
    _, server, _ = played([calls(FIND), says("<think>hm</think>Shall I?"), calls(FIND), BYE])
    for number in range(1, len(server.asked)):
        before = messages(server, number - 1)
        assert messages(server, number)[: len(before)] == before


def test_several_calls_in_one_turn_are_answered_in_order_under_their_ids() -> None:
    _, server, _ = played([calls(FIND, ("find_project", {"name": "Nothing"})), BYE])
    first, second = messages(server, 1)[3:]
    assert [first["tool_call_id"], second["tool_call_id"]] == ["c0", "c1"]
    assert "Lumen" in first["content"]
    assert "error" in second["content"]


def test_ids_that_are_missing_or_used_twice_are_made_anew() -> None:
    function = {"name": FIND[0], "arguments": json.dumps(FIND[1])}
    twice = [{"id": "x", "function": function}, {"id": "x", "function": function}]
    none = [{"function": function}]
    trajectory, server, _ = played(
        [
            Reply(completion({"tool_calls": twice})),
            Reply(completion({"tool_calls": none})),
            Reply(completion({"tool_calls": twice[:1]})),
            BYE,
        ]
    )
    ids = [call.id for step in trajectory.steps for call in step.turn.calls]
    assert ids[0] == "x"
    assert len(set(ids)) == len(ids) == 4
    sent = [m["tool_call_id"] for m in messages(server) if m["role"] == "tool"]
    assert sent == [c["id"] for m in messages(server) for c in m.get("tool_calls", ())] == ids


def test_arguments_that_are_no_json_are_a_result_and_go_back_as_json() -> None:
    """Servers refuse a conversation with other arguments, which would end the rollout."""
    trajectory, server, _ = played([calls(("find_project", "Lumen, please")), BYE])
    (result,) = trajectory.steps[0].results
    assert result.failure == "invalid"
    assert "Lumen, please" in result.text
    assert '\\"name\\"' in result.text
    sent = messages(server, 1)[2]["tool_calls"][0]["function"]
    assert json.loads(sent["arguments"]) == {}
    assert trajectory.outcome == "done"


def test_a_call_of_a_tool_that_is_not_there_is_a_result() -> None:
    trajectory, _, _ = played([calls(("find_projects", {})), BYE])
    assert "find_project" in trajectory.steps[0].results[0].text
    assert trajectory.steps[0].results[0].failure is not None


@pytest.mark.parametrize("format", ["native", "hermes", "json"])
def test_calls_in_a_text_are_made_and_answered_in_a_text(format: str) -> None:
    written = f"<think>Look.</think>I look.\n<tool_call>\n{CALL}\n</tool_call>"
    trajectory, server, user = played([says(written), says("Shall I?"), BYE], format=format)
    turn = trajectory.steps[0].turn
    assert (turn.thinking, turn.text, turn.raw) == ("Look.", "I look.", written)
    assert [(call.tool, call.arguments) for call in turn.calls] == [FIND]
    assert messages(server, 1)[2] == {"role": "assistant", "content": written}
    answer = messages(server, 1)[3]
    assert answer["role"] == "user"
    assert answer["content"].startswith("<tool_response>\n{")
    assert answer["content"].endswith("}\n</tool_response>")
    assert user.heard == ["I look.\nShall I?", "Goodbye."]


def test_tools_told_in_a_text_are_in_the_prompt_and_not_in_the_request() -> None:
    _, server, _ = played([BYE], format="hermes")
    assert "tools" not in server.asked[0].body
    system = messages(server)[0]["content"]
    for name in hand_world().tools:
        assert f'"name": "{name}"' in system


# ----------------------------------------------------------------------- the schema


def test_a_server_that_holds_to_a_schema_gets_one_of_a_turn() -> None:
    _, server, _ = played([says('{"say": "Goodbye."}')], format="json")
    form = server.asked[0].body["response_format"]
    assert form["type"] == "json_schema"
    check = Draft202012Validator(form["json_schema"]["schema"]).is_valid
    assert check(json.loads(CALL))
    assert check({"say": "Goodbye."})
    assert not check({"say": "Goodbye.", **json.loads(CALL)})
    assert not check({"name": "find_projects", "arguments": {}})
    assert not check({"name": "find_project", "arguments": {}})


def test_an_action_is_a_call_or_words_to_the_user() -> None:
    trajectory, server, user = played(
        [says(CALL), says('{"say": "Shall I?"}'), says('{"say": "Goodbye."}')], format="json"
    )
    assert [(c.tool, c.arguments) for c in trajectory.steps[0].turn.calls] == [FIND]
    assert user.heard == ["Shall I?", "Goodbye."]
    assert messages(server)[4] == {"role": "assistant", "content": '{"say": "Shall I?"}'}


def test_an_action_that_was_cut_off_is_a_fault_and_no_word_to_the_user() -> None:
    trajectory, _, _ = played([says('{"name": "find_project", "argum')], format="json")
    assert trajectory.steps[0].turn.calls[0].fault


def test_schemas_of_two_tools_keep_their_own_definitions_and_lose_what_no_grammar_holds() -> None:
    def tool(name: str, type: str) -> Tool:
        item = {"type": type, "properties": {"pattern": {"$ref": "#/$defs/item"}}}
        schema = {
            "type": "object",
            "properties": {
                "item": {"$ref": "#/$defs/item"},
                "maxLength": {"type": "string", "maxLength": 9, "enum": ["pattern"]},
            },
            "required": ["item"],
            "$defs": {"item": item},
        }
        return Tool(name=name, description=name, kind="read", parameters=schema)

    schema = action_schema({"a": tool("a", "object"), "b": tool("b", "string")})
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema).is_valid
    assert check({"name": "a", "arguments": {"item": {"pattern": {"pattern": {}}}}})
    assert not check({"name": "a", "arguments": {"item": "text"}})
    assert check({"name": "b", "arguments": {"item": "text", "maxLength": "pattern"}})
    assert '"maxLength": 9' not in json.dumps(schema)


# -------------------------------------------------------------------------- thinking


def test_inline_thinking_is_kept_for_the_model_and_hidden_from_the_user() -> None:
    trajectory, server, user = played([says("<think>Who asks?</think>Shall I?"), BYE])
    assert user.heard[0] == "Shall I?"
    assert trajectory.steps[0].turn.thinking == "Who asks?"
    assert messages(server)[2]["content"] == "<think>Who asks?</think>Shall I?"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_in_a_field_goes_back_in_that_field(field: str) -> None:
    trajectory, server, user = played([calls(FIND, **{field: "Who asks?"}), BYE])
    assert trajectory.steps[0].turn.thinking == "Who asks?"
    assert messages(server)[2][field] == "Who asks?"
    assert "Who asks?" not in " ".join(user.heard)


def test_thinking_is_dropped_where_that_is_wished() -> None:
    replies = [
        says("<think>Who asks?</think>Shall I?", reasoning_content="A user asks."),
        calls(FIND, content="<think>Who asks?</think>", reasoning="A user asks."),
        BYE,
    ]
    trajectory, server, _ = played(replies, drop_thinking=True)
    assert "A user asks." not in json.dumps(messages(server))
    assert "Who asks?" not in json.dumps(messages(server))
    assert trajectory.steps[0].turn.thinking == "A user asks.\n\nWho asks?"


# ------------------------------------------------------------------ limits and losses


@pytest.mark.parametrize("content", ["", None, "<think>Only a thought.</think>"])
def test_an_empty_answer_is_an_empty_turn(content: str | None) -> None:
    trajectory, _, user = played([Reply(completion({"content": content})), BYE])
    turn = trajectory.steps[0].turn
    assert (turn.text, turn.calls) == ("", ())
    assert user.heard[0] == ""


def test_a_conversation_that_no_longer_fits_ends_by_its_tokens_and_is_scored() -> None:
    full = refuses(400, "maximum context length is 4096 tokens")
    trajectory, _, _ = played([calls(FIND), full])
    assert trajectory.outcome == "tokens"
    assert "4096" in trajectory.reason
    assert trajectory.reward == 0
    assert len(trajectory.steps) == 1


def test_a_lost_endpoint_is_no_trajectory() -> None:
    with pytest.raises(EndpointLost, match="HTTP 500"):
        played([calls(FIND), refuses(500, "gone")])


def test_a_way_of_calling_that_the_server_has_not_is_the_users_to_mend() -> None:
    with pytest.raises(UserError, match="--format"):
        played([refuses(400, '"auto" tool choice requires --enable-auto-tool-choice')])


def test_a_model_that_is_too_slow_ends_by_its_seconds() -> None:
    slow = Reply(completion({"content": "Goodbye."}), seconds=30)
    trajectory, _, _ = played([calls(FIND), slow], limits=Limits(seconds=0.5))
    assert (trajectory.outcome, len(trajectory.steps)) == ("seconds", 1)


# -------------------------------------------------------------------------- sampling


def test_what_is_not_chosen_is_left_to_the_server() -> None:
    _, server, _ = played([BYE])
    assert set(server.asked[0].body) == {"model", "messages", "tools", "seed"}


def test_what_is_chosen_is_sent_and_a_null_takes_out() -> None:
    extra = {"top_k": 5, "seed": None}
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=100, extra=extra)
    _, server, _ = played([BYE], sampling=sampling)
    chosen = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "top_k": 5}
    rest = {"model", "messages", "tools"}
    assert {n: v for n, v in server.asked[0].body.items() if n not in rest} == chosen


def test_every_turn_of_every_rollout_has_a_seed_of_its_own_and_the_same_each_time() -> None:
    def seeds(seed: int) -> list[int]:
        return [each.body["seed"] for each in played([calls(FIND), BYE], seed=seed)[1].asked]

    assert seeds(1) == seeds(1)
    assert len({*seeds(1), *seeds(2)}) == 6
