"""What a run of a benchmark says: its rates, and all that must be known beside them.

Always holds: episodes that could not be scored are counted apart and are in no rate; beside a score
stand what doing nothing and the benchmark's own solutions earn on the same tasks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from forge.bench.benchmark import STRICT, Benchmark, Item, Score
from forge.bench.checkout import Source
from forge.dataset.folder import read_dataset
from forge.dataset.rates import Rate, every_of, rate_of
from forge.errors import UserError
from forge.train.runs import HEAD, read_recipe_of
from forge.types.rollout import Outcome, Trajectory

CONVERSATIONS = "conversations"
POWERS = (1, 2, 3, 4, 5, 8, 16)


@dataclass(frozen=True, slots=True)
class Fixed:
    """What a benchmark's code gave for one fixed way to play a task. None: it broke, `why`."""

    score: Score | None
    why: str = ""

    @property
    def passed(self) -> bool:
        return self.score is not None and self.score.reward == 1

    @property
    def strictly(self) -> bool:
        return self.score is not None and self.score.measures.get(STRICT, 1.0) == 1.0


def fixed(score: Callable[[Item], Score], items: Iterable[Item]) -> dict[str, Fixed]:
    """By the item's id. Code that breaks on an item is a fact about that item. UserError if a file
    is missing."""
    found = {}
    for item in items:
        try:
            given = score(item)
            found[item.id] = Fixed(given, given.why)
        except UserError:
            raise
        except Exception as error:  # the boundary: the benchmark's code may be wrong
            line = " ".join(str(error).split())[:200]
            found[item.id] = Fixed(None, f"its code breaks: {type(error).__name__}: {line}")
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """An episode, as far as reports go. `reward`: None where it could not be scored."""

    task: str
    attempt: int
    outcome: Outcome
    reason: str
    reward: int | None
    measures: Mapping[str, float]


def seen_of(found: Trajectory) -> Seen:
    verdict = found.verdict
    measures = {} if verdict is None else verdict.measures
    return Seen(found.task, found.attempt, found.outcome, found.reason, found.reward, measures)


@dataclass(frozen=True, slots=True)
class Group:
    """Of one domain and split, or of all. `powers`: k -> pass^k; `noop` and `gold`: how many of the
    tasks these pass, None where it is not known; `measures`: means over the scored episodes that
    have them, and over conversations."""

    name: str
    tasks: int
    episodes: int
    scored: int
    passed: int
    powers: Mapping[int, Rate]
    noop: int | None
    gold: int | None
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Report:
    """`trials`: of each task; `stubbed`: what the scores of gold and of doing nothing leave out;
    `unscored`: how many episodes, by outcome and reason; `broken`: tasks whose gold does not pass,
    and why; `loose`: those whose gold passes the benchmark's checks, but not the stricter ones
    beside them; `overlaps`: of what was trained on."""

    benchmark: str
    policy: str
    user: str
    judge: str
    stubbed: str
    trials: int
    groups: Sequence[Group]
    unscored: Mapping[str, int]
    broken: Mapping[str, str]
    loose: Sequence[str]
    source: Source
    overlaps: Sequence[str]
    cautions: Sequence[str]


def report_on(
    benchmark: Benchmark,
    items: Sequence[Item],
    seen: Sequence[Seen],
    *,
    policy: str,
    user: str,
    judge: str = "none",
    trials: int,
    trained_on: Sequence[Path] = (),
    gold: Mapping[str, Fixed] | None = None,
    noop: Mapping[str, Fixed] | None = None,
) -> Report:
    """`gold`, `noop`: where they are known already. UserError if a file of the benchmark, or what
    was trained on, cannot be read."""
    gold = fixed(benchmark.gold, items) if gold is None else gold
    noop = fixed(benchmark.noop, items) if noop is None else noop
    domains = list(dict.fromkeys(item.domain for item in items))
    overlaps = [each for path in trained_on for each in overlaps_of(path, benchmark.name)]
    return Report(
        benchmark=benchmark.name,
        policy=policy,
        user=user,
        judge=judge,
        stubbed=benchmark.stubbed,
        trials=trials,
        groups=groups_of(items, seen, gold, noop),
        unscored=unscored_of(seen),
        broken={id: each.why for id, each in gold.items() if not each.passed},
        loose=[id for id, each in gold.items() if each.passed and not each.strictly],
        source=benchmark.source(domains),
        overlaps=overlaps,
        cautions=benchmark.cautions(None if user == "none" else user.removeprefix("model:")),
    )


