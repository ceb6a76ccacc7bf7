"""Why operations were left out, in few lines: reasons that differ in a name are one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

ANY = "…"
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")
_AN = re.compile(r"\ba (?=[aeio])")
_LONGEST = 3
"""Words of a name."""

_Words = tuple[str, ...]


def grouped(reasons: Iterable[str]) -> list[tuple[str, int]]:
    """Each kind of reason and how often it is there, most first. What is quoted is any name; so are
    up to three words in which reasons differ that are otherwise the same."""
    exact = Counter(_words(reason) for reason in reasons)
    kinds: Counter[_Words] = Counter()
    for words, count in exact.items():
        kinds.update(dict.fromkeys(_blurred(words), count))
    found: Counter[str] = Counter()
    for words, count in exact.items():
        best, often = words, count
        for kind in _blurred(words):
            # The longer what is the same, the more it says; alone, a reason says it all.
            if kinds[kind] > count and kinds[kind] * len(kind) ** 2 > often * len(best) ** 2:
                best, often = kind, kinds[kind]
        found[_AN.sub("an ", " ".join(best))] += count
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


def _words(reason: str) -> _Words:
    return tuple("a" if word == "an" else word for word in _QUOTED.sub(ANY, reason).split())


def _blurred(words: _Words) -> Iterator[_Words]:
    """The reason with any few of its words, that stand together, left open."""
    for length in range(1, min(_LONGEST, len(words) - 2) + 1):
        for at in range(len(words) - length + (length == 1)):  # the end may be one open word
            yield (*words[:at], ANY, *words[at + length :])
