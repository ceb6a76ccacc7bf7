"""An intent as a list: each wish in words of its own, for who keeps count of them.

Written from the intent alone, in the words that the task's facts are said in. A fact that is told
late, or was told before, is left out, as in the question; nothing is "it".
"""

import random
from collections.abc import Set

from forge.tasks.speech.asking import asked, tested
from forge.tasks.speech.clause import clause
from forge.tasks.speech.facts import name_facts
from forge.tasks.speech.phrase import Speaker
from forge.types.intent import Answer, Branch, Insert, Intent, Plain, Refused, Wish
from forge.types.state import StateSchema
from forge.types.task import Task


def wishes_of(task: Task, schema: StateSchema) -> tuple[str, ...]:
    """One a wish: "cancel reservation HH-4J6CV", "be told how many guests there are"."""
    return tuple(
        wish_in_words(task, number, wish, schema) for number, wish in enumerate(task.intent.wishes)
    )


def wish_in_words(task: Task, number: int, wish: Wish, schema: StateSchema) -> str:
    """The wish, as if it stood in the task's intent at `number`."""
    before = enumerate(task.intent.wishes)
    made = {n: each.table for n, each in before if isinstance(each, Insert) and n != number}
    if isinstance(wish, Insert):
        made[number] = wish.table
    told = {fact.name for fact in task.facts if fact.told or fact.noted}
    known = {fact.name: fact for fact in task.facts}
    speaker = Speaker(schema, random.Random(0), told, task.now, known, made=made)
    notes = {table.name for table in schema.tables if not table.compared}
    return _in_words(wish, speaker, notes)


def wish_alone(wish: Wish, schema: StateSchema, now: str) -> str:
    """A wish of no task yet, as if it were the only one; its facts may be without names."""
    (named,) = name_facts(Intent(wishes=(wish,)), schema).wishes
    made = {0: named.table} if isinstance(named, Insert) else {}
    notes = {table.name for table in schema.tables if not table.compared}
    return _in_words(named, Speaker(schema, random.Random(0), set(), now, made=made), notes)


def _in_words(wish: Wish, speaker: Speaker, notes: Set[str]) -> str:
    match wish:
        case Insert() if wish.table in notes:
            (note,) = wish.values.values()
            assert isinstance(note, Plain)
            return f"mention, for another day, that {note.value}"
        case Answer():
            end = " after that" if wish.after else ""
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
