"""The store through its table API: what it gives, what it refuses, and in which words."""

import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from forge.env.base import Base
from forge.env.compare import compare
from forge.env.keys import key_text, parse_key
from forge.env.store import Store
from forge.env.values import checked
from forge.errors import ToolBug, ToolError, UserError
from forge.types.state import Column, Parent, StateSchema, Table, TableOverlay
from tests.places import CASES
from tests.stores import BASE, NOTES, NOW, PROJECTS, SCHEMA, STATE, TASKS, USERS, canonical
from tests.stores import open_store as opened


def refusal(kind: str) -> "pytest.RaisesContext[ToolError]":
    return pytest.raises(ToolError, match=f"^{kind}")


# ------------------------------------------------------------------ keys


def test_a_number_and_its_text_are_different_keys():
    key = Column(name="id", type="any")
    table = Table(name="t", noun="t", key=("id",), columns=(key,))
    with pytest.raises(UserError, match="a key is a string or an integer"):
        Base(StateSchema(tables=(table,)), {})
    store = opened()
    assert store.get("notes", 11)["text"] == "first"
    with refusal("not_found"):
        store.get("notes", "11")
    with refusal("not_found"):
        store.get("tasks", "prj_1", "1")


@pytest.mark.parametrize("part", [True, None, 1.5, float("nan"), [1], {"id": 1}, "nobody"])
def test_a_value_that_is_no_key_is_not_found(part):
    with refusal("not_found"):
        opened().get("notes", part)
    with refusal("not_found"):
        opened().get("users", part)


def test_parts_of_a_composite_key_may_hold_the_separator():
    columns = (Column(name="owner"), Column(name="no", type="integer"))
    table = Table(name="t", noun="t", key=("owner", "no"), columns=columns)
    assert key_text(("a/b%2F", 7)) == "a%2Fb%252F/7"
    assert parse_key(table, "a%2Fb%252F/7") == ("a/b%2F", 7)


@pytest.mark.parametrize("text", ["prj_1", "prj_1/x", "prj_1/01", "prj_1/1/2", "prj_1/１"])
def test_a_text_that_is_no_key_is_refused(text):
    with pytest.raises(ValueError, match=r"prj_1|x|01|１"):
        parse_key(TASKS, text)


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("column", "given", "kept"),
    [
        (Column(type="integer"), 12.0, 12),
        (Column(type="number"), 12.0, 12),
        (Column(type="number"), 2.5, 2.5),
        (Column(type="any"), {"a": (1, 2.0)}, {"a": [1, 2]}),
        (Column(format="date"), "2026-3-2", "2026-03-02"),
        (Column(format="date-time"), "2026-03-02T10:30:00.25+01:30", "2026-03-02T09:00:00Z"),
        (Column(format="date-time"), "2026-03-02 09:00", "2026-03-02T09:00:00Z"),
        (Column(format="date-time"), "2026-03-02", "2026-03-02T00:00:00Z"),
        (Column(enum=("a", None)), None, None),
        (Column(type="array", items=Column(format="date")), ["2026-3-2"], ["2026-03-02"]),
        (Column(type="object", values=Column(type="integer")), {"x": 1.0}, {"x": 1}),
        (
            Column(type="object", properties=(Column(name="a"), Column(name="b", default="d"))),
            {},
            {"a": None, "b": "d"},
        ),
        (
            Column(type="object", properties=(Column(name="a", nullable=False),)),
            {"a": None},
            {},
        ),
    ],
)
def test_a_value_is_put_into_its_normal_form(column, given, kept):
    result = checked(column, given, "it")
    assert result == kept
    assert canonical(result) == canonical(kept)


