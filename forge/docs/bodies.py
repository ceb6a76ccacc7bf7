"""What stands below an operation in freely written prose: what it takes, answers and refuses.

Each part is read by what announces it (see `labels`): fields in lists, tables and definition lists,
examples of what is asked and answered, status codes. From examples follow the arguments and the
result that are described nowhere else. What was taken for a part and not understood is told with
its line.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from forge.docs.blocks import (
    Block,
    Code,
    Definitions,
    Heading,
    Item,
    Items,
    Paragraph,
    Table,
    paragraphs,
)
from forge.docs.drafts import Draft, Told, at, placeholders
from forge.docs.examples import examples_in, inferred
from forge.docs.fields import Field, plain
from forge.docs.labels import announced, kind_of, label_of
from forge.docs.outline import Endpoint, Found
from forge.docs.schema import fitted
from forge.docs.text import line
from forge.docs.values import misfit
from forge.docs.wording import nested_in, told_in, told_of
from forge.types.data import Json, JsonSchema

_FIELDS = ("parameters", "path", "query", "header", "body")
_NOTHING = re.compile(r"^[*`(]*(?:none|nothing|no\b.*|n/a|null|无|なし|-)[*`)]*\.?$", re.I)
_CODE = re.compile(r"^[*`]*([1-5]\d\d)\b[*`]*")
_NEEDED = re.compile(r"\brequired (?:fields?|parameters?|properties)\b[^.]{0,80}")
_VALUES = re.compile(
    r"\b(?:values?|choices|options) (?:for|of) (?:the )?`(\w+)`[^.:`]{0,40}(?:are|is)?:?\s*"
    r"((?:`[^`]+`[\s,]*(?:and|or)?\s*){2,})"
)
_MAP = re.compile(r"\b(?:dictionary|map|mapping|hash) of\b", re.I)


@dataclass(slots=True)
class Body:
    """Reads what stands below one operation; what it does not understand goes to `lost`."""

    found: Found
    lost: list[tuple[int, str]]
    reading: str = ""
    label: str = ""
    prose: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fields: list[Told] = field(default_factory=list)
    answered: list[Told] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    asked: list[Json] = field(default_factory=list)
    given: list[Json] = field(default_factory=list)
    returns: str = ""
    listed: bool = False
    """The result is a list of what `answered` describes."""
    introduced: bool = False
    """The last paragraph ends in a colon and is no label: what follows belongs to it."""
    shown: str = ""
    """Whether the last example was one of what is asked or of what is answered."""

    def read(self) -> None:
        self._take(self.found.blocks, inside=self.found.style in ("bullet", "tool"))

    def drafts(self, numbers: Collection[str]) -> list[Draft]:
        """An operation for each endpoint; `numbers` are the names of fields that the document
        says are whole numbers, though examples may write them as text."""
        self.given = [_as_numbers(one, numbers) for one in self.given]
        endpoints = self.found.endpoints or (Endpoint("", ""),)
        return [self._draft(one) for one in endpoints]

    # ------------------------------------------------------------------ reading

    def _take(self, blocks: Iterable[Block], *, inside: bool = False) -> None:
        """`inside` a bullet of its own, an operation's bullets are its paragraphs."""
        for block in blocks:
            if isinstance(block, Heading):
                self.reading, self.label = kind_of(block.text) or "prose", block.text
                self.introduced = False
            elif isinstance(block, Paragraph):
                self._text(block.text, block.line)
            elif isinstance(block, Code):
                self._code(block.text, block.line)
            elif isinstance(block, Items) and not _codes(block) and self._is_told(block, inside):
                for item in block.items:
                    self._text(item.text, item.line, item.blocks)
                    self.reading = "prose"
            elif isinstance(block, Items) and (self.introduced or self.reading == "prose"):
                self._say("\n".join(f"- {item.text}" for item in block.items))
            else:
                self._fields(block)

    def _is_told(self, block: Items, inside: bool) -> bool:
        """Whether the bullets are what is said of an operation and no fields."""
        labelled = any(label_of(item.text) for item in block.items)
        return labelled or (inside and self.reading not in (*_FIELDS, "result", "statuses"))

    def _text(self, text: str, at: int, below: Sequence[Block] = ()) -> None:
        label = label_of(text)
        if label is None:
            self.introduced = text.rstrip().endswith((":", "："))
            self._say(text)
            self.reading = announced(text) or self.reading
            return
        self.introduced = False
        self.reading, rest = label
        self.label = text[: len(text) - len(rest)]
        if rest and self.reading in _FIELDS:
            if not _NOTHING.match(rest):
                self._field(Item(at, rest, tuple(below)))
            return
        if rest and self.reading == "purpose":
            self.prose.append(rest.strip("*") if rest.count("**") == 2 else rest)
        elif rest and self.reading == "result":
            self.returns = rest
        elif rest and self.reading != "failure":
            self.notes.append(rest)
        self._take(below)

    def _say(self, text: str) -> None:
        early = not self.given and not self.failures and self.reading in ("", "prose", "purpose")
        (self.prose if early else self.notes).append(text)

    def _field(self, item: Item) -> None:
        one = told_of(item)
        if one is None:
            self.lost.append((item.line, f'names no field: "{line(item.text, 60)}"'))
        else:
            self.fields.append(at(one, self._place()))

    def _place(self) -> str:
        return self.reading if self.reading in ("path", "query", "header", "body") else ""

    def _fields(self, block: Block) -> None:
        if codes := _codes(block):
            self.failures |= {code: why for code, why in codes if code >= "400"}
            return
        if self.reading in ("statuses", "failure", "prose"):
            if not isinstance(block, Items):
                told = "stands where neither parameters nor a result are announced; left out"
                self.lost.append((block.line, told))
            return
        said, lost = told_in(block, self.label)
        if self.reading == "" and isinstance(block, Items) and len(said) <= len(lost):
            self._say("\n".join(f"- {item.text}" for item in block.items))
            return
        if self.reading in ("result", "response example"):
            self._answer(block)
        else:
            self.lost += lost
            self.fields += [at(one, self._place()) for one in said]

    def _answer(self, block: Block) -> None:
        """The fields of the result, at once or below "a list, each with:"."""
        if isinstance(block, Items) and block.items[0].text.rstrip().endswith(":"):
            self.listed = bool(re.search(r"\b(?:array|list)\b", block.items[0].text, re.I))
            self.answered += nested_in(block)
        elif isinstance(block, Items | Table | Definitions):
            said, lost = told_in(block)
            if lost:
                self.lost.append((block.line, "what it returns is not understood"))
            else:
                self.answered += said

    def _code(self, text: str, at: int) -> None:
        commands = text.lstrip()[:1] not in ("{", "[")
        found = examples_in(text)
        if not found and not commands and self.reading not in ("statuses", "failure"):
            self.lost.append((at, "looks like JSON and cannot be read; no example"))
        for value in found:
            if isinstance(value, dict) and (
                "jsonrpc" in value or {"method", "params"} <= set(value)
            ):
                if "method" in value:
                    self.asked.append(value.get("params"))
                elif "result" in value:
                    self.given.append(value["result"])
            elif commands or self._is_asked():
                self.shown = "asked"
                self.asked.append(value)
            elif self.reading not in ("statuses", "failure"):
                self.shown = "given"
                self.given.append(value)

    def _is_asked(self) -> bool:
        if self.reading in ("request example", *_FIELDS):
            return True
        if self.reading in ("response example", "result"):
            return False
        if self.shown:
            return self.shown == "asked"
        writes = any(one.method in ("POST", "PUT", "PATCH") for one in self.found.endpoints)
        return writes and not self.fields

    # ------------------------------------------------------------------ drafting

    def _draft(self, endpoint: Endpoint) -> Draft:
        path, _, query = endpoint.path.partition("?")
        fields = [*self.fields, *_in_query(query, self.fields, self.found.line)]
        fields = self._with_examples(fields, path)
        marked = endpoint.method != "GET" and any(one.optional for one in fields)
        if self.found.style == "tool" or marked:
            fields = [one if _is_free(one) else _required(one) for one in fields]
        if endpoint.method == "PATCH":
            fields = [one if one.place == "path" else _optional(one) for one in fields]
        description = plain("\n\n".join(self.prose))
        title = self.found.title
        long = len(title.split()) > 1 or not title.isascii()
        return Draft(
            line=self.found.line,
            method=endpoint.method,
            path=path,
            name=self.found.name,
            title=title if long or not description else "",
            description=description,
            tag=self.found.tag,
            fields=tuple(self._chosen(one) for one in fields),
            result=self._result(),
            failures=dict(self.failures),
            examples=tuple(self.given),
        )

    def _with_examples(self, fields: list[Told], path: str) -> list[Told]:
        """The fields with the values that examples of a call have; where none is described, those
        of the examples."""
        in_path = placeholders(path)
        own = [one for one in fields if one.field.name not in in_path]
        shown = [dict(one) for one in (self._named(one, own) for one in self.asked) if one]
        if not own and shown:
            names = list(dict.fromkeys(name for one in shown for name in one))
            needed = self._needed()
            for name in names:
                values = [one[name] for one in shown if name in one]
                schema = inferred(values)
                said = next((v for v in values if isinstance(v, str | int | float)), None)
                if said is not None:
                    schema["examples"] = [said]
                told = Field(name, schema, name in needed)
                place = "path" if name in in_path else "body"
                fields = [*fields, Told(told, place, self.found.line)]
            return fields
        return [_shown(one, [each[one.field.name] for each in shown if one.field.name in each])
                for one in fields]  # fmt: skip

    def _named(self, value: Json, fields: Sequence[Told]) -> dict[str, Json]:
        if isinstance(value, dict):
            return value
        if isinstance(value, list) and fields and not self.found.endpoints:
            return {one.field.name: each for one, each in zip(fields, value, strict=False)}
        return {}

    def _needed(self) -> set[str]:
        said = " ".join((*self.prose, *self.notes))
        return {name for one in _NEEDED.findall(said) for name in re.findall(r"`(\w+)`", one)}

    def _chosen(self, told: Told) -> Told:
        """With the choices that the text around says it has."""
        values = self.choices().get(told.field.name)
        schema = told.field.schema
        if values is None or schema.get("type") != "string" or "enum" in schema:
            return told
        return replace(told, field=replace(told.field, schema={**schema, "enum": values}))

    def _result(self) -> JsonSchema | None:
        if self.answered:
            held = {one.field.name: one.field.schema for one in self.answered}
            record: JsonSchema = {"type": "object", "properties": held}
            return {"type": "array", "items": record} if self.listed else record
        schema = inferred(self.given) if self.given else _in_words(self.returns)
        if _MAP.search(self.returns) and schema.get("properties"):
            values = [one for each in self.given if isinstance(each, dict) for one in each.values()]
            schema = {"type": "object", "additionalProperties": inferred(values)}
        return schema or None

    def choices(self) -> dict[str, list[str]]:
        """The values that the text says a field has, by its name."""
        said = _VALUES.findall("\n".join((*self.prose, *self.notes)))
        return {name: re.findall(r"`([^`]+)`", values) for name, values in said}


