"""`order_free`: every sampled topological order of the DAG earns the reward, and order edges stand
only where some order without them does not."""

from forge.env.session import World
from forge.gates.start import dice, fresh
from forge.tasks.dags.order import ends_alike
from forge.tasks.dags.play import facts_of, random_order
from forge.types.dag import TaskDag
from forge.types.task import Task

SAMPLES = 6


def order_free(world: World, task: Task) -> str | None:
    rng = dice(task, "order_free")
    facts = facts_of(task.facts)

    def alike(dag: TaskDag) -> list[str] | None:
        """The first sampled order that ends otherwise."""
        drawn = {tuple(random_order(dag, rng)) for _ in range(SAMPLES)}
        for order in sorted(drawn):
            session = fresh(world, task)
            if not ends_alike(dag, list(order), facts, task.dues, session, task.golden):
                return list(order)
        return None

    bad = alike(task.dag)
    if bad is not None:
        return f"in the order {', '.join(bad)} it ends otherwise"
    if task.dag.orders:
        if not task.intent.in_order:
            return "the order matters and the user does not say it"
        if alike(TaskDag(nodes=task.dag.nodes)) is None:
            return "no order edge is needed"
    return None
