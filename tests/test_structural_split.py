"""Hundreds of operations become environments of a size that an agent can hold, named as a person
would."""

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.authors.structural.parts.clusters import LEAST, MOST, OWN, Unit, clusters_of
from tests.documents import answer, body, doc_of, spec
from tests.places import CORPUS
from tests.structural import drafts

ASANA = CORPUS / "openapi-asana" / "openapi.json"


@st.composite
def worlds(draw):
    """Made-up tables with operations and tags, and how close they are."""
    tags = ["", "people", "tasks", "things"]
    sizes = draw(st.lists(st.tuples(st.integers(1, OWN), st.sampled_from(tags)), max_size=40))
    units = [
        Unit(f"/{tag}/{number % 7}", f"t{number}", tag, size)
        for number, (size, tag) in enumerate(sizes)
    ]
    pairs = [(a.table, b.table) for a in units for b in units if a.table < b.table]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=40, unique=True)) if pairs else []
    return units, {pair: draw(st.sampled_from([0.1, 0.5, 1.5])) for pair in chosen}


def size(units: list[Unit]) -> int:
    return sum(unit.size for unit in units)


@given(worlds())
@settings(max_examples=200, deadline=None)
def test_every_table_is_in_one_cluster_of_a_size_that_an_agent_can_hold(world):
    units, ties = world
    clusters = clusters_of(units, ties)
    assert sorted(unit for cluster in clusters for unit in cluster) == sorted(units)
    assert all(size(cluster) <= MOST for cluster in clusters)
    assert len(clusters) <= 1 or all(size(cluster) >= LEAST for cluster in clusters)


