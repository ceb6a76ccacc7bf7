"""The pages of a file of trajectories: which rollouts there are, each as a dialogue, and one beside
another or beside the golden calls."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from forge.browse.align import Act, acts_of, acts_of_calls, aligned
from forge.browse.dataset import is_linked, rated
from forge.browse.dialogue import dialogue
from forge.browse.files import environment_at
from forge.browse.listed import Entry, listed
from forge.browse.page import Asked, Missing, Names, Page, Values, only
from forge.browse.stored import read_task
from forge.browse.things import Site, Thing
from forge.dataset.rates import rate_of
from forge.dataset.trajectories import trajectory_at
from forge.errors import UserError
from forge.rollout.dialogue import result_of
from forge.types.rollout import Trajectory
from forge.types.task import Task

A_PAGE = 50
FILTERS = ("env", "kind", "band", "outcome", "reward")
HOME, ROWS = "{thing}/index.html", "{thing}/rollouts.js"
PART = "{thing}/part-{part}.html"
ONE = "{thing}/rollouts/{rollout}.html"
GOLDEN = "{thing}/rollouts/{rollout}/golden.html"
BESIDE = "{thing}/rollouts/{rollout}/beside/{other}/{second}.html"


@dataclass(frozen=True, slots=True)
class Place:
    """A rollout that is browsed: the file it is in, and what is known of it without reading it."""

    thing: Thing
    entry: Entry

    @property
    def address(self) -> str:
        return f"{self.thing.name}/rollouts/{self.entry.name}.html"

    @property
    def label(self) -> str:
        return f"{self.thing.name}, attempt {self.entry.attempt}"

    def trajectory(self) -> Trajectory:
        return trajectory_at(self.thing.path, self.entry.place)


def show_list(asked: Asked) -> Values:
    """One part of those that are wanted."""
    found = listed(asked.thing.path)
    entries = list(found.entries.values())
    wanted = {name: asked.query.get(name, "") for name in (*FILTERS, "q")}
    chosen = [entry for entry in entries if _is_wanted(entry, wanted)]
    last = max(1, -(-len(chosen) // A_PAGE))
    part = _number(asked.names.get("part", "1"))
    if not 1 <= part <= last:
        raise Missing(f"there is no part {part} of these rollouts")
    query = urlencode({name: value for name, value in wanted.items() if value})
    home = asked.thing.name

    def place(number: int) -> str:
        name = "index" if number == 1 else f"part-{number}"
        return f"{home}/{name}.html{'?' if query else ''}{query}"

    tasks: dict[tuple[str, str], list[int]] = {}
    for entry in chosen:
        if entry.reward is not None:
            tasks.setdefault((entry.policy, entry.task), []).append(entry.reward)
    return {
        "title": home,
        "rows": [
            Place(asked.thing, entry) for entry in chosen[(part - 1) * A_PAGE : part * A_PAGE]
        ],
        "number": len(chosen),
        "all": len(entries),
        "faults": found.faults,
        "wanted": wanted,
        "options": {name: _options(entries, name) for name in FILTERS},
        "rows_at": f"{home}/rollouts.js",
        "rate": rate_of([(sum(each), len(each)) for each in tasks.values()]) if tasks else None,
        "tasks": len(tasks),
        "part": part,
        "last": last,
        "before": place(part - 1) if part > 1 else None,
        "after": place(part + 1) if part < last else None,
    }


def show_rows(asked: Asked) -> Values:
    """Every rollout in short, for the list of an export to be searched by its own script."""
    return {
        "rows": [
            {
                **{name: _told(entry, name) for name in FILTERS},
                "name": entry.name,
                "task": entry.task,
                "attempt": entry.attempt,
                "policy": entry.policy,
                "question": entry.question,
                "steps": entry.steps,
                "errors": entry.errors,
            }
            for entry in listed(asked.thing.path).entries.values()
        ]
    }


def show_one(asked: Asked) -> Values:
    found = listed(asked.thing.path)
    here = _at(asked.thing, asked.names["rollout"])
    names = list(found.entries)
    at = names.index(here.entry.name)
    near = [names[each] if 0 <= each < len(names) else None for each in (at - 1, at + 1)]
    before, after = (
        None if name is None else Place(asked.thing, found.entries[name]).address for name in near
    )
    golden = task_in(asked.site, here.entry.task)
    others = others_of(asked.site, here, live=asked.live)
    return {
        "title": here.entry.task,
        "list": f"{asked.thing.name}/index.html",
        "listed": asked.thing.name,
        "crumb": f"attempt {here.entry.attempt}",
        "dialogue": dialogue(here.trajectory()),
        "sampled": None,
        "task": None if golden is None else task_address(*golden),
        "golden": None
        if golden is None
        else f"{asked.thing.name}/rollouts/{here.entry.name}/golden.html",
        "beside": [(other.label, other.entry.reward, _beside(here, other)) for other in others],
        "before": before,
        "after": after,
    }


def show_golden(asked: Asked) -> Values:
    here = _at(asked.thing, asked.names["rollout"])
    return golden_values(asked, here.trajectory(), here.address, here.label)


def show_beside(asked: Asked) -> Values:
    other = asked.site.named(asked.names["other"])
    if other is None or other.kind != "trajectories":
        raise Missing(f"no file {asked.names['other']!r} is browsed")
    places = [_at(asked.thing, asked.names["rollout"]), _at(other, asked.names["second"])]
    if places[0].entry.task != places[1].entry.task:
        raise Missing("these two rollouts are not of one task")
    found = [place.trajectory() for place in places]
    sides = [
        side(each, place.address, place.label) for each, place in zip(found, places, strict=True)
    ]
    return beside_values(sides, [acts_of(each.steps) for each in found], found[0])


def golden_values(asked: Asked, trajectory: Trajectory, address: str, label: str) -> Values:
    """A rollout beside the golden calls of its task, which are made anew for their results."""
    found = task_in(asked.site, trajectory.task)
    if found is None:
        raise Missing(f"none of the data sets that are browsed has task {trajectory.task}")
    way = {"label": "golden calls", "address": task_address(*found), "trajectory": None}
    acts = [acts_of(trajectory.steps), _golden_acts(asked, *found)]
    return beside_values([side(trajectory, address, label), way], acts, trajectory)


def _golden_acts(asked: Asked, thing: Thing, task: Task) -> list[Act]:
    """Without results where the environment cannot be read or run; the task's page says why."""
    try:
        environment = environment_at(thing.path, task.env)
        played = asked.worlds.play(environment, task, task.golden_calls)
    except UserError:
        return acts_of_calls(task.golden_calls)
    return acts_of_calls(task.golden_calls, [result_of(each.result) for each in played.made])


