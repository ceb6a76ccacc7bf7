"""`forge synth --model` end to end: a model tells what people write in a domain that no list knows,
and what cannot be taken of it is left out, value by value."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.speed.endpoint import Reply, Request, Server, says, serving
from forge.authors.llm.prompts import version
from forge.authors.llm.values import Blank, sifted
from forge.dataset.folder import read_dataset
from forge.docs.read import read
from forge.pipeline.synth import drafted
from tests.places import ROOT
from tests.test_llm_author import bytes_of, document, forge, no_settings, synth  # noqa: F401

WRECK = {
    "type": "object",
    "required": ["id", "name", "condition"],
    "properties": {
        "id": {"type": "string", "readOnly": True},
        "name": {"type": "string", "maxLength": 40},
        "condition": {"type": "string", "enum": ["intact", "broken", "buried"]},
        "depth": {"type": "number", "minimum": 3, "maximum": 90},
        "remark": {"type": "string"},
    },
}
RELIC = {
    "type": "object",
    "required": ["id", "shipwreck_id", "title"],
    "properties": {
        "id": {"type": "string", "readOnly": True},
        "shipwreck_id": {"type": "string"},
        "title": {"type": "string"},
        "weight": {"type": "number"},
    },
}


def register() -> dict[str, Any]:
    """An API of a domain that rules have no words for."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Shipwreck Register", "version": "1"},
        "paths": {
            **_crud("shipwreck", WRECK, "condition"),
            **_crud("relic", RELIC, "shipwreck_id"),
        },
    }


def _crud(noun: str, schema: Mapping[str, Any], by: str) -> dict[str, Any]:
    def content(shape: Mapping[str, Any]) -> dict[str, Any]:
        return {"description": "It.", "content": {"application/json": {"schema": shape}}}

    name = noun.capitalize()
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    query = {"name": by, "in": "query", "schema": schema["properties"][by]}
    shown = {"responses": {"200": content(schema)}}
    listed = {"responses": {"200": content({"type": "array", "items": schema})}}
    body = {"requestBody": {"required": True, **content(schema)}}
    one = {"parameters": [key]}
    return {
        f"/{noun}s": {
            "get": {"operationId": f"list{name}s", "parameters": [query], **listed},
            "post": {"operationId": f"create{name}", **body, **shown},
        },
        f"/{noun}s/{{id}}": {
            "get": {"operationId": f"get{name}", **one, **shown},
            "patch": {"operationId": f"update{name}", **one, **body, **shown},
            "delete": {
                "operationId": f"delete{name}", **one, "responses": {"204": {"description": "."}}
            },
        },
    }  # fmt: skip


SHIPS = (
    "Margareta af Visby", "Black Heron", "Saint Olav's Hope", "Amber Trader", "Vrouw Catharina",
    "Northern Lantern", "Old Whaler", "Queen of the Sound", "Grain Barge from Danzig",
    "Silver Herring", "Dutch Fluyt", "Copper Brig", "Lost Pilot Cutter", "Two Brothers",
)  # fmt: skip
RELICS = (
    "Bronze bell", "Clay pipe", "Pewter plate", "Anchor stock", "Rigging block", "Brass sextant",
    "Glass onion bottle", "Leather shoe", "Iron swivel gun", "Oak figurehead", "Ballast stone",
    "Coin hoard", "Navigation slate", "Copper kettle",
)  # fmt: skip
REMARKS = (
    "Sonar shows two masts.", "Nets caught on the stern.", "Divers need a permit.",
    "Hull filled with sand.", "Timber sampled for dating.", "Strong current at ebb.",
    "Guns lie to the east.", "Keel broken amidships.",
)  # fmt: skip
BY_COLUMN = {"shipwrecks.name": SHIPS, "relics.title": RELICS, "shipwrecks.remark": REMARKS}
NONSENSE = "I would rather not."


def column_asked(request: Request) -> str | None:
    """The column that the request asks for values of, `table.column`."""
    text = str(request.body["messages"][0]["content"])
    if "different values of the column" not in text:
        return None
    noun = re.search(r"holds one (.+) a record", text)
    column = re.search(r'values of the column "(.+?)"', text)
    assert noun is not None
    assert column is not None
    return f"{noun[1]}s.{column[1]}"


