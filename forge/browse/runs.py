"""The pages of a run of training: how it goes, while it goes; its rollouts; two runs compared."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import isfinite, nan

from forge.browse.align import acts_of
from forge.browse.chart import Chart, chart, plain
from forge.browse.dialogue import dialogue
from forge.browse.page import Asked, Missing, Names, Page, Values, only
from forge.browse.rollouts import (
    beside_values,
    golden_ids,
    golden_values,
    side,
    task_address,
    task_in,
)
from forge.browse.sampled import Sample, sample_of, sampled_steps, samples_of
from forge.browse.things import Site, Thing
from forge.dataset.rates import Rate, rate_of
from forge.errors import UserError
from forge.train.alarms import alarms
from forge.train.compare import Group, difference, differing
from forge.train.curves import Line, held_out, reach_of, rewards, smoothed
from forge.train.runs import LAST, Run, read_run

HOME = "{thing}/index.html"
STEP = "{thing}/samples/{step}.html"
SAMPLE = "{thing}/samples/{step}/{number}.html"
GOLDEN = "{thing}/samples/{step}/{number}/golden.html"
BESIDE = "{thing}/samples/{step}/{number}/beside/{second}.html"
OTHER = "{thing}/beside/{other}.html"
DRAWN = ("step", "reward", "reward_error", "epoch", "num_tokens")
"""Numbers of a step that have a picture already, or say nothing."""


def show_run(asked: Asked) -> Values:
    run = read_run(asked.thing.path)
    group = _group(asked.thing, run)
    told = _alarms(run)
    return {
        "title": asked.thing.name,
        "run": run,
        "reward": run.mean("reward", LAST),
        "seconds": run.mean("seconds", LAST),
        "last": LAST,
        "alarms": told,
        "charts": charts([group], told),
        "gain": group.gain,
        "environments": _by_environment(run),
        "samples": list(sampled_steps(asked.thing.path)),
        "others": [thing for thing in asked.site.of("run") if thing != asked.thing],
    }


def show_step(asked: Asked) -> Values:
    step = _number(asked.names["step"])
    found = list(samples_of(asked.thing.path, step))
    if not found:
        raise Missing(f"no rollout of step {step} was kept")
    by_task = sorted(found, key=lambda each: (each.trajectory.env, each.trajectory.task))
    return {
        "title": f"Rollouts of step {step}",
        "thing": asked.thing,
        "groups": [
            (task, [(each, _place(asked.thing, each)[0]) for each in group])
            for task, group in groupby(by_task, key=lambda each: each.trajectory.task)
        ],
        "number": len(found),
        "step": step,
        **_near(asked, list(sampled_steps(asked.thing.path)), step, _step_address),
    }


def show_sample(asked: Asked) -> Values:
    sample = _sample(asked, asked.names["number"])
    home, step, number = asked.thing, sample.step, sample.number
    found = list(samples_of(home.path, step))
    golden = task_in(asked.site, sample.trajectory.task)
    stem = _stem(home, step, number)
    return {
        "title": sample.trajectory.task,
        "list": _step_address(home, step),
        "listed": f"{home.name}, step {step}",
        "crumb": f"rollout {number}",
        "dialogue": dialogue(sample.trajectory),
        "sampled": sample,
        "task": None if golden is None else task_address(*golden),
        "golden": None if golden is None else f"{stem}/golden.html",
        "beside": [
            (f"rollout {each.number}", each.trajectory.reward, f"{stem}/beside/{each.number}.html")
            for each in _others(found, sample, live=asked.live)
        ],
        **_near(
            asked,
            [each.number for each in found],
            number,
            lambda thing, other: f"{_stem(thing, step, other)}.html",
        ),
    }


def show_golden(asked: Asked) -> Values:
    sample = _sample(asked, asked.names["number"])
    return golden_values(asked, sample.trajectory, *_place(asked.thing, sample))


def show_beside(asked: Asked) -> Values:
    found = [_sample(asked, asked.names[name]) for name in ("number", "second")]
    one, other = (each.trajectory for each in found)
    if one.task != other.task:
        raise Missing("these two rollouts are not of one task")
    sides = [side(each.trajectory, *_place(asked.thing, each)) for each in found]
    return beside_values(sides, [acts_of(each.trajectory.steps) for each in found], one)


def show_other(asked: Asked) -> Values:
    """The run beside another."""
    other = asked.site.named(asked.names["other"])
    if other is None or other.kind != "run" or other == asked.thing:
        raise Missing(f"no other run {asked.names['other']!r} is browsed")
    things = (asked.thing, other)
    groups = [_group(thing, read_run(thing.path)) for thing in things]
    first, second = groups
    at_last = None
    if first.evaluations and second.evaluations:
        at_last = difference(first.evaluations[-1], second.evaluations[-1])
    return {
        "title": f"{asked.thing.name} and {other.name}",
        "things": things,
        "groups": groups,
        "difference": at_last,
        "charts": charts(groups, ()),
        "told": differing(groups),
        "last": LAST,
    }


def charts(groups: Sequence[Group], flags: Sequence[tuple[int, str]]) -> list[Chart]:
    """Reward and held-out pass rate, then each number that the runs have measured."""
    reach = reach_of(groups)
    found = [
        chart("Reward in training", [rewards(each, reach) for each in groups], flags=flags),
        chart("Held-out pass rate", [held_out(each) for each in groups], share=True),
    ]
    names = {name: None for each in groups for row in each.runs[0].metrics for name in row}
    for name in names:
        if name not in DRAWN:
            found.append(chart(name, [_measured(each, name, reach) for each in groups]))
    return [each for each in found if each is not None]


def _measured(group: Group, name: str, reach: int) -> Line:
    rows = [(row["step"], _real(row.get(name))) for row in group.runs[0].metrics]
    rows = [row for row in rows if isfinite(row[1])]
    values = smoothed([value for _, value in rows], reach)
    return plain(group.label, [step for step, _ in rows], values)


def _real(value: object) -> float:
    return float(value) if isinstance(value, int | float) else nan


def _group(thing: Thing, run: Run) -> Group:
    return Group(thing.name, (run,), run.evaluations)


def _by_environment(run: Run) -> list[tuple[str, int, Rate]]:
    """At the last measurement: its name, how many tasks, the pass rate."""
    if not run.evaluations:
        return []
    last = run.evaluations[-1].environments
    return [(name, len(of), rate_of(list(of.values()))) for name, of in sorted(last.items())]


def _alarms(run: Run) -> list[tuple[int, str]]:
    """Step, and what goes wrong as of it; of a cold start none is known."""
    found = [] if run.head.kind == "sft" else alarms(run.metrics)
    return [(run.metrics[each.at - 1]["step"], each.what) for each in found]


def _sample(asked: Asked, number: str) -> Sample:
    step = asked.names["step"]
    found = sample_of(asked.thing.path, _number(step), _number(number))
    if found is None:
        raise Missing(f"there is no rollout {number} of step {step}")
    return found


def _number(text: str) -> int:
    """0 for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _near(
    asked: Asked, numbers: Sequence[int], here: int, address: Callable[[Thing, int], str]
) -> dict[str, str | None]:
    """The addresses before and after, for paging."""
    at = numbers.index(here)
    near = {"before": at - 1, "after": at + 1}
    return {
        way: address(asked.thing, numbers[to]) if 0 <= to < len(numbers) else None
        for way, to in near.items()
    }


