"""Reading on the shared cases, each varied beyond its one file."""

import json
import random
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from forge.docs.read import read
from forge.types.doc import ApiDoc, Link
from tests.documents import (
    answer,
    arguments,
    body,
    by_name,
    doc_of,
    one_operation,
    only,
    spec,
)
from tests.places import CASES

NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")


def case(number: str) -> ApiDoc:
    [folder] = CASES.glob(f"{number}-*")
    [file] = folder.glob("spec.*")
    [doc] = read([file])
    return doc


# ------------------------------------------------- 001: a schema that needs itself


def test_a_bed_may_stand_in_another_bed_or_in_none():
    inside = arguments(by_name(case("001"))["add_bed"])["inside"]
    assert inside.required
    assert inside.schema["anyOf"] == [{"$ref": "#/$defs/Bed"}, {"type": "null"}]
    assert set(inside.schema["$defs"]) == {"Bed"}


def test_an_id_that_only_the_service_sets_is_no_argument():
    assert "bed_id" not in arguments(by_name(case("001"))["add_bed"])
    assert by_name(case("001"))["get_bed"].result["properties"]["bed_id"]["readOnly"] is True


def test_schemas_that_need_each_other_in_a_ring_end_up_in_defs(tmp_path):
    ring = {
        f"S{i}": {
            "type": "object",
            "required": ["next"],
            "properties": {"next": {"$ref": f"#/components/schemas/S{(i + 1) % 40}"}},
        }
        for i in range(40)
    }
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/S7"})}, components={"schemas": ring}
    )
    result = only(doc_of(tmp_path, document)).result
    assert set(result["$defs"]) == set(ring)
    assert result["properties"]["next"] == {"$ref": "#/$defs/S8"}


def test_a_schema_that_is_nothing_but_itself_is_skipped_and_the_rest_read(tmp_path):
    loop = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    document = spec(
        {
            "/a": {"get": {"responses": answer({"$ref": "#/components/schemas/A"})}},
            "/b": {"get": {"responses": answer({"type": "string"})}},
        },
        components={"schemas": loop},
    )
    doc = doc_of(tmp_path, document)
    assert only(doc).path == "/b"
    assert any("circle" in one.reason for one in doc.skipped)


# ------------------------------------------------- 002: one name in several places


def test_parameters_of_one_name_stay_apart_and_the_one_in_the_path_keeps_it():
    named = arguments(only(case("002")))
    assert [(one.name, one.location, one.required) for one in named.values()] == [
        ("name", "path", True),
        ("name_query", "query", False),
        ("name_header", "header", False),
    ]
    assert {one.field for one in named.values()} == {"name"}


@pytest.mark.parametrize("turned", [False, True])
def test_names_do_not_depend_on_the_order_of_the_parameters(tmp_path, turned):
    declared = [
        {"name": "kiteId", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "kite_id", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "kite-id", "in": "query", "schema": {"type": "string"}},
    ]
    operation = {
        "parameters": declared[::-1] if turned else declared,
        "requestBody": body({"type": "object", "properties": {"kiteID": {"type": "integer"}}}),
    }
    document = one_operation(operation, method="put", path="/kites/{kiteId}")
    named = {(p.location, p.field): p for p in only(doc_of(tmp_path, document)).parameters}
    names = {place: one.name for place, one in named.items()}
    assert names["path", "kiteId"] == "kite_id"
    assert names["body", "kiteID"] == "kite_id_body"
    assert len(set(names.values())) == 4
    assert all(NAME.match(name) for name in names.values())
    assert named["query", "kite_id"].required
    assert names["query", "kite_id"] != names["query", "kite-id"]
    assert names["query", "kite-id"].startswith("kite_id_query_")


def test_an_operations_own_parameter_replaces_its_paths(tmp_path):
    document = spec(
        {
            "/kites": {
                "parameters": [{"name": "size", "in": "query", "schema": {"type": "string"}}],
                "get": {
                    "parameters": [{"name": "size", "in": "query", "schema": {"type": "integer"}}],
                    "responses": {},
                },
            }
        }
    )
    [size] = only(doc_of(tmp_path, document)).parameters
    assert size.schema == {"type": "integer"}


# --------------------------------------------------------- 004: names that collide


def test_six_operations_become_six_tools_with_legal_names():
    names = [operation.name for operation in case("004").operations]
    assert len(set(names)) == 6
    assert all(NAME.match(name) for name in names)
    assert "choir_list" in names


def test_the_way_back_to_method_and_path_is_kept():
    back = {one.name: (one.method, one.path) for one in case("004").operations}
    assert back["choir_list"] == ("GET", "/d")
    assert {path for _, path in back.values()} == {"/a", "/b", "/c", "/d", "/e", "/f"}


