"""The first page: everything that is browsed, with a line on each."""

from forge.browse.page import Values
from forge.browse.things import Kind, Site, Thing
from forge.dataset.folder import read_dataset
from forge.errors import UserError
from forge.train.runs import read_run

FRONT = "index.html"
HEADINGS: dict[Kind, str] = {
    "dataset": "Data sets",
    "run": "Runs of training",
    "trajectories": "Trajectories",
}


def front_values(site: Site) -> Values:
    lines = {thing.name: _line(thing) for thing in site.things}
    return {"title": "What was made", "lines": lines, "headings": HEADINGS}


def _line(thing: Thing) -> str:
    """What is in it; or why that cannot be read, which may be otherwise in a moment."""
    try:
        if thing.kind == "dataset":
            counts = read_dataset(thing.path).manifest.counts
            return f"{counts.tasks:,} tasks in {counts.environments} environments"
        return read_run(thing.path).state if thing.kind == "run" else thing.path.name
    except UserError as error:
        return str(error)
