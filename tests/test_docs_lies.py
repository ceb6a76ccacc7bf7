"""Documents that contradict themselves: each lie is reported where it stands, and the rest read."""

import pytest

from forge.authors.structural.author import StructuralAuthor
from forge.types.doc import ApiDoc
from tests.documents import answer, arguments, body, by_name, doc_of, one_operation, only, spec

FLY = {"operationId": "fly", "responses": {}}


def told(doc: ApiDoc) -> list[str]:
    return [one.reason for one in doc.skipped]


def with_property(folder, schema, version="3.0.3") -> tuple[dict, ApiDoc]:
    """A property of a component as it was read, and the document."""
    kite = {"type": "object", "properties": {"size": schema}}
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/Kite"})},
        components={"schemas": {"Kite": kite}},
    )
    doc = doc_of(folder, {**document, "openapi": version})
    return doc.schemas["Kite"]["properties"]["size"], doc


@pytest.mark.parametrize(
    ("lying", "read_as", "reason"),
    [
        (
            {"type": "integer", "example": "huge"},
            {"type": "integer"},
            'its example "huge" is no integer; left out',
        ),
        (
            {"type": "string", "enum": ["a", "b"], "example": "c"},
            {"type": "string", "enum": ["a", "b"]},
            'its example "c" is none of its values; left out',
        ),
        (
            {"type": "integer", "minimum": 5, "example": 1},
            {"type": "integer", "minimum": 5},
            "its example 1 is out of its bounds; left out",
        ),
        (
            {"type": "string", "maxLength": 2, "example": "abc"},
            {"type": "string", "maxLength": 2},
            'its example "abc" is shorter or longer than it may be; left out',
        ),
        (
            {"type": "string", "format": "date", "example": "soon"},
            {"type": "string", "format": "date"},
            'its example "soon" is no date; left out',
        ),
        (
            {"type": "array", "items": {"type": "integer"}, "example": [1, "b"]},
            {"type": "array", "items": {"type": "integer"}},
            'its example has an item: "b" is no integer; left out',
        ),
        (
            {"type": "boolean", "example": 1},
            {"type": "boolean"},
            "its example 1 is no boolean; left out",
        ),
        (
            {"type": "integer", "default": "none"},
            {"type": "integer"},
            'its default "none" is no integer; left out',
        ),
        (
            {"type": "string", "enum": ["a", "b"], "default": "c"},
            {"type": "string", "enum": ["a", "b"]},
            'its default "c" is none of its values; left out',
        ),
        (
            {"type": "integer", "enum": ["one", 2]},
            {"type": "integer", "enum": [2]},
            'its value "one" is no integer; left out',
        ),
        (
            {"type": "integer", "enum": ["up", "down"]},
            {"type": "string", "enum": ["up", "down"]},
            "all its values are no integer; their own type is taken",
        ),
        (
            {"type": "integer", "minimum": 9, "maximum": 2},
            {"type": "integer"},
            "its minimum 9 is more than its maximum 2; left out",
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "boolean"}], "example": "x"},
            {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
            'its example "x" is none of what it may be; left out',
        ),
    ],
)
def test_a_schema_that_contradicts_itself_is_read_without_and_told(
    tmp_path, lying, read_as, reason
):
    schema, doc = with_property(tmp_path, lying)
    assert schema == read_as
    [one] = doc.skipped
    assert (one.where, one.reason) == ("spec.json#/components/schemas/Kite", f'"size": {reason}')


@pytest.mark.parametrize(
    "honest",
    [
        {"type": "number", "example": 5},
        {"type": "integer", "example": "5"},
        {"type": "integer", "example": 5.0},
        {"type": "string", "example": 5},
        {"type": "string", "nullable": True, "example": None, "default": None},
        {"type": "string", "format": "date-time", "example": "2030-01-02T03:04:05.678Z"},
        {"type": "string", "format": "date", "example": "2030-01-02T03:04:05Z"},
        {"type": "string", "pattern": "[a-", "example": "x"},
        {"type": ["string", "null"], "enum": ["a", None], "default": "a"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "example": {"b": 1}},
        {"oneOf": [{"type": "integer"}, {"type": "boolean"}], "example": 5},
        {"type": "string", "example": "a", "examples": ["b"]},
    ],
)
def test_what_is_only_written_another_way_is_no_lie(tmp_path, honest):
    schema, doc = with_property(tmp_path, honest)
    assert doc.skipped == ()
    assert schema.get("type") or schema.get("oneOf")


def test_a_list_of_types_in_3_0_is_read_as_in_3_1(tmp_path):
    schema, doc = with_property(tmp_path, {"type": ["integer", "null"]}, version="3.0.3")
    assert schema == {"type": ["integer", "null"]}
    assert doc.operations