@pytest.mark.parametrize(
    ("column", "given", "message"),
    [
        (Column(type="integer"), True, "it must be a whole number, not true"),
        (Column(type="integer"), "12", 'it must be a whole number, not "12"'),
        (Column(type="integer"), 12.5, "it must be a whole number, not 12.5"),
        (Column(type="integer"), 2**63, "it is too large a number (64 bits at most)"),
        (Column(type="number"), float("nan"), 'it must be a finite number, not "nan"'),
        (Column(type="any"), [float("inf")], 'it[0] must be a finite number, not "inf"'),
        (Column(type="boolean"), 1, "it must be true or false, not 1"),
        (Column(type="string"), 1, "it must be a text, not 1"),
        (Column(type="string"), "\ud800", "it holds half a character (a lone surrogate)"),
        (Column(type="array"), "ab", 'it must be a list, not "ab"'),
        (Column(type="object"), [], "it must be an object, not []"),
        (Column(type="any"), {1: 2}, "it has the name 1, which is no text"),
        (Column(type="any"), {2}, "it must be a JSON value, not a set"),
        (Column(nullable=False), None, "it must not be null"),
        (Column(enum=("a", "b")), "c", 'it must be one of "a", "b", not "c"'),
        (Column(type="any", enum=(1,)), True, "it must be one of 1, not true"),
        (Column(type="integer", minimum=1), 0, "it must be at least 1, not 0"),
        (Column(type="number", maximum=2.5), 3, "it must be at most 2.5, not 3"),
        (Column(min_length=2), "a", 'it must be at least 2 characters long, not "a"'),
        (Column(type="array", max_length=0), [1], "it must be at most 0 items long, not [1]"),
        (
            Column(format="date"),
            "2026-02-30",
            'it must be a date like 2026-03-02, not "2026-02-30"',
        ),
        (
            Column(format="date-time"),
            "0001-01-01T00:00:00+02:00",
            'it must be a date and time like 2026-03-02T09:00:00Z, not "0001-01-01T00:00:00+02:00"',
        ),
        (
            Column(type="object", properties=(Column(name="city"),)),
            {"citi": "x"},
            'it has no "citi": did you mean "city"?',
        ),
        (
            Column(
                type="array",
                items=Column(type="object", properties=(Column(name="n", required=True),)),
            ),
            [{"n": "x"}, {}],
            "it[1].n is required",
        ),
    ],
)
def test_a_value_its_column_forbids_is_refused_in_words(column, given, message):
    with pytest.raises(ToolError) as caught:
        checked(column, given, "it")
    assert (caught.value.kind, caught.value.message) == ("invalid", message)


def test_a_value_nested_without_end_is_refused():
    endless: list[object] = []
    endless.append(endless)
    with refusal("invalid"):
        opened().update("tasks", "prj_1", 1, extra=endless)


def test_a_message_does_not_grow_with_the_value():
    with pytest.raises(ToolError) as caught:
        opened().update("users", "bo", role="x" * 100_000)
    assert len(caught.value.message) < 300


# ------------------------------------------------------------------ reading


def test_what_is_handed_out_is_a_copy():
    store = opened()
    store.get("tasks", "prj_1", 2)["watchers"].append("ada")
    store.find("tasks")[1]["steps"][0]["text"] = "changed"
    store.insert("notes", text="n", author="bo")["text"] = "changed"
    assert store.get("tasks", "prj_1", 2)["watchers"] == ["bo", "cy"]
    assert store.get("tasks", "prj_1", 2)["steps"][0]["text"] == "dig"
    assert store.count("notes", text="changed") == 0


def test_what_is_handed_in_is_copied():
    store, watchers = opened(), ["bo"]
    store.update("tasks", "prj_1", 1, watchers=watchers)
    watchers.append("nobody")
    assert store.get("tasks", "prj_1", 1)["watchers"] == ["bo"]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({}, ["1", "2", "7"]),
        ({"title": "Plan"}, ["1", "7"]),
        ({"title": "Plan", "project_id": "prj_2"}, ["7"]),
        ({"title__ne": "Plan"}, ["2"]),
        ({"number__in": [7, 1, 1, True]}, ["1", "7"]),
        ({"number__in": []}, []),
        ({"number": True}, []),
        ({"number": 1.0}, ["1"]),
        ({"number": "1"}, []),
        ({"assignee": None}, ["2", "7"]),
        ({"assignee__ne": None}, ["1"]),
        ({"assignee__in": ["bo", None]}, ["1", "2", "7"]),
        ({"assignee__ne": "bo"}, ["2", "7"]),
        ({"due__lt": "2026-3-14"}, ["2"]),
        ({"due__ge": "2026-03-14"}, []),
        ({"due": "2026-3-13"}, ["2"]),
        ({"hours__gt": 2}, ["7"]),
        ({"number__within": {"gt": 1, "lte": 7}}, ["2", "7"]),
        ({"number__within": {}}, ["1", "2", "7"]),
        ({"number__within": 2}, ["2"]),
        ({"title__contains": "la"}, ["1", "7"]),
        ({"title__icontains": "BUI"}, ["2"]),
        ({"title__contains": "BUI"}, []),
        ({"watchers__has": "cy"}, ["2"]),
        ({"watchers__has": None}, []),
        ({"watchers": ["bo", "cy"]}, ["2"]),
        ({"done": 0}, []),
        ({"done": False, "title__le": "Build"}, ["2"]),
    ],
)
@pytest.mark.parametrize("touched", [False, True])
def test_find_gives_the_records_that_fit(where, found, touched):
    store = opened()
    if touched:
        for number, project in ((1, "prj_1"), (2, "prj_1"), (7, "prj_2")):
            store.update("tasks", project, number, extra="touched")
        store.insert("tasks", project_id="prj_2", title="Gone")
        store.delete("tasks", "prj_2", 8)
    assert [str(row["number"]) for row in store.find("tasks", **where)] == found
    assert store.count("tasks", **where) == len(found)


