"""Draws the operations of the structural audit, and shows each tool beside its document.

    python evals/structural_audit.py DOCUMENT ENVIRONMENTS [--size 30] [--names]

`DOCUMENT` is one OpenAPI file, `ENVIRONMENTS` a data set that `forge synth` made of it (and maybe
of others). All operations of the document are shuffled by `random.Random` with the sha256 of the
document, so that nobody chooses, and the first `--size` that became tools are drawn: a rule that
is mended changes the draw by what it lets in or leaves out only. The whole is written as Markdown,
to be read by someone who judges. `--names` prints only what was drawn.
"""

import argparse
import ast
import hashlib
import json
import random
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from forge.dataset.environments import read_environment
from forge.synth.parts import Parts
from forge.types.environment import Environment, Tool

_DEEP = 2
"""How many references are followed, one inside the other, where a document is shown."""
_LONG = 9000
"""Characters of a document's part that are shown."""


@dataclass(frozen=True)
class Made:
    environment: Environment
    tool: Tool


def made_of(digest: str, folder: Path) -> dict[str, Made]:
    """Operation -> its tool, of the environments whose document has this sha256."""
    found: dict[str, Made] = {}
    for home in sorted(folder.rglob("environment.json")):
        environment = read_environment(home.parent)
        if digest in environment.origin:
            for tool in environment.tools:
                found.setdefault(tool.operation, Made(environment, tool))
    return found


METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def drawn(digest: str, document: Any, made: Container[str], size: int) -> list[str]:
    """The first that were made, in the document's own random order."""
    paths = document.get("paths", {})
    every = sorted(f"{m.upper()} {path}" for path in paths for m in METHODS if m in paths[path])
    random.Random(int(digest, 16)).shuffle(every)
    return [operation for operation in every if operation in made][:size]


def followed(value: Any, document: Any, depth: int = 0) -> Any:
    """With references of this document put in their places, to a depth."""
    if isinstance(value, list):
        return [followed(item, document, depth) for item in value]
    if not isinstance(value, dict):
        return value
    target = value.get("$ref")
    if isinstance(target, str) and target.startswith("#/"):
        if depth >= _DEEP:
            return {"$ref": target}
        inner = document
        for part in target[2:].split("/"):
            inner = inner.get(part.replace("~1", "/").replace("~0", "~"), {})
        return {"(from)": target.rsplit("/", 1)[-1], **followed(inner, document, depth + 1)}
    kept = {n: item for n, item in value.items() if n not in ("example", "examples")}
    return {name: followed(item, document, depth) for name, item in kept.items()}


def told(operation: str, document: Any) -> str:
    """What the document says of an operation, `GET /projects`."""
    method, _, path = operation.partition(" ")
    item = document.get("paths", {}).get(path, {})
    part = {"parameters": item.get("parameters", []), **item.get(method.lower(), {})}
    for word in ("x-code-samples", "x-codeSamples", "x-readme", "externalDocs", "x-github"):
        part.pop(word, None)
    part["responses"] = {c: r for c, r in part.get("responses", {}).items() if str(c)[:1] in "2d"}
    return json.dumps(followed(part, document), indent=1, ensure_ascii=False, default=str)[:_LONG]


def source_of(made: Made) -> str:
    """The tool's function and those that it calls."""
    text = made.environment.source
    nodes = Parts(text).needed(made.tool.name)
    return "\n\n".join(ast.get_source_segment(text, node) or "" for node in nodes)


def page(document: Any, found: dict[str, Made], operations: list[str]) -> Iterator[str]:
    for number, operation in enumerate(operations, start=1):
        made = found[operation]
        tool = made.tool
        yield f"## {number}. {operation}: `{tool.name}` in `{made.environment.name}`\n"
        yield f"The document:\n\n```json\n{told(operation, document)}\n```\n"
        yield f"The tool: {tool.description}\n"
        yield f"```json\n{json.dumps(tool.parameters, ensure_ascii=False)}\n```\n"
        yield f"```python\n{source_of(made)}\n```\n"
        names = [
            t for t in made.environment.state_schema.tables if f"'{t.name}'" in source_of(made)
        ]
        for table in names:
            columns = ", ".join(_column(c.name, c.references, c.generated) for c in table.columns)
            yield f"Table `{table.name}`, key {list(table.key)}, parent {table.parent}: {columns}\n"


def _column(name: str, references: str | None, generated: str | None) -> str:
    return (
        name
        + (f" -> {references}" if references else "")
        + (f" ({generated})" if generated else "")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("document", type=Path)
    parser.add_argument("environments", type=Path)
    parser.add_argument("--size", type=int, default=30)
    parser.add_argument("--names", action="store_true")
    asked = parser.parse_args()
    content = asked.document.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    found = made_of(digest, asked.environments)
    document = yaml.load(content, Loader=yaml.CSafeLoader)
    operations = drawn(digest, document, found, asked.size)
    if asked.names:
        print("\n".join(operations))
        return
    print(f"# {asked.document.name}: {len(operations)} of {len(found)} operations\n")
    print("\n".join(page(document, found, operations)))


if __name__ == "__main__":
    main()
