"""Making tasks until enough have passed every gate, or until proposals stop bearing fruit."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from forge.dataset.hashes import sealed
from forge.env.session import World
from forge.gates.judge import GATES, first_refusal
from forge.gates.unique import Seen, unique
from forge.tasks.intents.inside import aggregates, deeds
from forge.tasks.make import NONE_REFUSED, SHALLOW, Proposer, kind_of
from forge.tasks.wishes.scene import Unfit
from forge.types.environment import ToolGraph
from forge.types.intent import Answer, Branch, Change, Delete, Insert, Intent, Refused, Wish
from forge.types.task import Band, GateReport, Kind, Task

SAME_SHARE = 0.15
LEAST_SAME = 3
"""No more than this share of an environment's tasks (or this many) wish for the same thing of the
same table: a set of renamings teaches renaming."""
LEAST_REFUSED, MOST_REFUSED = 0.07, 0.1
"""The share of tasks with a wish that cannot be granted: sought below, and not taken above."""
LEAST_DEEP = 0.4
"""The share of tasks whose calls hang together in chains of at least `DEEP`, sought below."""
MOST_UNREFUSED = 12
"""Proposals in which no tool would refuse anything, for each task of that kind and one more; where
more are, they are not sought."""
DEEP = 3
BORNE = 12
"""Proposals that were to be deep and came to nothing, for each deep task that is kept; where more
do, an environment holds few."""
MOST_ASKED = 0.25
"""The share of tasks that only ask, above which others are sought where there are write tools."""
TRIES = 40
"""How often proposals begin at a write tool that no kept task uses, before it is left alone."""
PATIENCE = 150
"""Proposals in a row that may come to nothing before an environment is said to hold no more."""
CHOOSY_PATIENCE = 1500
"""The same, where only tasks of one kind or band are wanted."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which tasks: `count` more than there are, of one kind and band or of any."""

    count: int
    seed: int | str
    kind: Kind | None = None
    band: Band | None = None

    @property
    def patience(self) -> int:
        any_kind = self.kind in (None, "sequence")  # sequences are of tasks of any kind
        return PATIENCE if any_kind and self.band is None else CHOOSY_PATIENCE


@dataclass(slots=True)
class Tally:
    """What became of the proposals."""

    walks: int = 0
    proposed: int = 0
    kept: int = 0
    unfit: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    missed: dict[str, Counter[str]] = field(default_factory=dict)
    """Write tool -> why proposals that began at it, or used it, came to nothing."""

    def miss(self, tools: Iterable[str], reason: str) -> None:
        for tool in tools:
            self.missed.setdefault(tool, Counter())[reason] += 1


@dataclass(slots=True)
class Stand:
    """How far the making of an environment's tasks has come: what the next one depends on, besides
    environment and seed. The number of what is remembered is all that grows."""

    number: int = 0
    """Of the next proposal."""
    seen: Seen = field(default_factory=Seen)
    shapes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    """Tool -> how many tasks call it."""
    deep: int = 0
    in_vain: int = 0
    """Proposals that were to be deep and came to nothing."""

    def add(self, task: Task) -> None:
        """A task that was made, or written, earlier."""
        unique(task, self.seen)
        self.count(task)

    def count(self, task: Task) -> None:
        self.shapes[shape_of(task.intent)] += 1
        self.kinds[task.kind] += 1
        self.used.update({call.tool for call in task.golden_calls})
        self.deep += is_deep(task)


def kept_tasks(
    world: World, graph: ToolGraph, *, count: int, seed: int, tally: Tally
) -> Iterator[Task]:
    """At most `count` tasks that every gate passes, sealed, in the order they were found."""
    yield from more_tasks(world, graph, Wanted(count, seed), Stand(), tally)


