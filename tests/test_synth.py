"""`forge synth` end to end: what it makes, how it fails, and that nothing it finished is lost."""

import ast
import fcntl
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.dataset.environments import read_environment
from forge.dataset.folder import read_dataset
from tests.places import CORPUS, HAND, ROOT

DOCS = ROOT / "docs_in"
FORGE = [sys.executable, "-m", "forge"]
FEW = ["--tasks", "3", "--seed", "7"]
MARK = "FORGE_TEST_RUN"
"""An environment variable by which a run's processes are found."""


def hire(noun: str) -> dict[str, Any]:
    """A document of a few operations, quick to make an environment of."""
    text, number = {"type": "string"}, {"type": "integer", "minimum": 1, "maximum": 90}
    color = {"type": "string", "enum": ["red", "green", "blue"]}
    thing = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {
            "id": {**text, "readOnly": True},
            "name": text,
            "color": color,
            "length": number,
        },
    }
    one = {"$ref": f"#/components/schemas/{noun}"}
    takes = {"required": True, "content": {"application/json": {"schema": one}}}
    key = {"name": "id", "in": "path", "required": True, "schema": text}
    return {
        "openapi": "3.0.3",
        "info": {"title": f"{noun} hire", "version": "1"},
        "paths": {
            f"/{noun}s": {
                "get": {
                    "parameters": [{"name": "color", "in": "query", "schema": color}],
                    "responses": shows({"type": "array", "items": one}),
                },
                "post": {"requestBody": takes, "responses": shows(one)},
            },
            f"/{noun}s/{{id}}": {
                "parameters": [key],
                "get": {"responses": shows(one)},
                "patch": {"requestBody": takes, "responses": shows(one)},
                "delete": {"responses": {"204": {"description": "gone"}}},
            },
        },
        "components": {"schemas": {noun: thing}},
    }


def shows(schema: dict[str, Any], description: str = "ok") -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"200": {"description": description, "content": content}}


