"""OpenAPI 3.0 and 3.1 (and 2.0, through `swagger2`) to an `ApiDoc`.

One operation that cannot be read is skipped with the reason; the rest stands. Envelopes are left
as they are: they are the author's to unwrap.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from forge.docs import swagger2
from forge.docs.arguments import Arguments, Unfit
from forge.docs.hints import TOOL, hints_in
from forge.docs.links import Targets, links_in
from forge.docs.media import Media, media_of
from forge.docs.names import document_name, tool_names
from forge.docs.normal import Schemas
from forge.docs.refs import Documents, Unresolved, escape
from forge.docs.schema import fitted
from forge.docs.text import clean, first_sentence, line
from forge.docs.values import fitting
from forge.errors import UserError
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Operation, Skipped

METHODS = ("get", "post", "put", "patch", "delete")
_NO_TOOLS = ("head", "options", "trace", "query", "connect")

_SUCCESS = re.compile(r"^2(\d\d|XX)$", re.IGNORECASE)


def is_openapi(document: Json) -> bool:
    """Whether a document says it is OpenAPI or Swagger, or has their paths."""
    return isinstance(document, dict) and (
        "openapi" in document or "swagger" in document or _has_paths(document)
    )


def _has_paths(document: dict[str, Json]) -> bool:
    paths = document.get("paths")
    return isinstance(paths, dict) and any(key.startswith("/") for key in paths)


def read_openapi(documents: Documents, taken: Collection[str]) -> ApiDoc:
    """The main document of `documents`. Raises UserError where no operation can be read."""
    return _Reader(documents).document(taken)


class _Found:
    """An operation before names are given: the raw object and what its path item adds."""

    def __init__(self, method: str, key: str, raw: dict[str, Any], file: str) -> None:
        self.method, self.key, self.raw, self.file = method, key, raw, file
        self.path, _, self.fragment = key.partition("#")
        self.where = f"/paths/{escape(key)}/{method.lower()}"
        self.shared: list[Json] = []
        identifier = raw.get("operationId")
        self.identifier = identifier if isinstance(identifier, str) else ""
        notes = raw.get(TOOL)
        self.notes = notes if isinstance(notes, dict) else None
        """Of a tool, which has no path (see `export`)."""
        if self.notes is not None:
            self.method, self.path, self.fragment = "", "", ""


class _Reader:
    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.file = documents.main
        self.root: dict[str, Any] = documents.load(self.file)
        self.schemas = Schemas(documents)
        self.skipped: list[Skipped] = []
        self.is_swagger2 = swagger2.is_swagger2(self.root)
        self.arguments = Arguments(self.root, self.schemas, self.skip)

    def skip(self, where: str, reason: str) -> None:
        self.skipped.append(Skipped(f"{self.file}#{where}", reason))

    def document(self, taken: Collection[str]) -> ApiDoc:
        version = self._version()
        info = self.root.get("info")
        info = info if isinstance(info, dict) else {}
        stem = self.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        title = line(info.get("title")) or stem
        found = list(self._find())
        names = tool_names([(one.identifier, one.method, one.key) for one in found])
        self._tell_alike(found)
        read: list[tuple[_Found, Operation]] = []
        for one, name in zip(found, names, strict=True):
            try:
                read.append((one, self._operation(one, name, one.where)))
            except (Unresolved, Unfit) as error:
                self.skip(one.where, f"{one.method} {one.path} is left out: {error}")
        if not read:
            self._none_left(found)
        operations = self._with_links(read)
        components = {}
        for name, reference in self.schemas.components():
            try:
                components[name] = self.schemas.whole({"$ref": reference}, self.file)
            except Unresolved as error:
                self.skip(reference[1:], str(error))
        return ApiDoc(
            name=document_name(title, self.file, taken),
            title=title,
            description=clean(info.get("description")),
            operations=tuple(operations),
            schemas=components,
            source=self.file.rsplit("/", 1)[-1],
            sha256=self.documents.sha256,
            skipped=(*self.documents.skipped, *self.skipped, *self.schemas.reports),
            form=f"{'Swagger' if self.is_swagger2 else 'OpenAPI'} {version}",
        )

    def _version(self) -> str:
        version = line(str(self.root.get("openapi", self.root.get("swagger", ""))), 20)
        if not version:
            self.skip("", "says no version; read as OpenAPI 3")
            return "3"
        if not re.match(r"^(3(\.|$)|2(\.0|$))", version):
            raise UserError(
                f"is OpenAPI {version}, which forge does not read",
                where=self.file,
                mend="convert it to 2.0, 3.0 or 3.1",
            )
        return version

    def _none_left(self, found: list[_Found]) -> None:
        mend = "give it a path with at least one of get, post, put, patch, delete"
        if not found:
            if "webhooks" in self.root:
                raise UserError("has webhooks only, no operations", where=self.file, mend=mend)
            raise UserError("has no operations", where=self.file, mend=mend)
        reason = self.skipped[-1]
        raise UserError(
            f"none of its {len(found)} operations can be read; the last: {reason.reason}",
            where=reason.where,
            mend="mend the reference or schema it names",
        )

    # --------------------------------------------------------------- operations

    def _tell_alike(self, found: list[_Found]) -> None:
        """Reports what should tell operations apart and does not."""
        often = Counter(one.identifier for one in found if one.identifier)
        for one in found:
            if (times := often[one.identifier]) > 1:
                told = f'operationId "{line(one.identifier, 60)}" is there {times} times'
                self.skip(one.where, f"{told}; a name is made of it")
            if one.fragment:
                self.skip(one.where, f"a path has no fragment; read as {one.path}")

    def _find(self) -> Iterator[_Found]:
        paths = self.root.get("paths")
        for path, raw_item in paths.items() if isinstance(paths, dict) else ():
            where = f"/paths/{escape(path)}"
            if not path.isprintable():
                self.skip("/paths", f"a path that cannot be printed: {line(path, 60)}")
                continue
            if not path.startswith("/"):
                if not path.startswith("x-"):
                    self.skip(where, "is no path: it does not begin with /")
                continue
            try:
                item, file = self.documents.follow(raw_item, self.file)
            except Unresolved as error:
                self.skip(where, str(error))
                continue
            if not isinstance(item, dict):
                self.skip(where, "is no path item")
                continue
            for method in METHODS:
                raw = item.get(method)
                if isinstance(raw, dict):
                    one = _Found(method.upper(), path, raw, file)
                    shared = item.get("parameters")
                    one.shared = shared if isinstance(shared, list) else []
                    yield one
                elif method in item:
                    self.skip(f"{where}/{method}", "is no operation")
            for method in _NO_TOOLS:
                if method in item:
                    self.skip(f"{where}/{method}", f"{method.upper()} is no tool of an agent")
        if isinstance(self.root.get("webhooks"), dict) and paths:
            self.skip("/webhooks", "webhooks are calls that the service makes itself")

    def _operation(self, found: _Found, name: str, where: str) -> Operation:
        raw, file = found.raw, found.file
        self.schemas.place = f"{self.file}#{where}"
        parameters, body_entity = self.arguments.read(raw, found.shared, found.path, file, where)
        success, failures = self._responses(found)
        media = self._success(success, where)
        result = self._result(media, where) if media else None
        description = clean(raw.get("description"))
        summary = line(raw.get("summary")) or first_sentence(description)
        if isinstance(raw.get("callbacks"), dict):
            self.skip(f"{where}/callbacks", "callbacks are calls that the service makes itself")
        tags = raw.get("tags")
        return Operation(
            name=name,
            method=found.method,
            path=found.path,
            summary=summary or f"{found.method} {found.path}",
            description=description,
            parameters=parameters,
            result=result,
            tags=tuple(line(tag) for tag in tags if isinstance(tag, str))
            if isinstance(tags, list)
            else (),
            failures=failures,
            entity=self.schemas.named(media.schema, media.file) if media else None,
            body_entity=body_entity,
            deprecated=raw.get("deprecated") is True,
            examples=tuple(self._examples(media, result, where))
            if media and result is not None
            else (),
            hints=hints_in(found.notes) if found.notes is not None else None,
            where=f"{self.file}#{where}",
        )

    def _result(self, media: Media, where: str) -> JsonSchema:
        result = self.schemas.whole(media.schema, media.file)
        missing = [n for n in result.get("required", ()) if n not in result.get("properties", {})]
        if not missing or "properties" not in result:
            return result
        for name in missing:
            self.skip(f"{where}/responses", f'"{line(name)}" is required, but not described')
        return {**result, "required": [n for n in result["required"] if n not in missing]}

    def _examples(self, media: Media, result: JsonSchema, where: str) -> list[Json]:
        return fitting(
            [fitted(one, result) for one in media.examples],
            result,
            lambda reason: self.skip(f"{where}/responses", reason),
            result.get("$defs", {}),
        )

    def _responses(self, found: _Found) -> tuple[list[tuple[dict[str, Any], str]], dict[str, str]]:
        """The success responses, best first, and status -> description of the failures."""
        responses = found.raw.get("responses")
        responses = responses if isinstance(responses, dict) else {}
        success: list[tuple[str, dict[str, Any], str]] = []
        failures: dict[str, str] = {}
        has_success = any(_SUCCESS.match(status) for status in responses)
        for status, raw in responses.items():
            is_success = bool(_SUCCESS.match(status)) or (status == "default" and not has_success)
            try:
                value, at = self.documents.follow(raw, found.file)
            except Unresolved:
                if is_success:
                    raise
                continue
            if not isinstance(value, dict):
                continue
            if is_success:
                success.append((status.upper(), value, at))
            elif not status.startswith(("1", "3", "x-")):
                failures[line(status, 20)] = line(value.get("description"), 500)
        order = {"200": "0", "201": "1"}
        success.sort(key=lambda one: order.get(one[0], one[0]))
        return [(value, at) for _, value, at in success], failures

    def _success(self, success: list[tuple[dict[str, Any], str]], where: str) -> Media | None:
        """The body of the first success response that has a schema, else an example."""
        shown = None
        for raw, file in success:
            value = swagger2.response3(raw) if self.is_swagger2 else raw
            media = media_of(value.get("content"), file, self.documents)
            if media is not None and media.is_binary:
                self.skip(f"{where}/responses", f"the result is a file ({media.kind})")
            elif media is not None and media.schema is not None:
                return media
            elif media is not None and media.examples:
                shown = shown or media
        return shown

    # ---------------------------------------------------------------------- links

    def _with_links(self, read: list[tuple[_Found, Operation]]) -> list[Operation]:
        targets = Targets([(found.identifier, one) for found, one in read])
        result = []
        for found, operation in read:
            success, _ = self._responses(found)
            where = f"{operation.where.partition('#')[2]}/responses/links"
            links = links_in(success, targets, self.documents, partial(self._skip_link, where))
            result.append(replace(operation, links=tuple(links)))
        return result

    def _skip_link(self, where: str, name: str, reason: str) -> None:
        self.skip(f"{where}/{name}", reason)