def more_tasks(
    world: World, graph: ToolGraph, wanted: Wanted, stand: Stand, tally: Tally
) -> Iterator[Task]:
    """The same, beside those that are there. Goes on from `stand` and `tally`, which are up to date
    whenever a task comes, so that whoever keeps them with the tasks can go on there later."""
    proposer = Proposer(world, graph, seed=wanted.seed)
    there = stand.shapes.total() - tally.kept
    most = most_alike(there + wanted.count)
    writes = sorted(t.name for t in proposer.tools.values() if t.kind == "write")
    for name in writes:
        if name in proposer.hopeless and name not in tally.missed:
            tally.miss([name], proposer.hopeless[name])
    hopeful = [name for name in writes if name not in proposer.hopeless]

    def unwanted(intent: Intent) -> str | None:
        if stand.shapes[shape_of(intent)] >= most:
            return "enough of the kind"
        return _unwanted(kind_of(intent), wanted, stand)

    barren = 0
    while tally.kept < wanted.count and barren < wanted.patience:
        barren += 1
        tally.walks += 1
        doing = wanted.kind is None and _asks_often(stand)
        start = _neglected(hopeful, stand, tally)
        able = [name for name in writes if stand.used[name]]
        if start is None and doing and able:
            start = able[stand.number // 2 % len(able)]
        granting = wanted.kind not in (None, "refuse") or _refuses_often(wanted, stand)
        refusing = wanted.kind == "refuse" or (not granting and _refuses_seldom(stand, tally))
        few = wanted.band == "easy"
        deep = not refusing and wanted.band in (None, "hard") and _is_shallow(stand)
        stand.number += 1
        sought = deep and start is None
        stand.in_vain += sought
        if sought and hopeful and stand.number % 4:
            start = hopeful[stand.number % len(hopeful)]  # doing leads further than asking
        try:
            proposal = proposer.proposal(
                stand.number - 1,
                start,
                refusing=refusing,
                granting=granting,
                doing=doing,
                deep=deep,
                few=few,
                unwanted=unwanted,
                least=DEEP if sought else 0,
            )
            task = sealed(proposal.task)
            if wanted.band not in (None, task.band):
                raise Unfit("another difficulty than asked for")
        except Unfit as unfit:
            reason = str(unfit)
            tally.unfit[reason] += 1
            if start and reason != SHALLOW:
                tally.miss([start], reason)
            continue
        tally.proposed += 1
        refusal = first_refusal(world, task, proposal.rehearsal)
        if refusal is None and unique(task, stand.seen) is not None:
            refusal = "unique"
        if refusal is not None:
            tally.refused[refusal] += 1
            called = {call.tool for call in task.golden_calls} & set(writes)
            tally.miss(sorted(called | ({start} if start else set())), refusal)
            continue
        barren = 0
        stand.in_vain -= sought
        stand.count(task)
        tally.kept += 1
        if start and not stand.used[start]:
            tally.miss([start], "the walk went elsewhere")
        passed = {name: GateReport(passed=True) for name in [*GATES, "unique"]}
        yield task.model_copy(update={"gates": passed})


def most_alike(count: int) -> int:
    """How many of so many tasks may wish for the same thing of the same table."""
    return max(LEAST_SAME, int(SAME_SHARE * count))


def _neglected(writes: Sequence[str], stand: Stand, tally: Tally) -> str | None:
    """For every second proposal: the write tool that no task calls, and that was tried least."""
    if stand.number % 2:
        return None
    tried = {name: tally.missed.get(name, Counter[str]()).total() for name in writes}
    unused = [name for name in writes if not stand.used[name] and tried[name] < TRIES]
    return min(unused, key=lambda name: tried[name], default=None)


def _refuses_seldom(stand: Stand, tally: Tally) -> bool:
    """For every fourth proposal: whether tasks of kind refuse are few, and can be found."""
    if stand.number % 4 != 1:
        return False
    few = stand.kinds["refuse"] < LEAST_REFUSED * (stand.kinds.total() + 1)
    return few and tally.unfit[NONE_REFUSED] < MOST_UNREFUSED * (stand.kinds["refuse"] + 1)


def _is_shallow(stand: Stand) -> bool:
    """Whether tasks with long chains of calls are few, and there are more to be found."""
    few = stand.deep < LEAST_DEEP * (stand.kinds.total() + 1)
    return few and stand.in_vain < BORNE * (stand.deep + 2)


def _refuses_often(wanted: Wanted, stand: Stand) -> bool:
    """Whether one more task of kind refuse is too many."""
    most = max(1.0, MOST_REFUSED * (stand.kinds.total() + 1))
    return wanted.kind != "refuse" and stand.kinds["refuse"] + 1 > most


def is_deep(task: Task) -> bool:
    return task.difficulty.get("depth", 0) >= DEEP


def _asks_often(stand: Stand) -> bool:
    """For every second proposal: whether tasks that only ask are many."""
    return stand.number % 2 == 0 and stand.kinds["answer"] > MOST_ASKED * (stand.kinds.total() + 1)


def _unwanted(kind: Kind, wanted: Wanted, stand: Stand) -> str | None:
    if kind == "refuse" and _refuses_often(wanted, stand):
        return "enough that cannot be granted"
    if wanted.kind not in (None, kind):
        return "another kind than asked for"
    return None


def shape_of(intent: Intent) -> str:
    """What a task wishes for, without which and which values: verbs, tables and columns."""
    return " ".join(sorted(_shape(wish) for wish in intent.wishes))


def _shape(wish: Wish) -> str:
    match wish:
        case Insert():
            return f"insert {wish.table}"
        case Change():
            return f"change {wish.of.table} {sorted(wish.change)}"
        case Delete():
            return f"delete {wish.of.table}"
        case Answer():
            parts = [f"{a.of.table} {a.op} {a.column}" for a in aggregates(wish.what)]
            return f"answer {' - '.join(parts)}"
        case Branch():
            return f"if {wish.test.measure.op} {[_shape(deed) for deed in deeds(wish)]}"
        case Refused():
            return f"{wish.why} {_shape(wish.deed)}"