def test_find_sees_what_the_session_wrote():
    store = opened()
    store.update("tasks", "prj_1", 1, title="Design")
    store.insert("tasks", project_id="prj_1", title="Plan")
    store.delete("tasks", "prj_2", 7)
    assert [row["number"] for row in store.find("tasks", title="Plan")] == [3]
    assert store.count("tasks") == 3


def test_rows_are_sorted_with_ties_by_key_and_null_last():
    store = opened()
    store.insert("tasks", project_id="prj_1", title="Ask", due="2026-03-20")
    assert [r["number"] for r in store.find("tasks", sort="due")] == [2, 3, 1, 7]
    assert [r["number"] for r in store.find("tasks", sort="-due")] == [3, 2, 1, 7]
    assert [r["number"] for r in store.find("tasks", sort=["-title", "number"])] == [1, 7, 2, 3]
    assert [r["number"] for r in store.find("tasks", sort="-title")] == [1, 7, 2, 3]


def test_number_keys_sort_as_numbers():
    store = opened()
    for _ in range(10):
        store.insert("tasks", project_id="prj_1", title=store.now())
    found = store.find("tasks", project_id="prj_1", offset=8, limit=3)
    assert [row["number"] for row in found] == [9, 10, 11]


def test_a_window_of_rows_is_cut_after_sorting():
    assert [r["number"] for r in opened().find("tasks", sort="-number", limit=1, offset=1)] == [2]
    assert opened().find("tasks", limit=0) == []
    with refusal("invalid"):
        opened().find("tasks", limit=-1)


def test_a_column_named_like_a_parameter_can_be_asked_for():
    assert len(opened().find("settings", limit__eq=10)) == 1
    assert opened().find("settings", **{"$lead": "bo"}) == []


def test_a_malformed_date_in_a_condition_is_told_to_the_agent():
    with refusal("invalid: due__lt must be like 2026-03-02"):
        opened().find("tasks", due__lt="soon")


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.get("task", "prj_1", 1),
        lambda s: s.get("tasks", "prj_1"),
        lambda s: s.find("tasks", titel="x"),
        lambda s: s.find("tasks", title__like="x"),
        lambda s: s.find("tasks", number__in="12"),
        lambda s: s.find("tasks", number__lt="12"),
        lambda s: s.find("tasks", due__lt=None),
        lambda s: s.find("tasks", done__lt=True),
        lambda s: s.find("tasks", title__has="x"),
        lambda s: s.find("tasks", title__contains=None),
        lambda s: s.find("tasks", sort="-titel"),
        lambda s: s.find("tasks", sort=[1]),
        lambda s: s.find("tasks", sort=1),
        lambda s: s.find("tasks", limit="3"),
        lambda s: s.update("tasks", "prj_1", 1, titel="x"),
        lambda s: s.insert("tasks", project_id="prj_1", titel="x"),
        lambda s: s.save("tasks", {"title": "x"}),
        lambda s: s.save("tasks", None),
        lambda s: s.save("tasks", {**s.get("tasks", "prj_1", 1), "age": 3}),
        lambda s: s.insert("settings", limit=3),
        lambda s: s.delete("settings"),
    ],
)
def test_what_a_tool_cannot_mean_is_a_bug_of_the_tool(call):
    with pytest.raises(ToolBug):
        call(opened())


def test_a_bug_names_the_close_match():
    with pytest.raises(ToolBug, match="no column 'titel': did you mean \"title\""):
        opened().find("tasks", titel="x")


# ------------------------------------------------------------------ writing


