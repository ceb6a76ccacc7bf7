"""Documents in manners that the corpus has not, each as somebody writes them."""

import pytest

from forge.types.doc import ApiDoc
from tests.documents import arguments, by_name, doc_of

HEADED = """# Kite API

Base URL: `https://api.kites.example/v2`

## Kites

### List kites

```http
GET https://api.kites.example/v2/kites?page=2&state=up HTTP/1.1
Authorization: Bearer <token>
```

Lists what flies.

#### Query params

| Parameter | Type | Description |
| --- | --- | --- |
| `page` | integer | Optional. Which page. |
| `state` | string | One of `up`, `down`. |

#### Response `200 OK`

```json
{
  "kites": [
    {"id": "k_1", "name": "Delta", "span": 120, "state": "up"}, // the first
    ...
  ],
  "total": 37
}
```

#### Error response

```json
{"error": {"code": "unauthorized"}}
```

### Create a kite

> **POST** `https://api.kites.example/v2/kites`

**Body**

| Field | Type | Required | Description |
| --- | --- | --- | --- |
| name | string | ✓ | What it is called. |
| span | number |  | In centimetres (default 100). |

**Response 201**

```json
{"id": "k_1", "name": "Delta", "span": 120, "state": "down"}
```

| Status | Meaning |
| --- | --- |
| 201 | Made. |
| 409 | The name is taken. |

### Show a kite

`GET https://api.kites.example/v2/kites/{kite_id}`

### Remove a kite

`DELETE https://api.kites.example/v2/kites/{kite_id}`

Errors:

- `404` - There is none.
"""

PAGE = """<!doctype html><html><head><title>Shop API</title><style>p{}</style></head><body>
<nav><ul><li><a href="#a">GET /menu</a></ul></nav>
<main><h1>Shop</h1>
<section class="endpoint"><h2 id="a">Place an order</h2>
<div class="route"><span class="verb">POST</span> <code>/api/orders</code></div>
<p>Places an <em>order</em>.</p>
<h3>Parameters</h3>
<ul><li><code>sku</code> <i>string</i>, required &mdash; What is bought.
<li><code>count</code> (integer, default: 1) &mdash; How many.</ul>
<h3>Example request</h3><pre><code>curl -X POST https://x.org/api/orders \\
  -d '{"sku": "KT-1", "count": 2}'</code></pre>
<h3>Returns</h3><table><tr><th>Name<th>Type<tr><td>order_id<td>string<tr><td>total<td>number</table>
</section>
<section class="endpoint"><h2>Cancel an order</h2>
<div class="route"><span class="verb">POST</span> <code>/api/orders/:order_id/cancel</code></div>
<p>Cancels it.</p></section></main><footer>DELETE /everything</footer></body></html>
"""

SIGNATURES = """# Notes

A small store of notes.

## Functions

### `add_note(title, text)`

Adds a note.

**Arguments:**

* `title` (str): The title.
* `text` (str, optional): What it says.

**Returns:** `note_id`

### `remove_note(note_id)`

Removes a note.

**Arguments:**

* `note_id` (int): Which one.
"""

CHINESE = """# 图书馆接口

## 借书

**请求方式**：`POST /api/v1/loans`

**请求参数**：

| 参数名 | 类型 | 必填 | 说明 |
| --- | --- | --- | --- |
| book_id | int | 是 | 图书编号 |
| days | int | 否 | 借阅天数 |

**返回示例**：

```json
{"code": 0, "data": {"loan_id": 12, "book_id": 7, "due": "2026-03-01"}}
```

## 还书

**请求方式**：`DELETE /api/v1/loans/{loan_id}`
"""


TODOS = """# Todo Server

## Endpoints

### `POST` `/todos` — Create a todo

Request body:

```json
{
  "title": "Buy milk",   // required
  "done": false
}
```

Returns the created todo:

```json
{ "id": 1, "title": "Buy milk", "done": false, "created_at": "2024-01-01T00:00:00Z" }
```

### GET /todos

Get all todos. Supports `?done=true|false`.

#### Parameters

Name | Located in | Description | Required | Schema
---- | ---- | ---- | ---- | ----
done | query | Filter by state | No | boolean
limit | query | Max items | No | integer

#### Responses

Code | Description
---- | ----
200 | OK
401 | Unauthorized

### PATCH /todos/:id

* **id** *(path)* - the id
* **title** *(optional)* - new title
* **done** *(optional, boolean)*

### DELETE /todos/:id

Deletes. Response: 204 No Content.

## Users

* **GET** `/users` — list users
* **GET** `/users/{id}` — one user
"""


@pytest.fixture
def headed(tmp_path) -> ApiDoc:
    return doc_of(tmp_path, HEADED, "kites.md")


def test_endpoints_with_a_host_stand_under_their_headings(headed):
    assert [(one.method, one.path, one.summary) for one in headed.operations] == [
        ("GET", "/kites", "List kites"),
        ("POST", "/kites", "Create a kite"),
        ("GET", "/kites/{kite_id}", "Show a kite"),
        ("DELETE", "/kites/{kite_id}", "Remove a kite"),
    ]


