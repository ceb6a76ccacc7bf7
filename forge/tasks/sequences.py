"""Sequences: tasks of one environment, actor and base, one after the other in one session, of which
a later one needs what an earlier one told.

They are made of ordinary proposals: what the later one would have told late is told in the earlier
one instead, where the agent notes it, and is looked up. A pure function of environment, seed and
number; what it comes to is for the gates to judge.
"""

import random
from datetime import timedelta

from forge.env.dates import started, written
from forge.env.notes import notes_of
from forge.env.rehearsal import Rehearsal
from forge.env.session import World
from forge.tasks.dags.play import PlayError, facts_of, play
from forge.tasks.difficulty import difficulty
from forge.tasks.make import Proposer, kind_of, random_of
from forge.tasks.speech.remembering import note_of, referring, telling_now
from forge.tasks.starts import Point
from forge.tasks.wishes.scene import Unfit
from forge.types.dag import CallNode, ComputeNode, Listed, Node, Noted, Origin, Said, TaskDag, Told
from forge.types.intent import Insert, Intent, Plain
from forge.types.state import Overlay
from forge.types.task import Fact, Task

TRIES = 12
"""Proposals for each task but the first, before the sequence is given up."""
MOST = 3
"""Tasks."""
LONG_SHARE = 0.3
"""Of the sequences, those of three tasks."""
GAPS = (1, 1, 2, 3, 5)
"""Days between two dialogues."""
FIRST_HOUR, LAST_HOUR = 8, 17


def propose_sequence(
    proposer: Proposer, number: int, first: str | None = None, *, most: int = MOST
) -> tuple[Task, ...]:
    """Two or three tasks, at most `most`; `follows` is empty until they have ids. `first`: a tool
    that the walk of the second begins at. Raises Unfit."""
    rng = random_of("sequence", proposer.environment.name, proposer.seed, number)
    count = 3 if rng.random() < LONG_SHARE and most > 2 else 2
    plain = [proposer.proposal(number, unwanted=_in_vain).task]
    while len(plain) < count:
        plain.append(_next(proposer, plain, number, first, rng))
    notes: list[list[str]] = [[] for _ in plain]
    recalled = [plain[0]]
    for place, task in enumerate(plain[1:], 1):
        at = place - 1 if rng.random() < 0.6 else rng.randrange(place)
        task, told = _recalling(task, proposer.world, rng)  # noqa: PLW2901
        if _inserts(plain[at]) & _inserts(task):
            raise Unfit("what is told beforehand could be for now")
        notes[at] += told
        recalled.append(task)
    noted = [_noting(t, n, proposer.world, rng) for t, n in zip(recalled, notes, strict=True)]
    return _played(noted, proposer.world)


def end_of(world: World, task: Task) -> Overlay:
    """What a task's golden calls leave, over the base: the setup of the task that follows it."""
    store = world.of("sequence").open(task.base, actor=task.actor).store
    store.apply(task.setup)
    store.apply(task.golden)
    return store.overlay()


def _in_vain(intent: Intent) -> str | None:
    return "enough that cannot be granted" if kind_of(intent) == "refuse" else None


def _next(
    proposer: Proposer, before: list[Task], number: int, first: str | None, rng: random.Random
) -> Task:
    """A task that begins where the last one ends, some days later."""
    last = before[-1]
    point = Point(last.base, last.actor, _later(last.now, rng), end_of(proposer.world, last))
    reason = "nothing could be told beforehand"
    for attempt in range(TRIES):
        try:
            name = f"{number}.{len(before)}.{attempt}"
            return proposer.proposal(name, first, doing=True, unwanted=_in_vain, after=point).task
        except Unfit as unfit:
            reason = str(unfit)
    raise Unfit(reason)


def _later(now: str, rng: random.Random) -> str:
    day = started(now) + timedelta(days=rng.choice(GAPS))
    hour, minute = rng.randint(FIRST_HOUR, LAST_HOUR), rng.randrange(0, 60, 5)
    return written(day.replace(hour=hour, minute=minute, second=0))


def _inserts(task: Task) -> set[str]:
    return {wish.table for wish in task.intent.wishes if isinstance(wish, Insert)}


