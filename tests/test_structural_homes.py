"""What records are in, and what lists and writes do where an argument is not passed."""

from pathlib import Path
from typing import Any

from forge.synth.check import check_tools
from forge.types.state import Parent
from tests.documents import answer, body, doc_of
from tests.structural import (
    crud,
    draft_of,
    environment_of,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
DONE = {"204": {"description": "done"}}


def _record(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


KITE = _record(kite_id={**TEXT, "readOnly": True}, name=TEXT)
KNOT = _record(id=WHOLE, name=TEXT)


def _inside(path: str, *names: str, **methods: dict[str, Any]) -> dict[str, Any]:
    """The paths of kites, and one more with operations named by their method and `names`."""
    keys = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": WHOLE if name in ("knot_id", "line_id") else TEXT,
        }
        for name in ("kite_id", "line_id", "knot_id", "knot_name")
        if f"{{{name}}}" in path
    ]
    made = {m: {"operationId": "_".join((m, *names)), **each} for m, each in methods.items()}
    return {path: {"parameters": keys, **made}}


def test_records_are_in_what_each_is_picked_in_though_more_lists_show_them(tmp_path: Path) -> None:
    more = {
        **_inside(
            "/kites/{kite_id}/knots/{knot_id}",
            "knot",
            get={"responses": answer(KNOT)},
            delete={"responses": DONE},
        ),
        **_inside(
            "/kites/{kite_id}/knots",
            "knots",
            get={"responses": answer({"type": "array", "items": KNOT})},
        ),
        **_inside(
            "/kites/{kite_id}/lines/{line_id}/knots",
            "line_knots",
            get={"responses": answer({"type": "array", "items": KNOT})},
        ),
    }
    draft = draft_of(doc_of(tmp_path, crud("kite", KITE, more)))
    env = environment_of(draft)
    assert tool(draft, "get_knot").parameters["required"] == ["kite_id", "knot_id"]
    assert why_left_out(draft, "get_line_knots")
    assert check_tools(env)["get_knots"].passed
    knot = next(iter(env.bases["only"]["knots"].values()))
    session = session_of(draft)
    assert knot["id"] in [
        k["id"] for k in value(session.call("get_knots", {"kite_id": knot["kite_id"]}))
    ]


def test_an_id_that_is_called_a_number_picks_as_a_whole_one(tmp_path: Path) -> None:
    item = _record(id={"type": "number"}, name=TEXT)
    more = _inside(
        "/kites/{kite_id}/knots/{knot_id}", "knot", get={"responses": answer(item)}
    ) | _inside(
        "/kites/{kite_id}/knots",
        "knots",
        get={"responses": answer({"type": "array", "items": item})},
    )
    draft = draft_of(doc_of(tmp_path, crud("kite", KITE, more)))
    assert tool(draft, "get_knot").parameters["properties"]["knot_id"]["type"] == "integer"


def _listed(**query: dict[str, Any]) -> dict[str, Any]:
    arguments = [{"name": name, "in": "query", **each} for name, each in query.items()]
    state = {"type": "string", "enum": ["flying", "landed"]}
    kite = _record(kite_id={**TEXT, "readOnly": True}, name=TEXT, state=state)
    made = crud("kite", kite)
    made["paths"]["/kites"]["get"]["parameters"] = arguments
    return made


def test_what_a_filter_selects_by_default_is_selected_where_it_is_not_passed(
    tmp_path: Path,
) -> None:
    state = {"type": "string", "enum": ["flying", "landed", "all"], "default": "flying"}
    draft = draft_of(doc_of(tmp_path, _listed(state={"schema": state})))
    session = session_of(draft)
    for name, where in (("Ada", "flying"), ("Bea", "landed")):
        value(session.call("create_kite", {"name": name, "state": where}))

    def names(**arguments: str) -> set[str]:
        return {k["name"] for k in value(session.call("list_kites", arguments))} & {"Ada", "Bea"}

    assert names() == {"Ada"}
    assert names(state="landed") == {"Bea"}
    assert names(state="all") == {"Ada", "Bea"}


