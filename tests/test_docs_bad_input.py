"""Bad input: one line that says what, where and how to mend it."""

import json
from pathlib import Path

import pytest

from forge.docs.read import read
from forge.errors import UserError
from tests.documents import answer, doc_of, one_operation, only, spec

GOOD = json.dumps(one_operation({"operationId": "fly"}))


def refusal(*paths: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read(list(paths))
    assert "\n" not in str(caught.value)
    assert caught.value.mend
    return caught.value


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_no_path_at_all_is_an_error():
    assert "no document" in refusal().what


def test_a_path_that_is_not_there_is_named(tmp_path):
    assert refusal(tmp_path / "gone.yaml").where == str(tmp_path / "gone.yaml")


def test_an_empty_folder_is_an_error(tmp_path):
    error = refusal(tmp_path)
    assert "no document" in error.what
    assert error.where == str(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.yaml", "openapi: 3.0.3\npaths:\n  /a: [1, 2\ninfo: {}\n", "4:5"),
        ("a.yaml", "openapi: 3.0.3\ninfo:\n\ttitle: x\n", "3:1"),
        ("a.yaml", "openapi: 3.0.3\ninfo: a: b\n", "2:8"),
        ("a.yaml", "openapi: *nobody\n", "1:10"),
        ("a.yaml", "openapi: 3.0.3\ninfo: \x01\n", "2:7"),
        ("a.json", '{"openapi": "3.0.3",\n "info": {,}}', "2:11"),
        ("a.json", '{"openapi": "3.0.3"', "1:20"),
        ("a.yaml", b"openapi: 3.0.3\ninfo: \xff\xfe\n", "2:7"),
    ],
)
def test_broken_text_is_placed_by_line_and_column(tmp_path, name, text, place):
    path = written(tmp_path, name, text)
    assert refusal(path).where == f"{path}:{place}"


@pytest.mark.parametrize("text", ["", "   \n\n"])
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.md"])
def test_a_file_with_nothing_in_it_is_an_error(tmp_path, name, text):
    assert refusal(written(tmp_path, name, text)).what == "is empty"


@pytest.mark.parametrize(
    "document",
    [
        spec({}),
        spec({"/a": {}}),
        spec({"/a": {"head": {"responses": {}}}}),
        {"openapi": "3.1.0", "info": {"title": "x"}},
        {"openapi": "3.1.0", "webhooks": {"a": {"post": {}}}},
        {"swagger": "2.0", "paths": None},
    ],
)
def test_a_document_without_operations_is_an_error(tmp_path, document):
    path = written(tmp_path, "a.json", json.dumps(document))
    assert "no operations" in refusal(path).what


@pytest.mark.parametrize("text", ["just: a mapping\n", "- a\n- list\n", "only words\n", "3\n"])
def test_a_file_that_is_no_api_document_is_an_error_when_named(tmp_path, text):
    assert "no API document" in refusal(written(tmp_path, "a.yaml", text)).what


def test_markdown_without_operations_is_an_error_when_named(tmp_path):
    assert "no operation" in refusal(written(tmp_path, "a.md", "# Notes\n\nSome words.\n")).what


def test_a_kind_of_file_that_is_not_read_is_an_error_when_named(tmp_path):
    assert "kind of file" in refusal(written(tmp_path, "a.exe", "MZ")).what


@pytest.mark.parametrize("version", ["1.2", "4.0.0", "latest"])
def test_an_unknown_version_is_named(tmp_path, version):
    path = written(tmp_path, "a.json", json.dumps({"swagger": version, "paths": {"/a": {}}}))
    assert version in refusal(path).what


def test_in_a_folder_what_is_no_document_is_reported_and_the_rest_read(tmp_path):
    written(tmp_path, "b/good.json", GOOD)
    written(tmp_path, "a-notes.md", "# Notes\n")
    written(tmp_path, "empty.yaml", "")
    written(tmp_path, "broken.yaml", "a: [")
    written(tmp_path, "package.json", "{}")
    written(tmp_path, "picture.png", b"\x89PNG")
    written(tmp_path, ".hidden/spec.json", "{")
    [doc] = read([tmp_path])
    assert only(doc).name == "fly"
    assert {one.where for one in doc.skipped} == {
        "a-notes.md",
        "empty.yaml",
        "broken.yaml",
        "package.json",
    }


def test_a_folder_with_only_bad_files_is_an_error_that_says_so(tmp_path):
    written(tmp_path, "a.yaml", "a: [")
    written(tmp_path, "b.json", "{}")
    assert "none of its 2 files" in refusal(tmp_path).what


def test_a_folder_with_one_bad_file_says_what_is_wrong_with_it(tmp_path):
    path = written(tmp_path, "a.yaml", "a: b: c")
    assert refusal(tmp_path).where == f"{path}:1:5"


def test_the_same_file_named_twice_is_read_once(tmp_path):
    path = written(tmp_path, "a.json", GOOD)
    assert len(read([path, tmp_path, path])) == 1


def test_documents_of_one_title_get_names_of_their_own(tmp_path):
    for place in ("v1", "v2", "v3"):
        written(tmp_path, f"{place}/api.json", GOOD)
    names = [doc.name for doc in read([tmp_path])]
    assert len(set(names)) == 3
    assert names[0] == "kites"
    assert names == [doc.name for doc in read([tmp_path])]


# -------------------------------------------------------------- references to nowhere

NOWHERE = [
    "#/components/schemas/Nowhere",
    "other.yaml#/Nowhere",
    "gone.yaml",
    "../outside.yaml",
    "/etc/passwd",
    "https://example.com/kite.yaml",
    "file:///etc/passwd",
    "//example.com/kite.yaml",
    "#kite",
    "#/paths/~1kites/get/tags/7",
    "#/info/title",
    "#/info/title/deeper",
    "#/components/schemas/Self/properties/a",
    "two\nlines",
]


def with_reference(reference: str) -> dict:
    good = {"responses": answer({"type": "string"}), "tags": ["a"]}
    bad = {"responses": answer({"type": "object", "properties": {"a": {"$ref": reference}}})}
    itself = {"Self": {"$ref": "#/components/schemas/Self/properties/a"}}
    return spec({"/kites": {"get": good, "post": bad}}, components={"schemas": itself})


@pytest.mark.parametrize("reference", NOWHERE)
def test_an_operation_with_a_reference_to_nowhere_is_skipped(tmp_path, reference):
    folder = tmp_path / "docs"
    written(tmp_path, "outside.yaml", "type: string")
    written(folder, "other.yaml", "Kite: {type: string}")
    doc = doc_of(folder, with_reference(reference))
    assert only(doc).method == "GET"
    skipped = doc.skipped[0]
    assert " ".join(reference.split()) in skipped.reason
    assert "\n" not in skipped.reason
    assert skipped.where == "spec.json#/paths/~1kites/post"


def test_a_reference_to_nowhere_is_fatal_where_no_operation_is_left(tmp_path):
    document = one_operation({"responses": answer({"$ref": "#/components/schemas/Nowhere"})})
    path = written(tmp_path, "a.json", json.dumps(document))
    error = refusal(path)
    assert "#/components/schemas/Nowhere" in error.what
    assert error.where == f"{path}#/paths/~1kites/post"


def test_a_reference_to_nowhere_deep_in_a_component_skips_who_needs_it(tmp_path):
    schemas = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"type": "array", "items": {"$ref": "#/components/schemas/Nowhere"}},
        "C": {"type": "object", "properties": {"c": {"type": "string"}}},
    }
    document = spec(
        {
            f"/{name.lower()}": {
                "get": {"responses": answer({"$ref": f"#/components/schemas/{name}"})}
            }
            for name in schemas
        },
        components={"schemas": schemas},
    )
    doc = doc_of(tmp_path, document)
    assert only(doc).path == "/c"
    assert set(doc.schemas) == {"C"}


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    written(tmp_path, "secret.json", GOOD)
    folder = tmp_path / "docs"
    written(folder, "good.json", GOOD)
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    [doc] = read([folder])
    assert [one.where for one in doc.skipped] == ["link.json"]


