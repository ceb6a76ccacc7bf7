"""One proposal: a walk, wishes along it, the way through the tools, the executed end, the words.

A proposal is a pure function of environment, seed and number. It may come to nothing; then
`Unfit` says why, in words that can be counted. What is made is not yet a proven task: that is for
the gates.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.env.rehearsal import Reads, Rehearsal, Results
from forge.env.session import Session, World
from forge.env.store import Store
from forge.errors import ToolError
from forge.tasks.dags.careless import takes_first
from forge.tasks.dags.graph import as_network
from forge.tasks.dags.lookup import Lookup
from forge.tasks.dags.order import find_orders, in_a_row, orders_deeds
from forge.tasks.dags.paging import NoWay
from forge.tasks.dags.plan import plan
from forge.tasks.dags.play import PlayError, play
from forge.tasks.dags.refusing import loophole
from forge.tasks.dags.walk import neighbours, walk
from forge.tasks.difficulty import depth, difficulty
from forge.tasks.dues import due_of
from forge.tasks.intents.inside import said_values
from forge.tasks.intents.intent import IntentError, carry_out
from forge.tasks.speech.facts import name_facts
from forge.tasks.speech.question import write_question
from forge.tasks.starts import Point, Start, any_point
from forge.tasks.wishes.afterwards import asked_after
from forge.tasks.wishes.answer import answer_about
from forge.tasks.wishes.branch import seldom_hanging
from forge.tasks.wishes.distract import Invented, distract
from forge.tasks.wishes.late import told_late
from forge.tasks.wishes.linked import LINK_SHARE, linked
from forge.tasks.wishes.reach import hopeless
from forge.tasks.wishes.refused import crosses, refused_wish
from forge.tasks.wishes.scene import Known, Scene, Told, Unfit, Wished
from forge.tasks.wishes.turns import seldom_in_turn
from forge.tasks.wishes.wish import wish_for
from forge.types.dag import CallNode, Origin, TaskDag
from forge.types.data import Json
from forge.types.environment import ToolGraph
from forge.types.intent import Answer, Intent, Refused
from forge.types.state import Overlay
from forge.types.task import Fact, Kind, Task

WALK_LENGTH = 6
MAX_WRITES = 3
MOST_IN_VAIN = 3
"""Other tools that are tried for a wish that is refused."""
ANSWER_SHARE = 0.18
MIXED_SHARE = 0.35
AFTER_SHARE, DEEP_AFTER_SHARE = 0.15, 0.9
"""How often something is asked that is otherwise once the other wishes are granted: in any task,
and in one that is to be deep."""
REFUSE_SHARE = 0.14
MAX_SCENES = 64
"""Actors and bases of which it is remembered what records are called."""
MAX_STARTS = 8
"""Actors and bases of which it is remembered what reads gave."""
DISTRACT_SHARE = 0.5
"""How often records are laid on the base that make the careless way wrong, where it has none."""
SHALLOW = "not deep enough"
NONE_REFUSED = "nothing that a tool does would be refused"
ASKED_BESIDE = 0.4
"""How often the doable wish beside a single one that is refused is a question."""


def random_of(*parts: object) -> random.Random:
    """A generator that depends on the parts alone."""
    text = "\0".join(str(p) for p in parts)
    return random.Random(
        int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8], "big")
    )


@dataclass(frozen=True, slots=True)
class Proposal:
    task: Task
    rehearsal: Rehearsal
    """The runs that were made from the task's start."""


