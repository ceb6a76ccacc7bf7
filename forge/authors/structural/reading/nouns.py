"""The tools of a list by the noun that they are about, and what picks and places its records.

Always holds: a noun is one that exactly one tool makes; its key is one argument that all tools
which pick a record ask for, and its place is what they all ask for besides.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from forge.authors.structural.reading.reading import Answer, Argument, Reading, read_operation
from forge.authors.structural.reading.routes import CREATE, DELETE, GET, LIST, UPDATE, name_of
from forge.authors.structural.words import Words, is_id, one, split, without_id
from forge.docs.names import argument_names
from forge.types.doc import Parameter

_NUMBERS = ("number", "no", "iid", "key", "slug", "code")
_WRAPPERS = (("update",), ("change",), ("field",), ("data",), ("patch",))
_RANKED = re.compile(
    r"\b(similar\w*|relevan\w+|semantic\w*|rank\w*|nearest|fuzzy)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Call:
    """One tool: what it does, and to what."""

    reading: Reading
    kind: str
    """create, get, list, update, delete, or "" for anything else."""
    noun: Words
    qualified: Words = ()
    """Of a list whose name says whose records: the words before the noun, `user` of
    `get_user_tweets`."""

    def required(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.reading.arguments if a.required)


@dataclass
class Group:
    """The tools of one noun."""

    noun: Words
    calls: list[Call] = field(default_factory=list)
    place: tuple[str, ...] = ()
    """The fields of the arguments that all its tools ask for: where its records are."""
    key: str | None = None
    """The field of the argument that picks one."""
    natural: bool = False

    def of(self, *kinds: str) -> list[Call]:
        return [call for call in self.calls if call.kind in kinds]


def flat(reading: Reading) -> Reading:
    """An update whose new values are in one object, `updates`: they are its arguments."""
    operation = reading.operation
    wrapped = [
        p
        for p in operation.parameters
        if one(split(p.field)) in _WRAPPERS and p.schema.get("properties") and p.required
    ]
    if len(wrapped) != 1 or name_of(reading).verb not in UPDATE:
        return reading
    defs = wrapped[0].schema.get("$defs")
    fields = list(wrapped[0].schema["properties"].items())
    names = argument_names([(name, "body") for name, _ in fields], "")
    inner = [
        Parameter(
            name=argument,
            field=name,
            location="body",
            schema={**schema, "$defs": defs} if defs else schema,
            description=schema.get("description", ""),
        )
        for argument, (name, schema) in zip(names, fields, strict=True)
    ]
    rest = tuple(p for p in operation.parameters if p is not wrapped[0])
    if {p.name for p in rest} & set(names):
        return reading
    made = replace(operation, parameters=(*rest, *inner))
    return replace(read_operation(made), called=reading.called)


def call_of(reading: Reading) -> Call:
    name = name_of(reading)
    reading = _all_of(reading) if name.plural else reading
    listed = reading.answer.kind == "list" or (reading.answer.kind != "record" and name.plural)
    kind = ""
    if name.verb in CREATE | {"send"}:
        kind = "create"
    elif name.verb in LIST or (name.verb in GET | {"find"} and listed):
        kind = "list"
    elif name.verb in GET | {"find"} and not name.asks_id:
        kind = "get"
    elif name.verb in UPDATE | {"patch", "replace"}:
        kind = "update"
    elif name.verb in DELETE:
        kind = "delete"
    reading = with_values(reading) if kind == "list" else reading
    if name.noun[:1] == ("or",):
        kind, reading = "", replace(reading, odd="makes or changes, by what is there already")
    elif kind == "list" and _RANKED.search(reading.operation.description):
        reading = replace(reading, odd="finds by likeness, and nothing shows how that is counted")
    return Call(reading, kind, name.noun)


def with_values(reading: Reading) -> Reading:
    """A list's answer that holds nothing but plain values, `{"keys": […]}`: it is those."""
    whole = reading.answer.whole
    if reading.answer.kind != "record" or whole is None or len(whole.names()) != 1:
        return reading
    [name] = whole.names()
    item = whole.property(name).items() if whole.property(name).type == "array" else None
    if item is None or item.type not in ("string", "integer"):
        return reading
    return replace(reading, answer=Answer("values", item, (name,), whole))


def _all_of(reading: Reading) -> Reading:
    """A tool that says it answers all records, and is documented with one: with a list of it."""
    operation = reading.operation
    needs = any(a.required for a in reading.arguments) or with_values(reading) is not reading
    said_all = re.match(r"^\W*\w+ (?:all|the list of)\b", operation.description, re.IGNORECASE)
    if needs or not said_all or reading.answer.kind != "record" or reading.answer.path:
        return reading
    result = operation.result or {}
    items = {k: v for k, v in result.items() if k != "$defs"}
    defs = {"$defs": result["$defs"]} if "$defs" in result else {}
    made = replace(operation, result={"type": "array", "items": items, **defs})
    return replace(read_operation(made), called=reading.called)


