"""Where the boxes of a picture go, and the lines between them: layers, so that lines lead one way.

The method is Sugiyama's (IEEE Trans. SMC 11, 1981): cycles are broken, each box is put into a layer
below what leads to it, boxes in a layer are ordered by where their neighbours are, and placed as
near to these as the order lets them (least squares, by pooling adjacent violators).

Always holds: the same boxes and lines give the same picture; no two boxes overlap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

GAP, BETWEEN = 28.0, 56.0
"""Between boxes of a layer, and between layers, in pixels."""
SWEEPS = 8
WIDEST = 1100.0
"""What stands alone is put into rows of about this width."""

Size = tuple[float, float]
Point = tuple[float, float]
Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Picture:
    """`boxes`: name -> its left upper corner; `lines`: (from, to) -> an SVG path. In pixels."""

    width: float
    height: float
    boxes: Mapping[str, Point]
    lines: Mapping[Line, str]


def layered(sizes: Mapping[str, Size], lines: Sequence[Line], *, across: bool = False) -> Picture:
    """`sizes`: box -> width and height. `lines` are between boxes; those from a box to itself are
    not drawn. `across`: the lines lead to the right, instead of down."""
    wanted = [line for line in dict.fromkeys(lines) if line[0] != line[1]]
    joined = {name for line in wanted for name in line}
    together = {name: size for name, size in sizes.items() if name in joined}
    if across:
        turned = {name: (height, width) for name, (width, height) in together.items()}
        picture = _turned(_down(turned, wanted))
    else:
        picture = _down(together, wanted)
    alone = {name: size for name, size in sizes.items() if name not in joined}
    return _with_rows(picture, alone)


def _turned(picture: Picture) -> Picture:
    boxes = {name: (y, x) for name, (x, y) in picture.boxes.items()}
    lines = {line: _swapped(path) for line, path in picture.lines.items()}
    return Picture(picture.height, picture.width, boxes, lines)


def _swapped(path: str) -> str:
    """The path with x and y of each point exchanged."""
    words = path.split()
    points = [word for word in words if word not in "MC"]
    turned = iter(",".join(reversed(point.split(","))) for point in points)
    return " ".join(word if word in "MC" else next(turned) for word in words)


def _down(sizes: Mapping[str, Size], lines: Sequence[Line]) -> Picture:
    """Of boxes that all have a line."""
    names = list(sizes)
    forward = _forward(names, lines)
    ranks = _ranks(names, list(forward.values()))
    layers, chains = _layers(names, ranks, forward)
    spans = {**sizes, **_points(layers, sizes)}
    above, below = _neighbours(chains.values())
    layers = _ordered(layers, above, below)
    centres = _placed(layers, spans, above, below)
    bands, bottom = _bands(layers, spans)
    boxes = {name: (centres[name] - sizes[name][0] / 2, bands[ranks[name]][0]) for name in names}
    paths = {
        line: _path(_corners(chain, centres, bands, ranks, sizes), back=line != pair)
        for (line, pair), chain in zip(forward.items(), chains.values(), strict=True)
    }
    width = max((centres[n] + spans[n][0] / 2 for n in centres), default=0.0)
    return Picture(width, bottom, boxes, paths)


def _forward(names: Sequence[str], lines: Sequence[Line]) -> dict[Line, Line]:
    """Each line with the way it is laid: turned round where it would close a cycle."""
    leads: dict[str, list[str]] = {name: [] for name in names}
    for one, other in lines:
        leads[one].append(other)
    order: dict[str, int] = {}
    for name in _roots_first(names, lines):
        _visit(name, leads, order)
    return {
        (one, other): (one, other) if order[one] > order[other] else (other, one)
        for one, other in lines
    }


def _roots_first(names: Sequence[str], lines: Sequence[Line]) -> list[str]:
    led_to = {other for _, other in lines}
    return sorted(names, key=lambda name: name in led_to)


def _visit(root: str, leads: Mapping[str, Sequence[str]], order: dict[str, int]) -> None:
    """Numbers what is reached from the root when all behind it is numbered; without recursion."""
    open_, stack = {root}, [(root, iter(leads[root]))]
    if root in order:
        return
    while stack:
        name, following = stack[-1]
        for other in following:
            if other not in order and other not in open_:
                open_.add(other)
                stack.append((other, iter(leads[other])))
                break
        else:
            order[name] = len(order)
            stack.pop()


def _ranks(names: Sequence[str], lines: Sequence[Line]) -> dict[str, int]:
    """The layer of each: one below the lowest that leads to it; what nothing leads to, right above
    what it leads to."""
    before: dict[str, list[str]] = {name: [] for name in names}
    after: dict[str, list[str]] = {name: [] for name in names}
    for one, other in lines:
        before[other].append(one)
        after[one].append(other)
    ranks: dict[str, int] = {}
    waiting = {name: len(before[name]) for name in names}
    ready = [name for name in names if not waiting[name]]
    for name in ready:
        ranks[name] = max((ranks[one] + 1 for one in before[name]), default=0)
        for other in after[name]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    for name in names:
        if not before[name] and after[name]:
            ranks[name] = min(ranks[other] for other in after[name]) - 1
    return ranks


def _layers(
    names: Sequence[str], ranks: Mapping[str, int], forward: Mapping[Line, Line]
) -> tuple[list[list[str]], dict[Line, list[str]]]:
    """The layers, with a point in each that a line passes; and each line as what it passes."""
    layers: list[list[str]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for name in names:
        layers[ranks[name]].append(name)
    chains: dict[Line, list[str]] = {}
    for number, (line, (one, other)) in enumerate(forward.items()):
        points = [f"\0{number}.{rank}" for rank in range(ranks[one] + 1, ranks[other])]
        for rank, point in enumerate(points, ranks[one] + 1):
            layers[rank].append(point)
        chains[line] = [one, *points, other]
    return layers, chains


def _points(layers: Sequence[Sequence[str]], sizes: Mapping[str, Size]) -> dict[str, Size]:
    return {name: (2.0, 0.0) for layer in layers for name in layer if name not in sizes}


def _neighbours(
    chains: Iterable[Sequence[str]],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What each is led to from in the layer above, and leads to in the one below."""
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for chain in chains:
        for one, other in pairwise(chain):
            above.setdefault(other, []).append(one)
            below.setdefault(one, []).append(other)
    return above, below


