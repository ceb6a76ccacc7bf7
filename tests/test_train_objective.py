"""The objective and critics' advantages: the published numbers, and that what was read is not
trained on."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.train.gae import over_segments, over_steps, over_tokens, whitened

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from forge.train import objective  # noqa: E402


def close(value: object) -> object:
    return pytest.approx(value, abs=6e-7)


@pytest.mark.parametrize(
    ("ratio", "advantage", "kept"),
    [(1.25, 1, 1.25), (1.3, 1, 1.28), (0.7, 1, 0.7), (1.3, -1, -1.3), (0.7, -1, -0.8)],
)
def test_clip_higher_leaves_more_room_upwards(ratio: float, advantage: int, kept: float) -> None:
    found = objective.clipped(torch.tensor(ratio), torch.tensor(float(advantage)))
    assert found.item() == close(kept)


def test_dual_clip_bounds_what_a_bad_turn_can_cost() -> None:
    found = objective.clipped(torch.tensor(5.0), torch.tensor(-1.0), dual=3)
    assert found.item() == close(-3)


@pytest.mark.parametrize(
    ("how", "length", "mean"),
    [("sequence", None, 1.5), ("token", None, 1.75), ("fixed", 8, 0.4375)],
)
def test_rows_of_several_lengths_become_one_number(
    how: objective.Aggregation, length: int | None, mean: float
) -> None:
    losses = torch.tensor([[1.0, 9, 9], [2, 2, 2]])
    trained = torch.tensor([[1, 0, 0], [1, 1, 1]])
    assert objective.aggregated(losses, trained, how, length).item() == close(mean)


@pytest.mark.parametrize(("how", "second"), [("mask", 0), ("truncate", 3)])
def test_rows_that_were_sampled_by_another_policy_weigh_less(how: str, second: float) -> None:
    old, sampled = torch.tensor([[0.1, 0.2], [1.0, 1.0]]), torch.zeros(2, 2)
    found = objective.corrections(old, sampled, torch.ones(2, 2), 3, how)  # type: ignore[arg-type]
    assert found.flatten().tolist() == close([1.349859, second])


def test_the_ratio_of_a_sequence_is_the_geometric_mean_over_what_is_trained() -> None:
    new, old = torch.tensor([[0.2, 0.4, 5.0]]), torch.zeros(1, 3)
    found = objective.ratios(new, old, torch.tensor([[1, 1, 0]]), "sequence")
    assert found.tolist() == [close([math.exp(0.3)])]


def test_what_the_environment_said_adds_its_cross_entropy() -> None:
    logprobs = torch.log(torch.tensor([[0.1, 0.4, 1.0], [0.5, 1.0, 1.0]]))
    seen = torch.tensor([[1, 1, 0], [1, 0, 0]])
    one = objective.observed(logprobs[:1], seen[:1])
    assert one.item() == close(1.609438)
    total = objective.with_observed(torch.tensor(-1.0), one, 0.05)
    assert total.item() == close(-0.919528)
    assert objective.observed(logprobs, seen, "sequence").item() == close(1.151293)
    assert objective.observed(logprobs, seen, "token").item() == close(1.304008)


def test_with_no_weight_on_it_the_loss_is_the_very_same() -> None:
    loss = torch.tensor(0.1)
    assert objective.with_observed(loss, torch.tensor(math.inf), 0) is loss


def test_the_divergence_is_nothing_between_equals_and_never_negative() -> None:
    logprobs, other = torch.tensor([-1.0, -2.0]), torch.tensor([-1.0, -0.5])
    found = objective.divergence(logprobs, other)
    assert found[0] == 0
    assert found[1] > 0


numbers = st.lists(st.floats(-3, 0), min_size=6, max_size=6)
masks = st.lists(st.integers(0, 1), min_size=6, max_size=6)


@given(numbers, numbers, masks, st.sampled_from(["token", "sequence"]), st.floats(-2, 2))
def test_what_was_read_gets_no_policy_gradient(
    new: list[float], old: list[float], mask: list[int], level: str, advantage: float
) -> None:
    logprobs = torch.tensor([new], requires_grad=True)
    trained = torch.tensor([mask])
    ratio = objective.ratios(logprobs, torch.tensor([old]), trained, level)  # type: ignore[arg-type]
    gained = objective.clipped(ratio, torch.tensor(advantage)) * torch.ones_like(logprobs)
    objective.aggregated(-gained, trained).backward()
    assert logprobs.grad is not None
    for gradient, kept in zip(logprobs.grad[0].tolist(), mask, strict=True):
        assert kept or gradient == 0


def test_advantages_over_steps() -> None:
    first, returns = over_steps([0, 1], [0.5, 0.6])
    second, more = over_steps([0], [0.4])
    assert [*first, *second] == close([0.48, 0.40, -0.40])
    assert [*returns, *more] == close([0.98, 1, 0])
    assert whitened([*first, *second]) == close([0.657596, 0.493197, -1.150793])


@pytest.mark.parametrize(
    ("lam", "advantages"),
    [
        (0.95, [[0.76195, 0.69679, 0, 0.6282], [0.556, 0.48, 0.4, 0]]),
        (1, [[0.9, 0.8, 0, 0.7], [0.6, 0.5, 0.4, 0]]),
    ],
)
def test_advantages_over_tokens_are_carried_across_rows_and_past_what_was_read(
    lam: float, advantages: list[list[float]]
) -> None:
    rewards = [[0, 0, 0, 0], [0, 0, 1, 0]]
    values = [[0.1, 0.2, 9, 0.3], [0.4, 0.5, 0.6, 9]]
    trained = [[1, 1, 0, 1], [1, 1, 1, 0]]
    found = over_tokens(rewards, values, trained, lam=lam)
    for row, expected in zip(found, advantages, strict=True):
        assert row == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(
    ("value", "advantages"),
    [
        (0, [[0.531441, 0.59049, 0.6561], [0.729, 0.81], [0.9, 1]]),
        (0.5, [[0.265721, 0.295245, 0.32805], [0.3645, 0.405], [0.45, 0.5]]),
    ],
)
def test_advantages_over_segments(value: float, advantages: list[list[float]]) -> None:
    for row, expected in zip(over_segments([3, 2, 2], 1, value), advantages, strict=True):
        assert row == close(expected)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.floats(0, 1),
    st.floats(-1, 1),
    st.floats(0.1, 1),
)
def test_segments_are_as_one_where_the_value_is_the_same_everywhere(
    lengths: list[int], reward: float, value: float, lam: float
) -> None:
    whole = [[0.0] * length for length in lengths]
    whole[-1][-1] = reward
    values = [[value] * length for length in lengths]
    trained = [[1] * length for length in lengths]
    joined = over_tokens(whole, values, trained, lam=lam)
    for row, expected in zip(over_segments(lengths, reward, value, lam=lam), joined, strict=True):
        assert row == pytest.approx(expected)
