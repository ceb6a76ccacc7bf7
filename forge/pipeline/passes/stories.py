"""The pass `stories`: wishes that a model joins to one task, from a menu of wishes that rules made.

Always holds: every wish is one that forge evaluates by itself; what is picked becomes a proposal as
any other, and is taken only if it passes every gate; what is not picked well gives no task.
"""

import asyncio
from dataclasses import dataclass, field, replace

from forge.authors.llm.stories import PROMPT, NoStory, Picked, asked_for, places_of
from forge.dataset.hashes import sealed
from forge.docs.text import line
from forge.gates.judge import GATES, first_refusal
from forge.gates.unique import Seen, repeated
from forge.pipeline.passes.desk import Desk, Effort, Piece, Refused
from forge.tasks.make import Proposer, random_of
from forge.tasks.stories import Menu, menu_of, story
from forge.tasks.wishes.scene import Unfit
from forge.types.data import Json
from forge.types.environment import Provenance
from forge.types.task import GateReport, Task

USE = "stories"
SIZE = 700
"""Tokens of what is asked, about."""
TYPICAL, LONGEST = 50, 200
SHARE = 3
"""One task in so many is a story, at most."""
MOST_SAMPLES, MOST_REPAIRS = 3, 1


@dataclass(slots=True)
class Among:
    """What the stories of an environment are made with, and are to differ from."""

    proposer: Proposer
    seen: Seen
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Proposals share what they remember of the records."""


def effort_of(effort: Effort) -> Effort:
    return replace(
        effort,
        samples=min(effort.samples, MOST_SAMPLES),
        repairs=min(effort.repairs, MOST_REPAIRS),
    )


Told = tuple[Task, Piece]


async def told(number: int, among: Among, desk: Desk) -> Told | None:
    """The task of the story of that number, sealed, and what came of asking; None where no task
    came of it."""
    environment = among.proposer.environment
    async with among.one_at_a_time:
        menu = await desk.check(lambda: _menu(among.proposer, number))
    if menu is None:
        return None

    def ask(written: str, why: str) -> list[Json]:
        rng = random_of("example", environment.name, number)
        return asked_for(line(environment.title), menu.words, rng, written=written, failure=why)

    async def accept(answer: Picked) -> Task:
        try:
            places = places_of(answer, len(menu.words))
        except NoStory as none:
            raise Refused(f"the pick, {none}") from None
        async with among.one_at_a_time:
            return await desk.check(lambda: _made(menu, places, among))

    gained, piece = await desk.gain_of(
        Picked,
        USE,
        f"{environment.name}/{number}",
        ask,
        accept,
        longest=LONGEST,
        effort=effort_of(desk.effort),
    )
    if gained is None:
        return None
    made = Provenance(model=desk.model.name, prompt=PROMPT, tries=piece.tries)
    return gained.model_copy(update={"merged": made}), piece


def _menu(proposer: Proposer, number: int) -> Menu | None:
    try:
        return menu_of(proposer, number)
    except Unfit:
        return None


def _made(menu: Menu, places: tuple[int, ...], among: Among) -> Task:
    """Refused where it comes to nothing, or a gate refuses it."""
    try:
        proposal = story(among.proposer, menu, places)
    except Unfit as unfit:
        raise Refused(f"unfit, {unfit}") from None
    task = sealed(proposal.task)
    refusal = first_refusal(among.proposer.world, task, proposal.rehearsal)
    if refusal is None and repeated(task, among.seen):
        refusal = "unique"
    if refusal is not None:
        raise Refused(f"the gate {refusal}: it refuses these together")
    passed = {name: GateReport(passed=True) for name in [*GATES, "unique"]}
    return task.model_copy(update={"gates": passed})
