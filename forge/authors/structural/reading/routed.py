"""Tools without paths, read as if they had the paths that their names and arguments tell.

`create_issue(owner, repo, title)`, `get_issue(owner, repo, issue_number)` and `list_issues(owner,
repo, state)` are `POST /repos/{owner}/{repo}/issues`, `GET …/issues/{issue_number}` and
`GET …/issues`; what a record holds is what they take and answer together (`told.py`).

Always holds: only the tools of nouns that some tool makes, and that no schema of the document has a
name for, are read so; a tool keeps its name and its arguments; what an argument is for is decided
by all tools of its noun, never by one.
"""

import re
from dataclasses import replace
from typing import Any

from forge.authors.structural.reading.nouns import (
    Call,
    Group,
    call_of,
    flat,
    groups_of,
    is_key,
    is_own_key,
    parent_of,
    place_from_others,
    with_values,
)
from forge.authors.structural.reading.reading import Reading, read_operation
from forge.authors.structural.reading.told import Told, column_in, is_keepable, is_note, record_of
from forge.authors.structural.reading.wholes import with_wholes
from forge.authors.structural.words import Words, is_id, many, one, said, snake, split, without_id
from forge.docs.schema import reference_to
from forge.types.data import JsonSchema
from forge.types.doc import Location, Parameter

_METHODS = {"create": "POST", "get": "GET", "list": "GET", "update": "PATCH", "delete": "DELETE"}
_MAKERS = frozenset({("username",), ("author",), ("creator",), ("created", "by"), ("poster",)})
_SIGNED = re.compile(r"\b(authenticated|current|logged[- ]in|signed[- ]in) user\b", re.IGNORECASE)
_PAID = frozenset(("payment", "payments", "card", "pay", "charge"))