def test_an_insert_puts_in_defaults_and_generated_values():
    store = opened()
    made = store.insert("projects", name="New")
    assert made["id"].startswith("prj_")
    assert made["created_at"] == made["updated_at"] == NOW
    assert made["title"] == f"New ({made['id']})"
    assert made["links"] == {"self": f"/projects/{made['id']}"}
    assert len(made["secret"]) == 32
    task = store.insert(
        "tasks", project_id=made["id"], title="x", steps=[{"text": "a"}, {"text": "b"}]
    )
    assert (task["number"], task["done"], task["due"]) == (1, False, None)
    assert [step["no"] for step in task["steps"]] == [1, 2]
    assert len({step["id"] for step in task["steps"]}) == 2
    assert list(task) == [column.name for column in TASKS.columns]


def test_every_write_takes_a_second():
    store = opened()
    store.insert("notes", text="a", author="bo")
    assert store.now() == "2026-03-02T09:00:01Z"
    project = store.update("projects", "prj_1", name="Renamed")
    assert project["updated_at"] == "2026-03-02T09:00:01Z"
    store.delete("notes", 13)
    assert (store.now(), store.today()) == ("2026-03-02T09:00:03Z", "2026-03-02")


def test_a_counter_goes_on_within_its_group_and_never_back():
    store = opened()
    store.delete("tasks", "prj_2", 7)
    assert store.insert("tasks", project_id="prj_2", title="a")["number"] == 8
    store.delete("tasks", "prj_2", 8)
    assert store.insert("tasks", project_id="prj_2", title="a")["number"] == 9
    assert store.insert("tasks", project_id="prj_1", title="a")["number"] == 3
    assert store.insert("tasks", project_id="prj_1", title="b", number=20)["number"] == 20
    assert store.insert("tasks", project_id="prj_1", title="c")["number"] == 21


def test_a_nested_counter_goes_on_within_its_record():
    store = opened()
    task = store.get("tasks", "prj_2", 7)
    task["steps"].append({"text": "new"})
    saved = store.save("tasks", task)
    assert [step["no"] for step in saved["steps"]] == [3, 4]
    assert saved["steps"][0] == task["steps"][0]


def test_ids_come_from_the_seed():
    first, again, other = opened(seed=1), opened(seed=1), opened(seed=2)
    ids = [s.insert("projects", name="x")["id"] for s in (first, again, other)]
    assert ids[0] == ids[1] != ids[2]
    assert first.insert("projects", name="y")["id"] != ids[0]


def test_an_id_is_never_used_twice():
    foreseen = opened().insert("projects", name="x")["id"]
    store = opened()
    store.insert("projects", name="given", id=foreseen)
    store.delete("projects", foreseen)
    made = [store.insert("projects", name=name)["id"] for name in "xy"]
    assert len({foreseen, *made}) == 3


def test_a_derived_column_follows_the_others():
    store = opened()
    assert store.update("projects", "prj_1", name="B")["title"] == "B (prj_1)"
    project = store.get("projects", "prj_1")
    project["name"] = "C"
    assert store.save("projects", project)["title"] == "C (prj_1)"


@pytest.mark.parametrize(
    ("table", "key", "fields"),
    [
        ("projects", ("prj_1",), {"id": "prj_9"}),
        ("projects", ("prj_1",), {"created_at": NOW}),
        ("projects", ("prj_1",), {"title": "mine"}),
        ("tasks", ("prj_1", 1), {"number": 5}),
        ("tasks", ("prj_1", 1), {"project_id": "prj_2"}),
    ],
)
def test_keys_and_generated_values_cannot_be_changed(table, key, fields):
    store = opened()
    with refusal("invalid"):
        store.update(table, *key, **fields)
    same = {name: store.get(table, *key)[name] for name in fields}
    store.update(table, *key, **same)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s: s.insert("projects"), "invalid", "name is required"),
        (lambda s: s.insert("users", name="x"), "invalid", "login is required"),
        (
            lambda s: s.insert("users", login="bo", name="x"),
            "conflict",
            'user "bo" is there already',
        ),
        (
            lambda s: s.insert("projects", name="Auro"),
            "conflict",
            'name "Auro" is already used by project "prj_1"',
        ),
        (
            lambda s: s.insert("tasks", project_id="prj_1", title="Plan"),
            "conflict",
            'title "Plan" is already used by task "prj_1/1" (it must be unique within project_id)',
        ),
        (
            lambda s: s.insert("tasks", project_id="prj_9", title="x"),
            "invalid",
            'project_id: there is no project "prj_9"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, assignee="nobody"),
            "invalid",
            'assignee: there is no user "nobody"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, watchers=["bo", "nobody"]),
            "invalid",
            'watchers[]: there is no user "nobody"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, reviews={"first": "nobody"}),
            "invalid",
            'reviews[]: there is no user "nobody"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, steps=[{"text": "a", "by": "nobody"}]),
            "invalid",
            'steps[].by: there is no user "nobody"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, steps=[{"id": "s2", "text": "a"}]),
            "conflict",
            'steps[].id "s2" is already used by task "prj_2/7"',
        ),
        (
            lambda s: s.update("tasks", "prj_1", 1, steps=[{"id": "z", "text": ""}] * 2),
            "conflict",
            'steps[].id "z" is already there twice',
        ),
        (lambda s: s.delete("users", "zoe"), "not_found", 'there is no user "zoe"'),
        (
            lambda s: s.delete("users", "ada"),
            "conflict",
            'user "ada" cannot be deleted: project "prj_1" depends on it',
        ),
        (lambda s: s.me(), "forbidden", "no one is signed in"),
    ],
)
def test_an_agents_mistake_is_told_in_words(call, kind, message):
    store = opened()
    before = canonical(store.state())
    with pytest.raises(ToolError) as caught:
        call(store)
    assert (caught.value.kind, caught.value.message) == (kind, message)
    assert (canonical(store.state()), store.now(), store.overlay()) == (before, NOW, {})


