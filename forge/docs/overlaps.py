"""Which known benchmarks a document's tools are: what is made from them must not be trained on by
whoever measures with the benchmark.

Always holds: names alone decide, in any order and spelling (`getUser`, `get_user`); the package
holds fingerprints of them only (`benchmarks.toml`).
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

SHARE = 0.6
"""Of a document's tools, how many must be of one benchmark."""
FEWEST = 3


def overlaps_of(names: Iterable[str]) -> tuple[str, ...]:
    """The benchmarks, with their domain, that most of these tools are of; in the file's order."""
    marks = {_mark(name) for name in names}
    return tuple(
        benchmark
        for benchmark, known in _benchmarks().items()
        if len(marks & known) >= max(FEWEST, SHARE * len(marks))
    )


def _mark(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


@cache
def _benchmarks() -> dict[str, frozenset[str]]:
    text = files("forge.docs").joinpath("benchmarks.toml").read_text(encoding="utf-8")
    return {name: frozenset(one["tools"].split()) for name, one in tomllib.loads(text).items()}
