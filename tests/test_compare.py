"""End states are compared up to the renaming of keys made in the session, and nothing else."""

import json

import pytest

from forge.env.base import Base
from forge.env.compare import compare, describe
from forge.env.store import Store
from forge.errors import ComparisonLimit
from forge.types.data import Json
from forge.types.state import (
    Column,
    Overlay,
    Parent,
    Record,
    State,
    StateSchema,
    Table,
    TableOverlay,
)
from tests.places import CASES

SCHEMA = StateSchema(
    actors="users",
    tables=(
        Table(
            name="users",
            noun="user",
            key=("login",),
            label="name",
            columns=(
                Column(name="login", required=True, spoken=True),
                Column(name="name"),
                Column(name="lead", references="users"),
                Column(name="home", references="projects", generated="id"),
            ),
        ),
        Table(
            name="projects",
            noun="project",
            key=("id",),
            label="name",
            columns=(
                Column(name="id", generated="id", prefix="prj_"),
                Column(name="name", required=True),
                Column(name="url", generated="derived", template="https://x.test/{id}"),
                Column(name="main_task", references="tasks"),
                Column(name="watchers", type="array", items=Column(references="users")),
                Column(name="tags", type="array", items=Column(), compare="unordered"),
                Column(name="note", compare="text"),
                Column(name="seen", type="integer", compare="ignore"),
            ),
        ),
        Table(
            name="tasks",
            noun="task",
            key=("id",),
            label="title",
            columns=(
                Column(name="id", generated="id", prefix="tsk_"),
                Column(name="project_id", references="projects"),
                Column(name="title"),
                Column(name="status", enum=("open", "done"), default="open"),
                Column(name="points", type="any"),
                Column(name="after", references="tasks"),
                Column(name="updated_at", generated="time", on_update=True),
                Column(
                    name="links",
                    type="array",
                    items=Column(
                        type="object",
                        properties=(
                            Column(name="kind"),
                            Column(name="to", references="tasks"),
                            Column(name="token", generated="token"),
                        ),
                    ),
                ),
            ),
        ),
        Table(
            name="members",
            noun="member",
            key=("project_id", "user"),
            columns=(
                Column(name="project_id", references="projects"),
                Column(name="user", references="users"),
                Column(name="role", default="viewer"),
            ),
        ),
        Table(
            name="repos",
            noun="repo",
            key=("owner", "name"),
            columns=(
                Column(name="owner", references="users"),
                Column(name="name"),
                Column(name="issues", type="integer", default=0),
            ),
        ),
        Table(
            name="issues",
            noun="issue",
            key=("owner", "repo", "number"),
            parent=Parent(table="repos", columns=("owner", "repo")),
            columns=(
                Column(name="owner"),
                Column(name="repo"),
                Column(name="number", type="integer", generated="counter"),
                Column(name="title"),
            ),
        ),
        Table(
            name="comments",
            noun="comment",
            key=("id",),
            parent=Parent(table="issues", columns=("owner", "repo", "number")),
            columns=(
                Column(name="id", type="integer", generated="counter"),
                Column(name="owner"),
                Column(name="repo"),
                Column(name="number", type="integer"),
                Column(name="text"),
            ),
        ),
    ),
)

INITIAL: State = {
    "users": {
        "tom": {"login": "tom", "name": "Tom", "lead": None},
        "priya": {"login": "priya", "name": "Priya", "lead": None},
    },
    "projects": {"prj_1": {"id": "prj_1", "name": "Auro", "url": "https://x.test/prj_1"}},
    "tasks": {
        "tsk_1": {
            "id": "tsk_1",
            "project_id": "prj_1",
            "title": "Write the brief",
            "status": "open",
            "points": 3,
            "updated_at": "2026-03-01T09:00:00Z",
        },
        "tsk_2": {"id": "tsk_2", "project_id": "prj_1", "title": "Book a room", "status": "open"},
    },
    "repos": {"tom/site": {"owner": "tom", "name": "site", "issues": 0}},
    "comments": {"1": {"id": 1, "owner": "tom", "repo": "site", "number": 1, "text": "Same here"}},
    "issues": {"tom/site/1": {"owner": "tom", "repo": "site", "number": 1, "title": "Old"}},
}


