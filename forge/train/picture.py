"""Runs as a picture: reward by step above, held-out pass rate below; SVG.

Always holds: the same runs and the same matplotlib give the same bytes; colours can be told apart
without seeing colours well, and lines by their dashes and marks too.
"""

from collections.abc import Sequence
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from forge.errors import UserError
from forge.train.compare import Group
from forge.train.curves import Line, held_out, reach_of, rewards

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which colour-blind people tell apart."""
DASHES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
WIDTH = 9.375
"""Inches: 900 dots of a page."""
THICK = 1.8
MARGIN = 0.02
"""Of an axis, to each side."""
COLUMNS = 3
LEGEND = {"ncols": COLUMNS, "frameon": False, "handlelength": 2.6}
LONGEST = 34
"""Letters of a name."""
APART, WIDEST = 4, 16
"""Points between the bars of two lines at one step, and of all."""
STYLE = {
    "svg.hashsalt": "forge",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#57606a",
    "axes.grid": True,
    "grid.color": "#d8dee4",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
}


def picture(groups: Sequence[Group]) -> bytes:
    """The SVG. UserError without matplotlib, or where no run has a step yet."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError(
            "pictures need the package matplotlib", mend="pip install 'forge-envs[train]'"
        ) from None
    reach = reach_of(groups) if groups else 0
    above = [rewards(group, reach) for group in groups]
    below = [held_out(group) for group in groups]
    if not any(line.steps for line in (*above, *below)):
        raise UserError("there is nothing to draw yet: no run has a step")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(layout="constrained")
        _draw(figure, above, below, _caption(groups, reach, above, below))
        file = BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "forge"})
    return file.getvalue()


def _draw(figure: "Figure", above: Sequence[Line], below: Sequence[Line], caption: str) -> None:
    drawn = [(_rewards, above, 3.0), (_held_out, below, 2.0)]
    drawn = [each for each in drawn if any(line.steps for line in each[1])]
    heights = [height for *_, height in drawn]
    rows = -(-len(above) // COLUMNS)
    figure.set_size_inches(WIDTH, 1.2 + sum(heights) + 0.22 * rows)
    axes = figure.subplots(len(drawn), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for each, (draw, lines, _) in zip(axes, drawn, strict=True):
        draw(each, lines)
    last = max([step for line in (*above, *below) for step in line.steps] + [1])
    axes[-1].set_xlim(-MARGIN * last, (1 + MARGIN) * last)
    axes[-1].xaxis.get_major_locator().set_params(integer=True)
    axes[-1].set_xlabel("step")
    names = [_shown(line.label) for line in above]
    figure.legend(_legend(len(above)), names, loc="outside upper left", **LEGEND)
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=9, color="#57606a", linespacing=1.4)


def _rewards(axes: "Axes", lines: Sequence[Line]) -> None:
    for number, line in enumerate(lines):
        _band(axes, line, number)
        alone = _mark(number) if len(line.steps) == 1 else {}
        axes.plot(line.steps, line.values, **_look(number), **alone, linewidth=THICK)
    axes.set_ylabel("reward in training")
    _limit(axes, [value for line in lines for value in line.high])


def _held_out(axes: "Axes", lines: Sequence[Line]) -> None:
    middle, apart = (len(lines) - 1) / 2, min(APART, WIDEST / len(lines))
    for number, line in enumerate(lines):
        _band(axes, line, number)
        _spans(axes, line, number, (number - middle) * apart)
    axes.set_ylabel("held-out pass rate")
    _limit(axes, [high for line in lines for _, high in line.spans])


def _limit(axes: "Axes", values: Sequence[float]) -> None:
    """From 0 to the largest, with some room for marks."""
    most = max([*values, 0.1])
    axes.set_ylim(-MARGIN * most, (1 + 2 * MARGIN) * most)


def _band(axes: "Axes", line: Line, number: int) -> None:
    colour = COLOURS[number % len(COLOURS)]
    axes.fill_between(line.steps, line.low, line.high, color=colour, alpha=0.18, lw=0)


def _spans(axes: "Axes", line: Line, number: int, aside: float) -> None:
    """Rates with their intervals, so many points beside their steps."""
    from matplotlib.transforms import ScaledTranslation

    moved = ScaledTranslation(aside / 72, 0, axes.get_figure(root=True).dpi_scale_trans)
    down = [value - low for value, (low, _) in zip(line.values, line.spans, strict=True)]
    up = [high - value for value, (_, high) in zip(line.values, line.spans, strict=True)]
    axes.errorbar(
        line.steps,
        line.values,
        (down, up),
        **_look(number),
        **_mark(number),
        linewidth=THICK,
        elinewidth=1.2,
        capsize=2.5,
        transform=axes.transData + moved,
    )


def _legend(number: int) -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], **_look(each), **_mark(each), lw=THICK) for each in range(number)]


def _mark(number: int) -> dict[str, Any]:
    return {"marker": MARKS[number % len(MARKS)], "markersize": 5}


def _look(number: int) -> dict[str, str]:
    dashes = DASHES[number // len(COLOURS) % len(DASHES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": dashes}


def _shown(label: str) -> str:
    clean = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in label)
    return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"


def _caption(
    groups: Sequence[Group], reach: int, above: Sequence[Line], below: Sequence[Line]
) -> str:
    told = []
    if any(line.steps for line in above):
        smooth = f"mean of {2 * reach + 1} steps around each" if reach else "of each step"
        told.append(f"Reward: {smooth}.")
        if any(len(group.runs) == 1 for group in groups):
            told.append("Band of one run: a standard error over the questions of a step.")
    if any(len(group.runs) > 1 for group in groups):
        told.append(
            "Runs that differ only in seed are one line, their mean; its band: their range."
        )
    if any(line.steps for line in below):
        told.append("Held-out pass rate: bars are 95% intervals over tasks.")
    return "\n".join(wrap(" ".join(told), 135))
