"""What a tool asks first is answered along with its call, and it sees what it would see anyway."""

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


def make(text: str, note_id: str | None = None) -> dict:
    row = insert("notes", text=text, by=me(), **given(id=note_id))
    return update("notes", row["id"], text=row["text"] + "?")


def take_out(note_id: str, text: str = "no") -> list:
    note = get("notes", note_id)
    delete("notes", note["id"])
    if text == note["text"]:
        fail("conflict", f"{text} is not to go")
    return find("notes")


def some(text: str | None = None, limit: int | None = None) -> list:
    if limit is not None and limit < 1:
        fail("invalid", "limit must be at least 1")
    return find("notes", sort="-id", **given(text=text), limit=limit)


def put_twice(note_id: str, other_id: str = "z") -> list:
    if note_id == other_id:
        fail("conflict", "they are the same")
    insert("notes", id=note_id, by="ben")
    insert("notes", id=other_id, by="ben")
    return find("notes", by="ben")
"""


def tool(name: str, *names: str, kind: str = "read") -> Tool:
    types = {"limit": "integer"}
    properties = {each: {"type": types.get(each, "string")} for each in names}
    schema = {
        "type": "object",
        "properties": properties,
        "required": [] if name == "some" else [names[0]],
    }
    return Tool.model_validate(
        {"name": name, "description": "", "parameters": schema, "kind": kind}
    )


def opened(sandbox: str, actor: str | None = "ben") -> Session:
    key = Column(name="id", required=True, nullable=False)
    columns = (key, Column(name="text"), Column(name="by", references="people"))
    notes = Table(name="notes", noun="note", key=("id",), columns=columns)
    people = Table(name="people", noun="person", key=("id",), columns=(key,))
    rows = {each: {"id": each, "text": f"text {each}"} for each in "abc"}
    environment = Environment(
        name="notes",
        title="Notes",
        state_schema=StateSchema(tables=(notes, people), actors="people"),
        tools=(
            tool("read", "note_id", "other_id"),
            tool("read_two", "note_id", "other_id"),
            tool("write_first", "note_id", "text", kind="write"),
            tool("change_copy", "note_id", kind="write"),
            tool("either", "note_id", "other_id"),
            tool("fall_back", "note_id"),
            tool("make", "text", "note_id", kind="write"),
            tool("take_out", "note_id", "text", kind="write"),
            tool("some", "text", "limit"),
            tool("put_twice", "note_id", "other_id", kind="write"),
        ),
        source=SOURCE,
        bases={"main": {"notes": rows, "people": {"ben": {"id": "ben"}}}},
        nows={"main": "2026-03-02T09:00:00Z"},
    )
    return World(environment, sandbox=sandbox, workers=1).open("main", actor=actor)


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
        [("make", "new", "d"), ("make", "new", "a"), ("make", "new"), ("read", "d")],
        [("take_out", "a"), ("take_out", "a"), ("take_out", "b", "text b"), ("read", "b")],
        [("some",), ("some", "text b"), ("some", "text b", 0), ("some", "text c", 1)],
        [("put_twice", "e"), ("put_twice", "f", "a"), ("put_twice", "f", "f"), ("some",)],
        [("put_twice", "a", "a"), ("put_twice", "a", "g"), ("read", "g")],
    ],
)
@pytest.mark.parametrize("actor", ["ben", None])
def test_a_tool_sees_the_same_whether_or_not_what_it_asks_was_foreseen(calls, actor):
    monty, native = opened("monty", actor), opened("native", actor)
    for name, *values in calls:
        parameters = monty.world.tools[name].parameters["properties"]
        arguments = dict(zip(parameters, values, strict=False))
        assert monty.call(name, arguments) == native.call(name, arguments)
    assert monty.overlay() == native.overlay()
    monty.world.close()