@given(worlds(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_clusters_do_not_depend_on_the_order_of_tables_and_ties(world, rng: random.Random):
    units, ties = world
    mixed, pairs = list(units), list(ties.items())
    rng.shuffle(mixed)
    rng.shuffle(pairs)
    assert clusters_of(mixed, dict(pairs)) == clusters_of(units, ties)


def test_a_tag_that_fits_stays_whole():
    units = [Unit(f"/{n}", f"t{n}", "ab"[n % 2], 12) for n in range(8)]
    clusters = clusters_of(units, {("t0", "t1"): 2.0})
    assert sorted({unit.tag for unit in cluster} for cluster in clusters) == [{"a"}, {"b"}]


def test_a_tag_that_is_too_large_is_cut_between_tables_that_are_not_close():
    units = [Unit(f"/{n}", f"t{n}", "", 20) for n in range(4)]
    clusters = clusters_of(units, {("t0", "t3"): 1.0, ("t1", "t2"): 1.0, ("t0", "t1"): 0.1})
    assert [[unit.table for unit in cluster] for cluster in clusters] == [
        ["t0", "t3"],
        ["t1", "t2"],
    ]


def test_a_few_operations_go_with_the_closest_tables():
    units = [
        Unit("/a", "tasks", "Tasks", 30),
        Unit("/b", "notes", "Notes", 3),
        Unit("/c", "users", "Users", 30),
    ]
    clusters = clusters_of(units, {("notes", "users"): 0.2, ("notes", "tasks"): 1.0})
    assert [[unit.table for unit in cluster] for cluster in clusters] == [
        ["tasks", "notes"],
        ["users"],
    ]


# ----------------------------------------------------------------- through the author

NOUNS = ("kite", "reel", "spool", "string", "workshop", "lesson")
NOUNS += ("pilot", "wind", "field", "storm", "prize", "judge")


def resource(noun: str, refers: str | None, *, tags: bool, prefix: str = "") -> dict:
    """The paths of a resource with all five operations."""
    properties: dict = {"id": {"type": "string"}, "name": {"type": "string"}}
    if refers:
        properties[f"{refers}_id"] = {"type": "string"}
    whole = {"type": "object", "properties": properties, "required": ["id", "name"]}
    taken = {
        "type": "object",
        "properties": {key: value for key, value in properties.items() if key != "id"},
        "required": ["name"],
    }
    about = {"tags": [f"{noun.capitalize()}s"]} if tags else {}
    key = {"name": f"{noun}_id", "in": "path", "required": True, "schema": {"type": "string"}}
    one = f"{prefix}/{noun}s/{{{noun}_id}}"
    return {
        f"{prefix}/{noun}s": {
            "get": {**about, "responses": answer({"type": "array", "items": whole})},
            "post": {**about, "requestBody": body(taken), "responses": answer(whole)},
        },
        one: {
            "parameters": [key],
            "get": {**about, "responses": answer(whole)},
            "put": {**about, "requestBody": body(taken), "responses": answer(whole)},
            "delete": {**about, "responses": {"204": {"description": "gone"}}},
        },
    }


def large(folder, *, tags: bool, prefix: str = "", nouns: int = 3) -> list[Draft]:
    """A document of 12 × `nouns` resources, each third one referring to the one before."""
    names = [f"{noun}{suffix}" for suffix in ("", "case", "box")[:nouns] for noun in NOUNS]
    paths: dict = {}
    for number, noun in enumerate(names):
        before = names[number - 1] if number % 3 else None
        paths |= resource(noun, before, tags=tags, prefix=prefix)
    document = spec(paths) | {"info": {"title": "The Kite Club's API", "version": "1"}}
    return StructuralAuthor().draft(doc_of(folder, document))


def test_a_document_that_fits_is_one_environment_with_its_own_name(tmp_path):
    [draft] = large(tmp_path, tags=True, nouns=1)
    assert (draft.name, draft.title, len(draft.tools)) == ("kite_club", "The Kite Club's API", 60)


def test_a_large_document_is_several_environments_that_have_all_its_tools(tmp_path):
    found = large(tmp_path, tags=True)
    assert {tool.name for draft in found for tool in draft.tools} == {
        tool.name for draft in large(tmp_path, tags=False) for tool in draft.tools
    }
    assert len({tool.name for draft in found for tool in draft.tools}) == 180
    assert all(LEAST <= len(draft.tools) <= MOST for draft in found)


def test_what_writes_is_in_one_environment_only(tmp_path):
    writes = [
        tool.name
        for draft in large(tmp_path, tags=True)
        for tool in draft.tools
        if tool.kind == "write"
    ]
    assert len(writes) == len(set(writes)) == 108


def test_what_records_refer_to_can_be_read_in_their_environment(tmp_path):
    for draft in large(tmp_path, tags=True):
        tables = {table.name: table for table in draft.state_schema.tables}
        lists = {tool.effect.table for tool in draft.tools if tool.effect and tool.kind == "read"}
        for tool in draft.tools:
            if tool.effect and tool.kind == "write":
                columns = tables[tool.effect.table].columns
                assert {c.references for c in columns if c.references} <= lists


def test_environments_are_named_after_their_tags_or_paths(tmp_path):
    for tags in (True, False):
        for prefix in ("", "/api/v2"):
            found = large(tmp_path, tags=tags, prefix=prefix)
            names = [draft.name for draft in found]
            assert len(set(names)) == len(names)
            assert all(re.fullmatch(r"kite_club(_and|_[a-z]+s)+", name) for name in names)
            for draft in found:
                words = re.sub(r",| and", "", draft.title.lower()).split()
                assert words[:2] == ["kite", "club:"]
                assert draft.name.startswith(f"kite_club_{words[2]}")


def test_asanas_operations_are_environments_named_after_its_tags():
    found = drafts(ASANA)
    tools = {draft.name: {tool.name for tool in draft.tools} for draft in found}
    [tasks] = [name for name in tools if name.startswith("asana_tasks")]
    assert {"create_task", "get_task", "delete_task", "get_sections_for_project"} <= tools[tasks]
    assert all(LEAST <= len(names) <= MOST for names in tools.values())
