"""What a tool will ask first, answered along with its call: round trips to the worker less.

How a tool begins, its source says (`opening.py`). The host does what it will ask and sends the
answers along; the worker takes one whenever the tool asks. Where the tool is sure to ask what is
refused, it need not even be called.

Always holds: the tool sees what it would see if it asked. What was done for a tool that is then
refused before it asks for it is undone, with all else that the call did.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from forge.env.sandbox.host import ANSWERS
from forge.env.sandbox.opening import FORESEEN, Opening
from forge.env.store import Store
from forge.errors import ToolBug, ToolError
from forge.types.data import Json

ASKED = "_asked_"
"""Before the name by which the worker asks the host where no answer was sent along (any more)."""

_TAKE = """
def {name}(*args, **named):
    if not _foreseen:
        return _asked_{name}(*args, **named)
    name, refusal, answer = _foreseen.pop(0)
    if name != "{name}":
        raise Exception("something else was foreseen")
    if refusal is not None:
        raise Exception(refusal)
    return answer
"""

SOURCE = "_foreseen = []\n" + "".join(_TAKE.format(name=name) for name in FORESEEN)
"""For the worker, before the tools."""


def plain_name(name: str) -> str:
    """The name in the table API of what the worker calls."""
    return name.removeprefix(ASKED)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A call of the table API, and what it gave or how it was refused."""

    name: str
    answer: Json = None
    refusal: ToolError | None = None

    def sent(self) -> list[Json]:
        """For the worker."""
        return [self.name, None if self.refusal is None else str(self.refusal), self.answer]


def foreseen(opening: Opening, passed: Mapping[str, Json], store: Store) -> list[Foreseen]:
    """What the tool will ask, called with `passed`, done on the records. ToolError where it is
    sure to be refused. What is a bug of the tool is left for it to ask."""
    arguments = opening.completed(passed)
    done: list[Foreseen] = []
    if arguments is None:
        return done
    for ask in opening.asks:
        try:
            args, named = ask.passes(arguments, [each.answer for each in done])
            done.append(Foreseen(ask.name, ANSWERS[ask.name](store, *args, **named)))
        except ToolError as error:
            if ask.surely:
                raise
            return [*done, Foreseen(ask.name, refusal=error)]
        except (ToolBug, TypeError, ValueError, KeyError):
            return done
    return done