def test_a_choice_without_a_meaning_that_selects_by_default_leaves_its_list_out(
    tmp_path: Path,
) -> None:
    period = {"type": "string", "enum": ["day", "week"], "default": "day"}
    told = {"schema": period, "description": "The time period to filter by."}
    draft = draft_of(doc_of(tmp_path, _listed(time_period=told)))
    assert "where time_period is not given" in why_left_out(draft, "list_kites")


def test_a_filter_by_how_a_name_begins_is_no_filter_for_equal_ones(tmp_path: Path) -> None:
    told = {"schema": TEXT, "description": "An explicit name or prefix of the kites."}
    draft = draft_of(doc_of(tmp_path, _listed(name=told)))
    assert "name" not in tool(draft, "list_kites").parameters["properties"]


def test_a_put_that_is_said_to_create_makes_what_is_not_there(tmp_path: Path) -> None:
    knot = _record(name=TEXT, color=TEXT)
    more = _inside(
        "/kites/{kite_id}/knots/{knot_name}",
        "knot",
        get={"responses": answer(knot)},
        put={
            "summary": "Create or update a knot",
            "requestBody": body(_record(color=TEXT)),
            "responses": answer(knot),
        },
    )
    draft = draft_of(doc_of(tmp_path, crud("kite", KITE, more)))
    assert check_tools(environment_of(draft))["put_knot"].passed
    session = session_of(draft)
    kite = value(session.call("create_kite", {"name": "Ada"}))["kite_id"]
    one = {"kite_id": kite, "knot_name": "bowline"}
    for color in ("red", "blue"):
        value(session.call("put_knot", {**one, "color": color}))
        assert value(session.call("get_knot", one)) == {"name": "bowline", "color": color}
    assert session.call("put_knot", {**one, "kite_id": "none", "color": "red"}).failure


def test_a_delete_of_all_is_no_delete_of_one(tmp_path: Path) -> None:
    more = _inside(
        "/kites/{kite_id}/knots/{knot_id}",
        "knot",
        get={"responses": answer(KNOT)},
        delete={"summary": "Remove all knots of a kind", "responses": DONE},
    )
    draft = draft_of(doc_of(tmp_path, crud("kite", KITE, more)))
    assert "many records" in why_left_out(draft, "delete_knot")


def test_what_a_holder_is_in_is_asked_of_the_holder(tmp_path: Path) -> None:
    line = _record(id=WHOLE, name=TEXT)
    lines = {"type": "array", "items": line}
    knots = {"type": "array", "items": KNOT}
    more = {
        **_inside("/kites/{kite_id}/lines", "lines", get={"responses": answer(lines)}),
        **_inside("/kites/{kite_id}/lines/{line_id}", "line", get={"responses": answer(line)}),
        **_inside(
            "/kites/{kite_id}/lines/{line_id}/knots", "knots", get={"responses": answer(knots)}
        ),
        **_inside(
            "/kites/{kite_id}/lines/{line_id}/knots/{knot_id}",
            "knot",
            get={"responses": answer(KNOT)},
        ),
    }
    draft = draft_of(doc_of(tmp_path, crud("kite", KITE, more)))
    env = environment_of(draft)
    state = env.bases["only"]
    knot = next(iter(state["knots"].values()))
    home = next(one for one in state["lines"].values() if one["id"] == knot["line_id"])
    other = next(key for key in state["kites"] if key != home["kite_id"])
    session = session_of(draft)
    one = {"kite_id": home["kite_id"], "line_id": home["id"], "knot_id": knot["id"]}
    assert value(session.call("get_knot", one))["id"] == knot["id"]
    assert session.call("get_knot", {**one, "kite_id": other}).failure == "not_found"
    del one["knot_id"]
    assert session.call("get_knots", {**one, "kite_id": other}).failure == "not_found"


