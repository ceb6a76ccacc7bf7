"""What is said in one dialogue and needed in a later one: how the user tells it, and how they speak
of it another day.

Always holds: days are said in full, for "tomorrow" is another day then; what is told names the
record that it will be for, as the later dialogue does.
"""

import random
import re

from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.intents.inside import telling_fact
from forge.tasks.speech.called import called
from forge.tasks.speech.lexicon import is_person
from forge.tasks.speech.links import ends, is_link, selected
from forge.tasks.speech.manner import MANNERS
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.relation import had
from forge.tasks.speech.spoken import listed
from forge.tasks.speech.words import capital, role
from forge.types.intent import Change, Insert, Intent, MadeKey, Plain, RecordKey, Value
from forge.types.state import StateSchema, Table

_ASKS = (
    "please make a note for next time: {}.",
    "one thing for the next time I write, please note it down: {}.",
    "please keep this in mind for when I get back to you: {}.",
    "for next time, please remember: {}.",
    "could you note something for later? It's this: {}.",
)
_MENTIONS = (
    "by the way, for when I get back to you: {}.",
    "just so you know for next time: {}.",
    "I'll be back about something else, and for that: {}.",
    "this is for another day, but I'll tell you now: {}.",
)
"""That it will be needed is said, and not that it be noted."""
UNASKED_SHARE = 0.5
_REFERS = (
    "You know {} from before.",
    "I gave you {} the other day.",
    "As for {}, I told you the other day.",
    "I told you {} when we spoke before.",
    "You should have {} from when I wrote before.",
    "I already told you {}.",
)
_CLOSINGS = sorted({c for manner in MANNERS for c in manner.closings if c}, key=lambda c: -len(c))


def note_of(fact: str, intent: Intent, schema: StateSchema, rng: random.Random) -> tuple[str, str]:
    """(the sentence that tells the fact beforehand, the words in it that say its value); ("", "")
    where it cannot be said what it is for."""
    speaker = Speaker(schema=schema, rng=rng, told=set())
    for wish in intent.wishes:
        values: dict[str, Value] = {}
        match wish:
            case Insert():
                values, table = wish.values, speaker.table(wish.table)
            case Change():
                values, table = wish.change, speaker.table(wish.of.table)
        for column, value in values.items():
            if telling_fact(value) != fact:
                continue
            if isinstance(value, Plain) and isinstance(value.value, bool):
                return "", ""
            what = _owned(wish, column, value, table, speaker)
            told = f"{what} will be {_said(value, column, table, speaker)}"
            return (told, speaker.facts[fact].text) if what else ("", "")
    return "", ""


def _said(value: Value, column: str, table: Table, speaker: Speaker) -> str:
    if isinstance(value, RecordKey):
        return speaker.short(value.of)
    assert isinstance(value, Plain)
    return speaker.fact(value, table, column)


def _owned(wish: object, column: str, value: Value, table: Table, speaker: Speaker) -> str:
    """ "the due date of the new task "Order desks", "I'll need a new loan, and its due date"; "" of
    a record that an earlier wish makes."""
    words = called(column_named(table, column), table)
    if isinstance(value, RecordKey):
        whose = speaker.table(value.of.table)
        words = "" if column in whose.key else role(column, table.noun)
        words = words or whose.noun
    if isinstance(wish, Change):
        if any(isinstance(condition.value, MadeKey) for condition in wish.of.where):
            return ""
        tied = ends(selected(wish.of), table, speaker) if is_link(table) and not wish.each else None
        if tied is not None:
            return f"{tied[0]}'s new {words} on {tied[1]}"
        target = speaker.everything(wish.of) if wish.each else speaker.thing(wish.of)
        return had(target, f"new {words}", table, speaker.rng)
    assert isinstance(wish, Insert)
    label = label_of(table)
    named = wish.values.get(label) if label is not None and label != column else None
    if isinstance(named, Plain) and label is not None:
        return f"the {words} of the new {table.noun} {speaker.fact(named, table, label)}"
    its = "their" if is_person(table.noun) else "its"
    return f"I'll need a new {table.noun}, and {its} {words}"


def telling_now(question: str, notes: list[str], rng: random.Random) -> str:
    """The question, with what the user will come back to."""
    form = rng.choice(_MENTIONS if rng.random() < UNASKED_SHARE else _ASKS)
    told = form.format("; ".join(notes))
    return _beside(question, capital(re.sub(r'([.!?])"\.', r'\1"', told)))


def referring(question: str, abouts: list[str], rng: random.Random) -> str:
    """The question, with where the agent knows the rest from."""
    return _beside(question, rng.choice(_REFERS).format(listed(abouts)))


def _beside(question: str, sentence: str) -> str:
    """With one more sentence, before the thanks that it ends with."""
    for closing in _CLOSINGS:
        if question.endswith(f" {closing}"):
            return f"{question.removesuffix(closing)}{sentence} {closing}"
    ended = question if re.search(r'[.?!]"?$', question) else f"{question}."
    return f"{ended} {sentence}"