def test_names_are_the_same_whatever_the_order_of_paths(tmp_path):
    [file] = CASES.glob("004-*/spec.json")
    document = json.loads(file.read_text())
    wanted = {one.path: one.name for one in case("004").operations}
    for seed in range(5):
        paths = list(document["paths"].items())
        random.Random(seed).shuffle(paths)
        doc = doc_of(tmp_path, {**document, "paths": dict(paths)})
        assert {one.path: one.name for one in doc.operations} == wanted


def test_an_operation_id_given_twice_names_two_tools(tmp_path):
    document = spec(
        {f"/{place}": {"get": {"operationId": "fly", "responses": {}}} for place in ("a", "b")}
    )
    names = [one.name for one in doc_of(tmp_path, document).operations]
    assert len(set(names)) == 2
    assert all(name.startswith("fly_") for name in names)


def test_without_an_operation_id_the_name_is_made_of_method_and_path(tmp_path):
    paths = {
        "/kites": {"get": {"responses": {}}, "post": {"responses": {}}},
        "/kites/{kiteId}": {"get": {"responses": {}}},
        "/kites/{kiteId}/tails": {"get": {"responses": {}}},
    }
    names = {one.name for one in doc_of(tmp_path, spec(paths)).operations}
    assert names == {"get_kites", "post_kites", "get_kites_by_kite_id", "get_kites_tails"}


# -------------------------------------------------------------- 006: dates in YAML


def test_dates_of_yaml_stay_text_and_all_can_be_dumped():
    doc = case("006")
    [on] = only(doc).parameters
    assert on.schema["default"] == "2030-01-31"
    assert doc.schemas["Swap"]["properties"]["made_at"]["examples"] == ["2031-05-06T07:08:09Z"]
    assert only(doc).examples == (
        [{"swap_id": 7, "on": "2030-01-31", "made_at": "2031-05-06T07:08:09Z"}],
    )
    assert "2030-01-31" in json.dumps(asdict(doc))


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01 10:11:12", "2024-03-01 10:11:12"),
        ("12:30:00", "12:30:00"),
        ("no", "no"),
        ("ON", "ON"),
        ("1.2.3", "1.2.3"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("12", 12),
        ("-1.5e3", -1500.0),
        ("'12'", "12"),
        ("!!str 12", "12"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
    ],
)
def test_a_plain_yaml_scalar_is_read_as_it_is_meant(tmp_path, written, read_as):
    text = f"""
openapi: 3.1.0
info: {{title: Kites, version: 1.10}}
paths:
  /kites:
    get:
      responses:
        200:
          description: ok
          content: {{application/json: {{schema: {{}}, example: {{a: {written}}}}}}}
"""
    [example] = only(doc_of(tmp_path, text)).examples
    assert example == {"a": read_as}
    assert type(example["a"]) is type(read_as)


# ------------------------------------------------------ 008: fixed beside template


def test_a_fixed_path_beside_a_template_is_its_own_operation():
    doc = case("008")
    assert {one.name: one.path for one in doc.operations} == {
        "get_lab": "/labs/{lab_id}",
        "get_my_lab": "/labs/mine",
        "list_open_labs": "/labs/open",
    }
    assert {one.entity for one in doc.operations} == {"Lab"}
    assert by_name(doc)["get_my_lab"].parameters == ()


# ------------------------------------------- 010: what is no identifier in Python


def test_enum_values_and_property_names_are_kept_as_written():
    doc = case("010")
    order = arguments(by_name(doc)["rows"])["order"]
    assert order.schema["enum"] == ["asc", "ASC", "modifiedAt:desc"]
    assert set(doc.schemas["Row"]["properties"]) == {"1Q", "30d_active", "class", "$total"}
    assert doc.schemas["Row"]["properties"]["class"]["enum"] == ["a-b", "a_b", "A B", ""]


def test_arguments_get_legal_names_and_know_their_field():
    add = by_name(case("010"))["add_row"]
    assert {one.field: one.name for one in add.parameters} == {
        "1Q": "field_1q",
        "30d_active": "field_30d_active",
        "class": "class_",
        "$total": "total",
    }


# ------------------------------------------------- 012: required beside allOf


def test_a_boat_needs_hull_name_and_berth():
    doc = case("012")
    named = arguments(only(doc))
    assert {name for name, one in named.items() if one.required} == {"hull", "name", "berth"}
    assert set(named) == {"name", "hull", "mast", "berth"}
    assert set(doc.schemas["Boat"]["properties"]) == {"id", "name", "hull", "mast", "berth"}
    assert "allOf" not in doc.schemas["Boat"]


def test_a_chain_of_all_of_inherits_everything(tmp_path):
    schemas = {
        "L0": {"type": "object", "required": ["p4"], "properties": {"p0": {"type": "string"}}}
    }
    for i in range(1, 6):
        schemas[f"L{i}"] = {
            "allOf": [
                {"$ref": f"#/components/schemas/L{i - 1}"},
                {"properties": {f"p{i}": {"type": "integer", "maximum": 10 - i}}},
            ],
            "required": [f"p{i}"],
        }
    document = one_operation(
        {"requestBody": body({"$ref": "#/components/schemas/L5"})}, components={"schemas": schemas}
    )
    named = arguments(only(doc_of(tmp_path, document)))
    assert set(named) == {f"p{i}" for i in range(6)}
    assert {name for name, one in named.items() if not one.required} == {"p0"}


