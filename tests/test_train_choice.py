"""Which questions are trained on, and signs that a training goes wrong: the published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.train.alarms import alarm_at, echo_trap, hopeless, starved, template_collapse
from forge.train.choice import by_variance, informative, top_p, turns_at, within


def test_limr_scores_how_closely_a_question_follows_the_mean() -> None:
    accuracy = [[0, 0.25, 0.5, 0.75], [0, 0, 0, 0], [1, 1, 1, 1], [0.25, 0.5, 0.5, 0.75]]
    assert informative(accuracy) == pytest.approx([0.874172, 0.211921, 0, 0.980132], abs=6e-7)


def test_where_all_is_solved_no_question_is_more_informative() -> None:
    with pytest.raises(ValueError, match="every question is solved"):
        informative([[1, 1], [1, 1]])


def test_the_quarter_of_questions_whose_rewards_spread_most_is_kept() -> None:
    rewards = [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert by_variance(rewards) == [2]
    assert by_variance(rewards, 0.5) == [1, 2]


@pytest.mark.parametrize(
    ("scores", "share", "kept"),
    [
        ([0.5, 0, 0.25, 0.05, 0.2, 0, 0.4, 0.1], 0.9, [0, 6, 2, 4]),
        ([0.5, 0, 0.25, 0.05, 0.2, 0, 0.4, 0.1], 0.5, [0, 6]),
        ([0.004, 0.003, 0, 0], 0.9, [0]),
        ([0, 0], 0.9, []),
    ],
)
def test_the_greatest_scores_are_kept_until_they_hold_their_share(
    scores: list[float], share: float, kept: list[int]
) -> None:
    assert top_p(scores, share) == kept


def test_a_band_of_pass_rates_takes_its_bounds() -> None:
    assert within([0, 0.25, 0.5, 0.75, 1], 0.25, 0.75) == [1, 2, 3]


@pytest.mark.parametrize(
    ("step", "turns"), [(1, 8), (80, 8), (81, 12), (160, 12), (161, 15), (999, 15)]
)
def test_rollouts_may_take_more_turns_as_training_goes_on(step: int, turns: int) -> None:
    assert turns_at(step) == turns


@pytest.mark.parametrize(
    ("spreads", "step"),
    [
        ([0.4] * 10 + [0.03] * 20, 20),
        ([0.4] * 10 + [0.04] * 20, None),
        ([0.4] * 10 + [0.03] * 4 + [0.2] + [0.03] * 20, 25),
        ([0.4] * 5, None),
    ],
)
def test_the_echo_trap_is_ten_steps_far_below_the_first_ten(
    spreads: list[float], step: int | None
) -> None:
    assert echo_trap(spreads) == step


def test_five_steps_without_success_or_with_nothing_to_train_on_are_a_sign() -> None:
    assert hopeless([0.5, *[0.0] * 5]) == 6
    assert hopeless([0.0, 0.0, 0.5, 0.0, 0.0]) is None
    assert starved([4, 0, 0, 0, 0, 0]) == 6


def test_thoughts_that_are_the_same_for_every_prompt_hold_no_information() -> None:
    rows = [[-1, -2, -3], [-2.5, -1.5, -2.5], [-2, -2, -1], [-1.2, -1, -2]]
    found = template_collapse(rows, [0, 1, 2, 0])
    assert found.information == pytest.approx(0.4754, abs=5e-5)
    assert found.bound == pytest.approx(1.098612, abs=6e-7)
    assert found.given == pytest.approx(1.175)
    assert found.entropy == pytest.approx(1.6504, abs=5e-5)
    assert found.retrieval == 0.75
    assert template_collapse([[-1, -1]] * 2, [0, 1]).information == pytest.approx(0)


rows = st.lists(st.lists(st.floats(-50, 0), min_size=3, max_size=3), min_size=1, max_size=6)


@given(rows)
def test_information_never_passes_its_bound(likelihoods: list[list[float]]) -> None:
    own = [max(range(3), key=row.__getitem__) for row in likelihoods]
    found = template_collapse(likelihoods, own)
    assert -1e-9 <= found.information <= found.bound + 1e-9


def _steps(count: int, **numbers: float) -> list[dict[str, float]]:
    usual = {"rollouts/spread": 0.4, "reward": 0.5, "rollouts/trained": 1.0, "rollouts/cut": 0.1}
    return [{**usual, **numbers}] * count


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"reward": 0.0}, "easier tasks"),
        ({"rollouts/trained": 0.0}, "earn alike"),
        ({"rollouts/cut": 0.9}, "met a limit"),
    ],
)
def test_an_alarm_is_raised_once_when_a_sign_has_lasted(
    numbers: dict[str, float], said: str
) -> None:
    lasting = [*_steps(3), *_steps(5, **numbers)]

    assert said in alarm_at(lasting)
    assert alarm_at(lasting[:-1]) == ""
    assert alarm_at([*lasting, *_steps(1, **numbers)]) == ""


def test_a_step_like_the_others_raises_no_alarm() -> None:
    assert alarm_at(_steps(30)) == ""


def test_an_echo_trap_is_told_at_the_step_that_makes_it_one() -> None:
    fallen = [*_steps(10), *_steps(10, **{"rollouts/spread": 0.01})]

    assert "echo trap" in alarm_at(fallen)
    assert alarm_at(fallen[:-1]) == ""


def test_fleeing_into_limits_is_told_before_most_rollouts_meet_one() -> None:
    """Of a run whose rollouts were masked when cut: 2 % of them at first, 17 % after 60 steps."""
    cuts = [*[0.02] * 30, *[0.05] * 20, *[0.17] * 20]
    steps = [step for cut in cuts for step in _steps(1, **{"rollouts/cut": cut})]

    told = [at for at in range(1, len(steps) + 1) if alarm_at(steps[:at])]

    assert told == [55]
    assert "mask_cut" in alarm_at(steps[:55])
