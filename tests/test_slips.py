"""User errors: what the rules find in a dialogue, and what they leave alone."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.speed.endpoint import Reply, Request, says, serving
from forge.dataset.folder import read_dataset
from forge.dataset.stats import report_on
from forge.env.session import World
from forge.rollout.loop import Limits, rollout, run_here
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.oracle import Oracle
from forge.rollout.users.scripted import Scripted, ScriptedSpeaker
from forge.rollout.users.slips import Exchange, Knowledge, slips, slips_of
from forge.types.rollout import Rule
from forge.types.task import Fact
from tests.places import HAND, ROOT
from tests.rollouts import some
from tests.test_model_user import rolled_with, user_says
from tests.test_rollout_cli import forge, rolled

SAMPLE = ROOT / "generated" / "sample"

FACTS = (
    Fact(name="task title", value="Order desks", text="Order desks", about="the title of the task"),
    Fact(
        name="task due date",
        value="2026-04-07",
        text="7 April 2026",
        about="the new due date",
        told=True,
    ),
    Fact(name="budget", value=250, text="250", about="the budget of the project", told=True),
    Fact(name="user name", value="Priya Nair", text="Priya Nair", about="the assignee", told=True),
)
KNOWS = Knowledge(FACTS, ('Please change the task "Order desks" on Lumen.', "2026-03-02T10:00:00Z"))
DATE, BUDGET = "What is the new due date?", "What is the budget of the project?"


def found(*talk: tuple[str, str], left: bool = False) -> list[Rule]:
    last = len(talk) - 1
    every = [Exchange(n, a, u, left and n == last) for n, (a, u) in enumerate(talk)]
    return [each.rule for each in slips(KNOWS, every)]


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (DATE, "It is 7 April 2026."),
        (DATE, "2026-04-07, please."),
        (DATE, "April 7"),
        (DATE, "是2026年4月7日。"),
        (BUDGET, "The budget is 250."),
        (BUDGET, "It should be 250.00, thank you!"),
        ("Who is it for?", "Priya Nair."),
        ("Which task?", 'The task "Order desks".'),
        ("Which colour should it have?", "I don't know that."),
        ("What is the ID of the task?", "I don't know its ID, sorry."),
        ("请提供编号。", "我不知道编号。"),
        ("Shall I go ahead?", "Yes, please."),
        ("Is the budget of the project 300?", "No, it is 250."),
        ("Shall I set the new due date to 7 April 2026?", "Yes, that is right."),
        ("There are 3 such tasks: 5512, 5513 and Blue.", "Take 5513, not Blue."),
        ("I will do that now.", "Thank you. Please do."),
        ("I could not find it.", "Hm. Please look again: it is on Lumen."),
    ],
)
def test_who_tells_what_they_know_has_no_slip(heard: str, said: str) -> None:
    assert found((heard, said)) == []


@pytest.mark.parametrize(
    ("heard", "said", "rule"),
    [
        (DATE, "It is 8 April 2026.", "contradicts"),
        (DATE, "2026-05-07", "contradicts"),
        (DATE, "2026年4月9日。", "contradicts"),
        (BUDGET, "The budget is 300.", "contradicts"),
        (BUDGET, "I don't know the budget.", "contradicts"),
        ("So the budget of the project is 300, correct?", "Yes, that is correct.", "contradicts"),
        ("Who is it for?", "It is for Maria Lindqvist.", "contradicts"),
        ("Which department is it?", "It is for the Finance department.", "invents"),
        ("Where do I reach you?", "At me@example.org.", "invents"),
        ("What else?", "Use the code HX-77A.", "invents"),
        ("Anything else?", "Set its priority to 4711 as well.", "invents"),
        ("Anything else?", 'Rename it to "Buy new chairs".', "invents"),
        ("What is the ID of the task?", "The ID of the task is 48213.", "says an id"),
        ("What is the ID of the task?", "It is tsk_82hf.", "says an id"),
        ("请提供编号。", "编号是48213。", "says an id"),
        ("That is done.", "I have updated the task for you.", "takes the agent's part"),
        ("That is done.", "How can I help you today?", "takes the agent's part"),
        ("Let me look.", "I'm here to help you with anything.", "takes the agent's part"),
        ("Your account, please.", "Please provide your account number.", "takes the agent's part"),
        ("请稍等。", "请问有什么可以帮您？", "takes the agent's part"),
        ("I am working on the rest.", "I am working on the rest.", "takes the agent's part"),
    ],
)
def test_what_should_not_have_been_said_is_found(heard: str, said: str, rule: Rule) -> None:
    assert found((heard, said)) == [rule]


@pytest.mark.parametrize(
    "heard",
    [
        DATE,
        "Which department is it?",
        "Shall I go ahead?",
        "I will do that now.",
        "The first is done. I am working on the rest.",
        "我现在就处理，请稍等。",
    ],
)
def test_to_leave_before_it_is_done_is_to_stop_early(heard: str) -> None:
    assert found((heard, "Thanks, bye."), left=True) == ["stops early"]
    assert found((heard, "Thanks, bye.")) == []


@pytest.mark.parametrize(
    "heard",
    ["That is done.", "I could not do it.", "All done. Is there anything else?", "都已完成。"],
)
def test_to_leave_when_it_is_done_or_cannot_be_done_is_right(heard: str) -> None:
    assert found((heard, "Thanks, bye."), left=True) == []


def test_to_leave_with_something_untold_that_was_asked_for_is_to_stop_early() -> None:
    assert found((DATE, "Hm?"), ("That is done.", "Thanks."), left=True) == ["stops early"]
    assert found((DATE, "7 April 2026"), ("That is done.", "Thanks."), left=True) == []


def test_what_was_told_on_another_day_need_not_be_known_any_more() -> None:
    noted = Knowledge((FACTS[1].model_copy(update={"noted": True}),), KNOWS.texts)
    talk = [
        Exchange(0, DATE, "I don't know, I told you before."),
        Exchange(1, "Done.", "Bye.", True),
    ]
    assert slips(noted, talk) == ()


def test_what_the_agent_never_asked_for_is_not_the_users_to_tell() -> None:
    assert found(("That is done.", "Thanks."), left=True) == []


def test_what_was_made_up_is_one_slip_however_often_it_is_said() -> None:
    talk = [Exchange(4, "What else?", "Use HX-77A."), Exchange(9, "With what?", "With HX-77A.")]
    (slip,) = slips(KNOWS, talk)
    assert (slip.turn, slip.rule, slip.by) == (4, "invents", "rules")
    assert "HX-77A" in slip.reason


# -------------------------------------------------------------- what always holds


def test_the_scripted_user_never_slips_at_the_sample_in_both_languages() -> None:
    for folder in (SAMPLE, HAND):
        dataset = read_dataset(folder)
        worlds = {n: World(dataset.environment(n), sandbox="native") for n in dataset.names()}
        for task in dataset.tasks():
            for spoken in (task, task.model_copy(update={"lang": "zh"})):
                for policy in (Oracle(), Noop()):
                    world = worlds[task.env]
                    trajectory = run_here(
                        rollout(
                            world,
                            spoken,
                            policy.seat(world, spoken, 0),
                            Scripted().speaker(spoken, 0),
                            policy=policy.name,
                            user="scripted",
                            seed=0,
                            limits=Limits(steps=200),
                        )
                    )
                    assert slips_of(spoken, trajectory) == ()


ANNOUNCED = "One moment please while I look up the two repositories."
"""The scripted user takes this for the end; which is an error of it."""


def test_the_scripted_user_hardly_slips_whatever_agents_ask() -> None:
    task = some(lambda task: True)
    rows = [json.loads(line) for line in (ROOT / "evals/scripted-user.jsonl").open()]
    for row in rows:
        facts = tuple(Fact(**fact) for fact in row["facts"])
        update = {"facts": facts, "lang": row["lang"]}
        speaker = ScriptedSpeaker(task.model_copy(update=update))
        try:
            speaker.reply(row["turn"]).send(None)
        except StopIteration as stop:
            reply = stop.value
        knows = Knowledge(facts, tuple(fact.text for fact in facts if not fact.told))
        exchange = Exchange(0, row["turn"], reply.text, reply.end is not None)
        rules = [slip.rule for slip in slips(knows, [exchange])]
        assert rules == (["stops early"] if row["turn"] == ANNOUNCED else []), row["turn"]


@given(st.text(max_size=200), st.text(max_size=200), st.booleans())
def test_any_dialogue_can_be_looked_at_and_gives_the_same_each_time(heard, said, left) -> None:
    talk = [Exchange(0, heard, said, left)]
    assert slips(KNOWS, talk) == slips(KNOWS, talk)


@given(st.sampled_from(FACTS), st.text(st.characters(codec="ascii"), max_size=80))
def test_to_repeat_the_agent_is_no_invention(fact, heard) -> None:
    rules = [slip.rule for slip in slips(KNOWS, [Exchange(0, heard, heard)])]
    assert not {"invents", "says an id", "stops early"} & set(rules)


# ------------------------------------------------------------------- in rollouts


def erring(request: Request) -> Reply:
    """A user who makes something up."""
    return user_says("Use the code HX-77A.", [1], stop=True)


def test_a_rollout_keeps_the_errors_of_its_user(tmp_path):
    (one,), _ = rolled_with(erring, tmp_path / "u.jsonl", "--policy", "noop")
    (slip,) = one.user_errors
    assert (slip.turn, slip.rule, slip.by) == (0, "invents", "rules")


def test_the_scripted_user_is_not_looked_at(tmp_path):
    found = rolled(tmp_path / "s.jsonl", "--policy", "noop", "--sandbox", "native")
    assert not any(each.user_errors for each in found)


def judged(errors: Sequence[dict]) -> Reply:
    return says(json.dumps({"errors": list(errors)}))


def test_a_judge_reads_the_dialogue_and_flags_beside_the_rules(tmp_path):
    asked = []

    def answer(request: Request) -> Reply:
        if request.body["model"] == "judge":
            asked.append(request.body["messages"][0]["content"])
            error = {"turn": 0, "rule": "contradicts", "reason": "wants it otherwise"}
            return judged([error, {**error, "turn": 7}])
        return erring(request)

    with serving(answer, models=("scripted", "judge")) as server:
        (one,) = rolled(
            tmp_path / "u.jsonl",
            *("--user", "llm", "--user-model", "scripted", "--user-base-url", server.url),
            *("--user-judge", "judge", "--policy", "noop", "-n", 1, "--sandbox", "native"),
        )
    assert [(s.turn, s.rule, s.by) for s in one.user_errors] == [
        (0, "invents", "rules"),
        (0, "contradicts", "judge"),
    ]
    assert one.settings["user-judge"] == "judge"
    (prompt,) = asked
    assert "USER (turn 0): Use the code HX-77A. [and left]" in prompt
    assert "The user's wishes:\n1. " in prompt


def test_stats_count_user_errors_and_give_the_rate_with_and_without(tmp_path):
    answers = [user_says("Use HX-77A.", [1], stop=True), user_says("Thanks.", [1], stop=True)]
    out = tmp_path / "u.jsonl"
    rolled_with(answers, out, "--policy", "oracle", "-n", 4, "-c", 1)
    (group,) = report_on([out]).groups
    assert (group.slips, group.slipped, group.scored) == ({"invents": 1}, 1, 4)
    assert group.unslipped.value == 1
    shown = forge("stats", out).stdout
    assert "user errors: invents 1" in shown
    assert "1 of 4 rollouts" in shown


def test_stats_of_a_scripted_user_say_nothing_of_user_errors(tmp_path):
    out = tmp_path / "s.jsonl"
    rolled(out, "--policy", "noop", "--sandbox", "native")
    assert "user errors" not in forge("stats", out).stdout
