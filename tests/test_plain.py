"""What counts as JSON where values come in and go out: copied, held to its limits, or refused."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.env.plain import DEEPEST, plain

WHOLE = st.integers(-(2**63), 2**63 - 1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=30,
)


def parts(value: object) -> Iterator[object]:
    """All lists and dicts in it."""
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from parts(each)


def size(value: object) -> int:
    """Characters, as the limit counts them."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return 8 * (1 + len(value)) + sum(len(n) + size(v) for n, v in value.items())
    return 8 * (1 + len(value)) + sum(map(size, value)) if isinstance(value, list) else 0


@given(VALUES)
def test_json_is_copied_as_it_is_and_the_copy_shares_nothing(value: object) -> None:
    made = plain(value)
    assert repr(made) == repr(value)
    assert not {id(part) for part in parts(made)} & {id(part) for part in parts(value)}


@given(VALUES)
def test_it_may_be_as_long_as_the_limit_and_no_longer(value: object) -> None:
    assert plain(value, size(value)) == value
    if size(value):
        with pytest.raises(ValueError, match="is longer than"):
            plain(value, size(value) - 1)


class Name(str):
    """A text that is more than a text."""


def test_tuples_are_lists_and_texts_are_only_that() -> None:
    made = plain({Name("é"): (Name("a"), 1), Name("b"): Name("c")})
    assert made == {"é": ["a", 1], "b": "c"}
    assert {type(part) for part in (*made, *made["é"], made["b"])} == {str, int}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({1: "a"}, "a name that is no text"),
        ({"a": {"\ud800": 1}}, "half a character"),
        ({"a": "\ud800"}, "half a character"),
        ({"a": 2**63}, "more than 64 bits"),
        ({"a": [float("nan")]}, "no number in JSON"),
        ({"a": {1}}, "a set, which is not JSON"),
        ([b"a"], "a bytes, which is not JSON"),
    ],
)
def test_what_is_not_json_is_refused_with_the_reason(value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        plain(value)


@pytest.mark.parametrize("around", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_it_may_be_nested_as_deep_as_the_limit_and_no_deeper(around) -> None:
    value: object = 1
    for _ in range(DEEPEST):
        value = around(value)
    assert plain(value) == value
    with pytest.raises(ValueError, match="is nested more than"):
        plain(around(value))


def test_what_holds_itself_twice_is_refused_at_once() -> None:
    value: list[object] = []
    value += [value, value]
    with pytest.raises(ValueError):
        plain(value)
