"""What OpenAPI says, in every dialect, becomes one form."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forge.docs.read import read
from forge.docs.schema import Look, look
from tests.documents import answer, arguments, body, by_name, doc_of, one_operation, only, spec


def schema_of(folder: Any, schema: Any, version: str = "3.0.3", **schemas: Any) -> dict[str, Any]:
    """A schema as it leaves, nested in an object so that its top may be a reference."""
    wrapped = {"type": "object", "properties": {"it": schema}}
    document = one_operation({"responses": answer(wrapped)}, components={"schemas": schemas})
    result = only(doc_of(folder, {**document, "openapi": version})).result
    Draft202012Validator.check_schema(result)
    it: dict[str, Any] = result["properties"]["it"]
    return it


KITE = {"type": "object", "properties": {"id": {"type": "string"}}}
TO_KITE = {"$ref": "#/components/schemas/Kite"}


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "nullable": True, "enum": ["a", "b"]},
            {"type": ["string", "null"], "enum": ["a", "b", None]},
        ),
        (
            {"type": "string", "enum": ["a", None]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({**TO_KITE, "nullable": True}, {"anyOf": [{"$ref": "#/$defs/Kite"}, {"type": "null"}]}),
        (
            {"allOf": [TO_KITE], "nullable": True, "description": "d"},
            {"anyOf": [{"$ref": "#/$defs/Kite"}, {"type": "null"}], "description": "d"},
        ),
        (
            {"oneOf": [TO_KITE, {"type": "string"}], "nullable": True},
            {"oneOf": [{"$ref": "#/$defs/Kite"}, {"type": "string"}, {"type": "null"}]},
        ),
    ],
)
def test_may_be_null_is_written_in_one_way(tmp_path, raw, normal):
    assert schema_of(tmp_path, raw, Kite=KITE) == normal


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ({"properties": {}}, {"type": "object", "properties": {}}),
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
        ({"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "enum": [1, True]}, {"type": "string", "enum": ["1", "true"]}),
        ({"type": "integer", "default": "5"}, {"type": "integer", "default": 5}),
        ({"type": "string", "example": 5}, {"type": "string", "examples": ["5"]}),
        ({"type": "integer", "example": "x"}, {"type": "integer"}),
        (
            {"type": "string", "format": "date", "example": "2030-01-02T00:00:00Z"},
            {"type": "string", "format": "date", "examples": ["2030-01-02"]},
        ),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        ({"type": "string", "readOnly": False, "xml": {}, "x-a": 1}, {"type": "string"}),
        ({"type": "file-ish"}, {}),
        ({"type": [[]]}, {}),
        (True, {}),
        ({"type": "object", "additionalProperties": TO_KITE}, {
            "type": "object", "additionalProperties": {"$ref": "#/$defs/Kite"}}),
        ({**TO_KITE, "description": "d", "readOnly": True}, {
            "$ref": "#/$defs/Kite", "description": "d", "readOnly": True}),
        ({"allOf": [TO_KITE, {"description": "d"}]}, {"$ref": "#/$defs/Kite", "description": "d"}),
        ({**TO_KITE, "required": ["id"]}, {**KITE, "required": ["id"]}),
    ],
)  # fmt: skip
def test_a_schema_has_one_normal_form(tmp_path, raw, normal):
    assert schema_of(tmp_path, raw, Kite=KITE) == normal


def test_a_named_enum_is_written_out_and_a_named_object_stays_named(tmp_path):
    state = {"type": "string", "enum": ["up", "down"], "description": "d"}
    to_state = {"$ref": "#/components/schemas/State", "description": "of the kite"}
    assert schema_of(tmp_path, to_state, State=state) == {**state, "description": "of the kite"}


def test_one_of_with_discriminator_is_kept_with_its_targets(tmp_path):
    schemas = {
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "required": ["claws"]},
        "Dog": {"type": "object", "properties": {"kind": {"type": "string"}}},
        "Pet": {
            "type": "object",
            "properties": {"kind": {"type": "string"}},
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"},
            },
        },
    }
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/Pet"})}, components={"schemas": schemas}
    )
    result = only(doc_of(tmp_path, document)).result
    assert result["oneOf"] == [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    assert result["discriminator"]["mapping"] == {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}
    assert "oneOf" not in result["$defs"]["Cat"]
    assert result["$defs"]["Cat"]["required"] == ["claws"]


def test_a_part_that_would_hold_itself_stays_an_all_of(tmp_path):
    node = {
        "type": "object",
        "properties": {
            "up": {
                "allOf": [
                    {"$ref": "#/components/schemas/Node"},
                    {"properties": {"why": {"type": "string"}}},
                ]
            }
        },
    }
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/Node"})},
        components={"schemas": {"Node": node}},
    )
    up = only(doc_of(tmp_path, document)).result["properties"]["up"]
    assert up["allOf"] == [{"$ref": "#/$defs/Node"}]
    assert set(up["properties"]) == {"why"}


def test_an_objects_example_is_dealt_out_to_its_properties(tmp_path):
    raw = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer", "example": 1}},
        "example": {"a": 7, "b": 2, "c": 3},
    }
    properties = schema_of(tmp_path, raw)["properties"]
    assert properties["a"]["examples"] == ["7"]
    assert properties["b"]["examples"] == [1]


def test_an_example_of_an_heir_stays_with_the_heir(tmp_path):
    schemas = {
        "Base": {"type": "object", "properties": {"a": {"type": "string"}}},
        "Heir": {"allOf": [{"$ref": "#/components/schemas/Base"}], "example": {"a": "x"},
                 "required": ["a"]},
    }  # fmt: skip
    doc = doc_of(tmp_path, one_operation({}, components={"schemas": schemas}))
    assert doc.schemas["Heir"]["properties"]["a"]["examples"] == ["x"]
    assert doc.schemas["Base"]["properties"]["a"] == {"type": "string"}


def test_a_pointer_may_lead_through_a_reference(tmp_path):
    schemas = {
        "A": {"$ref": "#/components/schemas/B"},
        "B": {"type": "object", "properties": {"c": {"type": "integer", "maximum": 3}}},
    }
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/A/properties/c"})},
        components={"schemas": schemas},
    )
    assert only(doc_of(tmp_path, document)).result == {"type": "integer", "maximum": 3}


def test_a_schema_carries_only_the_definitions_it_needs(tmp_path):
    schemas = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"type": "object", "properties": {"s": {"type": "string"}}},
        "C": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
    }
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/A"})}, components={"schemas": schemas}
    )
    doc = doc_of(tmp_path, document)
    assert set(only(doc).result["$defs"]) == {"B"}
    assert set(doc.schemas["C"]["$defs"]) == {"B"}
    assert "$defs" not in doc.schemas["B"]


def test_look_takes_reference_and_null_off():
    definitions = {"Kite": KITE}
    union = {"anyOf": [{"$ref": "#/$defs/Kite"}, {"type": "null"}], "readOnly": True}
    assert look(union, definitions) == Look({**KITE, "readOnly": True}, "Kite", True)
    assert look({"type": ["string", "null"], "enum": ["a", None]}, {}) == Look(
        {"type": "string", "enum": ["a"]}, None, True
    )
    assert look({"$ref": "#/$defs/Kite"}, definitions) == Look(KITE, "Kite", False)


# ------------------------------------------------------------- what only carries the call


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Authorization", "header"),
        ("accept", "header"),
        ("Content-Type", "header"),
        ("If-None-Match", "header"),
        ("User-Agent", "header"),
        ("Idempotency-Key", "header"),
        ("Notion-Version", "header"),
        ("X-API-Key", "header"),
        ("api_key", "query"),
        ("access_token", "query"),
        ("JSESSIONID", "cookie"),
        ("csrftoken", "cookie"),
        ("sudo", "query"),
    ],
)
def test_what_only_carries_the_call_is_no_argument(tmp_path, name, place):
    declared = [
        {"name": name, "in": place, "required": True, "schema": {"type": "string"}},
        {"name": "size", "in": "query", "schema": {"type": "integer"}},
    ]
    schemes = {"Sudo": {"type": "apiKey", "name": "sudo", "in": "query"}}
    document = one_operation({"parameters": declared}, components={"securitySchemes": schemes})
    assert set(arguments(only(doc_of(tmp_path, document)))) == {"size"}


@pytest.mark.parametrize(
    ("name", "place"),
    [("X-Region", "header"), ("theme", "cookie"), ("token", "query"), ("api_key", "path")],
)
def test_what_means_something_stays_an_argument(tmp_path, name, place):
    declared = [{"name": name, "in": place, "required": True, "schema": {"type": "string"}}]
    document = one_operation({"parameters": declared}, path="/kites/{api_key}")
    assert name in {one.field for one in only(doc_of(tmp_path, document)).parameters}


# -------------------------------------------------------------------------------- bodies


def media(kind: str, schema: Any, *, required: bool = True) -> dict[str, Any]:
    return {"requestBody": {"required": required, "content": {kind: {"schema": schema}}}}


FORM = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
}


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/merge-patch+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "*/*",
        "text/plain",
    ],
)
def test_an_object_body_is_flattened_whatever_it_is_written_in(tmp_path, kind):
    named = arguments(only(doc_of(tmp_path, one_operation(media(kind, FORM)))))
    assert {name: (one.location, one.required) for name, one in named.items()} == {
        "name": ("body", True),
        "size": ("body", False),
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "string"},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"oneOf": [FORM, {"type": "object", "properties": {"other": {"type": "string"}}}]},
        {},
    ],
)
def test_a_body_of_another_kind_is_one_argument(tmp_path, schema):
    [whole] = only(doc_of(tmp_path, one_operation(media("application/json", schema)))).parameters
    assert (whole.name, whole.whole_body, whole.required) == ("body", True, True)


def test_json_is_read_where_other_forms_are_on_offer_too(tmp_path):
    content = {
        "application/xml": {"schema": {"type": "string"}},
        "application/x-www-form-urlencoded": {"schema": {"type": "string"}},
        "application/json": {"schema": FORM},
    }
    document = one_operation({"requestBody": {"content": content}})
    assert set(arguments(only(doc_of(tmp_path, document)))) == {"name", "size"}


def test_a_file_that_is_not_needed_is_left_out_and_the_operation_stays(tmp_path):
    picture = {"type": "string", "format": "binary"}
    schema = {**FORM, "properties": {**FORM["properties"], "picture": picture}}
    doc = doc_of(tmp_path, one_operation(media("multipart/form-data", schema)))
    assert set(arguments(only(doc))) == {"name", "size"}
    assert any('"picture" is a file' in one.reason for one in doc.skipped)


@pytest.mark.parametrize(
    "operation",
    [
        media("image/png", {"type": "string", "format": "binary"}),
        media("application/octet-stream", {"type": "string"}),
        media("multipart/form-data", {"type": "object", "required": ["f"], "properties": {
            "f": {"type": "string", "format": "binary"}, "a": {"type": "string"}}}),
        media("multipart/form-data", {"type": "object", "properties": {
            "f": {"type": "array", "items": {"type": "string", "format": "binary"}}}}),
    ],
)  # fmt: skip
def test_an_operation_that_needs_a_file_is_skipped(tmp_path, operation):
    paths = {
        "/a": {"post": {"responses": {}, **operation}},
        "/b": {"get": {"responses": {}}},
    }
    doc = doc_of(tmp_path, spec(paths))
    assert only(doc).path == "/b"
    assert any("file" in one.reason for one in doc.skipped)


def test_the_example_of_a_body_reaches_the_arguments(tmp_path):
    operation = media("application/json", FORM)
    operation["requestBody"]["content"]["application/json"]["example"] = (
        '{"name": "Red", "size": 3}'
    )
    named = arguments(only(doc_of(tmp_path, one_operation(operation))))
    assert named["name"].schema["examples"] == ["Red"]
    assert named["size"].schema["examples"] == [3]


# ------------------------------------------------------------------------------- results


def test_the_first_success_response_is_the_result(tmp_path):
    def response(name: str) -> dict[str, Any]:
        return {"description": name, "content": {"application/json": {"schema": {"title": name}}}}

    responses = {
        "404": response("missing"),
        "default": response("error"),
        "202": response("later"),
        "201": response("made"),
    }
    operation = only(doc_of(tmp_path, one_operation({"responses": responses})))
    assert operation.result == {"title": "made"}
    assert operation.failures == {"404": "missing", "default": "error"}


def test_no_content_is_no_result(tmp_path):
    document = one_operation({"responses": {"204": {"description": "gone"}}})
    assert only(doc_of(tmp_path, document)).result is None


@pytest.mark.parametrize(
    "schema",
    [
        TO_KITE,
        {"type": "array", "items": TO_KITE},
        {"allOf": [TO_KITE]},
        {"$ref": "#/components/schemas/Kites"},
    ],
)
def test_the_entity_is_the_component_that_the_result_or_its_items_are(tmp_path, schema):
    schemas = {"Kite": KITE, "Kites": {"type": "array", "items": TO_KITE}}
    document = one_operation(
        {"responses": answer(schema), "requestBody": body(TO_KITE)}, components={"schemas": schemas}
    )
    operation = only(doc_of(tmp_path, document))
    assert (operation.entity, operation.body_entity) == ("Kite", "Kite")


def test_webhooks_and_callbacks_are_reported(tmp_path):
    operation = {"callbacks": {"done": {"{$request.body#/url}": {"post": {"responses": {}}}}}}
    document = one_operation(operation, webhooks={"made": {"post": {"responses": {}}}})
    reasons = [one.reason for one in doc_of(tmp_path, document).skipped]
    assert any("callbacks" in reason for reason in reasons)
    assert any("webhooks" in reason for reason in reasons)


def test_a_placeholder_that_is_not_declared_is_an_argument_all_the_same(tmp_path):
    doc = doc_of(tmp_path, one_operation({}, path="/kites/{kite_id}/{a}.{b}"))
    assert set(arguments(only(doc))) == {"kite_id", "a", "b"}
    assert all(one.required for one in only(doc).parameters)


# ------------------------------------------------------------------------- several files


def test_references_lead_into_other_files_and_back(tmp_path):
    (tmp_path / "paths").mkdir()
    (tmp_path / "schemas").mkdir()
    (tmp_path / "paths" / "kites.yaml").write_text(
        """
