"""What reading a large OpenAPI document costs, in time and memory, and how it grows.

    python evals/speed/docs.py path/to/openapi.json [--rounds N] [--json]

Reads the whole document, and a half and a quarter of it (every second and every fourth path, with
the components that those need), each time in a process of its own, so that its peak of memory is
its own. Beside it in the same run, on the same file, where they are installed: validating the whole
document with openapi-spec-validator (which follows every reference too, and makes nothing of what
it finds), and reading it into the models of openapi-pydantic (which follows no reference).
"""

import argparse
import importlib.util
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from forge.docs.read import read
from forge.docs.refs import steps_of

PARTS = (4, 2, 1)
METHODS = ("get", "post", "put", "patch", "delete")
SECONDS, MEGABYTES = 15, 1500


@dataclass(frozen=True, slots=True)
class Figure:
    """The best of the rounds: `seconds` of CPU time; `peak` megabytes of the whole process."""

    what: str
    operations: int
    seconds: float
    peak: float


def part_of(document: dict[str, Any], every: int) -> dict[str, Any]:
    """Each so many-th path of a document, with the components that these need."""
    paths = dict(list(document["paths"].items())[::every])
    part = {**document, "paths": paths, "components": {}}
    waiting, seen = list(references(paths)), set()
    while waiting:
        reference = waiting.pop()
        if reference in seen:
            continue
        seen.add(reference)
        source, target = document, part
        *way, last = steps_of(reference.removeprefix("#"))
        for step in way:
            source, target = source[step], target.setdefault(step, {})
        target[last] = source[last]
        waiting += references(source[last])
    return part


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


def operations_of(document: dict[str, Any]) -> int:
    items = document["paths"].values()
    return sum(method in item for item in items for method in METHODS)


# ------------------------------------------------- what is measured, in a process of its own


def forge(path: Path) -> None:
    read([path])


def openapi_spec_validator(path: Path) -> None:
    from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

    document = json.loads(path.read_text())
    later = document["openapi"].startswith("3.1")
    list((OpenAPIV31SpecValidator if later else OpenAPIV30SpecValidator)(document).iter_errors())


def openapi_pydantic(path: Path) -> None:
    import openapi_pydantic

    openapi_pydantic.parse_obj(json.loads(path.read_text()))


SUBJECTS: dict[str, Callable[[Path], None]] = {
    each.__name__: each for each in (forge, openapi_spec_validator, openapi_pydantic)
}


def child(name: str, path: Path) -> None:
    start = time.process_time()
    SUBJECTS[name](path)
    seconds = time.process_time() - start
    print(json.dumps([seconds, peak_of_process()]))


def peak_of_process() -> float:
    """Megabytes. On Linux `ru_maxrss` would count what the parent held, so the kernel is asked."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def measure(name: str, path: Path, rounds: int) -> tuple[float, float]:
    command = [sys.executable, __file__, "--child", name, str(path)]
    results = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(rounds)
    ]
    return min(seconds for seconds, _ in results), max(peak for _, peak in results)


def figures(path: Path, rounds: int) -> Iterator[Figure]:
    document = json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        for every in PARTS:
            part, file = document, path
            if every > 1:
                part = part_of(document, every)
                file = Path(folder) / f"part{every}.json"
                file.write_text(json.dumps(part, indent=2, ensure_ascii=False))
            what = "forge" if every == 1 else f"forge, 1/{every} of the paths"
            yield Figure(what, operations_of(part), *measure("forge", file, rounds))
    for name in list(SUBJECTS)[1:]:
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed and is left out", file=sys.stderr)
        else:
            yield Figure(name, operations_of(document), *measure(name, path, rounds))


def table(found: list[Figure]) -> str:
    rows = [("reading", "operations", "CPU s", "ms an operation", "peak MB")]
    for each in found:
        per = 1000 * each.seconds / each.operations
        numbers = (f"{each.seconds:.2f}", f"{per:.2f}", f"{each.peak:.0f}")
        rows.append((each.what, str(each.operations), *numbers))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if number == 0 else f"{cell:>{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=Path, help="an OpenAPI 3 document in JSON")
    parser.add_argument("--rounds", type=int, default=3, help="of each, the best counts (3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.document)
        return
    found = list(figures(options.document, options.rounds))
    machine = {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }
    if options.json:
        rows = [asdict(figure) for figure in found]
        print(json.dumps({"machine": machine, "figures": rows}, indent=2))
        return
    print(table(found))
    whole = next(figure for figure in found if figure.what == "forge")
    met = whole.seconds < SECONDS and whole.peak < MEGABYTES
    print(f"\nat most {SECONDS} s and {MEGABYTES} MB: {'met' if met else 'not met'}")
    for peer in found[len(PARTS) :]:
        ratio = peer.seconds / whole.seconds
        print(f"{peer.what} takes {ratio:.1f} times as long as forge")
    print(f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}")


if __name__ == "__main__":
    main()
