"""API documents in prose, in the form that the project's own documents have.

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
is skipped with its line; placeholders are {id}, <id> or :id. What is written more freely is for
`freeform`.
"""

import re
from collections.abc import Iterator

from forge.docs.blocks import (
    Block,
    Code,
    Item,
    Items,
    Page,
    Paragraph,
    Section,
    Table,
    paragraphs,
    sections_of,
)
from forge.docs.drafts import PLACES, Draft, Told, Understood, at
from forge.docs.examples import examples_in
from forge.docs.fields import field, plain, type_of
from forge.docs.text import line
from forge.types.data import Json, JsonSchema

_ENDPOINT = re.compile(r"^`?(GET|POST|PUT|PATCH|DELETE)\s+(/\S*?)`?$")
_FUNCTION = re.compile(r"^(`)?([A-Za-z_][A-Za-z0-9_.]*)(\(.*\))?(`)?$")
_OBJECTS = ("objects", "types", "schemas", "models", "data types")
_BULLET = re.compile(r"^(?:\*\*)?`([^`]+)`(?:\*\*)?\s*(?:\(([^)]*)\))?\s*(?:[:–—-]\s*)?(.*)$", re.S)
_RETURNS = re.compile(r"^(?:\*\*)?Returns:?(?:\*\*)?:?\s*(.*)$", re.S | re.I)
_LABEL = re.compile(r"^(?:\*\*)?(\w[\w ]*?)(?:\*\*)?:(?:\*\*)?$")
_ARTICLE = re.compile(r"^(?:an?|the|one)\s+", re.I)
_STATUS = {"invalid": "400", "forbidden": "403", "not_found": "404", "conflict": "409"}
_YES = ("yes", "true", "required", "✓", "x")
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


def understood(page: Page) -> Understood:
    """What the page says; where it says nothing in this form there are no drafts."""
    return _Reader(page).read()


def headed(title: str) -> tuple[str, str, str]:
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


