"""The pass `stories`: wishes that a model joins to one task, from a menu of wishes that rules made.

Always holds: every wish is one that forge evaluates by itself; what is picked becomes a proposal as
any other, and is taken only if it passes every gate; what is not picked well gives no task.
"""

import asyncio
from dataclasses import dataclass, field, replace

from forge.authors.llm import reasons
from forge.authors.llm.reasons import Sheet
from forge.authors.llm.stories import PROMPT, NoStory, Picked, asked_for, places_of
from forge.dataset.hashes import sealed
from forge.docs.text import line
from forge.gates.judge import GATES, first_refusal
from forge.gates.unique import Seen, repeated
from forge.pipeline.passes.desk import Desk, Effort, Piece, Refused
from forge.tasks.make import Proposer, random_of
from forge.tasks.speech.listing import wish_alone
from forge.tasks.stories import Menu, menu_of, story
from forge.tasks.wishes.reasoned import reasoned, sorting
from forge.tasks.wishes.scene import Unfit
from forge.types.data import Json
from forge.types.environment import Provenance
from forge.types.expression import Expression
from forge.types.task import GateReport, Task

USE, REASONS = "stories", "reasons"
REASONED = 2
"""For one story in so many the model first writes something of its own that may be asked."""
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
    rules = len(menu.words)
    if number % REASONED == 0:
        menu = await _with_reason(menu, among, desk)

    def ask(written: str, why: str) -> list[Json]:
        rng = random_of("example", environment.name, number)
        return asked_for(line(environment.title), menu.words, rng, written=written, failure=why)

    async def accept(answer: Picked) -> tuple[Task, str]:
        try:
            places = places_of(answer, len(menu.words))
        except NoStory as none:
            raise Refused(f"the pick, {none}") from None
        async with among.one_at_a_time:
            task = await desk.check(lambda: _made(menu, places, among))
        return task, f"{PROMPT}+{reasons.PROMPT}" if max(places) >= rules else PROMPT

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
    task, prompts = gained
    made = Provenance(model=desk.model.name, prompt=prompts, tries=piece.tries)
    return task.model_copy(update={"merged": made}), piece


async def _with_reason(menu: Menu, among: Among, desk: Desk) -> Menu:
    """The menu and one thing more to be told, which the model wrote as an expression; as it is
    where nothing came of that."""
    environment = among.proposer.environment
    _, scene = among.proposer.opened_at(menu.point, random_of("reason", environment.name))
    schema = environment.state_schema
    sheets = [Sheet(*each) for each in sorting(schema, scene) if each[1] or each[2]]
    if not sheets:
        return menu

    def ask(written: str, why: str) -> list[Json]:
        return reasons.asked_for(line(environment.title), sheets, written=written, failure=why)

    async def accept(answer: Expression) -> Menu:
        async with among.one_at_a_time:
            return await desk.check(lambda: _reasoned(answer, menu, among))

    gained, _ = await desk.gain_of(
        reasons.form_of(sheets),
        REASONS,
        f"{environment.name}/{menu.number}",
        ask,
        accept,
        longest=LONGEST,
        effort=effort_of(desk.effort),
    )
    return gained or menu


def _reasoned(expression: Expression, menu: Menu, among: Among) -> Menu:
    environment = among.proposer.environment
    _, scene = among.proposer.opened_at(menu.point, random_of("reason", environment.name))
    try:
        wished = reasoned(expression, scene)
    except Unfit as unfit:
        raise Refused(f"the expression, {unfit}") from None
    words = wish_alone(wished.wish, environment.state_schema, menu.point.now)
    if words in menu.words:
        raise Refused("the expression, it is asked already")
    return replace(menu, wishes=(*menu.wishes, wished), words=(*menu.words, words))


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
