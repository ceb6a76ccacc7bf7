"""`forge bench`: benchmarks that others wrote, by their own code from a checkout."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from forge.cli.list import HOME
from forge.cli.options import Json, ModelContext, Slots, Threads

if TYPE_CHECKING:
    from forge.bench.report import Group, Report
    from forge.dataset.rates import Rate
    from forge.types.rollout import Trajectory

SIDE_BY_SIDE = 16
EVERY = 5.0
"""Seconds between lines of progress."""
SHOWN = 10
"""Broken gold, and reasons without a score, in the table; all of them are in the JSON."""


def bench(
    running: typer.Context,
    name: Annotated[
        Literal["tau-bench", "tau2-bench", "acebench", "bfcl", "vitabench"],
        typer.Argument(
            metavar="BENCHMARK", help="tau-bench, tau2-bench, acebench, bfcl or vitabench."
        ),
    ],
    root: Annotated[
        Path,
        typer.Option(help="Your checkout of it, whose code runs in this process: trust it first."),
    ],
    gold: Annotated[
        bool, typer.Option("--gold", help="No model: the benchmark's own solutions.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Of vitabench: what its own vita run saved; nothing is run."
        ),
    ] = None,
    noop: Annotated[bool, typer.Option("--noop", help="No model: do nothing.")] = False,
    model: Annotated[
        str | None,
        typer.Option(help="The agent: NAME at an OpenAI-compatible endpoint, or local:FILE.gguf."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Its address. A key comes from OPENAI_API_KEY.", envvar="OPENAI_BASE_URL"
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="local:PATH",
            help="The agent: a model in this process, a folder as Hugging Face has it, or a .gguf"
            " file. Not with --model.",
        ),
    ] = None,
    user_model: Annotated[
        str | None, typer.Option(help="A model as the user, named as --model is.")
    ] = None,
    user_base_url: Annotated[
        str | None, typer.Option(help="Its address.", show_default="that of --base-url")
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option(help="A model there that judges what was said, where a benchmark has that."),
    ] = None,
    domain: Annotated[str | None, typer.Option(help="Only its tasks.", show_default="all")] = None,
    split: Annotated[
        str | None,
        typer.Option(help="Only its tasks, or all.", show_default="the one scores are told of"),
    ] = None,
    retrieval: Annotated[
        str | None,
        typer.Option(
            help="How the agent searches tau2-bench's banking_knowledge, as its own"
            " --retrieval-config has it.",
            show_default="bm25",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "-n", min=1, help="How many tasks, from all domains in turn.", show_default="all"
        ),
    ] = None,
    trials: Annotated[int, typer.Option("-k", min=1, help="Episodes of each task.")] = 1,
    concurrent: Annotated[
        int | None,
        typer.Option(
            "-c",
            min=1,
            help="Episodes side by side.",
            show_default=f"{SIDE_BY_SIDE}; the --slots of a model from a file",
        ),
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(min=1, help="Actions of the agent.", show_default="as the benchmark has it"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of what models sample.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="The file of trajectories.", show_default="under generated/bench/"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from what is finished.")
    ] = True,
    own: Annotated[
        Path | None,
        typer.Option(
            help="A file beside it, as the benchmark's own tools read it: of tau-bench and bfcl."
        ),
    ] = None,
    trained_on: Annotated[
        list[Path] | None,
        typer.Option(
            help="A data set, or a run of training: say so where it has the benchmark's tools."
        ),
    ] = None,
    format: Annotated[
        Literal["native", "hermes", "react", "json"],
        typer.Option(help="How the model calls; see forge rollout --help."),
    ] = "native",
    temperature: Annotated[float | None, typer.Option(min=0)] = None,
    top_p: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    turn_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one turn.")] = None,
    drop_thinking: Annotated[
        bool, typer.Option("--drop-thinking", help="What the model thought is not sent back.")
    ] = False,
    user_temperature: Annotated[float | None, typer.Option(min=0)] = None,
    user_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens of what the user says at once.")
    ] = None,
    rename_tools: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="Of tau-bench and tau2-bench: the agent sees tools and arguments under other"
            " names, made by this seed.",
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one request.")] = 300.0,
    extra: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="An object, more of each request's body."),
    ] = None,
    threads: Threads = None,
    slots: Slots = None,
    model_context: ModelContext = None,
    json: Json = False,
) -> None:
    """Measure a model on a benchmark that others wrote: their tasks, tools, user and reward, from
    your checkout of it (nothing of it is in forge), with forge's client and loop."""
    from dataclasses import replace

    from forge.bench.play import Play
    from forge.bench.run import GOLD, NOOP, choose, measure, measure_fixed, opened
    from forge.bench.voice import Voice
    from forge.cli.endpoints import reaching
    from forge.errors import UserError
    from forge.llm.client import Client
    from forge.llm.local import SLOTS, files_of
    from forge.pipeline.engines import LOCAL, engine_at, engine_here
    from forge.pipeline.policies import model_of
    from forge.rollout.policies.chat import Chat, Sampling
    from forge.rollout.policies.context import WHOLE

    if name == "vitabench":
        from forge.cli.vitabench import vitabench

        report, written = vitabench(running, HOME / "bench", SIDE_BY_SIDE)
        _tell(report, written, json)
        return
    if results is not None:
        raise UserError(f"{name} is run here", mend="leave out --results")
    if (model is not None) + (policy is not None) + gold + noop != 1:
        raise UserError(
            "who plays is needed, once", mend="give --model, --policy, --gold or --noop"
        )
    paths = trained_on or []
    if gold or noop:
        with opened(name, root, retrieval) as benchmark:
            items = choose(benchmark, domain, split, number)
            way = GOLD if gold else NOOP
            report = measure_fixed(benchmark, items, way, out=out, trained_on=paths)
        _tell(report, None, json)
        return
    files = files_of(
        (model, user_model, judge_model), threads=threads, slots=slots, context=model_context
    )
    reach = reaching(running, files, timeout)
    with opened(name, root, retrieval) as benchmark:
        items = choose(benchmark, domain, split, number)
        if user_model is None and any(map(benchmark.speaks, items)):
            raise UserError("it is not said which model is the user", mend="--user-model NAME")
        if benchmark.writes and format != "native":
            raise UserError(f"{name} has a form of its own for calls", mend="leave out --format")
        if policy is not None and not policy.startswith(LOCAL):
            raise UserError(f"{policy} plays no benchmark", mend=f"--policy {LOCAL}PATH")
        if rename_tools is not None and not name.startswith("tau"):
            raise UserError(
                f"the tools of {name} keep their names", mend="leave out --rename-tools"
            )
        if model is not None:
            sampler = engine_at(reach(model, base_url), tokens=False, tokenizer=None)
        else:
            sampler = engine_here((policy or "").removeprefix(LOCAL), None)
        casting = model_of(
            sampler.engine,
            format=format,
            temperature=temperature,
            top_p=top_p,
            turn_tokens=turn_tokens,
            context=WHOLE,
            drop_thinking=drop_thinking,
            extra=extra,
            rename_tools=None,
            marks=sampler.marks,
        )
        assert isinstance(casting.policy, Chat)

        def voice(part: str, model: str | None, sampling: Sampling) -> Voice | None:
            if model is None:
                return None
            address = user_base_url or (base_url if model not in files else None)
            client = Client(replace(reach(model, address), whose="user-"))
            return Voice(part, client, sampling)

        unusual = {
            "rename-tools": rename_tools,
            "retrieval": retrieval,
            "max-steps": max_steps,
            "user-temperature": user_temperature,
            "user-tokens": user_tokens,
            "judge-model": judge_model,
        }
        play = Play(
            benchmark,
            casting.policy,
            voice("user", user_model, Sampling(user_temperature, max_tokens=user_tokens)),
            voice("judge", judge_model, Sampling(0.0)),
            seed=seed,
            renamed=rename_tools,
            concurrent=concurrent or ((slots or SLOTS) if files else SIDE_BY_SIDE),
            most=max_steps,
            marks={
                **casting.marks,
                **{flag: given for flag, given in unusual.items() if given is not None},
            },
        )
        which = f"{name}-{domain or 'all'}-{split or benchmark.usual}-{casting.policy.name}"
        target = out or HOME / "bench" / f"{_safe(which)}.jsonl"
        watch = _Watch()
        report = measure(
            play,
            items,
            trials,
            target,
            known=choose(benchmark, domain, split, None),
            own=own,
            resume=resume,
            trained_on=paths,
            tell=watch.tell,
        )
    _tell(report, target, json)
    if watch.broken:
        raise typer.Exit(1)


