"""The back end for trusted code: CPython, in this process. For speed, and for export.

Only for an environment that the user says they trust. The rules of `source.py` and the short list
of builtins keep honest tools to the language that both back ends share; they are no wall. Nothing
here stops an endless loop, memory, recursion up to Python's own limit, a huge number, or a
regular expression that never ends, and no limit of `Limits` is kept.
"""

import __future__

import builtins
import importlib
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, ModuleType, TracebackType
from typing import Any, Self

from forge.env.identity import copied
from forge.env.prelude import PRELUDE
from forge.env.sandbox.host import ANSWERS
from forge.env.sandbox.source import python_name
from forge.env.sandbox.words import BUILTINS, MODULES
from forge.env.store import Store
from forge.errors import ToolBug, ToolError, UserError
from forge.types.data import Json

_FILE = "tools.py"
_OF_DATETIME = frozenset({"_strptime", "time"})
"""What strptime and strftime import in the name of their caller."""


class _Current(threading.local):
    """The store that the call of this thread works on."""

    store: Store


class _Beyond(BaseException):
    """A bug on its way out, that `except Exception` in a tool does not stop."""

    def __init__(self, bug: ToolBug) -> None:
        self.bug = bug
        super().__init__(bug.reason)


class NativeSandbox:
    def __init__(self, source: str) -> None:
        self._current = _Current()
        self._words: dict[str, Any] = {"__name__": "tools", "__builtins__": _builtins()}
        for name, answer in ANSWERS.items():
            self._words[name] = _word(answer, self._current)
        self._load(PRELUDE, "prelude.py")
        self._load(source, _FILE)

    def extended(self, source: str) -> "NativeSandbox":
        """Shares what is loaded, so it costs what `source` does."""
        twin = object.__new__(NativeSandbox)
        twin._current, twin._words = self._current, dict(self._words)
        twin._load(source, _FILE)
        return twin

    def run(self, tool: str, arguments: dict[str, Json], store: Store) -> Json:
        self._current.store = store
        passed = {python_name(name): copied(each) for name, each in arguments.items()}
        try:
            return self._words[tool](**passed)
        except ToolError:
            raise
        except _Beyond as error:
            raise error.bug from None
        except Exception as error:  # the boundary: a tool may raise anything
            raise ToolBug(_reason(error)) from error

    def close(self) -> None:
        """Nothing is held."""

    def _load(self, source: str, name: str) -> None:
        try:
            exec(_compiled(source, name), self._words)
        except Exception as error:  # the boundary: the source may raise anything
            raise UserError(f"does not load: {_reason(error)}", where=_FILE) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _word(answer: Callable[..., Json], current: _Current) -> Callable[..., Json]:
    def word(*args: Json, **named: Json) -> Json:
        try:
            return answer(current.store, *args, **named)
        except ToolBug as bug:
            raise _Beyond(bug) from bug

    return word


def _builtins() -> dict[str, object]:
    every = vars(builtins)
    few = {name: every[name] for name in BUILTINS}
    return few | {"print": _discard, "__import__": _import}


def _import(
    name: str,
    _words: Mapping[str, object] | None = None,
    _own: Mapping[str, object] | None = None,
    _names: Sequence[str] = (),
    level: int = 0,
) -> ModuleType:
    if level or (name not in MODULES and name not in _OF_DATETIME):
        raise ImportError(f"import of {name!r} is not allowed")
    return importlib.import_module(name)


def _discard(*_values: object, **_options: object) -> None:
    """What tools print goes nowhere."""


def _compiled(source: str, name: str) -> CodeType:
    """Annotations are never worked out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = __future__.annotations.compiler_flag
        code: CodeType = compile(source, name, "exec", flags=flags, dont_inherit=True)
        return code


def _reason(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == _FILE]
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {str(error)[:400]}{where}"
