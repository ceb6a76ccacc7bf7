"""What a reader of prose understood of an operation, and how that becomes one of an `ApiDoc`."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from forge.docs.fields import Field
from forge.docs.names import argument_names, tool_names
from forge.docs.normal import Schemas
from forge.docs.schema import fitted
from forge.docs.text import first_sentence, line
from forge.docs.transport import carries
from forge.types.data import Json, JsonSchema
from forge.types.doc import Hints, Location, Operation, Parameter

PLACES: dict[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "body": "body",
    "json": "body",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A field, where it is said to go (empty where that is not said), and its line."""

    field: Field
    place: str
    line: int
    typed: bool = True
    """Whether the document says its type."""
    optional: bool = False
    """Whether the document says that it need not be there."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An operation. The schemas are raw, as they would stand in OpenAPI."""

    line: int
    method: str
    path: str
    name: str
    """What the document calls it; empty where it is known by method and path."""
    title: str = ""
    description: str = ""
    tag: str = ""
    fields: tuple[Told, ...] = ()
    result: JsonSchema | None = None
    failures: dict[str, str] = field(default_factory=dict)
    examples: tuple[Json, ...] = ()
    hints: Hints | None = None


def placeholders(path: str) -> list[str]:
    return re.findall(r"\{([^{}/]+)\}", path)


def operations_of(
    drafts: Sequence[tuple[str, Draft]], schemas: Schemas, tell: Callable[[str, str], None]
) -> Iterator[Operation]:
    """The operations of drafts, each with the file it stands in, in their order; `tell(where,
    reason)` reports a part that was not understood."""
    names = tool_names([(one.name, one.method, one.path) for _, one in drafts])
    main = schemas.documents.main
    for (file, draft), name in zip(drafts, names, strict=True):
        result = schemas.whole(draft.result, main) if draft.result is not None else None
        told = line(draft.title) or first_sentence(draft.description)
        yield Operation(
            name=name,
            method=draft.method,
            path=draft.path,
            summary=told or name.replace("_", " "),
            description=draft.description,
            parameters=tuple(_parameters(draft, schemas, file, tell)),
            result=result,
            tags=(draft.tag,) if draft.tag else (),
            failures=draft.failures,
            entity=schemas.named(draft.result, main) if result is not None else None,
            examples=tuple(fitted(one, result) for one in draft.examples) if result else (),
            hints=draft.hints,
            where=f"{file}:{draft.line}",
        )


def _parameters(
    draft: Draft, schemas: Schemas, file: str, tell: Callable[[str, str], None]
) -> Iterator[Parameter]:
    told = list(draft.fields)
    in_path = placeholders(draft.path)
    known = {one.field.name for one in told}
    for name in in_path:
        if name not in known:
            reason = f'"{line(name)}" of the path is not described; taken as text'
            tell(f"{file}:{draft.line}", reason)
            told.append(Told(Field(name, {"type": "string"}, True), "path", draft.line))
    seen: set[tuple[str, str]] = set()
    placed: list[tuple[Told, Location]] = []
    for one in told:
        location = _place(one, draft.method, in_path)
        if carries(one.field.name, location):
            continue
        if (one.field.name, location) in seen:
            reason = f'"{line(one.field.name)}" is there twice; the first counts'
            tell(f"{file}:{one.line}", reason)
            continue
        seen.add((one.field.name, location))
        placed.append((one, location))
    named = argument_names([(one.field.name, place) for one, place in placed], draft.path)
    for (one, location), name in zip(placed, named, strict=True):
        schema = schemas.whole(one.field.schema, schemas.documents.main)
        yield Parameter(
            name=name,
            field=one.field.name,
            location=location,
            schema=schema,
            required=one.field.required or location == "path",
            description=schema.get("description", ""),
        )


def _place(told: Told, method: str, in_path: Collection[str]) -> Location:
    if told.field.name in in_path and told.place in ("", "path"):
        return "path"
    if told.place in PLACES and told.place != "path":
        return PLACES[told.place]
    return "query" if method in ("GET", "DELETE") else "body"


def at(told: Told, place: str) -> Told:
    """The same at this place, where it does not say one itself."""
    return replace(told, place=told.place or place)


@dataclass(frozen=True, slots=True)
class Understood:
    """What one text says. `skipped`: a line, and why what stands there was not understood."""

    title: str
    description: str
    drafts: tuple[Draft, ...]
    objects: dict[str, JsonSchema]
    skipped: tuple[tuple[int, str], ...]
    base: str = ""
    """The URL that all its paths stand below, where it is written with them."""
