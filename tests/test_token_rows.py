"""Rows to train on: the numbers of the reference, and what holds for any samplings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.rollout.tokens.rows import Row, common, rows, rows_of
from forge.types.rollout import Step, Summary, Tokens, Trajectory, Turn, View

FIRST = Tokens(prompt=(1, 2), response=(10, 11, 12), logprobs=(-0.1, -0.2, -0.3))


def followed_by(*prompt: int) -> tuple[Row, ...]:
    held = common([1, 2, 10, 11, 12], list(prompt))
    return rows([FIRST, Tokens(held=held, prompt=prompt[held:], response=(30,), logprobs=(-0.4,))])


def test_a_prompt_that_goes_on_extends_the_row() -> None:
    (row,) = followed_by(1, 2, 10, 11, 12, 20, 21)
    assert row.ids == (1, 2, 10, 11, 12, 20, 21, 30)
    assert row.trained == (0, 0, 1, 1, 1, 0, 0, 1)
    assert row.logprobs == (0, 0, -0.1, -0.2, -0.3, 0, 0, -0.4)
    assert row.drifted == 0


def test_a_response_that_is_read_otherwise_is_trained_as_far_as_it_is_the_same() -> None:
    (row,) = followed_by(1, 2, 10, 99, 20, 21)
    assert row.ids == (1, 2, 10, 99, 20, 21, 30)
    assert row.trained == (0, 0, 1, 0, 0, 0, 1)
    assert row.logprobs == (0, 0, -0.1, 0, 0, 0, -0.4)
    assert row.drifted == 2


def test_another_prompt_begins_another_row() -> None:
    first, second = followed_by(1, 3)
    assert (first.ids, first.trained) == ((1, 2, 10, 11, 12), (0, 0, 1, 1, 1))
    assert (second.ids, second.trained) == ((1, 3, 30), (0, 0, 1))


def test_a_response_of_which_nothing_is_read_again_is_trained_in_a_row_that_ends() -> None:
    first, second = followed_by(1, 2, 99, 20)
    assert first.trained == (0, 0, 1, 1, 1)
    assert second.ids == (1, 2, 99, 20, 30)
    assert first.drifted == second.drifted == 0


def test_a_row_may_be_held_by_less_than_it_could_be() -> None:
    """What holds, is seen from the ids, not from what the sampler thought that it held."""
    again = Tokens(prompt=(1, 2, 10, 11, 12, 20), response=(30,), logprobs=(-0.4,))
    assert len(rows([FIRST, again])) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        Tokens(held=1, prompt=(1,), response=(), logprobs=()),
        Tokens(prompt=(1,), response=(2, 3), logprobs=(-1.0,)),
    ],
)
def test_samplings_that_cannot_be_are_refused(wrong: Tokens) -> None:
    with pytest.raises(ValueError, match="ids"):
        rows([wrong])


def test_a_summary_is_a_trained_segment_once_and_before_its_turn() -> None:
    summary = Summary(text="So far.", upto=1, tokens=Tokens(
        held=5, prompt=(20,), response=(40, 41), logprobs=(-0.5, -0.6)
    ))  # fmt: skip
    after = Tokens(held=1, prompt=(3,), response=(50,), logprobs=(-0.7,))
    steps = (
        Step(turn=Turn(text="a", tokens=FIRST), user="b"),
        Step(turn=Turn(text="c", tokens=after, view=View(summary=summary)), user="d"),
        Step(turn=Turn(text="That is all.")),
    )
    found = rows_of(_trajectory(steps))
    assert [row.ids for row in found] == [(1, 2, 10, 11, 12, 20, 40, 41), (1, 3, 50)]
    assert [sum(row.trained) for row in found] == [5, 1]


def test_a_policy_of_texts_has_no_rows() -> None:
    assert rows_of(_trajectory((Step(turn=Turn(text="All done.")),))) == ()


def _trajectory(steps: tuple[Step, ...]) -> Trajectory:
    return Trajectory(
        task="t", env="e", kind="change", band="easy", policy="p", user="u", seed=0, attempt=0,
        question="q", steps=steps, outcome="done",
    )  # fmt: skip


@given(st.lists(st.integers(0, 1)), st.lists(st.integers(0, 1)))
def test_what_is_common_is_the_longest_beginning_of_both(one: list[int], other: list[int]) -> None:
    same = common(one, other)
    assert one[:same] == other[:same]
    assert one[same : same + 1] != other[same : same + 1] or same == min(len(one), len(other))


ids = st.lists(st.integers(0, 3), max_size=6)


@st.composite
def samplings(draw: st.DrawFn, append: bool = False) -> list[Tokens]:
    """Of few different ids, so that prompts often go on by chance. Log-probs number the ids."""
    made: list[Tokens] = []
    before: list[int] = []
    number = 0
    for _ in range(draw(st.integers(1, 5))):
        held = len(before) if append else draw(st.integers(0, len(before)))
        prompt, response = draw(ids), draw(ids)
        numbers = [-float(number + at) for at in range(len(response))]
        number += len(response)
        made.append(
            Tokens(
                held=held, prompt=tuple(prompt), response=tuple(response), logprobs=tuple(numbers)
            )
        )
        before = [*before[:held], *prompt, *response]
    return made


@given(samplings())
def test_each_trained_id_stands_behind_what_it_was_sampled_after_and_is_trained_once(
    given: list[Tokens],
) -> None:
    after: dict[float, tuple[list[int], int]] = {}
    before: list[int] = []
    for each in given:
        before = [*before[: each.held], *each.prompt]
        for id, number in zip(each.response, each.logprobs, strict=True):
            after[number] = (list(before), id)
            before.append(id)
    found = rows(given)
    trained = []
    for row in found:
        assert len(row.ids) == len(row.trained) == len(row.logprobs)
        for at, id in enumerate(row.ids):
            if row.trained[at]:
                assert after[row.logprobs[at]] == (list(row.ids[:at]), id)
                trained.append(row.logprobs[at])
    assert len(set(trained)) == len(trained) == len(after) - sum(row.drifted for row in found)


@given(samplings(append=True))
def test_samplings_that_only_grow_are_one_row_without_drift(given: list[Tokens]) -> None:
    (row,) = rows(given)
    assert row.drifted == 0
    assert sum(row.trained) == sum(len(each.response) for each in given)
    assert len(row.ids) == sum(len(each.prompt) + len(each.response) for each in given)
