"""Checks that need no effect: it runs, its result fits, a read reads, two runs are one, every
argument matters, what is required is asked for.

A check yields the reasons why the tool fails it; one that yields nothing is passed.
"""

from collections.abc import Iterator
from itertools import chain

from forge.env.identity import same
from forge.synth.arguments import argument_sets, paging_names, unknown_key, value_for
from forge.synth.bench import Bench, Run
from forge.synth.homes import is_sought, named_column
from forge.synth.model import column_of
from forge.types.data import Json, JsonSchema

_TRIES = 48
_WANTED = 8


def trials(bench: Bench) -> list[Run]:
    """Calls that worked, with different arguments, on to one that tells something; and those that
    did not, up to a number."""
    if bench.trials is None:
        runs: list[Run] = []
        worked, telling = 0, False
        for arguments, actor in bench.plan(
            ("trials",), lambda: argument_sets(bench, bench.dice("trials"), _TRIES)
        ):
            run = bench.run(arguments, actor=actor)
            runs.append(run)
            worked += run.ok
            telling = telling or _is_telling(bench, run)
            if (worked >= _WANTED and telling) or run.result.failure == "internal":
                break
        bench.trials = runs
    return bench.trials


def _is_telling(bench: Bench, run: Run) -> bool:
    """Whether a write that declares no effect has one, and a list more than one item."""
    if bench.tool.effect is not None or not run.ok:
        return run.ok
    if bench.tool.kind == "write":
        return bool(run.overlay)
    value = run.result.value
    inner = value.values() if isinstance(value, dict) else [value]
    lists = [each for each in inner if isinstance(each, list)]
    return not lists or any(len(each) > 1 for each in lists)


def runs(bench: Bench) -> Iterator[str]:
    every = trials(bench)
    for run in every:
        if run.result.failure == "internal":
            yield f"{shown_call(run)} is a bug: {run.result.bug[:300]}"
    if not any(run.ok for run in every):
        said = every[-1].result.message if every else "no arguments could be made for it"
        yield f"it never worked in {len(every)} calls: {said[:200]}"


def fits_result(bench: Bench) -> Iterator[str]:
    for run in trials(bench):
        reason = bench.misfit(run.result.value) if run.ok else None
        if reason is not None:
            yield f"{shown_call(run)}: {reason}"


def reads_only(bench: Bench) -> Iterator[str]:
    for run in trials(bench):
        if run.overlay:
            yield f"{shown_call(run)} changes {', '.join(run.overlay)}, and it is a read"


def refuses_cleanly(bench: Bench) -> Iterator[str]:
    for run in trials(bench):
        if not run.ok and run.overlay:
            yield f"{shown_call(run)} is refused and changes {', '.join(run.overlay)}"


def repeats(bench: Bench) -> Iterator[str]:
    for run in trials(bench)[:4]:
        if bench.run(run.arguments, actor=run.actor).outcome != run.outcome:
            yield f"{shown_call(run)} gives another result the second time"


def asks_for_required(bench: Bench) -> Iterator[str]:
    run = next((run for run in trials(bench) if run.ok), None)
    if run is None:
        return
    for name in bench.required:
        without = {key: value for key, value in run.arguments.items() if key != name}
        if bench.run(without, actor=run.actor).result.failure != "invalid":
            yield f"it works without {name}, which is required"


def arguments_matter(bench: Bench) -> Iterator[str]:
    """For each argument there is a call whose outcome changes with it alone."""
    effect = bench.tool.effect
    paging = paging_names(effect.paging) if effect is not None else {}
    worked = [run for run in trials(bench) if run.ok]
    if worked and effect is not None and effect.paging.sort is not None:
        options = bench.properties[effect.paging.sort].get("enum", [])
        worked += [bench.run({**worked[0].arguments, effect.paging.sort: o}) for o in options[:2]]
    for name, schema in bench.properties.items():
        if name in paging or ("default" in schema and schema.get("enum") == [schema["default"]]):
            continue  # it can have but one value
        if not any(_matters(bench, name, run) for run in worked):
            yield f"{name} changes nothing, whatever it is"


def defaults_hold(bench: Bench) -> Iterator[str]:
    """Passing the default that the schema names is the same as passing nothing."""
    for run in [run for run in trials(bench) if run.ok][:2]:
        for name, schema in bench.properties.items():
            if schema.get("default") is None or name in bench.required:
                continue
            others = {key: value for key, value in run.arguments.items() if key != name}
            stated = bench.run({**others, name: schema["default"]}, actor=run.actor)
            if stated.outcome != bench.run(others, actor=run.actor).outcome:
                yield f"without {name}, it does other than with {schema['default']!r}, its default"


def _matters(bench: Bench, name: str, run: Run) -> bool:
    dice = bench.dice("matters", name)
    others = {key: value for key, value in run.arguments.items() if key != name}
    if name in run.arguments and name not in bench.required:
        without = bench.run(others, actor=run.actor)
        if without.outcome != run.outcome:
            return True
    rows = bench.records if bench.tool.effect is not None else [{}]
    # First what goes with the other arguments, then what does not: it may be refused for that.
    values = (
        value_for(bench, name, rows[turn % len(rows)] if rows else {}, dice, beside, run.actor)
        for beside in (others, {})
        for turn in range(24)
    )
    for value in chain(_telling(bench.properties[name]), values, _other_text(bench, name, run)):
        if value is None or same(value, run.arguments.get(name)):
            continue
        other = bench.run({**others, name: value}, actor=run.actor)
        if other.ok != run.ok and other.result.failure == "invalid":
            continue
        if other.result.failure != "internal" and other.outcome != run.outcome:
            return True
    return False


def _telling(schema: JsonSchema) -> list[Json]:
    """Values that show most: the smallest numbers, yes and no, each choice."""
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"][:4])
    kinds = schema.get("type")
    if "integer" in (kinds if isinstance(kinds, list) else [kinds]):
        return [1, 2]
    return [True, False] if kinds == "boolean" else []


def _other_text(bench: Bench, name: str, run: Run) -> list[Json]:
    """A text unlike what is passed, where any text will do; the document may show but one."""
    effect, given = bench.tool.effect, run.arguments.get(name)
    if effect is not None and name in effect.fields:
        table, column = bench.table, column_of(bench.table, effect.fields[name])
    else:
        found = None if effect is not None or is_sought(bench, name) else named_column(bench, name)
        if found is None:
            return []
        table, column = found
    if not isinstance(given, str):
        return []
    bound = column.references is not None or column.among or column.format is not None
    free = not bound and column.enum is None and column.name not in table.key
    return [unknown_key([given])] if free else []


def is_in_path(bench: Bench, name: str) -> bool:
    """Whether the argument is a part of the operation's path."""
    return f"{{{name}}}" in bench.tool.operation


def shown_call(run: Run) -> str:
    """The call, for a person."""
    passed = ", ".join(f"{name}={_short(value)}" for name, value in run.arguments.items())
    return f"with {passed or 'no arguments'}, it"


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"
