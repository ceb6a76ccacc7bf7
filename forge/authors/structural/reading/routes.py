"""What an operation is about by its path or, where there is none, by its name.

`/projects/{project_id}/tasks` is about tasks of a project; `get_project_id_by_name` about a
project, found by its name; `close_task` does "close" to a task.
"""

from dataclasses import dataclass

from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.words import Words, is_plural, one, word_set

CREATE = word_set("create add new make register insert post place book schedule open")
GET = frozenset(["get", "read", "fetch", "show", "retrieve", "view", "describe", "lookup"])
LIST = frozenset(["list", "search", "query", "browse"])
UPDATE = frozenset(["update", "edit", "modify", "change"])
SET = frozenset(["set", "rename", "move", "assign", "reschedule", "reassign"])
DELETE = frozenset(["delete", "remove", "destroy", "drop"])
CLEAR = frozenset(["clear", "empty", "purge"])
PEOPLE = (("user",), ("person",), ("employee",), ("member",), ("account",), ("agent",))
MINE = frozenset({("mine",), ("me",), ("my",), ("self",), ("current",)})
PREPOSITIONS = word_set(
    "by for of in from to with on at into as per within between under matching and"
)
_FILLERS = word_set("all a an the new my mine list current multiple")
_VERBS = CREATE | GET | LIST | UPDATE | SET | DELETE | frozenset({"find", "insert", "bulk"})
_ENDINGS = word_set("id ids gid details detail info information record records")


SEARCHES = frozenset({("find",), ("search",), ("query",), ("filter",)})
"""Last parts of paths that ask for some of the records before."""
NO_NOUNS = word_set(
    "search query login logout signin signout batch bulk upload download export import convert "
    "validate verify preview token auth authorize oauth refresh reset ping health status version "
    "info graphql echo sync me mine my self current latest count stats statistics metrics summary "
    "calculate estimate check test send invoke run execute"
)
"""Last parts of paths that say what is done, or what is worked out, and name no records."""


@dataclass(frozen=True)
class Name:
    """An operation's name taken apart: `get_project_id_by_name` is get, project, (by, name)."""

    verb: str
    noun: Words
    tail: Words
    mine: bool
    plural: bool
    asks_id: bool


def name_of(reading: Reading) -> Name:
    words = reading.words
    if len(words) > 2 and words[0] in ("get", "find") and words[1] in ("or", "all"):
        words = (words[0], *words[2:])
    verb, rest = (words[0], words[1:]) if words else ("", ())
    mine = bool(words) and ("my" in words or "mine" in words or "me" in words[1:])
    if verb == "my":
        verb = "list"
    cut = next((n for n, word in enumerate(rest) if word in PREPOSITIONS), len(rest))
    noun, tail = rest[:cut], rest[cut:]
    while noun and noun[0] in _FILLERS:
        noun = noun[1:]
    asks_id = bool(noun) and noun[-1] in ("id", "ids", "gid")
    while len(noun) > 1 and noun[-1] in _ENDINGS:
        noun = noun[:-1]
    return Name(verb, one(noun), tail, mine, bool(noun) and is_plural(noun[-1]), asks_id)


def own_noun(reading: Reading) -> Words:
    """The noun whose collection or item the operation's path or name is, as far as one can tell
    without knowing which nouns there are; () where that takes knowing."""
    operation = reading.operation
    if not reading.steps:
        name = name_of(reading)
        if name.verb in CREATE | GET | LIST | DELETE | UPDATE or name.verb == "find":
            return name.noun
        return ()
    last = reading.steps[-1]
    if last.arguments:
        return last.noun
    makes = operation.method == "GET" and last.words[:1] != () and last.words[0] in CREATE
    if makes and len(last.words) > 1 and last.words[1] not in PREPOSITIONS:
        return last.noun  # `/bookSeries`: what only reads books nothing
    if last.words[:1] and last.words[0] in (_VERBS if len(last.words) > 1 else NO_NOUNS):
        return ()
    if operation.method in ("GET", "POST") and (is_plural(last.words[-1]) if last.words else False):
        return last.noun
    if len(reading.steps) == 1:
        return last.noun
    return ()