def initial(table: str, key: str) -> Record | None:
    return INITIAL.get(table, {}).get(key)


def changed(table: str, key: str, **fields: Json) -> Overlay:
    return {table: TableOverlay(changed={key: {**INITIAL[table][key], **fields}})}


def made(table: str, *records: Record) -> Overlay:
    key = next(each.key for each in SCHEMA.tables if each.name == table)
    by_key = {"/".join(str(record[name]) for name in key): record for record in records}
    return {table: TableOverlay(made=by_key)}


def same(expected: Overlay, actual: Overlay, **limits: int) -> bool:
    comparison = compare(SCHEMA, initial, expected, actual, **limits)
    assert comparison.equal == (not comparison.differences)
    return comparison.equal


def lines(expected: Overlay, actual: Overlay) -> list[str]:
    return describe(compare(SCHEMA, initial, expected, actual)).splitlines()


def project(key: str, name: str, **fields: Json) -> Record:
    return {"id": key, "name": name, "url": f"https://x.test/{key}", **fields}


def task(key: str, title: str, project: str, **fields: Json) -> Record:
    return {"id": key, "title": title, "project_id": project, "status": "open", **fields}


# ------------------------------------------------------------------- what is the same


def test_two_untouched_states_are_equal():
    assert same({}, {})


def test_keys_made_in_the_session_may_differ():
    assert same(made("projects", project("prj_a", "X")), made("projects", project("prj_b", "X")))


def test_a_reference_to_a_made_record_follows_it():
    expected = made("projects", project("prj_a", "X"), project("prj_b", "Y")) | made(
        "tasks", task("tsk_a", "First", "prj_a")
    )
    other_key = made("projects", project("prj_a", "Y"), project("prj_b", "X")) | made(
        "tasks", task("tsk_q", "First", "prj_b")
    )
    other_project = made("projects", project("prj_a", "Y"), project("prj_b", "X")) | made(
        "tasks", task("tsk_q", "First", "prj_a")
    )
    assert same(expected, other_key)
    assert not same(expected, other_project)


def test_a_base_record_that_refers_to_a_made_one_is_compared_by_the_made_one():
    def state(first: str, second: str, main: str) -> Overlay:
        return made("tasks", task(first, "A", "prj_1"), task(second, "B", "prj_1")) | changed(
            "projects", "prj_1", main_task=main
        )

    assert same(state("t1", "t2", main="t1"), state("t2", "t1", main="t2"))
    assert not same(state("t1", "t2", main="t1"), state("t2", "t1", main="t1"))


def test_a_reference_to_a_made_record_is_found_in_lists_of_objects():
    def state(first: str, second: str, to: str) -> Overlay:
        links = [{"kind": "blocks", "to": to, "token": "k"}]
        tasks = made("tasks", task(first, "A", "prj_1"), task(second, "B", "prj_1"))["tasks"]
        before = changed("tasks", "tsk_1", links=links)["tasks"]
        return {"tasks": TableOverlay(made=tasks.made, changed=before.changed)}

    assert same(state("t1", "t2", to="t1"), state("t2", "t1", to="t2"))
    assert not same(state("t1", "t2", to="t1"), state("t2", "t1", to="t1"))


def test_a_composite_key_with_a_counter_in_it_is_renamed_as_a_whole():
    def state(first: int, second: int, comment_on: int) -> Overlay:
        issue = {"owner": "tom", "repo": "site"}
        return made(
            "issues",
            {**issue, "number": first, "title": "Slow"},
            {**issue, "number": second, "title": "Broken"},
        ) | made("comments", {"id": 9, **issue, "number": comment_on, "text": "Me too"})

    assert same(state(2, 3, comment_on=2), state(3, 2, comment_on=3))
    assert not same(state(2, 3, comment_on=2), state(3, 2, comment_on=2))
    assert not same(state(2, 3, comment_on=1), state(2, 3, comment_on=2))


