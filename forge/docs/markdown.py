"""API documents in Markdown, in the form that the project's own documents have.

    # TITLE                      then prose: the description
    ## Objects                   (or Types, Schemas, Models): a heading below it is an object
    ### Project                  prose, then its fields
    ## ANYTHING                  a group: the tag of the operations below it
    ### create_project           an operation: a function name (with `_`, a capital inside, `()`,
                                 or in code), or METHOD /path
    prose                        its first sentence is the summary
    fields                       its parameters, after a line "Parameters:" or none
    Returns …                    nothing | `Project` | a list of `Project` | a TYPE | an object:
                                 with fields below
    Errors:                      bullets: - `not_found`: when (or a status code)
    ```json                      an example of the result

Fields are a table (Field, Parameter or Name; Type; Required; Default; In; Description) or bullets,
- `name` (TYPE, required): description. The grammar of TYPE is in `fields`. What is not understood
is skipped with its line; placeholders are {id}, <id> or :id.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it.token import Token

from forge.docs.blocks import Section, blocks, items, line_of, paragraphs, sections_of, table_rows
from forge.docs.fields import Field, field, plain, type_of
from forge.docs.names import argument_names, document_name, tool_names
from forge.docs.normal import Schemas
from forge.docs.refs import Documents, decode
from forge.docs.schema import fitted, parsed
from forge.docs.text import first_sentence, line
from forge.docs.transport import carries
from forge.errors import UserError
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Location, Operation, Parameter, Skipped

_ENDPOINT = re.compile(r"^`?(GET|POST|PUT|PATCH|DELETE)\s+(/\S*?)`?$")
_FUNCTION = re.compile(r"^(`)?([A-Za-z_][A-Za-z0-9_.]*)(\(.*\))?(`)?$")
_OBJECTS = ("objects", "types", "schemas", "models", "data types")
_BULLET = re.compile(r"^(?:\*\*)?`([^`]+)`(?:\*\*)?\s*(?:\(([^)]*)\))?\s*(?:[:–—-]\s*)?(.*)$", re.S)
_RETURNS = re.compile(r"^(?:\*\*)?Returns:?(?:\*\*)?:?\s*(.*)$", re.S | re.I)
_LABEL = re.compile(r"^(?:\*\*)?(\w[\w ]*?)(?:\*\*)?:(?:\*\*)?$")
_ARTICLE = re.compile(r"^(?:an?|the|one)\s+", re.I)
_STATUS = {"invalid": "400", "forbidden": "403", "not_found": "404", "conflict": "409"}
_COLUMNS = {
    "field": "name",
    "parameter": "name",
    "name": "name",
    "property": "name",
    "argument": "name",
    "type": "type",
    "required": "required",
    "default": "default",
    "in": "in",
    "description": "about",
    "meaning": "about",
}
_PLACES: dict[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "body": "body",
    "json": "body",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A field, where it is said to go, and its line."""

    field: Field
    place: str
    line: int


def read_markdown(path: Path, name: str, taken: Collection[str]) -> ApiDoc:
    """One Markdown document, called `name` in messages. Raises UserError where it has no
    operation."""
    return _Reader(name, decode(path, name)).document(taken)


