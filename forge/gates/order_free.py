"""`order_free`: every sampled topological order of the DAG earns the reward, and order edges stand
only where some order without them does not."""

from forge.gates.start import Trial
from forge.tasks.dags.order import orders_deeds
from forge.tasks.dags.play import random_orders
from forge.types.dag import TaskDag
from forge.types.intent import Answer

SAMPLES = 6


def order_free(trial: Trial) -> str | None:
    task, rng = trial.task, trial.dice("order_free")

    def alike(dag: TaskDag) -> list[str] | None:
        """The first sampled order that ends otherwise."""
        drawn = {tuple(order) for order in random_orders(dag, rng, SAMPLES)}
        for order in sorted(drawn):
            if not trial.earns(order=order):
                return list(order)
        return None

    bad = alike(task.dag)
    if bad is not None:
        return f"in the order {', '.join(bad)} it ends otherwise"
    if task.dag.orders:
        after = any(isinstance(w, Answer) and w.after for w in task.intent.wishes)
        if not task.intent.in_order and (orders_deeds(task.dag) or not after):
            return "the order matters and the user does not say it"
        if alike(TaskDag(nodes=task.dag.nodes)) is None:
            return "no order edge is needed"
    return None
