"""A play of which only what can differ is played comes to what a play from the start comes to."""

import random
from collections.abc import Iterator, Mapping

from forge.env.compare import compare
from forge.env.identity import same
from forge.gates.start import Trial
from forge.tasks.dags.play import PlayError, play, random_orders
from forge.types.dag import CallNode
from forge.types.data import Json
from forge.types.task import Task
from tests.worlds import hand_tasks, hand_world

Otherwise = dict[str, Mapping | list[str]]


def ways(trial: Trial, rng: random.Random) -> Iterator[Otherwise]:
    """Other orders, facts and arguments, some of which no tool takes, and none at all."""
    task = trial.task
    yield {}
    values: list[Json] = [*trial.facts.values(), 3, "open", None]
    for order in random_orders(task.dag, rng, 3):
        yield {"order": order}
    for name in trial.facts:
        yield {"facts": {**trial.facts, name: rng.choice(values)}}
    for node in task.dag.nodes:
        if isinstance(node, CallNode):
            for argument in node.arguments:
                yield {"overrides": {(node.id, argument): rng.choice(values)}}


def from_the_start(trial: Trial, task: Task, otherwise: Otherwise) -> bool:
    session = trial.open()
    facts = otherwise.get("facts", trial.facts)
    rest = {name: value for name, value in otherwise.items() if name != "facts"}
    try:
        played = play(session, task.dag, facts, task.dues, **rest)
    except PlayError:
        return False
    store = session.store
    return (
        same(played.answers, [due.value for due in task.dues])
        and compare(store.schema, store.initial, task.golden, session.overlay()).equal
    )


def test_playing_again_earns_where_playing_from_the_start_does():
    rng = random.Random(7)
    earned = 0
    for task in hand_tasks():
        trial = Trial(hand_world(), task)
        for otherwise in ways(trial, rng):
            earns = trial.earns(**otherwise)
            assert earns == from_the_start(trial, task, otherwise), (task.question, otherwise)
            earned += earns
    assert earned > len(hand_tasks())


def test_what_was_played_in_vain_leaves_nothing_for_the_next():
    for task in hand_tasks()[:20]:
        trial = Trial(hand_world(), task)
        for otherwise in ways(trial, random.Random(1)):
            trial.earns(**otherwise)
            assert trial.earns()
