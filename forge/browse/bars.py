"""Counts as pictures: a bar for each, which may lead to what it counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """`share`: how long it is, of 100. `address`: None where it leads nowhere."""

    label: str
    number: int
    share: float
    address: str | None


@dataclass(frozen=True, slots=True)
class Bars:
    title: str
    bars: tuple[Bar, ...]


def bars(
    title: str, counts: Mapping[str, int], address: Callable[[str], str] | None = None
) -> Bars:
    """In the order of the counts. `address`: where the bar of a label leads."""
    most = max(counts.values(), default=0) or 1
    found = [
        Bar(label, number, round(100 * number / most, 1), address(label) if address else None)
        for label, number in counts.items()
    ]
    return Bars(title, tuple(found))