def test_a_saved_record_is_the_whole_record():
    store = opened()
    task = store.get("tasks", "prj_1", 2)
    del task["due"], task["watchers"], task["steps"]
    saved = store.save("tasks", task)
    assert (saved["due"], saved["watchers"], saved["steps"]) == (None, [], [])
    del task["title"]
    with refusal("invalid: title is required"):
        store.save("tasks", task)


def test_saving_a_record_that_is_gone_fails():
    store = opened()
    note = store.get("notes", 13)
    store.delete("notes", 13)
    with refusal("not_found"):
        store.save("notes", note)


def test_a_record_may_refer_to_itself():
    store = opened()
    store.insert("users", login="di", name="Di", manager="di")
    assert store.delete("users", "di")["manager"] == "di"


def test_the_one_record_of_a_singleton_needs_no_key():
    store = opened()
    store.update("settings", limit=5)
    assert store.get("settings")["limit"] == 5
    settings = store.get("settings")
    settings["limit"] = 6
    store.save("settings", settings)
    assert store.overlay()["settings"].changed == {"": {"limit": 6, "$lead": "cy"}}


# ------------------------------------------------------------------ deleting


def test_a_deleted_project_takes_its_tasks_and_notes_along():
    store = opened()
    assert store.delete("projects", "prj_1")["name"] == "Auro"
    assert [row["project_id"] for row in store.find("tasks")] == ["prj_2"]
    assert [row["id"] for row in store.find("notes")] == [13]


def test_a_deleted_record_is_taken_out_of_what_referred_to_it():
    store = opened()
    store.delete("notes", 13)
    store.delete("users", "cy")
    task = store.get("tasks", "prj_1", 2)
    assert (task["watchers"], task["reviews"]) == (["bo"], {"first": None, "second": "bo"})
    assert store.get("settings")["$lead"] is None


def test_a_reference_deep_inside_restricts():
    store = opened()
    store.update("projects", "prj_2", owner="cy")
    store.delete("notes", 11)
    with refusal('conflict: user "bo" cannot be deleted: task "prj_2/7" depends on it'):
        store.delete("users", "bo")


def test_records_that_refer_to_each_other_go_together():
    store = opened()
    store.delete("notes", 12)
    assert [row["id"] for row in store.find("notes")] == [13]


def test_what_goes_anyway_does_not_restrict():
    columns = (
        Column(name="id"),
        Column(name="up", references="t", on_delete="cascade"),
        Column(name="held", references="t"),
    )
    schema = StateSchema(tables=(Table(name="t", noun="t", key=("id",), columns=columns),))
    rows = {"a": {"id": "a"}, "b": {"id": "b", "up": "a", "held": "a"}}
    store = Store(Base(schema, {"t": rows}), now=NOW)
    store.delete("t", "a")
    assert store.count("t") == 0


