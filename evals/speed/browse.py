"""How soon the pages of a large data set are there.

    python evals/speed/browse.py [--tasks 100000] [--keep FOLDER]

The rows of `generated/sample` are multiplied, under other ids, to a data set of `--tasks` tasks in
its environments, which is written as forge writes one (`--keep`: there, and taken from there the
next time). Then `forge browse` serves it in a process of its own, and is asked over HTTP, by one
connection: for the first page, when nothing has been read yet; for the table filtered, searched and
sorted; for a task. The median of the tries is what is shown, the first page apart, which is first
once only.
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
from urllib.parse import quote, urlsplit

from forge.dataset.files import json_text
from forge.dataset.write import write_lines

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "generated" / "sample"
TRIES = 7


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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary) / "large"
        if not (folder / "dataset.json").exists():
            make(folder, options.tasks)
        measure(folder)


def measure(folder: Path) -> None:
    with (folder / "tasks.jsonl").open() as file:
        task = json.loads(file.readline())
    size = (folder / "tasks.jsonl").stat().st_size
    asking = Asking(folder)
    try:
        table = asking.front
        asked = {
            "the same again": table,
            "one environment": f"{table}?env={task['env']}",
            "hard answers": f"{table}?band=hard&kind=answer",
            "searched": f"{table}?q=price",
            "searched for what is in none": f"{table}?q=zzzz",
            "sorted by calls": f"{table}?sort=-calls",
            "the last page": f"{table}?page=1000000",
            "a task": table.replace("index.html", f"tasks/{quote(task['id'])}.html"),
        }
        first, bytes_ = asking.seconds(table)
        print(f"tasks.jsonl {size / 1e6:,.0f} MB")
        print(f"{'the first page':32}{1000 * first:8.0f} ms{bytes_ / 1000:8.0f} kB")
        for name, path in asked.items():
            taken = [asking.seconds(path) for _ in range(TRIES)]
            middle = statistics.median(seconds for seconds, _ in taken)
            print(f"{name:32}{1000 * middle:8.0f} ms{taken[0][1] / 1000:8.0f} kB")
    finally:
        asking.close()


if __name__ == "__main__":
    main()
