"""What was read from a document, whatever its form: operations with JSON-Schema parameters.

Always holds: argument names are unique within an operation and legal Python identifiers that are
no keywords; schemas hold no `$ref` but into their own `$defs`; every value can be dumped as JSON.
"""

from dataclasses import dataclass, field
from typing import Literal

from forge.types.data import Json, JsonSchema

Location = Literal["path", "query", "header", "cookie", "body"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation. A JSON or form body that is an object is flattened: each of
    its top-level properties is a parameter with `location == "body"`; a body of another type is
    one parameter named `body` with `whole_body` set."""

    name: str
    """The tool's argument name: a Python identifier, unique in the operation, stable."""
    field: str
    """The name in the document."""
    location: Location
    schema: JsonSchema
    required: bool = False
    description: str = ""
    whole_body: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An OpenAPI link: the value at `source` (a JSON pointer into this operation's response body)
    is argument `parameter` of operation `target` (a tool name)."""

    target: str
    parameter: str
    source: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What a tool list says of a tool beside its schemas; None where it does not say."""

    reads: bool | None = None
    """It changes nothing."""
    destroys: bool | None = None
    """It may take away what is there."""
    repeats: bool | None = None
    """Calling it again with the same arguments changes nothing more."""


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    """The tool name: a Python identifier of at most 64 characters, unique in the document, the
    same whatever the order of paths."""
    method: str
    """GET, POST, PUT, PATCH, DELETE, or "" where the document has no methods."""
    path: str
    """`/projects/{project_id}`, or "" where the document has no paths."""
    summary: str
    """Never empty: made from method and path where the document says nothing."""
    description: str
    parameters: tuple[Parameter, ...]
    result: JsonSchema | None
    """The schema of the first success response (200, 201, 2XX, default), or None for no body."""
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    """Status code -> description, of the error responses."""
    entity: str | None = None
    """The component schema that the result (or its items) is, by name, where the document says."""
    body_entity: str | None = None
    """The same of the request body."""
    deprecated: bool = False
    examples: tuple[Json, ...] = ()
    """Example results."""
    hints: Hints | None = None
    where: str = ""
    """File name and line or pointer, for reports; never an absolute path."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that was skipped, or not read as it stands: `where` in the document, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApiDoc:
    name: str
    """A short identifier made from the title: `[a-z][a-z0-9_]*`."""
    title: str
    description: str
    operations: tuple[Operation, ...]
    schemas: dict[str, JsonSchema]
    """The component schemas by their names, each self-contained."""
    source: str
    """The file's name, without its folder where it is the only one of that name."""
    sha256: str
    skipped: tuple[Skipped, ...] = ()
    form: str = ""
    """What it is written in: "OpenAPI 3.0.3", "Markdown", "tool list"."""
    invalid: tuple[Skipped, ...] | None = None
    """Where it breaks the specification of its form; None where that was not asked."""
    overlaps: tuple[str, ...] = ()
    """Known benchmarks whose tools these are."""