def test_a_parent_may_restrict():
    parent = Parent(table="projects", columns=("p",), on_delete="restrict")
    child = Table(
        name="c",
        noun="child",
        key=("id",),
        columns=(Column(name="id", generated="id"), Column(name="p")),
        parent=parent,
    )
    schema = StateSchema(tables=(USERS, PROJECTS, child))
    state = {name: STATE[name] for name in ("users", "projects")}
    store = Store(Base(schema, state), now=NOW)
    made = store.insert("c", p="prj_1")
    assert store.insert("c")["p"] is None
    with refusal("invalid: p: there is no project"):
        store.insert("c", p="prj_7")
    with refusal("conflict"):
        store.delete("projects", "prj_1")
    store.update("c", made["id"], p="prj_2")
    store.delete("projects", "prj_1")


def test_clearing_that_would_break_the_record_restricts():
    columns = (
        Column(name="id"),
        Column(
            name="of",
            type="array",
            min_length=1,
            items=Column(references="t", on_delete="clear"),
        ),
    )
    schema = StateSchema(tables=(Table(name="t", noun="row", key=("id",), columns=columns),))
    rows = {"a": {"id": "a"}, "b": {"id": "b", "of": ["a"]}}
    store = Store(Base(schema, {"t": rows}), now=NOW)
    with refusal('conflict: row "b" depends on it: of must be at least 1 items long'):
        store.delete("t", "a")
    assert store.count("t") == 2


# ------------------------------------------------------------------ sessions


def test_forks_go_their_own_ways():
    store = opened()
    store.update("notes", 13, text="before")
    fork = store.fork()
    fork.update("notes", 13, text="fork")
    made = fork.insert("tasks", project_id="prj_1", title="fork")
    store.update("notes", 13, text="store")
    assert fork.get("notes", 13)["text"] == "fork"
    assert store.get("notes", 13)["text"] == "store"
    assert store.insert("tasks", project_id="prj_1", title="store")["number"] == made["number"]


def test_an_exception_of_any_kind_leaves_no_trace():
    store, twin = opened(), opened()
    for error in (KeyboardInterrupt, RuntimeError, ToolBug("x")):
        with pytest.raises((KeyboardInterrupt, RuntimeError, ToolBug)), store.transaction():
            store.insert("projects", name="A")
            store.delete("projects", "prj_1")
            with store.transaction():
                store.update("projects", "prj_2", name="B")
            raise error
    assert (store.overlay(), store.now()) == ({}, NOW)
    assert store.insert("projects", name="A") == twin.insert("projects", name="A")
    assert canonical(store.state()) == canonical(twin.state())


def test_a_caught_failure_inside_a_transaction_undoes_only_itself():
    store = opened()
    with store.transaction():
        store.insert("notes", text="stays", author="bo")
        with refusal("conflict"):
            store.delete("users", "ada")
    assert store.count("notes", text="stays") == 1


def test_a_change_taken_back_is_no_change():
    store = opened()
    store.update("notes", 13, text="x")
    store.update("notes", 13, text="aside")
    store.delete("notes", store.insert("notes", text="x", author="bo")["id"])
    assert store.overlay() == {}


def test_true_in_place_of_1_is_a_change():
    store = opened()
    store.update("tasks", "prj_1", 1, extra={"a": 1})
    fork = Store(BASE, now=NOW, setup=store.overlay())
    fork.update("tasks", "prj_1", 1, extra={"a": True})
    assert fork.overlay()["tasks"].changed["prj_1/1"]["extra"] == {"a": True}


def test_a_base_record_deleted_and_made_again_is_in_both():
    store = opened()
    user = store.insert("users", login="di", name="Di")
    store.delete("users", "di")
    assert store.insert("users", **user) == user
    task = store.delete("tasks", "prj_1", 1)
    store.insert("tasks", **task)
    overlay = store.overlay()
    assert overlay["tasks"] == TableOverlay(made={"prj_1/1": task}, deleted=("prj_1/1",))
    assert overlay["users"] == TableOverlay(made={"di": user})
    again = opened()
    again.apply(overlay)
    assert again.overlay() == overlay
    again.delete("tasks", "prj_1", 1)
    assert again.overlay()["tasks"] == TableOverlay(deleted=("prj_1/1",))


def test_the_setup_is_part_of_the_start():
    before = opened()
    before.update("notes", 13, text="set up")
    before.insert("users", login="di", name="Di")
    before.delete("notes", 12)
    store = opened(setup=before.overlay(), actor="di")
    assert (store.overlay(), store.now(), store.me()) == ({}, NOW, "di")
    assert store.initial("notes", "13")["text"] == "set up"
    assert store.initial("notes", "12") is None
    assert store.initial("notes", "x") is store.initial("nothing", "x") is None
    store.delete("notes", 13)
    store.update("users", "di", name="Dee")
    assert store.overlay()["notes"] == TableOverlay(deleted=("13",))
    assert list(store.overlay()["users"].changed) == ["di"]
    assert store.initial("notes", "13")["text"] == "set up"