def as_resources(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings; those of nouns that are understood have a method, steps and an answer."""
    if any(r.operation.path or r.operation.entity for r in readings):
        return readings
    calls = [call_of(r) for r in map(flat, with_wholes(readings)) if not r.odd]
    groups = groups_of(calls)
    places = {group.place for group in groups.values() if group.place}
    for group in groups.values():
        place_from_others(group, places)
    routed = {
        call.reading.operation.name: replace(call.reading, odd=call.reading.odd or _why_not(call))
        if call.kind
        else call.reading
        for call in calls
    }
    for group in groups.values():
        told = record_of(_told_by(group, _inside(group, groups)))
        if not _is_shown(group, groups, told):
            continue
        for call in group.calls:
            routed[call.reading.operation.name] = _routed(call, group, groups, told)
    return tuple(_noted(routed.get(r.operation.name, r)) for r in readings)


def _is_shown(group: Group, groups: dict[Words, Group], told: JsonSchema) -> bool:
    """Whether the tools show a kind of record: all that a new one must be given can be kept, and
    something else is done with it, or it is in another record that is shown."""
    properties = told["properties"]
    [create] = group.of("create")
    if any(set(a.words) & _PAID for a in create.reading.arguments):
        return False  # it is paid for, and nothing shows what that changes
    outer = _outer_fields(group, groups)
    for argument in create.required():
        column = column_in(argument.field, group.noun, properties)
        if argument.field not in (*group.place, *outer) and not is_keepable(
            properties.get(column, {})
        ):
            return False
    keys = [name for name in properties if name == group.key or split(name) == ("id",)]
    if len(keys) > 1 or not any(is_keepable(properties[n]) for n in properties if n not in keys):
        return False
    inside = any(parent_of(a, groups) for a in create.required() if a.field in outer)
    return inside or any(_works(c, group, told) for c in group.calls if c is not create)


def _works(call: Call, group: Group, told: JsonSchema) -> bool:
    """Whether what a tool must be given is where, which, or a value of the record."""
    known = {*group.place, *told["properties"]}
    return not call.reading.odd and all(
        a.field in known
        or is_key(a, group)
        or column_in(a.field, group.noun, told["properties"]) in known
        for a in call.required()
    )


def _why_not(call: Call) -> str:
    noun = said(call.noun) or "what it is about"
    return f"is about {noun}, and the tools together do not show what a record of it holds"


def _told_by(group: Group, inside: set[str]) -> Told:
    """What the tools of a noun take and answer, but for what only says where and which."""
    apart = {*group.place, *inside}
    taken = []
    for call in group.of("create", "update"):
        own = {a.name for a in call.reading.arguments if is_key(a, group)}
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
    key = next((a for c in group.calls for a in c.reading.arguments if is_key(a, group)), None)
    return Told(group.noun, tuple(taken), shown, filters, key, group.natural)


def _outer_fields(group: Group, groups: dict[Words, Group]) -> list[str]:
    """Required arguments of a create that are the id of another record: what it is made in."""
    found = []
    for call in group.of("create"):
        for argument in call.required():
            bare = without_id(argument.field) if is_id(argument.field) else ()
            parent = parent_of(argument, groups)
            outer = parent is not None and parent is not group
            if argument.field not in group.place and (outer or (bare and bare != group.noun)):
                found.append(argument.field)
    return found


def _inside(group: Group, groups: dict[Words, Group]) -> set[str]:
    """Of those, the keys that only count within a place: all of it is the record's."""
    [create] = group.of("create")
    outer = _outer_fields(group, groups)
    parents = {a.field: parent_of(a, groups) for a in create.required() if a.field in outer}
    return {name for name, parent in parents.items() if parent is not None and parent.place}


def _routed(call: Call, group: Group, groups: dict[Words, Group], told: JsonSchema) -> Reading:
    """The tool with the path that it would have; odd where its arguments do not say it."""
    reading, operation = call.reading, call.reading.operation
    by_field = {a.field: a for a in reading.arguments}
    if reading.odd:
        return reading
    signer = _signer(group, told)
    if call.kind == "create" and signer and not _is_signed(groups):
        return replace(reading, odd=f"does not show the {said(split(signer))} of a new record")
    if call.kind == "list" and any(is_key(a, group) for a in call.required()):
        return replace(reading, odd=f"gives what is in one {said(group.noun)}, which nothing shows")
    whose: tuple[str, str] | None = None
    mine = call.kind == "list" and bool(signer) and bool(_SIGNED.search(operation.description))
    if call.qualified and not any(a.field in told["properties"] for a in call.required()):
        whose = _whose(call, told)
        if whose is None and not mine:
            who = said(call.qualified)
            return replace(reading, odd=f"does not show which records are of a {who}")
        mine = whose is None
    if not set(group.place) <= {a.field for a in call.required()}:
        return replace(reading, odd=f"asks for no {said(split(group.place[-1]))}")
    path = _placed(group.place, groups)
    in_path = list(group.place)
    picked = next((a for a in reading.arguments if is_key(a, group)), None)
    if call.kind == "create":
        for name in _outer_fields(group, groups):
            if name in by_field:
                parent = parent_of(by_field[name], groups)
                noun = parent.noun if parent is not None else without_id(name)
                path += f"/{_text(noun)}/{{{name}}}"
                in_path.append(name)
    path += f"/me/{_text(group.noun)}" if mine else f"/{_text(group.noun)}"
    if call.kind in ("get", "update", "delete"):
        if picked is None:
            return replace(reading, odd=f"does not say which {said(group.noun)}")
        path += f"/{{{picked.field}}}"
        in_path.append(picked.field)
    where: Location = "query" if call.kind in ("get", "list", "delete") else "body"
    parameters = []
    for parameter in operation.parameters:
        if parameter.field in in_path:
            schema = _as_key(parameter)
            parameters.append(replace(parameter, location="path", schema=schema))
            continue
        column = column_in(parameter.field, group.noun, told["properties"])
        if whose is not None and parameter.field == whose[0]:
            parameters.append(replace(parameter, location=where, field=whose[1], required=True))
            continue
        if where == "query" or parameter.required or column in told["properties"]:
            parameters.append(replace(parameter, location=where, field=column))
    made = replace(
        operation,
        method=_METHODS[call.kind],
        path=path,
        parameters=tuple(parameters),
        **_answered(call, group, told),
    )
    called = ("create", *group.noun) if call.kind == "create" else reading.called
    signer = signer if _is_signed(groups) else ""
    read = replace(read_operation(made), called=called, signer=signer)
    return with_values(read) if call.kind == "list" else read


def _noted(reading: Reading) -> Reading:
    if not is_note(reading.answer.shape):
        return reading
    return replace(reading, answer=replace(reading.answer, kind="note"))


_TIES = (("assigned", "assign"), ("created", "creat"), ("owned", "own"))


def _whose(call: Call, told: JsonSchema) -> tuple[str, str] | None:
    """The argument and the property that say whose records a list answers: `userId` and
    `assigneeId` of "issues assigned to a user". Without the argument it would be those of who
    asks, so it is asked for."""
    text = call.reading.operation.description.lower()
    arguments = [a.field for a in call.reading.arguments if without_id(a.field) == call.qualified]
    columns = {
        name
        for hint, stem in _TIES
        if f"{hint} " in text
        for name in told["properties"]
        if is_id(name) and split(name)[0].startswith(stem)
    }
    if len(arguments) != 1 or len(columns) != 1:
        return None
    return arguments[0], columns.pop()


def _signer(group: Group, told: JsonSchema) -> str:
    """The property that says who made a record, where no tool is given it: its maker is whoever is
    signed in."""
    create = group.of("create")[0]
    given = {column_in(a.field, group.noun, told["properties"]) for a in create.reading.arguments}
    for name, schema in told["properties"].items():
        words = split(name)
        if name not in given and words in _MAKERS and schema.get("type") == "string":
            return str(name)
    return ""


def _is_signed(groups: dict[Words, Group]) -> bool:
    """Whether the tools speak of who is signed in."""
    calls = [call for group in groups.values() for call in group.calls]
    return any(_SIGNED.search(call.reading.operation.description) for call in calls)


def _placed(place: tuple[str, ...], groups: dict[Words, Group]) -> str:
    """`/repos/{owner}/{repo}`: the last of them names what they are in; `/repos/{owner}/{repo}/
    issues/{issue_number}` where that is a record in a place of its own."""
    if not place:
        return ""
    for group in groups.values():
        if is_own_key(place[-1], group.noun) and group.place == place[:-1] and group.key:
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
        if call.kind == "get" and key is not None and key not in shown:  # of the record, not shown
            shown = {key: {**record["properties"][key], "writeOnly": True}, **shown}
        return {"result": {**result, "properties": shown}, "entity": name}
    return {}
