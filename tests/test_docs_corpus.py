"""Documents that nobody in this project wrote."""

import json
from dataclasses import asdict

import pytest
from jsonschema import Draft202012Validator

from forge.docs.read import read
from forge.errors import UserError
from forge.types.doc import ApiDoc
from tests.documents import arguments, by_name
from tests.places import CORPUS

EXAMPLES = sorted((CORPUS / "openapi-examples").glob("*/*.yaml"))

READ_AND_LEFT_OUT = {
    "openapi-xero-assets/openapi.json": (6, 0),
    "openapi-notion/openapi.json": (24, 0),
    "openapi-bc-news/openapi.json": (27, 0),
    "openapi-airbyte/openapi.json": (102, 0),
    "openapi-asana/openapi.json": (167, 0),
    "openapi-digitalocean-single/openapi.json": (290, 0),
    "openapi-gitea/openapi.json": (343, 3),
    "openapi-stripe/openapi.json": (451, 1),
    "openapi-github/openapi.json": (1222, 1),
    "swagger2-kubernetes/swagger.json": (1002, 12),
}
"""Operations that are read, and those that are left out with a reason: they need a file, refer to
nowhere, or are HEAD and OPTIONS."""


def corpus(name: str) -> ApiDoc:
    [doc] = read([CORPUS / name])
    return doc


def has_whole_schemas(doc: ApiDoc) -> None:
    """Every schema is a JSON Schema whose references are all in its own `$defs`."""
    good: set[int] = set()
    for operation in doc.operations:
        schemas = [parameter.schema for parameter in operation.parameters]
        for schema in [*schemas, *([operation.result] if operation.result is not None else [])]:
            assert "$ref" not in schema
            definitions = schema.get("$defs", {})
            parts = [{k: v for k, v in schema.items() if k != "$defs"}, *definitions.values()]
            for part in parts:
                if id(part) not in good:
                    Draft202012Validator.check_schema(part)
                    good.add(id(part))
            assert {name for part in parts for name in references(part)} == set(definitions)


def references(schema: object, *, names: bool = False) -> set[str]:
    """The names of the definitions referred to. `names`: the keys are no keywords but names."""
    if isinstance(schema, list):
        return {name for one in schema for name in references(one)}
    if not isinstance(schema, dict):
        return set()
    found = set()
    for key, value in schema.items():
        if names or key not in ("$ref", "examples", "default", "enum", "mapping"):
            found |= references(
                value, names=not names and key in ("properties", "patternProperties")
            )
        elif key == "$ref":
            found.add(value)
        elif key == "mapping":
            found |= set(value.values())
    if names:
        return found
    return {one.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~") for one in found}


def has_names_of_its_own(doc: ApiDoc) -> None:
    names = [operation.name for operation in doc.operations]
    assert len(set(names)) == len(names)
    assert max(len(name) for name in names) <= 64
    for operation in doc.operations:
        assert len(arguments(operation)) == len(operation.parameters)
        assert operation.summary


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_example_of_the_specification_is_read(path):
    if path.stem == "webhooks":
        with pytest.raises(UserError, match="webhooks only"):
            read([path])
        return
    [doc] = read([path])
    assert doc.operations
    has_names_of_its_own(doc)
    has_whole_schemas(doc)
    assert json.dumps(asdict(doc), ensure_ascii=False, allow_nan=False).encode("utf-8")


def test_the_examples_are_all_there():
    assert len(EXAMPLES) == 34


@pytest.mark.parametrize("name", READ_AND_LEFT_OUT)
def test_a_large_document_gives_all_its_operations(name):
    doc = corpus(name)
    left_out = [one for one in doc.skipped if "left out: " in one.reason or "no tool" in one.reason]
    assert (len(doc.operations), len(left_out)) == READ_AND_LEFT_OUT[name]
    has_names_of_its_own(doc)


@pytest.mark.parametrize(
    "name", [name for name in READ_AND_LEFT_OUT if "assets" in name or "asana" in name]
)
def test_the_schemas_of_a_large_document_are_whole(name):
    has_whole_schemas(corpus(name))


def test_xeros_examples_in_text_are_read_as_json():
    doc = corpus("openapi-xero-assets/openapi.json")
    [example] = by_name(doc)["get_asset_types"].examples
    assert example[0]["assetTypeName"] == "Computer Equipment"
    assert by_name(doc)["get_assets"].entity == "Assets"