def test_a_record_that_the_setup_made_again_is_there_from_the_start():
    before = opened()
    before.insert("notes", **before.delete("notes", 13))
    store = opened(setup=before.overlay())
    assert store.overlay() == {}
    store.delete("notes", 13)
    assert store.overlay() == {"notes": TableOverlay(deleted=("13",))}


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ({"nothing": TableOverlay(deleted=("1",))}, "no table 'nothing'"),
        ({"notes": TableOverlay(deleted=("99",))}, "notes 99: there is no|is not there"),
        ({"notes": TableOverlay(deleted=("x",))}, "'x' is no integer"),
        ({"users": TableOverlay(deleted=("bo",))}, "users bo: it is deleted, and"),
        ({"users": TableOverlay(made={"bo": {"login": "bo", "name": "x"}})}, "is there already"),
        ({"users": TableOverlay(made={"di": {"login": "do", "name": "x"}})}, "own key is 'do'"),
        ({"users": TableOverlay(made={"di": {"login": "di"}})}, "users di: name is required"),
        ({"users": TableOverlay(made={"di": {"login": "di", "age": 1}})}, "no column 'age'"),
        (
            {"users": TableOverlay(changed={"bo": {"login": "bo", "name": "B", "manager": "x"}})},
            'users bo: manager: there is no user "x"',
        ),
        ({"settings": TableOverlay(deleted=("",))}, "settings: its one record can only be changed"),
    ],
)
def test_an_overlay_that_does_not_fit_is_refused_whole(overlay, message):
    store = opened()
    first = {"projects": TableOverlay(made={"prj_8": {"id": "prj_8", "name": "Eight"}})}
    with pytest.raises(UserError, match=message):
        store.apply(first | overlay)
    assert store.overlay() == {}


def test_an_actor_who_does_not_exist_is_refused():
    with pytest.raises(UserError, match='there is no "zoe" in users'):
        opened(actor="zoe")


def test_threads_share_one_base():
    base = Base(SCHEMA, STATE)

    def visit(seed: int) -> str:
        store = Store(base, now=NOW, seed=seed % 3)
        store.insert("tasks", project_id="prj_1", title="new", assignee="bo")
        store.update("users", "bo", email=f"{seed % 3}@example.com")
        return canonical([store.find("tasks", assignee="bo"), store.state()])

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(visit, range(48)))
    assert len(set(results)) == 3
    assert results == [visit(seed) for seed in range(48)]


def test_a_session_that_touched_ten_records_takes_less_than_64_kb():
    rows = {f"u{i}": {"login": f"u{i}", "name": f"User {i}"} for i in range(2000)}
    base = Base(StateSchema(tables=(USERS,)), {"users": rows})

    def visit() -> Store:
        store = Store(base, now=NOW)
        for i in range(10):
            store.update("users", f"u{i}", name=f"changed {i}", email=f"{i}@example.com")
        return store

    visit()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        stores = [visit() for _ in range(20)]
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / len(stores) < 64_000


# ------------------------------------------------------------------ schema and base


