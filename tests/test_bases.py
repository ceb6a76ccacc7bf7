"""Base states made by the structural author."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from forge.authors.structural.values.kinship import fits, of_name
from forge.authors.structural.values.values import make_base
from forge.env.base import Base
from forge.types.state import Column, Parent, StateSchema, Table
from tests.places import ROOT

NOW = "2026-03-02T09:00:00Z"
HAND = ROOT / "tests/hand/envs/projects/environment.json"


def projects_schema() -> StateSchema:
    return StateSchema.model_validate(json.loads(HAND.read_text())["state_schema"])


def key_column(name: str, **more: object) -> Column:
    return Column(name=name, generated="id", required=True, **more)


REPOSITORIES = StateSchema(
    tables=(
        Table(name="owners", noun="owner", key=("login",), label="name",
              columns=(Column(name="login", spoken=True, required=True), Column(name="name"))),
        Table(name="repositories", noun="repository", key=("owner", "repo"), label="repo",
              parent=Parent(table="owners", columns=("owner",)),
              columns=(Column(name="owner", references="owners", on_delete="cascade"),
                       Column(name="repo", spoken=True), Column(name="private", type="boolean"))),
        Table(name="issues", noun="issue", key=("owner", "repo", "number"), label="title",
              parent=Parent(table="repositories", columns=("owner", "repo")),
              columns=(Column(name="owner"), Column(name="repo"),
                       Column(name="number", type="integer", generated="counter",
                              within=("owner", "repo")),
                       Column(name="title", required=True),
                       Column(name="state", enum=("open", "closed")),
                       Column(name="closed_at", format="date-time"),
                       Column(name="created_at", format="date-time", generated="time"),
                       Column(name="assignees", type="array",
                              items=Column(references="owners")))),
        Table(name="settings", noun="setting", key=(), singleton=True,
              columns=(Column(name="theme", enum=("light", "dark")),)),
        Table(name="beds", noun="bed", key=("bed_id",), label="label",
              columns=(key_column("bed_id", type="integer"), Column(name="label"),
                       Column(name="inside", type="integer", references="beds"))),
    )
)  # fmt: skip


@pytest.fixture(scope="module", params=["projects", "repositories"])
def schema(request) -> StateSchema:
    return projects_schema() if request.param == "projects" else REPOSITORIES


@pytest.mark.parametrize("seed", range(6))
def test_a_base_is_a_valid_state(schema, seed):
    Base(schema, make_base(schema, seed=seed, now=NOW))


def test_tables_hold_enough_to_choose_from(schema):
    state = make_base(schema, seed=1, now=NOW)
    for table in schema.tables:
        count = len(state[table.name])
        assert count == 1 if table.singleton else 12 <= count <= 100


def test_another_seed_gives_other_keys_and_values():
    one, two = (make_base(projects_schema(), seed=seed, now=NOW) for seed in (1, 2))
    for table in ("users", "projects", "tasks"):
        assert not set(one[table]) & set(two[table])
    titles = [{r["title"] for r in state["tasks"].values()} for state in (one, two)]
    assert len(titles[0] & titles[1]) < len(titles[0]) / 2


def test_every_enum_value_occurs_several_times():
    state = make_base(projects_schema(), seed=3, now=NOW)
    for table, column, values in (
        ("projects", "status", 2), ("tasks", "status", 2), ("members", "role", 3),
    ):  # fmt: skip
        counts = Counter(record[column] for record in state[table].values())
        assert len(counts) == values
        assert min(counts.values()) >= 3


@pytest.mark.parametrize(
    ("about", "values"),
    [
        (
            "Current status: `paid`, `pending`, `in_transit`, `canceled` or `failed`. A payout is"
            " `pending` until it is `submitted`.",
            {"paid", "pending", "in_transit", "canceled", "failed"},
        ),
        ("Can be `whole`, `half`, or `void`.", {"whole", "half", "void"}),
    ],
)
@pytest.mark.parametrize("seed", range(8))
def test_every_value_that_a_description_lists_occurs(about, values, seed):
    columns = (key_column("id"), Column(name="status", required=True, description=about))
    schema = StateSchema(
        tables=(Table(name="payouts", noun="payout", key=("id",), columns=columns),)
    )

    rows = make_base(schema, seed=seed, now=NOW)["payouts"].values()

    assert {row["status"] for row in rows} == values


def test_no_two_records_have_the_same_label(schema):
    for seed in range(4):
        state = make_base(schema, seed=seed, now=NOW)
        for table in schema.tables:
            if table.label is not None and table.label not in table.key:
                labels = [r[table.label] for r in state[table.name].values()]
                assert len(labels) == len(set(labels))


def test_some_people_share_a_first_name_and_some_projects_a_first_word():
    state = make_base(projects_schema(), seed=5, now=NOW)
    for table in ("users", "projects"):
        firsts = Counter(r["name"].split()[0] for r in state[table].values())
        assert firsts.most_common(1)[0][1] >= 2


def test_some_optional_values_are_missing_and_some_are_there():
    state = make_base(projects_schema(), seed=1, now=NOW)
    there = ["assignee_id" in record for record in state["tasks"].values()]
    assert any(there)
    assert not all(there)


def test_tasks_are_closed_exactly_where_they_have_a_closing_date():
    for seed in range(4):
        for task in make_base(projects_schema(), seed=seed, now=NOW)["tasks"].values():
            assert (task["status"] == "closed") == ("closed_at" in task)


def test_dates_of_a_record_agree():
    for seed in range(4):
        for task in make_base(projects_schema(), seed=seed, now=NOW)["tasks"].values():
            assert task["created_at"] < NOW
            assert task["created_at"][:10] < task["due_date"]
            assert task["created_at"] <= task.get("closed_at", "9") <= (NOW if "closed_at" in task
                                                                        else "9")  # fmt: skip


def test_an_assignee_is_a_member_of_the_tasks_project():
    state = make_base(projects_schema(), seed=2, now=NOW)
    members = {(m["project_id"], m["user_id"]) for m in state["members"].values()}
    with_members = {project for project, _ in members}
    for task in state["tasks"].values():
        if "assignee_id" in task and task["project_id"] in with_members:
            assert (task["project_id"], task["assignee_id"]) in members


def test_self_references_end():
    beds = make_base(REPOSITORIES, seed=1, now=NOW)["beds"]
    inside = {int(key): bed.get("inside") for key, bed in beds.items()}
    assert any(outer is None for outer in inside.values())
    assert any(outer is not None for outer in inside.values())
    for bed in inside:
        steps, at = 0, bed
        while at is not None:
            at, steps = inside[at], steps + 1
            assert steps <= len(inside)


def test_a_required_self_reference_ends_at_a_record_that_holds_itself():
    schema = StateSchema(
        tables=(Table(name="beds", noun="bed", key=("bed_id",), columns=(
            key_column("bed_id"),
            Column(name="inside", references="beds", required=True, nullable=False))),)
    )  # fmt: skip
    Base(schema, make_base(schema, seed=1, now=NOW))


def test_integer_ids_tell_nothing_of_the_order():
    keys = [int(key) for key in make_base(REPOSITORIES, seed=1, now=NOW)["beds"]]
    assert all(1000 <= key <= 999_999 for key in keys)
    assert max(b - a for a, b in zip(sorted(keys), sorted(keys)[1:], strict=False)) > 1000


def test_a_base_is_the_same_in_every_process():
    code = (
        "import json,sys; from tests.test_bases import *;"
        "print(json.dumps(make_base(REPOSITORIES, seed=7, now=NOW)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(outputs) == 1


ASSETS = StateSchema(
    tables=(
        Table(name="asset_types", noun="asset type", key=("id",), label="name",
              columns=(key_column("id"), Column(name="name", required=True))),
        Table(name="assets", noun="asset", key=("id",), label="name",
              columns=(key_column("id"), Column(name="name", required=True),
                       Column(name="type_id", references="asset_types", required=True),
                       Column(name="status", enum=("Draft", "Registered", "Disposed")),
                       Column(name="purchase_price", type="number"),
                       Column(name="book_value", type="number"),
                       Column(name="disposal_date", format="date", nullable=False),
                       Column(name="disposal_price", type="number", nullable=False))),
        Table(name="customers", noun="customer", key=("id",), label="name",
              columns=(key_column("id"), Column(name="name", required=True),
                       Column(name="city", required=True))),
        Table(name="orders", noun="order", key=("id",),
              columns=(key_column("id"), Column(name="customer_id", references="customers"),
                       Column(name="delivery_address", required=True))),
        Table(name="stays", noun="stay", key=("id",),
              columns=(key_column("id"),
                       Column(name="status", enum=("booked", "checked_in", "cancelled")),
                       Column(name="arrival", format="date", required=True),
                       Column(name="departure", format="date", required=True),
                       Column(name="booked_at", format="date-time", generated="time"))),
        Table(name="chores", noun="chore", key=("id",),
              columns=(key_column("id"), Column(name="due_on", format="date"),
                       Column(name="due_at", format="date-time"))),
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def company():
    states = [make_base(ASSETS, seed=seed, now=NOW) for seed in range(4)]
    return {t.name: [r for s in states for r in s[t.name].values()] for t in ASSETS.tables}


def test_an_asset_fits_the_type_that_it_refers_to(company):
    kinds = {row["id"]: row["name"] for row in company["asset_types"]}
    for asset in company["assets"]:
        assert fits("asset", asset["name"], kinds[asset["type_id"]])
    assert sum(bool(of_name("asset", a["name"])) for a in company["assets"]) > 60


def test_only_what_is_disposed_of_has_a_disposal(company):
    for asset in company["assets"]:
        if asset.get("status") in ("Draft", "Registered"):
            assert not {"disposal_date", "disposal_price"} & set(asset)
    assert any("disposal_price" in asset for asset in company["assets"])


def test_a_book_value_is_at_most_the_purchase_price(company):
    both = [a for a in company["assets"] if "book_value" in a and "purchase_price" in a]
    assert len(both) > 40
    assert all(a["book_value"] <= a["purchase_price"] for a in both)


def test_most_orders_go_to_the_customers_own_city(company):
    cities = {row["id"]: row["city"] for row in company["customers"]}
    known = [o for o in company["orders"] if "customer_id" in o]
    home = [o for o in known if o["delivery_address"].endswith(cities[o["customer_id"]])]
    assert 0.6 * len(known) < len(home) < len(known)


def test_stays_lie_where_their_status_says(company):
    today = NOW[:10]
    for stay in company["stays"]:
        assert stay["booked_at"][:10] <= stay["arrival"] < stay["departure"]
        if stay.get("status") == "checked_in":
            assert stay["arrival"] <= today < stay["departure"]
        if stay.get("status") == "booked":
            assert stay["arrival"] > today


def test_two_columns_of_one_date_agree(company):
    both = [c for c in company["chores"] if "due_on" in c and "due_at" in c]
    assert len(both) > 5
    assert all(c["due_on"] == c["due_at"][:10] for c in both)


def test_a_record_that_lists_its_children_lists_its_own_and_all_of_them():
    listed = Column(name="files", type="array", items=Column(name="file", references="files"))
    schema = StateSchema(
        tables=(
            Table(name="releases", noun="release", key=("id",), label="name",
                  columns=(key_column("id"), Column(name="name"), listed)),
            Table(name="files", noun="file", key=("id",), label="name",
                  parent=Parent(table="releases", columns=("release_id",)),
                  columns=(key_column("id"), Column(name="name"),
                           Column(name="release_id", references="releases",
                                  on_delete="cascade", required=True))),
        )
    )  # fmt: skip
    base = make_base(schema, seed=4, now=NOW)
    for key, release in base["releases"].items():
        own = {k for k, file in base["files"].items() if file["release_id"] == key}
        assert set(release["files"]) == own
    assert any(release["files"] for release in base["releases"].values())