def test_tables_below_headings_and_bold_lines_are_read(headed):
    named = by_name(headed)
    listing, create = arguments(named["get_kites"]), arguments(named["post_kites"])
    assert listing["page_number"].schema["type"] == "integer"
    assert listing["state"].schema["enum"] == ["up", "down"]
    assert create["name"].required
    assert create["span"].schema["default"] == 100


def test_an_error_is_no_result_and_its_codes_are_failures(headed):
    named = by_name(headed)
    assert set(named["get_kites"].result["properties"]) == {"kites", "total"}
    assert named["post_kites"].failures == {"409": "The name is taken."}
    assert named["delete_kites_by_kite_id"].failures == {"404": "There is none."}
    assert set(named["get_kites_by_kite_id"].result["properties"]) == {
        "id",
        "name",
        "span",
        "state",
    }
    assert headed.skipped == ()


def test_a_page_with_boxes_and_a_menu_is_read(tmp_path):
    doc = doc_of(tmp_path, PAGE, "shop.html")
    place, cancel = doc.operations
    assert (place.path, place.summary) == ("/orders", "Place an order")
    assert arguments(place)["sku"].required
    assert arguments(place)["sku"].schema["examples"] == ["KT-1"]
    assert arguments(place)["count_"].schema["default"] == 1
    assert set(place.result["properties"]) == {"order_id", "total"}
    assert (cancel.method, cancel.path) == ("POST", "/orders/{order_id}/cancel")


def test_functions_with_signatures_are_read(tmp_path):
    add, remove = doc_of(tmp_path, SIGNATURES, "notes.md").operations
    assert (add.name, add.description) == ("add_note", "Adds a note.")
    assert set(arguments(add)) == {"title", "text"}
    assert arguments(remove)["note_id"].schema["type"] == "integer"


def test_a_chinese_page_is_read(tmp_path):
    borrow, give_back = doc_of(tmp_path, CHINESE, "books.md").operations
    assert (borrow.method, borrow.path, borrow.summary) == ("POST", "/loans", "借书")
    assert arguments(borrow)["book_id"].required
    assert arguments(borrow)["book_id"].description == "图书编号"
    assert borrow.result["properties"]["data"]["properties"]["due"]["format"] == "date"
    assert arguments(give_back)["loan_id"].location == "path"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("创建任务", "create_task"),
        ("获取用户列表", "get_user_list"),
        ("删除购物车商品", "delete_cart_product"),
        ("查询订单V2", "query_order_v2"),
        ("ユーザー一覧を取得", "user_list_get"),
        ("タスクを削除", "task_delete"),
    ],
)
def test_chinese_and_japanese_names_are_read_in_english(tmp_path, said, name):
    tool = {"name": said, "description": said, "parameters": {"properties": {"标题": {}, "x": {}}}}
    [operation] = doc_of(tmp_path, [tool], "tools.json").operations
    assert operation.name == name
    assert operation.description == said
    assert set(arguments(operation)) == {"title", "x"}


def test_names_in_words_that_are_not_known_stay_legal_and_distinct(tmp_path):
    tools = [{"name": name, "parameters": {}} for name in ("饕餮", "魑魅", "创建饕餮", "创建魑魅")]
    names = [one.name for one in doc_of(tmp_path, tools, "tools.json").operations]
    assert len(set(names)) == 4
    assert all(name.isascii() and name.isidentifier() for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "**URL** : `/api/login/`\n\n**Method** : `POST`\n",
        "**Method:** POST\n**Path:** /api/login/\n",
        "- Method: `POST`\n- URL: `https://x.example/api/login/`\n",
        "请求方式：POST\n\n请求地址：`/api/login/`\n",
        "**Endpoint:** `POST /api/login/`\n",
    ],
)
def test_a_method_and_a_path_may_stand_apart(tmp_path, text):
    whole = f"# A\n\n## Log in\n\nOpens a session.\n\n{text}\n**Auth required** : NO\n"
    [operation] = doc_of(tmp_path, whole, "a.md").operations
    assert (operation.method, operation.path) == ("POST", "/login/")
    assert operation.summary == "Log in"


def test_endpoints_in_headings_and_bullets_with_sentences_for_labels_are_read(tmp_path):
    doc = doc_of(tmp_path, TODOS, "todos.md")
    named = by_name(doc)
    create = named["post_todos"]
    assert (create.summary, set(arguments(create))) == ("Create a todo", {"title", "done"})
    assert set(create.result["properties"]) == {"id", "title", "done", "created_at"}
    assert arguments(named["get_todos"])["done"].schema["type"] == "boolean"
    assert named["get_todos"].failures == {"401": "Unauthorized"}
    update = arguments(named["patch_todos_by_id"])
    assert update["todo_id"].schema["type"] == "integer"
    assert update["done"].schema["type"] == "boolean"
    assert named["get_users"].description == "list users"
