"""Documents whose paths name calls (`POST /v1/kites/create`), with ids in the body."""

from pathlib import Path
from typing import Any

from forge.types.environment import Effect
from forge.types.state import State
from tests.documents import answer, body, doc_of, spec
from tests.places import CORPUS
from tests.structural import (
    draft_of,
    drafts,
    effect,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

TEXT: dict[str, Any] = {"type": "string"}
FREE: dict[str, Any] = {"description": "What its maker asks for.", "example": {"span": "wide"}}
KITE: dict[str, Any] = {
    "type": "object",
    "required": ["kiteId", "name", "clubId", "rig"],
    "properties": {
        "kiteId": TEXT,
        "clubId": TEXT,
        "name": TEXT,
        "rig": FREE,
        "state": {"type": "string", "enum": ["flying", "grounded"]},
        "tagIds": {"type": "array", "items": TEXT},
    },
}
CLUB = {
    "type": "object",
    "required": ["clubId", "name"],
    "properties": {"clubId": TEXT, "name": TEXT},
}
TAG = {"type": "object", "required": ["tagId", "name"], "properties": {"tagId": TEXT, "name": TEXT}}
STATE: State = {
    "clubs": {k: {"clubId": k, "name": k.title()} for k in ("north", "south")},
    "tags": {k: {"tagId": k, "name": k.title()} for k in ("red", "blue")},
    "kites": {
        "k1": {"kiteId": "k1", "clubId": "north", "name": "Delta", "rig": {}, "tagIds": ["red"]},
        "k2": {"kiteId": "k2", "clubId": "south", "name": "Box", "rig": {"a": [1]}, "tagIds": []},
    },
}  # fmt: skip


def _takes(*required: str, **properties: Any) -> dict[str, Any]:
    fields = dict.fromkeys(required, TEXT) | properties
    return body({"type": "object", "required": list(required), "properties": fields})


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str, field: str) -> dict[str, Any]:
    listed = {"type": "array", "items": _ref(name)}
    return answer({"type": "object", "required": [field], "properties": {field: listed}})


def _document(**more: dict[str, Any]) -> dict[str, Any]:
    """A document of calls; `more`: a path with __ for / -> its operation."""
    gone = {"204": {"description": "gone"}}
    calls: dict[str, dict[str, Any]] = {
        "clubs/create": {"requestBody": _takes("name"), "responses": answer(_ref("Club"))},
        "clubs/list": {"responses": _list("Club", "clubs")},
        "tags/get": {"requestBody": _takes("tagId"), "responses": answer(_ref("Tag"))},
        "tags/create": {"requestBody": _takes("name"), "responses": answer(_ref("Tag"))},
        "tags/list": {"requestBody": _takes("kiteId"), "responses": _list("Tag", "tags")},
        "kites/create": {
            "requestBody": _takes("clubId", "name", "rig", rig=FREE),
            "responses": answer(_ref("Kite")),
        },
        "kites/get": {"requestBody": _takes("kiteId"), "responses": answer(_ref("Kite"))},
        "kites/list": {"requestBody": _takes("clubId"), "responses": _list("Kite", "kites")},
        "kites/update": {
            "requestBody": _takes("kiteId", name=TEXT, rig=FREE),
            "responses": answer(_ref("Kite")),
        },
        "kites/delete": {"requestBody": _takes("kiteId"), "responses": gone},
        **{path.replace("__", "/"): operation for path, operation in more.items()},
    }
    paths = {
        f"/v1/{path}": {"post": {"operationId": path.replace("/", "_"), **operation}}
        for path, operation in calls.items()
    }
    shapes = {"Kite": KITE, "Club": CLUB, "Tag": TAG}
    return spec(paths, components={"schemas": shapes})


def test_a_call_is_what_its_last_part_says_of_the_noun_before(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document()))
    verbs = {t.name: (t.effect.verb, t.effect.table) for t in draft.tools if t.effect is not None}
    assert verbs["kites_create"] == ("create", "kites")
    assert verbs["kites_get"] == ("get", "kites")
    assert verbs["kites_list"] == ("list", "kites")
    assert verbs["kites_update"] == ("update", "kites")
    assert verbs["kites_delete"] == ("delete", "kites")
    assert tool(draft, "kites_get").kind == "read"


def test_a_list_by_the_id_of_another_record_asks_for_that_record(tmp_path: Path) -> None:
    session = session_of(draft_of(doc_of(tmp_path, _document())), STATE)
    [kite] = value(session.call("kites_list", {"club_id": "south"}))["kites"]
    assert kite["name"] == "Box"
    assert session.call("kites_list", {"club_id": "west"}).failure == "not_found"


def test_a_list_of_what_a_record_names_has_only_that(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document()))
    session = session_of(draft, STATE)
    assert [t["name"] for t in value(session.call("tags_list", {"kite_id": "k1"}))["tags"]] == [
        "Red"
    ]
    assert value(session.call("tags_list", {"kite_id": "k2"})) == {"tags": []}
    assert session.call("tags_list", {"kite_id": "k3"}).failure == "not_found"


