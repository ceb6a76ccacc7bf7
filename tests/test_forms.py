"""The formulas of choosing and computing, and that wishes really use them."""

from datetime import date, timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.dataset.environments import read_environment
from forge.env.session import World
from forge.tasks.dags.graph import tool_graph
from forge.tasks.intents import forms
from forge.tasks.intents.forms import OPPOSITE, FormError
from forge.tasks.intents.inside import values
from forge.tasks.make import Proposer
from forge.tasks.wishes.scene import Unfit
from forge.types.dag import CallNode, ComputeNode, ReasonNode
from forge.types.intent import Branch, Computed, Keys, Plain
from forge.types.task import Task
from tests.places import ROOT

NUMBERS = st.lists(st.integers(-1000, 1000), min_size=3, max_size=12, unique=True)


def test_the_second_lowest_is_found_where_it_stands():
    assert forms.nth([7, None, 3, 5], "min", 2) == 3


def test_a_tie_at_the_place_that_is_picked_is_an_error():
    with pytest.raises(FormError, match="tie"):
        forms.nth([3, 5, 5, 9], "max", 2)


def test_a_tie_elsewhere_does_not_matter():
    assert forms.nth([3, 5, 5, 9], "max", 1) == 3


def test_a_tie_at_the_edge_of_those_taken_is_an_error():
    with pytest.raises(FormError, match="tie"):
        forms.first([1, 2, 2], "min", 2)


def test_texts_and_numbers_are_not_ranked_together():
    with pytest.raises(FormError, match="compared"):
        forms.ranked([1, "2"], "min")


def test_the_nearest_of_two_that_are_equally_close_is_an_error():
    with pytest.raises(FormError, match="equally close"):
        forms.nearest([40, 60], 50)


def test_the_nearest_date_is_found():
    assert forms.nearest(["2026-03-01", "2026-03-09", None], "2026-03-07") == 1


def test_what_occurs_most_often_must_do_so_alone():
    assert forms.most(["a", "b", "b"]) == "b"
    with pytest.raises(FormError):
        forms.most(["a", "b"])


@pytest.mark.parametrize(
    ("form", "value"),
    [("sum", 14), ("average", 3.5), ("median", 2.5), ("min", 1), ("max", 8), ("range", 7)],
)
def test_a_number_over_values_leaves_nothing_out_but_nulls(form, value):
    assert forms.number(form, [8, 1, None, 2, 3]) == value


def test_the_earliest_date_is_a_least_value_and_has_no_average():
    days = ["2026-03-09", "2026-01-30"]
    assert forms.number("min", days) == "2026-01-30"
    with pytest.raises(FormError, match="no numbers"):
        forms.number("average", days)


def test_true_is_no_number_and_not_one():
    assert forms.distinct([1, True, 1.0, None]) == 2
    with pytest.raises(FormError):
        forms.number("sum", [1, True])


def test_a_total_multiplies_each_price_by_its_own_quantity():
    assert forms.total([2.5, 10, None], [4, 1, 3]) == 20


def test_the_difference_of_dates_is_in_whole_days():
    assert forms.difference("2026-03-09", "2026-02-27") == 10
    assert forms.difference("2026-03-09T08:00:00Z", "2026-03-08T23:00:00Z") == 1


def test_a_price_raised_by_a_share_stays_a_price():
    assert forms.moved(12.0, 10, "percent") == 13.2
    assert forms.moved(200, 15, "percent", less=True) == 170


def test_a_date_can_be_put_off_and_a_text_cannot():
    assert forms.moved("2026-02-27", 3, "days") == "2026-03-02"
    with pytest.raises(FormError, match="only a date"):
        forms.moved("soon", 3, "days")
    with pytest.raises(FormError, match="so far"):
        forms.moved("9999-12-31", 3, "days")


@given(NUMBERS, st.integers(1, 3), st.sampled_from(["min", "max"]))
def test_the_nth_is_what_sorting_puts_there(numbers, place, which):
    ordered = sorted(numbers, reverse=which == "max")
    assert numbers[forms.nth(numbers, which, place)] == ordered[place - 1]


@given(NUMBERS, st.integers(1, 3))
def test_the_first_few_are_the_nths_in_order(numbers, take):
    assert forms.first(numbers, "min", take) == [
        forms.nth(numbers, "min", place) for place in range(1, take + 1)
    ]


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(0, 400))
def test_a_date_put_off_and_brought_forward_again_is_the_same(day, days):
    there = forms.moved(day.isoformat(), days, "days")
    assert forms.difference(there, day.isoformat()) == days
    assert forms.moved(there, days, "days", less=True) == day.isoformat()
    assert there == (day + timedelta(days=days)).isoformat()


@given(st.integers(), st.sampled_from(sorted(OPPOSITE)), st.integers())
def test_of_a_comparison_and_its_opposite_one_holds(left, op, right):
    assert forms.holds(left, op, right) != forms.holds(left, OPPOSITE[op], right)


@cache
def proposed() -> list[Task]:
    """What forge proposes of the sample environments, before any gate."""
    found = []
    for home in sorted((ROOT / "generated" / "sample" / "envs").iterdir()):
        environment = read_environment(home)
        with World(environment, sandbox="native") as world:
            proposer = Proposer(world, tool_graph(environment), seed=0)
            for number in range(120):
                try:
                    found.append(proposer.propose(number))
                except Unfit:
                    continue
    return found


def reasoning(task: Task) -> set[str]:
    """The forms of reasoning that a task asks for, by name."""
    names = set()
    for node in task.dag.nodes:
        match node:
            case ReasonNode():
                names.add(f"{node.form} in a place" if node.nth > 1 else node.form)
                if len(node.tests) > 1:
                    names.add("two conditions")
                if any(t.op in ("lt", "gt") for t in node.tests):
                    names.add("a bound")
            case ComputeNode():
                names.add(node.form)
            case CallNode():
                names |= {"for each"} if node.each else set()
    for place in values(task.intent):
        if isinstance(place.value, Keys):
            names.add("join")
        if isinstance(place.value, Computed):
            names.add("compared with the average")
    names |= {"branch" for wish in task.intent.wishes if isinstance(wish, Branch)}
    return names - {"match"}


def test_proposals_use_at_least_twenty_forms_of_reasoning():
    used = set().union(*(reasoning(task) for task in proposed()))
    assert len(used) >= 20, sorted(used)


def test_what_could_be_mistaken_for_an_answer_is_never_part_of_it_or_of_the_question():
    assert any(due.candidates for task in proposed() for due in task.dues)
    for task in proposed():
        said = [str(fact.text).casefold() for fact in task.facts]
        for due in task.dues:
            for other in due.candidates:
                assert str(other).casefold() not in str(due.value).casefold()
                assert not any(str(other).casefold() == text for text in said)


def test_a_condition_that_is_looked_at_is_near_what_is_there():
    branches = [w for task in proposed() for w in task.intent.wishes if isinstance(w, Branch)]
    assert branches
    for wish in branches:
        assert wish.otherwise is not None and wish.then != wish.otherwise
        assert isinstance(wish.test.value, Plain)
