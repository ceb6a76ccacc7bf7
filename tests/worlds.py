"""The hand-written environment, made runnable once for the tests that need it."""

from functools import cache

from forge.dataset.environments import read_environment
from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.tasks.dags.graph import tool_graph
from forge.types.environment import Environment
from forge.types.task import Task
from tests.places import ROOT

HAND = ROOT / "tests" / "hand"


@cache
def hand_environment() -> Environment:
    return read_environment(HAND / "envs" / "projects")


@cache
def hand_world() -> World:
    return World(hand_environment(), sandbox="native")


@cache
def hand_tasks(count: int = 80) -> tuple[Task, ...]:
    """Tasks that forge makes of the hand-written environment."""
    graph = tool_graph(hand_environment())
    return tuple(kept_tasks(hand_world(), graph, count=count, seed=1, tally=Tally()))
