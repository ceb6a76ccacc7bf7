"""A run of a benchmark: its tasks chosen, played, written to a file, reported on.

Always holds: equal choices give equal tasks in equal order; a file holds episodes of one benchmark,
one version of its data, and one way to play.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

from forge.bench.acebench import ace_bench
from forge.bench.benchmark import ALL, Benchmark, Item
from forge.bench.bfcl import bfcl
from forge.bench.checkout import pick
from forge.bench.play import Play, play_all, verdict_of
from forge.bench.report import Fixed, Report, fixed, report_on, seen_of
from forge.bench.tau2bench import tau2_bench
from forge.bench.taubench import tau_bench
from forge.dataset.files import write_text
from forge.dataset.trajectories import Manner, trajectories_in, trajectory_file
from forge.errors import UserError
from forge.pipeline.rollouts import run_to_its_end
from forge.types.data import Json
from forge.types.rollout import Trajectory

BENCHMARKS: Mapping[str, Callable[[Path], AbstractContextManager[Benchmark]]] = {
    "tau-bench": tau_bench,
    "tau2-bench": tau2_bench,
    "acebench": ace_bench,
    "bfcl": bfcl,
}
GOLD, NOOP = "gold", "noop"


def opened(
    name: str, root: Path, retrieval: str | None = None
) -> AbstractContextManager[Benchmark]:
    """`retrieval`: how documents are searched, where a benchmark has several ways. UserError, at
    once or on entering, if the checkout cannot be used."""
    if retrieval is None:
        return BENCHMARKS[name](root)
    if name != "tau2-bench":
        raise UserError(f"{name} searches no documents", mend="leave out --retrieval")
    return tau2_bench(root, retrieval)


def choose(
    benchmark: Benchmark, domain: str | None, split: str | None, number: int | None
) -> list[Item]:
    """`split`: None: the one that scores are told of; "all"; or the first word of several, as in
    `agent_multi_turn`. `number`: of all that are chosen, from all domains in turn. UserError if
    there is no such domain or split."""
    domains = benchmark.domains
    names = list(domains) if domain is None else [pick("domain", domain, list(domains), "")]
    wanted = split or benchmark.usual
    known = sorted({each for name in names for each in domains[name]})
    families = {each.partition("_")[0] for each in known if "_" in each} - set(known)
    if wanted != ALL:
        pick("split", wanted, [*known, *sorted(families), ALL], "")
    parts = [
        benchmark.items(name, each)
        for name in names
        for each in domains[name]
        if wanted in (ALL, each) or (wanted in families and each.startswith(f"{wanted}_"))
    ]
    if number is None:
        return list(chain(*parts))
    turns = [item for turn in zip_longest(*parts) for item in turn if item is not None]
    kept = {item.id for item in turns[:number]}
    return [item for part in parts for item in part if item.id in kept]


def measure_fixed(
    benchmark: Benchmark,
    items: Sequence[Item],
    way: str,
    *,
    out: Path | None = None,
    trained_on: Sequence[Path] = (),
) -> Report:
    """`way`: `gold` or `noop`. With `out`, a trajectory of each without steps is written there."""
    gold, noop = fixed(benchmark.gold, items), fixed(benchmark.noop, items)
    found = gold if way == GOLD else noop
    ended = [_fixed_trajectory(benchmark, item, way, found[item.id]) for item in items]
    report = report_on(
        benchmark,
        items,
        [seen_of(each) for each in ended],
        policy=way,
        user="none",
        trials=1,
        trained_on=trained_on,
        gold=gold,
        noop=noop,
    )
    if out is not None:
        marks = marks_of(benchmark, report.source.digest)
        order = {item.id: number for number, item in enumerate(items)}
        with trajectory_file(out, Manner(way, "none", 0, marks), order, resume=False) as file:
            for each in ended:
                file.add(each.model_copy(update={"settings": marks}))
    return report


def _fixed_trajectory(benchmark: Benchmark, item: Item, way: str, found: Fixed) -> Trajectory:
    return Trajectory(
        task=item.id,
        env=f"{benchmark.name}:{item.domain}",
        kind="benchmark",
        band="",
        policy=way,
        user="none",
        seed=0,
        attempt=0,
        question="",
        steps=(),
        outcome="broken" if found.score is None else "done",
        reason=found.why if found.score is None else "",
        verdict=verdict_of(found.score),
    )


def marks_of(benchmark: Benchmark, digest: str) -> dict[str, Json]:
    return {"benchmark": benchmark.name, "data": digest}


def measure(
    play: Play,
    items: Sequence[Item],
    trials: int,
    out: Path,
    *,
    known: Sequence[Item],
    own: Path | None = None,
    resume: bool,
    trained_on: Sequence[Path] = (),
    tell: Callable[[int, int, Trajectory, str], None],
) -> Report:
    """A model plays each item `trials` times into `out`, where others of `known` may be already;
    `tell` gets how many episodes are done, of how many, and the last one. `own`: a file in the
    shape that the benchmark's own tools read.

    UserError if the file holds something else, or a model cannot be played with; KeyboardInterrupt
    at Ctrl-C, when all that runs has been ended."""
    benchmark = play.benchmark
    source = benchmark.source(list(dict.fromkeys(item.domain for item in items)))
    play = replace(play, marks={**marks_of(benchmark, source.digest), **play.marks})
    if own is not None:
        _check_own(benchmark, items)
    order = {item.id: number for number, item in enumerate(known)}
    manner = Manner(play.policy.name, play.listener, play.seed, play.marks)
    total = len(items) * trials
    with trajectory_file(out, manner, order, resume=resume) as file:
        done = sum((item.id, trial) in file for item in items for trial in range(trials))

        def note(found: Trajectory, trace: str) -> None:
            nonlocal done
            done += 1
            tell(done, total, found, trace)

        run_to_its_end(play_all(play, items, trials, file, note))
        file.settle(order)
    ids = {item.id for item in items}
    found = [each for each in trajectories_in(out) if each.task in ids and each.attempt < trials]
    if own is not None:
        write_text(own, benchmark.own(found) or "")
    seen = [seen_of(each) for each in found]
    return report_on(
        benchmark,
        items,
        seen,
        policy=play.policy.name,
        user=play.listener,
        judge="none" if play.judge is None else play.judge.client.name,
        trials=trials,
        trained_on=trained_on,
    )


def _check_own(benchmark: Benchmark, items: Sequence[Item]) -> None:
    """UserError if there is no such file of these."""
    if benchmark.own([]) is None:
        raise UserError(f"--own does not know the shape of {benchmark.name}", mend="leave it out")
    if len({(item.domain, item.split) for item in items}) > 1:
        raise UserError("--own is of one domain and split", mend="--domain and --split")