# ------------------------------------------------------------------------ pure parts


def _codes(block: Block) -> list[tuple[str, str]]:
    """The status codes that a list, a table or a definition list explains; empty where it does
    something else."""
    if isinstance(block, Table):
        rows = [(row.cells[0], " ".join(row.cells[1:])) for row in block.rows[1:]]
    elif isinstance(block, Items | Definitions):
        rows = []
        for item in block.items:
            said = paragraphs(item.blocks)
            rest = _CODE.sub("", item.text).lstrip(" :-–—")
            rows.append((item.text, " ".join(said) if said else rest))
    else:
        return []
    found = [(match[1], about) for text, about in rows if (match := _CODE.match(text))]
    return (
        [(code, line(plain(about), 500)) for code, about in found]
        if len(found) == len(rows)
        else []
    )


def _as_numbers(value: Json, names: Collection[str]) -> Json:
    """An example with the numbers of these names that it writes as text."""
    if isinstance(value, list):
        return [_as_numbers(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: int(one)
        if name in names and isinstance(one, str) and re.fullmatch(r"\d{1,15}", one)
        else _as_numbers(one, names)
        for name, one in value.items()
    }


def _in_query(query: str, known: Sequence[Told], at: int) -> list[Told]:
    """The parameters that the path of an endpoint shows: `?url=x`."""
    names = {one.field.name for one in known}
    found = []
    for name in re.findall(r"(?:^|&)\{?\??([\w.-]+)(?==|&|$|\})", query):
        if name not in names:
            found.append(Told(Field(name, {"type": "string"}, False), "query", at, typed=False))
    return found


def _optional(told: Told) -> Told:
    return replace(told, field=replace(told.field, required=False))


def _is_free(told: Told) -> bool:
    """Whether a field need not be there, where the document marks those that need not."""
    return told.optional or "default" in told.field.schema


def _required(told: Told) -> Told:
    return replace(told, field=replace(told.field, required=True))


def _shown(told: Told, values: Sequence[Json]) -> Told:
    """With the values as its examples, where it has none and they fit."""
    schema = told.field.schema
    fit = [fitted(one, schema) for one in values if one is not None]
    good = [one for one in fit if not misfit(one, schema)]
    if not good or "examples" in schema:
        return told
    return replace(told, field=replace(told.field, schema={**schema, "examples": good[:3]}))


def _in_words(text: str) -> JsonSchema:
    """What "Returns …" in a few words means; empty where that is not clear."""
    said = plain(text).strip("*`. ").lower()
    if said in ("true", "false", "true or false", "boolean", "bool"):
        return {"type": "boolean"}
    if re.fullmatch(r"[a-z]+_id", said):
        return {"type": "integer"}
    return {}


def choose(schema: JsonSchema, name: str, values: list[str]) -> None:
    """Writes the choices into a schema wherever a text has that name and its examples fit."""
    for key, inner in schema.get("properties", {}).items():
        is_text = inner.get("type") == "string" and "enum" not in inner
        if key == name and is_text and all(one in values for one in inner.get("examples", ())):
            inner["enum"] = values
        choose(inner, name, values)
    if isinstance(schema.get("items"), dict):
        choose(schema["items"], name, values)
