"""Marks: what is thought of a task, shown on its page and written from there; and all of them.

A task's page includes `_mark.html.j2` with what `mark_values` gives.
"""

from collections import Counter

from forge.browse.dataset import is_linked, rated
from forge.browse.files import optional
from forge.browse.page import Action, Asked, Missing, Page, Values, only
from forge.browse.stored import read_task
from forge.dataset.marks import LONGEST, Mark, Review, add_mark, read_marks

ALL = "{thing}/marks.html"
MARK = "{thing}/tasks/{task}/mark"
REVIEWS: dict[str, Review | None] = {"good": "good", "bad": "bad", "none": None}


def mark_values(asked: Asked, task: str) -> Values:
    """The mark of a task, None if it has none, or why it cannot be read; and where a form sends
    another."""
    marks, why = optional(read_marks, asked.thing.path)
    return {
        "mark": (marks or {}).get(task),
        "unread_marks": why,
        "mark_action": MARK.format(thing=asked.thing.name, task=task),
        "longest_note": LONGEST,
    }


def show_marks(asked: Asked) -> Values:
    """Those that are bad first."""
    marks = read_marks(asked.thing.path).values()
    there = {id for (id,) in rated(asked.site, asked.thing).rows("select id from tasks")}
    return {
        "title": "Marks",
        "thing": asked.thing,
        "marks": sorted(marks, key=lambda mark: (mark.review != "bad", mark.task)),
        "counts": Counter(mark.review for mark in marks),
        "linked": {mark.task for mark in marks if is_linked(mark.task) and mark.task in there},
    }


def mark(asked: Asked) -> str:
    """Marks the task as the form says, and leads back to its page."""
    task, review = asked.names["task"], asked.query.get("review", "")
    if review not in REVIEWS:
        raise Missing("a mark is good, bad or none")
    if not is_linked(task) or read_task(asked.thing.path, task) is None:
        raise Missing(f"there is no task {task!r}")
    note = "" if review == "none" else asked.query.get("note", "").strip()
    add_mark(asked.thing.path, Mark(task=task, review=REVIEWS[review], note=note))
    return f"{asked.thing.name}/tasks/{task}.html"


PAGES = (Page("dataset", ALL, "marks.html.j2", show_marks, only),)
ACTIONS = (Action("dataset", MARK, mark),)