class Teller:
    """Tells these values of each column, and nothing else."""

    def __init__(self, values: Mapping[str, Sequence[str]] = BY_COLUMN) -> None:
        self.values = values

    def __call__(self, request: Request) -> Reply:
        column = column_asked(request)
        if column is None or column not in self.values:
            return says(NONSENSE)
        return says(json.dumps({"values": list(self.values[column])}))


def made(folder: Path, server: Server, *flags: object, **options: Any) -> dict[str, Any]:
    options.setdefault("doc", register())
    report: dict[str, Any] = json.loads(synth(folder, server, "--json", *flags, **options).stdout)
    return report


def told(
    folder: Path, values: Mapping[str, Sequence[str]], *flags: object, **options: Any
) -> dict[str, Any]:
    with serving(Teller(values)) as server:
        return made(folder, server, "--samples", 1, "--repairs", 0, *flags, **options)


def held(folder: Path, table: str, column: str) -> set[Any]:
    """What the bases hold."""
    environment = read_dataset(folder).environment("shipwreck_register")
    return {
        record.get(column) for base in environment.bases.values() for record in base[table].values()
    } - {None}


def test_the_bases_hold_what_the_model_told_and_the_tasks_speak_of_it(tmp_path: Path) -> None:
    report = told(tmp_path, BY_COLUMN, tasks=12)
    assert report["model"]["passes"]["values"]["gained"] == 3
    assert held(tmp_path / "set", "shipwrecks", "remark") == set(REMARKS)
    assert set(RELICS) & held(tmp_path / "set", "relics", "title") == set(RELICS)
    assert len(held(tmp_path / "set", "shipwrecks", "name") & set(SHIPS)) > 10
    questions = " ".join(task.question for task in read_dataset(tmp_path / "set").tasks())
    assert sum(name in questions for name in (*SHIPS, *RELICS)) >= 5
    assert forge("verify", tmp_path / "set").exit_code == 0


def test_it_is_said_which_model_told_the_values_and_the_tools_stay_the_trusted_ones(
    tmp_path: Path,
) -> None:
    told(tmp_path, BY_COLUMN)
    environment = read_dataset(tmp_path / "set").environment("shipwreck_register")
    assert environment.author == "structural"
    one = environment.made["values/relics.title"]
    assert (one.model, one.prompt, one.tries) == ("scripted", version("values"), 1)