def test_a_reference_through_a_link_out_of_the_folder_is_refused(tmp_path):
    written(tmp_path, "secret.yaml", "type: string")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    doc = doc_of(folder, with_reference("link.yaml"))
    assert only(doc).method == "GET"


# --------------------------------------------------------------------- twice and deep


def test_a_key_written_twice_is_reported_with_its_line(tmp_path):
    text = (
        "openapi: 3.0.3\ninfo: {title: A}\ninfo: {title: B}\npaths: {/a: {get: {responses: {}}}}\n"
    )
    doc = doc_of(tmp_path, text)
    assert doc.title == "B"
    assert [one.where for one in doc.skipped] == ["spec.yaml:3:1"]


def test_a_key_written_twice_in_json_is_reported(tmp_path):
    path = written(tmp_path, "a.json", GOOD.replace('"paths"', '"info": {"title": "B"}, "paths"'))
    [doc] = read([path])
    assert doc.title == "B"
    assert any('"info"' in one.reason for one in doc.skipped)


def test_an_alias_bomb_is_refused(tmp_path):
    lines = ["openapi: 3.0.3", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    path = written(tmp_path, "a.yaml", "\n".join(lines))
    assert "aliases" in refusal(path).what


def test_an_alias_inside_what_it_names_is_refused(tmp_path):
    path = written(tmp_path, "a.yaml", "openapi: 3.0.3\npaths: &p {/a: *p}\n")
    assert "alias" in refusal(path).what


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"openapi": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("a.yaml", "openapi: " + "[" * 100_000 + "]" * 100_000),
        ("a.yaml", "openapi: " + "[" * 500 + "]" * 500),
    ],
)
def test_what_is_nested_too_deeply_is_refused(tmp_path, name, text):
    assert "nest" in refusal(written(tmp_path, name, text)).what


def test_a_schema_nested_too_deeply_is_refused(tmp_path):
    schema: dict = {"type": "string"}
    for _ in range(200):
        schema = {"type": "array", "items": {"type": "object", "properties": {"a": schema}}}
    path = written(tmp_path, "a.json", json.dumps(one_operation({"responses": answer(schema)})))
    assert "nest" in refusal(path).what
