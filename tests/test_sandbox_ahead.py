"""What a tool looks up first is sent along with its call, and it sees what it would see anyway."""

import pytest

from forge.env.session import Session, World
from forge.types.environment import Environment, Tool
from forge.types.state import Column, StateSchema, Table

SOURCE = """
def read(note_id: str, other_id: str = "b") -> dict:
    return get("notes", note_id)


def read_two(note_id: str, other_id: str = "b") -> list:
    return [get("notes", note_id), get("notes", other_id), get("notes", note_id)]


def write_first(note_id: str, text: str = "") -> dict:
    if text:
        update("notes", note_id, text=text)
    return get("notes", note_id)


def change_copy(note_id: str) -> dict:
    note = get("notes", note_id)
    note["text"] = note["text"] + "!"
    save("notes", note)
    return get("notes", note_id)


def either(note_id: str, other_id: str = "b") -> dict:
    if other_id == "b":
        return get("notes", note_id)
    return find("notes", text=other_id)


def fall_back(note_id: str) -> str:
    try:
        return get("notes", note_id)["text"]
    except Exception as error:
        return str(error)
"""


def tool(name: str, *names: str, kind: str = "read") -> Tool:
    properties = {each: {"type": "string"} for each in names}
    schema = {"type": "object", "properties": properties, "required": [names[0]]}
    return Tool.model_validate(
        {"name": name, "description": "", "parameters": schema, "kind": kind}
    )


def opened(sandbox: str) -> Session:
    key = Column(name="id", required=True, nullable=False)
    notes = Table(name="notes", noun="note", key=("id",), columns=(key, Column(name="text")))
    rows = {each: {"id": each, "text": f"text {each}"} for each in "abc"}
    environment = Environment(
        name="notes",
        title="Notes",
        state_schema=StateSchema(tables=(notes,)),
        tools=(
            tool("read", "note_id", "other_id"),
            tool("read_two", "note_id", "other_id"),
            tool("write_first", "note_id", "text", kind="write"),
            tool("change_copy", "note_id", kind="write"),
            tool("either", "note_id", "other_id"),
            tool("fall_back", "note_id"),
        ),
        source=SOURCE,
        bases={"main": {"notes": rows}},
        nows={"main": "2026-03-02T09:00:00Z"},
    )
    return World(environment, sandbox=sandbox, workers=1).open("main")


@pytest.mark.parametrize(
    "calls",
    [
        [("read", "a"), ("read", "b"), ("read", "nowhere"), ("read", "a")],
        [("read", "a", "a"), ("read", "a", "b"), ("read", "b", "a")],
        [("read_two", "a", "b"), ("read_two", "b", "b"), ("read_two", "c", "nowhere")],
        [("write_first", "a", ""), ("write_first", "a", "new"), ("write_first", "a", "")],
        [("write_first", "nowhere", ""), ("write_first", "a", "new"), ("read", "a")],
        [("change_copy", "a"), ("change_copy", "a"), ("change_copy", "b")],
        [("either", "a", "b"), ("either", "b", "text a"), ("either", "b", "b")],
        [("fall_back", "a"), ("fall_back", "nowhere"), ("fall_back", "b")],
    ],
)
def test_a_tool_sees_the_same_whether_or_not_its_first_look_was_foreseen(calls):
    monty, native = opened("monty"), opened("native")
    for name, *values in calls:
        parameters = monty.world.tools[name].parameters["properties"]
        arguments = dict(zip(parameters, values, strict=False))
        assert monty.call(name, arguments) == native.call(name, arguments)
    assert monty.overlay() == native.overlay()
    monty.world.close()
