"""Order edges: only where doing it the other way is refused or ends differently.

Free neighbours are tried in other orders. If all end alike there are no order edges; if not, each
wish's calls are put after the earlier wishes' writes, and the question will say so.
"""

import random
from collections.abc import Callable, Mapping

from forge.env.compare import equal
from forge.env.rehearsal import Run
from forge.tasks.dags.again import earns, first_play
from forge.tasks.dags.play import before, random_orders
from forge.types.dag import CallNode, TaskDag
from forge.types.data import Json
from forge.types.state import Overlay
from forge.types.task import Due

TRIALS = 6

Orders = tuple[tuple[str, str], ...]


def orders_deeds(dag: TaskDag) -> bool:
    """Whether an order edge decides when something is done, and not only when it is asked."""
    doing = _doing(dag)
    return any(then in doing for _, then in dag.orders)


def _doing(dag: TaskDag) -> set[str]:
    """The nodes that write, and all that lead to them."""
    needs = before(dag)
    waiting = [n.id for n in dag.nodes if isinstance(n, CallNode) and n.writes]
    doing: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in doing:
            doing.add(name)
            waiting += needs[name]
    return doing


def in_turn(dag: TaskDag) -> Orders:
    """Every order edge that the DAG may have: each write before all later calls."""
    calls = [n for n in dag.nodes if isinstance(n, CallNode)]
    needs = before(dag)
    return tuple(
        (first.id, then.id)
        for place, first in enumerate(calls)
        if first.writes
        for then in calls[place + 1 :]
        if first.id not in needs[then.id]
    )


def in_a_row(dag: TaskDag, *, after: bool) -> TaskDag:
    """The DAG with every order edge that `find_orders` may give it: its chains are never longer."""
    writes = sum(isinstance(node, CallNode) and node.writes for node in dag.nodes)
    return TaskDag(nodes=dag.nodes, orders=in_turn(dag)) if after or writes > 1 else dag


def find_orders(
    dag: TaskDag,
    facts: Mapping[str, Json],
    dues: tuple[Due, ...],
    fresh: Callable[[], Run],
    golden: Overlay,
    rng: random.Random,
    *,
    after: bool = False,
) -> Orders | None:
    """The order edges that the DAG needs, or None if none of those tried make every order end
    alike, or a question would depend on them that is not asked `after` the changes. Raises
    PlayError if it cannot be played as it is."""
    writes = [n.id for n in dag.nodes if isinstance(n, CallNode) and n.writes]
    store = fresh().store
    first = first_play(fresh(), dag, facts, dues)

    def is_golden(overlay: Overlay) -> bool:
        return overlay is golden or equal(store.schema, store.initial, golden, overlay)

    def holds(orders: Orders) -> bool:
        tried = TaskDag(nodes=dag.nodes, orders=orders)
        drawn = random_orders(tried, rng, TRIALS)
        own = [n.id for n in dag.nodes]
        different = [list(o) for o in sorted({tuple(o) for o in drawn} - {tuple(own)})]
        return all(earns(first, fresh(), is_golden, order=order) for order in different)

    if holds(()):
        return ()
    if len(writes) < 2 and not after:
        return None
    chain = in_turn(dag)
    if not holds(chain):
        return None
    for edge in chain:
        fewer = tuple(e for e in chain if e != edge)
        order = _turned(TaskDag(nodes=dag.nodes, orders=fewer), *edge)
        if order is None or earns(first, fresh(), is_golden, order=order):
            chain = fewer
    doing = _doing(TaskDag(nodes=dag.nodes, orders=chain))
    deeds = bool(chain) and all(then in doing for _, then in chain)
    return chain if after or deeds else None


def _turned(dag: TaskDag, first: str, then: str) -> list[str] | None:
    """An order in which `then` comes before `first`; None if the DAG has none."""
    needs, waiting = before(dag), [then]
    early: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in early:
            early.add(name)
            waiting += needs[name]
    if first in early:
        return None
    own = [n.id for n in dag.nodes]
    return [name for name in own if name in early] + [name for name in own if name not in early]
