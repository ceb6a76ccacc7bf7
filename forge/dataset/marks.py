"""What people think of tasks: `marks.jsonl` in a data set's folder, a line a mark.

Always holds: the last mark of a task counts; marks are beside the data set and no part of it: no
hash and no count knows of them, and tasks that are not there any more may have some.
"""

import fcntl
import os
from pathlib import Path
from typing import Literal

from forge.dataset.files import (
    compact,
    drop_torn_line,
    json_text,
    parse_model,
    read_log,
    writing,
)
from forge.errors import UserError
from forge.types.data import Data

MARKS = "marks.jsonl"

Review = Literal["good", "bad"]
Without = Literal["marked-bad"]
"""Which tasks an export or a training leaves out."""
LONGEST = 2000
"""Letters of a note."""


class Mark(Data):
    """`review`: None takes back what was marked before."""

    task: str
    review: Review | None
    note: str = ""


def read_marks(folder: Path) -> dict[str, Mark]:
    """Task -> its mark. Nothing if there is no file; a torn last line is passed over. UserError for
    a line that is no mark."""
    path = folder / MARKS
    found: dict[str, Mark] = {}
    for number, line in enumerate(read_log(path), 1):
        mark = parse_model(Mark, line, f"{path}:{number}")
        found[mark.task] = mark
    return {task: mark for task, mark in found.items() if mark.review is not None}


def add_mark(folder: Path, mark: Mark) -> None:
    """The mark is on disk when this returns, whoever else is marking. UserError for a note that is
    too long."""
    if len(mark.note) > LONGEST:
        raise UserError(f"the note has {len(mark.note):,} letters, of at most {LONGEST:,}")
    path = folder / MARKS
    with writing(path), path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        drop_torn_line(file)
        file.write(json_text(compact(mark)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def left_out(folder: Path, without: Without | None) -> frozenset[str]:
    """The tasks that are not wanted; none if `without` is None."""
    if without is None:
        return frozenset()
    return frozenset(task for task, mark in read_marks(folder).items() if mark.review == "bad")
