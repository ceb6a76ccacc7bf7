"""An intent as a list: each wish in words of its own, for who keeps count of them.

Written from the intent alone, in the words that the task's facts are said in. A fact that is told
late, or was told before, is left out, as in the question; nothing is "it".
"""

import random
from collections.abc import Set

from forge.tasks.speech.asking import asked, tested
from forge.tasks.speech.clause import clause
from forge.tasks.speech.phrase import Speaker
from forge.types.intent import Answer, Branch, Insert, Plain, Refused, Wish
from forge.types.state import StateSchema
from forge.types.task import Task


def wishes_of(task: Task, schema: StateSchema) -> tuple[str, ...]:
    """One a wish: "cancel reservation HH-4J6CV", "be told how many guests there are"."""
    wishes = task.intent.wishes
    made = {n: wish.table for n, wish in enumerate(wishes) if isinstance(wish, Insert)}
    told = {fact.name for fact in task.facts if fact.told or fact.noted}

    def speaker() -> Speaker:
        known = {fact.name: fact for fact in task.facts}
        return Speaker(schema, random.Random(0), told, task.now, known, made=made)

    notes = {table.name for table in schema.tables if not table.compared}
    return tuple(_in_words(wish, speaker(), notes) for wish in wishes)


def _in_words(wish: Wish, speaker: Speaker, notes: Set[str]) -> str:
    match wish:
        case Insert() if wish.table in notes:
            (note,) = wish.values.values()
            assert isinstance(note, Plain)
            return f"mention, for another day, that {note.value}"
        case Answer():
            end = " once the other wishes are done" if wish.after else ""
            return f"be told {asked(wish.what, speaker).indirect}{end}"
        case Branch():
            test = tested(wish, speaker)
            other = (
                "" if wish.otherwise is None else f", otherwise {clause(wish.otherwise, speaker)}"
            )
            return f"if {test}, {clause(wish.then, speaker)}{other}"
        case Refused():
            return clause(wish.deed, speaker)
        case _:
            return clause(wish, speaker)