def test_a_base_record_that_was_moved_to_a_made_parent_is_compared_by_that_parent():
    def state(first: int, second: int, moved_to: int) -> Overlay:
        issue = {"owner": "tom", "repo": "site"}
        return made(
            "issues",
            {**issue, "number": first, "title": "Slow"},
            {**issue, "number": second, "title": "Broken"},
        ) | changed("comments", "1", number=moved_to)

    assert same(state(2, 3, moved_to=2), state(3, 2, moved_to=3))
    assert not same(state(2, 3, moved_to=2), state(3, 2, moved_to=2))


def test_a_key_that_holds_a_reference_to_a_made_record_is_renamed_with_it():
    def state(key: str, user: str) -> Overlay:
        member = {"project_id": key, "user": user, "role": "viewer"}
        return made("projects", project(key, "X")) | made("members", member)

    assert same(state("prj_a", "tom"), state("prj_b", "tom"))
    assert not same(state("prj_a", "tom"), state("prj_b", "priya"))


def test_a_made_key_that_was_chosen_stands_for_itself():
    assert same(
        made("users", {"login": "ann", "name": "Ann"}),
        made("users", {"login": "ann", "name": "Ann"}),
    )
    assert not same(
        made("users", {"login": "ann", "name": "Ann"}),
        made("users", {"login": "an", "name": "Ann"}),
    )


def test_identical_made_records_are_interchangeable():
    expected = made("projects", project("a", "X"), project("b", "X"))
    assert same(expected, made("projects", project("c", "X"), project("d", "X")))
    assert not same(expected, made("projects", project("c", "X")))


def test_identical_made_records_are_told_apart_by_what_refers_to_them():
    def state(first: str, second: str) -> Overlay:
        return made("projects", project("a", "X"), project("b", "X")) | made(
            "tasks", task("t1", "First", first), task("t2", "Second", second)
        )

    assert same(state("a", "b"), state("b", "a"))
    assert same(state("a", "a"), state("b", "b"))
    assert not same(state("a", "b"), state("a", "a"))


def test_base_records_that_swapped_their_contents_are_not_the_same():
    one, other = INITIAL["tasks"]["tsk_1"], INITIAL["tasks"]["tsk_2"]
    swapped = {"tsk_1": {**other, "id": "tsk_1"}, "tsk_2": {**one, "id": "tsk_2"}}
    assert not same({}, {"tasks": TableOverlay(changed=swapped)})


def test_many_lookalikes_are_told_apart_by_what_refers_to_them_without_a_search():
    def state(start: int) -> Overlay:
        keys = [f"p{(start + place) % 30}" for place in range(30)]
        return made("projects", *(project(key, "X") for key in keys)) | made(
            "tasks", *(task(f"t{place}", f"Step {place}", key) for place, key in enumerate(keys))
        )

    assert same(state(0), state(17), step_limit=1000)


def ring(*sizes: int) -> Overlay:
    """Tasks that all look alike, in rings where each comes after the next."""
    names = [[f"t{number}_{place}" for place in range(size)] for number, size in enumerate(sizes)]
    return made(
        "tasks",
        *(
            task(name, "Step", "prj_1", after=group[(place + 1) % len(group)])
            for group in names
            for place, name in enumerate(group)
        ),
    )


def test_rings_that_only_backtracking_can_tell_apart_are_told_apart():
    assert same(ring(3, 5), ring(5, 3))
    assert not same(ring(3, 3), ring(6))


def test_no_verdict_within_the_step_limit_is_an_error():
    with pytest.raises(ComparisonLimit):
        same(ring(3, 3), ring(6), step_limit=11)


def test_generated_times_tokens_and_derived_texts_do_not_count():
    link = {"kind": "blocks", "to": "tsk_2"}
    assert same(
        changed(
            "tasks", "tsk_1", links=[{**link, "token": "k1"}], updated_at="2026-03-02T09:00:01Z"
        ),
        changed(
            "tasks", "tsk_1", links=[{**link, "token": "k2"}], updated_at="2026-03-02T09:00:07Z"
        ),
    )
    assert same(
        made("projects", project("a", "X", url="https://x.test/a")),
        made("projects", project("a", "X", url="https://x.test/other")),
    )