get:
  operationId: listKites
  parameters: [{$ref: '../common.yaml#/limit'}]
  responses:
    200:
      description: ok
      content:
        application/json:
          schema: {type: array, items: {$ref: ../schemas/Kite.yaml}}
"""
    )
    (tmp_path / "schemas" / "Kite.yaml").write_text(
        """
type: object
properties:
  id: {type: string}
  maker: {$ref: '../api.yaml#/components/schemas/Maker'}
  tail: {$ref: '#/$defs/Tail'}
$defs: {Tail: {type: object, properties: {of: {$ref: Kite.yaml}}}}
"""
    )
    (tmp_path / "common.yaml").write_text(
        "limit: {name: limit, in: query, schema: {type: integer}}"
    )
    (tmp_path / "api.yaml").write_text(
        """
openapi: 3.1.0
info: {title: Kites}
paths: {/kites: {$ref: paths/kites.yaml}}
components: {schemas: {Maker: {type: object, properties: {name: {type: string}}}}}
"""
    )
    [doc] = read([tmp_path])
    operation = only(doc)
    assert doc.skipped == ()
    assert set(arguments(operation)) == {"limit"}
    assert operation.entity == "Kite"
    assert set(operation.result["$defs"]) == {"Kite", "Maker", "Tail"}
    assert operation.result["$defs"]["Kite"]["properties"]["tail"] == {"$ref": "#/$defs/Tail"}


def test_two_schemas_of_one_name_in_two_files_stay_two(tmp_path):
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        text = f"type: object\nproperties: {{{place}: {{type: string}}}}\n"
        (tmp_path / place / "Kite.yaml").write_text(text)
    both = {"a": {"$ref": "a/Kite.yaml"}, "b": {"$ref": "b/Kite.yaml"}}
    document = one_operation({"responses": answer({"type": "object", "properties": both})})
    result = only(doc_of(tmp_path, document)).result
    assert len(result["$defs"]) == 2
    definitions = result["$defs"]
    for place in ("a", "b"):
        found = look(result["properties"][place], definitions)
        assert set(found.schema["properties"]) == {place}


def test_the_hash_of_a_document_is_that_of_all_its_files(tmp_path):
    document = one_operation({"responses": answer({"$ref": "kite.yaml"})})
    (tmp_path / "kite.yaml").write_text("type: object\nproperties: {a: {type: string}}")
    first = doc_of(tmp_path, document).sha256
    (tmp_path / "kite.yaml").write_text("type: object\nproperties: {b: {type: string}}")
    assert doc_of(tmp_path, document).sha256 != first


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(one_operation({"operationId": "fly"})).encode())
    [doc] = read([path])
    assert only(doc).name == "fly"


# ------------------------------------------------------------------------------ Swagger 2

SWAGGER = """
swagger: "2.0"
info: {title: Kites, version: "1"}
consumes: [application/json]
securityDefinitions: {key: {type: apiKey, name: secret, in: query}}
parameters: {limit: {name: limit, in: query, type: integer, maximum: 50, default: 10}}
paths:
  /kites:
    get:
      operationId: listKites
      parameters:
        - {$ref: '#/parameters/limit'}
        - {name: secret, in: query, type: string}
        - {name: color, in: query, type: array, items: {type: string, enum: [red]}, collectionFormat: multi}
      responses:
        200:
          description: ok
          schema: {type: array, items: {$ref: '#/definitions/Kite'}}
          examples: {application/json: [{id: 5, name: Red}]}
        404: {$ref: '#/responses/Gone'}
    post:
      operationId: addKite
      parameters: [{name: kite, in: body, required: true, schema: {$ref: '#/definitions/Kite'}}]
      responses: {201: {description: made, schema: {$ref: '#/definitions/Kite'}}}
  /kites/{kite_id}/picture:
    post:
      operationId: addPicture
      consumes: [multipart/form-data]
      parameters:
        - {name: kite_id, in: path, required: true, type: integer, format: int64}
        - {name: caption, in: formData, type: string, required: true, description: what it shows}
        - {name: picture, in: formData, type: file}
      responses: {204: {description: ok}}
    get:
      operationId: getPicture
      produces: [image/png]
      parameters: [{name: kite_id, in: path, required: true, type: integer}]
      responses: {200: {description: ok, schema: {type: file}}}
