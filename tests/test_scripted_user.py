"""The scripted user: tells what it is asked for and no more, and knows when it is served."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.scripted_user import score
from forge.rollout.users.asking import asked
from forge.rollout.users.scripted import MOST_TOLD, PATIENCE, Scripted
from forge.rollout.users.user import Reply
from forge.types.dag import TaskDag
from forge.types.intent import Intent
from forge.types.task import Fact, Task
from tests.places import ROOT

DUE = Fact(
    name="task due date",
    value="2026-03-13",
    text="Friday 13 March",
    about="the due date of the task",
    told=True,
)
WHO = Fact(
    name="user name",
    value="Priya Nair",
    text="Priya Nair",
    about="the assignee of the task",
    told=True,
)
HOURS = Fact(
    name="task hours", value=4, text="4", about="the number of hours of the task", told=True
)
TITLE = Fact(
    name="task title",
    value="Collect the redirects",
    text="Collect the redirects",
    about="the title of the task",
)
FACTS = (DUE, WHO, HOURS, TITLE)


def task(*facts: Fact, lang: str = "en") -> Task:
    return Task(
        id="t", env="e", kind="change", lang=lang, base="b", now="2026-03-02T09:00:00Z",
        question="I need a task.", intent=Intent(wishes=()), facts=facts, dag=TaskDag(nodes=()),
        golden_calls=(), golden={},
    )  # fmt: skip


def replies(found: Task, *heard: str) -> list[Reply]:
    speaker = Scripted().speaker(found, 0)

    async def talk() -> list[Reply]:
        return [await speaker.reply(text) for text in heard]

    return asyncio.run(talk())


def reply(*heard: str) -> Reply:
    return replies(task(*FACTS), *heard)[-1]


@pytest.mark.parametrize(
    "text",
    [
        "When is it due?",
        "What is the deadline?",
        "I need the due date to go on.",
        "Please provide the due date.",
        "By when should it be done?",
        "The tool will not take the task without a due date...",
        "Two things are missing:\n- the due date\n",
    ],
)
def test_a_fact_is_told_however_it_is_asked_for(text):
    found = reply(text)
    assert DUE.text in found.text
    assert WHO.text not in found.text
    assert found.end is None


def test_at_most_two_facts_are_told_a_turn():
    found = reply("Who is it for, when is it due and how many hours will it take?")
    assert sum(fact.text in found.text for fact in FACTS) == MOST_TOLD


def test_what_was_not_told_is_told_when_it_is_asked_for_again():
    question = "Who is it for, when is it due and how many hours will it take?"
    told = " ".join(each.text for each in replies(task(*FACTS), question, question))
    assert all(fact.text in told for fact in (DUE, WHO, HOURS))


def test_a_fact_that_was_said_already_is_said_again():
    assert TITLE.text in reply("What should the title be?").text


def test_what_it_does_not_know_it_says_it_does_not_know():
    found = replies(task(TITLE), "What is your credit card number?")[0]
    assert (found.text, found.end) == ("I don't know.", None)


def test_a_yes_is_given_to_a_question_that_only_wants_one():
    assert reply("I will create it on Lumina. Shall I go ahead?").text.startswith("Yes")


@pytest.mark.parametrize(
    "text",
    [
        "Done, the task is there.",
        "The due date has been set.",
        "All done! Is there anything else I can help you with?",
        "I have closed it. Let me know if you need anything else.",
        "",
        "已经完成了。还有什么需要帮忙的吗？",
    ],
)
def test_the_conversation_ends_when_nothing_is_asked(text):
    assert reply(text).end == "done"


def test_the_user_gives_up_on_questions_that_lead_nowhere():
    found = replies(task(TITLE), *["What is your credit card number?"] * PATIENCE)
    assert [each.end for each in found] == [None] * (PATIENCE - 1) + ["gave_up"]


def test_the_same_words_get_the_same_answer():
    heard = ("When is it due?", "Who is it for?", "Thanks, done.")
    assert replies(task(*FACTS), *heard) == replies(task(*FACTS), *heard)


def test_a_chinese_task_has_a_chinese_user():
    due = DUE.model_copy(update={"about": "任务的截止日期", "text": "3月13日"})
    asked_for, done = replies(task(due, lang="zh"), "请问截止日期是哪天？", "已经建好了。")
    assert asked_for.text == "任务的截止日期是3月13日。"
    assert done == Reply("没有别的了，谢谢。", "done")


def test_most_of_what_is_asked_for_is_understood_on_the_labelled_turns():
    lines = (ROOT / "evals" / "scripted-user.jsonl").read_text().splitlines()
    found = score(map(json.loads, lines))
    assert found.turns >= 200
    assert found.late_heard / found.late >= 0.95
    assert found.heard / found.asked >= 0.95


def test_an_ask_is_hardly_ever_taken_for_a_farewell():
    lines = (ROOT / "evals" / "scripted-user.jsonl").read_text().splitlines()
    kinds = score(map(json.loads, lines)).kinds
    asks = sum(count for (kind, _), count in kinds.items() if kind == "asks")
    assert kinds["asks", "none"] + kinds["asks", "closing"] <= 0.01 * asks


@given(st.text(max_size=600))
def test_no_words_break_the_user(text):
    names = {fact.name for fact in FACTS}
    assert set(asked(FACTS, text).facts) <= names


def test_a_very_long_turn_is_read_from_its_end():
    assert DUE.text in reply("blah " * 50_000 + "When is it due?").text
