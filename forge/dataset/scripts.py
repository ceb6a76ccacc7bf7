"""Scripts: turns of an agent written by hand, as JSON or YAML, for all tasks or by task.

    - call: {tool: list_tasks, arguments: {status: open}}
    - say: There are 3.

or `{TASK ID: [turns], "*": [turns]}`, where `*` is for every other task. A turn has `say`, `call`
or `calls`, or a `say` beside one of these. Always holds: what cannot be meant is a `UserError` with
its place in the file.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from forge.dataset.files import read_text
from forge.docs.yaml import load
from forge.errors import UserError
from forge.types.data import Json
from forge.types.rollout import ToolCall, Turn

ANY = "*"
_NOUNS = {"str": "a text", "dict": "a mapping", "list": "a list"}


def read_script(path: Path) -> dict[str, tuple[Turn, ...]]:
    """Task id -> turns; `*` for every other task."""
    value, twice = load(read_text(path), str(path), is_json=path.suffix == ".json")
    if twice:
        raise UserError(f"{twice[0].reason}", where=twice[0].where)
    if isinstance(value, list):
        return {ANY: _turns(value, str(path))}
    if not isinstance(value, dict) or not value:
        raise UserError("must be a list of turns, or such lists by task id", where=str(path))
    return {task: _turns(turns, f"{path}: {task}") for task, turns in value.items()}


def _turns(value: Json, where: str) -> tuple[Turn, ...]:
    if not isinstance(value, list):
        raise UserError("must be a list of turns", where=where)
    return tuple(
        _turn(each, f"{where}: turn {number}", number) for number, each in enumerate(value, 1)
    )


def _turn(value: Json, where: str, number: int) -> Turn:
    found = _fields(value, {"say": str, "call": dict, "calls": list}, where)
    if not found or {"call", "calls"} <= found.keys():
        raise UserError("needs `say`, `call` or `calls`", where=where)
    calls = [found["call"]] if "call" in found else found.get("calls", [])
    return Turn(
        text=found.get("say", ""),
        calls=tuple(
            _call(each, f"{where}: call {at}", f"call_{number}_{at}")
            for at, each in enumerate(calls, 1)
        ),
    )


def _call(value: Json, where: str, id: str) -> ToolCall:
    found = _fields(value, {"tool": str, "arguments": dict}, where)
    if "tool" not in found:
        raise UserError("needs `tool`", where=where)
    return ToolCall(id=id, tool=found["tool"], arguments=found.get("arguments", {}))


def _fields(value: Json, known: Mapping[str, type], where: str) -> dict[str, Json]:
    """The fields, each of its type."""
    if not isinstance(value, dict):
        raise UserError(f"must be a mapping with {_names(known)}", where=where)
    for name, each in value.items():
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            mend = f"did you mean {near[0]}?" if near else f"there are {_names(known)}"
            raise UserError(f"unknown `{name}`", where=where, mend=mend)
        if not isinstance(each, known[name]):
            raise UserError(f"`{name}` must be {_NOUNS[known[name].__name__]}", where=where)
    return value


def _names(known: Mapping[str, type]) -> str:
    return ", ".join(known)
