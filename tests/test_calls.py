"""Calls as models write them: each form of them, what goes wrong in them, and any text at all."""

import json
from string import ascii_lowercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.llm.completion import NativeCall
from forge.llm.loose import read, read_whole
from forge.rollout.policies.calls import Written, read_native, read_text
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import ToolCall
from tests.places import CASES


def tool(name: str, **parameters: str) -> Tool:
    properties = {each: {"type": type} for each, type in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return Tool(name=name, description=name, kind="read", parameters=schema)


TOOLS = {
    each.name: each
    for each in (
        tool("list_beds"),
        tool("get_bed", bed_id="string"),
        tool("delete_bed", bed_id="string"),
        tool("water", bed_id="string", litres="integer"),
        tool("run", command="string"),
    )
}


def of(written: str) -> Written:
    return read_text(written, TOOLS)


def made(written: str) -> list[tuple[str, Json]]:
    return [(call.tool, call.arguments) for call in of(written).calls]


def get_bed(number: int) -> tuple[str, Json]:
    return "get_bed", {"bed_id": f"b{number}"}


def texts(case: str) -> list[str]:
    return (CASES / case / "outputs.txt").read_text().split("=====\n")


# ------------------------------------------------- 023: arguments are JSON in a text


def natives() -> list[ToolCall]:
    lines = (CASES / "023-double-encoded-arguments" / "outputs.jsonl").read_text().splitlines()
    return [
        read_native(NativeCall.model_validate(call), TOOLS)
        for line in lines
        for call in json.loads(line)["tool_calls"]
    ]


def test_arguments_are_the_same_encoded_once_twice_or_not() -> None:
    assert [(call.tool, call.arguments) for call in natives()[:3]] == [
        ("water", {"bed_id": "b2", "litres": 3})
    ] * 3


def test_arguments_that_are_no_object_say_what_is_expected() -> None:
    assert [(call.arguments, call.fault) for call in natives()[3:]] == [
        (
            None,
            "the arguments must be a JSON object, not [1, 2]. "
            'Expected is an object with "bed_id", "litres"',
        ),
        (
            None,
            "the arguments are not JSON (at character 0, 'b' is where a value is due): "
            'bed b2, 3 litres. Expected is an object with "bed_id", "litres"',
        ),
    ]


@pytest.mark.parametrize("given", [None, "", " ", "null", "{}", {}])
def test_no_arguments_may_be_written_in_many_ways(given: Json) -> None:
    native = NativeCall.model_validate({"function": {"name": "list_beds", "arguments": given}})
    assert read_native(native, TOOLS).arguments == {}


def test_a_native_call_without_a_name_can_be_answered() -> None:
    call = read_native(NativeCall.model_validate({"id": "c1"}), TOOLS)
    assert (call.arguments, call.id) == (None, "c1")
    assert "name a tool" in call.fault


# -------------------------------------------------- 025: thoughts, and texts before a call


def test_a_thought_or_a_text_before_a_call_hides_it_not() -> None:
    thought, spoken, *_ = texts("025-think-and-prefix")
    assert of(thought).thinking == "I should look first."
    assert of(thought).text == ""
    assert made(thought) == made(spoken) == [("list_beds", {})]
    assert of(spoken).text == "Sure, let me look that up."


def test_a_call_that_is_thought_about_is_not_made() -> None:
    found = of(texts("025-think-and-prefix")[2])
    assert found.calls == ()
    assert found.text == "I can't delete that bed without your agreement."
    assert found.thinking.startswith("Maybe <tool_call>")


def test_one_tag_may_hold_several_calls() -> None:
    assert made(texts("025-think-and-prefix")[3]) == [get_bed(1), get_bed(2), get_bed(3)]


def test_the_last_tag_may_be_left_open() -> None:
    assert made(texts("025-think-and-prefix")[4]) == [get_bed(1)]


CALL = '{"name": "get_bed", "arguments": {"bed_id": "b1"}}'
OTHER = '{"name": "get_bed", "arguments": {"bed_id": "b2"}}'


@pytest.mark.parametrize(
    "between", ["; ", "\n", ",", "", "\n```\n```json\n", "</tool_call><tool_call>"]
)
def test_calls_in_tags_are_separated_in_many_ways(between: str) -> None:
    assert made(f"<tool_call>{CALL}{between}{OTHER}</tool_call>") == [get_bed(1), get_bed(2)]


@pytest.mark.parametrize("around", ["{}", "<tool_call>\n{}\n</tool_call>", "<tool_call>{}"])
def test_doubled_braces_are_those_of_a_template(around: str) -> None:
    found = of(around.replace("{}", f"{{{CALL}}}"))
    assert [call.arguments for call in found.calls] == [{"bed_id": "b1"}]
    assert found.text == ""


def test_a_list_of_calls_is_those_calls() -> None:
    assert made(f"<tool_call>[{CALL}, {OTHER}]</tool_call>") == [get_bed(1), get_bed(2)]


def test_a_thought_that_the_prompt_opened_ends_where_it_is_closed() -> None:
    found = of(f"Perhaps <tool_call>{CALL}</tool_call> would do.\n</think>\nI cannot do that.")
    assert (found.text, found.calls) == ("I cannot do that.", ())
    assert found.thinking.startswith("Perhaps")


def test_a_thought_without_an_end_is_nothing_but_a_thought() -> None:
    found = of(f"<think>First {CALL}, then")
    assert (found.text, found.calls, found.kept) == ("", (), "")


def test_all_but_the_thoughts_is_kept_as_it_was_written() -> None:
    found = of(f"<think>a</think>So: <tool_call>{CALL}</tool_call><think>b</think> done")
    assert found.kept == f"So: <tool_call>{CALL}</tool_call> done"
    assert found.thinking == "a\n\nb"


def test_tags_in_an_argument_are_a_part_of_it() -> None:
    command = "echo </think> </tool_call> <think> ```"
    call = json.dumps({"name": "run", "arguments": {"command": command}})
    assert made(f"<tool_call>{call}</tool_call>") == [("run", {"command": command})]


# ----------------------------------- 027: braces in texts, missing arguments, single quotes


def test_braces_in_a_text_are_no_braces_of_the_call() -> None:
    assert made(texts("027-braces-in-strings-and-missing-arguments")[0]) == [
        ("run", {"command": "mkdir -p depot/{north,south"})
    ]


def test_missing_and_null_arguments_are_none() -> None:
    _, missing, null, *_ = texts("027-braces-in-strings-and-missing-arguments")
    assert made(missing) == made(null) == [("list_beds", {})]


def test_arguments_have_other_names() -> None:
    assert made(texts("027-braces-in-strings-and-missing-arguments")[3]) == [get_bed(1)]


def test_single_quotes_and_trailing_commas_are_read() -> None:
    assert made(texts("027-braces-in-strings-and-missing-arguments")[4]) == [get_bed(1)]


# ------------------------------------------------------------------- fenced and bare


@pytest.mark.parametrize(
    "written",
    [
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"```json\n{CALL}",
        CALL,
        f"[{CALL}]",
        f"<tools>{CALL}</tools>",
        '{"tool": "get_bed", "args": {"bed_id": "b1"}}',
        '{"type": "function", "function": {"name": "get_bed", "arguments": {"bed_id": "b1"}}}',
        f'{{"tool_calls": [{CALL}]}}',
        "{'name': 'get_bed', 'arguments': {'bed_id': 'b1'}}",
    ],
)
def test_json_that_names_a_tool_is_a_call_without_a_tag(written: str) -> None:
    assert made(written) == [get_bed(1)]
    assert of(written).text == ""


def test_the_text_around_a_fenced_call_is_kept() -> None:
    found = of(f"Let me look.\n```json\n{CALL}\n```\nOne moment.")
    assert found.text.split() == ["Let", "me", "look.", "One", "moment."]
    assert len(found.calls) == 1


@pytest.mark.parametrize(
    "written",
    [
        'The bed is {"name": "Rose", "litres": 3}.',
        "```json\n{\"bed_id\": \"b1\"}\n```",
        '{"name": "get_bed", "description": "A bed.", "parameters": {"type": "object"}}',
        "I would call get_bed with {bed_id}.",
        "A list: [1, 2, [3].",
        "{" * 1000,
        "[" * 100_000,
    ],
)  # fmt: skip
def test_other_json_and_brackets_stay_text(written: str) -> None:
    assert of(written).calls == ()
    assert of(written).text == written


def test_a_bare_call_of_a_tool_that_is_not_there_is_a_call_if_it_can_be_nothing_else() -> None:
    assert made('{"name": "prune", "arguments": {"bed_id": "b1"}}') == [("prune", {"bed_id": "b1"})]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('<tool_call>{"name": "get_bed", "arguments": {"bed_id": "b1"</tool_call>', "get_bed"),
        ('<tool_call>{"name": "water", "arguments": {"bed_id": "b1", "litres": 1', "water"),
        ('```json\n{"name": "water", "arguments": {"litres": 1', "water"),
        ("<tool_call>get_bed(b1)</tool_call>", ""),
        ('<tool_call>{"arguments": {}}</tool_call>', ""),
        ("<tool_call>", ""),
    ],
)
def test_a_call_that_cannot_be_read_is_told_how_calls_are_written(written: str, name: str) -> None:
    (call,) = of(written).calls
    assert (call.tool, call.arguments) == (name, None)
    assert call.fault.endswith('A call is a JSON object: {"name": "a_tool", "arguments": {}}')


