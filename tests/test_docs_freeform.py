"""Documents in prose as they are found: Markdown and HTML of people who never heard of forge."""

from dataclasses import replace

import pytest

from forge.docs.examples import inferred, loose
from forge.docs.labels import label_of
from forge.docs.read import read
from forge.errors import UserError
from forge.types.doc import ApiDoc
from tests.documents import arguments, by_name, doc_of, only
from tests.places import CORPUS

HEALTHCHECKS = CORPUS / "md-html-healthchecks"
KANBOARD = CORPUS / "md-kanboard"
READMES = CORPUS / "md-mcp-readmes"


@pytest.fixture(scope="module")
def linkding() -> ApiDoc:
    [doc] = read([CORPUS / "md-linkding"])
    return doc


@pytest.fixture(scope="module")
def kanboard() -> ApiDoc:
    [doc] = read([KANBOARD])
    return doc


def shape(doc: ApiDoc) -> ApiDoc:
    """Without what may differ between two writings of one document."""
    operations = tuple(replace(one, where="") for one in doc.operations)
    return replace(doc, operations=operations, source="", sha256="", form="", skipped=())


# ---------------------------------------------------------------- whole documents


def test_a_page_with_run_in_headings_gives_all_its_endpoints(linkding):
    assert len(linkding.operations) == 26
    named = by_name(linkding)
    assert named["get_bookmarks_archived"].path == "/bookmarks/archived/"
    assert named["put_bookmarks_by_id"].tags == ("Bookmarks",)
    assert named["post_bundles"].summary == "Creates a new bundle."


def test_each_operation_knows_its_line(linkding):
    lines = (CORPUS / "md-linkding" / "api.md").read_text(encoding="utf-8").splitlines()
    for one in linkding.operations:
        number = int(one.where.rpartition(":")[2])
        below = "\n".join(lines[number - 1 : number + 3])
        assert f"{one.method} /api{one.path.split('{')[0]}" in below


def test_put_and_patch_of_one_block_are_two_and_only_put_needs_what_is_required(linkding):
    named = by_name(linkding)
    assert arguments(named["put_bookmarks_by_id"])["url"].required
    assert not arguments(named["patch_bookmarks_by_id"])["url"].required


def test_one_record_is_what_the_list_lists(linkding):
    named = by_name(linkding)
    record = named["get_bookmarks_by_id"].result["properties"]
    assert record == named["get_bookmarks"].result["properties"]["results"]["items"]["properties"]
    assert arguments(named["get_bookmarks_by_id"])["bookmark_id"].schema["type"] == "integer"


def test_the_same_as_for_the_list_is_the_same(linkding):
    named = by_name(linkding)
    archived, listing = named["get_bookmarks_archived"], named["get_bookmarks"]
    assert archived.result == listing.result
    assert arguments(archived).keys() == arguments(listing).keys()


def test_the_same_document_as_markdown_and_as_html_is_the_same():
    [markdown] = read([HEALTHCHECKS / "api.md"])
    [html] = read([HEALTHCHECKS / "api.html-fragment"])
    assert shape(markdown) == shape(html)
    assert (markdown.form, html.form) == ("Markdown", "HTML")


def test_a_table_of_endpoints_and_their_sections_are_told_once():
    [doc] = read([HEALTHCHECKS / "api.md"])
    assert len(doc.operations) == 15
    named = by_name(doc)
    assert named["post_checks_pause"].summary == "Pause Monitoring of a Check"
    assert named["post_checks_pause"].tags == ("Checks",)
    assert set(named["post_checks_resume"].failures) == {"401", "403", "404", "409"}


def test_definition_lists_are_parameters_with_types_and_defaults():
    [doc] = read([HEALTHCHECKS / "api.md"])
    create = arguments(by_name(doc)["post_checks"])
    assert create["manual_resume"].schema["type"] == "boolean"
    assert create["manual_resume"].schema["default"] is False
    assert create["tz"].schema["default"] == "UTC"
    assert create["timeout"].schema["examples"] == [300]
    assert create["unique"].schema["type"] == "array"
    status = by_name(doc)["post_checks"].result["properties"]["status"]
    assert status["enum"] == ["new", "up", "grace", "down", "paused"]


def test_a_folder_with_an_index_page_is_one_document(kanboard):
    assert kanboard.title == "API Reference"
    assert len(kanboard.operations) == 160
    assert by_name(kanboard)["create_task"].tags == ("Task API Procedures",)


def test_procedures_without_paths_have_what_their_bullets_say(kanboard):
    create = by_name(kanboard)["create_task"]
    assert (create.method, create.path, create.summary) == ("", "", "Create a new task")
    assert arguments(create)["title"].required
    assert arguments(create)["tags"].schema["items"]["type"] == "string"
    assert "YYYY-MM-DD" in arguments(create)["date_due"].description
    assert create.result["type"] == "integer"