def groups_of(
    items: Sequence[Item],
    seen: Sequence[Seen],
    gold: Mapping[str, Fixed] | None,
    noop: Mapping[str, Fixed] | None,
) -> list[Group]:
    """Of each domain and split, and before them of all if there are several."""
    parts = [
        (name, list(part))
        for name, part in groupby(
            sorted(items, key=lambda item: (item.domain, item.split)),
            lambda item: f"{item.domain} {item.split}",
        )
    ]
    groups = [_group(name, part, seen, gold, noop) for name, part in parts]
    if len(groups) > 1:
        groups.insert(0, _group("all", items, seen, gold, noop))
    return groups


def unscored_of(seen: Iterable[Seen]) -> dict[str, int]:
    """How many episodes have no score, by outcome and reason."""
    return dict(Counter(f"{each.outcome}: {each.reason}" for each in seen if each.reward is None))


def _group(
    name: str,
    items: Sequence[Item],
    seen: Sequence[Seen],
    gold: Mapping[str, Fixed] | None,
    noop: Mapping[str, Fixed] | None,
) -> Group:
    ids = [item.id for item in items]
    within = set(ids)
    episodes = [each for each in seen if each.task in within]
    scored = [each for each in episodes if each.reward is not None]
    attempts, passed = Counter(each.task for each in scored), Counter[str]()
    for each in scored:
        passed[each.task] += each.reward or 0
    pairs = [(passed[id], attempts[id]) for id in ids if attempts[id]]
    powers = {k: every_of(pairs, k) for k in POWERS} if pairs else {}
    measured = sorted({name for each in scored for name in each.measures})
    return Group(
        name=name,
        tasks=len(ids),
        episodes=len(episodes),
        scored=len(scored),
        passed=sum(passed.values()),
        powers={k: rate for k, rate in powers.items() if rate is not None},
        noop=None if noop is None else sum(noop[id].passed for id in ids),
        gold=None if gold is None else sum(gold[id].passed for id in ids),
        measures={
            **{name: _mean([each.measures.get(name) for each in scored]) for name in measured},
            **_conversations(items, scored),
        },
    )


def _conversations(items: Sequence[Item], scored: Sequence[Seen]) -> dict[str, float]:
    """The share of those all of whose turns passed, where all were scored; nothing where no task is
    a turn."""
    wholes: dict[tuple[str, str, str], list[str]] = {}
    for item in items:
        if item.whole:
            wholes.setdefault((item.domain, item.split, item.whole), []).append(item.id)
    rewards = {(each.task, each.attempt): each.reward for each in scored}
    attempts = sorted({each.attempt for each in scored})
    shares = [
        float(all(rewards[id, attempt] for id in ids))
        for ids in wholes.values()
        for attempt in attempts
        if all((id, attempt) in rewards for id in ids)
    ]
    return {CONVERSATIONS: _mean(shares)} if shares else {}


def _mean(shares: Iterable[float | None]) -> float:
    """Of those that are there, at least one."""
    there = [share for share in shares if share is not None]
    return sum(there) / len(there)


def overlaps_of(path: Path, benchmark: str) -> list[str]:
    """What in a data set, or in that of a run of training, has the tools of this benchmark."""
    folder = path
    if (path / HEAD).is_file():
        folder = Path(str(read_recipe_of(path).get("data", "")))
    manifest = read_dataset(folder).manifest
    return [
        f"{name} in {folder} has the tools of {', '.join(entry.overlaps)}"
        for name, entry in manifest.environments.items()
        if any(each.lower().startswith(f"{benchmark} ") for each in entry.overlaps)
    ]


def rate_of_group(group: Group) -> Rate:
    """pass^1; nothing is known of it where no episode was scored."""
    return group.powers.get(1, rate_of([]))
