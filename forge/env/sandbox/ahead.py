"""What a tool will look up first, sent along with its call: round trips to the worker less.

A tool mostly begins with looks at the records, by what it was passed. Which, its source says
(`opening.py`), or else what they were the last time; the host looks them up and sends the answers
along. The worker takes them where the tool asks for just that, and else asks, as it would have
anyway. Where the source says that the tool begins so, and it is refused, it need not even be called.

Always holds: the answer is that which the host would give, for a write that comes before it makes
it void; only calls whose values are all texts are foreseen by habit, so that equal ones are the same
ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge.env.sandbox.host import ANSWERS
from forge.env.sandbox.opening import Part, openings
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
    look, refusal, answer = _foreseen.pop(0)
    if look != ["{name}", list(args), named]:
        _foreseen.clear()
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
    args: tuple[Json, ...]
    named: Mapping[str, Json]
    answer: Json = None
    refusal: ToolError | None = None

    def sent(self) -> list[Json]:
        """For the worker."""
        refusal = None if self.refusal is None else str(self.refusal)
        return [[self.name, list(self.args), dict(self.named)], refusal, self.answer]


@dataclass(frozen=True, slots=True)
class _Habit:
    name: str
    args: tuple[Part, ...]
    named: tuple[tuple[str, Part], ...]


class Habits:
    """How the tools of a program begin: as their source says, or else did when called last."""

    def __init__(self, source: str) -> None:
        self._sure = openings(source)
        self._of: dict[str, _Habit] = {}

    def foresee(self, tool: str, passed: Mapping[str, Json], store: Store) -> list[Look]:
        """The tool's first looks at the records as they are. ToolError where one of them is sure to
        be refused."""
        if tool in self._sure:
            return list(self._surely(tool, passed, store))
        habit = self._of.get(tool)
        if habit is None:
            return []
        args = tuple(part.told(passed) for part in habit.args)
        named = {name: part.told(passed) for name, part in habit.named}
        if not all(isinstance(value, str) for value in (*args, *named.values())):
            return []
        try:
            return [Look(habit.name, args, named, ANSWERS[habit.name](store, *args, **named))]
        except ToolError as error:
            return [Look(habit.name, args, named, refusal=error)]
        except ToolBug:
            return []

    def _surely(self, tool: str, passed: Mapping[str, Json], store: Store) -> Iterator[Look]:
        opening = self._sure[tool]
        if not opening.fits(passed):
            return
        for parts in opening.gets:
            args = tuple(part.told(passed) for part in parts)
            if not all(type(value) in (str, int) for value in args):
                return
            try:
                yield Look("get", args, {}, ANSWERS["get"](store, *args))
            except ToolBug:
                return

    def note(
        self,
        tool: str,
        passed: Mapping[str, Json],
        asked: str,
        args: tuple[Json, ...],
        named: Mapping[str, Json],
    ) -> None:
        """What the worker asks first of the host."""
        if tool in self._sure or (tool in self._of and not asked.startswith(MISSED)):
            return
        name = plain_name(asked)
        values = (*args, *named.values())
        if name not in LOOKS or not all(isinstance(value, str) for value in values):
            self._of.pop(tool, None)
            return
        arguments = {value: each for each, value in passed.items() if isinstance(value, str)}
        self._of[tool] = _Habit(
            name,
            tuple(_part(value, arguments) for value in args),
            tuple((each, _part(value, arguments)) for each, value in named.items()),
        )


def _part(value: Json, arguments: Mapping[str, str]) -> Part:
    return Part(arguments.get(value, value), is_argument=value in arguments)
