"""How hard a task is: numbers that can be counted on the task itself, and what they come to.

Always holds: the band is a pure function of the numbers, so it is the same whoever computes it.
"""

from collections.abc import Mapping

import networkx as nx

from forge.env.store import Store
from forge.tasks.dags.play import Played, before
from forge.tasks.intents.rivals import count_rivals
from forge.types.dag import CallNode, ComputeNode, TaskDag
from forge.types.environment import Tool
from forge.types.intent import Intent
from forge.types.task import Band, Fact

EASY, MEDIUM = 2, 4
"""The most that an easy and a medium task come to."""


def difficulty(
    intent: Intent,
    dag: TaskDag,
    played: Played,
    facts: tuple[Fact, ...],
    tools: Mapping[str, Tool],
    store: Store,
) -> dict[str, int]:
    """- `calls`: golden calls; `writes`: those of them that write
    - `depth`: calls on the longest chain of what must come before what
    - `wishes`: of the user
    - `tables`: of the tools that are called
    - `reasoning`: nodes that choose or compute, plain matches aside
    - `told_late`: facts that the user tells only when asked
    - `distractors`: records that a careless reader takes for those that are meant
    - `noted`: facts that an earlier task told; only where there are some

    `store` is as the task starts.
    """
    writers = {n.id for n in dag.nodes if isinstance(n, CallNode) and n.writes}
    noted = sum(1 for f in facts if f.noted)
    effects = [tools[n.tool].effect for n in dag.nodes if isinstance(n, CallNode)]
    return {
        "calls": len(played.calls),
        "writes": sum(1 for n in played.nodes if n in writers),
        "depth": depth(dag),
        "wishes": len(intent.wishes),
        "tables": len({effect.table for effect in effects if effect is not None}),
        "reasoning": sum(
            isinstance(n, ComputeNode) or (n.kind == "reason" and n.form != "match")
            for n in dag.nodes
        ),
        "told_late": sum(1 for f in facts if f.told),
        "distractors": count_rivals(intent, store),
        **({"noted": noted} if noted else {}),
    }


def band(numbers: Mapping[str, int]) -> Band:
    """By the sum of what makes a task long and what makes it intricate: its golden calls (more than
    8 are more of the same), each step of depth beyond the second, each table beyond the first, two
    for each node that chooses or computes, one for each fact told late or in an earlier task, one
    for any distractors. Up to 2 is easy, up to 4 medium, more is hard."""
    total = (
        min(numbers.get("calls", 0), 8)
        + max(numbers.get("depth", 0) - 2, 0)
        + max(numbers.get("tables", 0) - 1, 0)
        + 2 * numbers.get("reasoning", 0)
        + numbers.get("told_late", 0)
        + numbers.get("noted", 0)
        + (numbers.get("distractors", 0) > 0)
    )
    return "easy" if total <= EASY else "medium" if total <= MEDIUM else "hard"


def depth(dag: TaskDag) -> int:
    """Calls on the longest path of the DAG."""
    network: nx.DiGraph[str] = nx.DiGraph()
    calls = {n.id for n in dag.nodes if isinstance(n, CallNode)}
    network.add_nodes_from(n.id for n in dag.nodes)
    for node, earlier in before(dag).items():
        for other in earlier:
            network.add_edge(other, node)
    longest: dict[str, int] = {}
    for node in nx.topological_sort(network):
        above = max((longest[p] for p in network.predecessors(node)), default=0)
        longest[node] = above + (node in calls)
    return max(longest.values(), default=0)
