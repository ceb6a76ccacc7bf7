"""Formats of calls: what is written in one is read as the same, and what models get wrong."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.rollout.policies.calls import Written, read_text
from forge.rollout.policies.formats import Format, read, results, way_of, write
from forge.rollout.policies.react import read_react
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import ToolCall, Turn
from tests.test_calls import TOOLS, arguments

FORMATS: tuple[Format, ...] = get_args(Format)
CALL = '{"bed_id": "b1"}'
BED: tuple[str, Json] = ("get_bed", {"bed_id": "b1"})
OTHER: tuple[str, Json] = ("get_bed", {"bed_id": "b2"})


def of(written: str) -> Written:
    return read_react(written, TOOLS)


def made(written: Written) -> list[tuple[str, Json]]:
    return [(call.tool, call.arguments) for call in written.calls]


# ------------------------------------------------------------------------ there and back

odd = st.sampled_from(
    ["Observation: no", "\nObservation: no", "Action: water\nAction Input: {}", "Final Answer:",
     "</tool_call>", "<tool_call>", "<think>", "</think>", "```", '"', "'", "\\", "{", "}", "[[",
     "\n", "\r\n", "\u2028", "😀", "名", "<function=run>", "</parameter>", "\x00", "{{"]
)  # fmt: skip
texts = st.lists(odd | st.text(max_size=5), max_size=6).map("".join)
given_arguments = (
    st.dictionaries(texts, texts | st.lists(texts, max_size=2), max_size=4) | arguments
)
calls = st.builds(
    lambda tool, given: ToolCall(tool=tool, arguments=given),
    st.sampled_from([*TOOLS, "prune"]),
    given_arguments,
)


@pytest.mark.parametrize("format", ["hermes", "react", "json"])
@given(st.lists(calls, min_size=1, max_size=3))
def test_calls_come_back_as_they_were_written(format: Format, made: list[ToolCall]) -> None:
    turn = Turn(calls=tuple(made))
    found = read(write(turn, format).text, way_of(format, TOOLS))
    assert found.calls == turn.calls
    assert found.text == ""
    assert found.end is None


@pytest.mark.parametrize("format", ["hermes", "react", "json"])
@given(calls, st.text("abc .,\n").map(lambda text: f"Well{text}".strip()))
def test_words_beside_a_call_come_back_too(format: Format, call: ToolCall, said: str) -> None:
    written = write(Turn(text=said, calls=(call,)), format).text
    found = read(written, way_of(format, TOOLS))
    assert (found.text, found.calls) == (said, (call,))


@pytest.mark.parametrize("format", FORMATS)
@given(st.text("abc .,:\n\"'é").map(str.strip))
def test_words_to_the_user_come_back_as_they_were_written(format: Format, said: str) -> None:
    found = read(write(Turn(text=said), format).text, way_of(format, TOOLS))
    assert (found.text, found.calls) == (said, ())


plain_values = st.dictionaries(
    st.sampled_from(["bed_id", "litres"]), st.text().filter(lambda t: "<" not in t), max_size=2
)


@given(plain_values)
def test_texts_in_tags_come_back_as_they_were_written(given: dict[str, str]) -> None:
    inner = "".join(f"<parameter={n}>\n{v}\n</parameter>\n" for n, v in given.items())
    written = f"<tool_call>\n<function=prune>\n{inner}</function>\n</tool_call>"
    assert made(read_text(written, TOOLS)) == [("prune", given)]


scraps = st.sampled_from(
    ["Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", " get_bed", " none",
     CALL, "{", "}", '"', "```json\n", "```", "\n", " ", "**", "<think>", "</think>", "{{", "x",
     "<function=get_bed>", "<parameter=bed_id>", "</parameter>", "</function>", "</tool_call>"]
)  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@given(st.lists(scraps, max_size=30).map("".join))
def test_any_text_can_be_read(format: Format, written: str) -> None:
    found = read(written, way_of(format, TOOLS))
    assert all((call.arguments is None) == bool(call.fault) for call in found.calls)
    if format == "react":
        assert "\nObservation:" not in "\n" + found.text


def test_an_observation_right_behind_the_label_of_an_answer_is_not_told_to_the_user() -> None:
    assert of("Thought: Hm.\nFinal Answer: Observation: the bed is free").text == ""


# ----------------------------------------------------------------------- thought and action

ACTION = f"Thought: Look.\nAction: get_bed\nAction Input: {CALL}"


def test_a_turn_is_a_thought_and_an_action() -> None:
    found = of(ACTION)
    assert (found.thinking, found.text, made(found)) == ("Look.", "", [BED])


@pytest.mark.parametrize(
    "written",
    [
        f"Action: get_bed\nAction Input: {CALL}",
        f"I should look.\nAction: get_bed\nAction Input: {CALL}",
        f"Thought: Look. Action: get_bed Action Input: {CALL}",
        f"**Thought:** Look.\n**Action:** `get_bed`\n**Action Input:** {CALL}",
        f"Thought 1: Look.\nAction 1: [get_bed]\nAction Input 1: {CALL}",
        f"Thought: Look.\n\nAction:\nget_bed\n\nAction Input:\n```json\n{CALL}\n```",
        'Action: get_bed\nAction Input: {\n  "bed_id":\n    "b1"\n}\n',
        "Action: get_bed\nAction Input: {'bed_id': 'b1',}",
        f"Action: get_bed\nAction Input: {json.dumps(CALL)}",
        f"Action: get_bed\nAction Input: {{{CALL}}}",
        f"Action: get_bed\n{CALL}",
        f"Action: get_bed {CALL}",
        f"Action: get_bed.\nAction Input: {CALL}\n\nI wait for the result.",
        f'Action:\n```\n{{"action": "get_bed", "action_input": {CALL}}}\n```',
        f'Action: {{"name": "get_bed", "arguments": {CALL}}}',
        f"Thought: 看看。\nAction：get_bed\nAction Input：{CALL}",
        f"<think>Action: water</think>Action: get_bed\nAction Input: {CALL}",
        f"Action: water\n</think>\nAction: get_bed\nAction Input: {CALL}",
        f'Thought: Look.\n<tool_call>{{"name": "get_bed", "arguments": {CALL}}}</tool_call>',
    ],
)
def test_an_action_is_read_as_models_write_it(written: str) -> None:
    found = of(written)
    assert (made(found), found.text) == ([BED], "")


def test_an_observation_that_the_model_made_up_ends_the_turn_before_it() -> None:
    dreamt = 'Observation: {"name": "Rose"}\nThought: Good.\nFinal Answer: It is Rose.'
    for between in ("\n", " ", "\n```\n"):
        found = of(f"{ACTION}{between}{dreamt}")
        assert (made(found), found.text) == ([BED], "")
        assert "Rose" not in found.kept + found.thinking
        assert found.end is not None


def test_several_actions_are_made_in_order() -> None:
    second = 'Action: get_bed\nAction Input: {"bed_id": "b2"}'
    assert made(of(f"{ACTION}\n{second}\nObservation: b")) == [BED, OTHER]


@pytest.mark.parametrize("input", ["", "Action Input:", "Action Input: None", "Action Input: {}"])
def test_an_action_may_have_no_input(input: str) -> None:
    assert made(of(f"Action: list_beds\n{input}")) == [("list_beds", {})]


def test_labels_in_a_text_of_the_input_are_a_part_of_it() -> None:
    command = "echo\nObservation: x\nAction: list_beds\nFinal Answer: y"
    for written in (json.dumps({"command": command}), f'{{"command": "{command}"}}'):
        assert made(of(f"Action: run\nAction Input: {written}")) == [("run", {"command": command})]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Thought: I know.\nFinal Answer: It is Rose.", "It is Rose."),
        ("Thought: I know. Final Answer: It is Rose.\nAnd more.", "It is Rose.\nAnd more."),
        ("Final Answer:\n\nIt is Rose.\n", "It is Rose."),
        ("Thought: I know.\nAction: Final Answer\nAction Input: It is Rose.", "It is Rose."),
        ("Thought: I know.\nAction: None\nFinal Answer: It is Rose.", "It is Rose."),
        ("Final Answer: Done.\nAction: it was watered.", "Done.\nAction: it was watered."),
        ("It is Rose.", "It is Rose."),
    ],
)
def test_only_what_is_said_goes_to_the_user(written: str, said: str) -> None:
    found = of(written)
    assert (found.text, made(found)) == (said, [])


def test_thoughts_alone_are_a_fault_that_says_how_turns_are_written() -> None:
    found = of("Thought: I should look at the beds.")
    assert found.text == ""
    assert "Action Input:" in found.calls[0].fault
    assert "Final Answer:" in found.calls[0].fault


def test_an_input_that_cannot_be_read_is_told_what_is_expected() -> None:
    (call,) = of("Action: get_bed\nAction Input: bed b1\nObservation: Rose").calls
    assert call.tool == "get_bed"
    assert "bed b1. Expected is an object with" in call.fault


def test_an_action_that_is_no_tool_is_called_and_refused_there() -> None:
    assert made(of("Action: look at the bed\nAction Input: {}")) == [("look at the bed", {})]


def test_results_are_observations() -> None:
    assert results(["1", "2"], "react") == "Observation: 1\nObservation: 2"


# ------------------------------------------------------------------------ functions in tags

TYPED = Tool(
    name="plan",
    description="",
    kind="read",
    parameters={
        "type": "object",
        "properties": {
            "days": {"type": "integer"},
            "dry": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "beds": {"type": "array", "items": {"type": "string"}},
            "at": {"$ref": "#/$defs/place"},
            "code": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "$defs": {"place": {"type": "object"}},
    },
)


def tagged(**given: str) -> str:
    inner = "".join(f"<parameter={name}>\n{text}\n</parameter>\n" for name, text in given.items())
    return f"<function=plan>\n{inner}</function>"


@pytest.mark.parametrize("around", ["{}", "<tool_call>\n{}\n</tool_call>", "{}\n</tool_call>"])
def test_values_in_tags_are_read_by_their_types(around: str) -> None:
    written = tagged(
        days="3", dry="True", note="null", beds='["b1", "b2"]', at='{"x": 1}', code="0042"
    )
    found = read_text(f"I plan.\n{around.replace('{}', written)}", {"plan": TYPED})
    assert made(found) == [
        (
            "plan",
            {
                "days": 3,
                "dry": True,
                "note": None,
                "beds": ["b1", "b2"],
                "at": {"x": 1},
                "code": "0042",
            },
        )
    ]
    assert found.text == "I plan."


def test_a_text_in_tags_keeps_its_lines_and_quotes() -> None:
    note = '  two\n\n"lines" & {braces}\n'
    (call,) = read_text(tagged(note=note), {"plan": TYPED}).calls
    assert call.arguments == {"note": note}


def test_several_functions_are_several_calls() -> None:
    several = f"<tool_call>\n{tagged(days='1')}\n{tagged(days='2')}\n</tool_call>{tagged(days='3')}"
    found = read_text(several, {"plan": TYPED})
    assert [call.arguments for call in found.calls] == [{"days": 1}, {"days": 2}, {"days": 3}]


def test_tags_that_are_not_closed_are_closed_by_the_next() -> None:
    written = "<function=plan><parameter=days>3<parameter=note>dry</function>"
    (call,) = read_text(written, {"plan": TYPED}).calls
    assert call.arguments == {"days": 3, "note": "dry"}


def test_a_function_with_an_object_is_read_too() -> None:
    (call,) = read_text('<function=plan>{"days": 3}</function>', {"plan": TYPED}).calls
    assert call.arguments == {"days": 3}


def test_a_value_that_was_cut_off_is_a_fault() -> None:
    (call,) = read_text("<tool_call><function=plan><parameter=days>\n3", {"plan": TYPED}).calls
    assert (call.tool, call.arguments) == ("plan", None)
    assert "ends within a parameter" in call.fault


def test_a_tag_of_no_tool_stays_text() -> None:
    assert read_text("Write <function=f> there.", TOOLS).text == "Write <function=f> there."
