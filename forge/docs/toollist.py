"""Tool lists to an `ApiDoc`: what an agent is given as tools, with no paths and no methods.

One value holds the tools, however it was written:

- functions of OpenAI, `{"type": "function", "function": {…}}`, the same flat, or bare; Anthropic's;
- what an MCP server answers to `tools/list`, alone or as the result of a JSON-RPC answer;
- BFCL's and ACEBench's functions, a list or one a line, with their own words for types.

A tool that cannot be read is left out with the reason and takes no other along; what had to be
mended in one (see `loose`) is reported beside it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from forge.docs.hints import hints_in
from forge.docs.loose import Loose
from forge.docs.names import argument_names, document_name, tool_names
from forge.docs.normal import Schemas
from forge.docs.refs import Documents, Unresolved
from forge.docs.text import clean, first_sentence, line
from forge.docs.titles import title_of
from forge.docs.transport import carries
from forge.errors import UserError
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Operation, Parameter, Skipped

_TAKES = ("inputSchema", "parameters", "input_schema", "arguments")
_ANSWERS = ("outputSchema", "response", "output_schema", "results")
_OPENING = re.compile(r"^.*(?:[.:|])\s+", re.DOTALL)
_ERRORS = re.compile(r"^\s*Error Responses:\s*$", re.MULTILINE | re.IGNORECASE)
_FEWEST = 3
"""Tools that must begin alike before that is taken for what is said of all."""


def tools_in(value: Json) -> list[tuple[str, Json]] | None:
    """Where each tool stands (a JSON pointer) and what it is; None where the value is no tool
    list. An empty list of tools is one."""
    if isinstance(value, dict):
        for name in ("result", "tools", "functions"):
            inner = value.get(name)
            if (
                name == "result"
                and isinstance(inner, dict)
                and isinstance(inner.get("tools"), list)
            ):
                return _each("/result/tools", inner["tools"])
            if name != "result" and isinstance(inner, list):
                return _each(f"/{name}", inner)
        return [("", value)] if _is_tool(value) else None
    if isinstance(value, list) and any(_is_tool(one) for one in value):
        return _each("", value)
    return None


def _each(where: str, tools: Sequence[Json]) -> list[tuple[str, Json]]:
    return [(f"{where}/{place}", one) for place, one in enumerate(tools)]


def _is_tool(value: Json) -> bool:
    """Whether it says what it is called and what it takes, or that it is a function."""
    body = _body(value)
    if not isinstance(value, dict) or not isinstance(body, dict):
        return False
    is_function = body is not value or value.get("type") == "function"
    return isinstance(body.get("name"), str) and (
        is_function or any(name in body for name in _TAKES)
    )


def _body(value: Json) -> Json:
    """The part of a tool that says its name: OpenAI wraps it."""
    inner = value.get("function") if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) and "name" in inner else value


def read_tools(documents: Documents, taken: Collection[str]) -> ApiDoc:
    """The tool list in the main document. Raises UserError where no tool can be read."""
    return _Reader(documents).document(taken)


class _Held:
    """A schema that a tool holds: its references lead into itself."""

    def __init__(self, where: str, raw: JsonSchema, file: str, sha256: str) -> None:
        self.where = where
        self._raw, self._file = raw, file
        self._schemas = Schemas(Documents.of(file, raw, sha256))

    def whole(self) -> JsonSchema:
        return self._schemas.whole(self._raw, self._file)

    def closed(self, schema: JsonSchema) -> JsonSchema:
        return self._schemas.closed(schema)


class _Reader:
    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.file = documents.main
        self.skipped: list[Skipped] = []

    def skip(self, where: str, reason: str) -> None:
        self.skipped.append(Skipped(f"{self.file}#{where}", reason))

    def document(self, taken: Collection[str]) -> ApiDoc:
        value = self.documents.load(self.file)
        found = self._named(tools_in(value) or [])
        names = tool_names([(str(tool["name"]), "", "") for _, tool in found])
        texts = [_text(tool) for _, tool in found]
        opening = _opening(texts)
        operations: list[Operation] = []
        for (where, tool), name, text in zip(found, names, texts, strict=True):
            try:
                operations.append(self._operation(tool, name, text[len(opening) :], where))
            except (Unresolved, ValueError) as error:
                self.skip(where, f"{line(tool['name'], 60)} is left out: {error}")
        if not operations:
            self._none_left(len(found))
        title = title_of(value, self.file, [*(one.name for one in operations), *texts])
        return ApiDoc(
            name=document_name(title.lower(), self.file, taken),
            title=title,
            description=clean(opening.rstrip(" :|")),
            operations=tuple(operations),
            schemas={},
            source=self.file.rsplit("/", 1)[-1],
            sha256=self.documents.sha256,
            skipped=(*self.documents.skipped, *self.skipped),
            form="tool list",
        )

    def _named(self, tools: list[tuple[str, Json]]) -> list[tuple[str, dict[str, Any]]]:
        """The tools that have a name, each name once."""
        seen: set[str] = set()
        found = []
        for where, value in tools:
            tool = _body(value)
            if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                self.skip(where, "is no tool: it has no `name`")
            elif not tool["name"].strip():
                self.skip(where, "is no tool: its `name` is empty")
            elif tool["name"] in seen:
                self.skip(where, f"{line(tool['name'], 60)} is there twice; the first counts")
            else:
                seen.add(tool["name"])
                found.append((where, tool))
        return found

    def _none_left(self, named: int) -> None:
        mend = "give each tool a `name` and a JSON Schema of its parameters"
        if not self.skipped:
            raise UserError("has no tools", where=self.file, mend=mend)
        last = self.skipped[-1]
        raise UserError(
            f"none of its tools can be read; the last: {last.reason}", where=last.where, mend=mend
        )

    # ---------------------------------------------------------------- one tool

    def _operation(self, tool: dict[str, Any], name: str, text: str, where: str) -> Operation:
        description, failures = _told(text)
        title = line(tool.get("title") or _notes(tool).get("title"))
        summary = first_sentence(description.partition("\n")[0])
        return Operation(
            name=name,
            method="",
            path="",
            summary=summary or title or name.replace("_", " "),
            description=description,
            parameters=self._parameters(tool, where),
            result=self._result(tool, where),
            failures=failures,
            hints=hints_in(_notes(tool)),
            where=f"{self.file}#{where}",
        )

    def _schema(self, tool: dict[str, Any], keys: Sequence[str], where: str) -> _Held | None:
        """The first schema under one of these keys, as JSON Schema has it."""
        for key in keys:
            if tool.get(key) is not None:
                at = f"{where}/{key}"
                raw = Loose(self.skip).mended(tool[key], at)
                return _Held(at, raw, self.file, self.documents.sha256)
        return None

    def _parameters(self, tool: dict[str, Any], where: str) -> tuple[Parameter, ...]:
        held = self._schema(tool, _TAKES, where)
        if held is None:
            return ()
        whole = held.whole()
        if whole.get("type", "object") not in ("object", "null"):
            raise ValueError(f"what it takes is no object of arguments but {whole['type']}")
        properties = whole.get("properties", {})
        wanted = whole.get("required", ())
        for missing in [name for name in wanted if name not in properties]:
            self.skip(held.where, f'"{line(missing, 60)}" is required and not described; left out')
        for field in [field for field in properties if carries(field, "query")]:
            self.skip(held.where, f'"{line(field, 60)}" only says who calls; left out')
        fields = [field for field in properties if not carries(field, "query")]
        names = argument_names([(field, "body") for field in fields], "")
        found = []
        for field, name in zip(fields, names, strict=True):
            schema = held.closed(properties[field])
            about = schema.get("description", "")
            found.append(Parameter(name, field, "body", schema, field in wanted, about))
        return tuple(found)

    def _result(self, tool: dict[str, Any], where: str) -> JsonSchema | None:
        """What it answers; None where nothing is said, or what is said cannot be read."""
        held = self._schema(tool, _ANSWERS, where)
        if held is None:
            return None
        try:
            whole = held.whole()
        except Unresolved as error:
            self.skip(held.where, f"what it answers is not understood: {error}")
            return None
        return whole if set(whole) - {"description", "title"} else None


# ------------------------------------------------------------------- pure parts


def _text(tool: dict[str, Any]) -> str:
    return clean(tool.get("description"))


def _notes(tool: dict[str, Any]) -> dict[str, Any]:
    notes = tool.get("annotations")
    return notes if isinstance(notes, dict) else {}


def _opening(texts: Sequence[str]) -> str:
    """What all descriptions begin with, up to the end of a sentence or a label: it is said of
    the whole."""
    if len(texts) < _FEWEST:
        return ""
    first, last = min(texts), max(texts)  # what these two share, all between them share
    pairs = zip(first, last, strict=False)
    size = next((n for n, (one, other) in enumerate(pairs) if one != other), len(first))
    found = _OPENING.match(first[:size])
    return found[0] if found else ""


def _told(text: str) -> tuple[str, dict[str, str]]:
    """A description, and the failures by status that some servers write below it."""
    found = _ERRORS.search(text)
    if found is None:
        return text.strip(), {}
    return text[: found.start()].strip(), dict(_failures(text[found.end() :]))


def _failures(text: str) -> Iterator[tuple[str, str]]:
    for status, reason in re.findall(r"^\s*([1-5]\d\d):\s*(.*)$", text, re.MULTILINE):
        yield status, line(reason, 500)
