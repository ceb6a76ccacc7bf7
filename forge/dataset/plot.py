"""Pass rates as a picture: a bar a group, with its interval; SVG that reads on light and dark."""

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from forge.dataset.stats import Statistics

LEFT, SCALE, RIGHT, ROW, TOP = 220, 400, 130, 28, 48
LONGEST = 26


def plot(groups: Sequence[Statistics], title: str) -> str:
    """The SVG. Names that are long are cut."""
    bottom = TOP + ROW * len(groups)
    bars = [
        {
            "name": group.group
            if len(group.group) <= LONGEST
            else f"{group.group[: LONGEST - 1]}…",
            "y": TOP + ROW * number,
            "width": round(SCALE * group.rate.value, 1),
            "low": round(LEFT + SCALE * group.rate.low, 1),
            "high": round(LEFT + SCALE * group.rate.high, 1),
            "label": f"{group.rate.value:.3f} of {group.tasks:,} tasks",
        }
        for number, group in enumerate(groups)
    ]
    ticks = [{"x": LEFT + SCALE * part / 4, "label": f"{part * 25}%"} for part in range(5)]
    templates = Environment(
        loader=PackageLoader("forge.dataset", "."), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template("plot.svg.j2").render(
        width=LEFT + SCALE + RIGHT + 30,
        height=bottom + 32,
        left=LEFT,
        right=LEFT + SCALE,
        bottom=bottom,
        title=title,
        ticks=ticks,
        bars=bars,
    )
