"""One form for every date and time, whichever way a text comes to it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.env.dates import normal_date, normal_date_time

DATES = st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-3][0-9]", fullmatch=True)
TIMES = st.from_regex(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9]Z", fullmatch=True
)


def normal(read: Callable[[str], str], text: str) -> str | None:
    try:
        return read(text)
    except ValueError:
        return None


@given(DATES | st.dates().map(str))
def test_a_date_that_looks_normal_is_read_like_one_with_spaces_around_it(text):
    assert normal(normal_date, text) == normal(normal_date, f" {text} ")


@given(TIMES | st.datetimes().map(lambda moment: moment.isoformat()[:19] + "Z"))
def test_a_time_that_looks_normal_is_read_like_one_with_spaces_around_it(text):
    assert normal(normal_date_time, text) == normal(normal_date_time, f" {text} ")


@pytest.mark.parametrize(
    "text", ["0000-01-01", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00"]
)
def test_a_day_that_never_was_is_no_date(text):
    assert normal(normal_date, text) is None
    assert normal(normal_date_time, f"{text}T09:00:00Z") is None
