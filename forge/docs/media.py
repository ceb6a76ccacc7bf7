"""Which of the media types on offer is read.

JSON first, then forms, then anything that has a schema: a schema is the same whatever it is
written in. A file is a file only where no other form is on offer.
"""

import re
from dataclasses import dataclass
from typing import Any

from forge.docs.refs import Documents, Unresolved
from forge.docs.schema import parsed
from forge.types.data import Json

_JSON = re.compile(r"^(application|text)/(.+\+)?json\b", re.IGNORECASE)
_FORM = re.compile(r"^(application/x-www-form-urlencoded|multipart/)", re.IGNORECASE)
_FILE = re.compile(
    r"^(image|audio|video|font)/|^application/(octet-stream|pdf|zip|gzip|x-tar|x-gzip)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Media:
    kind: str
    schema: Json
    """As in the document, with the file it stands in."""
    file: str
    examples: list[Json]

    @property
    def is_binary(self) -> bool:
        if _JSON.match(self.kind) or _FORM.match(self.kind):
            return False
        binary = isinstance(self.schema, dict) and self.schema.get("format") == "binary"
        return binary or bool(_FILE.match(self.kind) and not _is_object(self.schema))


def _is_object(schema: Json) -> bool:
    return isinstance(schema, dict) and ("properties" in schema or "$ref" in schema)


def media_of(content: Json, file: str, documents: Documents) -> Media | None:
    """The media type that is read, of those that a body or response offers."""
    usable = [
        (kind, raw)
        for kind, raw in (content.items() if isinstance(content, dict) else ())
        if isinstance(raw, dict)
    ]
    if not usable:
        return None
    kind, raw = _best(usable)
    examples = [parsed(one) for one in example_values(raw, file, documents)]
    return Media(kind, raw.get("schema"), file, examples)


def example_values(raw: dict[str, Any], file: str, documents: Documents) -> list[Json]:
    """The example of a parameter or media type, or its `examples`, references followed."""
    if "example" in raw:
        return [raw["example"]]
    found = raw.get("examples")
    values = []
    for one in found.values() if isinstance(found, dict) else ():
        try:
            value, _ = documents.follow(one, file)
        except Unresolved:
            continue
        if isinstance(value, dict) and "value" in value:
            values.append(value["value"])
    return values


def _best(usable: list[tuple[str, dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    for fits in (_JSON.match, lambda kind: kind.startswith("*/"), _FORM.match, lambda _: True):
        for kind, raw in usable:
            if fits(kind) and "schema" in raw:
                return kind, raw
    return usable[0]