class Proposer:
    """Proposals for one environment: numbered, each independent of the others."""

    def __init__(self, world: World, graph: ToolGraph, *, seed: int | str) -> None:
        self.world, self.seed = world, seed
        self.environment = world.environment
        self.ways = neighbours(as_network(graph, self.environment))
        self.tools = {t.name: t for t in self.environment.tools if t.effect is not None}
        self._told: dict[tuple[str, str | int | None], Told] = {}
        self._known = Known()
        self._reads: dict[str, Results] = {name: {} for name in world.bases}
        self._own_reads: dict[tuple[str, str | int | None], Results] = {}
        self._invented: Invented = {}
        scene = self._scene(world.open(min(world.bases)), Told(), random.Random(0))
        reasons = {tool.name: hopeless(tool, scene) for tool in self.tools.values()}
        self.hopeless = {name: reason for name, reason in reasons.items() if reason is not None}
        """Tools that no wish is made for, and why."""

    def propose(
        self,
        number: int,
        first: str | None = None,
        *,
        refusing: bool = False,
        doing: bool = False,
        deep: bool = False,
    ) -> Task:
        """The task of the proposal, see `proposal`."""
        return self.proposal(number, first, refusing=refusing, doing=doing, deep=deep).task

    def proposal(
        self,
        number: int | str,
        first: str | None = None,
        *,
        refusing: bool = False,
        granting: bool = False,
        doing: bool = False,
        deep: bool = False,
        few: bool = False,
        unwanted: Callable[[Intent], str | None] | None = None,
        least: int = 0,
        after: Point | None = None,
    ) -> Proposal:
        """The proposal of that number; `first`: a tool that its walk begins at; `refusing`: with a
        wish that cannot be granted, if any can be found; `granting`: with none; `doing`: not only
        with questions, if a write tool was met; `deep`: rather with long chains of calls; `few`:
        with one wish; `after`: it starts there, and something is told late in it. Raises Unfit,
        also where `unwanted` gives a reason against its wishes, or where it was seen before it was
        played that no chain of `least` calls is in it."""
        rng = random_of(self.environment.name, self.seed, number)
        point = after or any_point(self.world, rng)
        met = walk(self.ways, self.environment, rng, WALK_LENGTH, first)
        opened = self.world.open(point.base, actor=point.actor, now=point.now, setup=point.setup)
        asking = rng.random() < ANSWER_SHARE and not refusing and not doing
        known = self._told_in(point.base, point.actor) if after is None else Told()
        scene = self._scene(opened, known, rng, deep)
        wished = self._wishes(met, scene, refusing, granting, asking, few)
        return self.of_wishes(
            wished, opened, point, rng, met, unwanted=unwanted, least=least, later=after is not None
        )

    def of_wishes(
        self,
        wished: list[Wished],
        opened: Session,
        point: Point,
        rng: random.Random,
        preferred: Sequence[str] = (),
        *,
        unwanted: Callable[[Intent], str | None] | None = None,
        least: int = 0,
        later: bool = False,
    ) -> Proposal:
        """The proposal of these wishes, from a point on that was `opened`. `preferred`: tools by
        which things are rather looked up; `later`: as `after` of `proposal`. Unfit."""
        base, actor, setup = point.base, point.actor, point.setup
        intent = Intent(wishes=tuple(w.wish for w in wished))
        reason = unwanted(intent) if unwanted is not None else None
        if reason is not None:
            raise Unfit(reason)
        intent = name_facts(intent, opened.store.schema)
        told = told_late(intent, wished, rng, always=later)
        if later and not told:
            raise Unfit("nothing could be told beforehand")
        granted = [
            Wished(named, wish.tool) for wish, named in zip(wished, intent.wishes, strict=True)
        ]
        way = self._way(granted, opened.store, told, preferred, rng)
        if least and depth(in_a_row(way[0], after=_asks_after(intent))) < least:
            raise Unfit(SHALLOW)
        if not later and (setup := self._setup(intent, base, actor, rng)):
            opened = self.world.open(base, actor=actor, setup=setup)
            way = self._way(granted, opened.store, told, preferred, rng)  # pages may be larger
        reads = self._reads_at(base, actor) if not later else None
        start = Start(Point(base, actor, point.now, setup), Rehearsal(opened, reads))
        task = self._instantiated(intent, *way, start, told, rng, least)
        return Proposal(task, start.rehearsal)

    def _way(
        self,
        wished: list[Wished],
        store: Store,
        told: set[str],
        preferred: Sequence[str],
        rng: random.Random,
    ) -> tuple[TaskDag, list[Origin]]:
        """The way through the tools, and where each answer comes from. Unfit."""
        tools, first = list(self.tools.values()), set(preferred)
        lookup = Lookup(tools=tools, store=store, rng=rng, preferred=first, told=told)
        try:
            return plan(wished, lookup)
        except NoWay as reason:
            raise Unfit(str(reason)) from None

    def _setup(
        self, intent: Intent, base: str, actor: str | int | None, rng: random.Random
    ) -> Overlay:
        """Records that make the careless way wrong, for a share of the tasks."""
        if rng.random() >= DISTRACT_SHARE:
            return {}
        seed = rng.randrange(1, 2**31)
        store = self.world.open(base, actor=actor, seed=seed).store
        return distract(intent, store, rng, self._invented)

    def opened_at(self, point: Point, rng: random.Random) -> tuple[Session, Scene]:
        """A session from there, and what wishes are drawn from in it."""
        opened = self.world.open(point.base, actor=point.actor, now=point.now, setup=point.setup)
        return opened, self._scene(opened, self._told_in(point.base, point.actor), rng)

    def _scene(self, opened: Session, told: Told, rng: random.Random, deep: bool = False) -> Scene:
        return Scene(
            store=opened.store,
            rng=rng,
            tools=self.tools,
            made={},
            focus=[],
            ended=[],
            deep=deep,
            told=told,
            known=self._known,
        )

    def _reads_at(self, base: str, actor: str | int | None) -> Reads:
        if len(self._own_reads) > MAX_STARTS:
            self._own_reads.clear()
        return Reads(self._reads[base], self._own_reads.setdefault((base, actor), {}))

    def _told_in(self, base: str, actor: str | int | None) -> Told:
        if len(self._told) > MAX_SCENES:
            self._told.clear()
        return self._told.setdefault((base, actor), Told())

    def _wishes(
        self,
        met: list[str],
        scene: Scene,
        refusing: bool,
        granting: bool,
        asking: bool,
        few: bool,
    ) -> list[Wished]:
        rng, deep = scene.rng, scene.deep
        hopeful = [n for n in met if n not in self.hopeless]
        writes = [n for n in hopeful if self.tools[n].kind == "write"]
        reads = [n for n in hopeful if self.tools[n].kind == "read"]
        count = min(len(writes), 1 if few else rng.choice([1, 1, 2, 2, MAX_WRITES]))
        if reads and (asking or not writes):
            return self._answers(reads, scene, 1 if few else rng.choice([1, 1, 2]))
        share = 1.0 if deep else LINK_SHARE
        chosen = linked(writes, self.tools, scene.store.schema, count, rng, share)
        fails = refusing or (rng.random() < REFUSE_SHARE and not (deep or granting))
        in_vain = rng.randrange(count) if count and fails else None
        if in_vain is not None and count == 1 and not (reads and rng.random() < ASKED_BESIDE):
            chosen.append(rng.choice(writes))
        turned = [] if in_vain is not None else seldom_in_turn(writes, scene)
        wished = turned or [
            self._in_vain([name, *writes], scene, position)
            if position == in_vain
            else seldom_hanging(wish_for(self.tools[name], scene, position), scene)
            for position, name in enumerate(chosen)
        ]
        if few and wished and in_vain is None:
            return wished
        if in_vain is None and rng.random() < (DEEP_AFTER_SHARE if deep else AFTER_SHARE):
            asked = asked_after([w.wish for w in wished], scene)
            if asked is not None:
                return [*wished, asked]
        alone = in_vain is not None and len(wished) == 1
        if reads and (alone or (len(wished) < MAX_WRITES and rng.random() < MIXED_SHARE)):
            wished += self._answers(reads, scene, 1)
        if in_vain is not None and crosses([w.wish for w in wished], scene):
            raise Unfit("what is refused and another wish are about the same")
        if not wished:
            reasons = [self.hopeless[name] for name in met if name in self.hopeless]
            raise Unfit(next(iter(reasons), "the walk met no tool with an effect"))
        return wished

    def _in_vain(self, names: list[str], scene: Scene, position: int) -> Wished:
        """A wish that the first of these tools refuses that can, or else some other one."""
        others = [
            t.name
            for t in self.tools.values()
            if t.kind == "write" and t.name not in self.hopeless and t.name not in names
        ]
        scene.rng.shuffle(others)
        for name in dict.fromkeys([*names, *others[:MOST_IN_VAIN]]):
            try:
                return refused_wish(self.tools[name], scene, position)
            except Unfit:
                continue
        raise Unfit(NONE_REFUSED)

    def _answers(self, reads: list[str], scene: Scene, count: int) -> list[Wished]:
        """Something to be told by each of so many read tools, or by the same."""
        asked: list[Wished] = []
        for _ in range(count):
            wished = self._answer(reads, scene)
            if all(wished.wish != other.wish for other in asked):
                asked.append(wished)
        return asked

    def _answer(self, reads: list[str], scene: Scene) -> Wished:
        """About what some of these tools show, of which anything is worth asking."""
        reasons: dict[str, Unfit] = {}
        for name in scene.rng.sample(reads, len(reads)):
            effect = self.tools[name].effect
            assert effect is not None
            if effect.table not in reasons:
                try:
                    return answer_about(self.tools[name], scene)
                except Unfit as unfit:
                    reasons[effect.table] = unfit
        raise next(iter(reasons.values()))

    def _instantiated(
        self,
        intent: Intent,
        dag: TaskDag,
        origins: list[Origin],
        start: Start,
        told: set[str],
        rng: random.Random,
        least: int,
    ) -> Task:
        facts = said_values(intent)
        rehearsal = start.rehearsal
        answers = _answers(intent, rehearsal.run().store.fork())
        wishes = [n for n, w in enumerate(intent.wishes) if isinstance(w, Answer)]
        dues = tuple(
            due_of(n, origin, value, intent, rehearsal.run().store)
            for n, origin, value in zip(wishes, origins, answers, strict=True)
        )
        try:
            run = rehearsal.run()
            played = play(run, dag, facts, dues)
        except PlayError as error:
            raise Unfit(f"golden call failed at {error.reason.split(':')[0]}") from None
        if takes_first(dag, played, facts):
            raise Unfit("taking the first of every list would do")
        after = _asks_after(intent)
        orders = find_orders(dag, facts, dues, rehearsal.run, run.overlay(), rng, after=after)
        if orders is None:
            raise Unfit("the end depends on an order that cannot be told")
        tried = {n.id for n in dag.nodes if isinstance(n, CallNode) and n.refused}
        if any(tried & set(pair) for pair in orders):
            raise Unfit("what is refused depends on the order")
        if loophole(intent, self.environment, rehearsal.run, facts) is not None:
            raise Unfit("some tool grants what is to be refused")
        dag, schema = TaskDag(nodes=dag.nodes, orders=orders), self.environment.state_schema
        if least and depth(dag) < least:
            raise Unfit(SHALLOW)
        intent = Intent(wishes=intent.wishes, in_order=orders_deeds(dag))
        question, said = write_question(intent, schema, told, rng, start.at.now)
        return Task(
            id="",
            env=self.environment.name,
            kind=kind_of(intent),
            base=start.at.base,
            actor=start.at.actor,
            now=start.at.now,
            setup=start.at.setup,
            question=question,
            intent=intent,
            facts=_complete(said, facts),
            dues=dues,
            dag=dag,
            golden_calls=tuple(played.calls),
            golden=run.overlay(),
            difficulty=difficulty(intent, dag, played, said, self.tools, rehearsal.run().store),
        )


def _asks_after(intent: Intent) -> bool:
    """Whether something is asked of how things are after the changes."""
    return any(isinstance(w, Answer) and w.after for w in intent.wishes)


def kind_of(intent: Intent) -> Kind:
    if any(isinstance(w, Refused) for w in intent.wishes):
        return "refuse"
    asked = sum(isinstance(w, Answer) for w in intent.wishes)
    return "answer" if asked == len(intent.wishes) else "mixed" if asked else "change"


def _answers(intent: Intent, store: Store) -> list[Json]:
    try:
        return carry_out(intent, store)
    except IntentError as error:
        raise Unfit(f"the intent is not exact: {str(error).split(' of ')[0]}") from None
    except ToolError as error:
        raise Unfit(f"the records refuse the intent: {error.kind}") from None


def _complete(said: tuple[Fact, ...], facts: dict[str, Json]) -> tuple[Fact, ...]:
    if set(facts) - {f.name for f in said}:
        raise Unfit("the question leaves a value out")
    asked_for = [f.about for f in said if f.told]
    if len(set(asked_for)) < len(asked_for):
        raise Unfit("two things are told late that one would ask for alike")
    return said