def test_an_object_of_any_form_is_kept_as_it_was_given(tmp_path: Path) -> None:
    session = session_of(draft_of(doc_of(tmp_path, _document())), STATE)
    rig = {"lines": 4, "parts": [{"spar": None}]}
    made = value(session.call("kites_create", {"club_id": "north", "name": "Flow", "rig": rig}))
    assert made["rig"] == rig
    value(session.call("kites_update", {"kite_id": "k2", "rig": {}}))
    seen = value(session.call("kites_get", {"kite_id": "k2"}))
    assert (seen["rig"], seen["name"]) == ({}, "Box")


def test_a_free_object_that_only_answers_show_is_no_column(tmp_path: Path) -> None:
    kite = {**KITE, "properties": {**KITE["properties"], "extra": {"type": "object"}}}
    document = _document()
    document["components"]["schemas"]["Kite"] = kite
    draft = draft_of(doc_of(tmp_path, document))
    [kites] = [t for t in draft.state_schema.tables if t.name == "kites"]
    assert "rig" in [c.name for c in kites.columns]
    assert "extra" not in [c.name for c in kites.columns]


def test_a_search_keeps_the_filters_that_can_only_mean_equality(tmp_path: Path) -> None:
    search = {
        "requestBody": _takes(name=TEXT, clubId=TEXT, rig=FREE, state=KITE["properties"]["state"]),
        "responses": _list("Kite", "kites"),
    }
    made = effect(draft_of(doc_of(tmp_path, _document(kites__search=search))), "kites_search")
    assert {m.column for m in made.match.values()} == {"clubId", "state"}


def test_a_search_by_text_alone_is_left_out(tmp_path: Path) -> None:
    search = {"requestBody": _takes(name=TEXT), "responses": _list("Kite", "kites")}
    draft = draft_of(doc_of(tmp_path, _document(kites__search=search)))
    assert "searches by" in why_left_out(draft, "kites_search")


def test_calls_with_rules_of_their_own_are_left_out(tmp_path: Path) -> None:
    record = answer(_ref("Kite"))
    more = {
        "kites__check_wind": {"requestBody": _takes("kiteId"), "responses": record},
        "kites__clone": {"requestBody": _takes("kiteId"), "responses": record},
        "kites__list_latest": {"responses": _list("Kite", "kites")},
        "kites__get_or_create": {"requestBody": _takes("name"), "responses": record},
    }
    draft = draft_of(doc_of(tmp_path, _document(**more)))
    for path in more:
        assert why_left_out(draft, path.replace("__", "_")), path


def test_a_call_that_says_create_and_is_named_set_is_left_out(tmp_path: Path) -> None:
    document = _document()
    document["paths"]["/v1/tags/create"]["post"]["operationId"] = "set_default_tag"
    draft = draft_of(doc_of(tmp_path, document))
    assert "sets what may be there already" in why_left_out(draft, "set_default_tag")


def test_a_call_with_a_verb_that_no_rule_knows_makes_no_records(tmp_path: Path) -> None:
    save = {"requestBody": _takes("kiteId", "stats"), "responses": answer({"type": "object"})}
    draft = draft_of(doc_of(tmp_path, _document(flight__save_stats=save)))
    assert why_left_out(draft, "flight_save_stats")
    assert "save_stats" not in [t.name for t in draft.state_schema.tables]


def test_a_lone_verb_in_a_path_makes_no_document_of_calls(tmp_path: Path) -> None:
    document = _document()
    kept = {"/v1/kites/create": document["paths"]["/v1/kites/create"]}
    draft = draft_of(doc_of(tmp_path, {**document, "paths": kept}))
    assert draft.tools == ()


def test_the_calls_of_airbyte_work_on_its_records() -> None:
    [draft] = drafts(CORPUS / "openapi-airbyte" / "openapi.json")
    found: dict[str, Effect | None] = {t.name: t.effect for t in draft.tools}
    listed = found["list_sources_for_workspace"]
    assert listed is not None
    assert [m.column for m in listed.match.values()] == ["workspaceId"]
    assert {"get_workspace_by_slug", "update_workspace_name", "delete_connection"} <= set(found)
    assert {"get_connection", "search_destinations", "list_operations_for_connection"} <= set(found)
    hidden = ("discover_schema_for_source", "check_connection_to_source", "clone_source")
    assert not set(found) & {
        *hidden,
        "create_or_update_state",
        "list_latest_source_definitions",
        "list_private_source_definitions",
        "save_stats",
        "set_instancewide_source_oauth_params",
        "sync_connection",
    }


def test_a_call_that_answers_a_record_by_its_key_is_a_read_however_it_is_called(
    tmp_path: Path,
) -> None:
    light = {"requestBody": _takes("kiteId"), "responses": answer(_ref("Kite"))}
    draft = draft_of(doc_of(tmp_path, _document(kites__get_light=light)))
    session = session_of(draft, STATE)
    assert value(session.call("kites_get_light", {"kite_id": "k2"}))["name"] == "Box"
    assert session.call("kites_get_light", {"kite_id": "k9"}).failure == "not_found"


