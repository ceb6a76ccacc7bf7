"""What a tool will look up first, sent along with its call: one round trip to the worker less.

A tool mostly begins with the same look at the records, by what it was passed. What it was the last
time says what it will be; the host looks it up and sends the answer along. The worker takes it
where the tool asks for just that, and else asks, as it would have anyway.

Always holds: the answer is that which the host would give, for a write that comes before it makes
it void; only calls whose values are all texts are foreseen, so that equal ones are the same ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from forge.env.sandbox.host import ANSWERS
from forge.env.store import Store
from forge.errors import ToolBug, ToolError
from forge.types.data import Json

LOOKS = ("get", "find")
WRITES = ("insert", "update", "delete", "save")
ASKED, MISSED = "_asked_", "_missed_"
"""Before the name by which the worker asks the host after all: where nothing was foreseen (any
more), and where something else was."""

_LOOK = """
def {name}(*args, **named):
    if not _foreseen:
        return _asked_{name}(*args, **named)
    look, refusal, answer = _foreseen
    _foreseen.clear()
    if look != ["{name}", list(args), named]:
        return _missed_{name}(*args, **named)
    if refusal is not None:
        raise Exception(refusal)
    return answer
"""
_WRITE = """
def {name}(*args, **named):
    if not _foreseen:
        return _asked_{name}(*args, **named)
    _foreseen.clear()
    return _missed_{name}(*args, **named)
"""

SOURCE = "_foreseen = []\n" + "".join(
    [*(_LOOK.format(name=name) for name in LOOKS), *(_WRITE.format(name=name) for name in WRITES)]
)
"""For the worker, before the tools."""


def plain_name(name: str) -> str:
    """The name in the table API of what the worker calls."""
    return name.removeprefix(ASKED).removeprefix(MISSED)


@dataclass(frozen=True, slots=True)
class Look:
    """A call of the table API, and what it gave or how it was refused."""

    name: str
    args: tuple[str, ...]
    named: Mapping[str, str]
    answer: Json = None
    refusal: ToolError | None = None

    def sent(self) -> list[Json]:
        """For the worker."""
        refusal = None if self.refusal is None else str(self.refusal)
        return [[self.name, list(self.args), dict(self.named)], refusal, self.answer]


@dataclass(frozen=True, slots=True)
class _Habit:
    """A look whose values are constants or, where marked so, arguments of the tool."""

    name: str
    args: tuple[tuple[str, bool], ...]
    named: tuple[tuple[str, tuple[str, bool]], ...]


class Habits:
    """How the tools of a program began when they were called last."""

    def __init__(self) -> None:
        self._of: dict[str, _Habit] = {}

    def foresee(self, tool: str, arguments: Mapping[str, Json], store: Store) -> Look | None:
        """The tool's first look at the records as they are, as far as its habits say."""
        habit = self._of.get(tool)
        if habit is None:
            return None
        args = tuple(_told(part, arguments) for part in habit.args)
        named = {name: _told(part, arguments) for name, part in habit.named}
        texts = [text for text in (*args, *named.values()) if isinstance(text, str)]
        if len(texts) < len(args) + len(named):
            return None
        try:
            return Look(habit.name, args, named, ANSWERS[habit.name](store, *args, **named))
        except ToolError as error:
            return Look(habit.name, args, named, refusal=error)
        except ToolBug:
            return None

    def note(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        asked: str,
        args: tuple[Json, ...],
        named: Mapping[str, Json],
    ) -> None:
        """What the worker asks first of the host."""
        if tool in self._of and not asked.startswith(MISSED):
            return
        name = plain_name(asked)
        values = (*args, *named.values())
        if name not in LOOKS or not all(isinstance(value, str) for value in values):
            self._of.pop(tool, None)
            return
        passed = {value: each for each, value in arguments.items() if isinstance(value, str)}
        self._of[tool] = _Habit(
            name,
            tuple(_part(value, passed) for value in args),
            tuple((each, _part(value, passed)) for each, value in named.items()),
        )


def _part(value: str, passed: Mapping[str, str]) -> tuple[str, bool]:
    return (passed[value], True) if value in passed else (value, False)


def _told(part: tuple[str, bool], arguments: Mapping[str, Json]) -> Json:
    text, is_argument = part
    return arguments.get(text) if is_argument else text