def _table(**options: object) -> Table:
    return Table(
        **{"name": "t", "noun": "t", "key": ("id",), "columns": (Column(name="id"),)} | options
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (_table(key=()), "t: the table has no key"),
        (_table(key=("no",)), "t has no column 'no'"),
        (_table(columns=(Column(name="id"),) * 2), "column 'id' is there 2 times"),
        (_table(label="name"), "no column 'name'"),
        (_table(parent=Parent(table="x", columns=("id",))), "t.parent: no table 'x'"),
        (_table(parent=Parent(table="t", columns=("id", "id"))), r"key of t is \(id\)"),
        (_table(singleton=True, parent=Parent(table="t", columns=("id",))), "has no parent"),
    ],
)
def test_a_table_that_cannot_be_is_refused(table, message):
    with pytest.raises(UserError, match=message):
        Base(StateSchema(tables=(table,)), {})


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (Column(name="c", references="x"), "t.c: no table 'x'"),
        (
            Column(name="c", type="integer", references="t"),
            "it is integer and the key of t is string",
        ),
        (
            Column(name="c", references="t", on_delete="clear", required=True, nullable=False),
            "it cannot be cleared",
        ),
        (Column(name="c", unique=True, within=("x",)), "no column 'x'"),
        (Column(name="c", default=1), "the default must be a text"),
        (Column(name="c", generated="counter"), "generated counter is integer"),
        (Column(name="c", generated="derived"), "needs a template"),
        (
            Column(name="c", generated="derived", template="{id.__class__}"),
            "no column 'id.__class__'",
        ),
        (Column(name="c", generated="derived", template="{id:99999}"), "only {column}"),
        (Column(name="c", generated="derived", template="{id!r}"), "only {column}"),
        (Column(name="c", generated="derived", template="{id"), "t.c: template"),
        (Column(name="c", generated="id", prefix="abc_", max_length=8), "no room"),
        (Column(name="c", generated="id", type="integer", maximum=99), "no room"),
        (Column(name="c", type="array", items=Column(generated="token")), "only a property"),
        (
            Column(name="c", type="object", properties=(Column(name="a"), Column(name="a"))),
            "property 'a' is there 2 times",
        ),
    ],
)
def test_a_column_that_cannot_be_is_refused(column, message):
    with pytest.raises(UserError, match=message):
        Base(StateSchema(tables=(_table(columns=(Column(name="id"), column)),)), {})


@pytest.mark.parametrize(
    ("table", "records", "message"),
    [
        ("things", {}, "a table 'things' that the schema has not"),
        ("notes", {"1": {"id": 1, "author": "bo"}}, "notes 1: text is required"),
        ("notes", {"1": {"id": 2, "text": "x", "author": "bo"}}, "own key is '2'"),
        ("notes", {"x": {"id": 2, "text": "x", "author": "bo"}}, "'x' is no integer"),
        (
            "notes",
            {"1": {"id": 1, "text": "x", "author": "di"}},
            'notes 1: author: there is no user "di"',
        ),
        ("settings", {}, "settings: it has 0 records"),
        (
            "projects",
            {p: {"id": p, "name": "same"} for p in ("prj_1", "prj_2")},
            "projects prj_1: name",
        ),
        ("projects", {"prj_1": STATE["projects"]["prj_1"]}, "tasks prj_2/7: project_id"),
    ],
)
def test_a_state_the_schema_forbids_is_no_base(table, records, message):
    with pytest.raises(UserError, match=message):
        Base(SCHEMA, {**STATE, table: records})


def test_a_schema_survives_being_written_and_read():
    again = StateSchema.model_validate_json(SCHEMA.model_dump_json())
    assert Base(again, Store(BASE, now=NOW).state()).records("notes") == BASE.records("notes")
    assert NOTES in again.tables


# ------------------------------------------------------------------ case 030


def test_ids_and_times_come_from_the_session_itself():
    """Case 030: a replay is byte-equal; another order differs in nothing but generated ids."""
    case = json.loads((CASES / "030-random-ids-in-state" / "task.json").read_text())
    bills = Table(
        name="bills",
        noun="bill",
        key=("bill_id",),
        columns=(
            Column(name="bill_id", generated="id"),
            Column(name="customer_id", required=True, nullable=False),
            Column(name="cents", type="integer", required=True, nullable=False),
            Column(name="created_at", generated="time", format="date-time"),
        ),
    )
    lines = Table(
        name="lines",
        noun="line",
        key=("line_id",),
        columns=(
            Column(name="line_id", generated="id"),
            Column(name="bill_id", required=True, nullable=False),
            Column(name="text", required=True, nullable=False),
        ),
        parent=Parent(table="bills", columns=("bill_id",)),
    )
    schema = StateSchema(tables=(bills, lines))
    base = Base(schema, {})

    def play(calls: list[dict]) -> tuple[Store, str]:
        store, outputs = Store(base, now=NOW, seed=7), []
        for call in calls:
            bill = store.insert("bills", **call["arguments"])
            outputs += [
                bill,
                store.insert("lines", bill_id=bill["bill_id"], text=bill["customer_id"]),
            ]
        return store, canonical(outputs)

    first, first_outputs = play(case["calls_a"])
    again, again_outputs = play(case["calls_a"])
    other, other_outputs = play(case["calls_b"])
    assert first_outputs == again_outputs
    assert canonical(first.state()) == canonical(again.state())
    assert first_outputs != other_outputs
    assert compare(schema, first.initial, first.overlay(), other.overlay()).equal