def test_to_mark_something_as_done_sets_the_flag_of_that_name(tmp_path: Path) -> None:
    mark = {"requestBody": _takes("kiteId"), "responses": {"204": {"description": "done"}}}
    document = _document(kites__tag_check_status_as_done=mark, kites__tag_sale_as_done=mark)
    flag = {"type": "boolean"}
    kite = document["components"]["schemas"]["Kite"]
    document["components"]["schemas"]["Kite"] = {
        **kite,
        "properties": {**kite["properties"], "checkDone": flag},
    }
    draft = draft_of(doc_of(tmp_path, document))
    session = session_of(draft, STATE)
    for _ in range(2):
        assert value(session.call("kites_tag_check_status_as_done", {"kite_id": "k1"})) is None
    assert value(session.call("kites_get", {"kite_id": "k1"}))["checkDone"] is True
    assert why_left_out(draft, "kites_tag_sale_as_done")


def test_items_that_are_given_without_what_answers_always_show_are_not_taken(
    tmp_path: Path,
) -> None:
    document = _document()
    shown = {"type": "object", "required": ["id"], "properties": {"id": TEXT, "name": TEXT}}
    given = {"type": "object", "properties": {"name": TEXT, "secret": TEXT}}
    kite = document["components"]["schemas"]["Kite"]
    document["components"]["schemas"]["Kite"] = {
        **kite,
        "properties": {**kite["properties"], "hooks": {"type": "array", "items": shown}},
    }
    update = document["paths"]["/v1/kites/update"]["post"]
    schema = update["requestBody"]["content"]["application/json"]["schema"]
    schema["properties"]["hooks"] = {"type": "array", "items": given}
    draft = draft_of(doc_of(tmp_path, document))
    assert "hooks" not in tool(draft, "kites_update").parameters["properties"]
    assert "name" in tool(draft, "kites_update").parameters["properties"]


def test_a_list_deep_inside_of_a_value_is_kept(tmp_path: Path) -> None:
    paths = {"type": "array", "items": {"type": "array", "items": TEXT}}
    config = {"type": "object", "properties": {"mode": TEXT, "paths": paths}}
    stream = {"type": "object", "properties": {"config": config}}
    streams = {"type": "array", "items": stream}
    catalog = {"type": "object", "properties": {"streams": streams}}
    document = _document()
    for place in (
        document["components"]["schemas"]["Kite"],
        document["paths"]["/v1/kites/update"]["post"]["requestBody"]["content"]["application/json"][
            "schema"
        ],
    ):
        place["properties"] = {**place["properties"], "catalog": catalog}
    taken = tool(draft_of(doc_of(tmp_path, document)), "kites_update").parameters["properties"]
    item = taken["catalog"]["properties"]["streams"]["items"]
    assert item["properties"]["config"]["properties"]["paths"]["items"]["type"] == "array"


def test_a_question_that_the_server_answers_is_no_record(tmp_path: Path) -> None:
    said = {"type": "string", "description": "Filled in by the server: whether it is allowed."}
    review = {"type": "object", "properties": {"clubId": TEXT, "outcome": said}}
    ask = {
        "post": {
            "operationId": "create_review",
            "requestBody": body(_ref("Review")),
            "responses": answer(_ref("Review")),
        }
    }
    document = spec({"/reviews": ask}, components={"schemas": {"Review": review}})
    assert "question" in why_left_out(draft_of(doc_of(tmp_path, document)), "create_review")


def test_what_a_delete_is_nowhere_said_to_fail_for_does_not_keep_it_from_being_done(
    tmp_path: Path,
) -> None:
    gone = {"204": {"description": "gone"}, "404": {"description": "No such club."}}
    used = {**gone, "409": {"description": "It has kites."}}
    for responses, failure in ((gone, None), (used, "conflict")):
        away = {"requestBody": _takes("clubId"), "responses": responses}
        draft = draft_of(doc_of(tmp_path, _clubs_of_kites(away)))
        session = session_of(draft, STATE)
        assert session.call("clubs_delete", {"club_id": "north"}).failure == failure
        there = session.call("kites_get", {"kite_id": "k1"}).failure
        assert there == (None if failure else "not_found")


def _clubs_of_kites(delete: dict[str, Any]) -> dict[str, Any]:
    """With a delete of clubs; no list says that kites are of a club."""
    document = _document(clubs__delete=delete)
    del document["paths"]["/v1/kites/list"]
    return document


def test_records_given_along_with_another_and_never_shown_keep_nothing(tmp_path: Path) -> None:
    tail = {"type": "object", "required": ["clubId"], "properties": {"clubId": TEXT}}
    document = _document()
    update = document["paths"]["/v1/kites/update"]["post"]["requestBody"]
    schema = update["content"]["application/json"]["schema"]
    schema["properties"]["tails"] = {"type": "array", "items": tail}
    kites = table(draft_of(doc_of(tmp_path, document)).state_schema, "kites")
    assert "tails" not in [column.name for column in kites.columns]
