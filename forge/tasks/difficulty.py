"""How hard a task is, as numbers that can be counted on the task itself."""

import networkx as nx

from forge.env.store import Store
from forge.tasks.dags.play import Played, before
from forge.tasks.intents.rivals import count_rivals
from forge.types.dag import CallNode, TaskDag
from forge.types.intent import Intent
from forge.types.task import Fact


def difficulty(
    intent: Intent, dag: TaskDag, played: Played, facts: tuple[Fact, ...], store: Store
) -> dict[str, int]:
    """golden calls, writes, depth (calls on the longest chain of data), tables, reasoning nodes
    that choose or compute, facts told late, records that a careless reader takes for those that are
    meant. `store` is as the task starts."""
    writers = {n.id for n in dag.nodes if isinstance(n, CallNode) and n.writes}
    return {
        "calls": len(played.calls),
        "writes": sum(1 for n in played.nodes if n in writers),
        "depth": depth(dag),
        "wishes": len(intent.wishes),
        "reasoning": sum(1 for n in dag.nodes if n.kind == "reason" and n.form != "match"),
        "told_late": sum(1 for f in facts if f.told),
        "distractors": count_rivals(intent, store),
    }


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
