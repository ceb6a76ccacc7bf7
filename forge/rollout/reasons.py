"""A verdict in words: why a rollout earned nothing."""

from collections.abc import Iterator

from forge.types.rollout import Deviation, Verdict


def reasons(verdict: Verdict) -> Iterator[str]:
    """A line each; none where the reward is 1 and nothing else was measured."""
    for each in verdict.deviations:
        yield _deviation(each)
    for missing in verdict.unsaid:
        others = f", but {', '.join(map(str, missing.others))}" if missing.others else ""
        yield f"not said: {missing.expected}{others}"
    if verdict.why:
        yield verdict.why


def _deviation(each: Deviation) -> str:
    harm = " (beside the task)" if each.collateral else ""
    if each.what == "changed":
        return (
            f"{each.table} {each.key}: {each.column} is {each.actual!r}, should be"
            f" {each.expected!r}{harm}"
        )
    return f"{each.table} {each.key} is {each.what}{harm}"