def side(trajectory: Trajectory, address: str, label: str) -> Values:
    return {"label": label, "address": address, "trajectory": trajectory}


def beside_values(
    sides: Sequence[Values], acts: Sequence[Sequence[Act]], trajectory: Trajectory
) -> Values:
    rows = aligned(*acts)
    return {
        "title": trajectory.task,
        "question": trajectory.question,
        "sides": sides,
        "rows": rows,
        "same": sum(row.alike == "same" for row in rows),
    }


def others_of(site: Site, here: Place, *, live: bool) -> Iterator[Place]:
    """Other rollouts of the task. A server puts any two side by side; of pairs on disk there are
    the first attempt with each other of its file, and equal attempts of two files."""
    for other in rollouts_of(site, here.entry.task):
        if other != here and (live or _is_pair(here, other)):
            yield other


def rollouts_of(site: Site, task: str) -> Iterator[Place]:
    """All that are browsed. A file that cannot be read has none; its own page says so."""
    for thing in site.of("trajectories"):
        try:
            found = listed(thing.path)
        except UserError:
            continue
        for entry in found.by_task.get(task, ()):
            yield Place(thing, entry)


def _is_pair(one: Place, other: Place) -> bool:
    if one.thing == other.thing:
        return 0 in (one.entry.attempt, other.entry.attempt)
    return one.entry.attempt == other.entry.attempt


def _beside(one: Place, other: Place) -> str:
    """The address of both, the one on the left."""
    home = f"{one.thing.name}/rollouts/{one.entry.name}"
    return f"{home}/beside/{other.thing.name}/{other.entry.name}.html"


def _at(thing: Thing, name: str) -> Place:
    entry = listed(thing.path).entries.get(name)
    if entry is None:
        raise Missing(f"there is no rollout {name!r}")
    return Place(thing, entry)


def task_in(site: Site, id: str) -> tuple[Thing, Task] | None:
    """The task, of the first data set that has it and a page for it; one that cannot be read has
    none."""
    for thing in site.of("dataset") if is_linked(id) else ():
        try:
            task = read_task(thing.path, id)
        except UserError:
            continue
        if task is not None:
            return thing, task
    return None


def golden_ids(site: Site) -> set[str]:
    """The tasks that `task_in` finds."""
    found: set[str] = set()
    for thing in site.of("dataset"):
        try:
            rows = rated(site, thing).rows("select id from tasks")
        except UserError:
            continue
        found |= {id for (id,) in rows if is_linked(id)}
    return found


def task_address(thing: Thing, task: Task) -> str:
    return f"{thing.name}/tasks/{task.id}.html"


def _is_wanted(entry: Entry, wanted: Mapping[str, str]) -> bool:
    words = f"{entry.task} {entry.question}".lower()
    return all(word in words for word in wanted["q"].lower().split()) and all(
        wanted[name] in ("", _told(entry, name)) for name in FILTERS
    )


def _told(entry: Entry, name: str) -> str:
    if name == "reward":
        return "none" if entry.reward is None else str(entry.reward)
    return {
        "env": entry.env,
        "kind": entry.kind,
        "band": entry.band,
        "outcome": entry.outcome,
    }[name]


def _options(entries: Iterable[Entry], name: str) -> list[str]:
    return sorted({_told(entry, name) for entry in entries})


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _parts(site: Site, thing: Thing) -> Iterator[Names]:
    number = len(listed(thing.path).entries)
    return ({"part": str(part)} for part in range(2, -(-number // A_PAGE) + 1))


def _every(site: Site, thing: Thing) -> Iterator[Names]:
    return ({"rollout": name} for name in listed(thing.path).entries)


def _golden(site: Site, thing: Thing) -> Iterator[Names]:
    known = golden_ids(site)
    return (
        {"rollout": name}
        for name, entry in listed(thing.path).entries.items()
        if entry.task in known
    )


def _pairs(site: Site, thing: Thing) -> Iterator[Names]:
    for name, entry in listed(thing.path).entries.items():
        for other in others_of(site, Place(thing, entry), live=False):
            yield {"rollout": name, "other": other.thing.name, "second": other.entry.name}


PAGES = (
    Page("trajectories", HOME, "rollouts.html.j2", show_list, only),
    Page("trajectories", ROWS, "rollouts.js.j2", show_rows, only),
    Page("trajectories", PART, "rollouts.html.j2", show_list, _parts),
    Page("trajectories", ONE, "rollout.html.j2", show_one, _every),
    Page("trajectories", GOLDEN, "beside.html.j2", show_golden, _golden),
    Page("trajectories", BESIDE, "beside.html.j2", show_beside, _pairs),
)