def test_arguments_that_only_an_example_shows_are_taken_from_it(kanboard):
    overdue = by_name(kanboard)["get_overdue_tasks_by_project"]
    assert arguments(overdue)["project_id"].schema["type"] == "integer"


def test_pages_that_do_not_form_one_are_several_documents():
    counts = {doc.source: len(doc.operations) for doc in read([READMES])}
    assert counts == {
        "filesystem.md": 13,
        "github.md": 26,
        "gitlab.md": 9,
        "memory.md": 9,
        "slack.md": 8,
    }


def test_tools_of_a_readme_have_what_is_not_optional_required():
    [doc] = read([READMES / "github.md"])
    create = arguments(by_name(doc)["create_issue"])
    required = {name for name, one in create.items() if one.required}
    assert required == {"owner", "repo", "title"}
    assert create["labels"].schema["items"]["type"] == "string"
    assert arguments(by_name(doc)["list_issues"])["state"].schema["enum"] == [
        "open",
        "closed",
        "all",
    ]
    review = arguments(by_name(doc)["create_pull_request_review"])
    assert set(review["comments"].schema["items"]["properties"]) == {"path", "position", "body"}


def test_hints_of_tools_come_from_the_table_of_annotations():
    [doc] = read([READMES / "filesystem.md"])
    named = by_name(doc)
    assert named["read_text_file"].hints.reads is True
    assert named["move_file"].hints.destroys is True


# ------------------------------------------------------------------- where and how


@pytest.mark.parametrize(
    "text",
    [
        "## GET /kites/{id}\n\nShows one. Example response:\n\n```\n{}\n```",
        "## Show a kite\n\n`GET /kites/<id>`\n\nShows one.",
        "## Show a kite\n\n**GET** `/kites/:id`\n\nShows one.",
        "## Show a kite\n\n```http\nGET /kites/$ID HTTP/1.1\n```\n",
        "## Kites\n\n- `GET /kites/{id}` - Shows one.\n",
        "## Kites\n\n| Call | What |\n|---|---|\n| `GET /kites/{id}` | Shows one |\n",
        "## Kites\n\n| Method | Path | What |\n|---|---|---|\n| GET | /kites/{id} | Shows one |\n",
        "## Show\n\n```\nGET https://api.example.com/v2/kites/[id]\n```\n",
        "**Show**\n\nGET SITE_ROOT/kites/<id>\n\nShows one.",
        "<h2>Show</h2><p><code>GET {{base}}/kites/&lt;id&gt;</code></p>",
    ],
)
def test_an_endpoint_is_found_however_it_is_written(tmp_path, text):
    operation = only(doc_of(tmp_path, f"# Kites\n\n{text}\n", "kites.md"))
    assert operation.method == "GET"
    assert operation.path.endswith("/kites/{id}" if "$ID" not in text else "/kites/{ID}")


def test_a_call_with_real_values_is_an_example_and_no_operation(tmp_path):
    text = (
        "# A\n\n## Show\n\n`GET /kites/{id}`\n\n"
        "For instance:\n\n```\nGET /kites/17\n```\n\n## Check\n\n`GET /kites/check`\n"
    )
    doc = doc_of(tmp_path, text, "a.md")
    assert [one.path for one in doc.operations] == ["/kites/{id}", "/kites/check"]


PARAMETERS = {
    "bullets": "Parameters:\n\n- `size` - How big. Default is `3`\n- **name** (string, required)\n",
    "table": (
        "| Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n"
        "| `size` | int | no | 3 | How big. |\n| name | str | yes | | |\n"
    ),
    "definitions": (
        "### Request Parameters\n\nsize\n:   integer, optional, default value: 3.\n\n"
        "    How big.\n\nname\n:   string, required\n"
    ),
    "html": (
        "<h3>Body parameters</h3><dl><dt>size<dd>integer (default: 3)<p>How big."
        "<dt><code>name</code><dd>string, required</dl>\n"
    ),
}


@pytest.mark.parametrize("text", PARAMETERS.values(), ids=list(PARAMETERS))
def test_parameters_are_found_however_they_are_written(tmp_path, text):
    whole = f"# A\n\n## Make\n\n`POST /kites`\n\nMakes one.\n\n{text}"
    found = arguments(only(doc_of(tmp_path, whole, "a.md")))
    assert found["size"].schema["type"] == "integer"
    assert found["size"].schema["default"] == 3
    assert found["size"].description.startswith("How big.")
    assert found["name"].required
    assert not found["size"].required


def test_labels_in_chinese_and_japanese_are_understood(tmp_path):
    text = (
        "# 任务\n\n## 创建任务\n\n`POST /tasks`\n\n创建一个任务。\n\n请求参数:\n\n"
        "- `title` (字符串, 必填): 任务的标题。\n- `备注` (字符串, 可选)\n\n"
        '返回示例:\n\n```json\n{"id": 1, "title": "买菜"}\n```\n\n'
        "## タスクを消す\n\n`DELETE /tasks/{id}`\n\nパラメータ:\n\n- `force` (真偽値)\n"
    )
    create, remove = doc_of(tmp_path, text, "tasks.md").operations
    assert arguments(create)["title"].required
    assert arguments(create)["title"].description == "任务的标题。"
    assert all(name.isascii() and name.isidentifier() for name in arguments(create))
    assert set(create.result["properties"]) == {"id", "title"}
    assert arguments(remove)["force"].schema["type"] == "boolean"


