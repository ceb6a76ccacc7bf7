"""Tools without paths, read as if they had the paths that their names and arguments tell.

`create_issue(owner, repo, title)`, `get_issue(owner, repo, issue_number)` and `list_issues(owner,
repo, state)` are `POST /repos/{owner}/{repo}/issues`, `GET …/issues/{issue_number}` and
`GET …/issues`; what a record holds is what they take and answer together (`told.py`).

Always holds: only the tools of nouns that some tool makes, and that no schema of the document has a
name for, are read so; a tool keeps its name and its arguments; what an argument is for is decided
by all tools of its noun, never by one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from forge.authors.structural.columns import is_id, without_id
from forge.authors.structural.reading import Argument, Reading, read_operation
from forge.authors.structural.routes import CREATE, DELETE, GET, LIST, UPDATE, name_of
from forge.authors.structural.told import Told, is_keepable, is_note, record_of
from forge.authors.structural.words import Words
from forge.authors.structural.words import a as a_
from forge.authors.structural.words import many, one, said, snake, split
from forge.docs.names import argument_names
from forge.docs.schema import reference_to
from forge.types.data import JsonSchema
from forge.types.doc import Location, Parameter

_METHODS = {"create": "POST", "get": "GET", "list": "GET", "update": "PATCH", "delete": "DELETE"}
_NUMBERS = ("number", "no", "iid", "key", "slug", "code")
_WRAPPERS = (("update",), ("change",), ("field",), ("data",), ("patch",))
_RANKED = re.compile(
    r"\b(similar\w*|relevan\w+|semantic\w*|rank\w*|nearest|fuzzy)\b", re.IGNORECASE
)
_PAID = frozenset(("payment", "payments", "card", "pay", "charge"))


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


def as_resources(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings; those of nouns that are understood have a method, steps and an answer."""
    if any(r.operation.path or r.operation.entity for r in readings):
        return readings
    calls = [_call(r) for r in map(_flat, readings) if not r.odd]
    groups = _groups(calls)
    places = {group.place for group in groups.values() if group.place}
    for group in groups.values():
        _place_from_others(group, places)
    routed = {
        call.reading.operation.name: replace(call.reading, odd=call.reading.odd or _why_not(call))
        if call.kind
        else call.reading
        for call in calls
    }
    for group in groups.values():
        told = record_of(_told_by(group, groups))
        if not _is_shown(group, groups, told):
            continue
        for call in group.calls:
            routed[call.reading.operation.name] = _routed(call, group, groups, told)
    return tuple(routed.get(r.operation.name, r) for r in readings)


def _is_shown(group: Group, groups: dict[Words, Group], told: JsonSchema) -> bool:
    """Whether the tools show a kind of record: all that a new one must be given can be kept, and
    something else is done with it, or it is in another record that is shown."""
    columns = (
        {*told["properties"]} - {*told["required"][:1]} if group.key else {*told["properties"]}
    )
    if group.natural:
        columns = {*told["properties"]} - {group.key}
    kept = [name for name in columns if is_keepable(told["properties"][name])]
    [create] = group.of("create")
    outer = _outer_fields(group, groups)
    around = {*group.place, *outer}
    lost = [
        a
        for a in create.required()
        if a.field not in around
        and not is_keepable(told["properties"].get(_column(a.field, group, told), {}))
    ]
    if lost or not kept:
        return False
    inside = any(_parent_of(a, groups) for a in create.required() if a.field in outer)
    others = [c for c in group.calls if c is not create and _works(c, group, told)]
    return bool(others) or inside


def _works(call: Call, group: Group, told: JsonSchema) -> bool:
    """Whether what a tool must be given is where, which, or a value of the record."""
    known = {*group.place, *told["properties"]}
    return not call.reading.odd and all(
        a.field in known or _is_key(a, group) or _column(a.field, group, told) in known
        for a in call.required()
    )


def _why_not(call: Call) -> str:
    noun = said(call.noun) or "what it is about"
    return f"is about {noun}, and the tools together do not show what a record of it holds"


def _flat(reading: Reading) -> Reading:
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


# ------------------------------------------------------------------- grouping


def _call(reading: Reading) -> Call:
    name = name_of(reading)
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
    if name.noun[:1] == ("or",):
        kind, reading = "", replace(reading, odd="makes or changes, by what is there already")
    elif kind == "list" and _RANKED.search(reading.operation.description):
        reading = replace(reading, odd="finds by likeness, and nothing shows how that is counted")
    return Call(reading, kind, name.noun)


