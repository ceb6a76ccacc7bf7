"""What was read, written as OpenAPI 3.1: it can be corrected and read again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from openapi_spec_validator import validate
from typer.testing import CliRunner, Result

from forge.cli.main import app
from forge.docs.export import openapi_of
from forge.docs.read import read
from forge.types.doc import ApiDoc
from tests.documents import by_name, doc_of
from tests.places import CORPUS, ROOT

DOCUMENTS = [
    ROOT / "docs_in" / "projects.md",
    ROOT / "docs_in" / "hotel.yaml",
    ROOT / "docs_in" / "library.yaml",
    ROOT / "docs_in" / "shop.json",
    CORPUS / "md-linkding",
    CORPUS / "md-html-healthchecks" / "api.html-fragment",
    CORPUS / "md-kanboard",
    CORPUS / "md-mcp-readmes" / "filesystem.md",
    CORPUS / "tools-acebench" / "zh.agent-tools.json",
    CORPUS / "openapi-notion",
]


def docs(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["docs", *map(str, arguments)])


def again(doc: ApiDoc, folder: Path) -> ApiDoc:
    return doc_of(folder, openapi_of(doc), f"{doc.name}.json")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_written_as_openapi_reads_back_to_the_same_operations(tmp_path, path):
    for doc in read([path]):
        back = by_name(again(doc, tmp_path))
        for one in doc.operations:
            other = back[one.name]
            arguments = {each.name: each for each in one.parameters}
            assert {each.name: each for each in other.parameters} == arguments
            assert replace(other, parameters=(), where="") == replace(one, parameters=(), where="")


def test_what_is_written_is_valid_openapi():
    [doc] = read([CORPUS / "md-kanboard"])
    validate(openapi_of(doc))


def test_a_correction_by_hand_is_read(tmp_path):
    [doc] = read([CORPUS / "md-linkding"])
    written = openapi_of(doc)
    [bundle] = [
        each
        for each in written["paths"]["/bookmarks/"]["get"]["parameters"]
        if each["name"] == "bundle"
    ]
    bundle["schema"] = {"type": "integer"}
    back = by_name(doc_of(tmp_path, written, "api.json"))
    found = {each.name: each for each in back["get_bookmarks"].parameters}
    assert found["bundle"].schema["type"] == "integer"


def test_one_document_is_printed_and_several_need_a_folder(tmp_path):
    printed = docs(CORPUS / "md-linkding", "--openapi")
    assert json.loads(printed.stdout)["openapi"] == "3.1.0"
    refused = docs(CORPUS / "md-mcp-readmes", "--openapi")
    assert refused.exit_code == 2
    assert "--out FOLDER" in refused.stderr
    made = docs(CORPUS / "md-mcp-readmes", "--openapi", "--out", tmp_path / "out")
    assert made.exit_code == 0
    assert len(list((tmp_path / "out").glob("*.json"))) == 5
    assert sum(len(doc.operations) for doc in read([tmp_path / "out"])) == 65
