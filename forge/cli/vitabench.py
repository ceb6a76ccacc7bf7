"""`forge bench vitabench`: the user's own `vita` command, or what it saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from forge.bench.report import Report

BOTH = frozenset({"name", "root", "split", "judge_model", "out", "trained_on", "json"})
"""Options of a run, and of results that are there."""
RUN = BOTH | {
    *("model", "user_model", "domain", "number", "trials", "concurrent", "max_steps", "seed"),
    *("own", "resume"),
}
READ = BOTH | {"results"}


def vitabench(running: typer.Context, home: Path, concurrent: int) -> tuple[Report, Path | None]:
    """The report, and the file of trajectories that was written. `home`: where files are that no
    option names; `concurrent`: runs side by side where that is not said."""
    from forge.bench.vitabench import (
        CROSS,
        LANGUAGES,
        Order,
        command_of,
        report_of,
        run_vita,
        save,
    )
    from forge.bench.vitaresults import read_results, trajectories_of
    from forge.errors import UserError

    given: dict[str, Any] = running.params
    known = RUN if given["results"] is None else READ
    for option in running.command.params:
        name = str(option.name)
        source = running.get_parameter_source(name)
        if name not in known and source is not None and source.name == "COMMANDLINE":
            told = "runs nothing" if known is READ else "has its models in its models.yaml"
            raise UserError(f"vitabench {told}", mend=f"leave out {max(option.opts, key=len)}")
    root, judge = given["root"], given["judge_model"]
    if given["results"] is not None:
        results = read_results(given["results"])
        found = trajectories_of(results, given["split"] or "as-run")
        if given["out"] is not None:
            save(given["out"], found)
        report = report_of(root, results, found, judge, given["trained_on"] or ())
        return report, given["out"]
    for flag, model in (("model", given["model"]), ("user-model", given["user_model"])):
        if model is None:
            raise UserError("which models are meant is needed", mend=f"--{flag} NAME, or --results")
    if judge is None:
        raise UserError("all of vitabench is judged by a model", mend="--judge-model NAME")
    order = Order(
        domain=given["domain"] or CROSS,
        language=given["split"] or LANGUAGES[0],
        agent=given["model"],
        user=given["user_model"],
        judge=judge,
        tasks=given["number"],
        trials=given["trials"],
        concurrent=given["concurrent"] or concurrent,
        steps=given["max_steps"],
        seed=given["seed"],
    )
    which = f"vitabench-{order.domain}-{order.language}-{order.agent}"
    safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in which)
    out: Path = given["out"] or home / f"{safe}.jsonl"
    own, log = given["own"] or out.with_suffix(".json"), out.with_suffix(".log")
    command = command_of(root, order)
    typer.echo(f"vita runs, and prints into {log}", err=True)
    run_vita(command, root, order, own, log, resume=given["resume"])
    results = read_results(own)
    found = trajectories_of(results, order.language)
    save(out, found)
    return report_of(root, results, found, judge, given["trained_on"] or ()), out
