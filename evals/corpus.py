"""What forge makes of a whole corpus of API documents: coverage, seconds and memory.

    python evals/corpus.py CORPUS [MORE...] --out FOLDER [--jobs N] [--limit S] [--json]

Each document or folder in a named folder goes through `forge synth --tasks 0`, as a user would run
it: read, drafted, built, its tools checked against broken versions of themselves. `--jobs` of them
run side by side, each in one process of its own (and Monty's), the largest first. What one makes is
in FOLDER/sets/, what was measured of it in FOLDER/reports/; what is there is not made again, so an
interrupted run goes on (measure in a new folder). One that fails, or takes longer than `--limit`
seconds, is reported with its reason and the others go on. FOLDER/corpus.md holds the table.

"Seconds" are real ones of that run, "CPU" those of all its processes, "peak MB" is the largest of
them. "Implemented" are the operations with a tool that passed every check, "share" is theirs of all
operations; a few reads are tools of several environments, so that there are more "tools".
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Timer

SMALLEST = 5
"""Tools of an environment that counts as one."""
FAILED_CHECK = "its tool failed the check"
"""How forge says why a drafted tool was left out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One document, or one run over several. `sizes`: the tools of each environment."""

    name: str
    operations: int
    implemented: int
    drafted: int
    sizes: list[int]
    seconds: float
    cpu: float | None = None
    peak_mb: int | None = None
    failed: str = ""

    @property
    def tools(self) -> int:
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class Entry:
    """One run: its row, those of its documents, and what broke in it."""

    row: Row
    documents: list[Row]
    broken: list[str]


def entries_of(paths: list[Path]) -> dict[str, Path]:
    """What is named, or is in a folder that is named, by a name of its own; the largest first."""
    found = [
        each
        for path in paths
        for each in (sorted(path.iterdir()) if path.is_dir() else [path])
        if not each.name.startswith(".")
    ]
    names = Counter(each.name for each in found)
    return {
        each.name if names[each.name] == 1 else f"{each.resolve().parent.name}.{each.name}": each
        for each in sorted(found, key=lambda path: -_size(path))
    }


def _size(path: Path) -> int:
    if path.is_dir():
        return max((each.stat().st_size for each in path.rglob("*") if each.is_file()), default=0)
    return path.stat().st_size


def measured(name: str, path: Path, out: Path, limit: float) -> Entry:
    """Runs forge on it, or takes what an earlier run measured."""
    report = out / "reports" / f"{name}.json"
    if report.exists():
        return _entry(json.loads(report.read_text()))
    command = [sys.executable, "-m", "forge", "synth", str(path), "--tasks", "0", "--jobs", "1"]
    command += ["--json", "--out", str(out / "sets" / name)]
    said, complaint = (out / f"{name}.{ending}" for ending in ("stdout", "stderr"))
    start = time.perf_counter()
    with said.open("w") as stdout, complaint.open("w") as stderr:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr)
        stop = Timer(limit, process.kill)  # its own processes go with it
        stop.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        stop.cancel()
    text, lines = said.read_text(), complaint.read_text().strip().splitlines()
    said.unlink()
    complaint.unlink()
    entry = _judged(
        name,
        json.loads(text) if process.returncode in (0, 1) and text.startswith("{") else {},
        _reason(process.returncode, lines, limit),
        seconds=time.perf_counter() - start,
        cpu=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024),
    )
    fresh = report.with_suffix(".tmp")
    fresh.write_text(json.dumps(asdict(entry), indent=1))
    fresh.rename(report)
    return entry


def _reason(code: int, lines: list[str], limit: float) -> str:
    if code == 0:
        return ""
    if code == -signal.SIGKILL:
        return f"was killed: it took longer than {limit:.0f} s, or too much memory"
    return lines[-1] if lines else f"exit code {code}"


def _judged(
    name: str, report: dict, failed: str, *, seconds: float, cpu: float, peak_mb: int
) -> Entry:
    made = {each["environment"]: each for each in report.get("environments", [])}
    documents = [
        _document(document, [made[name] for name in document["environments"]])
        for document in report.get("documents", [])
    ]
    row = Row(
        name,
        sum(each.operations for each in documents),
        sum(each.implemented for each in documents),
        sum(each.drafted for each in documents),
        [size for each in documents for size in each.sizes],
        seconds,
        cpu,
        peak_mb,
        failed,
    )
    broken = [
        f"{name}: {each['broken'].strip().splitlines()[-1]}"
        for name, each in made.items()
        if "broken" in each
    ]
    return Entry(row, documents, broken)


def _document(document: dict, environments: list[dict]) -> Row:
    good = [each for each in environments if "broken" not in each]
    failing = sum(FAILED_CHECK in left["reason"] for each in good for left in each["left_out"])
    sizes = sorted((each["implemented"] for each in good if each["implemented"]), reverse=True)
    return Row(
        document["document"],
        document["operations"],
        document["implemented"],
        sum(sizes) + failing,
        sizes,
        sum(sum(each["seconds"].values()) for each in good),
    )


def _entry(saved: dict) -> Entry:
    documents = [Row(**each) for each in saved["documents"]]
    return Entry(Row(**saved["row"]), documents, saved["broken"])


def table(entries: list[Entry]) -> Iterator[str]:
    """Markdown: a line a run, and below it one for each of its documents where there are more."""
    yield (
        "| document | operations | implemented | share | drafted | tools | environments | s "
        "| CPU s | peak MB |"
    )
    yield "|---|--:|--:|--:|--:|--:|---|--:|--:|--:|"
    for entry in sorted(entries, key=lambda entry: entry.row.name):
        yield _line(entry.row, entry.row.name)
        if len(entry.documents) > 1:
            yield from (_line(each, f"· {each.name}") for each in entry.documents)
    rows = [entry.row for entry in entries]
    sizes = [size for row in rows for size in row.sizes]
    large = [size for size in sizes if size >= SMALLEST]
    operations, done = (sum(row.operations for row in rows), sum(row.implemented for row in rows))
    yield ""
    yield (
        f"{done} of {operations} operations ({done / max(operations, 1):.0%}) are tools of "
        f"{len(sizes)} environments; {len(large)} of them have at least {SMALLEST} tools."
    )
    for entry in entries:
        if entry.row.failed:
            yield f"- {entry.row.name}: {entry.row.failed}"
        yield from (f"- {entry.row.name}, a bug: {each}" for each in entry.broken)


def _line(row: Row, name: str) -> str:
    share = f"{row.implemented / row.operations:.0%}" if row.operations else ""
    cpu = "" if row.cpu is None else f"{row.cpu:.0f}"
    peak = "" if row.peak_mb is None else str(row.peak_mb)
    sizes = row.failed[:80] if row.failed and not row.sizes else _counted(row.sizes)
    counts = [row.operations, row.implemented, share, row.drafted, row.tools, sizes]
    return f"| {' | '.join(map(str, [name, *counts, f'{row.seconds:.0f}', cpu, peak]))} |"


def _counted(sizes: list[int]) -> str:
    """ "2: 60 + 31"."""
    shown = " + ".join(map(str, sizes[:8])) + (" + …" if len(sizes) > 8 else "")
    return f"{len(sizes)}: {shown}" if sizes else "0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", nargs="+", type=Path, help="folders of API documents")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs side by side")
    parser.add_argument("--limit", type=float, default=900, help="seconds a run may take (900)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    (options.out / "reports").mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    entries: list[Entry] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = [
            pool.submit(measured, name, path, options.out, options.limit)
            for name, path in entries_of(options.documents).items()
        ]
        for run in as_completed(runs):
            entries.append(run.result())
            row = entries[-1].row
            print(f"{len(entries)}/{len(runs)} {row.name}: {row.tools} tools", file=sys.stderr)
    seconds = time.perf_counter() - start
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [*table(entries), "", f"{seconds:.0f} s in all with {options.jobs} jobs; {machine}."]
    (options.out / "corpus.md").write_text("\n".join(lines) + "\n")
    if options.json:
        rows = [asdict(entry) for entry in entries]
        print(json.dumps({"machine": machine, "seconds": seconds, "runs": rows}, indent=2))
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
