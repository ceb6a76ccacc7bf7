"""Records that only tie two others together, and are spoken of by those: "Priya on Lumen"."""

from forge.tasks.speech.phrase import Speaker
from forge.types.intent import Selection, Value
from forge.types.state import Table


def is_link(table: Table) -> bool:
    """Whether records only tie two others together: a member of a project. Not what each record
    of another table has one of, whose whole key is that of the other."""
    refs = {c.name for c in table.columns if c.references}
    if table.parent is not None:
        if set(table.key) <= set(table.parent.columns):
            return False
        refs |= set(table.parent.columns)
    return len(table.key) == 2 and set(table.key) <= refs and table.label is None


def ends(values: dict[str, Value], table: Table, speaker: Speaker) -> tuple[str, str] | None:
    """Of a link: what is tied, and what it is tied to."""
    if not set(table.key) <= set(values):
        return None
    to, what = table.key
    if table.parent is not None and table.parent.columns == (what,):
        to, what = what, to
    return speaker.refer(values[what]), speaker.refer(values[to])


def selected(of: Selection) -> dict[str, Value]:
    return {c.column: c.value for c in of.where if c.op == "eq"}
