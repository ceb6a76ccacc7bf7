"""Boxes with lines of text in them, and arrows between them: what every graph here is drawn as.

Always holds: all that a picture says stands elsewhere on its page too, as text; boxes are as wide
as their text, which is in letters of one width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.browse.layers import Line, layered

LETTER, ROW, HEAD, PAD = 7.25, 19.0, 26.0, 10.0
"""Of 12 pixel letters, in pixels."""
LONGEST = 46
EDGE = 12.0
"""Around the picture."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line in a box. `kind`: how it is coloured; `address`: where it leads; `name`: as what
    other entries lead to it, by `leads`."""

    text: str
    kind: str = ""
    address: str = ""
    name: str = ""
    leads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    name: str
    title: str
    entries: tuple[Entry, ...] = ()
    kind: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    box: Box
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """`both`: it leads back, too."""

    source: str
    target: str
    label: str
    path: str
    both: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    label: str
    width: float
    height: float
    boxes: tuple[Placed, ...]
    arrows: tuple[Arrow, ...]


def draw(
    label: str, boxes: Sequence[Box], arrows: Mapping[Line, str], *, across: bool = False
) -> Drawing:
    """`label`: what the picture shows; `arrows`: (from, to) -> what it says. `across`: they lead to
    the right."""
    sizes = {box.name: _size(box) for box in boxes}
    pairs = {line for line in arrows if line[0] != line[1]}
    once = [
        (one, other)
        for one, other in arrows
        if one != other and ((other, one) not in pairs or one < other)
    ]
    laid = layered(sizes, once, across=across)
    placed = [
        Placed(
            box, EDGE + laid.boxes[box.name][0], EDGE + laid.boxes[box.name][1], *sizes[box.name]
        )
        for box in boxes
    ]
    drawn = [
        Arrow(
            one,
            other,
            "; ".join(filter(None, (arrows[one, other], arrows.get((other, one), "")))),
            laid.lines[one, other],
            both=(other, one) in pairs,
        )
        for one, other in once
    ]
    return Drawing(
        label, laid.width + 2 * EDGE, laid.height + 2 * EDGE, tuple(placed), tuple(drawn)
    )


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _size(box: Box) -> tuple[float, float]:
    longest = max(len(shortened(text)) for text in (box.title, *(e.text for e in box.entries)))
    under = len(box.entries) * ROW + (PAD / 2 if box.entries else 0)
    return max(60.0, longest * LETTER + 2 * PAD), HEAD + under
