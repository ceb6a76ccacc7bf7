"""Which of the media types on offer is read.

JSON first, then forms, then anything that has a schema: a schema is the same whatever it is
written in. A file is a file only where no other form is on offer.
"""

import re
from dataclasses import dataclass
from typing import Any

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


def chosen(content: dict[str, Json]) -> tuple[str, dict[str, Any]] | None:
    """The media type to read and its object; None where there is none."""
    usable = [(kind, raw) for kind, raw in content.items() if isinstance(raw, dict)]
    for fits in (_JSON.match, lambda kind: kind.startswith("*/"), _FORM.match, lambda _: True):
        for kind, raw in usable:
            if fits(kind) and "schema" in raw:
                return kind, raw
    for kind, raw in usable:
        return kind, raw
    return None
