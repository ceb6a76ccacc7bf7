"""Stories: wishes that one person has for one reason, picked from a menu of wishes that can be
granted.

A menu is a pure function of environment, seed and number: what may be wished for by one actor in
one base, each wish by itself, rather of things that have to do with each other. Whoever picks picks
numbers: what comes of a pick is an ordinary proposal, for the gates to judge.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.tasks.make import Proposal, Proposer, random_of
from forge.tasks.speech.listing import wish_alone
from forge.tasks.starts import Point, any_point
from forge.tasks.wishes.answer import answer_about
from forge.tasks.wishes.branch import seldom_hanging
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.tasks.wishes.wish import wish_for
from forge.types.environment import Tool
from forge.types.state import Record

MOST = 14
"""Wishes of a menu."""
FEWEST = 4
"""A menu of fewer is none."""
A_TOOL = 2
"""Wishes that begin at one tool."""
DRAWS = 60
LONGEST = 160
"""Characters in which a wish is told: who reads a menu has to keep it in mind."""


@dataclass(frozen=True, slots=True)
class Menu:
    """`words`: each wish as a line, "be told how many guests there are"."""

    number: int
    point: Point
    wishes: tuple[Wished, ...]
    words: tuple[str, ...]


def menu_of(proposer: Proposer, number: int) -> Menu:
    """Raises Unfit where there is too little to wish for."""
    rng = random_of("menu", proposer.environment.name, proposer.seed, number)
    point = any_point(proposer.world, rng)
    _, scene = proposer.opened_at(point, rng)
    names = [name for name in proposer.tools if name not in proposer.hopeless]
    rng.shuffle(names)
    found: dict[str, Wished] = {}
    begun: Counter[str] = Counter()
    focus: list[tuple[str, Record]] = []
    for draw in range(DRAWS if names else 0):
        name = names[draw % len(names)]
        if begun[name] == A_TOOL or len(found) == MOST:
            continue
        own = replace(scene, made={}, focus=list(focus), ended=[])
        try:
            wished = _wish(proposer.tools[name], own)
        except Unfit:
            continue
        words = wish_alone(wished.wish, scene.store.schema, point.now)
        if words in found or len(words) > LONGEST:
            continue
        found[words] = wished
        begun[name] += 1
        focus = focus or own.focus
    if len(found) < FEWEST:
        raise Unfit("too little to wish for")
    return Menu(number, point, tuple(found.values()), tuple(found))


def _wish(tool: Tool, scene: Scene) -> Wished:
    if tool.kind == "read":
        return answer_about(tool, scene)
    return seldom_hanging(wish_for(tool, scene, 0), scene)


def story(proposer: Proposer, menu: Menu, picks: Sequence[int]) -> Proposal:
    """The proposal of the wishes at these places of the menu, from 0, in this order. Raises
    Unfit."""
    rng = random_of("story", proposer.environment.name, proposer.seed, menu.number, *picks)
    opened, _ = proposer.opened_at(menu.point, rng)
    wished = [menu.wishes[place] for place in picks]
    tools = [each.tool.name for each in wished if each.tool is not None]
    return proposer.of_wishes(wished, opened, menu.point, rng, tools)
