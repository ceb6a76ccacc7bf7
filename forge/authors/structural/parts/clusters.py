"""Which tables go into an environment together, by the tags of their operations and their ties.

Always holds: every unit is in exactly one cluster; the clusters depend on the units and ties, not
on their order; where no unit is larger than `OWN` no cluster is larger than `MOST`, and none is
smaller than `LEAST` but the only one. The time is that of sorting the ties.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

LEAST, SOME, OWN, MOST = 5, 12, 48, 60
"""Operations. A cluster with fewer than `LEAST` joins another; one with fewer than `SOME` joins
what it has ties with, up to `OWN`. From there to `MOST` is room for what has no other place, and
for reads of what the records refer to."""

Ties = Mapping[tuple[str, str], float]
"""How close two tables are, each pair once."""


@dataclass(frozen=True, order=True)
class Unit:
    """Operations that stay together: those on one table, or a part of them where they are many."""

    place: str
    """Sorts beside what is near it in the document: its first path."""
    table: str
    tag: str
    size: int


@dataclass
class _Cluster:
    units: list[Unit]
    size: int
    near: dict[int, float] = field(default_factory=dict)
    """Number of another cluster -> how close it is."""

    @property
    def place(self) -> Unit:
        return min(self.units)


def clusters_of(units: Iterable[Unit], ties: Ties) -> list[list[Unit]]:
    """In the order of their places."""
    by_tag: dict[str, list[Unit]] = {}
    for unit in sorted(units):
        by_tag.setdefault(unit.tag, []).append(unit)
    clusters = [
        _Cluster(together, _size(together))
        for alike in by_tag.values()
        for together in _cut(alike, ties)
    ]
    joined = _joined(dict(enumerate(sorted(clusters, key=lambda c: c.place))), ties)
    return sorted((sorted(cluster.units) for cluster in joined), key=min)


def _size(units: Iterable[Unit]) -> int:
    return sum(unit.size for unit in units)


def _cut(alike: Sequence[Unit], ties: Ties) -> Iterator[list[Unit]]:
    """The units of one tag, in as few clusters as hold them: the closest tables together first, and
    what is still small with its neighbours in the document."""
    if _size(alike) <= OWN:
        yield list(alike)
        return
    home = list(range(len(alike)))
    members = {number: [number] for number in home}
    sizes = [unit.size for unit in alike]
    for _, one, other in sorted(_pairs(alike, ties)):
        kept, gone = sorted((home[one], home[other]), key=lambda n: (-len(members[n]), n))
        if kept != gone and sizes[kept] + sizes[gone] <= OWN:
            sizes[kept] += sizes[gone]
            for number in members[gone]:
                home[number] = kept
            members[kept] += members.pop(gone)
    small: list[Unit] = []
    for cluster in sorted([alike[n] for n in numbers] for numbers in members.values()):
        if _size(cluster) >= SOME:
            yield cluster
        else:
            small += cluster
            if _size(small) >= 2 * SOME:
                yield small
                small = []
    if small:
        yield small


def _pairs(alike: Sequence[Unit], ties: Ties) -> Iterator[tuple[float, int, int]]:
    """Ties of these units, by number, the closest the least."""
    numbers: dict[str, list[int]] = {}
    for number, unit in enumerate(alike):
        numbers.setdefault(unit.table, []).append(number)
    for (one, other), weight in ties.items():
        for a in numbers.get(one, ()):
            for b in numbers.get(other, ()):
                yield -weight, min(a, b), max(a, b)


def _joined(clusters: dict[int, _Cluster], ties: Ties) -> list[_Cluster]:
    """Small clusters with what they have the closest ties with, else with each other."""
    homes: dict[str, list[int]] = {}
    for number, cluster in clusters.items():
        for unit in cluster.units:
            homes.setdefault(unit.table, []).append(number)
    for (one, other), weight in sorted(ties.items()):
        for a in homes.get(one, ()):
            for b in homes.get(other, ()):
                if a != b:
                    for here, there in ((a, b), (b, a)):
                        near = clusters[here].near
                        near[there] = near.get(there, 0) + weight
    waiting = sorted((c.size, n) for n, c in clusters.items() if c.size < SOME)
    while waiting:
        size, number = heappop(waiting)
        if number not in clusters or clusters[number].size != size:
            continue
        cluster = clusters[number]
        limit = OWN + LEAST if size < LEAST else OWN
        fitting = [n for n in cluster.near if clusters[n].size + size <= limit]
        if fitting:
            best = max(fitting, key=lambda n: (cluster.near[n], -n))
            _join(clusters, number, best)
            if clusters[best].size < SOME:
                heappush(waiting, (clusters[best].size, best))
    return _with_the_rest(list(clusters.values()))


def _join(clusters: dict[int, _Cluster], number: int, into: int) -> None:
    gone, kept = clusters.pop(number), clusters[into]
    kept.units += gone.units
    kept.size += gone.size
    for other, weight in gone.near.items():
        near = clusters[other].near
        near.pop(number, None)
        if other != into:
            kept.near[other] = kept.near.get(other, 0) + weight
            near[into] = near.get(into, 0) + weight


def _with_the_rest(clusters: list[_Cluster]) -> list[_Cluster]:
    """What is still too small goes with its like, and the last of it with the smallest cluster."""
    kept = [c for c in clusters if c.size >= LEAST]
    rest: _Cluster | None = None
    for small in sorted((c for c in clusters if c.size < LEAST), key=lambda c: c.place):
        rest = rest or _Cluster([], 0)
        rest.units += small.units
        rest.size += small.size
        if rest.size >= LEAST:
            kept.append(rest)
            rest = None
    if rest is not None and kept:
        min(kept, key=lambda c: (c.size, c.place)).units += rest.units
    elif rest is not None:
        kept.append(rest)
    return kept
