"""What the structural author writes into columns reads like what a person would write there."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.authors.structural.values import new_value
from forge.env.values import checked
from forge.types.state import Column, Table


def a_table(noun: str, *columns: Column, label: str | None = None) -> Table:
    return Table(
        name=noun.replace(" ", "_") + "s",
        noun=noun,
        key=("id",),
        columns=(Column(name="id", generated="id"), *columns),
        label=label,
    )


def some(noun: str, column: Column, count: int = 40, **near: object) -> list:
    return [
        new_value(a_table(noun, column), column, random.Random(f"{noun}/{n}"), near=near)
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("noun", "column"),
    [("task", "title"), ("project", "name"), ("product", "name"), ("book", "title"),
     ("room", "name"), ("asset", "name"), ("event", "title"), ("bed", "label"),
     ("invoice", "description"), ("patient", "name"), ("issue", "title")],
)  # fmt: skip
def test_names_differ_from_record_to_record(noun, column):
    assert len(set(some(noun, Column(name=column)))) >= 12


def test_a_noun_that_no_list_knows_still_gives_a_readable_label():
    for value in some("gazebo", Column(name="label")):
        assert re.fullmatch(r"[A-Z][\w. ]* gazebo", value)


def test_an_email_fits_the_name_beside_it():
    assert all(
        email.startswith("priya.nair@")
        for email in some("user", Column(name="email", format="email"), name="Priya Nair")
    )


def test_an_email_fits_first_and_last_name():
    emails = some("contact", Column(name="email"), first_name="Tom", last_name="O'Brien")
    assert all(email.startswith("tom.o-brien@") for email in emails)


def test_a_country_fits_the_city_beside_it():
    assert set(some("supplier", Column(name="country"), city="Bergen")) == {"Norway"}


def test_an_end_comes_after_the_start_beside_it():
    column = Column(name="end_date", format="date")
    assert all(v > "2026-04-01" for v in some("booking", column, start_date="2026-04-01"))


def test_a_start_comes_before_the_end_beside_it():
    column = Column(name="starts_at", format="date-time")
    near = {"ends_at": "2026-04-01T15:00:00Z"}
    assert all(v < "2026-04-01T15:00:00Z" for v in some("event", column, **near))


def test_a_due_date_comes_after_the_creation():
    column = Column(name="due_date", format="date")
    near = {"created_at": "2026-02-20T10:00:00Z"}
    assert all(v > "2026-02-20" for v in some("task", column, **near))


def test_people_were_born_long_ago():
    for value in some("patient", Column(name="birth_date", format="date")):
        assert "1940" < value < "2008"


def test_prices_have_at_most_two_decimals_and_a_sane_range():
    for value in some("book", Column(name="price", type="number")):
        assert 1 <= value < 100
        assert round(value, 2) == value


def test_a_salary_is_no_book_price():
    assert min(some("employee", Column(name="salary", type="number"))) > 10_000


def test_examples_of_a_code_give_its_shape():
    for value in some("product", Column(name="sku", examples=("AB-1234",))):
        assert re.fullmatch(r"AB-\d{4}", value)


def test_a_value_is_never_one_of_those_taken():
    column = Column(name="title")
    taken: list[str] = []
    for n in range(300):
        value = new_value(a_table("task", column), column, random.Random(n), taken=taken)
        assert value not in taken
        taken.append(value)


def test_a_taken_enum_value_is_not_given_while_there_is_another():
    column = Column(name="status", enum=("open", "closed"))
    for n in range(10):
        value = new_value(a_table("task", column), column, random.Random(n), taken=("open",))
        assert value == "closed"


def test_a_property_named_like_a_reference_gets_a_plain_text():
    column = Column(name="$ref")
    assert all(isinstance(value, str) for value in some("pointer", column, 5))


columns = st.builds(
    Column,
    name=st.sampled_from(
        ["name", "status", "price", "created_at", "email", "1Q", "$ref", "class", "x", "größe",
         "dueDate", "__init__", "count", "city", "code", "description", "zip", "", "a b"]
    ),
    type=st.sampled_from(["string", "integer", "number", "boolean", "any"]),
    required=st.booleans(),
    min_length=st.none() | st.integers(0, 12),
    max_length=st.none() | st.integers(12, 40),
    minimum=st.none() | st.integers(-50, 10),
    maximum=st.none() | st.integers(10, 10_000),
    examples=st.lists(st.text(max_size=12), max_size=2).map(tuple),
)  # fmt: skip


@given(
    columns,
    st.sampled_from(["task", "gazebo", "person", "", "línea", "asset type"]),
    st.integers(0, 99),
)
def test_whatever_the_column_its_value_is_one_that_it_allows(column, noun, seed):
    value = new_value(a_table(noun, column), column, random.Random(seed))
    checked(column, value, "value")


nested = st.recursive(
    columns,
    lambda inner: st.one_of(
        st.builds(Column, name=st.just("parts"), type=st.just("array"), items=inner),
        st.builds(
            Column,
            name=st.just("address"),
            type=st.just("object"),
            properties=st.lists(inner, max_size=3, unique_by=lambda c: c.name).map(tuple),
        ),
    ),
    max_leaves=4,
)


@given(nested, st.integers(0, 99))
def test_nested_values_are_allowed_too_and_the_same_for_the_same_dice(column, seed):
    table = a_table("order", column)
    value = new_value(table, column, random.Random(seed))
    checked(column, value, "value")
    assert new_value(table, column, random.Random(seed)) == value
