"""Tasks that repeat one another are found, whatever the words and the order, and found fast."""

import pytest

from forge.gates.unique import NEAREST, Seen, structure, unique
from forge.types.intent import Change, Condition, Plain
from forge.types.task import Task
from tests.wished import how, orders, said, task_of, where

MOVED = Change(of=orders(name="Crate A"), change={"due": said("2030-05-17")})
CANCELLED = Change(of=orders(name="Crate B"), change={"status": Plain(value="cancelled")})
SHIPPED = Change(of=orders(name="Crate A"), change={"status": Plain(value="shipped")})


def moved() -> Task:
    return task_of(MOVED, tools=["update_order"]).model_copy(
        update={
            "id": "first",
            "question": "Please move the due date of Crate A to 17 May 2030.",
            "intent": task_of(MOVED, tools=["update_order"]).intent,
        }
    )


def asked(question: str, text: str = "17 May 2030") -> Task:
    """The same end by another wish, so that only the question can give it away."""
    task = moved()
    wish = task.intent.wishes[0]
    assert isinstance(wish, Change)
    dated = Condition(column="due", value=Plain(value="2030-04-05"))
    of = wish.of.model_copy(update={"where": (*wish.of.where, dated)})
    intent = task.intent.model_copy(update={"wishes": (wish.model_copy(update={"of": of}),)})
    facts = tuple(
        f.model_copy(update={"text": text}) if f.value == "2030-05-17" else f for f in task.facts
    )
    return task.model_copy(
        update={"id": "second", "question": question, "intent": intent, "facts": facts}
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Good morning, could you move the due date of Crate A to 17 May 2030?", "17 May 2030"),
        ("Move Crate A, please: the due date to 17 May 2030. Thanks a lot!", "17 May 2030"),
        ("I have a correction. Kindly move the due date of Crate A to May 17, 2030.",
         "May 17, 2030"),
        ("To 17 May 2030, please, the due date of Crate A move.", "17 May 2030"),
    ],
)  # fmt: skip
def test_a_question_that_differs_in_filler_order_greeting_or_date_style_is_the_same(
    question: str, text: str
):
    seen = Seen()
    assert unique(moved(), seen) is None
    assert unique(asked(question, text), seen) == "first has the same question"


def test_a_question_with_one_other_word_and_the_same_end_is_nearly_the_same():
    seen = Seen()
    assert unique(moved(), seen) is None
    found = unique(asked("Please shift the due date of Crate A to 17 May 2030."), seen)
    assert found == "first has nearly the same question and the same end"


def test_a_question_in_other_words_may_come_to_the_same_end():
    seen = Seen()
    assert unique(moved(), seen) is None
    again = asked("Crate A gets another deadline, 17 May 2030, instead of the old one.")
    assert unique(again, seen) is None


def test_another_value_makes_another_task():
    seen = Seen()
    assert unique(moved(), seen) is None
    other = MOVED.model_copy(update={"of": orders(name="Crate C")})
    assert unique(task_of(other, tools=["update_order"]), seen) is None


def test_earliest_and_latest_are_two_questions():
    seen = Seen()
    for op in ("min", "max"):
        assert unique(task_of(how(op, "price", of=orders(status="open"))), seen) is None


def test_wishes_in_another_order_are_the_same_where_order_does_not_matter():
    one = task_of(MOVED, CANCELLED, tools=["update_order", "cancel_order"])
    two = task_of(CANCELLED, MOVED, tools=["cancel_order", "update_order"])
    assert structure(one) == structure(two)
    ordered = [t.intent.model_copy(update={"in_order": True}) for t in (one, two)]
    first, second = (
        structure(t.model_copy(update={"intent": i}))
        for t, i in zip((one, two), ordered, strict=True)
    )
    assert first != second


def test_conditions_in_another_order_are_the_same():
    conditions = where(status="open", price__gt=20)
    one, two = (
        task_of(how("count", of=orders().model_copy(update={"where": order})))
        for order in (conditions, conditions[::-1])
    )
    assert structure(one) == structure(two)


def test_the_same_wishes_of_two_people_are_two_tasks_only_where_they_speak_of_themselves():
    task = moved()
    assert structure(task) == structure(task.model_copy(update={"actor": "usr_1"}))


@pytest.mark.parametrize("count", [100, 1600])
def test_each_task_is_compared_with_few_others_however_many_there_are(count: int):
    """The worst case: all come to the same end, with the same values, in words of their own."""
    seen, task = Seen(), task_of(SHIPPED, tools=["ship_order"])
    for number in range(count):
        words = " ".join(f"{word}{number}" for word in ("alpha", "beta", "gamma"))
        condition = Condition(column="price", op="lt", value=Plain(value=1000 + number))
        wish = SHIPPED.model_copy(
            update={"of": SHIPPED.of.model_copy(update={"where": (condition,)})}
        )
        intent = task.intent.model_copy(update={"wishes": (wish,)})
        own = task.model_copy(update={"question": f"Crate A {words}", "intent": intent})
        assert unique(own, seen) is None
    assert seen.compared <= NEAREST * count


def test_tasks_that_end_differently_are_not_compared_word_by_word():
    seen = Seen()
    for name in ("Crate A", "Crate B", "Crate C", "Crate D"):
        wish = MOVED.model_copy(update={"of": orders(name=name)})
        assert unique(task_of(wish, tools=["update_order"]), seen) is None
    assert seen.compared == 0