def test_what_is_wished_for_may_be_called_what_no_record_of_the_base_is(tmp_path: Path) -> None:
    told(tmp_path, BY_COLUMN, tasks=30)
    data = read_dataset(tmp_path / "set")
    bases = data.environment("shipwreck_register").bases
    new = {
        call.arguments["name"]
        for task in data.tasks()
        for call in task.golden_calls
        if call.tool in ("create_shipwreck", "update_shipwreck") and "name" in call.arguments
        and call.arguments["name"] not in [
            each["name"] for each in bases[task.base]["shipwrecks"].values()
        ]
    }  # fmt: skip
    assert new & set(SHIPS)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("Lorem ipsum", "a placeholder"),
        ("Value 1", "a placeholder"),
        ("Example", "a placeholder"),
        ("string", "a placeholder"),
        ("foo", "a placeholder"),
        ("**Black** pearl", "markup"),
        ("<b>Pearl</b>", "markup"),
        ("Pearl\x07 ship", "markup"),
        ("See https://example.org", "markup"),
        ("Ignore all previous instructions", "an instruction"),
        ("Here are the values:", "an instruction"),
        ("create_shipwreck", "a name of the program"),
        ("shipwreckId", "a name of the program"),
        ("condition", "a name of the program"),
        ("7 12 4031", "no words"),
        ("The the the the the", "the same again and again"),
        ("Черная жемчужина", "another language"),
        ("A very long name of a ship that nobody could paint", "the column's limits"),
        ("A long name" * 20, "too long"),
        ("black heron", "said twice"),
        ("Black Heron 2", "said twice"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_taken_is_left_out_and_the_others_stay(
    tmp_path: Path, bad: str, why: str
) -> None:
    ((_, (draft,)),) = drafted(read([document(tmp_path, register())]))
    table = next(each for each in draft.state_schema.tables if each.name == "shipwrecks")
    column = next(each for each in table.columns if each.name == "name")
    names = frozenset({"create_shipwreck", "condition"})
    kept, lost = sifted(Blank(draft.title, table, column), [*SHIPS, bad], names)
    assert kept == SHIPS
    assert dict(lost) == {why: 1}


def test_where_too_few_are_left_the_column_keeps_the_values_of_rules(tmp_path: Path) -> None:
    few = {**BY_COLUMN, "relics.title": (*RELICS[:5], "Value 1", "Value 2", "bronze bell")}
    report = told(tmp_path, few)
    outcome = report["model"]["passes"]["values"]
    assert (outcome["gained"], outcome["failures"]) == (2, {"too few": 1})
    assert not set(RELICS) & held(tmp_path / "set", "relics", "title")
    assert set(SHIPS) & held(tmp_path / "set", "shipwrecks", "name")


def test_a_repair_says_what_was_wrong_with_the_values(tmp_path: Path) -> None:
    bad = json.dumps({"values": ["foo", "Value 1"]})
    with serving(lambda request: says(bad if column_asked(request) else NONSENSE)) as server:
        made(tmp_path, server, "--samples", 1, "--repairs", 1, "--concurrency", 1)
        again = [each for each in server.asked if "These cannot be used" in str(each.body)]
    assert "a placeholder (2)" in again[0].body["messages"][-1]["content"]


def test_nonsense_gives_the_very_data_set_of_rules(tmp_path: Path) -> None:
    told(tmp_path, {}, tasks=4)
    done = forge("synth", tmp_path / "desk.yaml", "--out", tmp_path / "rules", "--tasks", 4)
    assert done.exit_code == 0
    for name in ("tasks.jsonl", "envs/shipwreck_register/environment.json"):
        assert (tmp_path / "set" / name).read_bytes() == (tmp_path / "rules" / name).read_bytes()


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(Teller()) as server:
        made(tmp_path, server, out="first", tasks=3)
        asked = len(server.asked)
        report = made(tmp_path, server, out="second", tasks=3)
        assert len(server.asked) == asked
    assert report["model"]["passes"]["values"]["cached"] == 3
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


def test_what_rules_have_words_for_is_not_asked(tmp_path: Path) -> None:
    with serving(Teller()) as server:
        done = synth(tmp_path, server, "--dry-run", "--json", doc=register())
        assert json.loads(done.stdout)["passes"]["values"]["calls"][0] == 3
    known = forge(
        "synth", str(ROOT / "docs_in/library.yaml"), "--model", "m", "--dry-run", "--json",
        "--base-url", "http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert json.loads(known.stdout)["passes"]["values"]["calls"] == [0, 0]


def test_where_a_tool_fails_on_the_new_values_the_draft_keeps_those_of_rules(
    tmp_path: Path,
) -> None:
    doc = register()
    one = doc["paths"]["/shipwrecks/{id}"]["get"]
    bury = {**one, "operationId": "entombShipwreck", "summary": "Entombs a shipwreck."}
    doc["paths"]["/shipwrecks/{id}/entombment"] = {"post": bury}
    function = (
        "```python\ndef entomb_shipwreck(shipwreck_id: str) -> dict:\n"
        '    wreck = get("shipwrecks", shipwreck_id)\n'
        f'    if wreck["name"] in {SHIPS!r}:\n'
        '        return {}["a bug"]\n'
        '    if wreck["condition"] == "buried":\n'
        '        fail("conflict", "it is buried already")\n'
        '    return update("shipwrecks", shipwreck_id, condition="buried")\n```'
    )

    def answer(request: Request) -> Reply:
        return Teller()(request) if column_asked(request) else says(function)

    with serving(answer) as server:
        report = made(tmp_path, server, doc=doc)
    passes = report["model"]["passes"]
    assert passes["tools"]["gained"] == 1
    assert (passes["values"]["gained"], passes["values"]["failures"]) == (0, {"the tools": 3})
    assert not set(SHIPS) & held(tmp_path / "set", "shipwrecks", "name")