def test_a_record_of_which_only_the_time_of_update_differs_counts_as_unchanged():
    assert same({}, changed("tasks", "tsk_1", updated_at="2026-03-02T09:00:01Z"))
    assert not same({}, changed("tasks", "tsk_1", status="done"))


def test_order_counts_in_a_list_and_not_in_an_unordered_one():
    assert same(
        changed("projects", "prj_1", tags=["a", "b", "b"]),
        changed("projects", "prj_1", tags=["b", "a", "b"]),
    )
    assert not same(
        changed("projects", "prj_1", tags=["a", "b", "b"]),
        changed("projects", "prj_1", tags=["a", "a", "b"]),
    )
    assert not same(
        changed("projects", "prj_1", watchers=["tom", "priya"]),
        changed("projects", "prj_1", watchers=["priya", "tom"]),
    )


def test_case_space_and_end_punctuation_do_not_count_in_a_text():
    assert same(
        changed("projects", "prj_1", note="Call  Ann back."),
        changed("projects", "prj_1", note="call ann back"),
    )
    assert not same(
        changed("projects", "prj_1", note="Call Ann back"),
        changed("projects", "prj_1", note="Call Tom back"),
    )


def test_a_generated_column_that_is_a_reference_counts():
    assert not same(changed("users", "tom", home="prj_1"), changed("users", "tom", home=None))


def test_an_ignored_column_does_not_count():
    assert same(changed("projects", "prj_1", seen=4), changed("projects", "prj_1", seen=5))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (True, 1, False),
        (False, 0, False),
        (12, 12.0, True),
        ("12", 12, False),
        (0, None, False),
        ("", None, False),
        ([], None, False),
        ([1], [True], False),
        ([1, 2], [1.0, 2], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([["a"]], ["a"], False),
        (["list", "a"], ["a"], False),
        (["bool", True], True, False),
    ],
)
def test_values_are_equal_only_where_json_says_so(one: Json, other: Json, equal: bool):
    expected, actual = (
        changed("tasks", "tsk_1", points=one),
        changed("tasks", "tsk_1", points=other),
    )
    assert same(expected, actual) is equal
    assert same(actual, expected) is equal


def without(record: Record, column: str) -> Record:
    return {name: value for name, value in record.items() if name != column}


def test_null_is_absent_only_where_the_column_is_optional_with_a_null_default():
    made_task = task("t1", "A", "prj_1", points=None)
    assert same(made("tasks", made_task), made("tasks", without(made_task, "points")))
    made_task = task("t1", "A", "prj_1") | {"status": None}
    assert not same(made("tasks", made_task), made("tasks", without(made_task, "status")))


def test_a_base_record_that_was_deleted_and_made_again_is_not_the_same_record():
    again = {"tasks": TableOverlay(made={"tsk_1": INITIAL["tasks"]["tsk_1"]}, deleted=("tsk_1",))}
    assert not same({}, again)
    assert same(again, again)
    assert not same(again, {"tasks": TableOverlay(deleted=("tsk_1",))})


# ----------------------------------------------------------------- how it is told


def test_a_changed_value_is_told_with_what_it_should_be():
    assert lines(changed("tasks", "tsk_1", status="done"), {}) == [
        'tasks tsk_1: status is "open", should be "done"'
    ]


def test_a_missing_record_is_told_by_its_name():
    assert lines(made("projects", project("prj_a", "Lumina")), {}) == [
        'projects: "Lumina" is missing'
    ]


def test_an_extra_record_is_told_by_key_and_name():
    assert lines({}, made("projects", project("prj_a", "Lumina"))) == [
        'projects prj_a: "Lumina" should not be there'
    ]


def test_a_record_without_a_name_is_told_whole_but_for_what_does_not_count():
    issue = {"owner": "tom", "repo": "site", "number": 2, "title": "Slow"}
    assert lines(made("issues", issue), {}) == [
        'issues: {"owner": "tom", "repo": "site", "title": "Slow"} is missing'
    ]


def test_deletions_are_told_both_ways():
    gone: Overlay = {"tasks": TableOverlay(deleted=("tsk_2",))}
    assert lines({}, gone) == ['tasks tsk_2: "Book a room" is deleted, should be kept']
    assert lines(gone, {}) == ['tasks tsk_2: "Book a room" should be deleted']