def _groups(calls: Iterable[Call]) -> dict[Words, Group]:
    """The nouns that a tool makes, with all tools about them, their keys and places."""
    found = list(calls)
    made = {call.noun for call in found if call.kind == "create" and call.noun}
    groups = {noun: Group(noun) for noun in made}
    for call in found:
        noun = _noun_in(call, made)
        if noun is not None and call.kind:
            before = call.noun[: len(call.noun) - len(noun)]
            groups[noun].calls.append(replace(call, qualified=before))
    kept = {}
    for call in found:  # in the order of the document
        group = groups.get(call.noun)
        if group is not None and group.noun not in kept and _settle(group):
            kept[group.noun] = group
    return kept


def _noun_in(call: Call, made: set[Words]) -> Words | None:
    """The noun that a tool is about: its own, or for a list what its name ends in
    (`get_user_tweets`)."""
    if call.noun in made:
        return call.noun
    if call.kind == "list":
        for start in range(1, len(call.noun)):
            if call.noun[start:] in made:
                return call.noun[start:]
    return None


def _settle(group: Group) -> bool:
    """Finds the key and the place; False where its tools contradict each other."""
    creates = group.of("create")
    picks = [call for call in group.of("get", "update", "delete") if call.required()]
    if len(creates) != 1:
        return False
    given = {a.field for a in creates[0].required()}
    shared = [a.field for a in picks[0].required()] if picks else []
    for pick in picks[1:]:
        asked = {_same(a.field, group.noun) for a in pick.required()}
        shared = [f for f in shared if _same(f, group.noun) in asked]
    if picks:
        own = [f for f in shared if _is_own_key(f, group.noun) and f not in given]
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


def _same(name: str, noun: Words) -> Words:
    """`id` and `issue_id` of an issue are one."""
    return ("id",) if is_id(name) and without_id(name) in ((), noun) else split(name)


def _is_own_key(name: str, noun: Words) -> bool:
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


def _place_from_others(group: Group, places: set[tuple[str, ...]]) -> None:
    """Where only one tool is about a noun, it is in the place that other records are in."""
    if group.place or len(group.calls) > 1:
        return
    asked = {a.field for a in group.calls[0].required()}
    fitting = [place for place in places if set(place) <= asked]
    if fitting:
        group.place = max(fitting, key=lambda place: (len(place), place))


def _told_by(group: Group, groups: dict[Words, Group]) -> Told:
    """What the tools of a noun take and answer, but for what only says where and which."""
    apart = {*group.place, *_outer_fields(group, groups)}
    taken = []
    for call in group.of("create", "update"):
        own = {a.name for a in call.reading.arguments if _is_key(a, group)}
        taken.append(
            (
                call.kind,
                tuple(
                    a
                    for a in call.reading.arguments
                    if a.field not in apart and (a.name not in own or group.natural)
                ),
            )
        )
    shown = tuple(
        call.reading.answer
        for kind in ("get", "list", "create")
        for call in group.of(kind)
        if call.reading.answer.kind in ("record", "list") and not call.reading.odd
    )
    filters = tuple(
        a for c in group.of("list") for a in c.reading.arguments if a.field not in apart
    )
    key = next((a for c in group.calls for a in c.reading.arguments if _is_key(a, group)), None)
    return Told(tuple(taken), shown, filters, key, group.natural)


def _is_key(argument: Argument, group: Group) -> bool:
    return group.key is not None and (
        argument.field == group.key
        or (argument.required and _same(argument.field, group.noun) == _same(group.key, group.noun))
    )


# -------------------------------------------------------------------- routing


def _outer_fields(group: Group, groups: dict[Words, Group]) -> list[str]:
    """Required arguments of a create that are the id of another record: what it is made in."""
    found = []
    for call in group.of("create"):
        for argument in call.required():
            bare = without_id(argument.field) if is_id(argument.field) else ()
            parent = _parent_of(argument, groups)
            outer = parent is not None and parent is not group
            if argument.field not in group.place and (outer or (bare and bare != group.noun)):
                found.append(argument.field)
    return found


def _parent_of(argument: Argument, groups: dict[Words, Group]) -> Group | None:
    """The noun whose key an argument is: `issue_number` of an issue."""
    for group in groups.values():
        told = group.key is not None and not group.natural and split(argument.field) != ("id",)
        if told and (argument.field == group.key or _is_own_key(argument.field, group.noun)):
            return group
    return None


