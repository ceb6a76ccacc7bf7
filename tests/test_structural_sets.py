"""Sets whose items are picked by several arguments, whose answer is what is in them, or whose items
are called by what they are there. Small documents."""

from pathlib import Path
from typing import Any

from forge.authors.author import Draft
from forge.env.session import Session
from forge.synth.check import check_tools
from forge.types.doc import ApiDoc
from tests.documents import answer, body, doc_of, spec
from tests.structural import draft_of, environment_of, session_of, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
DONE = {"204": {"description": "done"}}
GONE = {**DONE, "404": {"description": "not found"}}
SCHEMAS = {
    "User": {"type": "object", "properties": {"login": TEXT, "city": TEXT}},
    "Kite": {
        "type": "object",
        "properties": {
            "owner": {"$ref": "#/components/schemas/User"},
            "name": TEXT,
            "color": TEXT,
            "stars_count": {"type": "integer"},
            "views_count": {"type": "integer"},
        },
    },
    "Club": {
        "type": "object",
        "properties": {"id": {"type": "integer", "readOnly": True}, "title": TEXT},
    },
    "Tag": {
        "type": "object",
        "properties": {"id": {"type": "integer", "readOnly": True}, "word": TEXT},
    },
}


def _many(name: str) -> dict[str, Any]:
    return answer({"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}})


def _one(name: str) -> dict[str, Any]:
    return answer({"$ref": f"#/components/schemas/{name}"})


def _in(*names: str, **told: str) -> list[dict[str, Any]]:
    return [
        {
            "name": n,
            "in": "path",
            "required": True,
            "schema": {"type": "integer"} if n in ("id", "tag_id") else TEXT,
            "description": told.get(n, ""),
        }
        for n in names
    ]


def _does(name: str, responses: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"operationId": name, "responses": responses, **more}


def _doc(folder: Path, paths: dict[str, Any]) -> ApiDoc:
    """Kites of users, clubs and tags, and `paths`."""
    kite = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "color": TEXT}}
    takes = {"type": "object", "required": ["login"], "properties": {"login": TEXT, "city": TEXT}}
    own = {"type": "object", "required": ["title"], "properties": {"title": TEXT}}
    word = {"type": "object", "required": ["word"], "properties": {"word": TEXT}}
    every: dict[str, Any] = {
        "/user": {"get": _does("who", _one("User"))},
        "/users": {
            "post": _does("create_user", _one("User"), requestBody=body(takes)),
            "get": _does("list_users", _many("User")),
        },
        "/users/{username}": {
            "get": _does("get_user", _one("User"), parameters=_in("username")),
        },
        "/users/{username}/kites": {
            "parameters": _in("username"),
            "post": _does("create_kite", _one("Kite"), requestBody=body(kite)),
            "get": _does("list_kites", _many("Kite")),
        },
        "/kites/{owner}/{kite}": {
            "parameters": _in("owner", "kite"),
            "get": _does("get_kite", _one("Kite")),
            "delete": _does("delete_kite", DONE),
        },
        "/clubs": {
            "post": _does("create_club", _one("Club"), requestBody=body(own)),
            "get": _does("list_clubs", _many("Club")),
        },
        "/clubs/{id}": {"get": _does("get_club", _one("Club"), parameters=_in("id"))},
        "/tags": {
            "post": _does("create_tag", _one("Tag"), requestBody=body(word)),
            "get": _does("list_tags", _many("Tag")),
        },
        "/tags/{id}": {"get": _does("get_tag", _one("Tag"), parameters=_in("id"))},
    }
    return doc_of(folder, spec(every | paths, components={"schemas": SCHEMAS}))


