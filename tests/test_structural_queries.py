"""Documents that read by queries: an id in the query, searches by POST, pages counted from 0."""

from pathlib import Path
from typing import Any

from forge.env.session import Session
from forge.types.state import State
from tests.documents import answer, doc_of, spec
from tests.places import CORPUS
from tests.structural import draft_of, drafts, effect, session_of, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
WHOLE: dict[str, Any] = {"type": "integer"}
SHIP: dict[str, Any] = {
    "type": "object",
    "required": ["uid", "name"],
    "properties": {
        "uid": TEXT,
        "name": TEXT,
        "armed": FLAG,
        "crew": WHOLE,
        "built": {"type": "string", "format": "date"},
        "yearFrom": WHOLE,
    },
}
PAGE: dict[str, Any] = {
    "type": "object",
    "properties": {"pageNumber": WHOLE, "pageSize": WHOLE, "totalElements": WHOLE},
}
STATE: State = {
    "ships": {
        uid: {"uid": uid, "name": uid.title(), "armed": uid != "dhow", "crew": crew, "built": built}
        for uid, crew, built in (
            ("brig", 9, "1790-01-02"),
            ("dhow", 3, "1801-05-06"),
            ("yawl", 2, "1850-07-08"),
        )
    }
}


def _paging(told: str) -> list[dict[str, Any]]:
    page = {"name": "pageNumber", "in": "query", "schema": WHOLE, "description": told}
    return [page, {"name": "pageSize", "in": "query", "schema": WHOLE}]


def _document(told: str = "Zero-based page number", **fields: Any) -> dict[str, Any]:
    form = {
        "application/x-www-form-urlencoded": {"schema": {"properties": fields or {"crew": WHOLE}}}
    }
    listed = {
        "type": "object",
        "properties": {
            "page": PAGE,
            "sort": {"type": "object", "properties": {"by": TEXT}},
            "ships": {"type": "array", "items": {"$ref": "#/components/schemas/ShipBase"}},
        },
    }
    one = {"type": "object", "properties": {"ship": {"$ref": "#/components/schemas/ShipFull"}}}
    uid = {"name": "uid", "in": "query", "required": True, "schema": TEXT}
    get = {"operationId": "get_ship", "parameters": [uid], "responses": answer(one)}
    paths = {
        "/ship": {"get": get},
        "/ship/search": {
            "get": {
                "operationId": "list_ships",
                "parameters": _paging(told),
                "responses": answer(listed),
            },
            "post": {
                "operationId": "search_ships",
                "parameters": _paging(told),
                "requestBody": {"content": form},
                "responses": answer(listed),
            },
        },
    }
    return spec(paths, components={"schemas": {"ShipBase": SHIP, "ShipFull": SHIP}})


def _session(folder: Path, document: dict[str, Any]) -> Session:
    return session_of(draft_of(doc_of(folder, document)), STATE)


def _names(session: Session, **arguments: Any) -> list[str]:
    found = value(session.call("search_ships", arguments))
    return [ship["name"] for ship in found["ships"]]


def test_an_id_in_the_query_picks_the_record(tmp_path: Path) -> None:
    session = _session(tmp_path, _document())
    assert value(session.call("get_ship", {"uid": "dhow"}))["ship"]["crew"] == 3
    assert session.call("get_ship", {"uid": "raft"}).failure == "not_found"


def test_a_search_with_no_filters_of_its_own_is_all_records(tmp_path: Path) -> None:
    session = _session(tmp_path, _document())
    found = value(session.call("list_ships", {}))
    assert [ship["uid"] for ship in found["ships"]] == ["brig", "dhow", "yawl"]
    assert found["page"]["totalElements"] == 3


def test_a_search_by_post_finds_by_its_form(tmp_path: Path) -> None:
    day = {"type": "string", "format": "date"}
    document = _document(armed=FLAG, builtFrom=day, builtTo=day)
    session = _session(tmp_path, document)
    assert tool(draft_of(doc_of(tmp_path, document)), "search_ships").kind == "read"
    assert _names(session, armed=True) == ["Brig", "Yawl"]
    assert _names(session, built_from="1801-05-06", built_to="1840-01-01") == ["Dhow"]


def test_a_search_does_not_guess_how_a_name_or_a_bound_is_meant(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document(name=TEXT, yearFrom=WHOLE, crew=WHOLE)))
    assert {m.column for m in effect(draft, "search_ships").match.values()} == {"crew"}


def test_a_search_by_names_alone_is_left_out(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document(name=TEXT)))
    assert "searches by" in why_left_out(draft, "search_ships")


def test_pages_are_counted_from_where_the_document_says(tmp_path: Path) -> None:
    from_zero = _session(tmp_path / "zero", _document())
    from_one = _session(tmp_path / "one", _document("The number of the page"))
    second = {"page_number": 1, "page_size": 1}
    assert value(from_zero.call("list_ships", second))["ships"][0]["uid"] == "dhow"
    assert value(from_one.call("list_ships", second))["ships"][0]["uid"] == "brig"
    assert value(from_zero.call("list_ships", {"page_size": 1}))["page"]["pageNumber"] == 0
    assert from_one.call("list_ships", {"page_number": 0}).failure == "invalid"


def test_a_document_that_only_reads_gives_nearly_all_of_its_operations() -> None:
    found = drafts(CORPUS / "openapi-examples" / "3.0" / "star-trek.yaml")
    names = {t.name: t for draft in found for t in draft.tools}
    assert len(names) >= 115
    assert {"get_book_series", "get_book_series_search", "post_book_series_search"} <= set(names)
    assert all(t.kind == "read" for t in names.values())
