"""A whole document held against the specification it names, by openapi-spec-validator.

Reading never needs this: it checks what it reads, operation by operation, and goes on. What is
referred to is loaded as reading does it: from under the same root, never over the network.
"""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema import ValidationError

from forge.docs.refs import Documents, escape
from forge.docs.swagger2 import is_swagger2
from forge.docs.text import line
from forge.errors import UserError
from forge.types.doc import Skipped

_HOME = "file:///"
"""Stands for the root folder of the documents."""


class _Loaders(dict[str, Callable[[str], Any]]):
    """One loader for every scheme, so that the library never uses one of its own."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents

    def __contains__(self, scheme: object) -> bool:
        return True

    def __getitem__(self, scheme: str) -> Callable[[str], Any]:
        return self.load

    def load(self, uri: str) -> Any:
        if not uri.startswith(_HOME):
            raise LookupError(f"{uri} is not under the folder of the document")
        file = unquote(urlsplit(uri).path).removeprefix("/")
        if not (self.documents.root / file).resolve().is_relative_to(self.documents.root):
            raise LookupError(f"{file} is outside the folder of the document")
        return self.documents.load(file)


def violations(documents: Documents) -> Iterator[Skipped]:
    """Where the main document breaks its specification. Raises UserError without the library."""
    try:
        from jsonschema_path import SchemaPath
        from openapi_spec_validator import (
            OpenAPIV2SpecValidator,
            OpenAPIV30SpecValidator,
            OpenAPIV31SpecValidator,
        )
    except ImportError:
        raise UserError(
            "validating needs openapi-spec-validator",
            mend="pip install 'forge-envs[validate]'",
        ) from None
    root: Any = documents.load(documents.main)
    kinds = {
        "2": OpenAPIV2SpecValidator,
        "3.0": OpenAPIV30SpecValidator,
        "3.1": OpenAPIV31SpecValidator,
    }
    later = "3.1" if str(root.get("openapi", "")).startswith("3.1") else "3.0"
    kind = kinds["2" if is_swagger2(root) else later]
    path = SchemaPath.from_dict(root, base_uri=_HOME + documents.main, handlers=_Loaders(documents))
    file = documents.main
    try:
        for whole in kind(path).iter_errors():
            error = _meant(whole)
            pointer = "".join(f"/{escape(str(step))}" for step in error.absolute_path)
            yield Skipped(f"{file}#{pointer}", line(error.message, 300))
    except Exception as error:  # boundary: a broken document makes the library itself fail
        why = f"{type(error).__name__}: {error}"
        yield Skipped(f"{file}#", line(f"it cannot be validated further: {why}", 300))


def _meant(error: ValidationError) -> ValidationError:
    """Of what fits none of several forms, why it does not fit the likeliest: the deepest, and where
    a reference might have stood, not that there is none."""
    while error.context:
        parts = [one for one in error.context if "$ref" not in one.message] or error.context
        error = max(parts, key=lambda one: len(one.absolute_path))
    return error
