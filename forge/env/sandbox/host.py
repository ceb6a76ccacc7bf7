"""The host's side of the table API: which function of the store answers a call of a tool."""

from collections.abc import Callable
from typing import NoReturn

from forge.env.sandbox.words import FAILURES
from forge.env.store import Store
from forge.errors import ToolBug, ToolError
from forge.types.data import Json

LONGEST_MESSAGE = 2_000
"""Characters of a refusal that the agent is shown."""


def _fail(_store: Store, kind: str, message: str) -> NoReturn:
    """Refuses, for the agent to read. ToolBug if the kind is none of the four."""
    if kind not in FAILURES:
        raise ToolBug(f"fail() with the kind {kind!r}; there are {', '.join(sorted(FAILURES))}")
    if not isinstance(message, str):
        raise ToolBug(f"fail() with a message that is no text: {message!r:.80}")
    raise ToolError(kind, message[:LONGEST_MESSAGE])


ANSWERS: dict[str, Callable[..., Json]] = {
    "get": Store.get,
    "find": Store.find,
    "count": Store.count,
    "insert": Store.insert,
    "update": Store.update,
    "delete": Store.delete,
    "save": Store.save,
    "me": Store.me,
    "now": Store.now,
    "today": Store.today,
    "fail": _fail,
}
"""Each takes the store, then what the tool passed."""
