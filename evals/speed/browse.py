"""How soon the pages of a large data set are there.

    python evals/speed/browse.py [--tasks 100000] [--keep FOLDER] [--json]

The rows of `generated/sample` are multiplied, under other ids, to a data set of `--tasks` tasks in
its environments, which is written as forge writes one (`--keep`: there, and taken from there the
next time). Then `forge browse` serves it in a process of its own, and is asked over HTTP, by one
connection: for the first page, when nothing has been read yet (`TRIES` servers are started for it);
for the table filtered, searched and sorted; for a task. What is shown is the median of the tries,
and the slowest.
"""

import argparse
import http.client
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from forge.dataset.files import json_text
from forge.dataset.write import write_lines

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "generated" / "sample"
TRIES = 7
FIRST, FILTER = 1000, 300
"""What is aimed at, in milliseconds."""


def enlarged(tasks: int) -> Iterator[bytes]:
    """Lines of tasks, environment by environment."""
    rows = [json.loads(line) for line in (SAMPLE / "tasks.jsonl").read_text().splitlines()]
    by_env: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        by_env.setdefault(str(row["env"]), []).append(row)
    for number, (env, some) in enumerate(sorted(by_env.items())):
        share = tasks // len(by_env) + (number < tasks % len(by_env))
        for copy in range(share):
            row = some[copy % len(some)]
            yield json_text({**row, "id": f"{env}-{copy:010x}"}).encode() + b"\n"


def make(folder: Path, tasks: int) -> None:
    shutil.copytree(SAMPLE / "envs", folder / "envs")
    write_lines(folder, enlarged(tasks), into=folder, seed=0, models=(), sources={})


class Asking:
    """One connection to the server that browses a folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "forge", "browse", folder, "--no-open", "--port", "0"]
        self._server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._server.stdout is not None
        address = self._server.stdout.readline().split()[2].rstrip(";")
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc)
        self.front = urlsplit(address).path

    def seconds(self, path: str) -> tuple[float, int]:
        """From asking to the last byte, and how many bytes."""
        begun = time.perf_counter()
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        taken = time.perf_counter() - begun
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}")
        return taken, len(body)

    def close(self) -> None:
        self._connection.close()
        self._server.terminate()
        self._server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary) / "large"
        if not (folder / "dataset.json").exists():
            make(folder, options.tasks)
        figures = measured(folder)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print(f"{'page':32}{'target':>10}{'median':>10}{'slowest':>10}{'size':>10}")
    for each in figures:
        times = [f"{each[name]:,.0f} ms" for name in ("target", "median", "slowest")]
        print(f"{each['page']:32}{''.join(f'{t:>10}' for t in times)}{each['kB']:>7,.0f} kB")


def measured(folder: Path) -> list[dict[str, Any]]:
    """Of each page: its target, the median and the slowest time in milliseconds, its size."""
    with (folder / "tasks.jsonl").open() as file:
        task = json.loads(file.readline())
    firsts = []
    for _ in range(TRIES):
        asking = Asking(folder)
        try:
            firsts.append(asking.seconds(asking.front))
        finally:
            asking.close()
    asking = Asking(folder)
    try:
        table = asking.front
        asking.seconds(table)
        asked = {
            "the same again": table,
            "one environment": f"{table}?env={task['env']}",
            "refused, of medium difficulty": f"{table}?band=medium&kind=refuse",
            "that call a tool": f"{table}?tool=lend_book",
            "searched": f"{table}?q=price",
            "searched for what is in none": f"{table}?q=zzzz",
            "sorted by calls": f"{table}?sort=-calls",
            "the last page": f"{table}?page=1000000",
            "a task": table.replace("index.html", f"tasks/{quote(task['id'])}.html"),
        }
        tries = {name: [asking.seconds(path) for _ in range(TRIES)] for name, path in asked.items()}
    finally:
        asking.close()
    found = [_figure("the first page", FIRST, firsts)]
    return found + [_figure(name, FILTER, each) for name, each in tries.items()]


def _figure(page: str, target: int, tries: list[tuple[float, int]]) -> dict[str, Any]:
    times = [1000 * seconds for seconds, _ in tries]
    return {
        "page": page,
        "target": target,
        "median": statistics.median(times),
        "slowest": max(times),
        "kB": tries[0][1] / 1000,
    }


if __name__ == "__main__":
    main()