def forge(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*FORGE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def start(out: Path, *arguments: object) -> subprocess.Popen[str]:
    """A run into `out`, in a process group of its own, as a terminal would start it."""
    return subprocess.Popen(
        [*FORGE, "synth", *map(str, arguments), "--out", str(out)],
        env={**os.environ, MARK: str(out)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def synth(*arguments: object, **options: Any) -> dict[str, Any]:
    done = forge("synth", *arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def refusal(*arguments: object, **options: Any) -> str:
    """The one line of a run that must fail with exit code 2."""
    done = forge("synth", *arguments, **options)
    assert done.returncode == 2, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("forge: ")
    assert "Traceback" not in done.stderr
    return line


def files(folder: Path) -> dict[str, str]:
    """Every file under the folder, hidden ones too, by its path: the hash of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def contents(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A data set made of `docs_in` by two processes, without interruption; and its report."""
    out = tmp_path_factory.mktemp("made") / "set"
    return out, synth(DOCS, *FEW, "--out", out, "--jobs", 2)


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three small documents."""
    folder = tmp_path_factory.mktemp("docs")
    for noun in ("boat", "kite", "tent"):
        (folder / f"{noun}.yaml").write_text(yaml.safe_dump(hire(noun)))
    return folder


@pytest.fixture(scope="module")
def hires(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set that an uninterrupted run makes of `docs`."""
    out = tmp_path_factory.mktemp("hires") / "set"
    synth(docs, *FEW, "--out", out, "--jobs", 2)
    return out


@pytest.fixture
def whole(hires: Path) -> dict[str, str]:
    return files(hires)


@pytest.fixture(scope="module")
def kites(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("kites") / "set"
    synth(docs / "kite.yaml", *FEW, "--out", out)
    return out


@pytest.fixture
def mine(kites: Path, tmp_path: Path) -> Path:
    """A copy of the data set that `kite.yaml` gives."""
    return Path(shutil.copytree(kites, tmp_path / "set"))


# ------------------------------------------------------------------------- what it makes


def test_the_sample_documents_become_environments_with_proven_tasks(made):
    out, report = made
    dataset = read_dataset(out)
    assert len(report["documents"]) >= 4
    assert sum(document["operations"] for document in report["documents"]) >= 55
    assert {e["environment"] for e in report["environments"]} == set(dataset.names())
    tasks = list(dataset.tasks())
    assert len(tasks) == sum(e["kept"] for e in report["environments"])
    assert {task.env for task in tasks} == set(dataset.names())
    assert all(gate.passed for task in tasks for gate in task.gates.values())
    assert forge("verify", out).returncode == 0


def test_the_report_accounts_for_every_operation_and_every_proposal(made):
    _, report = made
    for each in report["environments"]:
        assert each["operations"] == each["implemented"] + len(each["left_out"])
        assert each["checked"] == each["implemented"] > 0
        assert all(left["reason"] for left in each["left_out"])
        assert each["tables"] > 0
        assert each["edges"] > 0
        assert each["walks"] == each["proposed"] + sum(each["unfit"].values())
        assert each["proposed"] == each["kept"] + sum(each["refused"].values())
        assert {"build", "graph", "tasks", "write"} == set(each["seconds"])


def test_what_needs_meaning_that_no_rule_sees_is_left_out_with_a_reason(made):
    _, report = made
    assert any(each["left_out"] for each in report["environments"])


def test_one_process_and_two_write_the_same_bytes(docs, whole, tmp_path):
    synth(docs, *FEW, "--out", tmp_path / "other", "--jobs", 1)
    assert files(tmp_path / "other") == whole


def test_another_seed_makes_other_tasks(docs, tmp_path):
    for seed in (1, 2):
        synth(docs / "kite.yaml", "--tasks", 3, "--seed", seed, "--out", tmp_path / str(seed))
    one, two = ({task.question for task in read_dataset(tmp_path / seed).tasks()} for seed in "12")
    assert one != two


def test_nothing_in_the_data_set_tells_where_it_was_made(made):
    out, _ = made
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.suffix != ".parquet":
            assert str(out.parent) not in path.read_text()
            assert str(ROOT) not in path.read_text()


def test_without_json_it_prints_a_table_and_where_the_data_set_lies(docs, tmp_path):
    done = forge("synth", docs / "kite.yaml", "--tasks", 1, "--out", tmp_path / "set")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["environment", "document", "operations"]
    assert str(tmp_path / "set") in lines[-1]


def test_the_data_set_is_named_after_the_documents(docs, tmp_path):
    report = synth(docs / "kite.yaml", "--tasks", 0, cwd=tmp_path)
    assert report["dataset"] == "generated/kite"
    assert (tmp_path / "generated" / "kite" / "dataset.json").is_file()


def test_two_documents_of_one_title_become_two_environments(docs, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kite.yaml").write_bytes((docs / "kite.yaml").read_bytes())
    report = synth(tmp_path / "a", tmp_path / "b", "--tasks", 1, "--out", tmp_path / "set")
    names = {each["environment"] for each in report["environments"]}
    assert len(names) == len(report["environments"]) == 2
    assert set(read_dataset(tmp_path / "set").names()) == names


# ------------------------------------------------------------------- what it goes on from


def test_a_second_run_makes_nothing_again_and_changes_no_byte(made, tmp_path):
    out, _ = made
    before = files(out)
    report = synth(DOCS, *FEW, "--out", out)
    assert all(each["resumed"] for each in report["environments"])
    assert files(out) == before


def test_a_changed_document_is_made_again_and_the_others_are_kept(docs, hires, tmp_path):
    mine = tmp_path / "docs"
    shutil.copytree(docs, mine)
    shutil.copytree(hires, tmp_path / "set")
    with (mine / "kite.yaml").open("a") as file:
        file.write("# changed\n")
    again = synth(mine, *FEW, "--out", tmp_path / "set")
    resumed = {each["document"]: each["resumed"] for each in again["environments"]}
    assert resumed == {"boat.yaml": True, "kite.yaml": False, "tent.yaml": True}
    synth(mine, *FEW, "--out", tmp_path / "fresh")
    assert files(tmp_path / "set") == files(tmp_path / "fresh")


@pytest.mark.parametrize("finished", [0, 1, 2])
def test_after_ctrl_c_the_same_command_goes_on_to_the_same_bytes(docs, whole, tmp_path, finished):
    out = tmp_path / "set"
    run = start(out, docs, *FEW, "--jobs", 2)
    said = [run.stderr.readline() for _ in range(finished)]
    if not finished:
        time.sleep(1)
    os.killpg(run.pid, signal.SIGINT)
    _, rest = run.communicate(timeout=60)
    assert run.returncode == 130
    assert rest.splitlines()[-1] == "forge: interrupted"
    assert "Traceback" not in rest
    assert not workers_of(out)
    kept = {line.split()[1].rstrip(":") for line in said}
    assert kept <= contents(out / "envs") if kept else True
    report = synth(docs, *FEW, "--out", out)
    assert kept <= {each["environment"] for each in report["environments"] if each["resumed"]}
    assert files(out) == whole


@pytest.mark.parametrize("library", ["pydantic_core", "pyarrow"])
def test_ctrl_c_while_modules_load_is_one_line(docs, tmp_path, library):
    run = start(tmp_path / "set", docs, *FEW)
    until(lambda: library in Path(f"/proc/{run.pid}/maps").read_text())
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said == "forge: interrupted\n"


def test_after_a_kill_no_worker_lives_on_and_the_same_command_goes_on(docs, whole, tmp_path):
    out = tmp_path / "set"
    run = start(out, docs, *FEW, "--jobs", 2)
    run.stderr.readline()
    run.kill()
    run.wait()
    until(lambda: not workers_of(out))
    synth(docs, *FEW, "--out", out)
    assert files(out) == whole


# ---------------------------------------------------------------------- what it leaves alone


def test_a_folder_with_other_things_in_it_is_refused_and_left_alone(docs, tmp_path):
    (tmp_path / "README.md").write_text("mine")
    line = refusal(docs / "kite.yaml", "--out", tmp_path)
    assert "holds no data set" in line
    assert "--out" in line
    assert contents(tmp_path) == {"README.md"}


def test_an_edited_environment_is_refused_and_left_alone(docs, mine):
    (home,) = (mine / "envs").iterdir()
    text = (home / "tools.py").read_text()
    (home / "tools.py").write_text(f"# mine\n{text}")
    before = files(mine)
    line = refusal(docs / "kite.yaml", *FEW, "--out", mine)
    assert str(home) in line
    assert "edited" in line
    assert "--no-resume" in line
    assert files(mine) == before
    synth(docs / "kite.yaml", *FEW, "--out", mine, "--no-resume")
    assert (home / "tools.py").read_text() == text


def test_an_edited_task_is_refused_and_left_alone(docs, mine):
    first, *rest = (mine / "tasks.jsonl").read_text().splitlines(keepends=True)
    row = json.loads(first)
    row["question"] = "What I would rather ask."
    (mine / "tasks.jsonl").write_text(json.dumps(row) + "\n" + "".join(rest))
    before = files(mine)
    line = refusal(docs / "kite.yaml", *FEW, "--out", mine)
    assert row["id"] in line
    assert files(mine) == before


def test_an_environment_written_by_hand_is_never_overwritten(docs, mine):
    subprocess.run(["cp", "-r", HAND / "envs" / "projects", mine / "envs" / "mine"], check=True)
    before = files(mine)
    for flag in ("--resume", "--no-resume"):
        assert "was not made by forge" in refusal(docs / "kite.yaml", "--out", mine, flag)
        assert files(mine) == before


def test_a_data_set_of_other_documents_is_not_mixed_with_these(docs, mine):
    before = files(mine)
    assert "other document" in refusal(docs / "boat.yaml", *FEW, "--out", mine)
    assert files(mine) == before


def test_a_folder_that_another_run_writes_into_is_refused(docs, tmp_path):
    out = tmp_path / "set"
    (out / ".unfinished").mkdir(parents=True)
    handle = os.open(out, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        assert "another forge is writing" in refusal(docs / "kite.yaml", "--out", out)
    finally:
        os.close(handle)


# --------------------------------------------------------------------------------- bad input

OPERATIONLESS = 'openapi: 3.0.3\ninfo: {title: Nothing, version: "1"}\npaths: {}\n'
BROKEN = "openapi: 3.0.3\ninfo:\n  title: A\n version: 1\n"
NOWHERE = """\
openapi: 3.0.3
info: {title: Kites, version: "1"}
paths:
  /kites:
    get:
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {$ref: "#/components/schemas/Kite"}}}
"""

ODD = """\
openapi: 3.0.3
info: {title: Odd, version: "1"}
paths:
  /search:
    post:
      summary: Find the best things
      requestBody:
        content: {application/json: {schema: {type: object, properties: {words: {type: string}}}}}
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {type: object, properties: {score: {type: number}}}}}
"""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("broken.yaml", BROKEN, "broken.yaml:4:"),
        ("broken.json", '{"openapi": "3.0.3",\n "paths": }', "broken.json:2:"),
        ("none.yaml", OPERATIONLESS, "no operation"),
        ("empty.yaml", "", "empty"),
        ("notes.txt", "hello", "not a kind of file"),
    ],
)
def test_a_bad_document_is_one_line_that_names_it(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    line = refusal(tmp_path / name, "--out", tmp_path / "set")
    assert name in line
    assert said in line
    assert not (tmp_path / "set").exists()


def test_a_missing_document_is_one_line_that_names_it(tmp_path):
    assert "nowhere.yaml: " in refusal(tmp_path / "nowhere.yaml", "--out", tmp_path / "set")


def test_an_empty_folder_is_one_line_that_names_it(docs, tmp_path):
    (tmp_path / "docs").mkdir()
    line = refusal(tmp_path / "docs", "--out", tmp_path / "set")
    assert str(tmp_path / "docs") in line


def test_a_document_of_which_nothing_can_be_made_is_one_line_with_a_reason(tmp_path):
    (tmp_path / "odd.yaml").write_text(ODD)
    line = refusal(tmp_path / "odd.yaml", "--out", tmp_path / "set")
    assert "odd.yaml: " in line
    assert "POST /search" in line
    assert not (tmp_path / "set").exists()


def test_a_reference_to_nowhere_is_told(tmp_path):
    (tmp_path / "kites.yaml").write_text(NOWHERE)
    done = forge("synth", tmp_path / "kites.yaml", "--out", tmp_path / "set")
    assert "Kite" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_document_in_a_folder_does_not_lose_the_others(docs, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "broken.yaml").write_text(BROKEN)
    (folder / "kite.yaml").write_bytes((docs / "kite.yaml").read_bytes())
    done = forge("synth", folder, "--tasks", 1, "--out", tmp_path / "set")
    assert done.returncode == 0
    assert "broken.yaml" in done.stderr
    assert len(read_dataset(tmp_path / "set").names()) == 1


def test_an_output_folder_that_is_a_file_is_one_line(docs, tmp_path):
    (tmp_path / "set").write_text("mine")
    assert str(tmp_path / "set") in refusal(docs / "kite.yaml", "--out", tmp_path / "set")
    assert (tmp_path / "set").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value"), [("--tasks", "-1"), ("--jobs", "0"), ("--sandbox", "none")]
)
def test_a_wrong_option_is_one_line_that_names_it(tmp_path, option, value):
    assert option in refusal(docs, option, value, "--out", tmp_path / "set")


def test_a_file_too_large_for_the_disk_is_one_line_and_can_be_gone_on_from(docs, whole, tmp_path):
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    out = tmp_path / "set"
    line = refusal(docs, *FEW, "--out", out, preexec_fn=little_room)
    assert "File too large" in line
    assert not list(out.rglob("*.tmp"))
    synth(docs, *FEW, "--out", out)
    assert files(out) == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 640 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=640k", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_line_and_can_be_gone_on_from(docs, whole, small_disk):
    out = small_disk / "set"
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 560_000)
    line = refusal(docs, *FEW, "--out", out)
    assert "No space left on device" in line
    filler.unlink()
    synth(docs, *FEW, "--out", out)
    assert files(out) == whole


# ----------------------------------------------------------------------------- hostile input

NASTY = "x'\"\"\"\n\\\nimport os; os.system('touch pwned')\n<script>alert(1)</script> {{ 7*7 }} | `"


def hostile_document() -> dict[str, Any]:
    """A small API of tickets whose every name and text wants to be something else."""
    text = {"type": "string", "description": NASTY, "example": NASTY}
    ticket = {
        "type": "object",
        "description": NASTY,
        "required": ["id", "class"],
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "class": text,
            "__import__": text,
            "../../up": text,
            NASTY: text,
            "kind": {"type": "string", "enum": [NASTY, "__class__", "None"]},
        },
    }
    one = {"$ref": "#/components/schemas/Ticket"}

    takes = {"content": {"application/json": {"schema": one}}}
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    say = {"summary": NASTY, "description": NASTY * 200, "tags": ["../../etc", NASTY]}
    return {
        "openapi": "3.0.3",
        "info": {"title": f"../../../{NASTY}", "version": "1", "description": NASTY},
        "paths": {
            "/tickets": {
                "get": {
                    **say,
                    "operationId": "__import__('os')",
                    "parameters": [{"name": "class", "in": "query", "schema": text}],
                    "responses": shows({"type": "array", "items": one}, NASTY),
                },
                "post": {
                    **say,
                    "operationId": "def",
                    "requestBody": takes,
                    "responses": shows(one, NASTY),
                },
            },
            "/tickets/{id}": {
                "parameters": [key],
                "get": {**say, "operationId": "../../get", "responses": shows(one, NASTY)},
                "put": {
                    **say,
                    "operationId": NASTY,
                    "requestBody": takes,
                    "responses": shows(one, NASTY),
                },
                "delete": {
                    **say,
                    "operationId": "lambda",
                    "responses": {"204": {"description": ""}},
                },
            },
        },
        "components": {"schemas": {"Ticket": ticket}},
    }


def test_hostile_text_never_becomes_code_a_path_or_markup(tmp_path):
    (tmp_path / "ticket.yaml").write_text(yaml.safe_dump(hostile_document()))
    work = tmp_path / "work"
    work.mkdir()
    report = synth(tmp_path / "ticket.yaml", *FEW, "--out", work / "set", cwd=work)
    assert contents(tmp_path) == {"ticket.yaml", "work"}
    assert contents(work) == {"set"}
    (name,) = [each["environment"] for each in report["environments"]]
    assert name.isidentifier()
    assert contents(work / "set" / "envs") == {name}
    environment = read_environment(work / "set" / "envs" / name)
    assert environment.tools
    for node in ast.parse(environment.source).body:
        assert isinstance(node, ast.FunctionDef | ast.Assign | ast.Expr)
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(environment.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"__import__", "eval", "exec", "open", "getattr"}
    card = (work / "set" / "README.md").read_text()
    assert "<script>" not in card.replace("`", "\0").split("\0")[::2]
    assert "49" not in card.partition("## Environments")[2].partition("## Tasks")[0]
    assert forge("verify", work / "set").returncode == 0


# ------------------------------------------------------------------ documents of others


@pytest.mark.parametrize(
    "document", ["openapi-examples/3.0/petstore.yaml", "openapi-xero-assets/openapi.json"]
)
def test_documents_of_others_become_environments_with_proven_tasks(tmp_path, document):
    report = synth(CORPUS / document, *FEW, "--out", tmp_path / "set")
    assert sum(each["kept"] for each in report["environments"]) > 0
    assert forge("verify", tmp_path / "set").returncode == 0


def workers_of(out: Path) -> list[str]:
    """The processes that a run into `out` has started and that are still there."""
    mark = f"{MARK}={out}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:  # it ended just now
            continue
    return found


def until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("waited 30 seconds in vain")
