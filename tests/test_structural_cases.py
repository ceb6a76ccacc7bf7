"""Cases of the field, each as a test of its whole kind: document in, running tools out."""

import json

from tests.structural import case, drafts, effect, session_of, table, tool, value


def test_a_record_may_stand_inside_another_of_its_kind_or_inside_none() -> None:
    [draft] = drafts(case("001"))
    session = session_of(draft)
    root = value(session.call("add_bed", {"label": "Roses", "inside": None}))
    inner = value(session.call("add_bed", {"label": "Herbs", "inside": root["bed_id"]}))
    assert (root["inside"], root["parts"]) == (None, [])
    assert value(session.call("get_bed", {"bed_id": inner["bed_id"]})) == inner
    refused = session.call("add_bed", {"label": "Nowhere", "inside": "bd_nothing"})
    assert refused.failure in ("invalid", "not_found")


def test_base_records_of_a_recursive_schema_are_finite_and_hold_no_ref() -> None:
    [draft] = drafts(case("001"))
    state = session_of(draft).state()
    assert state["beds"]
    assert '"$ref"' not in json.dumps(state)


def test_arguments_of_one_name_in_path_and_query_both_count() -> None:
    [draft] = drafts(case("002"))
    state = {
        "kilns": {"A": {"name": "A"}, "B": {"name": "B"}},
        "firings": {
            str(n): {"firing_id": n, "kiln": kiln, "potter": potter}
            for n, (kiln, potter) in enumerate([("A", "B"), ("A", "C"), ("B", "B")], 1)
        },
    }
    session = session_of(draft, state)
    assert tool(draft, "kiln_firings").parameters["required"] == ["name"]
    everyone = value(session.call("kiln_firings", {"name": "A"}))
    assert [f["firing_id"] for f in everyone] == [1, 2]
    hers = value(session.call("kiln_firings", {"name": "A", "name_query": "B"}))
    assert [f["firing_id"] for f in hers] == [1]
    assert session.call("kiln_firings", {"name": "Z"}).failure == "not_found"


def test_a_static_path_is_never_taken_for_an_id() -> None:
    [draft] = drafts(case("008"))
    assert [t.name for t in draft.state_schema.tables if t.name == "labs"] == ["labs"]
    state = {
        "users": {str(n): {"user_id": n, "name": f"U{n}"} for n in (7, 8, 9)},
        "labs": {
            "1": {"lab_id": 1, "owner_id": 7, "state": "open"},
            "2": {"lab_id": 2, "owner_id": 8, "state": "shut"},
        },
    }
    session = session_of(draft, state, actor=8)
    assert value(session.call("get_my_lab", {}))["lab_id"] == 2
    assert [lab["lab_id"] for lab in value(session.call("list_open_labs", {}))] == [1]
    assert value(session.call("get_lab", {"lab_id": 1}))["state"] == "open"
    assert session_of(draft, state, actor=9).call("get_my_lab", {}).failure == "not_found"
    assert effect(draft, "get_my_lab").fixed == {"owner_id": "$me"}


def test_odd_property_names_and_enum_values_come_back_as_they_were() -> None:
    [draft] = drafts(case("010"))
    session = session_of(draft, {"rows": {}})
    for kind in ("a-b", "a_b", "A B", ""):
        row = {"field_1q": 2.5, "class_": kind, "field_30d_active": True, "total": 3}
        made = value(session.call("add_row", row))
        assert made == {"1Q": 2.5, "30d_active": True, "class": kind, "$total": 3}
    assert len(value(session.call("rows", {}))) == 4
    assert session.call("add_row", {"field_1q": 1, "class_": "A_B"}).failure == "invalid"


def test_what_is_required_beside_and_inside_of_all_of_is_required() -> None:
    [draft] = drafts(case("012"))
    boats = tool(draft, "add_boat")
    assert sorted(boats.parameters["required"]) == ["berth", "hull", "name"]
    assert len(table(draft.state_schema, "boats").columns) == 5
    refused = session_of(draft).call("add_boat", {"hull": "oak", "name": "Wren"})
    assert refused.failure == "invalid"
    assert "berth" in refused.message


def test_a_property_called_ref_is_a_text_like_any_other() -> None:
    [draft] = drafts(case("014"))
    made = value(session_of(draft).call("add_pointer", {"value": "u1", "ref": "/people/u1"}))
    assert made == {"value": "u1", "$ref": "/people/u1"}


def test_links_say_what_an_argument_refers_to() -> None:
    [draft] = drafts(case("017"))
    after = next(c for c in table(draft.state_schema, "trips").columns if c.name == "after")
    assert after.references == "trips"
    session = session_of(draft)
    first = next(iter(session.state()["trips"].values()))
    made = value(session.call("add_trip", {"to": "Graz", "after": first["id"]}))
    assert value(session.call("get_trip", {"trip_id": made["id"]})) == made
    assert session.call("add_trip", {"to": "Graz", "after": 0}).failure is not None


def test_a_list_as_a_body_makes_a_record_of_each_item() -> None:
    [draft] = drafts(case("018"))
    session = session_of(draft, {"tags": {}})
    made = value(session.call("add_many", {"body": [{"name": "red"}, {"name": "blue"}]}))
    assert [tag["name"] for tag in made] == ["red", "blue"]
    assert len(session.state()["tags"]) == 2
    assert session.call("add_many", {"body": [{}]}).failure == "invalid"
    assert tool(draft, "add_many").parameters["required"] == ["body"]


def test_a_bare_value_as_a_body_is_the_property_that_the_path_names() -> None:
    [draft] = drafts(case("018"))
    session = session_of(draft, {"tags": {"1": {"id": 1, "name": "red"}}})
    assert value(session.call("rename", {"tag_id": 1, "body": "rust"}))["name"] == "rust"
    assert session.call("rename", {"tag_id": 2, "body": "rust"}).failure == "not_found"
    assert tool(draft, "rename").parameters["type"] == "object"
    assert tool(draft, "rename").parameters["required"] == ["tag_id", "body"]


def test_of_bare_operations_only_what_shows_something_is_a_tool() -> None:
    [draft] = drafts(case("022"))
    assert [each.name for each in draft.tools] == ["get_x"]
    assert all(each.description for each in draft.tools)
    assert sorted(each.operation.split(" ")[0] for each in draft.left_out) == [
        "delete_w",
        "get_z",
        "post_y",
    ]


def test_operations_that_show_nothing_are_left_out_by_their_own_names() -> None:
    [draft] = drafts(case("004"))
    names = [each.operation.split(" ")[0] for each in draft.left_out]
    assert len(set(names)) == len(names) == 6
    assert draft.tools == ()
