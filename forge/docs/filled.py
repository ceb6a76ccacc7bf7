"""What a document leaves for the reader to see: the endpoint of one record gives what the list of
them lists, and the `{id}` of a path is of the type that the records' ids have.

Only what is described nowhere is filled in, and only from the same collection.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from forge.docs.drafts import Draft, Told, placeholders
from forge.docs.fields import Field
from forge.docs.names import singular
from forge.types.data import JsonSchema

_Path = tuple[str, ...]
_SAME = re.compile(r"\bsame as\b[^.]{0,60}\b(?:list|above|regular)", re.I)
_SAID = ("description", "examples")


def filled(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, in their order, with what follows from the others."""
    done = [_as_when_replaced(_like_the_list(one, drafts), drafts) for one in drafts]
    records = _records(done)
    return [_typed(_answering(one, records), records) for one in done]


def _parts(draft: Draft) -> _Path:
    return tuple(part for part in draft.path.split("/") if part)


def _is_hole(part: str) -> bool:
    return part[:1] == "{"


def _collection(path: _Path) -> _Path:
    """What a path is of, whatever its placeholders are called."""
    return tuple("{}" if _is_hole(part) else part for part in path)


def _like_the_list(draft: Draft, drafts: Sequence[Draft]) -> Draft:
    """ "Parameters and response are the same as for the list endpoint"."""
    if draft.result is not None or not _SAME.search(draft.description):
        return draft
    parts = _parts(draft)
    for one in drafts:
        if one.method == draft.method and one.result is not None and _parts(one) == parts[:-1]:
            fields = draft.fields or one.fields
            return replace(draft, result=one.result, examples=one.examples, fields=fields)
    return draft


def _as_when_replaced(draft: Draft, drafts: Sequence[Draft]) -> Draft:
    """What must be there when a record is replaced must be there when it is made."""
    parts = _parts(draft)
    if draft.method != "POST" or any(one.field.required for one in draft.fields):
        return draft
    for one in drafts:
        other = _parts(one)
        if one.method == "PUT" and other[:-1] == parts and _is_hole(other[-1]):
            needed = {told.field.name for told in one.fields if told.field.required}
            fields = (
                replace(told, field=replace(told.field, required=told.field.name in needed))
                for told in draft.fields
            )
            return replace(draft, fields=tuple(fields))
    return draft


def _records(drafts: Sequence[Draft]) -> dict[_Path, JsonSchema]:
    """The schema of one record, by collection: what its list lists, or what one of them is."""
    records: dict[_Path, JsonSchema] = {}
    for draft in drafts:
        parts = _parts(draft)
        if draft.method != "GET" or not parts or draft.result is None or _is_hole(parts[-1]):
            continue
        if listed := _listed(draft.result):
            records.setdefault(_collection(parts), listed)
    for draft in drafts:
        parts = _parts(draft)
        if parts and draft.result is not None and draft.result.get("properties"):
            if draft.method == "GET" and _is_hole(parts[-1]):
                records.setdefault(_collection(parts[:-1]), draft.result)
            elif draft.method == "POST" and not _is_hole(parts[-1]):
                records.setdefault(_collection(parts), draft.result)
    return records


def _listed(result: JsonSchema) -> JsonSchema | None:
    """The schema of what a list holds, in an envelope or not."""
    if result.get("type") == "array":
        items = result.get("items", {})
        return items if items.get("properties") else None
    lists = [one for one in result.get("properties", {}).values() if one.get("type") == "array"]
    found = [one["items"] for one in lists if one.get("items", {}).get("properties")]
    return found[0] if len(found) == 1 else None


def _answering(draft: Draft, records: dict[_Path, JsonSchema]) -> Draft:
    parts = _parts(draft)
    if draft.result is not None or not parts or draft.method in ("", "DELETE"):
        return draft
    ends = _is_hole(parts[-1])
    if draft.method == "POST" and not ends:
        record = records.get(_collection(parts))
    else:
        record = records.get(_collection(parts[:-1])) if ends else None
    return replace(draft, result=record) if record else draft


def _typed(draft: Draft, records: dict[_Path, JsonSchema]) -> Draft:
    """With types for what none is said of: placeholders, and filters by a column's name."""
    parts = _parts(draft)
    fields = list(draft.fields)
    own = records.get(_collection(parts), {}).get("properties", {})
    for place, told in enumerate(fields):
        if not told.typed and told.place != "path" and told.field.name in own:
            schema = {**_kind(own[told.field.name]), **told.field.schema}
            schema["type"] = own[told.field.name].get("type", "string")
            fields[place] = replace(told, field=replace(told.field, schema=schema), typed=True)
        elif not told.typed and (shown := _key_told(told, records)):
            schema = {**told.field.schema, **_kind(shown)}
            fields[place] = replace(told, field=replace(told.field, schema=schema), typed=True)
    in_path: list[Told] = []
    for at, part in enumerate(parts):
        for name in placeholders(part) if _is_hole(part) else ():
            record = records.get(_collection(parts[:at]), {}).get("properties", {})
            key = name if name in record else "id" if name.lower().endswith("id") else ""
            known = next((n for n, one in enumerate(fields) if one.field.name == name), None)
            if key not in record or (known is not None and fields[known].typed):
                continue
            about = fields[known].field.schema if known is not None else {}
            schema = {**_kind(record[key]), **{k: about[k] for k in _SAID if k in about}}
            one = Told(Field(name, schema, True), "path", draft.line)
            if known is None:
                in_path.append(one)
            else:
                fields[known] = one
    return replace(draft, fields=(*in_path, *fields))


def _key_told(told: Told, records: dict[_Path, JsonSchema]) -> JsonSchema | None:
    """The key of the records whose id a field is described as: "by bundle id"."""
    said = re.search(r"\b(\w+)[ _]id\b", told.field.schema.get("description", ""), re.I)
    for path, record in records.items():
        if said and singular(path[-1].lower()) == said[1].lower():
            key = record.get("properties", {}).get("id")
            return key if isinstance(key, dict) else None
    return None


def _kind(schema: JsonSchema) -> JsonSchema:
    return {key: schema[key] for key in ("type", "format", "enum", "examples") if key in schema}