STARS: dict[str, Any] = {
    "/kites/{owner}/{kite}/stargazers": {
        "get": _does("stargazers", _many("User"), parameters=_in("owner", "kite"))
    },
    "/user/starred": {"get": _does("starred", _many("Kite"))},
    "/user/starred/{owner}/{kite}": {
        "parameters": _in("owner", "kite"),
        "get": _does("is_starred", GONE),
        "put": _does("star", DONE),
        "delete": _does("unstar", DONE),
    },
}
CLUBS: dict[str, Any] = {
    "/kites/{owner}/{kite}/clubs": {
        "get": _does("clubs_of", _many("Club"), parameters=_in("owner", "kite"))
    },
    "/kites/{owner}/{kite}/clubs/{id}": {
        "get": _does("has_club", GONE, parameters=_in("owner", "kite", "id")),
        "put": _does("put_club", DONE, parameters=_in("owner", "kite", "id")),
    },
    "/clubs/{id}/kites": {"get": _does("kites_of", _many("Kite"), parameters=_in("id"))},
    "/clubs/{id}/kites/{owner}/{kite}": {
        "parameters": _in("id", "owner", "kite"),
        "get": _does("shown_kite", {**_one("Kite"), "404": {"description": "not there"}}),
        "put": _does("put_kite", DONE),
        "delete": _does("take_kite", DONE),
    },
}


def _session(draft: Draft) -> tuple[Session, dict[str, Any]]:
    """Whoever asks, and a kite of theirs that is new."""
    actor = sorted(environment_of(draft).bases["only"]["users"])[0]
    session = session_of(draft, actor=actor)
    value(session.call("create_kite", {"username": actor, "name": "Sled"}))
    return session, {"owner": actor, "kite": "Sled"}


def _failures(draft: Draft) -> dict[str, Any]:
    checks = check_tools(environment_of(draft))
    return {name: each.checks for name, each in checks.items() if not each.passed}


def test_what_one_has_starred_is_picked_by_all_of_its_key(tmp_path: Path) -> None:
    draft = draft_of(_doc(tmp_path, STARS))
    session, kite = _session(draft)
    assert session.call("is_starred", kite).failure == "not_found"
    value(session.call("star", kite))
    value(session.call("is_starred", kite))
    assert [each["name"] for each in value(session.call("starred", {}))].count("Sled") == 1
    assert kite["owner"] in [u["login"] for u in value(session.call("stargazers", kite))]
    assert session.call("star", {**kite, "kite": "none"}).failure == "not_found"
    value(session.call("unstar", kite))
    assert session.call("is_starred", kite).failure == "not_found"
    assert _failures(draft) == {}


def test_how_many_are_in_a_set_that_tools_change_is_not_shown_as_a_number_that_stays(
    tmp_path: Path,
) -> None:
    for place, (paths, shown) in enumerate(((STARS, False), (CLUBS, True))):
        folder = tmp_path / str(place)
        folder.mkdir()
        returns = tool(draft_of(_doc(folder, paths)), "get_kite").returns
        assert returns is not None and "views_count" in returns["properties"]
        assert ("stars_count" in returns["properties"]) is shown


def test_a_set_is_changed_from_its_other_end_too(tmp_path: Path) -> None:
    draft = draft_of(_doc(tmp_path, CLUBS))
    session, kite = _session(draft)
    club = value(session.call("create_club", {"title": "Wind"}))["id"]
    [name] = [n for n in tool(draft, "put_kite").parameters["required"] if n.endswith("id")]
    both = {name: club, **kite}
    assert session.call("shown_kite", both).failure == "not_found"
    value(session.call("put_kite", both))
    assert value(session.call("shown_kite", both))["name"] == "Sled"
    assert [each["id"] for each in value(session.call("clubs_of", kite))] == [club]
    assert [each["name"] for each in value(session.call("kites_of", {name: club}))] == ["Sled"]
    value(session.call("take_kite", both))
    assert value(session.call("clubs_of", kite)) == []
    assert _failures(draft) == {}


def _crew(put: dict[str, Any]) -> dict[str, Any]:
    return {
        "/clubs/{id}/helpers": {"get": _does("helpers", _many("User"), parameters=_in("id"))},
        "/clubs/{id}/helpers/{helper}": {
            "get": _does("is_helper", GONE, parameters=_in("id", "helper")),
            "put": {**put, "parameters": _in("id", "helper")},
        },
    }


def _given(field: str, responses: dict[str, Any], **more: Any) -> dict[str, Any]:
    takes = {"type": "object", "properties": {field: TEXT}, **more}
    return _does("put_helper", responses, requestBody=body(takes, required=False))


