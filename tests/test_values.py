"""What the structural author writes into columns reads like what a person would write there."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.authors.structural.values.places import SPOTS
from forge.authors.structural.values.values import may_have, new_value
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


ASSET = Table(
    name="assets",
    noun="asset",
    key=("id",),
    label="name",
    columns=(
        Column(name="id", generated="id"),
        Column(name="name"),
        Column(name="status", enum=("Draft", "Registered", "Disposed")),
        Column(name="type_id", references="asset_types"),
        Column(name="purchase_price", type="number"),
        Column(name="book_value", type="number"),
        Column(name="disposal_price", type="number"),
        Column(name="serial_number", examples=("ca4c6b39-4f4f-43e8-98da-5e1f350a6694",)),
    ),
)
PRODUCT = a_table(
    "product",
    Column(name="name"),
    Column(name="category", enum=("kitchen", "garden", "office", "toys", "lighting")),
    Column(name="price", type="number"),
    label="name",
)
STAY = a_table(
    "reservation",
    Column(name="arrival", format="date"),
    Column(name="departure", format="date"),
    Column(name="status", enum=("booked", "checked_in", "checked_out", "cancelled")),
    Column(name="wishes"),
)


def values_of(table: Table, of: str, count: int = 40, look=None, **near: object) -> list:
    [column] = [each for each in table.columns if each.name == of]
    known = {} if look is None else {"look": look}
    return [
        new_value(table, column, random.Random(f"{of}/{n}"), near=near, now=TODAY, **known)
        for n in range(count)
    ]


TODAY = "2026-03-02T09:00:00Z"


@pytest.mark.parametrize(
    ("category", "never"), [("lighting", "mug|pot|notebook"), ("toys", "lamp|mug|binder")]
)
def test_a_name_fits_the_category_beside_it(category, never):
    names = values_of(PRODUCT, "name", category=category)
    assert not [name for name in names if re.search(never, name)]
    for name in names:
        assert set(values_of(PRODUCT, "category", 6, name=name)) == {category}


def test_a_price_fits_the_thing():
    assert max(values_of(PRODUCT, "price", name="Birch pen tray")) < 30
    assert min(values_of(PRODUCT, "price", name="Toy kitchen")) > 50
    assert min(values_of(ASSET, "purchase_price", name="Company car, Leeds")) > 10_000


def test_a_name_fits_the_type_that_the_record_refers_to():
    def look(column: Column, key: object) -> dict:
        return {"id": key, "name": "Vehicles"} if key == "t1" else {}

    names = values_of(ASSET, "name", look=look, type_id="t1")
    assert not [n for n in names if not re.search(r"car|van|bus|truck|scooter", n, re.IGNORECASE)]


def test_what_is_left_of_a_price_is_no_more_than_the_price():
    for name in ("book_value", "disposal_price"):
        assert max(values_of(ASSET, name, purchase_price=420)) <= 420
    assert min(values_of(ASSET, "purchase_price", book_value=8800)) >= 8800


def test_serial_numbers_are_short_codes():
    for value in values_of(ASSET, "serial_number"):
        assert re.fullmatch(r"SN-\d{5}-[A-Z]", value)


@pytest.mark.parametrize(("status", "there"), [("Draft", False), ("Disposed", True)])
def test_a_disposal_price_is_for_what_is_disposed_of(status, there):
    [column] = [c for c in ASSET.columns if c.name == "disposal_price"]
    assert may_have(ASSET, column, near={"status": status}) is there


@pytest.mark.parametrize(
    ("status", "first", "last"),
    [("booked", "2026-03-03", "9"), ("checked_in", "2", "2026-03-02"),
     ("checked_out", "2", "2026-03-02")],
)  # fmt: skip
def test_an_arrival_agrees_with_the_status(status, first, last):
    assert all(first <= v <= last for v in values_of(STAY, "arrival", status=status))


def test_who_is_checked_in_leaves_later_and_who_is_checked_out_has_left():
    for status, low, high in (("checked_in", "2026-03-03", "9"), ("checked_out", "2", TODAY[:10])):
        for arrival in values_of(STAY, "arrival", status=status):
            for value in values_of(STAY, "departure", 5, status=status, arrival=arrival):
                assert max(low, arrival) <= value <= high


def test_wishes_for_a_room_are_no_wishes_for_a_flight():
    wishes = values_of(STAY, "wishes")
    assert len(set(wishes)) > 8
    assert not [wish for wish in wishes if "seat" in wish.lower()]


def test_a_gift_note_is_a_greeting():
    for note in some("order", Column(name="gift_note")):
        assert not re.search(r"deliver|invoice|neighbour with|ring", note, re.IGNORECASE)


def test_twin_columns_tell_of_one_date():
    table = a_table(
        "task", Column(name="due_on", format="date"), Column(name="due_at", format="date-time")
    )
    assert set(values_of(table, "due_on", due_at="2026-04-05T10:30:00Z")) == {"2026-04-05"}
    assert {v[:10] for v in values_of(table, "due_at", due_on="2026-04-05")} == {"2026-04-05"}


def test_user_names_have_no_spaces_and_fit_the_person():
    user = a_table("user", *(Column(name=n) for n in ("username", "first_name", "email")))
    for name in values_of(user, "username", email="rosa.lind@example.org"):
        assert name == "rosa.lind"
    assert set(values_of(user, "first_name", username="rosa.lind")) == {"Rosa"}
    for value in values_of(user, "username"):
        assert re.fullmatch(r"[a-z]+\.[a-z]+\d*", value)


def test_an_organisation_signs_in_under_a_name_of_its_own():
    for name in some("organization", Column(name="login")):
        assert re.fullmatch(r"[a-z0-9-]+", name)
    assert some("organization", Column(name="login"), 1, name="Holm Furniture") == [
        "holm-furniture"
    ]


def test_who_gets_a_message_is_a_person():
    for name in some("message", Column(name="receiver_name")):
        assert re.fullmatch(r"[A-Z][\w'-]+ [A-Z][\w'-]+", name)


def test_a_country_fits_the_phone_number_beside_it():
    assert set(some("guest", Column(name="country"), phone="+33 4 72 11 22 33")) == {"France"}


def test_a_single_room_has_one_bed():
    room = a_table(
        "room", Column(name="kind", enum=("single", "double")), Column(name="beds", type="integer")
    )
    assert set(values_of(room, "beds", kind="single")) == {1}
    assert set(values_of(room, "beds", kind="double")) == {2}


def test_a_party_is_no_larger_than_its_room():
    stay = a_table(
        "stay", Column(name="room", references="rooms"), Column(name="adults", type="integer")
    )
    assert set(values_of(stay, "adults", look=lambda *_: {"beds": 2}, room=7)) == {1, 2}


def test_flags_and_statuses_agree():
    job = a_table(
        "job",
        Column(name="completed", type="boolean"),
        Column(name="status", enum=("open", "in_progress", "done")),
    )
    assert set(values_of(job, "completed", status="done")) == {True}
    assert set(values_of(job, "completed", status="open")) == {False}
    assert "done" not in values_of(job, "status", completed=False)
    assert set(values_of(job, "status", completed=True)) == {"done"}


def test_html_says_what_the_text_beside_it_says():
    note = a_table("note", Column(name="text"), Column(name="html_text"))
    [html] = set(values_of(note, "html_text", text="Salt & pepper"))
    assert html == "<body>Salt &amp; pepper</body>"


@pytest.mark.parametrize(
    "example", ["Some Value", "A blob of information.", "string", "This is the New Text", "1331"]
)
def test_what_only_stands_for_a_value_in_a_document_is_no_value(example):
    for name in ("text", "name", "summary"):
        assert example not in some("comment", Column(name=name, examples=(example,)))


def test_no_name_has_a_wrong_article():
    names = [name for noun in ("book", "movie") for name in some(noun, Column(name="title"), 400)]
    assert not [n for n in names if re.search(r"\b[Aa] [AEIO]|\b[Aa]n [BCDFGKLMNPQRST]", n)]


def test_codes_of_a_shelf_have_one_form():
    column = Column(name="shelf", examples=("B 07", "C 12"))
    assert all(re.fullmatch(r"[A-Z] \d{1,2}", v) for v in some("book", column))


def test_a_way_leads_from_one_city_to_another():
    flight = a_table("flight", Column(name="departure_city"), Column(name="arrival_city"))
    assert "Leeds" not in values_of(flight, "arrival_city", 200, departure_city="Leeds")


def test_work_begins_before_it_is_due():
    column = Column(name="start_on", format="date")
    assert all(v < "2026-03-20" for v in some("task", column, due_at="2026-03-20T15:00:00Z"))


def test_a_breed_is_one_of_the_species_beside_it():
    pet = a_table("pet", Column(name="species"), Column(name="breed"))
    assert "Siamese" in values_of(pet, "breed", species="cat")
    assert not {"Beagle", "Poodle", "Haflinger"} & set(values_of(pet, "breed", species="cat"))
    assert set(values_of(pet, "species", breed="Beagle")) == {"dog"}


def test_an_option_fits_the_field_that_it_is_of():
    option = a_table("enum option", Column(name="field", references="fields"), Column(name="name"))
    names = values_of(option, "name", look=lambda *_: {"name": "Priority"}, field=7)
    assert {"Low", "High"} <= set(names)
    assert not {"Online", "Marketing", "North"} & set(names)


@pytest.mark.parametrize(
    ("noun", "column", "shape"),
    [
        ("agent secret", "name", r"[A-Z]+(_[A-Z]+)+"),
        ("repo variable", "name", r"[A-Z]+(_[A-Z]+)+"),
        ("deploy key", "key", r"ssh-ed25519 AAAAC3Nza\w+ [a-z-]+@[a-z]+"),
        ("ssh key", "public_key", r"ssh-ed25519 AAAAC3Nza\w+ [a-z-]+@[a-z]+"),
        ("deployment branch policy", "name", r"[a-z]+|[a-z-]+/\*|.*\*"),
        ("environment", "name", r"[a-z]+(-[a-z]+)*"),
        ("read replica", "name", r"[a-z]+(-[a-z]+)+(-\d)?"),
        ("firewall", "addresses", r"\d+(\.\d+){3}"),
    ],
)
def test_names_in_software_are_written_as_software_writes_them(noun, column, shape):
    for value in some(noun, Column(name=column)):
        assert re.fullmatch(shape, value)


def test_a_policy_alone_is_an_insurance_and_one_of_something_is_not():
    assert any("insurance" in name for name in some("policy", Column(name="name")))
    for noun in ("retention policy", "protection policy"):
        assert not any("insurance" in name for name in some(noun, Column(name="name")))


def test_keys_of_people_are_named_after_what_they_carry_and_those_of_machines_are_not():
    assert not any("phone" in name for name in some("deploy key", Column(name="title")))
    assert not any("server" in name.lower() for name in some("ssh key", Column(name="title")))


def test_a_jurisdiction_is_a_place():
    assert set(some("company", Column(name="jurisdiction"))) <= {spot.region for spot in SPOTS}


def test_a_region_is_one_of_a_data_centre_only_for_what_runs_in_one():
    assert all(re.search(r"-\d$", value) for value in some("database", Column(name="region")))
    assert not any(re.search(r"-\d$", value) for value in some("supplier", Column(name="region")))


def test_a_short_text_of_unknown_meaning_is_no_sentence():
    assert not any(" " in value for value in some("slide", Column(name="justify_mode")))


def test_a_text_that_asks_for_prose_is_a_sentence():
    for column in (Column(name="rationale"), Column(name="why", description="A short explanation")):
        assert all(" " in value for value in some("slide", column))


def test_values_that_a_description_quotes_are_the_values():
    column = Column(name="style", description="Can be `merge`, `rebase` or `squash`.")
    assert set(some("repo", column)) == {"merge", "rebase", "squash"}


def test_a_name_is_written_as_the_examples_write_it():
    for value in some("gazebo", Column(name="name", examples=("my-nice-gazebo",))):
        assert re.fullmatch(r"[a-z]+-gazebo|my-nice-gazebo", value)


@pytest.mark.parametrize(
    ("noun", "column", "least", "most"),
    [
        ("task", Column(name="priority", type="integer"), 1, 4),
        ("club", Column(name="number_of_members", type="integer"), 3, 60),
        ("rule", Column(name="target_port", type="integer"), 80, 9090),
        ("episode", Column(name="season_number", type="integer"), 1, 9),
        ("wallet", Column(name="droplet_limit", type="integer", examples=(25,)), 10, 50),
    ],
)  # fmt: skip
def test_numbers_lie_in_the_range_of_what_they_count(noun, column, least, most):
    assert all(least <= value <= most for value in some(noun, column))


def test_further_environments_are_numbered_as_machines_are():
    column = Column(name="name")
    taken: list[str] = []
    for n in range(60):
        taken.append(
            new_value(a_table("environment", column), column, random.Random(n), taken=taken)
        )
    assert len(set(taken)) == 60
    assert not any(" " in name for name in taken)


def test_what_runs_in_a_data_centre_has_tags_and_sizes_of_machines():
    assert all(
        re.fullmatch(r"[a-z]-\d+vcpu-\d+gb", v) for v in some("droplet", Column(name="size"))
    )
    assert "balcony" not in some("droplet", Column(name="feature"))
    assert "balcony" in some("flat", Column(name="feature"))


def test_a_key_that_names_a_thing_is_made_of_its_name():
    for value in some("post", Column(name="ministry_key")):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", value)


def test_addresses_in_examples_give_addresses():
    for value in some("route", Column(name="gateway", examples=("104.236.0.1",))):
        assert all(int(part) < 256 for part in value.split("."))


def test_what_reviewers_say_of_code_is_no_review_of_a_product():
    assert not any("gift" in v or "colour" in v for v in some("pull review", Column(name="body")))
    assert set(some("pull review", Column(name="state"))) <= {
        "approved",
        "changes requested",
        "commented",
    }


def test_labels_of_a_ticket_are_labels_and_no_titles():
    assert "regression" in some("issue", Column(name="labels"), 80)


def test_people_live_in_cities():
    assert set(some("user", Column(name="location"))) <= {spot.city for spot in SPOTS}


def test_a_failed_payment_has_a_reason_that_payments_have():
    assert "Arrived damaged" not in some("refund", Column(name="failure_reason"))


def test_permissions_are_flags_or_what_one_may_do():
    inner = (Column(name="admin", type="boolean"), Column(name="issues"))
    for value in some("repo", Column(name="permissions", type="object", properties=inner)):
        assert value.get("issues") in (None, "read", "write")
        assert value.get("admin") in (None, True, False)


def test_a_percentage_is_the_one_in_the_name_beside_it():
    column = Column(name="percentage", type="number")
    assert set(some("tax rate", column, display_name="Food 7%")) == {7.0}


def test_a_default_branch_is_no_branch_of_one_change():
    assert not any("/" in value for value in some("repo", Column(name="default_branch")))


def test_the_key_of_an_entry_that_people_know_is_words():
    for value in some("core memory", Column(name="key", spoken=True)):
        assert re.fullmatch(r"[a-z]+_[a-z]+", value)
