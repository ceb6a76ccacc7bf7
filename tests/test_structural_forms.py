"""Documents whose calls are forms: empty bodies, POST as update, keys shown as records on demand,
parts of a list counted from a record, Unix times."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from forge.docs.read import read
from forge.types.doc import ApiDoc
from forge.types.environment import Tool
from forge.types.state import State
from tests.documents import answer, by_name, doc_of, spec
from tests.places import CORPUS
from tests.structural import draft_of, drafts, effect, session_of, table, value, why_left_out

TEXT: dict[str, Any] = {"type": "string", "maxLength": 5000}
MOMENT = {"type": "integer", "format": "unix-time"}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
GUEST = {
    "type": "object",
    "required": ["id", "object", "created"],
    "properties": {
        "id": TEXT,
        "object": {"type": "string", "enum": ["guest"]},
        "name": {**TEXT, "nullable": True},
        "created": MOMENT,
    },
}
GONE = {
    "type": "object",
    "required": ["id", "object", "deleted"],
    "properties": {
        "id": TEXT,
        "object": {"type": "string", "enum": ["guest"]},
        "deleted": {"type": "boolean", "enum": [True]},
    },
}
STAY = {
    "type": "object",
    "required": ["id", "object", "created", "nights"],
    "properties": {
        "id": TEXT,
        "object": {"type": "string", "enum": ["stay"]},
        "created": MOMENT,
        "nights": {"type": "integer"},
        "guest": {
            "nullable": True,
            "anyOf": [
                TEXT,
                {"$ref": "#/components/schemas/guest"},
                {"$ref": "#/components/schemas/deleted_guest"},
            ],
        },
        "payer": {
            "anyOf": [
                TEXT,
                {"$ref": "#/components/schemas/guest"},
                {"$ref": "#/components/schemas/stay"},
            ],
        },
    },
}
RANGE = {
    "anyOf": [
        {
            "type": "object",
            "properties": {name: {"type": "integer"} for name in ("gt", "gte", "lt", "lte")},
        },
        {"type": "integer"},
    ]
}


def form(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        schema["required"] = list(required)
    return {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}


def listed(name: str) -> dict[str, Any]:
    return answer(
        {
            "type": "object",
            "required": ["data", "has_more", "object", "url"],
            "properties": {
                "data": {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}},
                "has_more": {"type": "boolean"},
                "object": {"type": "string", "enum": ["list"]},
                "url": {"type": "string", "pattern": f"^/v1/{name}s"},
            },
        }
    )


def query(name: str, schema: dict[str, Any], told: str = "") -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": told}


PARTS = [
    query("limit", {"type": "integer"}, "It can range between 1 and 100, and the default is 10."),
    query("starting_after", {"type": "string"}, "An object ID that defines your place in the list"),
    query("ending_before", {"type": "string"}, "An object ID that defines your place in the list"),
]
REF = {name: {"$ref": f"#/components/schemas/{name}"} for name in ("guest", "stay")}


def hotel(**more: Any) -> dict[str, Any]:
    def key(name: str) -> list[dict[str, Any]]:
        return [{"name": name, "in": "path", "required": True, "schema": TEXT}]

    empty = {"content": {"application/x-www-form-urlencoded": {"schema": NOTHING}}}
    paths = {
        "/v1/guests": {
            "post": {
                "operationId": "PostGuests",
                "requestBody": form({"name": TEXT}),
                "responses": answer(REF["guest"]),
            },
            "get": {
                "operationId": "GetGuests",
                "requestBody": empty,
                "parameters": PARTS,
                "responses": listed("guest"),
            },
        },
        "/v1/guests/{guest}": {
            "parameters": key("guest"),
            "get": {
                "operationId": "GetGuestsGuest",
                "requestBody": empty,
                "responses": answer(REF["guest"]),
            },
            "post": {
                "operationId": "PostGuestsGuest",
                "description": "Updates a guest. What is not provided will be left unchanged.",
                "requestBody": form({"name": TEXT}),
                "responses": answer(REF["guest"]),
            },
            "delete": {
                "operationId": "DeleteGuestsGuest",
                "requestBody": empty,
                "responses": answer({"$ref": "#/components/schemas/deleted_guest"}),
            },
        },
        "/v1/stays": {
            "get": {
                "operationId": "GetStays",
                "description": "Returns your stays, the most recent appearing first.",
                "parameters": [*PARTS, query("created", RANGE), query("guest", TEXT)],
                "responses": listed("stay"),
            },
        },
        "/v1/stays/{stay}": {
            "parameters": key("stay"),
            "get": {"operationId": "GetStaysStay", "responses": answer(REF["stay"])},
        },
        **more,
    }
    schemas = {"guest": GUEST, "stay": STAY, "deleted_guest": GONE}
    return spec(paths, components={"schemas": schemas})


@pytest.fixture
def doc(tmp_path: Path) -> ApiDoc:
    return doc_of(tmp_path, hotel())


@pytest.fixture
def draft(doc: ApiDoc) -> Draft:
    return draft_of(doc)


def stays(count: int) -> State:
    guests = {g: {"id": g, "object": "guest", "created": 1_700_000_000} for g in ("g1", "g2")}
    made = {
        f"s{n}": {
            "id": f"s{n}",
            "object": "stay",
            "created": 1_700_000_000 + n * 100,
            "nights": n,
            "guest": f"g{1 + n % 2}",
        }
        for n in range(1, count + 1)
    }
    return {"guests": guests, "stays": made}


def ids(result: Any) -> list[str]:
    return [row["id"] for row in result["data"]]


def test_a_body_that_holds_nothing_gives_no_argument(doc: ApiDoc) -> None:
    assert by_name(doc)["get_guests_guest"].parameters[0].name == "guest"
    assert len(by_name(doc)["get_guests_guest"].parameters) == 1
    assert len(by_name(doc)["get_guests"].parameters) == 3


def test_a_path_argument_named_like_the_records_is_their_key(draft: Draft) -> None:
    assert effect(draft, "get_stays_stay").match["stay"].column == "id"
    session = session_of(draft, stays(2))
    assert value(session.call("get_stays_stay", {"stay": "s2"}))["nights"] == 2
    assert session.call("get_stays_stay", {"stay": "s9"}).failure == "not_found"


def test_a_post_to_a_record_that_says_update_leaves_the_rest(draft: Draft) -> None:
    session = session_of(draft, stays(1))
    value(session.call("post_guests_guest", {"guest": "g1", "name": "Ada"}))
    again = value(session.call("post_guests_guest", {"guest": "g1"}))
    assert again["name"] == "Ada"


def test_a_delete_answers_that_the_record_is_gone(draft: Draft) -> None:
    session = session_of(draft, {**stays(0)})
    gone = value(session.call("delete_guests_guest", {"guest": "g2"}))
    assert gone == {"id": "g2", "object": "guest", "deleted": True}


def test_a_key_that_may_be_shown_as_the_record_refers_to_its_table(draft: Draft) -> None:
    columns = {c.name: c for c in table(draft.state_schema, "stays").columns}
    assert columns["guest"].references == "guests"
    assert columns["guest"].type == "string"


def test_a_key_of_records_of_several_kinds_refers_to_none(draft: Draft) -> None:
    columns = {c.name: c for c in table(draft.state_schema, "stays").columns}
    assert "payer" not in columns


def test_a_list_says_what_it_is_and_whether_there_is_more(draft: Draft) -> None:
    session = session_of(draft, stays(3))
    whole = value(session.call("get_stays", {}))
    assert whole["object"] == "list"
    assert whole["has_more"] is False
    assert value(session.call("get_stays", {"limit": 2}))["has_more"] is True


def test_a_list_has_the_size_that_the_words_say(draft: Draft) -> None:
    session = session_of(draft, stays(12))
    assert len(ids(value(session.call("get_stays", {})))) == 10
    assert session.call("get_stays", {"limit": 101}).failure == "invalid"


def test_a_part_begins_after_a_record_or_ends_before_one(draft: Draft) -> None:
    session = session_of(draft, stays(6))
    assert ids(value(session.call("get_stays", {}))) == ["s6", "s5", "s4", "s3", "s2", "s1"]
    after = value(session.call("get_stays", {"starting_after": "s5", "limit": 2}))
    assert (ids(after), after["has_more"]) == (["s4", "s3"], True)
    before = value(session.call("get_stays", {"ending_before": "s2", "limit": 2}))
    assert (ids(before), before["has_more"]) == (["s4", "s3"], True)
    assert session.call("get_stays", {"starting_after": "s77"}).failure == "invalid"


def test_a_range_compares_each_of_its_bounds(draft: Draft) -> None:
    session = session_of(draft, stays(6))

    def found(created: Any) -> list[str]:
        return ids(value(session.call("get_stays", {"created": created})))

    assert found({"gt": 1_700_000_200, "lte": 1_700_000_400}) == ["s4", "s3"]
    assert found({"gte": 1_700_000_500}) == ["s6", "s5"]
    assert found({"lt": 1_700_000_200}) == ["s1"]
    assert found(1_700_000_300) == ["s3"]


def test_the_clock_is_written_in_seconds(draft: Draft) -> None:
    session = session_of(draft, stays(0))
    made = value(session.call("post_guests", {"name": "Ada"}))
    assert made["created"] == 1_772_442_000


def with_orders(**order: Any) -> dict[str, Any]:
    """The hotel with orders that can be canceled, and shipped where `order` says more of it."""
    schema = {
        "type": "object",
        "required": ["id", "status", "metadata"],
        "properties": {
            "id": TEXT,
            "status": {"type": "string", "enum": ["canceled", "draft", "pending", "shipped"]},
            "canceled_at": {**MOMENT, "nullable": True},
            "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
            "amount": {"type": "integer", "nullable": True},
            **order,
        },
    }
    key = [{"name": "order", "in": "path", "required": True, "schema": TEXT}]
    told = "Individual keys can be unset by posting an empty value to them."
    answered = answer({"$ref": "#/components/schemas/order"})
    unset = {"enum": [""], "type": "string"}
    metadata = {"anyOf": [schema["properties"]["metadata"], unset], "description": told}
    paths = {
        "/v1/orders": {
            "get": {"operationId": "GetOrders", "responses": listed("order")},
            "post": {
                "operationId": "PostOrders",
                "requestBody": form({"metadata": metadata, "amount": {"type": "integer"}}),
                "responses": answered,
            },
        },
        "/v1/orders/{order}": {
            "parameters": key,
            "get": {"operationId": "GetOrdersOrder", "responses": answered},
            "post": {
                "operationId": "PostOrdersOrder",
                "summary": "Updates an order",
                "requestBody": form({"metadata": metadata}),
                "responses": answered,
            },
        },
        "/v1/orders/{order}/cancel": {
            "parameters": key,
            "post": {
                "operationId": "PostOrdersOrderCancel",
                "description": "Cancels an order. Only pending orders can be canceled.",
                "responses": answered,
            },
        },
        "/v1/orders/{order}/ship": {
            "parameters": key,
            "post": {
                "operationId": "PostOrdersOrderShip",
                "description": "An order can be shipped if its goods have been found.",
                "responses": answered,
            },
        },
    }
    document = hotel(**paths)
    document["components"]["schemas"]["order"] = schema
    return document


@pytest.fixture
def orders(tmp_path: Path) -> Draft:
    return draft_of(doc_of(tmp_path, with_orders()))


def one_order(**more: Any) -> State:
    order = {"id": "o1", "status": "pending", "metadata": {"a": "1", "b": "2"}, **more}
    return {**stays(0), "orders": {"o1": order}}


def test_a_map_is_laid_over_the_one_that_is_there(orders: Draft) -> None:
    assert effect(orders, "post_orders_order").merges == ("metadata",)
    session = session_of(orders, one_order())
    passed = {"order": "o1", "metadata": {"b": "", "c": "3"}}
    assert value(session.call("post_orders_order", passed))["metadata"] == {"a": "1", "c": "3"}


def test_a_map_that_is_not_given_is_empty_and_a_draft_is_first(orders: Draft) -> None:
    made = value(session_of(orders, one_order()).call("post_orders", {"amount": 5}))
    assert made["metadata"] == {}
    assert made["status"] == "draft"


def test_what_must_hold_before_an_action_is_read_from_its_words(orders: Draft) -> None:
    session = session_of(orders, one_order())
    canceled = value(session.call("post_orders_order_cancel", {"order": "o1"}))
    assert canceled["status"] == "canceled"
    assert canceled["canceled_at"] == 1_772_442_000
    assert session.call("post_orders_order_cancel", {"order": "o1"}).failure == "conflict"
    drafted = session_of(orders, one_order(status="draft"))
    assert drafted.call("post_orders_order_cancel", {"order": "o1"}).failure == "conflict"


def test_a_condition_that_no_column_shows_leaves_the_action_out(orders: Draft) -> None:
    assert "a condition that no column shows" in why_left_out(orders, "post_orders_order_ship")


def test_an_action_whose_amount_is_counted_is_left_out(tmp_path: Path) -> None:
    counted = {"amount_canceled": {"type": "integer", "nullable": True}}
    draft = draft_of(doc_of(tmp_path, with_orders(**counted)))
    assert "amount_canceled" in why_left_out(draft, "post_orders_order_cancel")


def test_a_status_listed_by_the_alphabet_says_nothing_of_the_first(tmp_path: Path) -> None:
    states = {"status": {"type": "string", "enum": ["canceled", "pending", "shipped"]}}
    draft = draft_of(doc_of(tmp_path, with_orders(**states)))
    assert why_left_out(draft, "post_orders") == "nothing shows the status of a new order"


@pytest.mark.parametrize("words", ["Updates the stays of a guest.", "Retrieves a stay."])
def test_a_post_whose_words_begin_otherwise_makes_no_record(tmp_path: Path, words: str) -> None:
    made = form({"nights": {"type": "integer"}}, ("nights",))
    post = {
        "operationId": "PostStays",
        "description": words,
        "requestBody": made,
        "responses": answer(REF["stay"]),
    }
    document = hotel()
    document["paths"]["/v1/stays"]["post"] = post
    assert "no making of a record" in why_left_out(
        draft_of(doc_of(tmp_path, document)), "post_stays"
    )


STRIPE = CORPUS / "openapi-stripe"


def stripe_tools() -> dict[str, tuple[Draft, Tool]]:
    return {tool.name: (draft, tool) for draft in drafts(STRIPE) for tool in draft.tools}


@pytest.mark.parametrize(
    ("name", "verb", "table", "match"),
    [
        ("get_charges_charge", "get", "charges", {"charge": "id"}),
        ("get_payment_intents_intent", "get", "payment_intents", {"intent": "id"}),
        ("post_coupons_coupon", "update", "coupons", {"coupon": "id"}),
        ("delete_coupons_coupon", "delete", "coupons", {"coupon": "id"}),
        ("get_issuing_cards_card", "get", "issuing_cards", {"card": "id"}),
    ],
)
def test_operations_of_a_form_api_are_what_their_paths_say(
    name: str, verb: str, table: str, match: dict[str, str]
) -> None:
    _, tool = stripe_tools()[name]
    assert tool.effect is not None
    assert (tool.effect.verb, tool.effect.table) == (verb, table)
    assert {argument: m.column for argument, m in tool.effect.match.items()} == match


def test_well_over_two_fifths_of_a_form_api_are_drafted() -> None:
    [doc] = read([STRIPE])
    assert len(stripe_tools()) >= len(doc.operations) * 0.45


@pytest.mark.parametrize(
    "name",
    [
        "post_charges_charge_capture",
        "post_invoices_invoice_pay",
        "post_payouts_payout_cancel",
        "get_customers_search",
        "get_customers_customer_sources",
    ],
)
def test_what_a_form_api_works_out_itself_is_left_out(name: str) -> None:
    assert name not in stripe_tools()


def test_an_order_that_is_said_to_be_reversed_is_reversed_by_every_choice(tmp_path: Path) -> None:
    said = "The results are in reverse chronological order by `created` or `nights`."
    order = query("order_by", {"type": "string", "enum": ["created", "nights"]}, said)
    document = hotel()
    document["paths"]["/v1/stays"]["get"]["parameters"] = [*PARTS, order]
    draft = draft_of(doc_of(tmp_path, document))
    stays = {
        key: {"id": key, "object": "stay", "created": at, "nights": nights}
        for key, at, nights in (("a", 1, 9), ("b", 2, 3), ("c", 3, 6))
    }
    session = session_of(draft, {"guests": {}, "stays": stays})
    rows = value(session.call("get_stays", {"order_by": "nights"}))["data"]
    assert [row["id"] for row in rows] == ["a", "c", "b"]
