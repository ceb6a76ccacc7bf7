"""Advantages: the published numbers of each estimator, and what holds whatever the batch."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.train.advantage import Algorithm, Estimator, Scored, advantages

REWARDS = {"q1": [1, 0, 0, 0], "q2": [1, 1, 1, 0], "q3": [10, 0, 10, 0]}
TOKENS = {"q1": [1, 2, 3, 2], "q2": [1, 1, 2, 4], "q3": [2, 2, 1, 1]}
BATCH = [
    Scored(question, "B" if question == "q3" else "A", reward, tokens=tokens)
    for question, rewards in REWARDS.items()
    for reward, tokens in zip(rewards, TOKENS[question], strict=True)
]


def close(values: list[float]) -> object:
    return pytest.approx(values, abs=6e-7)


@pytest.mark.parametrize(
    ("estimator", "q1", "q2", "q3"),
    [
        (Estimator("grpo", 1, 1e-6), (1.499997, -0.499999), (0.499999, -1.499997), 0.866025),
        (Estimator("grpo", 0, 1e-8), (1.732051, -0.57735), (0.57735, -1.732051), 1),
        (Estimator("dr_grpo"), (0.75, -0.25), (0.25, -0.75), 5),
        (Estimator("batch", 1, 1e-4), (0.199152, -0.066384), (0.066384, -0.199152), 1.327677),
        (Estimator("erpo", 0), (1.5, -0.5), (0.5, -1.5), 1),
        (Estimator("erpo", 1), (1.403122, -0.467707), (0.467707, -1.403122), 0.866025),
        (
            Estimator("task_norm", 1, 1e-6),
            (2.118495, -0.141233),
            (0.988631, -1.271097),
            0.91287,
        ),
        (Estimator("rloo"), (1, -0.333333), (0.333333, -1), 6.666667),
    ],
)
def test_each_estimator_gives_its_published_numbers(
    estimator: Estimator, q1: tuple[float, float], q2: tuple[float, float], q3: float
) -> None:
    first, second = q1[0], q2[1]
    assert advantages(BATCH, estimator) == pytest.approx(
        [first, *[q1[1]] * 3, *[q2[0]] * 3, second, q3, -q3, q3, -q3], abs=1.5e-6
    )


def test_grpo_as_trl_scales_groups_gives_its_numbers_to_four_places() -> None:
    found = advantages(BATCH, Estimator("grpo", 1, 1e-4))
    assert found[:2] == pytest.approx([1.4997, -0.4999], abs=5e-5)
    assert found[8:10] == pytest.approx([0.86601, -0.86601], abs=5e-6)


SATURATED = [Scored("q1", "A", r) for r in (1, 0, 0, 0)] + [Scored("q2", "A", 1)] * 4


@pytest.mark.parametrize(
    ("ddof", "drop", "right", "wrong"),
    [
        (0, "after", 1.549193, -0.516398),
        (1, "after", 1.449138, -0.483046),
        (0, "before", 1.732051, -0.57735),
        (1, "before", 1.5, -0.5),
    ],
)
def test_a_question_without_variance_is_dropped_after_or_before_the_deviation(
    ddof: int, drop: str, right: float, wrong: float
) -> None:
    estimator = Estimator("erpo", ddof, drop=drop)  # type: ignore[arg-type]
    found = advantages(SATURATED, estimator)
    assert found[:4] == close([right, wrong, wrong, wrong])
    assert found[4:] == [None] * 4


def test_where_nothing_is_dropped_no_variance_is_no_advantage() -> None:
    batch = [Scored("q", "A", 1.0)] * 4
    assert advantages(batch, Estimator(drop="never")) == [0.0] * 4


def test_a_rollout_whose_user_erred_counts_nowhere() -> None:
    bad = Scored("q1", "A", 1.0, valid=False)
    with_it = advantages([*BATCH[:4], bad, *BATCH[4:]])
    assert with_it[4] is None
    assert [*with_it[:4], *with_it[5:]] == advantages(BATCH)


def test_a_question_with_one_valid_rollout_is_dropped() -> None:
    batch = [Scored("q", "A", 1.0), Scored("q", "A", 0.0, valid=False), *BATCH]
    assert advantages(batch)[:2] == [None, None]


def test_erpo_in_one_environment_is_trls_batch() -> None:
    alone = [each for each in BATCH if each.environment == "A"]
    assert advantages(alone, Estimator("erpo", 1)) == advantages(alone, Estimator("batch", 1))


scored = st.builds(
    Scored,
    question=st.sampled_from("abcd"),
    environment=st.just(""),
    reward=st.sampled_from([0.0, 1.0]),
    valid=st.booleans(),
    tokens=st.integers(1, 9),
).map(lambda each: Scored(each.question, each.question < "c", each.reward, each.valid, each.tokens))
algorithms = st.sampled_from(["erpo", "grpo", "dr_grpo", "rloo", "task_norm", "batch"])


@given(st.lists(scored, max_size=24), algorithms, st.integers(0, 99))
def test_the_order_of_the_batch_changes_no_number(
    batch: list[Scored], algorithm: Algorithm, seed: int
) -> None:
    estimator = Estimator(algorithm, 1, 1e-6)
    order = list(range(len(batch)))
    random.Random(seed).shuffle(order)
    mixed = advantages([batch[number] for number in order], estimator)
    straight = advantages(batch, estimator)
    assert mixed == [straight[number] for number in order] or mixed == pytest.approx(
        [straight[number] for number in order]
    )


@given(st.lists(scored, max_size=24), algorithms)
def test_only_valid_rollouts_of_questions_with_variance_are_trained_on(
    batch: list[Scored], algorithm: Algorithm
) -> None:
    for each, value in zip(batch, advantages(batch, Estimator(algorithm)), strict=True):
        rewards = {
            other.reward for other in batch if other.valid and other.question == each.question
        }
        assert (value is not None) == (each.valid and len(rewards) > 1)


@given(st.lists(scored, max_size=24), st.sampled_from(["erpo", "grpo", "dr_grpo", "rloo", "batch"]))
def test_the_advantages_of_a_question_sum_to_nothing(
    batch: list[Scored], algorithm: Algorithm
) -> None:
    found = advantages(batch, Estimator(algorithm, 1))
    for question in "abcd":
        values = [v for each, v in zip(batch, found, strict=True) if each.question == question]
        assert sum(value for value in values if value is not None) == pytest.approx(0, abs=1e-9)