def _step_address(thing: Thing, step: int) -> str:
    return f"{thing.name}/samples/{step}.html"


def _stem(thing: Thing, step: int, number: int) -> str:
    return f"{thing.name}/samples/{step}/{number}"


def _place(thing: Thing, sample: Sample) -> tuple[str, str]:
    """Its address, and what it is called beside another."""
    stem = _stem(thing, sample.step, sample.number)
    return f"{stem}.html", f"{thing.name}, step {sample.step}, rollout {sample.number}"


def _samples(site: Site, thing: Thing) -> Iterator[Names]:
    for step, places in sampled_steps(thing.path).items():
        for number in range(1, len(places) + 1):
            yield {"step": str(step), "number": str(number)}


def _steps(site: Site, thing: Thing) -> Iterator[Names]:
    return ({"step": str(step)} for step in sampled_steps(thing.path))


def _golden(site: Site, thing: Thing) -> Iterator[Names]:
    known = golden_ids(site)
    for step in sampled_steps(thing.path):
        for each in _readable(thing, step):
            if each.trajectory.task in known:
                yield {"step": str(step), "number": str(each.number)}


def _pairs(site: Site, thing: Thing) -> Iterator[Names]:
    """Those that the page of a rollout links to."""
    for step in sampled_steps(thing.path):
        found = _readable(thing, step)
        for one in found:
            for other in _others(found, one, live=False):
                yield {
                    "step": str(step),
                    "number": str(one.number),
                    "second": str(other.number),
                }


def _readable(thing: Thing, step: int) -> list[Sample]:
    """Those of a step; none where one of them cannot be read, which the step's page says."""
    try:
        return list(samples_of(thing.path, step))
    except UserError:
        return []


def _others(found: Sequence[Sample], here: Sample, *, live: bool) -> list[Sample]:
    """Other rollouts of the question; on disk, a pair has the first of them."""
    group = [each for each in found if each.trajectory.task == here.trajectory.task]
    return [each for each in group if each != here and (live or group[0] in (each, here))]


def _runs(site: Site, thing: Thing) -> Iterator[Names]:
    return ({"other": other.name} for other in site.of("run") if other != thing)


PAGES = (
    Page("run", HOME, "run.html.j2", show_run, only),
    Page("run", STEP, "samples.html.j2", show_step, _steps),
    Page("run", SAMPLE, "rollout.html.j2", show_sample, _samples),
    Page("run", GOLDEN, "beside.html.j2", show_golden, _golden),
    Page("run", BESIDE, "beside.html.j2", show_beside, _pairs),
    Page("run", OTHER, "runs.html.j2", show_other, _runs),
)