def test_calls_before_and_after_one_that_cannot_be_read_are_made() -> None:
    found = of(f"<tool_call>{CALL}</tool_call><tool_call>no</tool_call><tool_call>{OTHER}")
    assert [call.arguments for call in found.calls] == [{"bed_id": "b1"}, None, {"bed_id": "b2"}]


# ---------------------------------------------------------------------- loose JSON


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{'a': True, 'b': None, 'c': False,}", {"a": True, "b": None, "c": False}),
        ("[1, 2.5, -3e2,]", [1, 2.5, -300.0]),
        ("""{'it': "it's", 'say': 'a "b"'}""", {"it": "it's", "say": 'a "b"'}),
        (r"{'a': 'it\'s'}", {"a": "it's"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        (r"{'a': '\d\n\u00e9'}", {"a": "\\d\né"}),
        (r'{"a": "\ud83d"}', {"a": "\N{REPLACEMENT CHARACTER}"}),
        (r'{"a": "\ud83d\ude00",}', {"a": "😀"}),
    ],
)
def test_what_is_nearly_json_is_read(written: str, value: Json) -> None:
    assert read_whole(written) == value


@pytest.mark.parametrize(
    "written",
    [
        '{"a": 1', '{"a": "b', "{'a': 'it's'}", '{"a": NaN}', '{"a": 1e999}', "{a: 1}", "", "{,}",
        "[,]", '{"a" 1}', "{} {}", "[" * 70 + "]" * 70, "-", "{'", "{'a\\",
        '{"a": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_what_is_cut_or_says_two_things_is_refused(written: str) -> None:
    with pytest.raises(ValueError):
        read_whole(written)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
arguments = st.dictionaries(st.text(), values, max_size=5)


@given(values)
def test_json_reads_as_json_does(value: Any) -> None:
    assert read_whole(json.dumps(value)) == value


@given(values.filter(lambda value: isinstance(value, dict | list)))
def test_python_values_read_as_python_does(value: Any) -> None:
    """But for escapes that JSON has not."""
    written = repr(value)
    if "\\" not in written:
        assert read_whole(written) == value


@given(arguments, st.sampled_from([None, 1]), st.booleans(), st.sampled_from(
    ["<tool_call>{}</tool_call>", "<tool_call>\n{}\n", "```json\n{}\n```", "{}",
     "<think>hm {{</think>{}"]
))  # fmt: skip
def test_a_well_formed_call_comes_through(
    arguments: dict[str, Json], indent: int | None, ascii: bool, around: str
) -> None:
    call = {"name": "run", "arguments": arguments}
    written = json.dumps(call, indent=indent, ensure_ascii=ascii)
    found = of(around.replace("{}", written))
    assert [(each.tool, each.arguments) for each in found.calls] == [("run", arguments)]
    assert found.text == ""


scraps = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "```json\n", "```", CALL, '{"name": ',
     '"get_bed"', "{", "}", "[", "]", '"', "'", "\\", ",", ":", "None", "\n", " ", "\ud83d", "1e9"]
)  # fmt: skip


@given(st.lists(scraps | st.text(ascii_lowercase, max_size=3), max_size=30).map("".join))
def test_any_text_can_be_read(written: str) -> None:
    found = of(written)
    assert all((call.arguments is None) == bool(call.fault) for call in found.calls)


@given(st.text())
def test_a_text_without_marks_is_said_as_it_is(written: str) -> None:
    if not set(written) & set("<{["):
        assert of(written) == Written("", written.strip(), (), written.strip())


@given(st.text(max_size=30), st.integers(0, 5))
def test_a_value_ends_within_its_text(written: str, start: int) -> None:
    try:
        _, end = read(written, start)
    except ValueError:
        return
    assert start < end <= len(written)
