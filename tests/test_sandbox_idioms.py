"""Ordinary Python in tools: the same results, refusals and records in both back ends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.env.plain import plain
from forge.errors import ToolBug, ToolError
from tests.boxes import BASE, KINDS, new_store, opened
from tests.idioms import IDIOMS


def outcome(kind, source):
    """What a tool returns, or how it refuses, and what it leaves."""
    store = new_store()
    with opened(source, kind) as box:
        try:
            with store.transaction():
                result = ("value", plain(box.run("tool", {}, store)))
        except ToolError as error:
            result = ("refused", error.kind, error.message)
        except ToolBug as error:
            result = ("bug", error.reason.split(":")[0])
    return result, store.state(), store.now()


@pytest.mark.parametrize("name", IDIOMS)
def test_the_idiom_does_the_same_in_both_back_ends(name):
    source, expected = IDIOMS[name]
    monty, native = (outcome(kind, source) for kind in KINDS)
    assert monty == native
    assert monty[0] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_that_a_tool_changes_is_a_copy(kind):
    source = (
        "def tool():\n    x = get('notes', 'n_2')\n    _spoil(x)\n    return get('notes', 'n_2')\n"
    )
    source += "def _spoil(x):\n    x['tags'].append('z')\n    x['title'] = 'Z'\n"
    with opened(source, kind) as box:
        assert box.run("tool", {}, new_store())["tags"] == ["home"]
    assert BASE.record("notes", ("n_2",))["tags"] == ["home"]


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_that_a_tool_changes_stay_the_caller_s(kind):
    arguments = {"tags": ["a"]}
    source = "def tool(tags):\n    tags.append('b')\n    return tags"
    with opened(source, kind) as box:
        assert box.run("tool", arguments, new_store()) == ["a", "b"]
    assert arguments == {"tags": ["a"]}


@pytest.mark.parametrize("kind", KINDS)
def test_an_argument_named_like_the_table_api_gets_an_underscore(kind):
    source = "def tool(page_, count_=0):\n    return [page_, count_, count('notes')]"
    with opened(source, kind) as box:
        assert box.run("tool", {"page": 2, "count": 5}, new_store()) == [2, 5, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_a_bug_says_the_line(kind):
    source = "def tool():\n    x = {}\n    return x['nope']"
    with opened(source, kind) as box, pytest.raises(ToolBug, match=r"KeyError: .*\(line 3\)"):
        box.run("tool", {}, new_store())


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_does_not_exist_is_a_bug_that_no_except_hides(kind):
    source = (
        "def tool():\n    try:\n        return find('notes', nope=1)\n"
        "    except Exception:\n        return 'hidden'"
    )
    with opened(source, kind) as box, pytest.raises(ToolBug, match="nope"):
        box.run("tool", {}, new_store())


@pytest.fixture(scope="module", params=KINDS)
def rounding(request):
    source = "def tool(x, n):\n    return [round(x, n), round(x), sum([x, 0.1, 0.2])]"
    with opened(source, request.param) as box:
        yield lambda x, n: box.run("tool", {"x": x, "n": n}, new_store())


@settings(max_examples=60, deadline=None)
@given(x=st.floats(-1e9, 1e9) | st.integers(0, 10**6).map(lambda n: n / 1000), n=st.integers(0, 4))
def test_numbers_round_and_add_to_the_last_digit_as_in_python(rounding, x, n):
    assert rounding(x, n) == [round(x, n), round(x), 0.0 + x + 0.1 + 0.2]
