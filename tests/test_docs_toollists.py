"""Tool lists, as they are written: of OpenAI, of MCP servers, of BFCL and ACEBench."""

import json
from pathlib import Path

import pytest

from forge.docs.read import read
from forge.errors import UserError
from forge.types.doc import ApiDoc, Hints
from tests.documents import arguments, by_name, doc_of, only
from tests.places import CASES, CORPUS

OPERATIONS = {
    "mcp-toolslists/everything.json": 13,
    "mcp-toolslists/filesystem.json": 14,
    "mcp-toolslists/git.json": 12,
    "mcp-toolslists/github.json": 26,
    "mcp-toolslists/gitlab.json": 9,
    "mcp-toolslists/linear.json": 5,
    "mcp-toolslists/memory.json": 9,
    "mcp-toolslists/notion.json": 24,
    "mcp-toolslists/seqthink.json": 1,
    "mcp-toolslists/slack.json": 8,
    "mcp-toolslists/time.json": 2,
    "tools-bfcl/gorilla_file_system.json": 18,
    "tools-bfcl/math_api.json": 17,
    "tools-bfcl/memory_kv.json": 15,
    "tools-bfcl/memory_rec_sum.json": 5,
    "tools-bfcl/memory_vector.json": 12,
    "tools-bfcl/message_api.json": 10,
    "tools-bfcl/posting_api.json": 14,
    "tools-bfcl/ticket_api.json": 9,
    "tools-bfcl/trading_bot.json": 20,
    "tools-bfcl/travel_booking.json": 18,
    "tools-bfcl/vehicle_control.json": 22,
    "tools-bfcl/web_search.json": 2,
    "tools-taubench/airline.openai-tools.json": 14,
    "tools-taubench/retail.openai-tools.json": 16,
    "tools-acebench/en.agent-tools.json": 22,
    "tools-acebench/zh.agent-tools.json": 21,
    "derived-encodings/acebench-zh.gbk.json": 21,
    "derived-encodings/acebench-zh.utf16le-bom.json": 21,
    "derived-encodings/acebench-zh.utf8-bom.json": 21,
}
_KINDS = {"string", "integer", "number", "boolean", "array", "object", "null"}
ISSUE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "points": {"type": "integer"}},
    "required": ["title"],
}


def corpus(name: str) -> ApiDoc:
    [doc] = read([CORPUS / name])
    return doc


