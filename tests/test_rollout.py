"""The loop: what ends it, what agents may do wrong, what limits and faults mean."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.rollout.dialogue import system_of
from forge.rollout.faults import Faults
from forge.rollout.loop import MOST_CALLS, Limits, rollout, run_here
from forge.rollout.policies.first_match import FirstMatch
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.random import Random
from forge.rollout.users.scripted import Scripted
from forge.types.rollout import ToolCall, Trajectory, Turn
from tests.rollouts import Lines, by_oracle, call, played, say, some
from tests.worlds import hand_tasks, hand_world


def golden(task) -> list[Turn]:
    return [call(each.tool, **each.arguments) for each in task.golden_calls]


def changing(task) -> bool:
    return task.kind == "change" and not any(fact.told for fact in task.facts)


def test_the_oracle_earns_the_reward_on_every_task():
    assert [by_oracle(task).reward for task in hand_tasks()] == [1] * len(hand_tasks())


def test_doing_nothing_earns_nothing_on_every_task():
    rewards = [played(t, Noop().seat(hand_world(), t, 0)).reward for t in hand_tasks()]
    assert rewards == [0] * len(hand_tasks())


def test_taking_the_first_of_every_list_earns_nothing_where_a_choice_needs_thought():
    chosen = [t for t in hand_tasks() if '"argm' in t.dag.model_dump_json()]
    assert chosen
    for task in chosen:
        assert played(task, FirstMatch().seat(hand_world(), task, 0)).reward == 0


def test_guessing_is_the_same_for_the_same_seed():
    task = hand_tasks()[0]
    one, other, third = (
        played(task, Random().seat(hand_world(), task, seed)) for seed in (1, 1, 2)
    )
    assert one == other != third


def test_the_golden_calls_earn_the_reward_and_end_when_the_user_is_served():
    task = some(changing)
    found = played(task, golden(task))
    assert (found.outcome, found.reward) == ("done", 1)
    assert len(found.steps) == len(task.golden_calls) + 1


def test_several_calls_of_one_turn_run_in_order():
    task = some(changing)
    calls = tuple(c for turn in golden(task) for c in turn.calls)
    found = played(task, [Turn(calls=calls)])
    assert found.reward == 1
    assert len(found.steps[0].results) == len(calls)


def test_calls_beyond_the_most_of_a_turn_are_not_made_and_say_so():
    tool = next(t.name for t in hand_world().tools.values() if t.kind == "read")
    many = Turn(calls=tuple(ToolCall(tool=tool, arguments={}) for _ in range(MOST_CALLS + 2)))
    found = played(hand_tasks()[0], [many])
    assert len(found.steps[0].results) == MOST_CALLS + 2
    assert str(MOST_CALLS) in found.steps[0].results[-1].text


@pytest.mark.parametrize(
    "bad",
    [
        ToolCall(tool="no_such_tool", arguments={}),
        ToolCall(tool="list_projects", arguments={"nonsense": 1}),
        ToolCall(tool="list_projects", arguments=None, fault="the arguments are no object"),
    ],
)
def test_a_call_that_cannot_be_made_is_a_result_and_the_rollout_goes_on(bad):
    task = some(changing)
    found = played(task, [Turn(calls=(bad,)), *golden(task)])
    assert found.steps[0].results[0].failure == "invalid"
    assert found.reward == 1


def test_a_call_that_cannot_be_made_leaves_the_others_of_its_turn_alone():
    task = some(changing)
    calls = tuple(c for turn in golden(task) for c in turn.calls)
    found = played(task, [Turn(calls=(ToolCall(tool="nothing"), *calls))])
    assert found.reward == 1


def test_what_is_thought_never_reaches_the_user():
    task = some(lambda t: any(fact.told for fact in t.facts))
    fact = next(fact for fact in task.facts if fact.told)
    thought = Turn(thinking=f"What is {fact.about}?", text="One moment.")
    found = played(task, [thought])
    assert found.steps[0].user is not None
    assert fact.text not in found.steps[0].user


def test_text_beside_calls_is_heard_when_the_user_next_speaks():
    task = some(lambda t: any(fact.told for fact in t.facts))
    fact = next(fact for fact in task.facts if fact.told)
    asking = Turn(
        text=f"Could you tell me {fact.about}?",
        calls=(ToolCall(tool="list_projects", arguments={}),),
    )
    found = played(task, [asking, say("I am looking.")])
    assert found.steps[0].user is None
    assert fact.text in (found.steps[1].user or "")


def test_the_rollout_ends_at_the_most_turns_and_is_scored_as_it_stands():
    task = some(changing)
    found = played(task, golden(task), limits=Limits(steps=len(task.golden_calls)))
    assert (found.outcome, found.reward) == ("steps", 1)
    cut = played(task, golden(task), limits=Limits(steps=len(task.golden_calls) - 1))
    assert (cut.outcome, cut.reward) == ("steps", 0)


def test_the_rollout_ends_when_the_agent_has_written_too_much():
    turns = [Turn(text="What is your name?", completion_tokens=40) for _ in range(9)]
    found = played(hand_tasks()[0], turns, limits=Limits(tokens=100))
    assert (found.outcome, len(found.steps)) == ("tokens", 3)


def test_the_rollout_ends_when_time_is_up_and_keeps_what_was_done():
    class Slow(Lines):
        async def act(self, dialogue):
            if not self.turns:
                await asyncio.sleep(60)
            return await super().act(dialogue)

    task = some(changing)
    speaker = Scripted().speaker(task, 0)
    found = asyncio.run(
        rollout(
            hand_world(),
            task,
            Slow(golden(task)),
            speaker,
            policy="slow",
            user="scripted",
            seed=0,
            limits=Limits(seconds=0.2),
        )
    )
    assert found.outcome == "seconds"
    assert (len(found.steps), found.reward) == (len(task.golden_calls), 1)


def test_the_user_gives_up_on_an_agent_that_asks_and_asks():
    found = played(hand_tasks()[0], [say("What is the airspeed of a swallow?")] * 30)
    assert found.outcome == "gave_up"
    assert len(found.steps) < 10


def test_the_agent_is_told_the_clock_the_rules_and_the_tools():
    task = hand_tasks()[0]
    assert task.now in system_of(hand_world(), task)
    assert hand_world().environment.title in system_of(hand_world(), task)


def test_a_trajectory_reads_back_as_it_was_written():
    found = by_oracle(hand_tasks()[0])
    text = found.model_dump_json(exclude_defaults=True)
    assert Trajectory.model_validate_json(text) == found


def test_a_rollout_that_waits_needs_an_event_loop():
    class Waiting(Lines):
        async def act(self, dialogue):
            await asyncio.sleep(0)
            return say("Done.")

    task = hand_tasks()[0]
    with pytest.raises(RuntimeError, match="waits"):
        run_here(
            rollout(
                hand_world(),
                task,
                Waiting([]),
                Scripted().speaker(task, 0),
                policy="w",
                user="scripted",
                seed=0,
            )
        )


# ---------------------------------------------------------------------- faults


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 79))
def test_an_agent_that_tries_again_loses_nothing_by_faults(seed, number):
    task = hand_tasks()[number % len(hand_tasks())]
    assert by_oracle(task, faults=Faults(0.3, seed), limits=Limits(steps=200)).reward == 1


def test_a_struck_call_does_nothing_and_the_same_call_then_goes_through():
    task = some(changing)
    found = played(task, [turn for turn in golden(task) for _ in range(2)], faults=Faults(1, 0))
    assert [s.results[0].failure for s in found.steps[:-1]][::2] == ["unavailable"] * len(
        task.golden_calls
    )
    assert found.reward == 1


def test_about_as_many_calls_are_struck_as_asked_for():
    struck = [Faults(0.05, seed).strike("tool", {}) is not None for seed in range(4000)]
    assert 0.03 < sum(struck) / 4000 < 0.07
