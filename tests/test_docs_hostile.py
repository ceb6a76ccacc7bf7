"""Hostile text in a document never becomes a name, markup or a control character."""

import json
import keyword
import re
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.docs.names import RESERVED, argument_names, document_name, tool_names
from forge.docs.read import read
from forge.docs.text import LIMIT
from tests.documents import answer, body, doc_of, one_operation, only, spec

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
HOSTILE = [
    "class",
    "__import__",
    "__class__.__bases__[0]",
    "import os; os.system('id')",
    'x"); import os  # ',
    "a\nb",
    "a\r\n\tb",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "{{7*7}}${7*7}",
    "'''\"\"\"",
    "\u202eevil",
    "\x00\x07",
    "名前",
    "Ünïcode Nâme",
    "x" * 10_000,
    "get",
    "page",
    "None",
    "True",
    "-1",
    "9lives",
    "",
    " ",
]
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def is_legal(name: str) -> bool:
    return bool(NAME.fullmatch(name)) and name not in RESERVED and not keyword.iskeyword(name)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_become_legal_ones(tmp_path, text):
    schema = {"type": "object", "required": [text], "properties": {text: {"type": "string"}}}
    operation = {
        "operationId": text,
        "tags": [text],
        "parameters": [{"name": text, "in": "query", "schema": {"type": "string"}}],
        "requestBody": body(schema),
    }
    document = one_operation(operation, info={"title": text})
    doc = doc_of(tmp_path, document)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", doc.name)
    assert is_legal(only(doc).name)
    assert not only(doc).name.startswith("__")
    named = [one.name for one in only(doc).parameters]
    assert len(set(named)) == 2
    assert all(is_legal(name) for name in named)
    assert {one.field for one in only(doc).parameters} == {text}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_prose_becomes_plain_text(tmp_path, text):
    long = text * 3
    operation = {
        "summary": long,
        "description": long,
        "parameters": [
            {"name": "a", "in": "query", "description": long, "schema": {"type": "string"}}
        ],
        "responses": {"404": {"description": long}, **answer({"type": "string", "title": long})},
    }
    document = one_operation(operation, info={"title": long, "description": long})
    doc = doc_of(tmp_path, document)
    [a] = only(doc).parameters
    prose = [doc.title, doc.description, only(doc).summary, only(doc).description, a.description]
    prose += [*only(doc).failures.values(), only(doc).result.get("title", "")]
    for one in prose:
        assert len(one) <= LIMIT
        assert not CONTROL.search(one)
        assert "<script" not in one
    assert only(doc).summary
    assert "\n" not in only(doc).summary
    assert "\n" not in doc.title


def test_a_description_of_ten_thousand_characters_is_cut_with_a_mark(tmp_path):
    doc = doc_of(tmp_path, one_operation({"description": "word " * 2_000}))
    assert len(only(doc).description) <= LIMIT
    assert only(doc).description.endswith("[…]")


def test_html_is_taken_off_and_placeholders_are_kept(tmp_path):
    text = '<p>Set <b>a</b> to <id> where a < b &amp; c > d.</p><!-- x --><img src=x onerror="y">'
    doc = doc_of(tmp_path, one_operation({"description": text}))
    assert only(doc).description == "Set a to <id> where a < b &amp; c > d."


def test_lone_surrogates_do_not_survive(tmp_path):
    path = tmp_path / "a.json"
    document = one_operation({"description": "@", "tags": ["@"], "requestBody": body(
        {"type": "object", "properties": {"@": {"type": "string", "enum": ["@"]}}})})  # fmt: skip
    path.write_text(json.dumps(document).replace("@", "\\ud800"))
    [doc] = read([path])
    assert json.dumps(asdict(doc), ensure_ascii=False).encode("utf-8")


def test_a_tag_that_makes_objects_makes_none(tmp_path):
    text = """
openapi: 3.0.3
info: {title: Kites}
paths: {/kites: {get: {responses: {}, description: !!python/object/apply:os.getcwd []}}}
x: !!python/name:os.system
"""
    assert only(doc_of(tmp_path, text)).description == ""


def test_a_path_that_cannot_be_printed_is_skipped(tmp_path):
    paths = {"/a\nb": {"get": {"responses": {}}}, "/b": {"get": {"responses": {}}}}
    doc = doc_of(tmp_path, spec(paths))
    assert only(doc).path == "/b"
    assert all("\n" not in one.where + one.reason for one in doc.skipped)


def test_numbers_that_json_has_not_are_text(tmp_path):
    path = tmp_path / "a.json"
    example = {"a": "@1", "b": "@2"}
    document = one_operation({"responses": {"200": {"description": "", "content": {
        "application/json": {"schema": {}, "example": example}}}}})  # fmt: skip
    path.write_text(json.dumps(document).replace('"@1"', "NaN").replace('"@2"', "1e999"))
    [doc] = read([path])
    assert only(doc).examples == ({"a": "NaN", "b": "1e999"},)


# ------------------------------------------------------------------------- properties

texts = st.text(max_size=90) | st.text(alphabet="aB_1-. é", max_size=4)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(texts, st.sampled_from(["GET", "POST"]), texts), max_size=8), st.randoms()
)
def test_tool_names_are_legal_distinct_and_independent_of_order(operations, random):
    operations = list(dict.fromkeys(operations))
    names = tool_names(operations)
    assert len(set(names)) == len(names)
    assert all(is_legal(name) for name in names)
    shuffled = random.sample(operations, len(operations))
    again = dict(zip(shuffled, tool_names(shuffled), strict=True))
    assert [again[operation] for operation in operations] == names


places = st.sampled_from(["path", "query", "header", "cookie", "body"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(texts, places), max_size=8, unique=True), texts, st.randoms())
def test_argument_names_are_legal_distinct_and_independent_of_order(fields, path, random):
    names = argument_names(fields, path)
    assert len(set(names)) == len(names)
    assert all(is_legal(name) for name in names)
    shuffled = random.sample(fields, len(fields))
    again = dict(zip(shuffled, argument_names(shuffled, path), strict=True))
    assert [again[one] for one in fields] == names


@settings(max_examples=100, deadline=None)
@given(texts, texts)
def test_a_documents_name_is_legal(title, file):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", document_name(title, file, {"kites"}))
    assert document_name(title, file, {"kites"}) != "kites"
