"""What must hold for the comparison of any two end states.

A `Plan` says what a session made and changed, naming made records by their place in a list;
`end` writes it down with keys and in an order of choice. So one plan has many end states, all of
them equal; and whether two plans are the same can be found out by trying every way to pair them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forge.env.compare import compare
from forge.types.data import Json
from forge.types.state import (
    Column,
    Overlay,
    Parent,
    Record,
    StateSchema,
    Table,
    TableOverlay,
)

SCHEMA = StateSchema(
    tables=(
        Table(
            name="projects",
            noun="project",
            key=("id",),
            label="name",
            columns=(
                Column(name="id", generated="id"),
                Column(name="name"),
                Column(name="size", type="any"),
                Column(name="url", generated="derived", template="https://x.test/p/{id}"),
            ),
        ),
        Table(
            name="tasks",
            noun="task",
            key=("project", "number"),
            parent=Parent(table="projects", columns=("project",)),
            columns=(
                Column(name="project", references="projects"),
                Column(name="number", type="integer", generated="counter", within=("project",)),
                Column(name="title"),
            ),
        ),
        Table(
            name="notes",
            noun="note",
            key=("id",),
            parent=Parent(table="tasks", columns=("project", "number")),
            columns=(
                Column(name="id", type="integer", generated="counter"),
                Column(name="project"),
                Column(name="number", type="integer"),
                Column(name="reply_to", type="integer", references="notes"),
                Column(
                    name="seen_in",
                    type="array",
                    items=Column(references="projects"),
                    compare="unordered",
                ),
                Column(name="at", generated="time"),
            ),
        ),
    )
)
BASE = {
    "projects": {"p": {"id": "p", "name": "Auro", "size": 1, "url": "https://x.test/p/p"}},
    "tasks": {"p/1": {"project": "p", "number": 1, "title": "a"}},
    "notes": {"1": {"id": 1, "project": "p", "number": 1, "reply_to": None, "seen_in": []}},
}
BASED = -1
"""The place of the one base record of a table."""


@dataclass(frozen=True)
class Plan:
    projects: tuple[tuple[str, Json], ...]
    tasks: tuple[tuple[int, str], ...]
    """Project, title."""
    notes: tuple[tuple[int, int | None, tuple[int, ...]], ...]
    """Task, the note it replies to, projects it was seen in."""
    base_note: tuple[int | None, tuple[int, ...]] | None
    """What the base note was changed to: reply_to, seen_in."""


@dataclass(frozen=True)
class Naming:
    """The made keys of each table by place, and the order in which records are written."""

    projects: tuple[int, ...]
    tasks: tuple[int, ...]
    notes: tuple[int, ...]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    sizes = [draw(st.integers(0, 3)) for _ in range(3)]
    project, task, note = (st.integers(BASED, size - 1) for size in sizes)
    reply, seen = st.none() | note, st.lists(project, max_size=2).map(tuple)
    size = st.sampled_from([0, 1, 1.0, True, "1", None])

    def several(each: st.SearchStrategy, count: int) -> tuple:
        return tuple(draw(st.lists(each, min_size=count, max_size=count)))

    return Plan(
        projects=several(st.tuples(st.sampled_from("xy"), size), sizes[0]),
        tasks=several(st.tuples(project, st.sampled_from("ab")), sizes[1]),
        notes=several(st.tuples(task, reply, seen), sizes[2]),
        base_note=draw(st.none() | st.tuples(reply, seen)),
    )


def namings(plan: Plan) -> st.SearchStrategy[Naming]:
    return st.builds(Naming, *(st.permutations(range(count)).map(tuple) for count in counts(plan)))


def counts(plan: Plan) -> tuple[int, int, int]:
    return len(plan.projects), len(plan.tasks), len(plan.notes)


def as_listed(plan: Plan) -> Naming:
    return Naming(*(tuple(range(count)) for count in counts(plan)))


def end(plan: Plan, naming: Naming) -> Overlay:
    def project_key(place: int) -> str:
        return "p" if place == BASED else f"p{naming.projects[place]}"

    def task_key(place: int) -> tuple[str, int]:
        if place == BASED:
            return ("p", 1)
        return (project_key(plan.tasks[place][0]), 10 + naming.tasks[place])

    def note_key(place: int | None) -> int | None:
        if place is None:
            return None
        return 1 if place == BASED else 10 + naming.notes[place]

    def note(place: int, task: int, reply: int | None, seen: tuple[int, ...]) -> Record:
        project, number = task_key(task)
        return {
            "id": note_key(place),
            "project": project,
            "number": number,
            "reply_to": note_key(reply),
            "seen_in": [project_key(each) for each in seen],
            "at": f"2026-03-02T09:00:0{naming.notes[place] if place >= 0 else 9}Z",
        }

    projects = {
        project_key(place): {
            "id": project_key(place),
            "name": name,
            "size": size,
            "url": f"https://x.test/p/{project_key(place)}",
        }
        for place, (name, size) in enumerate(plan.projects)
    }
    tasks = {
        "{}/{}".format(*task_key(place)): {
            "project": task_key(place)[0],
            "number": task_key(place)[1],
            "title": title,
        }
        for place, (_, title) in enumerate(plan.tasks)
    }
    notes = {str(note_key(place)): note(place, *rest) for place, rest in enumerate(plan.notes)}
    changed = {} if plan.base_note is None else {"1": note(BASED, BASED, *plan.base_note)}
    return {
        "projects": TableOverlay(made=dict(sorted(projects.items()))),
        "tasks": TableOverlay(made=dict(sorted(tasks.items()))),
        "notes": TableOverlay(made=dict(sorted(notes.items())), changed=changed),
    }


def initial(table: str, key: str) -> Record | None:
    return BASE[table].get(key)


def equal(one: Overlay, other: Overlay) -> bool:
    comparison = compare(SCHEMA, initial, one, other)
    assert comparison.equal == (not comparison.differences)
    return comparison.equal


def written(overlay: Overlay) -> str:
    """All that counts of an end state, keys as they are."""

    def plain(record: Record) -> Record:
        kept = {name: value for name, value in record.items() if name not in ("url", "at")}
        if isinstance(kept.get("size"), float):
            kept["size"] = int(kept["size"])
        if "seen_in" in kept:
            kept["seen_in"] = sorted(kept["seen_in"])
        return kept

    changed = {**BASE["notes"], **overlay["notes"].changed}
    made = {name: each.made for name, each in overlay.items()}
    return json.dumps(
        {
            "changed": {key: plain(record) for key, record in changed.items()},
            **{
                name: {key: plain(record) for key, record in sorted(records.items())}
                for name, records in made.items()
            },
        }
    )


def all_namings(plan: Plan) -> Iterator[Naming]:
    return (Naming(*each) for each in product(*map(permutations, map(range, counts(plan)))))


def same_plan(one: Plan, other: Plan) -> bool:
    if counts(one) != counts(other):
        return False
    goal = written(end(one, as_listed(one)))
    return any(written(end(other, naming)) == goal for naming in all_namings(other))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_an_end_state_equals_itself_under_other_made_keys_and_another_order(data: st.DataObject):
    plan = data.draw(plans())
    one, other = end(plan, data.draw(namings(plan))), end(plan, data.draw(namings(plan)))
    assert equal(one, other)


@settings(max_examples=150, deadline=None)
@given(plans(), st.data())
def test_one_other_change_breaks_equality_just_when_no_pairing_undoes_it(
    plan: Plan, data: st.DataObject
):
    table = data.draw(st.sampled_from(["projects", "tasks", "notes", "base_note"]))
    donor = data.draw(plans())
    if table == "base_note":
        other = replace(plan, base_note=donor.base_note)
        places = [donor.base_note[1]] if donor.base_note else []
        assume(all(place < len(plan.projects) for seen in places for place in seen))
        assume(not donor.base_note or (donor.base_note[0] or 0) < max(len(plan.notes), 1))
        assume(not donor.base_note or donor.base_note[0] != 0 or plan.notes)
    else:
        mine, theirs = getattr(plan, table), getattr(donor, table)
        assume(mine and theirs)
        place = data.draw(st.integers(0, len(mine) - 1))
        other = replace(plan, **{table: (*mine[:place], theirs[0], *mine[place + 1 :])})
        assume(all(project < len(plan.projects) for project, _ in other.tasks))
        for task, reply, seen in other.notes:
            assume(task < len(plan.tasks) and (reply is None or reply < len(plan.notes)))
            assume(all(each < len(plan.projects) for each in seen))
    one = end(plan, as_listed(plan))
    assert equal(one, end(other, data.draw(namings(other)))) == same_plan(plan, other)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_other_value_in_one_made_record_breaks_equality(data: st.DataObject):
    plan = data.draw(plans().filter(lambda plan: plan.projects))
    place = data.draw(st.integers(0, len(plan.projects) - 1))
    name, size = plan.projects[place]
    new = data.draw(st.sampled_from([0, 1, True, False, "1", "", None, [], {}, [1], [True]]))
    assume(json.dumps(new) != json.dumps(int(size) if isinstance(size, float) else size))
    projects = (*plan.projects[:place], (name, new), *plan.projects[place + 1 :])
    other = replace(plan, projects=projects)
    assert not equal(end(plan, as_listed(plan)), end(other, data.draw(namings(other))))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_one_made_record_more_or_less_breaks_equality(data: st.DataObject):
    plan = data.draw(plans())
    more = replace(plan, projects=(*plan.projects, ("x", 1)))
    one, other = end(plan, as_listed(plan)), end(more, data.draw(namings(more)))
    assert not equal(one, other)
    assert not equal(other, one)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_order_of_the_two_states_does_not_matter(data: st.DataObject):
    plan, other = data.draw(plans()), data.draw(plans())
    one, two = end(plan, as_listed(plan)), end(other, data.draw(namings(other)))
    assert equal(one, two) == equal(two, one) == same_plan(plan, other)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.data())
def test_swapping_the_children_of_two_new_parents_breaks_equality_if_the_parents_differ(
    count: int, data: st.DataObject
):
    names = data.draw(st.lists(st.sampled_from("xyz"), min_size=count, max_size=count))
    swapped = data.draw(st.permutations(range(count)))
    plan = Plan(
        projects=tuple((name, 1) for name in names),
        tasks=tuple((place, f"t{place}") for place in range(count)),
        notes=(),
        base_note=None,
    )
    other = replace(plan, tasks=tuple((new, f"t{place}") for place, new in enumerate(swapped)))
    kept = all(names[new] == names[place] for place, new in enumerate(swapped))
    assert equal(end(plan, as_listed(plan)), end(other, data.draw(namings(other)))) == kept


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data())
def test_cycles_of_new_records_are_equal_only_if_they_have_the_same_lengths(
    lengths: list[int], data: st.DataObject
):
    def rings(sizes: list[int]) -> Plan:
        first, notes = 0, []
        for size in sizes:
            notes += [(BASED, first + (place + 1) % size, ()) for place in range(size)]
            first += size
        return Plan(projects=(), tasks=(), notes=tuple(notes), base_note=None)

    others = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    plan, other = rings(lengths), rings(others)
    one, two = end(plan, as_listed(plan)), end(other, data.draw(namings(other)))
    assert equal(one, two) == (sorted(lengths) == sorted(others))