def test_one_wrong_value_in_a_made_record_is_one_line():
    expected = made("projects", project("a", "Lumina"), project("b", "Nova")) | made(
        "tasks",
        task("t1", "Draft", "a"),
        task("t2", "Draft", "b", after="t1"),
        task("t3", "Review", "b", status="done"),
    )
    actual = made("projects", project("c", "Nova"), project("d", "Lumina")) | made(
        "tasks",
        task("t1", "Review", "c"),
        task("t2", "Draft", "c", after="t7"),
        task("t7", "Draft", "d"),
    )
    assert lines(expected, actual) == ['tasks t1: status is "open", should be "done"']


def test_lookalikes_are_paired_by_what_refers_to_them_before_the_difference_is_told():
    expected = made("projects", project("a", "X"), project("b", "X")) | made(
        "tasks", task("t1", "First", "a"), task("t2", "Second", "b", status="done")
    )
    actual = made("projects", project("c", "X"), project("d", "X")) | made(
        "tasks", task("t1", "Second", "c"), task("t2", "First", "d")
    )
    assert lines(expected, actual) == ['tasks t1: status is "open", should be "done"']


def test_a_wrong_reference_is_told_in_the_keys_of_the_state_that_was_reached():
    expected = made("projects", project("a", "Lumina"), project("b", "Nova")) | made(
        "tasks", task("t1", "Draft", "a", points=5)
    )
    actual = made("projects", project("p", "Lumina"), project("q", "Nova")) | made(
        "tasks", task("t9", "Draft", "q", points=5)
    )
    assert lines(expected, actual) == ['tasks t9: project_id is "q", should be "p"']


# ------------------------------------------------------------- the cases, whole


def test_case_033_another_way_to_the_same_end_is_equal_and_one_more_record_is_not():
    case = json.loads((CASES / "033-other-way-same-end" / "task.json").read_text())
    schema = StateSchema(
        tables=(
            Table(name="lists", noun="list", key=("id",), columns=(Column(name="id"),)),
            Table(
                name="tasks",
                noun="task",
                key=("id",),
                columns=(Column(name="id"), Column(name="list_id", references="lists")),
            ),
        )
    )
    store = Store(Base(schema, case["initial_state"]), now="2026-03-02T09:00:00Z")

    def end(calls: list[list[str]]) -> Overlay:
        session = store.fork()
        for tool, *arguments in calls:
            match tool:
                case "get_task":
                    session.get("tasks", *arguments)
                case "move_task":
                    session.update("tasks", arguments[0], list_id=arguments[1])
                case "move_all_tasks":
                    for each in session.find("tasks", list_id=arguments[0]):
                        session.update("tasks", each["id"], list_id=arguments[1])
        return session.overlay()

    golden = end([[each["name"], *each["arguments"].values()] for each in case["golden_calls"]])
    scores = [
        compare(schema, store.initial, golden, end(each["calls"])).equal for each in case["runs"]
    ]
    assert scores == [each["score"] == 1 for each in case["runs"]]


def test_case_030_creating_in_another_order_is_equal_up_to_generated_ids():
    case = json.loads((CASES / "030-random-ids-in-state" / "task.json").read_text())
    schema = StateSchema(
        tables=(
            Table(
                name="bills",
                noun="bill",
                key=("bill_id",),
                columns=(
                    Column(name="bill_id", generated="id", prefix="bill_"),
                    Column(name="customer_id"),
                    Column(name="cents", type="integer"),
                    Column(name="created_at", format="date-time", generated="time"),
                ),
            ),
        )
    )
    store = Store(Base(schema, {"bills": {}}), now="2026-03-02T09:00:00Z")

    def end(calls: list[dict[str, Json]]) -> Overlay:
        session = store.fork()
        for call in calls:
            session.insert("bills", **call["arguments"])
        return session.overlay()

    one, other = end(case["calls_a"]), end(case["calls_b"])
    assert one == end(case["calls_a"])
    assert one != other
    assert compare(schema, store.initial, one, other).equal
