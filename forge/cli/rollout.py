"""`forge rollout`: a policy plays tasks of a data set, into a file of trajectories."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from forge.cli.list import HOME
from forge.cli.options import Json, ModelContext, Sandbox, Slots, Threads

if TYPE_CHECKING:
    from forge.pipeline.policies import Casting
    from forge.pipeline.rollouts import Progress
    from forge.rollout.run import Played

STEPS = 40
SIDE_BY_SIDE = 64
SHOWN = 5
"""Different reasons why rollouts broke."""
EVERY = 5.0
"""Seconds between lines of progress, where they are piped."""


def rollout(
    running: typer.Context,
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    policy: Annotated[
        str | None,
        typer.Option(
            help="oracle, noop, random, first-match, replay:FILE (a file of trajectories),"
            " script:FILE (turns in JSON or YAML) or local:PATH (a model: a folder as Hugging Face"
            " has it, or a .gguf file). Not with --model."
        ),
    ] = None,
    user: Annotated[
        str, typer.Option(help="The simulated user: scripted, or llm (then with --user-model).")
    ] = "scripted",
    number: Annotated[
        int | None,
        typer.Option(
            "-n",
            min=1,
            help="How many tasks, from all environments in turn. A sequence is played whole, so"
            " there may be one or two more.",
            show_default="all",
        ),
    ] = None,
    attempts: Annotated[int, typer.Option("-r", min=1, help="Rollouts of each task.")] = 1,
    concurrent: Annotated[
        int | None,
        typer.Option(
            "-c",
            min=1,
            help="Rollouts side by side.",
            show_default=f"{SIDE_BY_SIDE}; the --slots of a model from a file",
        ),
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, help="Turns of the agent.")] = STEPS,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens that the agent writes in a rollout.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0.001, help="Of a rollout.")] = None,
    faults: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of tool calls that fail and pass when repeated."),
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Of policies that draw, and of faults.")] = 0,
    env: Annotated[list[str] | None, typer.Option(help="Only tasks of these.")] = None,
    kind: Annotated[
        Literal["change", "answer", "mixed", "refuse", "sequence"] | None,
        typer.Option(help="Only such tasks."),
    ] = None,
    difficulty: Annotated[
        Literal["easy", "medium", "hard"] | None, typer.Option(help="Only such tasks.")
    ] = None,
    split: Annotated[Literal["train", "test"] | None, typer.Option(help="Only such tasks.")] = None,
    sandbox: Sandbox = "monty",
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file of trajectories.", show_default="generated/rollouts/DATASET-POLICY.jsonl"
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from what is finished.")
    ] = True,
    json: Json = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="A model as the policy: NAME at an OpenAI-compatible endpoint, or local:FILE.gguf,"
            " a file that llama.cpp serves meanwhile (needs forge-envs[local])."
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Its address. A key comes from OPENAI_API_KEY.", envvar="OPENAI_BASE_URL"
        ),
    ] = None,
    threads: Threads = None,
    slots: Slots = None,
    model_context: ModelContext = None,
    format: Annotated[
        Literal["native", "hermes", "react", "json"],
        typer.Option(
            help="How the model calls: by the API's tools; in its text as <tool_call>; as Thought,"
            " Action, Action Input; or as one JSON object a turn, by a schema."
        ),
    ] = "native",
    temperature: Annotated[float | None, typer.Option(min=0)] = None,
    top_p: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    turn_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one turn.")] = None,
    context: Annotated[
        Literal["append", "window", "summary"],
        typer.Option(
            help="What the model reads before a turn: all of the dialogue; its own turns and the"
            " newest results; or all up to a budget, then its own summary and the last turns."
        ),
    ] = "append",
    context_keep: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Turns with results that a window holds, or last turns beside a summary.",
            show_default="1, and 2",
        ),
    ] = None,
    context_tokens: Annotated[
        int | None,
        typer.Option(
            min=1, help="Tokens of a prompt above which it is summed up.", show_default="8192"
        ),
    ] = None,
    context_summaries: Annotated[
        int | None,
        typer.Option(min=1, help="Summaries in a rollout, at most.", show_default="3"),
    ] = None,
    tool_result_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Tokens of a tool's result above which it is cut, with a mark."),
    ] = None,
    drop_thinking: Annotated[
        bool, typer.Option("--drop-thinking", help="What the model thought is not sent back.")
    ] = False,
    rename_tools: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="The agent sees tools, arguments and fields under other names, made by this seed.",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="The server is vLLM's, and tells token ids: keep them.")
    ] = False,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            help="A folder or .gguf file. Prompts are written by its chat template and sent as ids"
            " (vLLM); what a scripted policy says is kept as its ids."
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one request.")] = 300.0,
    extra: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="An object, more of each request's body; a null takes out what would be in it.",
        ),
    ] = None,
    user_model: Annotated[
        str | None, typer.Option(help="A model as the user, named as --model is.")
    ] = None,
    user_base_url: Annotated[
        str | None, typer.Option(help="Its address.", show_default="that of --base-url")
    ] = None,
    lang: Annotated[
        Literal["en", "zh"] | None,
        typer.Option(help="What the user that is a model speaks.", show_default="the task's"),
    ] = None,
    user_temperature: Annotated[float | None, typer.Option(min=0)] = None,
    user_judge: Annotated[
        str | None,
        typer.Option(help="A model there that looks for errors of the user, beside the rules."),
    ] = None,
    user_extra: Annotated[
        str | None, typer.Option(metavar="JSON", help="As --extra, of the user's requests.")
    ] = None,
) -> None:
    """Roll out a policy on tasks of a data set."""
    from forge.cli.endpoints import reaching
    from forge.cli.output import print_json, unknown
    from forge.cli.stats import as_json, show
    from forge.dataset.choose import Wanted
    from forge.dataset.folder import read_dataset
    from forge.dataset.stats import report_on
    from forge.env.notes import with_notes
    from forge.errors import UserError
    from forge.llm.local import CONTEXT, SLOTS, files_of
    from forge.pipeline.engines import LOCAL, engine_at, engine_here
    from forge.pipeline.policies import cast, context_of, model_of, user_named
    from forge.pipeline.rollouts import play_all
    from forge.rollout.loop import Limits
    from forge.rollout.run import Setting

    if (policy is None) == (model is None):
        raise UserError("a policy is needed, and only one", mend="give --policy or --model")
    files = files_of(
        (model, user_model, user_judge), threads=threads, slots=slots, context=model_context
    )
    reach = reaching(running, files, timeout)
    read = read_dataset(dataset)
    for name in env or ():
        if name not in read.names():
            raise unknown("environment", name, read.names(), str(dataset))
    reads = context_of(context, context_keep, context_tokens, context_summaries, tool_result_tokens)
    if tokens and model is None:
        raise UserError("--tokens is for --model", mend="leave it out: others have them or none")
    if policy is not None and not policy.startswith(LOCAL):
        casting = cast(
            policy,
            seed=seed,
            context=reads,
            format=format,
            rename_tools=rename_tools,
            tokenizer=tokenizer,
        )
    else:
        if model is not None:
            sampler = engine_at(reach(model, base_url), tokens=tokens, tokenizer=tokenizer)
        else:
            sampler = engine_here((policy or "").removeprefix(LOCAL), tokenizer)
        casting = model_of(
            sampler.engine,
            format=format,
            temperature=temperature,
            top_p=top_p,
            turn_tokens=turn_tokens,
            context=reads,
            drop_thinking=drop_thinking,
            extra=extra,
            rename_tools=rename_tools,
            marks=sampler.marks,
        )
    unusual = {
        "max-steps": (max_steps, STEPS),
        "max-tokens": (max_tokens, None),
        "max-seconds": (max_seconds, None),
        "faults": (faults, 0.0),
        "model-context": (model_context or CONTEXT, CONTEXT),
    }
    part = user_named(
        user,
        lambda name: with_notes(read.environment(name)).state_schema,
        reach,
        model=user_model,
        base_url=user_base_url or (base_url if user_model and user_model not in files else None),
        lang=lang,
        temperature=user_temperature,
        extra=user_extra,
        judge=user_judge,
    )
    marks = {name: given for name, (given, usual) in unusual.items() if given != usual}
    wanted = Wanted(
        envs=tuple(env or ()),
        kind=kind,
        bands=() if difficulty is None else (difficulty,),
        split=split,
        ids=casting.tasks,
        number=number,
    )
    setting = Setting(
        policy=casting.policy,
        user=part.user,
        judge=part.judge,
        seed=seed,
        concurrent=concurrent or ((slots or SLOTS) if files else SIDE_BY_SIDE),
        limits=Limits(max_steps, max_tokens, max_seconds),
        faults=faults,
        sandbox=sandbox,
        threads=os.cpu_count() or 1,
        marks={**marks, **casting.marks, **part.marks},
    )
    target = out or HOME / "rollouts" / f"{_stem(dataset)}-{_safe(casting)}.jsonl"
    with _progress() as watch:
        done = play_all(
            read, target, wanted, setting, attempts=attempts, resume=resume, tell=watch.tell
        )
    report = report_on([target], "env")
    if json:
        print_json({"rollouts": done.total, "file": str(target), **as_json(report)})
    else:
        show(report)
        told = f", {done.resumed:,} of them made earlier" if done.resumed else ""
        typer.echo(f"{done.total:,} rollouts of {done.tasks:,} tasks{told}: {target}")
    if watch.broken:
        raise typer.Exit(1)


class _Watch:
    """What has come to its end in this run, told as it goes."""

    def __init__(self, show: Callable[[str, int, int], None]) -> None:
        self._show, self._start = show, monotonic()
        self.broken: set[str] = set()
        """The reasons."""
        self.scored = self.rewarded = self.steps = self.tokens = 0
        self.errors: Counter[str] = Counter()

    def tell(self, progress: Progress) -> None:
        played = progress.played
        found = played.trajectory
        if found.reward is not None:
            self.scored += 1
            self.rewarded += found.reward
        else:
            self.errors[found.outcome] += 1
        self.steps += len(found.steps)
        for step in found.steps:
            self.tokens += step.turn.written
            self.errors.update(each.failure for each in step.results if each.failure)
        if found.outcome == "broken":
            if found.reason not in self.broken and len(self.broken) < SHOWN:
                self._complain(played)
            self.broken.add(found.reason)
        self._show(self._line(), progress.done, progress.total)

    def _complain(self, played: Played) -> None:
        from forge.cli.output import clean

        found = played.trajectory
        what = f"a bug ended {found.task}" if played.trace else f"{found.task} was not played"
        typer.echo(clean(f"forge: {what}: {found.reason}"), err=True)
        if played.trace:
            typer.echo(played.trace, err=True)

    def _line(self) -> str:
        share = f"reward {self.rewarded / self.scored:.3f}" if self.scored else "no reward yet"
        passed = max(monotonic() - self._start, 0.001)
        pace = f"{self.steps / passed:,.0f} steps/s"
        if self.tokens:
            pace += f", {self.tokens / passed:,.0f} tokens/s"
        told = " ".join(f"{name}:{count}" for name, count in sorted(self.errors.items()))
        return f"{share}, {pace}" + (f", {told}" if told else "")


@contextmanager
def _progress() -> Iterator[_Watch]:
    """On stderr: a bar at a terminal, else a line every few seconds and one at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        last = monotonic()

        def show(line: str, done: int, total: int) -> None:
            nonlocal last
            if done == total or monotonic() - last >= EVERY:
                last = monotonic()
                typer.echo(f"{done}/{total} {line}", err=True)

        yield _Watch(show)
        return
    columns: tuple[Any, ...] = (
        TextColumn("rolling out"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield _Watch(
            lambda line, done, total: bar.update(
                task, total=total, completed=done, description=line
            )
        )


def _stem(folder: Path) -> str:
    return folder.resolve().name or "dataset"


def _safe(casting: Casting) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in casting.policy.name)
