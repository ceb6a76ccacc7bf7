"""Which tasks belong together: those of a sequence, that follow each other.

Always holds: in a data set they lie together, in their order; a sequence is named by its first.
"""

from collections.abc import Iterable, Iterator, Mapping

from forge.types.task import Task

_HARDNESS = {"easy": 0, "medium": 1, "hard": 2}


def in_sequence(tasks: Iterable[Task]) -> Iterator[tuple[Task, ...]]:
    """The tasks as they come, those of a sequence together; each other by itself."""
    group: list[Task] = []
    for task in tasks:
        if group and not (task.follows is not None and task.follows == group[-1].id):
            yield tuple(group)
            group = []
        group.append(task)
    if group:
        yield tuple(group)


def places(follows: Mapping[str, str | None]) -> dict[str, tuple[str, int]]:
    """Task -> the first task of its sequence (or itself), and its number in it, from 0. `follows`:
    task -> the one before. What follows a task that is not there, or itself, is the first."""
    return {id: _place(id, follows) for id in follows}


def hardest(bands: Iterable[str]) -> str:
    """The band of a sequence: that of its hardest task."""
    return max(bands, key=lambda band: _HARDNESS.get(band, 0))


def _place(id: str, follows: Mapping[str, str | None]) -> tuple[str, int]:
    first, number, passed = id, 0, {id}
    while (before := follows[first]) is not None and before in follows:
        if before in passed:
            return id, 0
        first, number = before, number + 1
        passed.add(before)
    return first, number