class _Reader:
    def __init__(self, page: Page) -> None:
        self.title = page.title
        self.sections = list(sections_of(page.blocks))
        self.objects: list[str] = []
        self.skipped: list[tuple[int, str]] = []

    def skip(self, at: int, reason: str) -> None:
        self.skipped.append((at, reason))

    def read(self) -> Understood:
        head = next((one for one in self.sections if one.level == 1), None)
        kinds = list(self._kinds())
        self.objects = [one.title for kind, one, _ in kinds if kind == "object"]
        objects = {one.title: self._object(one) for kind, one, _ in kinds if kind == "object"}
        drafts = [self._draft(one, tag) for kind, one, tag in kinds if kind == "operation"]
        return Understood(
            title=line(plain(head.title if head else self.title)),
            description=plain("\n\n".join(paragraphs(head.blocks))) if head else "",
            drafts=tuple(drafts),
            objects=objects,
            skipped=tuple(self.skipped),
        )

    def _kinds(self) -> Iterator[tuple[str, Section, str]]:
        """Each section with what it is (object, operation, group, prose) and its group's title."""
        group, group_level, is_objects = "", 0, False
        for one in self.sections:
            if is_objects and one.level > group_level:
                yield "object", one, group
            elif headed(one.title) != ("", "", ""):
                yield "operation", one, group
            elif one.level > 1:
                if not group or one.level <= group_level or not one.blocks:
                    group, group_level = line(plain(one.title)), one.level
                    is_objects = group.lower() in _OBJECTS
                yield "group", one, group
            else:
                yield "prose", one, ""

    def _object(self, section: Section) -> JsonSchema:
        rows = [row for block in section.blocks for row in self._rows(block)]
        schema: JsonSchema = {
            "type": "object",
            "properties": {row.field.name: row.field.schema for row in rows},
            "required": [row.field.name for row in rows if row.field.required],
        }
        if description := plain("\n\n".join(paragraphs(section.blocks))):
            schema["description"] = description
        return schema

    def _draft(self, section: Section, tag: str) -> Draft:
        method, path, name = headed(section.title)
        prose: list[str] = []
        rows: list[Told] = []
        failures: dict[str, str] = {}
        examples: list[Json] = []
        result: JsonSchema | None = None
        reading = "parameters"
        for block in section.blocks:
            if isinstance(block, Paragraph):
                if returns := _RETURNS.match(block.text):
                    reading = "result"
                    result = self._returns(returns[1], block.line)
                elif label := _LABEL.match(block.text):
                    reading = _reading(label[1])
                else:
                    prose.append(block.text)
            elif isinstance(block, Code):
                examples += examples_in(block.text) if reading != "parameters" else []
            elif reading == "errors":
                failures |= dict(self._errors(block))
            elif reading == "result" and result is not None:
                if result.get("type") == "object":
                    fields = [row.field for row in self._rows(block)]
                    result["properties"] = {one.name: one.schema for one in fields}
            elif reading in ("parameters", *PLACES):
                place = reading if reading in PLACES else ""
                rows += [at(row, place) for row in self._rows(block)]
        return Draft(
            line=section.line,
            method=method,
            path=path,
            name=name,
            description=plain("\n\n".join(prose)),
            tag=tag,
            fields=tuple(rows),
            result=result,
            failures=failures,
            examples=tuple(examples),
        )

    def _returns(self, text: str, at: int) -> JsonSchema | None:
        """The raw schema that a "Returns …" means; None for nothing."""
        words = _ARTICLE.sub("", text.strip().split(". ")[0].rstrip(".:").strip())
        if words.lower() in ("", "nothing", "no content", "an empty response"):
            return None
        schema, _, unknown = type_of(words, self.objects)
        if unknown:
            self.skip(at, f'what it returns is not understood: "{line(text)}"')
            return None
        return schema

    def _errors(self, block: Block) -> Iterator[tuple[str, str]]:
        for item in block.items if isinstance(block, Items) else ():
            found = _BULLET.match(_whole(item))
            if found is None:
                self.skip(item.line, "an error without a name in code")
            else:
                yield _STATUS.get(found[1], found[1]), line(plain(found[3]), 500)

    def _rows(self, block: Block) -> Iterator[Told]:
        """The fields of a table or a list of bullets; of anything else none."""
        if isinstance(block, Table):
            yield from self._table(block)
        elif isinstance(block, Items):
            for item in block.items:
                text = _whole(item)
                found = _BULLET.match(text)
                if found is None:
                    told = f'a bullet that names no field in code: "{line(text, 60)}"'
                    self.skip(item.line, told)
                else:
                    yield self._row(found[1], found[2] or "", found[3], "", item.line)

    def _table(self, table: Table) -> Iterator[Told]:
        head = table.rows[0]
        columns = [_COLUMNS.get(cell.strip(" *`").lower(), "") for cell in head.cells]
        if "name" not in columns:
            self.skip(head.line, "a table without a column Field, Parameter or Name")
            return
        for one in table.rows[1:]:
            row = {column: cell for column, cell in zip(columns, one.cells, strict=False) if column}
            kind = [row.get("type", "")]
            if row.get("required", "").strip(" *`").lower() in _YES:
                kind.append("required")
            if default := row.get("default", "").strip().strip("`"):
                kind.append(f"default `{default}`" if default not in ("-", "–", "—") else "")
            name = row["name"].strip().strip("*`")
            about, place = row.get("about", ""), row.get("in", "")
            yield self._row(name, ", ".join(kind), about, place, one.line)

    def _row(self, name: str, kind: str, about: str, place: str, at: int) -> Told:
        made = field(name, kind, about, self.objects)
        if made.unknown:
            words = ", ".join(line(word, 40) for word in made.unknown)
            self.skip(at, f'the type of "{line(name, 60)}" is not understood: {words}')
        return Told(made, place.strip().lower(), at)


def _reading(label: str) -> str:
    """What follows a line such as "Parameters:"."""
    words = label.lower().split()
    if words[-1] in ("errors", "failures", "fails"):
        return "errors"
    if words[0] in ("response", "result", "example"):
        return "example"
    return next((word for word in words if word in PLACES), "parameters")


def _whole(item: Item) -> str:
    """The text of a bullet with all below it."""
    texts = [item.text]
    for block in item.blocks:
        if isinstance(block, Paragraph):
            texts.append(block.text)
        elif isinstance(block, Items):
            texts += [_whole(one) for one in block.items]
    return " ".join(texts)