class _Reader:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.sha256 = hashlib.sha256(text.encode()).hexdigest()
        self.sections = list(sections_of(text))
        self.objects: list[str] = []
        self.skipped: list[Skipped] = []

    def skip(self, at: int, reason: str) -> None:
        self.skipped.append(Skipped(f"{self.file}:{at}", reason))

    def document(self, taken: Collection[str]) -> ApiDoc:
        head = next((one for one in self.sections if one.level == 1), None)
        stem = self.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        title = line(plain(head.title)) if head else stem
        kinds = list(self._kinds())
        self.objects = [one.title for kind, one, _ in kinds if kind == "object"]
        made = {one.title: self._object(one) for kind, one, _ in kinds if kind == "object"}
        root = {"components": {"schemas": made}}
        schemas = Schemas(Documents.of(self.file, root, self.sha256))
        found = [(one, tag) for kind, one, tag in kinds if kind == "operation"]
        if not found:
            raise UserError(
                "describes no operation",
                where=self.file,
                mend="give each a heading of its own: `### create_project` or `### GET /projects`",
            )
        heads = [_head(one.title) for one, _ in found]
        names = tool_names([(name, method, path) for method, path, name in heads])
        operations = [
            self._operation(one, tag, name, schemas)
            for (one, tag), name in zip(found, names, strict=True)
        ]
        return ApiDoc(
            name=document_name(title, self.file, taken),
            title=title,
            description=plain("\n\n".join(paragraphs(head.blocks))) if head else "",
            operations=tuple(operations),
            schemas={
                name: schemas.whole({"$ref": reference}, self.file)
                for name, reference in schemas.components()
            },
            source=self.file.rsplit("/", 1)[-1],
            sha256=self.sha256,
            skipped=tuple(self.skipped),
            form="Markdown",
        )

    def _kinds(self) -> Iterator[tuple[str, Section, str]]:
        """Each section with what it is (object, operation, group, prose) and its group's title."""
        group, group_level, is_objects = "", 0, False
        for one in self.sections:
            if is_objects and one.level > group_level:
                yield "object", one, group
            elif _head(one.title) != ("", "", ""):
                yield "operation", one, group
            elif one.level > 1:
                if not group or one.level <= group_level or not one.blocks:
                    group, group_level = line(plain(one.title)), one.level
                    is_objects = group.lower() in _OBJECTS
                yield "group", one, group
            else:
                yield "prose", one, ""

    def _object(self, section: Section) -> JsonSchema:
        rows = [row for block in blocks(section.blocks) for row in self._rows(block)]
        schema: JsonSchema = {
            "type": "object",
            "properties": {row.field.name: row.field.schema for row in rows},
            "required": [row.field.name for row in rows if row.field.required],
        }
        if description := plain("\n\n".join(paragraphs(section.blocks))):
            schema["description"] = description
        return schema

    # ---------------------------------------------------------------- operations

    def _operation(self, section: Section, tag: str, name: str, schemas: Schemas) -> Operation:
        method, path, _ = _head(section.title)
        prose: list[str] = []
        rows: list[_Row] = []
        failures: dict[str, str] = {}
        examples: list[Json] = []
        result_raw: Json = None
        reading = "parameters"
        for block in blocks(section.blocks):
            first = block[0]
            if first.type == "paragraph_open":
                text = block[1].content
                if returns := _RETURNS.match(text):
                    reading = "result"
                    result_raw = self._returns(returns[1], line_of(first))
                elif label := _LABEL.match(text):
                    reading = _reading(label[1])
                else:
                    prose.append(text)
            elif first.type == "fence":
                examples += _example(first.content) if reading != "parameters" else []
            elif reading == "errors":
                failures |= dict(self._errors(block))
            elif reading == "result" and isinstance(result_raw, dict):
                if result_raw.get("type") == "object":
                    fields = [row.field for row in self._rows(block)]
                    result_raw["properties"] = {one.name: one.schema for one in fields}
            elif reading in ("parameters", *_PLACES):
                place = reading if reading in _PLACES else ""
                rows += [replace(row, place=row.place or place) for row in self._rows(block)]
        description = plain("\n\n".join(prose))
        result = schemas.whole(result_raw, self.file) if result_raw is not None else None
        return Operation(
            name=name,
            method=method,
            path=path,
            summary=first_sentence(description) or name.replace("_", " "),
            description=description,
            parameters=tuple(self._parameters(rows, method, path, schemas, section.line)),
            result=result,
            tags=(tag,) if tag else (),
            failures=failures,
            entity=schemas.named(result_raw, self.file) if result is not None else None,
            examples=tuple(fitted(one, result) for one in examples) if result is not None else (),
            where=f"{self.file}:{section.line}",
        )

    def _parameters(
        self, rows: list[_Row], method: str, path: str, schemas: Schemas, at: int
    ) -> Iterator[Parameter]:
        in_path = re.findall(r"\{([^{}/]+)\}", path)
        known = {row.field.name for row in rows}
        for name in in_path:
            if name not in known:
                self.skip(at, f'"{line(name)}" of the path is not described; taken as text')
                rows = [*rows, _Row(Field(name, {"type": "string"}, True), "path", at)]
        seen: set[tuple[str, str]] = set()
        placed: list[tuple[_Row, Location]] = []
        for row in rows:
            location = _place(row, method, in_path)
            if carries(row.field.name, location):
                continue
            if (row.field.name, location) in seen:
                self.skip(row.line, f'"{line(row.field.name)}" is there twice; the first counts')
                continue
            seen.add((row.field.name, location))
            placed.append((row, location))
        named = argument_names([(row.field.name, place) for row, place in placed], path)
        for (row, location), name in zip(placed, named, strict=True):
            schema = schemas.whole(row.field.schema, self.file)
            yield Parameter(
                name=name,
                field=row.field.name,
                location=location,
                schema=schema,
                required=row.field.required or location == "path",
                description=schema.get("description", ""),
            )

    def _returns(self, text: str, at: int) -> Json:
        """The raw schema that a "Returns …" means; None for nothing."""
        words = _ARTICLE.sub("", text.strip().split(". ")[0].rstrip(".:").strip())
        if words.lower() in ("", "nothing", "no content", "an empty response"):
            return None
        schema, _, unknown = type_of(words, self.objects)
        if unknown:
            self.skip(at, f'what it returns is not understood: "{line(text)}"')
            return None
        return schema

    def _errors(self, block: list[Token]) -> Iterator[tuple[str, str]]:
        for text, at in items(block):
            found = _BULLET.match(text)
            if found is None:
                self.skip(at, "an error without a name in code")
            else:
                yield _STATUS.get(found[1], found[1]), line(plain(found[3]), 500)

    # --------------------------------------------------------------------- fields

    def _rows(self, block: list[Token]) -> Iterator[_Row]:
        """The fields of a table or a list of bullets; of anything else none."""
        if block[0].type == "table_open":
            yield from self._table(block)
        elif block[0].type == "bullet_list_open":
            for text, at in items(block):
                found = _BULLET.match(text)
                if found is None:
                    self.skip(at, f'a bullet that names no field in code: "{line(text, 60)}"')
                else:
                    yield self._row(found[1], found[2] or "", found[3], "", at)

    def _table(self, block: list[Token]) -> Iterator[_Row]:
        table = list(table_rows(block))
        columns = [_COLUMNS.get(cell.strip(" *`").lower(), "") for cell in table[0][0]]
        if "name" not in columns:
            self.skip(table[0][1], "a table without a column Field, Parameter or Name")
            return
        for cells, at in table[1:]:
            row = {column: cell for column, cell in zip(columns, cells, strict=False) if column}
            kind = [row.get("type", "")]
            if row.get("required", "").strip(" *`").lower() in (
                "yes",
                "true",
                "required",
                "✓",
                "x",
            ):
                kind.append("required")
            if default := row.get("default", "").strip().strip("`"):
                kind.append(f"default `{default}`" if default not in ("-", "–", "—") else "")
            name = row["name"].strip().strip("*`")
            yield self._row(name, ", ".join(kind), row.get("about", ""), row.get("in", ""), at)

    def _row(self, name: str, kind: str, about: str, place: str, at: int) -> _Row:
        made = field(name, kind, about, self.objects)
        if made.unknown:
            words = ", ".join(line(word, 40) for word in made.unknown)
            self.skip(at, f'the type of "{line(name, 60)}" is not understood: {words}')
        return _Row(made, place.strip().lower(), at)


