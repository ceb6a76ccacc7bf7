"""Names taken apart and put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.authors.structural.words import one, plural, singular, split, stem


@pytest.mark.parametrize(
    ("one_of_them", "more_of_them"),
    [
        ("task", "tasks"),
        ("status", "statuses"),
        ("address", "addresses"),
        ("company", "companies"),
        ("person", "people"),
        ("child", "children"),
        ("box", "boxes"),
        ("warehouse", "warehouses"),
        ("invoice", "invoices"),
        ("photo", "photos"),
        ("leaf", "leaves"),
        ("day", "days"),
        ("alias", "aliases"),
        ("analysis", "analyses"),
        ("wiki", "wikis"),
        ("menu", "menus"),
    ],
)
def test_nouns_have_a_singular_and_a_plural(one_of_them: str, more_of_them: str) -> None:
    assert plural(one_of_them) == more_of_them
    assert singular(more_of_them) == one_of_them
    assert singular(one_of_them) == one_of_them


def test_names_are_split_at_case_underscores_and_dashes() -> None:
    for name in ("dueDate", "DueDate", "due_date", "due-date", "due date"):
        assert split(name) == ("due", "date")
    assert split("assetTypeIDs") == ("asset", "type", "ids")


def test_the_stem_of_a_schema_name_is_its_noun() -> None:
    assert stem("TaskCreateRequest") == ("task",)
    assert stem("CustomFieldResponse") == ("custom", "field")
    assert stem("NewPet") == ("pet",)
    assert stem("OrderLine") == ("order", "line")


@given(st.from_regex(r"[a-z]{3,8}(_[a-z]{3,8})?", fullmatch=True))
def test_making_a_noun_one_twice_changes_nothing(name: str) -> None:
    words = one(split(name))
    assert one(words) == words