# ------------------------------------------------------------- the later task


def _recalling(task: Task, world: World, rng: random.Random) -> tuple[Task, list[str]]:
    """The task, with what it would tell late found in the notes; and what to tell before."""
    _, _, listing = notes_of(world.of("sequence").environment)
    late = [fact for fact in task.facts if fact.told]
    told: list[str] = []
    words: dict[str, str] = {}
    for fact in late:
        note, text = note_of(fact.name, task.intent, world.environment.state_schema, rng)
        if not note:
            raise Unfit("it cannot be said beforehand what it is for")
        told.append(note)
        words[fact.name] = text
    read = CallNode(id="notes", tool=listing.name, arguments={})
    nodes = [read, *(_looked_up(node, read.id, words) for node in task.dag.nodes)]
    facts = tuple(
        f.model_copy(update={"told": False, "noted": True, "text": words[f.name]}) if f.told else f
        for f in task.facts
    )
    question = referring(task.question, [fact.about for fact in late], rng)
    update = {
        "dag": TaskDag(nodes=tuple(nodes), orders=task.dag.orders),
        "facts": facts,
        "question": question,
    }
    return task.model_copy(update=update), told


def _looked_up(node: Node, notes: str, words: dict[str, str]) -> Node:
    """The node, with what was told late taken from the notes."""

    def found(origin: Origin) -> Origin:
        match origin:
            case Told():
                return Noted(node=notes, fact=origin.fact, words=words[origin.fact])
            case Listed():
                return Listed(items=tuple(map(found, origin.items)))
        return origin

    match node:
        case CallNode():
            arguments = {name: found(origin) for name, origin in node.arguments.items()}
            return node.model_copy(update={"arguments": arguments})
        case ComputeNode():
            one, other = node.values
            return node.model_copy(update={"values": (found(one), found(other))})
    tests = tuple(test.model_copy(update={"value": found(test.value)}) for test in node.tests)
    to = None if node.to is None else found(node.to)
    return node.model_copy(update={"tests": tests, "to": to})


# ----------------------------------------------------------- the earlier task


def _noting(task: Task, notes: list[str], world: World, rng: random.Random) -> Task:
    """The task, in which these sentences are told too and noted."""
    if not notes:
        return task
    table, save, _ = notes_of(world.of("sequence").environment)
    names = [f"note {number}" for number in range(1, len(notes) + 1)]
    told = list(zip(names, notes, strict=True))
    wishes = [Insert(table=table, values={"text": Plain(value=n, fact=f)}) for f, n in told]
    facts = [Fact(name=f, value=n, text=n, about="what to note") for f, n in told]
    calls = [
        CallNode(
            id=f"save{number}", tool=save.name, arguments={"text": Said(fact=name)}, writes=True
        )
        for number, name in enumerate(names, 1)
    ]
    intent, dag = task.intent, task.dag
    return task.model_copy(
        update={
            "question": telling_now(task.question, notes, rng),
            "intent": Intent(wishes=(*intent.wishes, *wishes), in_order=intent.in_order),
            "facts": (*task.facts, *facts),
            "dag": TaskDag(nodes=(*dag.nodes, *calls), orders=dag.orders),
        }
    )


# ------------------------------------------------------------------ all of it


def _played(tasks: list[Task], world: World) -> tuple[Task, ...]:
    """The tasks, each played from where the one before ends."""
    noting = world.of("sequence")
    made: list[Task] = []
    for task in tasks:
        setup = end_of(world, made[-1]) if made else task.setup
        start = noting.open(task.base, actor=task.actor, now=task.now, setup=setup)
        run = Rehearsal(start).run()
        try:
            played = play(run, task.dag, facts_of(task.facts), task.dues)
        except PlayError as error:
            raise Unfit(f"golden call failed at {error.reason.split(':')[0]}") from None
        numbers = difficulty(task.intent, task.dag, played, task.facts, noting.tools, start.store)
        update = {
            "kind": "sequence",
            "setup": setup,
            "golden_calls": tuple(played.calls),
            "golden": run.overlay(),
            "difficulty": numbers,
        }
        made.append(task.model_copy(update=update))
    return tuple(made)
