"""The sample documents that ship with the project."""

import json
from dataclasses import asdict

import pytest

from forge.docs.read import read
from forge.docs.schema import look
from forge.types.doc import ApiDoc
from tests.documents import arguments, by_name
from tests.places import ROOT

FILES = ("hotel.yaml", "library.yaml", "projects.md", "shop.json")


def sample(file: str) -> ApiDoc:
    [doc] = read([ROOT / "docs_in" / file])
    return doc


def test_the_folder_holds_four_documents_and_its_own_readme():
    docs = read([ROOT / "docs_in"])
    assert [doc.source for doc in docs] == list(FILES)
    assert [one.where for doc in docs for one in doc.skipped] == ["README.md"]
    assert 55 <= sum(len(doc.operations) for doc in docs) <= 80


@pytest.mark.parametrize("file", FILES)
def test_a_sample_is_understood_whole(file):
    assert sample(file).skipped == ()


@pytest.mark.parametrize("file", FILES)
def test_every_result_and_column_of_a_sample_is_described(file):
    doc = sample(file)
    for operation in doc.operations:
        assert operation.summary
        assert all(one.description for one in operation.parameters), operation.name
    for name, schema in doc.schemas.items():
        for column, value in schema.get("properties", {}).items():
            found = look(value, schema.get("$defs", {}))
            assert found.schema.get("description"), f"{name}.{column}"
            assert found.schema["type"]


@pytest.mark.parametrize("file", FILES)
def test_a_sample_read_twice_is_the_same_and_can_be_dumped(file):
    first, second = (json.dumps(asdict(sample(file)), ensure_ascii=False) for _ in range(2))
    assert first == second


def test_the_running_example_has_its_functions():
    named = by_name(sample("projects.md"))
    assert {"create_project", "delete_project", "get_project_id_by_name", "remove_member"} <= set(
        named
    )
    task = arguments(named["create_task"])
    assert {name for name, one in task.items() if one.required} == {
        "project_id",
        "title",
        "due_date",
    }
    assert named["list_tasks"].entity == "Task"


def test_a_status_that_only_the_service_sets_is_shown_and_not_asked_for():
    hotel = sample("hotel.yaml")
    status = hotel.schemas["Reservation"]["properties"]["status"]
    assert status["enum"] == ["booked", "checked_in", "cancelled"]
    assert status["readOnly"] is True
    assert "status" not in arguments(by_name(hotel)["create_reservation"])
    assert by_name(hotel)["create_reservation"].links[0].target == "get_reservation"