def test_a_list_that_a_sentence_introduces_is_prose(tmp_path):
    text = "# A\n\n## Make\n\n`POST /kites`\n\nTwo kinds there are:\n\n* `red` ones\n* blue ones\n"
    operation = only(doc_of(tmp_path, text, "a.md"))
    assert operation.parameters == ()
    assert "blue ones" in operation.description


def test_what_names_no_parameter_is_told_with_its_line(tmp_path):
    text = "# A\n\n## Make\n\n`POST /kites`\n\nParameters:\n\n- `size`: How big.\n- as you like\n"
    [skipped] = doc_of(tmp_path, text, "a.md").skipped
    assert skipped.where == "a.md:10"
    assert "as you like" in skipped.reason


@pytest.mark.parametrize(("one_doc", "counts"), [(None, [1, 1]), (True, [2]), (False, [1, 1])])
def test_whether_pages_are_one_document_can_be_said(tmp_path, one_doc, counts):
    (tmp_path / "a.md").write_text("# A\n\n## Make\n\n`POST /a`\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n\n## Make\n\n`POST /b`\n", encoding="utf-8")
    docs = read([tmp_path], one_doc=one_doc)
    assert [len(doc.operations) for doc in docs] == counts


def test_pages_that_share_a_url_are_one_document(tmp_path):
    for name in "ab":
        text = f"# {name}\n\n```\nGET https://api.example.com/v1/{name}\n```\n"
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    [doc] = read([tmp_path])
    assert [one.where for one in doc.operations] == ["a.md:3", "b.md:3"]


@pytest.mark.parametrize("encoding", ["euc_jp", "shift_jis", "utf-16", "utf-8-sig"])
def test_japanese_is_read_in_the_encodings_it_is_written_in(tmp_path, encoding):
    text = "# 図書館\n\n## 本を探す\n\n`GET /books`\n\n題名や著者の名前で本を探すことができます。\n"
    path = tmp_path / "books.md"
    path.write_bytes(text.encode(encoding))
    [doc] = read([path])
    assert only(doc).description == "題名や著者の名前で本を探すことができます。"


def test_an_encoding_that_cannot_be_told_can_be_said(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes("# Ćwiczenia\n\n`GET /ćma`\n\nŻółw śpi źle.\n".encode("cp1250"))
    with pytest.raises(UserError, match="--encoding"):
        read([path])
    [doc] = read([path], encoding="cp1250")
    assert doc.title == "Ćwiczenia"


# ------------------------------------------------------------------------ parts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, ...}', {"a": 1}),
        ("[1, 2, ...]", [1, 2]),
        ('{"a": [ {"b": 2}, ... ], // more\n}', {"a": [{"b": 2}]}),
        (
            '{"url": "https://x.org/#a", # the page\n "n": null}',
            {"url": "https://x.org/#a", "n": None},
        ),
        ('{/* all */ unique: ["name",]}', {"unique": ["name"]}),
        ('{"id": <id>, "ok": True}', {"id": "<id>", "ok": True}),
        ('{"cron": "\\*/5"}', {"cron": "*/5"}),
    ],
)
def test_json_as_people_write_it_is_read(text, value):
    assert loose(text) == (value,)


@pytest.mark.parametrize("text", ["{", "{'a': 1}", '{"a" 1}', "[" * 10_000, '{"a": 1} and more'])
def test_what_is_no_json_is_no_example(text):
    assert loose(text) is None


def test_a_schema_is_what_examples_have_in_common():
    schema = inferred([[{"id": 1, "at": None}, {"id": 2.5, "at": "2026-01-02T03:04:05Z"}]])
    assert schema["items"]["properties"]["id"]["type"] == "number"
    assert schema["items"]["properties"]["at"] == {
        "type": "string",
        "format": "date-time",
        "nullable": True,
        "examples": ["2026-01-02T03:04:05Z"],
    }


def test_an_object_whose_keys_are_ids_is_a_map():
    assert inferred([{"1": "a", "22": "b"}])["additionalProperties"] == {"type": "string"}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Parameters:", ("parameters", "")),
        ("**Query Parameters**", ("query", "")),
        ("Returns: a list", ("result", "a list")),
        ("Request example to fetch all tasks:", ("request example", "")),
        ("Example payload:", ("request example", "")),
        ("Result on failure: **false**", ("failure", "**false**")),
        ("Optional inputs:", ("parameters", "")),
        ("请求参数：", ("parameters", "")),
        ("Note: be careful", None),
        ("Parameters are the same", None),
    ],
)
def test_a_label_says_what_stands_below_it(text, label):
    assert label_of(text) == label
