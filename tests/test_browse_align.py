"""Which acts of two rollouts belong together, and which tokens of one are trained on."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from forge.browse.align import Act, acts_of, acts_of_calls, aligned
from forge.browse.masks import masked
from forge.types.call import Call
from forge.types.rollout import Result, Step, ToolCall, Trajectory, Turn

LETTERS = st.lists(st.sampled_from("abc"), max_size=8)


def calls(names: Sequence[str], **arguments: object) -> list[Act]:
    return [Act(tool=name, arguments=dict(arguments)) for name in names]


def pairs(left: Sequence[Act], right: Sequence[Act]) -> list[tuple[str, str, str]]:
    return [
        (row.left.tool if row.left else "", row.right.tool if row.right else "", row.alike)
        for row in aligned(left, right)
    ]


def rollout(*turns: Turn) -> Trajectory:
    return Trajectory(
        **{"task": "t", "env": "e", "kind": "change", "band": "easy", "policy": "p"},
        **{"user": "u", "seed": 0, "attempt": 0, "question": "q", "outcome": "done"},
        steps=tuple(Step(turn=turn) for turn in turns),
    )


def sampled(prompt: Sequence[int], response: Sequence[int], held: int = 0) -> Turn:
    tokens = {"held": held, "prompt": prompt, "response": response}
    return Turn.model_validate(
        {"text": "x", "tokens": {**tokens, "logprobs": [-0.5] * len(response)}}
    )


def test_the_same_calls_stand_side_by_side_and_what_one_side_has_alone_stands_alone() -> None:
    assert pairs(calls("abc"), calls("axc")) == [
        ("a", "a", "same"),
        ("b", "", "only left"),
        ("", "x", "only right"),
        ("c", "c", "same"),
    ]


def test_a_call_of_the_same_tool_with_other_arguments_is_beside_it_and_told() -> None:
    assert pairs(calls("a", of=1), calls("a", of=2)) == [("a", "a", "other arguments")]


def test_the_same_call_is_sought_before_one_of_the_same_tool() -> None:
    left, right = calls("a", of=1), [*calls("a", of=2), *calls("a", of=1)]
    assert [row.alike for row in aligned(left, right)] == ["only right", "same"]


def test_what_is_said_is_never_beside_a_call() -> None:
    rows = aligned([Act(speaks=True, says="hello")], calls("a"))
    assert sorted(row.alike for row in rows) == ["only left", "only right"]


@given(LETTERS, LETTERS)
def test_every_act_is_in_one_row_and_each_side_keeps_its_order(one, other) -> None:
    rows = aligned(calls(one), calls(other))
    assert [row.left.tool for row in rows if row.left] == one
    assert [row.right.tool for row in rows if row.right] == other


def test_rollouts_too_long_to_be_weighed_stand_side_by_side_as_they_come() -> None:
    long = calls("ab" * 1000)
    rows = aligned(long, long[1:])
    assert len(rows) == 2000
    assert [row.left for row in rows] == long


def test_a_turn_gives_its_calls_and_then_what_it_says() -> None:
    turn = Turn(text="Done.", calls=(ToolCall(tool="a"), ToolCall(tool="b")))
    step = Step(turn=turn, results=(Result(text="1"),), user="Thanks")
    first, second, said = acts_of([Step(turn=Turn()), step])[1:]
    assert (first.tool, first.step, first.result) == ("a", 2, Result(text="1"))
    assert (second.tool, second.result) == ("b", None)
    assert (said.speaks, said.says, said.user) == (True, "Done.", "Thanks")


def test_golden_calls_are_acts_of_no_turn() -> None:
    (act,) = acts_of_calls([Call(tool="a", arguments={"of": 1})])
    assert (act.step, act.tool, act.arguments) == (None, "a", {"of": 1})


def test_what_was_written_is_trained_on_and_what_was_read_is_not() -> None:
    (row,) = masked(rollout(sampled([1, 2], [3]), sampled([4, 5], [6, 7], held=3)))
    assert [(each.ids, each.trained, each.step) for each in row.stretches] == [
        ((1, 2), False, None),
        ((3,), True, 1),
        ((4, 5), False, None),
        ((6, 7), True, 2),
    ]
    assert (row.length, row.trained, row.drifted) == (7, 3, 0)
    assert row.stretches[1].logprob == -0.5


def test_a_prompt_that_begins_anew_is_a_row_of_its_own() -> None:
    first, second = masked(rollout(sampled([1], [2]), sampled([9], [8])))
    assert [each.step for each in first.stretches] == [None, 1]
    assert [each.step for each in second.stretches] == [None, 2]


def test_a_rollout_of_a_policy_of_texts_has_no_rows() -> None:
    assert masked(rollout(Turn(text="x"))) == ()
