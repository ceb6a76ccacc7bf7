"""Lines over steps as a picture: where everything goes, which a template draws as SVG.

Always holds: the same lines give the same numbers; a number that is none is not drawn; of many
steps no more are drawn than can be seen. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from forge.train.curves import Line

WIDTH, HEIGHT = 420, 210
LEFT, RIGHT, TOP, BOTTOM = 50, 16, 10, 26
"""Room for what stands beside the lines, in the picture's own dots."""
POINTS = 240
"""Steps of a line that are drawn."""
TICKS = 5
FEW = 24
"""Steps up to which each is marked."""


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Dot:
    """`low`, `high`: the ends of its interval; None where it has none. `text`: what it says."""

    x: float
    y: float
    text: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """`path`, `band`: as SVG writes them; `band` is "" where there is none; `dots`: those marked;
    `rows`: step and value, in words."""

    label: str
    path: str
    band: str
    dots: tuple[Dot, ...]
    rows: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """`flags`: where something is to be seen, with what. `left` to `bottom`: the lines' own part
    of the picture."""

    title: str
    curves: tuple[Curve, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    flags: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def chart(
    title: str,
    lines: Sequence[Line],
    *,
    flags: Sequence[tuple[int, str]] = (),
    share: bool = False,
) -> Chart | None:
    """None where no line has a step. `flags`: steps to be marked, with what for; `share`: values
    are shares, so that they are drawn from 0 to 1 at most and told in hundredths."""
    lines = [line for line in map(_thinned, lines) if line.steps]
    if not lines:
        return None
    first = min(line.steps[0] for line in lines)
    last = max(*(line.steps[-1] for line in lines), first + 1)
    low, high = _reach(lines, share)

    def x(step: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (step - first) / (last - first), 1)

    def y(value: float) -> float:
        share_of = min(max((value - low) / (high - low), 0), 1)
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share_of, 1)

    def curve(line: Line) -> Curve:
        places = [(x(step), y(value)) for step, value in zip(line.steps, line.values, strict=True)]
        spans: Sequence[tuple[float, float] | None] = line.spans or [None] * len(line.steps)
        dots = tuple(
            Dot(
                *place,
                _told(step, value, span, share),
                None if span is None else y(span[0]),
                None if span is None else y(span[1]),
            )
            for place, step, value, span in zip(places, line.steps, line.values, spans, strict=True)
        )
        back = [(x(step), y(value)) for step, value in zip(line.steps, line.low, strict=True)]
        there = [(x(step), y(value)) for step, value in zip(line.steps, line.high, strict=True)]
        return Curve(
            line.label,
            _path(places),
            _path([*there, *reversed(back)]) + "Z" if there != back else "",
            dots if line.spans or len(dots) <= FEW else (),
            tuple(
                (step, number(value, share))
                for step, value in zip(line.steps, line.values, strict=True)
            ),
        )

    return Chart(
        title,
        tuple(map(curve, lines)),
        tuple(Tick(x(step), f"{step:g}") for step in _ticks(first, last, whole=True)),
        tuple(Tick(y(value), number(value, share)) for value in _ticks(low, high)),
        tuple(Tick(x(step), what) for step, what in flags if first <= step <= last),
    )


def plain(label: str, steps: Sequence[int], values: Sequence[float]) -> Line:
    """A line without a band."""
    return Line(label, steps, values, values, values)


def number(value: float, share: bool = False) -> str:
    """As people read it: shares in hundredths, others with as many digits as tell them apart."""
    if share:
        return f"{value:.0%}"
    if value == 0 or 0.01 <= abs(value) < 10_000:
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    return f"{value:.2g}"


def _thinned(line: Line) -> Line:
    """Some of its steps, the last among them, where it has more than can be seen; none that are no
    numbers."""
    known = [at for at, value in enumerate(line.values) if isfinite(value)]
    apart = ceil(len(known) / POINTS) if known else 1
    kept = sorted({*known[::apart], *known[-1:]})
    spans = [line.spans[at] for at in kept] if line.spans else ()

    def of(values: Sequence[float]) -> list[float]:
        return [values[at] for at in kept]

    steps = [line.steps[at] for at in kept]
    return Line(line.label, steps, of(line.values), of(line.low), of(line.high), spans)


def _reach(lines: Sequence[Line], share: bool) -> tuple[float, float]:
    """From where to where values are drawn: from 0 where none is below."""
    values = [value for line in lines for value in (*line.low, *line.high, *line.values)]
    values += [end for line in lines for span in line.spans for end in span]
    finite = [value for value in values if isfinite(value)]
    low, high = min(0.0, *finite), max(finite)
    if share:
        return 0.0, min(1.0, max(high * 1.05, 0.05))
    return low, high + (high - low) * 0.05 if high > low else low + 1


def _ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """About `TICKS` round numbers in between."""
    rough = (high - low) / TICKS
    power = 10 ** floor(log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= 0.75 * rough)
    if whole:
        step = max(1, round(step))
    start = ceil(low / step - 1e-9)
    return [round(at * step, 10) for at in range(start, floor(high / step + 1e-9) + 1)]


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in places)


def _told(step: int, value: float, span: tuple[float, float] | None, share: bool) -> str:
    between = f" ({number(span[0], share)} to {number(span[1], share)})" if span else ""
    return f"step {step}: {number(value, share)}{between}"