def kinds(schema: object) -> set[str]:
    """Every type that a schema names, at any depth."""
    if isinstance(schema, list):
        return {kind for part in schema for kind in kinds(part)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("type", [])
    found = {own} if isinstance(own, str) else set(own) if isinstance(own, list) else set()
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found |= {kind for part in value.values() for kind in kinds(part)}
        elif key != "type":
            found |= kinds(value)
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_tool_of_a_known_list_is_read_with_types_of_json_schema(name):
    doc = corpus(name)
    assert len(doc.operations) == OPERATIONS[name]
    for operation in doc.operations:
        assert (operation.method, operation.path) == ("", "")
        assert operation.summary
        for schema in [operation.result, *(one.schema for one in operation.parameters)]:
            assert kinds(schema) <= _KINDS


@pytest.mark.parametrize("copy", ["gbk", "utf16le-bom", "utf8-bom"])
def test_the_same_list_in_another_encoding_has_the_same_tools(copy):
    there = corpus(f"derived-encodings/acebench-zh.{copy}.json")
    assert there.operations[2].description == "将一条消息从一个用户发送给另一个用户。"
    here = corpus("tools-acebench/zh.agent-tools.json")
    assert [one.parameters for one in there.operations] == [
        one.parameters for one in here.operations
    ]


def test_a_list_in_latin_1_is_read_and_bytes_of_no_encoding_are_refused(tmp_path):
    text = json.dumps([{**FUNCTION, "description": "Ouvre un café."}], ensure_ascii=False)
    path = tmp_path / "list.json"
    path.write_bytes(text.encode("latin-1"))
    [doc] = read([path])
    assert only(doc).description == "Ouvre un café."
    path.write_bytes(text.encode().replace("é".encode(), b"\xff\xfe\xfd"))
    with pytest.raises(UserError, match="is not UTF-8 text"):
        read([path])


def test_the_words_of_python_and_java_for_types_are_understood(tmp_path):
    fields = {
        "a": {"type": "dict", "properties": {"x": {"type": "float"}}},
        "b": {"type": "tuple", "items": {"type": "int"}},
        "c": {"type": "any"},
        "d": {"type": "ArrayList", "items": {"type": "String"}},
        "e": {"type": ["bool", "None"]},
    }
    tool = {"name": "weigh", "parameters": {"type": "dict", "properties": fields}}
    doc = doc_of(tmp_path, [tool])
    schemas = {name: one.schema for name, one in arguments(only(doc)).items()}
    assert schemas == {
        "a": {"type": "object", "properties": {"x": {"type": "number"}}},
        "b": {"type": "array", "items": {"type": "integer"}},
        "c": {},
        "d": {"type": "array", "items": {"type": "string"}},
        "e": {"type": ["boolean", "null"]},
    }
    assert doc.skipped == ()


FUNCTION = {"name": "file_issue", "description": "File an issue.", "parameters": ISSUE}
MCP = {"name": "file_issue", "description": "File an issue.", "inputSchema": ISSUE}
FORMS = {
    "OpenAI's": [{"type": "function", "function": FUNCTION}],
    "OpenAI's flat": [{"type": "function", **FUNCTION}],
    "bare": [FUNCTION],
    "one alone": FUNCTION,
    "of a request": {"model": "m", "tools": [{"type": "function", "function": FUNCTION}]},
    "the old functions": {"functions": [FUNCTION]},
    "MCP's": {"tools": [MCP], "nextCursor": None},
    "JSON-RPC's": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
    "Anthropic's": [{"name": "file_issue", "description": "File an issue.", "input_schema": ISSUE}],
}


@pytest.mark.parametrize("form", FORMS)
def test_one_tool_is_the_same_in_every_form(tmp_path, form):
    operation = only(doc_of(tmp_path, FORMS[form], "list.json"))
    assert (operation.name, operation.summary) == ("file_issue", "File an issue.")
    assert [(p.name, p.required) for p in operation.parameters] == [
        ("title", True),
        ("points", False),
    ]


def test_a_function_a_line_is_read_and_a_broken_line_left_out_with_its_number(tmp_path):
    lines = [json.dumps({**FUNCTION, "name": name}) for name in ("one_issue", "two_issues")]
    doc = doc_of(tmp_path, f"{lines[0]}\n\n{{oops\n{lines[1]}\n", "list.jsonl")
    assert list(by_name(doc)) == ["one_issue", "two_issues"]
    assert [one.where for one in doc.skipped] == ["list.jsonl:3"]


def test_a_bad_tool_takes_no_other_along(tmp_path):
    bad = [
        {"name": "lost", "parameters": {"properties": {"a": {"$ref": "#/$defs/Gone"}}}},
        {"name": "flat", "parameters": {"type": "string"}},
        {"description": "nameless", "parameters": ISSUE},
        "file_issue",
        {**FUNCTION, "description": "again"},
    ]
    doc = doc_of(tmp_path, [FUNCTION, *bad])
    assert only(doc).name == "file_issue"
    assert [one.where.partition("#")[2] for one in doc.skipped] == ["/3", "/4", "/5", "/1", "/2"]


def test_a_list_with_no_tool_that_can_be_read_is_an_error_that_says_how_to_mend_it(tmp_path):
    path = tmp_path / "none.json"
    path.write_text('{"tools": [{"description": "nameless"}]}')
    with pytest.raises(UserError) as caught:
        read([path])
    assert "no `name`" in str(caught.value)
    assert caught.value.mend


def test_required_is_found_wherever_it_is_written_and_null_is_no_default(tmp_path):
    properties = {
        "city": {"type": "string"},
        "day": {"type": "string", "required": True},
        "unit": {"type": "string", "default": None},
        "until": {"type": "string", "default": "None"},
        "required": ["city"],
    }
    doc = doc_of(tmp_path, [{"name": "get_weather", "parameters": {"properties": properties}}])
    found = arguments(only(doc))
    assert {name: one.required for name, one in found.items()} == {
        "city": True,
        "day": True,
        "unit": False,
        "until": False,
    }
    assert "default" not in found["unit"].schema
    assert "default" not in found["until"].schema
    assert len(doc.skipped) == 1


HOSTILE = (
    None,
    1,
    "",
    [],
    {},
    True,
    [[]],
    "a/{b}_id",
    "__class__",
    "'); import os #",
    {"$ref": "#"},
)


@pytest.mark.parametrize("odd", HOSTILE)
@pytest.mark.parametrize(
    "key", ["name", "description", "parameters", "response", "annotations", "type", "title"]
)
def test_nothing_in_one_tool_keeps_another_from_being_read(tmp_path, key, odd):
    doc = doc_of(tmp_path, [{**FUNCTION, "name": "odd", key: odd}, FUNCTION], "list.json")
    assert "file_issue" in by_name(doc)


@pytest.mark.parametrize("odd", HOSTILE)
@pytest.mark.parametrize(
    "key", ["type", "properties", "items", "enum", "default", "required", "anyOf", "$ref"]
)
def test_nothing_in_one_schema_keeps_another_tool_from_being_read(tmp_path, key, odd):
    inner = {"type": "object", "properties": {"a": {"type": "string", key: odd}}, "required": ["a"]}
    tools = [
        {"name": "one", "parameters": {**ISSUE, key: odd}},
        {"name": "two", "parameters": inner},
    ]
    doc = doc_of(tmp_path, [*tools, FUNCTION], "list.json")
    assert "file_issue" in by_name(doc)


def test_a_property_named_required_is_a_property(tmp_path):
    properties = {"required": {"type": "boolean"}}
    doc = doc_of(tmp_path, [{"name": "add_field", "parameters": {"properties": properties}}])
    assert list(arguments(only(doc))) == ["required"]


def test_choices_at_the_end_of_a_description_are_an_enum(tmp_path):
    mode = {"type": "string", "description": 'The mode. [Enum]: ["engage", "release"]'}
    doc = doc_of(tmp_path, [{"name": "brake", "parameters": {"properties": {"mode": mode}}}])
    assert arguments(only(doc))["mode"].schema == {
        "type": "string",
        "description": "The mode.",
        "enum": ["engage", "release"],
    }


def test_what_every_description_begins_with_is_said_of_the_whole_list():
    doc = corpus("tools-bfcl/ticket_api.json")
    assert doc.title == "Ticket API"
    assert doc.description.startswith("This tool belongs to the ticketing system")
    assert by_name(doc)["close_ticket"].description == "Close a ticket."


def test_titles_are_as_a_person_writes_them():
    assert corpus("mcp-toolslists/github.json").title == "GitHub"
    assert corpus("tools-taubench/retail.openai-tools.json").title == "Retail"


def test_hints_and_results_of_an_mcp_server_are_kept():
    operation = by_name(corpus("mcp-toolslists/memory.json"))["delete_entities"]
    assert operation.hints == Hints(reads=False, destroys=True, repeats=True)
    assert operation.result is not None
    assert set(operation.result["properties"]) == {"success", "message"}


def test_who_calls_is_no_argument_of_a_tool():
    names = arguments(by_name(corpus("tools-bfcl/travel_booking.json"))["cancel_booking"])
    assert list(names) == ["booking_id"]


def test_policies_and_licences_beside_tool_lists_are_no_errors():
    docs = read([CORPUS / "tools-taubench"])
    assert [doc.title for doc in docs] == ["Airline", "Retail"]
    assert {one.where for one in docs[0].skipped} == {
        "airline.policy-wiki.md",
        "retail.policy-wiki.md",
    }


def test_rows_of_a_benchmark_are_no_tool_list():
    with pytest.raises(UserError, match="no API document"):
        read([CORPUS / "tools-bfcl" / "rows" / "simple_java.first40.jsonl"])


def test_loose_schemas_of_an_mcp_server_load(case_019):
    tools = by_name(case_019)
    assert list(tools) == ["warm_up", "book_pitch", "list_pitches", "whoami"]
    assert arguments(tools["warm_up"])["history"].schema["items"] == {}
    request = arguments(tools["book_pitch"])["request"].schema
    assert (request["type"], list(request["properties"])) == ("object", ["pitch", "day"])
    assert "$defs" not in request
    assert tools["whoami"].parameters == ()
    assert [one.reason for one in case_019.skipped] == [
        "has no `items`; taken as a list of anything"
    ]


@pytest.fixture
def case_019() -> ApiDoc:
    [folder] = CASES.glob("019-*")
    [doc] = read([folder / "tools_list.json"])
    return doc


# ------------------------------------------------------------------- benchmarks

KNOWN = {
    "tools-taubench/retail.openai-tools.json": ("tau-bench retail", "tau2-bench retail"),
    "tools-taubench/airline.openai-tools.json": ("tau-bench airline", "tau2-bench airline"),
    "tools-bfcl/ticket_api.json": ("BFCL ticket api",),
    "tools-bfcl/gorilla_file_system.json": ("BFCL gorilla file system",),
    "tools-acebench/zh.agent-tools.json": ("ACEBench agent",),
    "mcp-toolslists/github.json": (),
    "mcp-toolslists/time.json": (),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_benchmark_is_recognised_by_its_tools(name):
    assert corpus(name).overlaps == KNOWN[name]


def test_most_of_a_benchmark_under_other_spellings_is_still_it(tmp_path):
    names = ["closeTicket", "create-ticket", "GET_TICKET", "walk_dog"]
    doc = doc_of(tmp_path, [{**FUNCTION, "name": name} for name in names], "list.json")
    assert doc.overlaps == ("BFCL ticket api",)


@pytest.mark.parametrize("names", [["close_ticket", "walk_dog"], ["close_ticket", "get_ticket"]])
def test_a_few_tools_of_the_same_name_are_no_benchmark(tmp_path: Path, names):
    doc = doc_of(tmp_path, [{**FUNCTION, "name": name} for name in names], "list.json")
    assert doc.overlaps == ()