def _tell(report: Report, written: Path | None, json: bool) -> None:
    from forge.cli.output import print_json

    if json:
        print_json({**({} if written is None else {"file": str(written)}), **as_json(report)})
        return
    show(report)
    if written is not None:
        typer.echo(f"episodes: {written}")


class _Watch:
    """What has come to its end, told on stderr."""

    def __init__(self) -> None:
        self._last = monotonic()
        self._scored = self._passed = self._lost = 0
        self.broken: set[str] = set()
        """The reasons."""

    def tell(self, done: int, total: int, found: Trajectory, trace: str) -> None:
        from forge.cli.output import clean

        if found.reward is None:
            self._lost += 1
        else:
            self._scored += 1
            self._passed += found.reward
        if found.outcome == "broken" and found.reason not in self.broken:
            self.broken.add(found.reason)
            typer.echo(clean(f"forge: {found.task} broke: {found.reason}"), err=True)
            if trace:
                typer.echo(trace, err=True)
        if done == total or monotonic() - self._last >= EVERY:
            self._last = monotonic()
            lost = f", {self._lost} without a score" if self._lost else ""
            typer.echo(f"{done}/{total} passed {self._passed} of {self._scored}{lost}", err=True)


def show(report: Report) -> None:
    """A table of the domains, and what is to be known beside it."""
    from forge.bench.report import rate_of_group
    from forge.cli.output import print_lines, print_table

    powers = sorted({k for group in report.groups for k in group.powers if k > 1})
    measures = sorted({name for group in report.groups for name in group.measures})
    headers = ["", "tasks", "scored", "passed", "pass^1", "95% interval"]
    headers += [f"pass^{k}" for k in powers] + measures + ["do nothing", "gold"]

    def row(group: Group) -> list[object]:
        return [
            group.name,
            group.tasks,
            f"{group.scored} of {group.episodes}",
            group.passed,
            f"{rate_of_group(group).value:.3f}" if group.scored else "-",
            _span(rate_of_group(group)) if group.scored else "-",
            *(_told(group.powers.get(k)) for k in powers),
            *(
                f"{group.measures[each]:.3f}" if each in group.measures else "-"
                for each in measures
            ),
            *(
                "unknown" if fixed is None else f"{fixed} of {group.tasks}"
                for fixed in (group.noop, group.gold)
            ),
        ]

    print_table(headers, [row(group) for group in report.groups])
    source = report.source
    commit = source.commit[:12] or "unknown (no .git there)"
    changed = ", files of it changed" if source.changed else ""
    lines = [
        f"{report.benchmark}: agent {report.policy}, user {report.user}, judge {report.judge},"
        f" {report.trials} trial{'s' if report.trials > 1 else ''} a task",
        f"checkout: commit {commit}{changed}, {len(source.files)} files of code and data with"
        f" hash {source.digest}",
    ]
    unscored = sum(report.unscored.values())
    lines += [f"gold and doing nothing: {report.stubbed}"] if report.stubbed else []
    lines += [f"{unscored} episodes have no score and are in no rate"] if unscored else []
    lines += _some([f"  {n} {why}" for why, n in report.unscored.items()])
    if report.broken:
        lines.append(f"the gold of {len(report.broken)} tasks does not pass:")
        lines += _some([f"  {id}: {why}" for id, why in report.broken.items()])
    if report.loose:
        lines.append(f"the gold of {len(report.loose)} tasks passes, but not strictly:")
        lines += _some([f"  {id}" for id in report.loose])
    lines += [f"trained on overlapping environments: {each}" for each in report.overlaps]
    lines += [f"mind: {each}" for each in report.cautions]
    print_lines(lines, indent="")


def _some(lines: list[str]) -> list[str]:
    left = len(lines) - SHOWN
    return lines if left <= 0 else [*lines[:SHOWN], f"  and {left} more, see --json"]


def _span(rate: Rate) -> str:
    return f"{rate.low:.3f} to {rate.high:.3f}"


def _told(rate: Rate | None) -> str:
    return "-" if rate is None else f"{rate.value:.3f} ({_span(rate)})"


def as_json(report: Report) -> dict[str, Any]:
    from dataclasses import asdict

    found = asdict(report)
    found["source"]["digest"] = report.source.digest
    for group in found["groups"]:
        group["powers"] = {str(k): rate for k, rate in group["powers"].items()}
    return found


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in name)
