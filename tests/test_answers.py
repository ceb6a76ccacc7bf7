"""Which answers an agent is held to have given, and which not."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.rollout.answers import unsaid
from forge.rollout.sayings import dates, is_date, is_number, named_texts, numbers, statements
from forge.types.dag import Output, TaskDag
from forge.types.intent import Aggregate, Answer, Condition, Intent, Plain, Selection
from forge.types.rollout import Result, Step, Turn
from forge.types.task import Due, Fact, Task

ORIGIN = Output(node="n", path=())


def asks(name: str) -> Answer:
    where = (Condition(column="name", value=Plain(value=name, fact=f"name {name}")),)
    of = Selection(table="people", where=where)
    return Answer(what=Aggregate(of=of, op="value", column="city"))


def task(*dues: Due, question: str = "What is it?", names: tuple[str, ...] = ()) -> Task:
    facts = tuple(Fact(name=f"name {name}", value=name, text=name) for name in names)
    return Task(
        id="t",
        env="e",
        kind="answer",
        base="b",
        now="2026-03-02T09:00:00Z",
        question=question,
        intent=Intent(wishes=tuple(asks(name) for name in names or ("Ada",))),
        facts=facts,
        dues=dues,
        dag=TaskDag(nodes=()),
        golden_calls=(),
        golden={},
    )


def due(value, type="string", candidates=(), wish=0) -> Due:
    return Due(wish=wish, origin=ORIGIN, type=type, value=value, candidates=tuple(candidates))


def said(found: Task, *texts: str, shown: str = "") -> bool:
    steps = [Step(turn=Turn(), results=(Result(text=shown),))] if shown else []
    return not unsaid(
        found, found.question, [*steps, *(Step(turn=Turn(text=text)) for text in texts)]
    )


CITIES = ("Leeds", "York", "New York", "Turin")


@pytest.mark.parametrize(
    "text",
    [
        "She lives in York.",
        "york",
        'It is "York"',
        "**York**",
        "York, as far as I can see.",
        "是York。",
    ],
)
def test_a_text_is_said_however_it_is_written(text):
    assert said(task(due("York", candidates=CITIES)), text)


@pytest.mark.parametrize(
    "text", ["", "She lives in New York.", "Yorkshire", "York or Leeds.", "Is it York?", "Leeds."]
)
def test_another_text_or_several_or_a_question_do_not_say_it(text):
    assert not said(task(due("York", candidates=CITIES)), text)


def test_the_last_message_that_names_any_decides():
    found = task(due("York", candidates=CITIES))
    assert said(found, "There are people in York, Leeds and Turin.", "She lives in York.", "Done.")
    assert not said(found, "She lives in York.", "Sorry, in Leeds.")


def test_what_the_user_named_may_be_named_again():
    found = task(due("York", candidates=CITIES), question="Does Ada still live in Leeds?")
    assert said(found, "Not in Leeds any more: in York.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12, "There are 12 of them."),
        (12, "There are twelve."),
        (25, "Twenty-five."),
        (1234.5, "It comes to 1,234.50 in all."),
        (7.3333333, "On average 7.33 hours."),
        (12, "一共十二个。"),
        (0, "There are none."),
        (-3, "It is -3 degrees."),
        (10, "3 + 4 + 3 = 10"),
    ],
)
def test_a_number_is_said_in_figures_or_in_words(value, text):
    assert said(task(due(value, "number")), text, shown="[3, 4]")


@pytest.mark.parametrize(
    "text",
    [
        "There are 13.",
        "There are 120.",
        "Order AB-12 is yours.",
        "On 12 March.",
        "At 12:30.",
        "Is it 12?",
    ],
)
def test_another_number_a_code_and_a_date_do_not_say_it(text):
    assert not said(task(due(12, "integer")), text)


def test_naming_numbers_in_the_hope_that_one_is_right_does_not_say_it():
    many = ", ".join(str(n) for n in range(20))
    assert not said(task(due(12, "integer")), f"It is one of {many}.")
    assert not said(task(due(12, "integer")), *(f"It is {n}." for n in range(20)))


def test_the_numbers_a_sum_is_made_of_may_be_named_with_it():
    found = task(due(12, "integer"))
    assert said(found, "The orders have 3, 4 and 5, so 12 in all.", shown="[3, 4, 5]")


@pytest.mark.parametrize(
    "text",
    ["2026-04-09", "April 9, 2026", "the 9th of April", "9 Apr 2026", "4/9/2026", "2026年4月9日"],
)
def test_a_date_is_said_in_any_usual_form(text):
    assert said(task(due("2026-04-09", "date")), f"It is {text}.")


@pytest.mark.parametrize("text", ["April 10", "2025-04-09", "April", "9 May 2026"])
def test_another_date_does_not_say_it(text):
    assert not said(task(due("2026-04-09", "date")), f"It is {text}.")


def test_a_wrong_time_of_day_does_not_say_a_date_and_time():
    found = task(due("2026-04-09T14:30:00Z", "date-time"))
    assert said(found, "April 9 at 2:30 pm.")
    assert said(found, "April 9.")
    assert not said(found, "April 9 at 3 :30, I mean 15:30.")


@pytest.mark.parametrize(
    ("text", "right"), [("Yes.", True), ("No.", False), ("Yes and no.", False)]
)
def test_yes_and_no_are_told_apart(text, right):
    assert said(task(due(True, "boolean")), text) is right


def test_each_of_two_answers_belongs_to_its_own_question():
    cities = [c for c in CITIES if c != "York"]
    found = task(
        due("York", candidates=cities, wish=0),
        due("Turin", candidates=["Leeds", "York"], wish=1),
        names=("Ada", "Bo"),
        question="Where does Ada live, and where Bo?",
    )
    assert said(found, "Ada lives in York and Bo lives in Turin.")
    assert said(found, "Bo lives in Turin. Ada lives in York.")
    assert said(found, "York and Turin.")
    assert not said(found, "Ada lives in Turin and Bo lives in York.")
    assert not said(found, "Turin and York.")


def test_what_was_named_instead_is_told():
    steps = [Step(turn=Turn(text="In Leeds or in Turin."))]
    (missing,) = unsaid(task(due("York", candidates=CITIES)), "", steps)
    assert (missing.expected, set(missing.others)) == ("York", {"Leeds", "Turin"})


@given(st.integers(0, 99_999))
def test_any_number_in_figures_is_read(number):
    assert any(is_number(number, each) for each in numbers(f"It is {number:,}, I think."))


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_any_date_is_read_in_words_and_in_figures(day):
    for text in (f"{day:%d %B %Y}", f"{day:%B %d, %Y}", day.isoformat()):
        assert any(is_date(day, each) for each in dates(f"On {text}."))


@given(st.text(max_size=400))
def test_no_text_breaks_the_reading(text):
    assert all(len(each) == 2 for each in numbers(text))
    assert all(each for each in dates(text))
    assert len(statements(text)) <= len(text)
    assert set(named_texts(["a", text[:5]], text)) <= {"a", text[:5]}