def test_an_item_is_called_what_it_is_in_the_set_and_more_may_be_said_of_it(
    tmp_path: Path,
) -> None:
    draft = draft_of(_doc(tmp_path, _crew(_given("duty", DONE))))
    session, kite = _session(draft)
    club = value(session.call("create_club", {"title": "Wind"}))["id"]
    [own] = tool(draft, "helpers").parameters["required"]
    value(session.call("put_helper", {own: club, "helper": kite["owner"]}))
    [helper] = value(session.call("helpers", {own: club}))
    assert helper["login"] == kite["owner"]
    assert session.call("put_helper", {own: club, "helper": "nobody"}).failure == "not_found"


def test_what_must_be_said_or_is_shown_of_an_item_makes_no_bare_set(tmp_path: Path) -> None:
    must = _given("duty", DONE, required=["duty"])
    told = _given("duty", answer({"type": "object", "properties": {"duty": TEXT}}))
    shown = _given("city", DONE)
    for place, put in enumerate((must, told, shown)):
        folder = tmp_path / str(place)
        folder.mkdir()
        assert why_left_out(draft_of(_doc(folder, _crew(put))), "put_helper")


def test_an_item_is_said_to_be_picked_by_its_user_name(tmp_path: Path) -> None:
    told = "username of the other"
    paths = {
        "/user/following": {"get": _does("followed", _many("User"))},
        "/user/following/{username}": {
            "parameters": _in("username"),
            "put": _does("follow", DONE),
            "delete": _does("unfollow", DONE),
        },
        "/users/{username}/following/{target}": {
            "get": _does("follows", GONE, parameters=_in("username", "target", target=told))
        },
    }
    draft = draft_of(_doc(tmp_path, paths))
    session, kite = _session(draft)
    one, other = kite["owner"], sorted(session.state()["users"])[1]
    value(session.call("unfollow", {"username": other}))
    assert session.call("follows", {"username": one, "target": other}).failure == "not_found"
    value(session.call("follow", {"username": other}))
    value(session.call("follows", {"username": one, "target": other}))


def test_a_change_of_a_set_is_answered_with_what_is_in_it_then(tmp_path: Path) -> None:
    ids = {"type": "array", "items": {"type": "integer"}}
    takes = body({"type": "object", "properties": {"tags": ids}})
    paths = {
        "/clubs/{id}/tags": {
            "parameters": _in("id"),
            "get": _does("tags_of", _many("Tag")),
            "post": _does("add_tags", _many("Tag"), requestBody=takes),
            "put": _does("replace_tags", _many("Tag"), requestBody=takes),
        },
        "/clubs/{id}/tags/{tag_id}": {
            "delete": _does("take_tag", DONE, parameters=_in("id", "tag_id"))
        },
    }
    draft = draft_of(_doc(tmp_path, paths))
    session, _ = _session(draft)
    club = value(session.call("create_club", {"title": "Wind"}))["id"]
    first, second = (
        value(session.call("create_tag", {"word": word}))["id"] for word in ("red", "blue")
    )
    [own] = tool(draft, "tags_of").parameters["required"]
    added = value(session.call("add_tags", {own: club, "tags": [first]}))
    assert [each["word"] for each in added] == ["red"]
    added = value(session.call("add_tags", {own: club, "tags": [second]}))
    assert {each["word"] for each in added} == {"red", "blue"}
    left = value(session.call("replace_tags", {own: club, "tags": [second]}))
    assert [each["word"] for each in left] == ["blue"]
    assert value(session.call("tags_of", {own: club})) == left
    assert session.call("replace_tags", {own: club, "tags": [12]}).failure is not None
    assert "replace_tags" not in _failures(draft)


def test_whether_one_is_in_a_set_of_people_is_no_record_of_what_has_it(tmp_path: Path) -> None:
    seen = {"type": "object", "properties": {"subscribed": {"type": "boolean"}}}
    one = {
        "/clubs/{id}/subscription": {
            "parameters": _in("id"),
            "get": _does("is_subscribed", answer(seen)),
            "put": _does("subscribe", answer(seen)),
            "delete": _does("unsubscribe", DONE),
        }
    }
    kept = {
        "/clubs/{id}/subscribers": {
            "get": _does("subscribers", _many("User"), parameters=_in("id"))
        }
    }
    (tmp_path / "with").mkdir()
    assert not why_left_out(draft_of(_doc(tmp_path, one)), "is_subscribed")
    assert why_left_out(draft_of(_doc(tmp_path / "with", one | kept)), "is_subscribed")
