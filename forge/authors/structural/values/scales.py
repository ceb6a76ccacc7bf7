"""How large a number of things is: by what is counted, and by the document's own examples.

Only ever a range or a few usual sizes: a port is 443 or 8080, memory a power of two, a run number
below a thousand.
"""

from collections.abc import Sequence
from random import Random

from forge.authors.structural.words import plural, singular, word_set

_USUAL: dict[str, tuple[int, ...]] = {
    "port": (80, 443, 3000, 3306, 5000, 5432, 6379, 8000, 8080, 8443, 9090),
    "ttl": (60, 300, 600, 1800, 3600, 7200, 86400),
    "memory": (512, 1024, 2048, 4096, 8192, 16384, 32768),
    "cpu": (1, 2, 4, 8, 16), "vcpu": (1, 2, 4, 8, 16), "core": (1, 2, 4, 8, 16),
    "disk": (20, 25, 50, 80, 100, 160, 320, 640), "storage": (20, 50, 100, 250, 500, 1000),
    "gb": (5, 10, 20, 25, 50, 100, 250), "gigabyte": (5, 10, 20, 25, 50, 100, 250),
    "mb": (64, 128, 256, 512, 1024), "megabyte": (64, 128, 256, 512, 1024),
    "netmask": (16, 20, 24, 28, 64),
}  # fmt: skip
"""Sizes that people choose from, by any word of the column in the singular."""
_STATUS_CODES = (200, 201, 204, 301, 302, 400, 403, 404, 422, 500, 502, 503)
_WAITS = (5, 10, 15, 20, 30, 45, 60, 90, 120, 300)
_WAITING = word_set("interval timeout delay period grace wait retry backoff cooldown lifetime idle")
_COUNTED: dict[str, tuple[int, int]] = {
    "stock": (3, 260), "inventory": (3, 260), "pages": (80, 720),
    "copies": (1, 9), "guests": (1, 6), "people": (1, 12), "rooms": (1, 6), "bedrooms": (1, 5),
    "beds": (1, 4), "stars": (1, 5), "calories": (120, 890), "servings": (2, 8),
    "employees": (3, 420), "members": (3, 60), "likes": (0, 480), "views": (12, 9400),
    "comments": (0, 40), "days": (1, 30), "nights": (1, 14), "weeks": (1, 12), "months": (1, 24),
    "hours": (1, 40), "minutes": (10, 180), "seconds": (5, 600), "km": (2, 480),
    "hour": (0, 23), "minute": (0, 59), "month": (1, 12), "day": (1, 28), "week": (1, 52),
    "points": (1, 13), "attempts": (1, 5), "attempt": (1, 5), "priority": (1, 4),
    "interval": (5, 60), "timeout": (5, 120), "nodes": (1, 9), "replicas": (1, 5),
    "instances": (1, 8), "workers": (1, 16), "retries": (1, 5), "approvals": (1, 3),
    "reviewers": (1, 3), "credits": (1, 12), "downloads": (12, 9400), "followers": (2, 900),
    "odometer": (4200, 186000), "mileage": (4200, 186000), "temperature": (4, 31),
    "humidity": (20, 90), "reorder": (5, 40), "threshold": (1, 40), "weight": (1, 90),
    "status": (0, 3), "type": (1, 5), "years": (2, 12), "lines": (1, 400), "line": (1, 400),
    "column": (1, 80), "additions": (1, 240), "deletions": (0, 120), "changes": (1, 360),
    "deck": (1, 24), "precision": (0, 4), "atomic": (1, 118), "estimate": (1, 13),
    "denominator": (2, 8), "numerator": (1, 7),
}  # fmt: skip
_NUMBERED = {
    "season": (1, 9), "episode": (1, 24), "issue": (1, 60), "page": (1, 320), "line": (1, 400),
    "version": (1, 12), "week": (1, 52), "day": (1, 31), "chapter": (1, 24), "volume": (1, 12),
    "track": (1, 16), "seat": (1, 40), "table": (1, 30), "lesson": (1, 20), "round": (1, 9),
    "run": (1, 900), "step": (1, 12), "attempt": (1, 5), "atomic": (1, 118), "floor": (0, 9),
    "gate": (1, 40), "platform": (1, 16), "lane": (1, 8), "grade": (1, 12), "unit": (1, 40),
}  # fmt: skip
_FILES = word_set(
    "file attachment artifact asset blob package cache image upload document photo media video"
)


def usual_of(words: Sequence[str], noun: str) -> tuple[int, ...]:
    """The few numbers that a column of these words has; () where it may have any."""
    singulars = [singular(word) for word in words]
    if words[-1] == "code" and {"status", "response", "redirect", "http"} & set(words):
        return _STATUS_CODES
    if _WAITING & set(words) and {"seconds", "secs", "sec"} & set(words):
        return _WAITS
    return next((_USUAL[word] for word in reversed(singulars) if word in _USUAL), ())


def range_of(words: Sequence[str], noun: str) -> tuple[int, int] | None:
    """From what to what a whole number of these words goes, where that is known."""
    if words[-1] in ("number", "no", "num", "nr") and len(words) > 1:
        return _NUMBERED.get(singular(words[-2]))
    if words[-1] == "size" and _FILES & {*noun.split()[-1:], *words}:
        return 18_000, 8_400_000
    for word in reversed(words):
        for known in (word, plural(singular(word))):
            if known in _COUNTED:
                return _COUNTED[known]
    return None


def like(shown: Sequence[int | float], rng: Random) -> int | float | None:
    """A number about as large as one of the document's examples, and as round."""
    telling = [example for example in shown if example > 1 or 0 < example < 1]
    if not telling:
        return None
    example = rng.choice(telling)
    if isinstance(example, float) and not example.is_integer():
        return float(f"{example * rng.uniform(0.5, 2):.3g}")
    size = int(example)
    if size < 10:
        value = rng.randint(1, max(4, 2 * size))
    elif size >= 64 and size & (size - 1) == 0:
        value = size * 4 // rng.choice((1, 2, 4, 8, 16))
    else:
        step = 10 ** max(0, len(str(size)) - len(str(size).rstrip("0") or "1") - 1)
        step = step * 5 if size % (step * 5) == 0 else step
        value = max(1, round(size * rng.uniform(0.5, 2) / step)) * step
    return float(value) if isinstance(example, float) else value