def test_of_an_objects_example_the_parts_that_fit_are_kept(tmp_path):
    kite = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "example": {"id": "abc", "name": "Red"},
    }
    result = only(doc_of(tmp_path, one_operation({"responses": answer(kite)}))).result
    assert result == {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string", "examples": ["Red"]}},
    }


def test_an_example_that_lies_is_no_columns_example(tmp_path):
    schema = {
        "type": "object",
        "required": ["id", "name", "size"],
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "size": {"type": "integer", "maximum": 9, "example": 77},
        },
    }
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    shown = answer(schema)
    shown["200"]["content"]["application/json"]["example"] = {"id": 1, "name": "a", "size": "x"}
    paths = {
        "/kites": {"get": {"responses": answer({"type": "array", "items": schema})}},
        "/kites/{id}": {"get": {"parameters": [key], "responses": shown}},
    }
    author = StructuralAuthor()
    [draft] = author.draft(doc_of(tmp_path, spec(paths)))
    [table] = draft.state_schema.tables
    assert {column.name: column.examples for column in table.columns}["size"] == ()
    for record in author.base(draft.state_schema, 1)[table.name].values():
        assert record["size"] <= 9


def test_an_example_of_a_parameter_that_does_not_fit_is_left_out(tmp_path):
    size = {"name": "size", "in": "query", "schema": {"type": "integer"}, "example": "big"}
    doc = doc_of(tmp_path, one_operation({"parameters": [size]}))
    assert only(doc).parameters[0].schema == {"type": "integer"}
    assert told(doc) == ['"size": its example "big" is no integer; left out']


def test_an_example_of_an_answer_that_does_not_fit_is_left_out(tmp_path):
    operation = {"responses": answer({"$ref": "#/components/schemas/Kite"})}
    operation["responses"]["200"]["content"]["application/json"]["examples"] = {
        "good": {"value": {"next": {"id": 5}}},
        "bad": {"value": {"next": {"id": "x"}}},
    }
    kite = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "next": {"$ref": "#/components/schemas/Kite"},
        },
    }
    doc = doc_of(tmp_path, one_operation(operation, components={"schemas": {"Kite": kite}}))
    assert only(doc).examples == ({"next": {"id": 5}},)
    assert told(doc) == ['its example has "next": has "id": "x" is no integer; left out']


def test_required_properties_that_are_not_described_are_told(tmp_path):
    kite = {
        "type": "object",
        "required": ["name", "ghost"],
        "properties": {"name": {"type": "string"}},
    }
    doc = doc_of(tmp_path, one_operation({"requestBody": body(kite), "responses": answer(kite)}))
    operation = only(doc)
    assert [(one.name, one.required) for one in operation.parameters] == [("name", True)]
    assert operation.result is not None and operation.result["required"] == ["name"]
    assert [(one.where, one.reason) for one in doc.skipped] == [
        (f"spec.json#/paths/~1kites/post/{place}", '"ghost" is required, but not described')
        for place in ("requestBody", "responses")
    ]


def test_what_another_part_of_all_of_describes_may_be_required(tmp_path):
    parts = [
        {"type": "object", "required": ["name"]},
        {"type": "object", "properties": {"name": {"type": "string"}}},
    ]
    doc = doc_of(tmp_path, one_operation({"requestBody": body({"allOf": parts})}))
    assert doc.skipped == ()
    assert arguments(only(doc))["name"].required


# ------------------------------------------------------------------------ parameters


@pytest.mark.parametrize("place", ["query", "url", None])
def test_a_parameter_of_the_path_that_says_another_place_is_one_of_the_path(tmp_path, place):
    key = {"name": "id", "in": place, "schema": {"type": "integer"}}
    doc = doc_of(tmp_path, one_operation({"parameters": [key]}, path="/kites/{id}"))
    [parameter] = only(doc).parameters
    assert (parameter.location, parameter.required) == ("path", True)
    assert parameter.schema == {"type": "integer"}
    assert told(doc) == [f'"id" is in the path, not in {place} as it says']


def test_a_parameter_in_path_and_query_is_two(tmp_path):
    keys = [
        {"name": "id", "in": place, "required": True, "schema": {"type": "integer"}}
        for place in ("path", "query")
    ]
    doc = doc_of(tmp_path, one_operation({"parameters": keys}, path="/kites/{id}"))
    assert {one.location for one in only(doc).parameters} == {"path", "query"}
    assert doc.skipped == ()


def test_a_parameter_of_the_path_that_is_not_declared_is_a_text(tmp_path):
    doc = doc_of(tmp_path, one_operation({}, path="/kites/{id}"))
    [parameter] = only(doc).parameters
    assert (parameter.location, parameter.schema) == ("path", {"type": "string"})
    assert told(doc) == ['"id" of the path is not declared; taken as text']