def _ordered(
    layers: list[list[str]], above: Mapping[str, list[str]], below: Mapping[str, list[str]]
) -> list[list[str]]:
    """The layers with the fewest crossings that were met while sweeping down and up."""
    best, fewest = layers, _crossings(layers, below)
    now = layers
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        places: dict[str, float] = {}
        swept = []
        for layer in now if down else reversed(now):
            held = {name: float(at) for at, name in enumerate(layer)}
            means = {
                name: _mean([places[n] for n in neighbours.get(name, ())], held[name])
                for name in layer
            }
            layer = sorted(layer, key=means.__getitem__)  # noqa: PLW2901
            places.update({name: at / max(1, len(layer)) for at, name in enumerate(layer)})
            swept.append(layer)
        now = swept if down else swept[::-1]
        crossings = _crossings(now, below)
        if crossings < fewest:
            best, fewest = now, crossings
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(layers: Sequence[Sequence[str]], below: Mapping[str, list[str]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        place = {name: at for at, name in enumerate(lower)}
        ends = [sorted(place[n] for n in below.get(name, ())) for name in upper]
        passed: list[int] = []
        for each in ends:
            count += sum(1 for end in each for other in passed if other > end)
            passed += each
    return count


def _placed(
    layers: Sequence[Sequence[str]],
    spans: Mapping[str, Size],
    above: Mapping[str, list[str]],
    below: Mapping[str, list[str]],
) -> dict[str, float]:
    """The middle of each, from 0 on."""
    centres: dict[str, float] = {}
    for layer in layers:
        at = 0.0
        for name in layer:
            centres[name] = at + spans[name][0] / 2
            at += spans[name][0] + GAP
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else layers[::-1]:
            neighbours = above if down else below
            wanted = [
                _mean([centres[n] for n in neighbours.get(name, ())], centres[name])
                for name in layer
            ]
            centres.update(zip(layer, _spread(wanted, [spans[n][0] for n in layer]), strict=True))
    left = min((centres[name] - spans[name][0] / 2 for name in centres), default=0.0)
    return {name: centre - left for name, centre in centres.items()}


def _spread(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """The middles nearest to those wanted, in their order, with a gap between the boxes."""
    offsets, at = [], 0.0
    for width in widths:
        offsets.append(at + width / 2)
        at += width + GAP
    pools: list[tuple[float, int]] = []  # sum of what is wanted, and of how many
    for middle, offset in zip(wanted, offsets, strict=True):
        pools.append((middle - offset, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            (one, n), (other, m) = pools[-2:]
            pools[-2:] = [(one + other, n + m)]
    shifts = [total / count for total, count in pools for _ in range(count)]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=True)]


def _bands(
    layers: Sequence[Sequence[str]], spans: Mapping[str, Size]
) -> tuple[list[tuple[float, float]], float]:
    """Where each layer begins and ends, and where the last does."""
    bands, at = [], 0.0
    for layer in layers:
        end = at + max((spans[name][1] for name in layer), default=0.0)
        bands.append((at, end))
        at = end + BETWEEN
    return bands, max(0.0, at - BETWEEN)


def _corners(
    chain: Sequence[str],
    centres: Mapping[str, float],
    bands: Sequence[tuple[float, float]],
    ranks: Mapping[str, int],
    sizes: Mapping[str, Size],
) -> list[Point]:
    """From the lower border of the first to the upper border of the last, straight through the
    layers between."""
    first, *between, last = chain
    points = [(centres[first], bands[ranks[first]][0] + sizes[first][1])]
    for rank, name in enumerate(between, ranks[first] + 1):
        points += [(centres[name], edge) for edge in bands[rank]]
    return [*points, (centres[last], bands[ranks[last]][0])]


def _path(points: Sequence[Point], *, back: bool) -> str:
    """A curve from each to the next. `back`: drawn from its end."""
    (x, y), *rest = reversed(points) if back else points
    parts = [f"M {x:.1f},{y:.1f}"]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        parts.append(f"C {x:.1f},{middle:.1f} {to_x:.1f},{middle:.1f} {to_x:.1f},{to_y:.1f}")
        x, y = to_x, to_y
    return " ".join(parts)


def _with_rows(picture: Picture, alone: Mapping[str, Size]) -> Picture:
    """With what stands alone in rows under the rest."""
    width, bottom = picture.width, picture.height
    boxes: dict[str, Point] = {}
    x, y, deep = 0.0, bottom + BETWEEN if bottom else 0.0, 0.0
    for name, (wide, high) in alone.items():
        if x and x + wide > max(picture.width, WIDEST):
            x, y, deep = 0.0, y + deep + GAP, 0.0
        boxes[name] = (x, y)
        x, deep = x + wide + GAP, max(deep, high)
        width, bottom = max(width, x - GAP), y + deep
    return Picture(width, bottom, {**picture.boxes, **boxes}, picture.lines)
