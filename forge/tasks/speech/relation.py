"""How one record's tie to another is said: "on Lumen", "assigned to me", "for order 1042"."""

import random
import re

from forge.tasks.intents.columns import column_named
from forge.tasks.speech.called import leads
from forge.tasks.speech.lexicon import (
    KIND_COLUMNS,
    PAIRED_PREPOSITIONS,
    PREPOSITIONS,
    is_person,
)
from forge.tasks.speech.words import is_plural, role
from forge.types.state import Table

MINE = "of mine"
_SHORT = 30


def had(target: str, named: str, table: Table, rng: random.Random) -> str:
    """What a record has: "its due date", "Ada Lind's phone number", "the price of the lamp"."""
    kind, it_was, done = named.partition(" it was ")
    if it_was:
        return f"the {kind} {target} {'were' if target == 'them' else 'was'} {done}"
    if target in ("it", "them"):
        return f"{'its' if target == 'it' else 'their'} {named}"
    of = f"the {named} of {target}"
    plainly = target.startswith(("all ", "the ", "that ", "whoever")) or len(target) >= _SHORT
    return of if plainly or not is_person(table.noun) else rng.choice([f"{target}'s {named}", of])


def tied(column: str, table: Table, target: Table | None, of: str, new: bool = False) -> str:
    """The tie that the column of a record of `table` makes to `of`, a record of `target`, with its
    preposition. `new`: said of a record that is to be made."""
    words = role(column, table.noun)
    whole = table.parent.columns if table.parent is not None else ()
    if target is not None and len(whole) > 1 and column in whole:
        words = target.noun  # a part of a key stands for the record that the key is of
    noun = target.noun if target is not None else words
    kind = noun.split()[-1]
    if new and of == "me" and words in _MAKERS:
        return "in my name"
    if new and words == "owner":
        return f"with {of} as the owner"
    if of == "me" and words in _USERS:
        return "in my name" if new else "by me"
    word = (
        PAIRED_PREPOSITIONS.get((table.noun, noun))
        or PAIRED_PREPOSITIONS.get((table.noun.split()[-1], kind))
        or PREPOSITIONS.get(words)
        or PREPOSITIONS.get(noun)
        or (PREPOSITIONS.get(kind) if _same_thing(words, noun) else None)
    )
    if word is None and target is not None and kind in KIND_COLUMNS:
        if of.startswith("the same "):
            return f"of {of}"
        return f"in the category {of}" if kind == "category" else f"of {kind} {of}"
    if word is not None:
        return f"{word} {of}"
    if target is not None and (_same_thing(words, noun) or column in whole):
        if new:
            return f"for {of}"
        return MINE if of == "me" and is_person(noun) else f"of {of}"
    leading = leads(column_named(table, column), table)
    if is_plural(words):
        return f"with {of} among the {words}"
    return f"{leading} {of}" if leading else f"with {of} as the {words}"


def own(phrase: str) -> str:
    """ "my open task on Lumen" of "the open task of mine on Lumen"."""
    before, mine, behind = phrase.partition(f" {MINE}")
    if not mine or phrase.startswith('"') or before.count('"') % 2:
        return phrase  # nobody says my "Laptop"; what is quoted stays
    return f"my {before.removeprefix('the ')}{behind}"


def nested(part: str) -> int:
    """How much is said of what a relation leads to."""
    return len(_INNER.findall(part))


_INNER = re.compile(r" (?:of|in|that|who|whose|which|with) ")
_MAKERS = {"author", "creator", "created by", "reporter", "reported by", "requester", "sender"}
_USERS = {"username", "user name", "posted by", "poster", "submitted by", "submitter"}


def _same_thing(words: str, noun: str) -> bool:
    """Whether a column's words only name what it refers to: `cluster` of a database cluster."""
    return not words or set(words.split()) <= set(noun.split()) or words.endswith(noun)
