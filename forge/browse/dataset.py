"""The page of a data set: what it was made from, what is in it, its tasks to search and filter."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import urlencode

from forge.browse.bars import Bars, bars
from forge.browse.files import optional
from forge.browse.page import Asked, Page, Values, only
from forge.browse.tasks import MARK, MARKED, SORTS, Filter, Tasks, choices, tasks_of
from forge.browse.things import Site, Thing
from forge.dataset.files import SAFE_NAME, parse_json, parse_model, read_text
from forge.dataset.folder import read_dataset
from forge.dataset.marks import read_marks
from forge.errors import UserError
from forge.pipeline.output import MadeFile
from forge.pipeline.report import EnvironmentReport

MOST_TOOLS = 12


def show(asked: Asked) -> Values:
    folder = asked.thing.path
    dataset = read_dataset(folder)
    there = dataset.names()
    tasks = rated(asked.site, asked.thing)
    marks, unread_marks = _marks(folder)
    able = {**choices(tasks), **({MARK: list(MARKED)} if marks else {})}
    wanted = _wanted(asked.query, able, marks)
    reports, unread = _reports(folder, there)
    return {
        "title": asked.thing.name,
        "manifest": dataset.manifest,
        "there": there,
        "missing": sorted(set(dataset.manifest.environments) - set(there)),
        "unread": [*unread, *tasks.unread, *filter(None, [unread_marks])],
        "torn": tasks.torn,
        "pictures": [*_pictures(tasks), _refused(reports)],
        "able": able,
        "wanted": wanted,
        "found": tasks.find(wanted),
        "with_": lambda **changes: _query(wanted, **changes),
        "sorts": tuple(SORTS),
    }


def show_rows(asked: Asked) -> Values:
    """Every task in short, for the table of an export to be searched by its own script."""
    rows = [asdict(row) for row in rated(asked.site, asked.thing).every()]
    marks, _ = _marks(asked.thing.path)
    return {
        "rows": [
            {**row, "linked": is_linked(row["id"]), "mark": marks.get(row["id"])} for row in rows
        ]
    }


def _marks(folder: Path) -> tuple[dict[str, str], str]:
    """Task -> good or bad; and why they cannot be read, "" if they can."""
    found, why = optional(read_marks, folder)
    return {id: str(mark.review) for id, mark in (found or {}).items()}, why


def rated(site: Site, thing: Thing) -> Tasks:
    """The tasks of a data set, with what all trajectories that are browsed say of them."""
    return tasks_of(thing.path, tuple(each.path for each in site.of("trajectories")))


def is_linked(id: str) -> bool:
    """Whether the task has a page: an id by hand may be no name for one."""
    return SAFE_NAME.fullmatch(id) is not None


def _wanted(
    query: Mapping[str, str], able: Mapping[str, list[str]], marks: Mapping[str, str]
) -> Filter:
    """What is no filter, no value or no number is passed over."""
    values = {name: query[name] for name in able if query.get(name) in able[name]}
    sort, page = query.get("sort", "place"), query.get("page", "1")
    return Filter(
        text=query.get("q", "")[:200],
        values=values,
        marks=marks,
        tool=query.get("tool", ""),
        sort=sort if sort.removeprefix("-") in SORTS else "place",
        page=int(page) if page.isdecimal() and len(page) < 10 else 1,
    )


def _query(wanted: Filter, **changes: str | int) -> str:
    """The address of the same table with some things changed."""
    now = {
        **{"q": wanted.text, **wanted.values, "tool": wanted.tool, "sort": wanted.sort, "page": 1},
        **changes,
    }
    told = {name: value for name, value in now.items() if value not in ("", 1, "place")}
    return f"?{urlencode(told)}#tasks" if told else "#tasks"


@lru_cache(maxsize=4)
def _pictures(tasks: Tasks) -> tuple[Bars, ...]:
    return (
        bars("Difficulty", tasks.counts("band"), partial(_led, "band")),
        bars("Kinds", tasks.counts("kind"), partial(_led, "kind")),
        bars("Golden calls", tasks.counts("calls")),
        bars("Tables touched", tasks.counts("tables")),
        bars("Tools used most", tasks.tools(MOST_TOOLS), partial(_led, "tool")),
    )


def _refused(reports: list[EnvironmentReport]) -> Bars:
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.refused)
    return bars("Proposals refused, by gate", dict(counts.most_common()))


def _led(name: str, value: str) -> str:
    return f"?{urlencode({name: value})}#tasks"


def _reports(folder: Path, names: list[str]) -> tuple[list[EnvironmentReport], list[str]]:
    """Of how the environments were made, and why some cannot be read. Those by hand have none."""
    found, unread = [], []
    for name in names:
        path = folder / "envs" / name / "made.json"
        if path.exists():
            try:
                made = parse_model(MadeFile, parse_json(read_text(path), str(path)), str(path))
                found.append(made.report)
            except UserError as error:
                unread.append(str(error))
    return found, unread


PAGES = (
    Page("dataset", "{thing}/index.html", "dataset.html.j2", show, only),
    Page("dataset", "{thing}/tasks.js", "tasks.js.j2", show_rows, only),
)
