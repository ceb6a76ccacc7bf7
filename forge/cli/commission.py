"""A model as the author, at the command line: what it may cost, what it does, what it came to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import typer

from forge.errors import UserError

if TYPE_CHECKING:
    from forge.llm.client import Endpoint
    from forge.llm.model import Model
    from forge.pipeline.commission import Commission, Done, Estimate
    from forge.pipeline.passes.desk import Piece
    from forge.pipeline.preview import Preview
    from forge.pipeline.report import Synthesis
    from forge.types.task import Lang

FREE = 1.0
"""USD that may be spent without a budget."""
EVERY = 5.0
"""Seconds between lines of what a model wrote."""
SHOWN = 5


def commission_of(
    endpoint: Endpoint,
    budget: str | None,
    concurrency: int,
    samples: int,
    repairs: int,
    cache: Path,
    lang: Lang,
    passes: str | None,
) -> Commission:
    """UserError for a budget or a pass that is none."""
    from forge.llm.budget import Budget, budget_of
    from forge.pipeline.commission import Commission
    from forge.pipeline.passes.desk import Effort

    return Commission(
        endpoint,
        cache,
        Budget() if budget is None else budget_of(budget),
        concurrency,
        Effort(samples, repairs),
        lang,
        None if passes is None else _passes_of(passes, lang),
    )


def _passes_of(names: str, lang: Lang) -> frozenset[str]:
    from forge.cli.output import unknown
    from forge.pipeline.commission import CHOSEN

    found = frozenset(name.strip() for name in names.split(",") if name.strip())
    for name in sorted(found - set(CHOSEN)):
        raise unknown("pass", name, CHOSEN, "--passes")
    if lang != "en" and "questions" not in found:
        raise UserError(f"--lang {lang} is a matter of questions", mend="--passes questions,…")
    return found


def announce(commission: Commission, estimates: dict[str, Estimate]) -> None:
    from forge.cli.output import clean

    budget = commission.budget
    if budget.usd is not None or budget.tokens is not None:
        ceiling = f"at most {budget}"
    else:
        most = _most(estimates)
        ceiling = "nobody says what it costs" if most is None else f"at most {most:.2f} USD"
    text = f"author: rules, and the model {commission.endpoint.model} for what they leave out"
    typer.echo(clean(f"{text}; {ceiling}"), err=True)


def _most(estimates: dict[str, Estimate]) -> float | None:
    prices = [each.usd[1] for each in estimates.values() if each.usd is not None]
    return sum(prices) if len(prices) == len(estimates) else None


def show_estimates(commission: Commission, estimates: dict[str, Estimate], json: bool) -> None:
    from forge.cli.output import print_json, print_table

    if json:
        print_json(
            {
                "model": commission.endpoint.model,
                "passes": {name: each.as_json() for name, each in estimates.items()},
            }
        )
        return
    rows = [
        [
            name,
            f"{each.calls[0]:,} to {each.calls[1]:,}",
            f"{each.prompt[0]:,} to {each.prompt[1]:,}",
            f"{each.completion[0]:,} to {each.completion[1]:,}",
            "?" if each.usd is None else f"{each.usd[0]:.3f} to {each.usd[1]:.3f}",
        ]
        for name, each in estimates.items()
    ]
    print_table(["pass", "calls", "tokens read", "tokens written", "USD"], rows)


def show_preview(commission: Commission, preview: Preview, json: bool) -> None:
    """The tasks that were made, what that took, and what all would."""
    from forge.cli.output import print_heading, print_json, print_lines
    from forge.dataset.files import compact
    from forge.dataset.states import call_text
    from forge.dataset.write import task_row

    if json:
        print_json(
            {
                "document": preview.document,
                "environment": preview.environment.name,
                "made": compact(dict(preview.environment.made)),
                "tasks": [compact(task_row(task)) for task in preview.tasks],
                "model": preview.done.as_json(),
                "whole": {use: each.as_json() for use, each in preview.whole.items()},
            }
        )
        return
    for number, task in enumerate(preview.tasks):
        by = "" if task.worded is None else ", worded by the model"
        print_heading(f"{task.kind}, {task.band}{by}", gap=number > 0)
        print_lines([task.question])
        told = [fact for fact in task.facts if fact.told]
        print_lines(f"told when asked: {fact.about or fact.name}: {fact.text}" for fact in told)
        print_lines(call_text(call) for call in task.golden_calls)
    print_heading(f"{preview.environment.name}, of {preview.document}")
    print_lines(worked(preview.done))
    print_heading("all of the documents, by that")
    show_estimates(commission, dict(preview.whole), json)


def agree(limited: bool, commission: Commission, estimates: dict[str, Estimate]) -> None:
    """Says what the model may cost, and asks before much is spent that nobody has `limited`."""
    announce(commission, estimates)
    most = _most(estimates)
    if limited or most is None or most <= FREE:
        return
    mend = f"--budget {max(1, round(most)):g}usd, or see --dry-run"
    if not sys.stdin.isatty():
        raise UserError(f"this may cost {most:.2f} USD, and no budget is set", mend=mend)
    if not typer.confirm(f"This may cost {most:.2f} USD. Go on?"):
        raise UserError("nothing was spent", mend=mend)


def heeding() -> Callable[[Piece, Model], None]:
    """Tells on stderr what was taken of a model's work and what was not, by reason, and what it
    cost; every few seconds."""
    from forge.cli.output import clean

    last = 0.0
    taken: Counter[str] = Counter()
    lost: dict[str, Counter[str]] = {}

    def heed(piece: Piece, model: Model) -> None:
        nonlocal last
        taken[piece.use] += not piece.why
        reasons = lost.setdefault(piece.use, Counter())
        if piece.why:
            reasons[piece.why.partition(":")[0]] += 1
        if monotonic() - last < EVERY:
            return
        last = monotonic()
        spent = model.purse.spent
        cost = f", {spent.usd:.3f} USD" if model.purse.tariff is not None else ""
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(SHOWN))
        not_taken = f", {reasons.total()} not ({why})" if why else ""
        told = f"{piece.use}: {taken[piece.use]} taken{not_taken}; {spent.tokens:,} tokens{cost}"
        typer.echo(clean(told), err=True)

    return heed


def compared(synthesis: Synthesis) -> Iterator[str]:
    """What rules made alone, what the model added, and what a task came to."""
    from forge.pipeline.report import gains

    done = synthesis.model
    if done is None:
        return
    found = gains(synthesis)
    yield (
        f"rules made {found.by_rules} tools, {done.model} {found.by_model} more;"
        f" {found.touched} of {found.tasks} tasks use its tools, are its stories or its words"
    )
    if found.tasks:
        usd = "" if done.usd is None else f" and {done.usd / found.tasks:.4f} USD"
        yield f"  a kept task took {found.tokens / found.tasks:,.0f} tokens{usd}"


def worked(done: Done) -> Iterator[str]:
    """What a model added, what that took, and what kept the rest from being added."""
    for use in dict.fromkeys([*done.outcomes, *done.tallies]):
        outcome, tally = done.outcomes.get(use), done.tallies.get(use)
        if outcome is not None:
            tries = ", ".join(f"{count} at try {number}" for number, count in outcome.tries.items())
            at = f" ({tries})" if tries else ""
            yield f"{done.model}, {use}: {outcome.gained} of {outcome.pieces} taken{at}"
        if tally is not None:
            used = f"{tally.used.prompt:,} tokens read and {tally.used.completion:,} written"
            cost = "" if done.usd is None else f", {tally.used.usd:.4f} USD"
            kept = f", {tally.cached:,} answers kept from earlier" if tally.cached else ""
            yield f"  {tally.asked:,} requests, {tally.seconds:,.0f} s, {used}{cost}{kept}"
        if outcome is not None:
            for reason, count in list(outcome.failures.items())[:SHOWN]:
                yield f"  {count} not: {reason}"
