"""What tasks forge makes of a whole corpus of environments: numbers, kinds, difficulty, coverage.

    python evals/corpus_tasks.py FOLDER [-n N] [--seed S] [--jobs N] [--sandbox native] [--json]

FOLDER is what `corpus.py` wrote (or any folder with data sets in `sets/`). Each data set goes
through `forge tasks`, as a user would run it, which adds N tasks to each of its environments; what
it says is in FOLDER/task-reports/. A data set with a report there is not done again, and one that
was interrupted goes on where it stopped. FOLDER/corpus-tasks.md holds the table.

"Deep" are tasks in which a call needs, through others, at least two calls before it; "thought"
those with a node that chooses or computes. "Writes" are the checked write tools that some task
calls, of all; below the table are those that none calls, with what kept most proposals from each.
"Tasks/s" are kept tasks a second of the process that made them, loading and writing included.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

GOALS = (
    ("tasks", 3000, None),
    ("environments with tasks", 60, None),
    ("deep", 0.20, None),
    ("with thought", 0.25, None),
    ("answer or mixed", 0.30, None),
    ("refuse", 0.05, 0.10),
    ("easy", 0.20, None),
    ("medium", 0.20, None),
    ("hard", 0.20, None),
)
"""What is counted, the least, and the most it may be."""


@dataclass(slots=True)
class Row:
    """One environment."""

    name: str
    asked: int
    seconds: float
    exhausted: bool
    writes: int
    unused: dict[str, dict[str, int]]
    unsound: str
    kept: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    bands: Counter[str] = field(default_factory=Counter)
    deep: int = 0
    thought: int = 0


def reported(data: Path, out: Path, options: argparse.Namespace) -> dict:
    """What `forge tasks` says of a data set, or said in an earlier run."""
    report = out / f"{data.name}.json"
    if report.exists():
        return json.loads(report.read_text())
    command = [sys.executable, "-m", "forge", "tasks", str(data), "-n", str(options.number)]
    command += ["--seed", str(options.seed), "--jobs", str(options.jobs)]
    command += ["--sandbox", options.sandbox, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.startswith("{"):
        raise SystemExit(f"{data}: forge tasks failed")
    out.mkdir(exist_ok=True)
    fresh = report.with_suffix(".tmp")
    fresh.write_text(done.stdout)
    fresh.rename(report)
    return json.loads(done.stdout)


def rows(data: Path, report: dict) -> Iterator[Row]:
    found = {
        each["environment"]: Row(
            each["environment"],
            report["request"]["count"],
            each["seconds"],
            each["exhausted"],
            _writes(data / "envs" / each["environment"]),
            each["unused"],
            each["unsound"],
        )
        for each in report["environments"]
    }
    with (data / "tasks.jsonl").open() as lines:
        for line in lines:
            task = json.loads(line)
            row, numbers = found[task["env"]], task["difficulty"]
            row.kept += 1
            row.kinds[task["kind"]] += 1
            row.bands[task["band"]] += 1
            row.deep += numbers["depth"] >= 3
            row.thought += numbers["reasoning"] > 0
    yield from found.values()


def _writes(home: Path) -> int:
    environment = json.loads((home / "environment.json").read_text())
    return sum(tool["kind"] == "write" for tool in environment["tools"])


def table(found: list[Row]) -> Iterator[str]:
    yield (
        "| environment | tasks | change | answer | mixed | refuse | deep | thought "
        "| easy / medium / hard | writes | tasks/s |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|"
    for row in found:
        kinds = [row.kinds[kind] for kind in ("change", "answer", "mixed", "refuse")]
        bands = " / ".join(str(row.bands[band]) for band in ("easy", "medium", "hard"))
        shares = [f"{part / row.kept:.0%}" if row.kept else "" for part in (row.deep, row.thought)]
        cells = [row.name, f"{row.kept} of {row.asked}", *kinds, *shares, bands]
        cells += [f"{row.writes - len(row.unused)} of {row.writes}"]
        cells += [f"{row.kept / row.seconds:.1f}" if row.seconds else ""]
        yield f"| {' | '.join(map(str, cells))} |"


def counted(found: list[Row]) -> dict[str, float]:
    """What the goals are about."""
    kept = sum(row.kept for row in found)
    kinds = sum((row.kinds for row in found), Counter())
    bands = sum((row.bands for row in found), Counter())
    parts = {
        "deep": sum(row.deep for row in found),
        "with thought": sum(row.thought for row in found),
        "answer or mixed": kinds["answer"] + kinds["mixed"],
        "refuse": kinds["refuse"],
        **bands,
    }
    shares = {name: part / max(kept, 1) for name, part in parts.items()}
    return {"tasks": kept, "environments with tasks": sum(row.kept > 0 for row in found)} | shares


def verdicts(found: list[Row]) -> Iterator[str]:
    numbers = counted(found)
    for name, least, most in GOALS:
        value = numbers.get(name, 0)
        met = value >= least and (most is None or value <= most)
        shown = [
            "" if each is None else f"{each:.1%}" if isinstance(least, float) else f"{each:.0f}"
            for each in (value, least, most)
        ]
        goal = f"{shown[1]} to {shown[2]}" if most else f"at least {shown[1]}"
        yield f"- {name}: {shown[0]} ({goal}: {'met' if met else 'NOT met'})"


def missing(found: list[Row]) -> Iterator[str]:
    """The write tools that no task calls, with the reason that is there most often."""
    for row in found:
        if row.unsound:
            yield f"- {row.name} cannot be used: {row.unsound}"
        for tool, reasons in row.unused.items():
            why = next(iter(reasons.items()), None)
            yield f"- {row.name}.{tool}: {f'{why[0]} ({why[1]})' if why else 'never proposed'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what corpus.py wrote")
    parser.add_argument("-n", "--number", type=int, default=40, help="tasks an environment (40)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sandbox", choices=["monty", "native"], default="monty")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found: list[Row] = []
    for data in sorted(path.parent for path in options.folder.glob("sets/*/dataset.json")):
        found += rows(data, reported(data, options.folder / "task-reports", options))
        print(f"{data.name}: {sum(row.kept for row in found)} tasks so far", file=sys.stderr)
    kept, seconds = sum(row.kept for row in found), sum(row.seconds for row in found)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [*table(found), "", *verdicts(found), "", *missing(found), ""]
    lines += [
        f"{kept / max(seconds, 0.01):.1f} tasks/s a process, in {options.sandbox}; {machine}."
    ]
    (options.folder / "corpus-tasks.md").write_text("\n".join(lines) + "\n")
    if options.json:
        print(json.dumps({"machine": machine, "counts": counted(found)}, indent=2))
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