def groups_of(calls: Iterable[Call]) -> dict[Words, Group]:
    """The nouns that a tool makes, with all tools about them, their keys and places."""
    found = list(calls)
    listed = {call.noun[-1:]: call.noun for call in found if call.kind == "list" and call.noun}
    found = [
        replace(call, kind="create", noun=listed[call.reading.words])
        if call.reading.words in listed  # `comment`, beside `get_tweet_comments`
        else call
        for call in found
    ]
    found = [replace(call, kind="") if _is_done_to(call) else call for call in found]
    made = {call.noun for call in found if call.kind == "create" and call.noun}
    groups = {noun: Group(noun) for noun in made}
    for call in found:
        noun = _noun_in(call, made)
        if noun is not None and call.kind:
            before = () if _lists_values(call, noun) else call.noun[: len(call.noun) - len(noun)]
            groups[noun].calls.append(replace(call, qualified=before))
    kept = {}
    for call in found:  # in the order of the document
        group = groups.get(call.noun)
        if group is not None and group.noun not in kept and _settle(group):
            kept[group.noun] = group
    return kept


def _noun_in(call: Call, made: set[Words]) -> Words | None:
    """The noun that a tool is about: its own, or for a list what its name ends in
    (`get_user_tweets`), and for one of plain values what stands before (`list_note_titles`)."""
    if call.noun in made:
        return call.noun
    if _lists_values(call, call.noun[:-1]) and call.noun[:-1] in made:
        return call.noun[:-1]
    if call.kind == "list":
        for start in range(1, len(call.noun)):
            if call.noun[start:] in made:
                return call.noun[start:]
    return None


def _lists_values(call: Call, noun: Words) -> bool:
    alone = call.kind == "list" and call.reading.answer.kind == "values"
    return alone and call.noun[:-1] == noun


def _settle(group: Group) -> bool:
    """Finds the key and the place; False where its tools contradict each other."""
    creates = group.of("create")
    picks = [call for call in group.of("get", "update", "delete") if call.required()]
    if len(creates) != 1:
        return False
    given = {a.field for a in creates[0].required()}
    by_key = [call for call in picks if not _looks_up(call, group.noun)]
    if any(is_own_key(field, group.noun) for field in _shared(by_key, group.noun)):
        picks = by_key
    shared = _shared(picks, group.noun)
    if picks:
        own = [f for f in shared if is_own_key(f, group.noun) and f not in given]
        if not own:
            own = [f for f in shared if _is_natural(f, group, picks, given)]
            group.natural = bool(own)
        if len(own) != 1:
            return False
        group.key = own[0]
    lists = [
        {a.field for a in c.required()}
        for c in group.of("list")
        if not c.qualified and name_of(c.reading).verb not in ("search", "query")
    ]
    around = [f for f in shared if f != group.key and f in given and all(f in o for o in lists)]
    if not picks and lists:
        around = [a.field for a in creates[0].required() if all(a.field in o for o in lists)]
    group.place = tuple(around)
    return True


def _is_done_to(call: Call) -> bool:
    """Whether what would make a record is done to one that is there: `open_task(task_id)`."""
    asked = [a.field for a in call.required()]
    opens = call.kind == "create" and call.reading.words[:1] == ("open",)
    return opens and len(asked) == 1 and is_id(asked[0]) and without_id(asked[0]) == call.noun


def _shared(picks: list[Call], noun: Words) -> list[str]:
    """The fields that all of them ask for."""
    shared = [a.field for a in picks[0].required()] if picks else []
    for pick in picks[1:]:
        asked = {_same(a.field, noun) for a in pick.required()}
        shared = [f for f in shared if _same(f, noun) in asked]
    return shared


def _looks_up(call: Call, noun: Words) -> bool:
    """Whether it finds a record by something that is not its key: `get_user_by_name(username)`."""
    asks = any(is_own_key(a.field, noun) for a in call.required())
    return call.kind == "get" and "by" in call.reading.words and not asks


def _same(name: str, noun: Words) -> Words:
    """`id` and `issue_id` of an issue are one."""
    return ("id",) if is_id(name) and without_id(name) in ((), noun) else split(name)


def is_own_key(name: str, noun: Words) -> bool:
    """`id`, `issue_id`, `issue_number`, `pull_number` of a pull request."""
    words = split(name)
    if is_id(name):
        rest = without_id(name)
        return rest in ((), noun, noun[-1:], noun[:1]) or words[:-1] == ("vec",)
    return len(words) > 1 and words[-1] in _NUMBERS and words[:-1] in (noun, noun[-1:], noun[:1])


def _is_natural(name: str, group: Group, picks: list[Call], given: set[str]) -> bool:
    """`key` of what is stored under one; `title` where `view_reminder_by_title` picks by it."""
    words = split(name)
    if name not in given:
        return False
    by_name = any(c.reading.words[-len(words) - 1 :] == ("by", *words) for c in picks)
    return (
        by_name
        or words in (("key",), ("name",), ("slug",), ("code",))
        or (words[-1:] == ("name",) and words[:-1] == group.noun)
    )


def place_from_others(group: Group, places: set[tuple[str, ...]]) -> None:
    """Where only one tool is about a noun, it is in the place that other records are in."""
    if group.place or len(group.calls) > 1:
        return
    asked = {a.field for a in group.calls[0].required()}
    fitting = [place for place in places if set(place) <= asked]
    if fitting:
        group.place = max(fitting, key=lambda place: (len(place), place))


def is_key(argument: Argument, group: Group) -> bool:
    return group.key is not None and (
        argument.field == group.key
        or (argument.required and _same(argument.field, group.noun) == _same(group.key, group.noun))
    )


def parent_of(argument: Argument, groups: dict[Words, Group]) -> Group | None:
    """The noun whose key an argument is: `issue_number` of an issue."""
    for group in groups.values():
        told = group.key is not None and not group.natural and split(argument.field) != ("id",)
        if told and (argument.field == group.key or is_own_key(argument.field, group.noun)):
            return group
    return None