def test_a_parameter_that_is_not_in_the_path_it_is_said_to_be_in_is_left_out(tmp_path):
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    doc = doc_of(tmp_path, one_operation({"parameters": [key]}))
    assert only(doc).parameters == ()
    assert told(doc) == ['"id" is not in the path /kites']


def test_a_parameter_in_no_known_place_is_left_out(tmp_path):
    doc = doc_of(tmp_path, one_operation({"parameters": [{"name": "size", "in": "air"}]}))
    assert only(doc).parameters == ()
    assert told(doc) == ['"size" is in no known place']


def test_of_a_parameter_that_is_there_twice_the_last_counts(tmp_path):
    both = [{"name": "a", "in": "query", "schema": {"type": t}} for t in ("string", "integer")]
    doc = doc_of(tmp_path, one_operation({"parameters": both}))
    assert only(doc).parameters[0].schema == {"type": "integer"}
    assert told(doc) == ['"a" is there twice; the last counts']


def test_an_operation_may_say_a_parameter_of_its_path_anew(tmp_path):
    size = {"name": "size", "in": "query", "schema": {"type": "string"}}
    paths = {
        "/kites": {
            "parameters": [size],
            "get": {"parameters": [{**size, "schema": {"type": "integer"}}], "responses": {}},
        }
    }
    doc = doc_of(tmp_path, spec(paths))
    assert only(doc).parameters[0].schema == {"type": "integer"}
    assert doc.skipped == ()


# ---------------------------------------------------------------- operations and paths


def test_operations_of_one_id_get_names_of_their_own_and_are_told(tmp_path):
    doc = doc_of(tmp_path, spec({"/a": {"get": FLY}, "/b": {"get": FLY}, "/c": {"get": {}}}))
    names = [operation.name for operation in doc.operations]
    assert len(set(names)) == 3
    assert all(name.startswith("fly_") for name in names[:2])
    assert [one.where for one in doc.skipped] == [
        "spec.json#/paths/~1a/get",
        "spec.json#/paths/~1b/get",
    ]
    assert 'operationId "fly" is there 2 times' in doc.skipped[0].reason


def test_operations_told_apart_by_a_fragment_are_both_read_under_the_real_path(tmp_path):
    paths = {
        "/kites/{id}#flying": {"post": {"operationId": "fly", "responses": {}}},
        "/kites/{id}#landing": {"post": {"responses": {}}},
    }
    doc = doc_of(tmp_path, spec(paths))
    assert [(one.method, one.path) for one in doc.operations] == [("POST", "/kites/{id}")] * 2
    assert len(by_name(doc)) == 2
    assert all("kite_id" in arguments(one) for one in doc.operations)
    fragments = [one for one in doc.skipped if "fragment" in one.reason]
    assert [one.where for one in fragments] == [
        "spec.json#/paths/~1kites~1{id}#flying/post",
        "spec.json#/paths/~1kites~1{id}#landing/post",
    ]


def test_path_items_and_methods_with_nothing_in_them_are_told_and_the_rest_read(tmp_path):
    paths = {
        "/a": {},
        "/b": None,
        "/c": {"get": None, "put": [], "delete": FLY},
        "/d": {"get": {"operationId": "land"}},
    }
    doc = doc_of(tmp_path, spec(paths))
    assert list(by_name(doc)) == ["fly", "land"]
    assert [(one.where, one.reason) for one in doc.skipped] == [
        ("spec.json#/paths/~1b", "is no path item"),
        ("spec.json#/paths/~1c/get", "is no operation"),
        ("spec.json#/paths/~1c/put", "is no operation"),
    ]


def test_status_codes_that_are_numbers_in_yaml_are_read(tmp_path):
    text = """
openapi: 3.0.3
info: {title: Kites, version: "1"}
paths:
  /kites:
    get:
      responses:
        404: {description: gone}
        200: {description: ok, content: {application/json: {schema: {type: string}}}}
"""
    operation = only(doc_of(tmp_path, text))
    assert operation.result == {"type": "string"}
    assert operation.failures == {"404": "gone"}


def test_a_lie_told_once_in_a_component_is_reported_once(tmp_path):
    kite = {"type": "object", "properties": {"size": {"type": "integer", "example": "x"}}}
    shown = {"responses": answer({"$ref": "#/components/schemas/Kite"})}
    paths = {f"/{name}": {"get": shown} for name in "abc"}
    doc = doc_of(tmp_path, spec(paths, components={"schemas": {"Kite": kite}}))
    assert len(doc.operations) == 3
    assert len(doc.skipped) == 1
