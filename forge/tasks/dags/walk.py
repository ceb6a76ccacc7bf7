"""Seeded random walks over the tool graph: which tools belong in one task.

A walk starts at a tool that needs no output of another (or whose needs a user can say) and goes
along edges; writes are favoured, since a walk of reads alone makes only answer tasks.
"""

import random
from collections.abc import Mapping, Sequence

import networkx as nx

from forge.types.environment import Environment

WRITE_WEIGHT = 3.0
SEEN_WEIGHT = 0.2


def neighbours(network: "nx.MultiDiGraph[str]") -> dict[str, list[str]]:
    """Tool -> those that an edge leads to or from, sorted."""
    return {
        name: sorted({*network.successors(name), *network.predecessors(name)}) for name in network
    }


def walk(
    ways: Mapping[str, Sequence[str]],
    environment: Environment,
    rng: random.Random,
    length: int,
    start: str | None = None,
) -> list[str]:
    """Tool names in the order they were met, without repeats; at most `length` of them. `ways`: as
    `neighbours` gives them; `start`: where to begin, if not anywhere."""
    kinds = {t.name: t.kind for t in environment.tools}
    names = [t.name for t in environment.tools if t.effect is not None]
    if not names:
        return []
    here = start or rng.choice(names)
    met = [here]
    for _ in range(length * 3):
        nexts = ways[here]
        if not nexts or len(met) >= length:
            break
        weights = [
            (WRITE_WEIGHT if kinds[n] == "write" else 1.0) * (SEEN_WEIGHT if n in met else 1.0)
            for n in nexts
        ]
        here = rng.choices(nexts, weights)[0]
        if here not in met:
            met.append(here)
    return met
