"""The project's own Markdown form."""

import pytest

from forge.docs.fields import field
from forge.types.doc import ApiDoc
from tests.documents import arguments, by_name, doc_of

KITES = """# Kites

Where *kites* are [kept](https://example.com).

## Objects

### Kite

A thing that flies.

| Field | Type | Description |
|---|---|---|
| kite_id | string, read-only | Internal id. Example: `kt_1` |
| name | string, required, unique | What it is called. Examples: `Red`, `Blue \\| Green` |
| state | one of `up`, `down`, default `down` | |
| sizes | list of number or null | |
| maker | Maker | Who made it. |

### Maker

- `maker_id` (integer, read-only)
- `name` (string, required): First and last name.
- `parent` (Maker or null): The shop it is part of.

## Flying

### list_kites

Lists kites. With a filter.

| Parameter | Type | Required | Default | Description |
|---|---|---|---|---|
| state | one of `up`, `down` | yes | | Only these. |
| limit | integer, at least 1, at most 50 | no | 10 | At most so many. |

Returns a list of `Kite`.

### `fly`

- `kite_id` (string, required): Id of the kite.
- `class` (string): A word of Python.

Returns an object:

- `height` (number): How high.

Errors:

- `conflict`: Only a kite with state `down` can fly.
- `not_found`: There is no such kite.
- `429`: Too windy.

```json
{"height": 12.5}
```

## Shop

### GET /makers/<maker_id>

- `page` (integer)

Returns `Maker`.

### PUT /makers/:maker_id/name

Body:

- `name` (string, required)

Returns nothing.

### sing

This is a heading, no operation: it is one plain word.
"""


@pytest.fixture
def kites(tmp_path) -> ApiDoc:
    return doc_of(tmp_path, KITES, "kites.md")


def test_title_and_description_are_those_of_the_head(kites):
    assert (kites.name, kites.title) == ("kites", "Kites")
    assert kites.description == "Where *kites* are kept."


def test_operations_are_functions_and_endpoints(kites):
    assert {one.name: (one.method, one.path) for one in kites.operations} == {
        "list_kites": ("", ""),
        "fly": ("", ""),
        "get_makers_by_maker_id": ("GET", "/makers/{maker_id}"),
        "put_makers_name": ("PUT", "/makers/{maker_id}/name"),
    }


def test_objects_are_schemas_and_may_hold_each_other(kites):
    kite = kites.schemas["Kite"]
    assert kite["required"] == ["name"]
    assert kite["properties"]["kite_id"] == {
        "type": "string",
        "description": "Internal id.",
        "readOnly": True,
        "examples": ["kt_1"],
    }
    assert kite["properties"]["name"]["description"] == "What it is called. Must be unique."
    assert kite["properties"]["name"]["examples"] == ["Red", "Blue | Green"]
    assert kite["properties"]["state"] == {
        "type": "string",
        "enum": ["up", "down"],
        "default": "down",
    }
    assert kite["properties"]["sizes"] == {"type": ["array", "null"], "items": {"type": "number"}}
    assert kite["properties"]["maker"]["$ref"] == "#/$defs/Maker"
    assert kite["$defs"]["Maker"]["properties"]["parent"]["anyOf"][1] == {"type": "null"}


def test_parameters_come_from_tables_and_bullets(kites):
    listing = arguments(by_name(kites)["list_kites"])
    assert listing["state"].required
    assert not listing["limit"].required
    assert listing["limit"].schema == {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "default": 10,
        "description": "At most so many.",
    }
    fly = arguments(by_name(kites)["fly"])
    assert {name: one.required for name, one in fly.items()} == {"kite_id": True, "class_": False}
    assert fly["class_"].field == "class"


def test_places_follow_from_method_path_and_label(kites):
    show = arguments(by_name(kites)["get_makers_by_maker_id"])
    assert {name: one.location for name, one in show.items()} == {
        "maker_id": "path",
        "page_number": "query",
    }
    rename = arguments(by_name(kites)["put_makers_name"])
    assert {name: one.location for name, one in rename.items()} == {
        "maker_id": "path",
        "name": "body",
    }


def test_what_only_carries_the_call_is_no_argument(tmp_path):
    text = """# A

### GET /kites

| Parameter | In | Type |
|---|---|---|
| Authorization | header | string |
| api_key | query | string |
| size | query | integer |
"""
    [operation] = doc_of(tmp_path, text, "a.md").operations
    assert set(arguments(operation)) == {"size"}


def test_results_say_what_comes_back(kites):
    named = by_name(kites)
    assert named["list_kites"].entity == "Kite"
    assert named["list_kites"].result["type"] == "array"
    assert named["fly"].result["properties"]["height"]["type"] == "number"
    assert named["fly"].examples == ({"height": 12.5},)
    assert named["put_makers_name"].result is None


def test_errors_become_status_codes(kites):
    assert by_name(kites)["fly"].failures == {
        "409": "Only a kite with state `down` can fly.",
        "404": "There is no such kite.",
        "429": "Too windy.",
    }


def test_tags_and_summaries_come_from_the_prose(kites):
    named = by_name(kites)
    assert named["list_kites"].tags == ("Flying",)
    assert named["put_makers_name"].tags == ("Shop",)
    assert named["list_kites"].summary == "Lists kites."
    assert named["list_kites"].description == "Lists kites. With a filter."
    assert named["fly"].summary


def test_places_are_lines_of_the_file(kites):
    lines = KITES.splitlines()
    for one in kites.operations:
        file, _, number = one.where.partition(":")
        assert file == "kites.md"
        assert lines[int(number) - 1].startswith("### ")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- `a` (frobnicator): x", "frobnicator"),
        ("- no code here", "names no field"),
        ("| Colour | Shade |\n|---|---|\n| a | b |", "without a column"),
        ("Returns a spaceship.", "spaceship"),
        ("Errors:\n\n- it broke", "without a name"),
    ],
)
def test_what_is_not_understood_is_skipped_with_its_line(tmp_path, line, reason):
    text = f"# A\n\n### do_it\n\n{line}\n"
    doc = doc_of(tmp_path, text, "a.md")
    [skipped] = doc.skipped
    assert reason in skipped.reason
    assert skipped.where.startswith("a.md:")


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        ("text", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("date-time", {"type": "string", "format": "date-time"}),
        ("array of date", {"type": "array", "items": {"type": "string", "format": "date"}}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("list of `Kite`", {"type": "array", "items": {"$ref": "#/components/schemas/Kite"}}),
        ("one of `a` or `b`", {"type": "string", "enum": ["a", "b"]}),
        ("integer, one of `1`, `2`", {"type": "integer", "enum": [1, 2]}),
        ("number, default `1.5`", {"type": "number", "default": 1.5}),
        ("boolean, default: `false`", {"type": "boolean", "default": False}),
        ("string, nullable", {"type": "string", "nullable": True}),
        ("[Kite](#kite)", {"$ref": "#/components/schemas/Kite"}),
        ("", {"type": "string"}),
    ],
)
def test_the_words_of_a_type_mean_a_schema(kind, schema):
    made = field("a", kind, "", ["Kite"])
    assert made.schema == schema
    assert made.unknown == ()
