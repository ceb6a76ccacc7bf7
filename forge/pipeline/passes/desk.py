"""Where a model's work is asked for and tried: the same way in every pass.

Always holds: nothing is taken that its check did not pass; a budget that is spent, a context that
is full and an endpoint that is lost leave out the piece that was asked for, with that reason, and
nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel

from forge.authors.author import Author
from forge.errors import BudgetSpent, ContextFull, EndpointLost, Filtered
from forge.llm.model import Model
from forge.llm.structured import Structured, Unreadable
from forge.types.data import Json
from forge.types.task import Lang

Answer = TypeVar("Answer")
Gain = TypeVar("Gain")
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard is tried for one piece: fresh samples first, then repairs that quote what is wrong.
    `temperature`: of samples."""

    samples: int = 5
    repairs: int = 1
    temperature: float = 0.8

    @property
    def tries(self) -> int:
        return self.samples + self.repairs


class Refused(ValueError):
    """What a model wrote is not taken; says why, for the model and the report: the check, and
    behind a colon what is wrong."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What came of one thing that was asked for in a pass. `tries`: how often it was; `why`: why
    it is as rules had it, "" if it is not."""

    use: str
    name: str
    tries: int
    why: str = ""


@dataclass(slots=True)
class Desk:
    """`values`: who makes the bases that things are tried on; `pool`: where they are tried;
    `pieces`: what came of all so far; `lang`: what the tasks' users are to speak."""

    model: Model
    values: Author
    seed: int
    effort: Effort
    pool: ThreadPoolExecutor
    tell: Callable[[Piece, Model], None] = lambda piece, model: None
    pieces: list[Piece] = field(default_factory=list)
    lang: Lang = "en"
    _forms: Structured = field(init=False)

    def __post_init__(self) -> None:
        self._forms = Structured(self.model.name, self.model.complete)

    def note(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.tell(piece, self.model)

    def take_back(self, pieces: Sequence[Piece], why: str) -> None:
        """What was gained is not used after all."""
        for piece in pieces:
            self.pieces.remove(piece)
            self.note(replace(piece, why=why))

    async def check(self, work: Callable[[], Gain]) -> Gain:
        """Runs what takes long beside the requests."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def gain(
        self,
        use: str,
        name: str,
        ask: Callable[[str, str], list[Json]],
        accept: Callable[[str], Awaitable[Gain]],
        *,
        longest: int,
        effort: Effort | None = None,
    ) -> tuple[Gain | None, Piece]:
        """The first of the samples that `accept` takes, else of the repairs; None where none is.
        `ask`: the messages, for what was written last and what is wrong with it, both "" for a
        fresh sample; `accept`: raises Refused; `longest`: tokens of an answer. The piece is noted.

        What the client raises of what the user can mend."""

        async def one(body: dict[str, Json], number: int) -> tuple[str, str, bool]:
            answer = await self.model.complete(body, use=use, sample=number)
            return answer.message.text, answer.message.text, answer.finish_reason == "length"

        return await self._gain(use, name, ask, accept, one, longest, effort or self.effort)

    async def gain_of(
        self,
        form: type[Shape],
        use: str,
        name: str,
        ask: Callable[[str, str], list[Json]],
        accept: Callable[[Shape], Awaitable[Gain]],
        *,
        longest: int,
        effort: Effort | None = None,
    ) -> tuple[Gain | None, Piece]:
        """The same of answers that are JSON objects of a form."""

        async def one(body: dict[str, Json], number: int) -> tuple[Shape, str, bool]:
            rest = {each: value for each, value in body.items() if each != "messages"}
            messages = body["messages"]
            answer = await self._forms.ask(messages, form, rest, use=use, sample=number)
            return answer.value, answer.text, False

        return await self._gain(use, name, ask, accept, one, longest, effort or self.effort)

    async def ask(
        self, form: type[Shape], use: str, messages: Sequence[Json], *, longest: int
    ) -> Shape:
        """One answer of a form, the likest: of a reader, who confirms or does not.

        Unreadable, BudgetSpent, ContextFull, EndpointLost; what the user can mend."""
        body: dict[str, Json] = {"max_tokens": longest, "temperature": 0.0, "seed": 0}
        return (await self._forms.ask(messages, form, body, use=use, sample=0)).value

    async def _gain(
        self,
        use: str,
        name: str,
        ask: Callable[[str, str], list[Json]],
        accept: Callable[[Answer], Awaitable[Gain]],
        one: Callable[[dict[str, Json], int], Awaitable[tuple[Answer, str, bool]]],
        longest: int,
        effort: Effort,
    ) -> tuple[Gain | None, Piece]:
        written, why, cut = "", "", False
        for number in range(effort.tries):
            again = number >= effort.samples
            body: dict[str, Json] = {
                "messages": ask(written, why) if again and written else ask("", ""),
                "max_tokens": longest,
                "temperature": 0.0 if again else effort.temperature,
                "seed": number,
            }
            try:
                answer, written, cut = await one(body, number)
                gained = await accept(answer)
            except Refused as refused:
                why = f"cut off at {longest} tokens: {refused}" if cut else str(refused)
            except Unreadable as unreadable:
                why = f"its form: {unreadable}"
            except BudgetSpent as spent:
                return None, self._noted(use, name, number, f"the budget: {spent}")
            except ContextFull:
                full = "the model's context: the prompt does not fit"
                return None, self._noted(use, name, number, full)
            except Filtered as filtered:
                why = f"the filter: {filtered}"
            except EndpointLost as lost:
                return None, self._noted(use, name, number, f"the endpoint: {lost}")
            else:
                return gained, self._noted(use, name, number + 1, "")
        return None, self._noted(use, name, effort.tries, why)

    def _noted(self, use: str, name: str, tries: int, why: str) -> Piece:
        piece = Piece(use, name, tries, why)
        self.note(piece)
        return piece
