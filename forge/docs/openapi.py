"""OpenAPI 3.0 and 3.1 (and 2.0, through `swagger2`) to an `ApiDoc`.

One operation that cannot be read is skipped with the reason; the rest stands. What only carries
the call (credentials, transport headers, sessions) is no argument. Envelopes are left as they are.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from forge.docs import swagger2
from forge.docs.media import Media, chosen
from forge.docs.names import argument_names, document_name, tool_names
from forge.docs.refs import Documents, Unresolved, escape
from forge.docs.schema import Schemas, deal, fitted, kinds_of, parsed
from forge.docs.text import clean, first_sentence, line
from forge.errors import UserError
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Link, Location, Operation, Parameter, Skipped

METHODS = ("get", "post", "put", "patch", "delete")
_NO_TOOLS = ("head", "options", "trace", "query", "connect")

_TRANSPORT = (
    "accept accept-charset accept-encoding accept-language authorization cache-control connection"
    " content-disposition content-encoding content-length content-md5 content-type cookie date dnt"
    " etag expect forwarded host idempotency-key if-match if-modified-since if-none-match"
    " if-unmodified-since origin pragma prefer proxy-authorization range referer te traceparent"
    " tracestate user-agent via x-api-key x-api-version x-auth-token x-correlation-id x-csrf-token"
    " x-forwarded-for x-forwarded-host x-forwarded-proto x-http-method-override x-idempotency-key"
    " x-real-ip x-request-id x-requested-with x-trace-id"
)
_TRANSPORT_NAMES = frozenset(_TRANSPORT.split())
_CREDENTIAL = re.compile(
    r"^(x[-_])?(api[-_]?key|apikey|access[-_]?token|auth([-_]?token)?|authorization|bearer([-_]?token)?"
    r"|oauth[-_]?token|id[-_]?token|jwt|client[-_]?secret|authentication|user[-_]?agent)$",
    re.IGNORECASE,
)
_VERSION_HEADER = re.compile(r"^([a-z0-9]+-)*version$", re.IGNORECASE)
_SESSION_COOKIE = re.compile(r"(sess|sid$|csrf|xsrf|token|auth|jwt|login)", re.IGNORECASE)
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

    def __init__(self, method: str, path: str, raw: dict[str, Any], file: str) -> None:
        self.method, self.path, self.raw, self.file = method, path, raw, file
        self.shared: list[Json] = []
        identifier = raw.get("operationId")
        self.identifier = identifier if isinstance(identifier, str) else ""


class _Reader:
    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.file = documents.main
        self.root: dict[str, Any] = documents.load(self.file)
        self.schemas = Schemas(documents)
        self.skipped: list[Skipped] = []
        self.is_swagger2 = str(self.root.get("swagger", "")).startswith("2")
        self.credentials = self._credentials()

    def skip(self, where: str, reason: str) -> None:
        self.skipped.append(Skipped(f"{self.file}#{where}", reason))

    def document(self, taken: Collection[str]) -> ApiDoc:
        self._check_version()
        info = self.root.get("info")
        info = info if isinstance(info, dict) else {}
        stem = self.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        title = line(info.get("title")) or stem
        found = list(self._find())
        names = tool_names([(one.identifier, one.method, one.path) for one in found])
        read: list[tuple[_Found, Operation]] = []
        for one, name in zip(found, names, strict=True):
            where = f"/paths/{escape(one.path)}/{one.method.lower()}"
            try:
                read.append((one, self._operation(one, name, where)))
            except (Unresolved, _Unfit) as error:
                self.skip(where, f"{one.method} {one.path} is left out: {error}")
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
            skipped=(*self.documents.skipped, *self.skipped),
        )

    def _check_version(self) -> None:
        version = str(self.root.get("openapi", self.root.get("swagger", "")))
        if not version:
            self.skip("", "says no version; read as OpenAPI 3")
        elif not re.match(r"^(3(\.|$)|2(\.0|$))", version):
            raise UserError(
                f"is OpenAPI {line(version, 20)}, which forge does not read",
                where=self.file,
                mend="convert it to 2.0, 3.0 or 3.1",
            )

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

    def _credentials(self) -> set[tuple[str, str]]:
        """(place, name in lower case) of each parameter that a security scheme names."""
        components = self.root.get("components")
        schemes = self.root.get("securityDefinitions") or (
            components.get("securitySchemes") if isinstance(components, dict) else None
        )
        result = set()
        for raw in schemes.values() if isinstance(schemes, dict) else ():
            scheme = self._followed(raw)
            if isinstance(scheme, dict) and scheme.get("type") == "apiKey":
                result.add((str(scheme.get("in")), str(scheme.get("name")).lower()))
        return result

    def _followed(self, raw: Json) -> Json:
        try:
            return self.documents.follow(raw, self.file)[0]
        except Unresolved:
            return None

    # --------------------------------------------------------------- operations

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
        declared = self._declared(found, where)
        body_raw, responses = raw.get("requestBody"), raw.get("responses")
        if self.is_swagger2:
            declared, body_raw = swagger2.body_apart(declared, raw, self.root)
        responses = responses if isinstance(responses, dict) else {}
        fields = self._plain(declared, found, where)
        body_fields, body_entity = self._body(body_raw, file, where)
        fields += body_fields
        named = argument_names([(one.field, one.location) for one in fields], found.path)
        parameters = tuple(replace(one, name=name) for one, name in zip(fields, named, strict=True))
        success, failures = self._responses(responses, file)
        media = self._success(success, where)
        result = self.schemas.whole(media.schema, media.file) if media else None
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
            examples=tuple(fitted(one, result) for one in media.examples)
            if media and result is not None
            else (),
            where=f"{self.file}#{where}",
        )

    def _declared(self, found: _Found, where: str) -> list[tuple[dict[str, Any], str]]:
        """The parameter objects, references followed; the operation's own replace its path's."""
        own = found.raw.get("parameters")
        result: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
        for raw in (*found.shared, *(own if isinstance(own, list) else ())):
            value, file = self.documents.follow(raw, found.file)
            if not isinstance(value, dict) or not isinstance(value.get("name"), str):
                self.skip(f"{where}/parameters", "a parameter without a name")
                continue
            result[value["name"], str(value.get("in"))] = (value, file)
        return list(result.values())

    def _plain(
        self, declared: list[tuple[dict[str, Any], str]], found: _Found, where: str
    ) -> list[Parameter]:
        """The arguments that go in path, query, header or cookie."""
        in_path = re.findall(r"\{([^{}/]+)\}", found.path)
        result = []
        for raw, file in declared:
            name, location = raw["name"], raw.get("in")
            if location not in ("path", "query", "header", "cookie"):
                self.skip(f"{where}/parameters", f'"{line(name)}" is in no known place')
                continue
            if location == "path" and name not in in_path:
                self.skip(f"{where}/parameters", f'"{line(name)}" is not in the path {found.path}')
                continue
            if self._carries(name, location):
                continue
            result.append(self._parameter(raw, file, name, location))
        known = {one.field for one in result if one.location == "path"}
        for name in in_path:
            if name not in known:
                self.skip(where, f'"{line(name)}" of the path is not declared; taken as text')
                result.append(Parameter(name, name, "path", {"type": "string"}, required=True))
        return result

    def _carries(self, name: str, location: str) -> bool:
        """Whether a parameter only carries the call: who calls, and how it travels."""
        lower = name.lower()
        if (location, lower) in self.credentials or (
            location in ("query", "header", "cookie") and _CREDENTIAL.match(name)
        ):
            return True
        if location == "header":
            return lower in _TRANSPORT_NAMES or bool(_VERSION_HEADER.match(name))
        return location == "cookie" and bool(_SESSION_COOKIE.search(name))

    def _parameter(
        self, raw: dict[str, Any], file: str, name: str, location: Location
    ) -> Parameter:
        schema_raw = raw.get("schema")
        if schema_raw is None and isinstance(raw.get("content"), dict):
            first = next(iter(raw["content"].values()), None)
            schema_raw = first.get("schema") if isinstance(first, dict) else None
        if schema_raw is None and self.is_swagger2:
            schema_raw = swagger2.inline_schema(raw)
        schema = self.schemas.whole(schema_raw, file)
        if "examples" not in schema:
            given = [raw["example"]] if "example" in raw else self._example_values(raw, file)
            if given:
                schema = {
                    **schema,
                    "examples": [fitted(parsed_for(schema, one), schema) for one in given],
                }
        return Parameter(
            name=name,
            field=name,
            location=location,
            schema=schema,
            required=location == "path" or raw.get("required") is True,
            description=clean(raw.get("description")) or schema.get("description", ""),
        )

    def _example_values(self, raw: dict[str, Any], file: str) -> list[Json]:
        found = raw.get("examples")
        values = []
        for one in found.values() if isinstance(found, dict) else ():
            try:
                value, _ = self.documents.follow(one, file)
            except Unresolved:
                continue
            if isinstance(value, dict) and "value" in value:
                values.append(value["value"])
        return values

    # ------------------------------------------------------------ bodies, results

    def _media(self, content: Json, file: str) -> Media | None:
        """The media type that is read, of those offered."""
        if not isinstance(content, dict):
            return None
        media = chosen(content)
        if media is None:
            return None
        kind, raw = media
        examples = [raw["example"]] if "example" in raw else self._example_values(raw, file)
        return Media(kind, raw.get("schema"), file, [parsed(one) for one in examples])

    def _body(self, raw: Json, file: str, where: str) -> tuple[list[Parameter], str | None]:
        """The arguments that go in the body, and the name of its schema."""
        body, file = self.documents.follow(raw, file)
        if not isinstance(body, dict):
            return [], None
        media = self._media(body.get("content"), file)
        if media is None:
            return [], None
        if media.is_binary:
            raise _Unfit(f"its body is a file ({media.kind})")
        required = body.get("required") is True
        schema = self.schemas.whole(media.schema, media.file)
        definitions = schema.get("$defs", {})
        entity = self.schemas.named(media.schema, media.file)
        if not _is_flat(schema):
            if "examples" not in schema and media.examples:
                schema = {**schema, "examples": [fitted(one, schema) for one in media.examples]}
            description = clean(body.get("description")) or schema.get("description", "")
            whole = Parameter(
                "body", "body", "body", schema, required, description, whole_body=True
            )
            return [whole], entity
        properties = dict(schema["properties"])
        for example in media.examples:
            if isinstance(example, dict):
                deal(properties, example)
        wanted = set(schema.get("required", ())) if required or _must_have(schema) else set()
        result = []
        for name, value in properties.items():
            opened = self.schemas.closed(value)
            if opened.get("readOnly"):
                continue
            if is_file(opened):
                if name in wanted or len(properties) == 1:
                    raise _Unfit(f'its argument "{line(name)}" is a file')
                self.skip(f"{where}/requestBody", f'"{line(name)}" is a file; left out')
                continue
            description = opened.get("description", "")
            result.append(Parameter(name, name, "body", opened, name in wanted, description))
        if definitions and not result and properties:
            return [], entity
        return result, entity

    def _responses(
        self, responses: dict[str, Json], file: str
    ) -> tuple[list[tuple[dict[str, Any], str]], dict[str, str]]:
        """The success responses, best first, and status -> description of the failures."""
        success: list[tuple[str, dict[str, Any], str]] = []
        failures: dict[str, str] = {}
        has_success = any(_SUCCESS.match(status) for status in responses)
        for status, raw in responses.items():
            is_success = bool(_SUCCESS.match(status)) or (status == "default" and not has_success)
            try:
                value, at = self.documents.follow(raw, file)
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
            media = self._media(value.get("content"), file)
            if media is not None and media.is_binary:
                self.skip(f"{where}/responses", f"the result is a file ({media.kind})")
            elif media is not None and media.schema is not None:
                return media
            elif media is not None and media.examples:
                shown = shown or media
        return shown

    # ---------------------------------------------------------------------- links

    def _with_links(self, read: list[tuple[_Found, Operation]]) -> list[Operation]:
        by_id = {found.identifier: one for found, one in read if found.identifier}
        by_place = {(one.path, one.method): one for _, one in read}
        result = []
        for found, operation in read:
            links = list(self._links(found, operation, by_id, by_place))
            result.append(replace(operation, links=tuple(links)) if links else operation)
        return result

    def _links(
        self,
        found: _Found,
        operation: Operation,
        by_id: dict[str, Operation],
        by_place: dict[tuple[str, str], Operation],
    ) -> Iterator[Link]:
        responses = found.raw.get("responses")
        success, _ = self._responses(responses if isinstance(responses, dict) else {}, found.file)
        seen = set()
        for response, file in success:
            raw_links = response.get("links")
            for name, raw in raw_links.items() if isinstance(raw_links, dict) else ():
                where = operation.where.partition("#")[2] + "/responses/links/" + escape(name)
                try:
                    link, _ = self.documents.follow(raw, file)
                except Unresolved as error:
                    self.skip(where, str(error))
                    continue
                target = _target(link, by_id, by_place)
                if target is None:
                    self.skip(where, "a link to no operation of this document")
                    continue
                for made in _carried(link, target):
                    if made not in seen:
                        seen.add(made)
                        yield made


class _Unfit(Exception):
    """An operation that cannot be a tool; the message says why."""


def parsed_for(schema: JsonSchema, value: Json) -> Json:
    return value if kinds_of(schema) <= {"string", "null"} else parsed(value)


def is_file(schema: JsonSchema) -> bool:
    inner = schema.get("items", schema)
    return "binary" in (inner.get("format"), inner.get("type")) or inner.get("type") == "file"


def _is_flat(schema: JsonSchema) -> bool:
    """Whether a body is an object whose properties can be arguments."""
    return bool(schema.get("properties")) and "oneOf" not in schema and not _chooses(schema)


def _chooses(schema: JsonSchema) -> bool:
    """Whether `anyOf` offers other properties, more than which of the known are required."""
    parts = schema.get("anyOf", ())
    return any(set(part) - {"required", "type", "title", "description"} for part in parts)


def _must_have(schema: JsonSchema) -> bool:
    """A body that has required properties is taken as required, whatever the document forgets."""
    return bool(schema.get("required"))


def _target(
    link: Json, by_id: dict[str, Operation], by_place: dict[tuple[str, str], Operation]
) -> Operation | None:
    if not isinstance(link, dict):
        return None
    if isinstance(link.get("operationId"), str):
        return by_id.get(link["operationId"])
    reference = link.get("operationRef")
    if isinstance(reference, str):
        steps = reference.partition("#/paths/")[2].split("/")
        if len(steps) == 2:
            path = steps[0].replace("~1", "/").replace("~0", "~")
            for escaped in (
                path,
                re.sub("%7B", "{", re.sub("%7D", "}", path, flags=re.I), flags=re.I),
            ):
                if (escaped, steps[1].upper()) in by_place:
                    return by_place[escaped, steps[1].upper()]
    return None


def _carried(link: dict[str, Any], target: Operation) -> Iterator[Link]:
    """The arguments of the target that come out of the response body."""
    by_field = {(one.location, one.field): one.name for one in target.parameters}
    places: list[tuple[str, Json]] = []
    parameters = link.get("parameters")
    for key, value in parameters.items() if isinstance(parameters, dict) else ():
        location, _, field = key.partition(".")
        for place in ("path", "query", "header", "cookie"):
            exact = (place, field) if location == place and field else (place, key)
            if exact in by_field:
                places.append((by_field[exact], value))
                break
    body = link.get("requestBody")
    for key, value in body.items() if isinstance(body, dict) else (("body", body),):
        if ("body", key) in by_field:
            places.append((by_field["body", key], value))
    for name, value in places:
        if isinstance(value, str) and value.startswith("$response.body"):
            yield Link(target.name, name, value.removeprefix("$response.body").removeprefix("#"))
