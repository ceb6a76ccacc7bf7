"""Order edges: only where doing it the other way is refused or ends differently.

Free neighbours are tried in other orders. If all end alike there are no order edges; if not, each
wish's writes are put after the earlier wishes' nodes, and the question will say so.
"""

import random
from collections.abc import Callable, Mapping

from forge.env.compare import compare
from forge.env.rehearsal import Run
from forge.tasks.dags.play import PlayError, before, play, random_order
from forge.types.dag import CallNode, TaskDag
from forge.types.data import Json
from forge.types.state import Overlay
from forge.types.task import Due

TRIALS = 6

Orders = tuple[tuple[str, str], ...]


def ends_alike(
    dag: TaskDag,
    order: list[str],
    facts: Mapping[str, Json],
    dues: tuple[Due, ...],
    run: Run,
    golden: Overlay,
) -> bool:
    """Whether playing in this order ends in the golden state with the same answers."""
    try:
        played = play(run, dag, facts, dues, order=order)
    except PlayError:
        return False
    if played.answers != [d.value for d in dues]:
        return False
    store = run.store
    return compare(store.schema, store.initial, golden, run.overlay()).equal


def find_orders(
    dag: TaskDag,
    facts: Mapping[str, Json],
    dues: tuple[Due, ...],
    fresh: Callable[[], Run],
    golden: Overlay,
    rng: random.Random,
) -> Orders | None:
    """The order edges that the DAG needs, or None if none of those tried make every order end
    alike."""
    writes = [n.id for n in dag.nodes if isinstance(n, CallNode) and n.writes]

    def holds(orders: Orders) -> bool:
        tried = TaskDag(nodes=dag.nodes, orders=orders)
        drawn = [random_order(tried, rng) for _ in range(TRIALS)]
        own = [n.id for n in dag.nodes]
        different = [list(o) for o in sorted({tuple(o) for o in drawn} - {tuple(own)})]
        return all(ends_alike(tried, o, facts, dues, fresh(), golden) for o in different)

    if holds(()):
        return ()
    if len(writes) < 2:
        return None
    position = {n.id: i for i, n in enumerate(dag.nodes)}
    needs = before(dag)
    chain = tuple(
        (first, then)
        for first in writes
        for then in (n.id for n in dag.nodes)
        if position[first] < position[then] and first not in needs[then]
    )
    if not holds(chain):
        return None
    for edge in chain:
        fewer = tuple(e for e in chain if e != edge)
        if holds(fewer):
            chain = fewer
    return chain
