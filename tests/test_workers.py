"""The processes, or this one, in which environments and tasks are made."""

import gc

from forge.pipeline.garbage import RARELY
from forge.pipeline.workers import run


def thresholds() -> tuple[int, int, int]:
    return gc.get_threshold()


def test_garbage_is_collected_rarely_while_tasks_are_made_and_as_before_afterwards():
    before = gc.get_threshold()
    assert dict(run({"here": thresholds}, jobs=1)) == {"here": RARELY}
    assert dict(run({"one": thresholds, "two": thresholds}, jobs=2)) == {
        "one": RARELY,
        "two": RARELY,
    }
    assert gc.get_threshold() == before