# ------------------------------------------------------------------- pure parts


def _head(title: str) -> tuple[str, str, str]:
    """(method, path, function name) of an operation's heading; all empty for another heading."""
    title = title.strip()
    if found := _ENDPOINT.match(title):
        path = re.sub(r"<([^<>/]+)>|(?<=/):([A-Za-z_]\w*)", r"{\1\2}", found[2])
        return found[1], path, ""
    if found := _FUNCTION.match(title):
        name = found[2]
        is_code = bool(found[1] and found[4]) or found[3] is not None
        if is_code or "_" in name or re.match(r"^[a-z]+[A-Z]", name):
            return "", "", name
    return "", "", ""


def _place(row: _Row, method: str, in_path: Collection[str]) -> Location:
    if row.field.name in in_path and row.place in ("", "path"):
        return "path"
    if row.place in _PLACES and row.place != "path":
        return _PLACES[row.place]
    return "query" if method in ("GET", "DELETE") else "body"


def _reading(label: str) -> str:
    """What follows a line such as "Parameters:"."""
    words = label.lower().split()
    if words[-1] in ("errors", "failures", "fails"):
        return "errors"
    if words[0] in ("response", "result", "example"):
        return "example"
    return next((word for word in words if word in _PLACES), "parameters")


def _example(text: str) -> list[Json]:
    value = parsed(text)
    if isinstance(value, str):
        try:
            return [json.loads(text)]
        except ValueError:
            return []
    return [value]