responses: {Gone: {description: no such kite}}
definitions:
  Kite:
    type: object
    required: [name]
    discriminator: kind
    properties:
      id: {type: integer, readOnly: true}
      name: {type: string, x-nullable: true}
"""  # noqa: E501


def test_swagger_2_is_read_like_openapi_3(tmp_path):
    doc = doc_of(tmp_path, SWAGGER)
    named = by_name(doc)
    listing = arguments(named["list_kites"])
    assert set(listing) == {"limit", "color"}
    assert listing["limit"].schema == {"type": "integer", "maximum": 50, "default": 10}
    assert listing["color"].schema == {
        "type": "array",
        "items": {"type": "string", "enum": ["red"]},
    }
    assert named["list_kites"].entity == "Kite"
    assert named["list_kites"].examples == ([{"id": 5, "name": "Red"}],)
    assert named["list_kites"].failures == {"404": "no such kite"}
    assert {name: one.required for name, one in arguments(named["add_kite"]).items()} == {
        "name": True
    }
    assert doc.schemas["Kite"]["properties"]["name"]["type"] == ["string", "null"]


def test_a_swagger_2_form_is_a_body_and_its_file_is_left_out(tmp_path):
    doc = doc_of(tmp_path, SWAGGER)
    picture = arguments(by_name(doc)["add_picture"])
    assert {name: one.location for name, one in picture.items()} == {
        "kite_id": "path",
        "caption": "body",
    }
    assert picture["caption"].description == "what it shows"
    assert by_name(doc)["get_picture"].result is None
    assert len(doc.skipped) == 2
