"""`forge docs`: what was read is shown, what was not is told, a whole document is validated."""

import json
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

from forge.cli.main import app
from tests.documents import answer, one_operation, spec
from tests.places import CORPUS, ROOT

STRING = {"type": "string"}


def docs(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["docs", *map(str, arguments)])


def written(folder: Path, document: dict, name: str = "kites.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def test_each_document_is_listed_with_its_form_and_how_much_was_read():
    lines = docs(ROOT / "docs_in").stdout.splitlines()
    assert lines[0].split() == ["document", "title", "form", "operations", "reports"]
    told = {line.split()[0]: line for line in lines[1:5]}
    assert "OpenAPI 3.0.3" in told["hotel.yaml"]
    assert "Markdown" in told["projects.md"]
    assert "Swagger 2.0" in told["shop.json"]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    heads = {"/kites": {"get": {"operationId": "fly", "responses": {}}, "head": {"responses": {}}}}
    for folder in ("one/v1", "two/v1"):
        (tmp_path / folder).mkdir(parents=True)
        written(tmp_path / folder, spec(heads))
    lone = written(tmp_path / "two", spec(heads), "lone.json")
    result = docs(tmp_path / "one", tmp_path / "two" / "v1", lone, "--json")
    found = {each["document"]: each for each in json.loads(result.stdout)}
    assert list(found) == ["one/v1/kites.json", "two/v1/kites.json", "lone.json"]
    assert [part["where"] for part in found["two/v1/kites.json"]["skipped"]] == [
        "two/v1/kites.json#/paths/~1kites/head"
    ]


def test_every_part_that_was_skipped_is_told_with_its_place(tmp_path):
    document = spec({"/kites": {"get": {"responses": {}}, "head": {"responses": {}}, "put": None}})
    result = docs(written(tmp_path, document))
    assert result.exit_code == 0
    assert "  kites.json#/paths/~1kites/head: HEAD is no tool of an agent\n" in result.stdout
    assert "  kites.json#/paths/~1kites/put: is no operation\n" in result.stdout


def test_operations_are_listed_when_asked_for(tmp_path):
    takes = [{"name": n, "in": "query", "required": n == "to"} for n in ("to", "by")]
    path = written(tmp_path, one_operation({"operationId": "flyKite", "parameters": takes}))
    rows = [row.split() for row in docs(path, "--operations").stdout.splitlines()]
    where = "kites.json#/paths/~1kites/post"
    assert ["POST", "/kites", "fly_kite", "write", "kite", "to,", "[by]", where] in rows
    assert "fly_kite" not in docs(path).stdout


def test_json_has_all_of_it(tmp_path):
    document = one_operation({"operationId": "fly"}, method="get")
    document["paths"]["/kites"]["head"] = {"responses": {}}
    [found] = json.loads(docs(written(tmp_path, document), "--json").stdout)
    assert found == {
        "document": "kites.json",
        "title": "Kites",
        "form": "OpenAPI 3.0.3",
        "operations": [
            {
                "name": "fly",
                "method": "GET",
                "path": "/kites",
                "kind": "read",
                "about": "kite",
                "takes": [],
                "where": "kites.json#/paths/~1kites/get",
            }
        ],
        "skipped": [
            {
                "where": "kites.json#/paths/~1kites/head",
                "reason": "HEAD is no tool of an agent",
            }
        ],
    }


def test_text_of_a_document_cannot_obey_to_a_terminal(tmp_path):
    document = one_operation({}, method="get")
    document["info"]["title"] = "red \x1b[31mkites"
    assert "\x1b" not in docs(written(tmp_path, document)).stdout


def test_what_is_no_document_is_one_line_and_exit_code_2(tmp_path):
    result = docs(tmp_path / "gone.yaml")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


# ------------------------------------------------------------------- --validate


def test_a_document_that_keeps_to_its_specification_passes(tmp_path):
    for version in ("2.0", "3.0", "3.1"):
        result = docs(CORPUS / "openapi-examples" / version / "petstore.yaml", "--validate")
        assert result.exit_code == 0
        assert result.stdout.endswith("against its specification\n  pass\n")


def test_where_a_document_breaks_its_specification_is_told_and_the_exit_code_is_1(tmp_path):
    document = one_operation({"responses": {"200": {"content": {}}}}, path="/kites/{id}")
    result = docs(written(tmp_path, document), "--validate")
    assert result.exit_code == 1
    assert "~1{id}/post/responses/200: 'description' is a required property\n" in result.stdout
    assert "Path parameter 'id'" in result.stdout


def test_without_being_asked_a_document_is_not_validated(tmp_path):
    document = one_operation({"responses": {"200": {"content": {}}}})
    result = docs(written(tmp_path, document))
    assert result.exit_code == 0
    assert "against" not in result.stdout


def test_a_document_in_several_files_is_validated_with_them(tmp_path):
    written(tmp_path, {"Kite": {"type": "strin"}}, "kinds.json")
    path = written(tmp_path, one_operation({"responses": answer({"$ref": "kinds.json#/Kite"})}))
    assert "'strin' is not one of" in docs(path, "--validate").stdout


def test_validating_never_leaves_the_folder_of_the_document(tmp_path):
    written(tmp_path, {"Kite": {"type": "strin"}}, "outside.json")
    folder = tmp_path / "docs"
    folder.mkdir()
    for reference in ("../outside.json#/Kite", "http://127.0.0.1:9/kinds.json#/Kite"):
        paths = {
            "/a": {"get": {"responses": {}}},
            "/kites": {"get": {"responses": answer({"$ref": reference})}},
        }
        result = docs(written(folder, spec(paths)), "--validate")
        assert result.exit_code == 1
        assert "cannot be validated further" in result.stdout
        assert "strin" not in result.stdout


def test_a_document_that_breaks_the_library_is_told_to(tmp_path):
    kinds = {"Kite": {"type": ["string", "null"], "default": 5}}
    document = one_operation(
        {"responses": answer({"$ref": "#/components/schemas/Kite"})},
        components={"schemas": kinds},
    )
    result = docs(written(tmp_path, document), "--validate")
    assert result.exit_code == 1
    assert "cannot be validated further: TypeError" in result.stdout


def test_without_the_library_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openapi_spec_validator", None)
    result = docs(written(tmp_path, one_operation({})), "--validate")
    assert result.exit_code == 2
    assert "pip install 'forge-envs[validate]'" in result.stderr
