"""Seeded random walks over the tool graph: which tools belong in one task.

A walk starts at a tool that needs no output of another (or whose needs a user can say) and goes
along edges; writes are favoured, since a walk of reads alone makes only answer tasks.
"""

import random

import networkx as nx

from forge.types.environment import Environment

WRITE_WEIGHT = 3.0
SEEN_WEIGHT = 0.2


def walk(
    network: "nx.MultiDiGraph[str]",
    environment: Environment,
    rng: random.Random,
    length: int,
    start: str | None = None,
) -> list[str]:
    """Tool names in the order they were met, without repeats; at most `length` of them. `start`:
    where to begin, if not anywhere."""
    kinds = {t.name: t.kind for t in environment.tools}
    names = [t.name for t in environment.tools if t.effect is not None]
    if not names:
        return []
    here = start or rng.choice(names)
    met = [here]
    for _ in range(length * 3):
        nexts = sorted(set(network.successors(here)) | set(network.predecessors(here)))
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