def test_what_may_be_there_already_is_not_made_anew(tmp_path: Path) -> None:
    made = crud("kite", KITE)
    told = "Makes a kite. A 200 means that you already added it."
    made["paths"]["/kites"]["post"]["description"] = told
    draft = draft_of(doc_of(tmp_path, made))
    assert "already" in why_left_out(draft, "create_kite")


def test_the_version_that_an_update_is_made_from_is_not_written(tmp_path: Path) -> None:
    told = "Used to confirm you're updating the current version."
    kite = _record(kite_id={**TEXT, "readOnly": True}, name=TEXT, version=TEXT)
    made = crud("kite", kite)
    taken = _record(name=TEXT, version={**TEXT, "description": told})
    made["paths"]["/kites/{kite_id}"]["patch"]["requestBody"] = body({**taken, "required": []})
    draft = draft_of(doc_of(tmp_path, made))
    assert set(tool(draft, "update_kite").parameters["properties"]) == {"kite_id", "name"}


def test_a_delete_that_takes_children_along_is_left_out(tmp_path: Path) -> None:
    made = crud("kite", KITE)
    told = "If you own it, deleting a kite will delete all of its tails as well."
    made["paths"]["/kites/{kite_id}"]["delete"]["description"] = told
    draft = draft_of(doc_of(tmp_path, made))
    assert why_left_out(draft, "delete_kite")


def test_a_number_called_like_what_the_record_is_in_is_its_key(tmp_path: Path) -> None:
    kite = _record(id={**WHOLE, "readOnly": True}, name=TEXT)
    knot = {"type": "object", "properties": {"id": WHOLE, "kite": WHOLE, "colour": TEXT}}
    keys = [
        {"name": name, "in": "path", "required": True, "schema": WHOLE}
        for name in ("kite_id", "knot_id")
    ]
    paths = {
        "/kites/{kite_id}/knots": {
            "parameters": keys[:1],
            "get": {"operationId": "knots", "responses": answer({"type": "array", "items": knot})},
        },
        "/kites/{kite_id}/knots/{knot_id}": {
            "parameters": keys,
            "get": {"operationId": "knot", "responses": answer(knot)},
            "delete": {"operationId": "untie", "responses": DONE},
        },
    }
    draft = draft_of(doc_of(tmp_path, crud("kite", kite, paths)))

    knots = table(draft.state_schema, "knots")
    assert knots.parent == Parent(table="kites", columns=("kite",))
    assert {c.name: c.references for c in knots.columns} == {
        "id": None, "kite": "kites", "colour": None
    }  # fmt: skip
    assert all(check_tools(environment_of(draft))[name].passed for name in ("knots", "untie"))


def test_an_address_on_the_net_is_neither_a_street_nor_a_record(tmp_path: Path) -> None:
    template = _record(id={**WHOLE, "readOnly": True}, name=TEXT)
    paths = {
        "/templates": {
            "get": {
                "operationId": "list_templates",
                "responses": answer({"type": "array", "items": _record(name=TEXT, body=TEXT)}),
            }
        },
        "/templates/{name}": {
            "parameters": [{"name": "name", "in": "path", "required": True, "schema": TEXT}],
            "get": {
                "operationId": "get_template",
                "responses": answer(_record(name=TEXT, body=TEXT)),
            },
        },
    }
    link = template | {
        "properties": {**template["properties"], "url_template": TEXT, "remote_address": TEXT}
    }
    draft = draft_of(doc_of(tmp_path, crud("link", link, paths)))

    columns = {c.name: c.references for c in table(draft.state_schema, "links").columns}
    assert columns["url_template"] is None
    for row in environment_of(draft).bases["only"]["links"].values():
        assert row.get("remote_address") is None or row["remote_address"].startswith("http")