def _routed(call: Call, group: Group, groups: dict[Words, Group], told: JsonSchema) -> Reading:
    """The tool with the path that it would have; odd where its arguments do not say it."""
    reading, operation = call.reading, call.reading.operation
    by_field = {a.field: a for a in reading.arguments}
    if reading.odd:
        return reading
    if call.kind == "list" and any(_is_key(a, group) for a in call.required()):
        return replace(reading, odd=f"gives what is in {a_(group.noun)}, which nothing shows")
    if call.qualified and not any(a.field in told["properties"] for a in call.required()):
        who = said(call.qualified)
        return replace(reading, odd=f"does not show which records are of a {who}")
    if call.kind == "create" and any(set(a.words) & _PAID for a in reading.arguments):
        return replace(reading, odd="is paid for, and nothing shows what that changes")
    if not set(group.place) <= {a.field for a in call.required()}:
        return replace(reading, odd=f"asks for no {said(split(group.place[-1]))}")
    path = _placed(group.place, groups)
    in_path = list(group.place)
    picked = next((a for a in reading.arguments if _is_key(a, group)), None)
    if call.kind == "create":
        for name in _outer_fields(group, groups):
            if name in by_field:
                parent = _parent_of(by_field[name], groups)
                noun = parent.noun if parent is not None else without_id(name)
                path += f"/{_text(noun)}/{{{name}}}"
                in_path.append(name)
    path += f"/{_text(group.noun)}"
    if call.kind in ("get", "update", "delete"):
        if picked is None:
            return replace(reading, odd=f"does not say which {said(group.noun)}")
        path += f"/{{{picked.field}}}"
        in_path.append(picked.field)
    where: Location = "query" if call.kind in ("get", "list", "delete") else "body"
    parameters = []
    for one_ in operation.parameters:
        location: Location = "path" if one_.field in in_path else where
        schema = _as_key(one_) if one_.field in in_path else one_.schema
        name = one_.field if one_.field in in_path else _column(one_.field, group, told)
        parameters.append(replace(one_, location=location, schema=schema, field=name))
    made = replace(
        operation,
        method=_METHODS[call.kind],
        path=path,
        parameters=tuple(parameters),
        **_answered(call, group, told),
    )
    called = ("create", *group.noun) if call.kind == "create" else reading.called
    read = replace(read_operation(made), called=called)
    if is_note(read.answer.shape):
        return replace(read, answer=replace(read.answer, kind="empty"))
    return read


def _column(name: str, group: Group, told: JsonSchema) -> str:
    """The property that an argument is, where their names differ by a word that says no more:
    `new_text` is the text, `comment_content` the content of a comment."""
    if name in told["properties"]:
        return name
    words = split(name)
    for rest in (words[1:] if words[:1] == ("new",) else (), words[len(group.noun) :]):
        known = next((p for p in told["properties"] if split(p) == rest), None)
        if known is not None and (words[0] == "new" or words[: len(group.noun)] == group.noun):
            return known
    return name


def _placed(place: tuple[str, ...], groups: dict[Words, Group]) -> str:
    """`/repos/{owner}/{repo}`: the last of them names what they are in; `/repos/{owner}/{repo}/
    issues/{issue_number}` where that is a record in a place of its own."""
    if not place:
        return ""
    for group in groups.values():
        if _is_own_key(place[-1], group.noun) and group.place == place[:-1] and group.key:
            return f"{_placed(group.place, groups)}/{_text(group.noun)}/{{{place[-1]}}}"
    noun = without_id(place[-1]) if is_id(place[-1]) else one(split(place[-1]))
    return f"/{_text(noun)}/" + "/".join(f"{{{name}}}" for name in place)


def _text(noun: Words) -> str:
    return snake(many(noun))


def _as_key(parameter: Parameter) -> JsonSchema:
    """A number that picks a record is a whole one."""
    if parameter.schema.get("type") == "number":
        return {**parameter.schema, "type": "integer"}
    return parameter.schema


def _answered(call: Call, group: Group, told: JsonSchema) -> dict[str, Any]:
    """The answer and what it is a record of: as documented, else the whole record."""
    answer, result = call.reading.answer, call.reading.operation.result
    name = "".join(word.capitalize() for word in group.noun)
    definitions = told.get("$defs", {})
    record = {k: v for k, v in told.items() if k != "$defs"}
    if call.kind == "delete" or (answer.kind != "none" and is_note(answer.shape)):
        return {}
    if answer.kind == "none" and call.kind == "list":
        listed = {"type": "array", "items": {"$ref": reference_to(name)}}
        return {"result": {**listed, "$defs": {**definitions, name: record}}, "entity": name}
    if answer.kind == "none":
        return {"result": told, "entity": name}
    if answer.kind == "record" and call.kind != "list" and result is not None:
        shown = result.get("properties", {})
        if answer.path or not set(shown) & set(record["properties"]):
            return {}
        key = next(iter(record["required"]), None)
        if call.kind == "get" and key is not None and key not in shown:
            shown = {key: record["properties"][key], **shown}
        return {"result": {**result, "properties": shown}, "entity": name}
    return {}
