"""`forge synth --model` where a column holds the key of another table and nothing in its name or
type says so: a model names the table, a second sample and execution decide."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from evals.speed.endpoint import Reply, Request, Server, says, serving
from forge.authors.llm.prompts import version
from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.tasks.dags.graph import tool_graph

TEXT = {"type": "string"}
DRIVER = {"badge": TEXT, "name": {**TEXT, "examples": ["Ada Berg", "Jo Lind"]}}
PARCEL = {
    "id": {**TEXT, "readOnly": True},
    "weight": {"type": "number"},
    "carried_by": {**TEXT, "description": "Who takes it to its address"},
    "slot": {**TEXT, "maxLength": 2, "examples": ["A1", "B7", "C3"]},
    "shelf_mark": {**TEXT, "examples": ["north 4", "south 2", "east 9"]},
}


def _content(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": "It.", "content": {"application/json": {"schema": schema}}}


def _record(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _paths(name: str, key: str, one: Mapping[str, Any], *, made: bool) -> dict[str, Any]:
    shown = {"responses": {"200": _content(one)}}
    listed = {"responses": {"200": _content({"type": "array", "items": one})}}
    picked = {"name": key, "in": "path", "required": True, "schema": TEXT}
    paths: dict[str, Any] = {
        f"/{name}": {"get": {"operationId": f"list_{name}", **listed}},
        f"/{name}/{{{key}}}": {
            "get": {"operationId": f"get_{name[:-1]}", "parameters": [picked], **shown}
        },
    }
    if made:
        body = {"requestBody": {"required": True, **_content(one)}}
        paths[f"/{name}"]["post"] = {"operationId": f"create_{name[:-1]}", **body, **shown}
    return paths


DEPOT = {
    "openapi": "3.0.3",
    "info": {"title": "Depot", "version": "1"},
    "paths": {
        **_paths("drivers", "badge", {"$ref": "#/components/schemas/Driver"}, made=False),
        **_paths("parcels", "id", {"$ref": "#/components/schemas/Parcel"}, made=True),
    },
    "components": {"schemas": {"Driver": _record(DRIVER), "Parcel": _record(PARCEL)}},
}


def keys(**held: str) -> str:
    return json.dumps({"columns": [{"column": c, "holds": t} for c, t in held.items()]})


def model(first: str, second: str | None = None) -> Callable[[Request], Reply]:
    """Answers what is asked of references: a fresh sample, and the one that must confirm it."""

    def answer(request: Request) -> Reply:
        if "may hold the key" not in request.body["messages"][0]["content"]:
            return says("I do not know.")
        confirms = request.body["temperature"] == 0
        return says(second if confirms and second is not None else first)

    return answer


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "FORGE_MODEL"):
        monkeypatch.delenv(name, raising=False)


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def document(folder: Path) -> Path:
    path = folder / "depot.yaml"
    path.write_text(yaml.safe_dump(DEPOT, sort_keys=False))
    return path


def synth(server: Server, folder: Path, *flags: object, out: str = "set") -> Result:
    return forge(
        "synth", document(folder), "--out", folder / out, "--model", "scripted",
        "--base-url", server.url, "--cache", folder / "answers.db", "--jobs", 1, "--json", *flags,
    )  # fmt: skip


def edges_of(folder: Path, answer: Callable[[Request], Reply], tasks: int = 0) -> dict[str, Any]:
    """What is counted of the pass."""
    with serving(answer) as server:
        done = synth(server, folder, "--tasks", tasks)
    assert done.exit_code == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)["model"]["passes"]["edges"]
    return outcome


def test_a_reference_that_is_confirmed_gives_an_edge_and_leaves_the_draft_trusted(
    tmp_path: Path,
) -> None:
    outcome = edges_of(tmp_path, model(keys(carried_by="drivers", shelf_mark="none")), tasks=6)
    assert (outcome["gained"], outcome["pieces"]) == (1, 1)
    environment = read_dataset(tmp_path / "set").environment("depot")
    made = environment.made["references/parcels.carried_by"]
    assert (made.model, made.prompt) == ("scripted", version("reference"))
    assert environment.author == "structural"
    assert {
        (edge.source, edge.target, edge.argument) for edge in tool_graph(environment).edges
    } >= {("list_drivers", "create_parcel", "carried_by")}
    assert forge("verify", tmp_path / "set").exit_code == 0


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (keys(carried_by="drivers"), keys(carried_by="none"), "not confirmed"),
        (keys(carried_by="none"), None, "no key"),
        (keys(carried_by="lorries", id="drivers", nothing="drivers"), None, "no key"),
        (keys(slot="drivers"), None, "the tools"),
        ("I do not know.", None, "its form"),
    ],
)
def test_what_is_not_confirmed_or_breaks_a_tool_is_dropped(
    tmp_path: Path, first: str, second: str | None, why: str
) -> None:
    outcome = edges_of(tmp_path, model(first, second))
    assert (outcome["gained"], list(outcome["failures"])) == (0, [why])
    environment = read_dataset(tmp_path / "set").environment("depot")
    assert not environment.made
    columns = {c.name: c for table in environment.state_schema.tables for c in table.columns}
    assert columns["carried_by"].references is columns["slot"].references is None


def test_a_reference_that_fits_is_taken_though_another_of_the_answer_is_not(
    tmp_path: Path,
) -> None:
    edges_of(tmp_path, model(keys(slot="drivers", carried_by="drivers")))
    environment = read_dataset(tmp_path / "set").environment("depot")
    assert list(environment.made) == ["references/parcels.carried_by"]


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(model(keys(carried_by="drivers"))) as server:
        synth(server, tmp_path, "--tasks", 0, out="first")
        asked = len(server.asked)
        synth(server, tmp_path, "--tasks", 0, out="second")
        assert len(server.asked) == asked
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / out).rglob("*") if path.is_file()}
        for out in ("first", "second")
    )
    assert first == second


def test_a_dry_run_counts_the_tables_that_would_be_asked_about(tmp_path: Path) -> None:
    with serving(model("")) as server:
        done = synth(server, tmp_path, "--dry-run")
    assert json.loads(done.stdout)["passes"]["edges"]["calls"] == [1, 4]