def test_a_property_described_in_two_parts_obeys_both(tmp_path):
    parts = [
        {"properties": {"n": {"type": "number", "minimum": 1, "description": "old"}}},
        {
            "properties": {
                "n": {"type": "integer", "minimum": 3, "maximum": 9, "description": "new"}
            }
        },
    ]
    document = one_operation({"requestBody": body({"allOf": parts})})
    [n] = only(doc_of(tmp_path, document)).parameters
    assert n.schema == {"type": "integer", "minimum": 3, "maximum": 9, "description": "new"}


# --------------------------------------------- 014: a property that is called $ref


def test_a_property_called_ref_is_a_property():
    doc = case("014")
    assert doc.schemas["Pointer"]["properties"]["$ref"]["type"] == "string"
    assert {one.field for one in only(doc).parameters} == {"value", "$ref"}
    assert arguments(only(doc))["ref"].schema["examples"] == ["/people/u1"]


def test_an_example_that_holds_ref_is_not_followed(tmp_path):
    example = {"$ref": "/people/u1", "deep": [{"$ref": "#/components/schemas/Nowhere"}]}
    document = one_operation(
        {"responses": {"200": {"description": "ok", "content": {
            "application/json": {"schema": {"type": "object"}, "example": example}}}}}
    )  # fmt: skip
    assert only(doc_of(tmp_path, document)).examples == (example,)


def test_a_reference_that_is_no_text_is_not_followed(tmp_path):
    document = one_operation({"responses": answer({"type": "object", "$ref": {"a": 1}})})
    assert only(doc_of(tmp_path, document)).result == {"type": "object"}


# ----------------------------------------------------------- 017: links over hops


def test_links_give_the_way_from_one_operation_to_the_next():
    doc = case("017")
    assert by_name(doc)["add_trip"].links == (Link("get_trip", "trip_id", "/id"),)
    assert by_name(doc)["get_trip"].links == (Link("add_trip", "after", "/id"),)


@pytest.mark.parametrize(
    "target",
    [
        {"operationId": "getKite"},
        {"operationRef": "#/paths/~1kites~1{kite_id}/get"},
        {"operationRef": "#/paths/~1kites~1%7Bkite_id%7D/get"},
    ],
)
@pytest.mark.parametrize("hops", [0, 3])
def test_a_link_is_found_by_id_or_reference_over_any_hops(tmp_path, target, hops):
    links: dict[str, object] = {
        f"L{i}": {"$ref": f"#/components/links/L{i + 1}"} for i in range(hops)
    }
    links[f"L{hops}"] = {**target, "parameters": {"path.kite_id": "$response.body#/data/0/id"}}
    found = answer({"type": "object"})
    found["200"]["links"] = {"show": {"$ref": "#/components/links/L0"}}
    kite = {"name": "kite_id", "in": "path", "required": True, "schema": {"type": "string"}}
    document = spec(
        {
            "/kites": {"get": {"operationId": "listKites", "responses": found}},
            "/kites/{kite_id}": {
                "get": {"operationId": "getKite", "parameters": [kite], "responses": {}}
            },
        },
        components={"links": links},
    )
    assert by_name(doc_of(tmp_path, document))["list_kites"].links == (
        Link("get_kite", "kite_id", "/data/0/id"),
    )


def test_a_link_to_no_operation_is_skipped_and_the_operation_stays(tmp_path: Path):
    found = answer({"type": "object"})
    found["200"]["links"] = {"gone": {"operationId": "nobody"}}
    doc = doc_of(tmp_path, one_operation({"responses": found}))
    assert only(doc).links == ()
    assert any("link" in one.reason for one in doc.skipped)


# ------------------------------------------------- 018: bodies that are no objects


def test_a_list_and_a_bare_text_as_bodies_are_one_required_argument_each():
    operations = by_name(case("018"))
    listed, text = (
        arguments(operations["add_many"])["body"],
        arguments(operations["rename"])["body"],
    )
    assert listed.required and listed.whole_body and listed.schema["type"] == "array"
    assert text.required and text.whole_body and text.schema["maxLength"] == 20


# ------------------------------------------------- 022: operations that say next to nothing


def test_operations_without_words_get_a_summary_of_method_and_path():
    operations = case("022").operations
    assert sorted(operation.summary for operation in operations) == [
        "DELETE /w",
        "GET /x",
        "GET /z",
        "POST /y",
    ]


def test_success_is_the_first_of_what_there_is_and_a_refusal_is_none():
    operations = by_name(case("022"))
    assert operations["get_x"].result["properties"]["id"]["type"] == "integer"
    assert operations["post_y"].result is None
    assert operations["get_z"].result is None
    assert operations["get_z"].failures == {"404": "none"}
