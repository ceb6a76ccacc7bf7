"""Environments on disk: one folder each, readable and writable by hand.

Always holds: a folder is an environment from the moment its `environment.json` is there, and that
is written last; what forge checked is remembered by its hash in `checks.json`, so that a folder
someone edited later is known as theirs.
"""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from forge.dataset.files import (
    SAFE_NAME,
    compact,
    parse_json,
    parse_model,
    read_text,
    remove,
    write_json,
    write_text,
)
from forge.dataset.hashes import environment_hash
from forge.errors import UserError
from forge.types.data import Data, Json
from forge.types.environment import Environment, ToolGraph
from forge.types.state import State

APART = ("source", "bases", "nows")
"""Fields of an environment that have files of their own."""


class BaseFile(Data):
    """`bases/NAME.json`."""

    now: str
    state: State


class Checks(Data):
    """`checks.json`: the hash of the environment that was checked, and each tool's checks."""

    hash: str
    edited: bool = False
    """Whether the environment was not as forge had made it: it is somebody's work."""
    tools: dict[str, Json] = Field(default_factory=dict)


def read_environment(folder: Path) -> Environment:
    """Raises a `UserError` that names the file and the field. The base states are read, not yet
    checked against the schema: that is done when the environment is opened."""
    path = folder / "environment.json"
    if not path.is_file():
        raise UserError("not an environment: there is no environment.json", where=str(folder))
    content = parse_json(read_text(path), str(path))
    if not isinstance(content, dict):
        raise UserError("must be a JSON object", where=str(path))
    for name in APART:
        if name in content:
            home = "tools.py" if name == "source" else "bases/NAME.json"
            raise UserError(f"{name}: not here", where=str(path), mend=f"it belongs in {home}")
    bases = {
        file.stem: parse_model(BaseFile, parse_json(read_text(file), str(file)), str(file))
        for file in sorted(folder.glob("bases/*.json"))
    }
    if not bases:
        raise UserError("there is no base state", where=str(folder), mend="add bases/NAME.json")
    source = read_text(folder / "tools.py")
    states = {name: base.state for name, base in bases.items()}
    nows = {name: base.now for name, base in bases.items()}
    whole = content | {"source": source, "bases": states, "nows": nows}
    return parse_model(Environment, whole, str(path))


def write_environment(
    environment: Environment,
    folder: Path,
    *,
    graph: ToolGraph | None = None,
    checks: Mapping[str, Data] | None = None,
) -> None:
    """`checks` are the tools' checks, by tool. Files in the folder that are not forge's stay."""
    for base in environment.bases:
        if not SAFE_NAME.fullmatch(base):
            raise UserError(f"{base!r} cannot be the name of a base state", where=str(folder))
    marker = folder / "environment.json"
    remove(marker)
    for old in sorted(folder.glob("bases/*.json")):
        if old.stem not in environment.bases:
            remove(old)
    for name, state in environment.bases.items():
        write_json(
            folder / "bases" / f"{name}.json", {"now": environment.nows[name], "state": state}
        )
    write_text(folder / "tools.py", environment.source)
    if graph is not None:
        write_json(folder / "graph.json", compact(graph))
    if checks is not None:
        file = Checks(hash=environment_hash(environment), tools=compact(dict(checks)))
        write_json(folder / "checks.json", compact(file))
    content = compact(environment)
    write_json(marker, {name: content[name] for name in content if name not in APART})


def read_graph(folder: Path) -> ToolGraph | None:
    """None if the environment has none: it was written by hand."""
    path = folder / "graph.json"
    if not path.exists():
        return None
    return parse_model(ToolGraph, parse_json(read_text(path), str(path)), str(path))


def read_checks(folder: Path) -> Checks | None:
    """None if forge has never checked the environment for keeps: it was written by hand."""
    path = folder / "checks.json"
    if not path.exists():
        return None
    return parse_model(Checks, parse_json(read_text(path), str(path)), str(path))
