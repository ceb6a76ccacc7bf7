"""The command line: what it prints for people, for pipes and for programs, and how it fails."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from forge import __version__
from forge.cli.main import Boundary, app
from forge.dataset.environments import read_environment, write_environment
from forge.dataset.folder import read_dataset
from forge.dataset.write import write_dataset
from tests.places import HAND

FORGE = [sys.executable, "-m", "forge"]
HEAVY = {"duckdb", "jinja2", "mimesis", "networkx", "pyarrow", "pydantic", "pydantic_monty", "yaml"}


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def task_about(words: str) -> str:
    """The id of the hand-written task whose question has these words."""
    (id,) = [task.id for task in read_dataset(HAND).tasks() if words in task.question]
    return id


def failed_with_one_line(result: Result) -> str:
    """The line on stderr, after checking that there is no more than that."""
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("forge: ")
    return line


# ------------------------------------------------------------------------ main


def test_help_lists_the_commands():
    result = forge("--help")
    assert result.exit_code == 0
    for command in ("synth", "list", "show", "check", "verify"):
        assert f"\n  {command}" in result.stdout


def test_no_command_shows_the_help():
    assert forge().stdout == forge("--help").stdout


def test_help_imports_nothing_heavy():
    code = "import sys; from forge.cli.main import app; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_the_version_is_the_packages():
    assert forge("--version").stdout == f"forge {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lst"], "list"),
        (["list", "--jsn"], "--json"),
        (["show"], "DATASET"),
        (["show", "nowhere"], "nowhere: not a data set"),
        (["list", "nowhere"], "make one with forge synth"),
    ],
)
def test_what_the_user_can_mend_is_one_line_and_exit_code_2(arguments: list[str], said: str):
    assert said in failed_with_one_line(forge(*arguments))


def test_a_bug_is_not_dressed_up_as_a_mistake_of_the_user():
    broken = typer.Typer(cls=Boundary)
    broken.callback()(lambda: None)

    @broken.command()
    def divide() -> None:
        1 / 0  # noqa: B018

    assert isinstance(CliRunner().invoke(broken, ["divide"]).exception, ZeroDivisionError)


def test_a_closed_pipe_ends_quietly():
    command = f"{sys.executable} -c 'from forge.cli.main import app; app()' show {HAND} projects"
    done = subprocess.run(
        ["bash", "-c", f"{command} --json | true; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_is_one_line_and_exit_code_130(tmp_path: Path):
    write_dataset_with_title(tmp_path, "Anything")
    (tmp_path / "tasks.jsonl").unlink()
    os.mkfifo(tmp_path / "tasks.jsonl")  # the command waits for a line that never comes
    running = subprocess.Popen(
        [*FORGE, "show", str(tmp_path), "projects-0000000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with (tmp_path / "tasks.jsonl").open("w"):
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "forge: interrupted\n")


# ------------------------------------------------------------------------ list


def test_list_shows_the_data_sets_under_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_dataset_with_title(tmp_path / "generated" / "first", "x")
    write_dataset_with_title(tmp_path / "generated" / "second", "x")
    monkeypatch.chdir(tmp_path)
    rows = json.loads(forge("list", "--json").stdout)
    assert [row["dataset"] for row in rows] == ["generated/first", "generated/second"]
    assert "generated/second" in forge("list").stdout


def test_list_says_where_there_are_no_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = forge("list")
    assert (result.exit_code, "forge synth" in result.stdout) == (0, True)


def test_list_counts_what_an_environment_has():
    (row,) = json.loads(forge("list", HAND, "--json").stdout)
    environment = read_environment(HAND / "envs" / "projects")
    assert row["tools"] == len(environment.tools)
    assert row["tables"] == 4
    assert row["tasks"] == 10
    assert row["kinds"] == {"answer": 1, "change": 8, "mixed": 1}
    assert row["state"] == "as checked"


def test_a_piped_list_has_aligned_columns():
    header, row = forge("list", HAND).stdout.splitlines()
    assert row.index("Project management") == header.index("title")


# ------------------------------------------------------------------------ show


def test_show_sums_up_a_data_set():
    result = forge("show", HAND)
    assert "tasks: 10, environments: 1" in result.stdout
    assert json.loads(forge("show", HAND, "--json").stdout)["counts"]["tasks"] == 10


def test_show_of_an_environment_has_its_tables_and_tools():
    text = forge("show", HAND, "projects").stdout
    assert "table members, key project_id / user_id" in text
    assert "project_id: string, → projects, required" in text
    assert "create_task(project_id, title, due_date, assignee_id?)" in text
    assert "write: delete projects, takes along members, tasks." in text


def test_show_of_an_environment_says_what_was_left_out_and_why(tmp_path: Path):
    environment = read_environment(HAND / "envs" / "projects")
    left_out = ({"operation": "POST /search", "reason": "a query language"},)
    content = environment.model_dump() | {"left_out": left_out}
    write_environment(type(environment)(**content), tmp_path / "envs" / "projects")
    write_dataset(tmp_path, [])
    assert "POST /search: a query language" in forge("show", tmp_path, "projects").stdout
    shown = json.loads(forge("show", tmp_path, "projects", "--json").stdout)
    assert shown["left_out"] == list(left_out)


def test_show_of_a_task_has_its_question_calls_and_what_they_change():
    text = forge("show", HAND, task_about("Move everything Tom")).stdout
    assert "Move everything Tom Okafor still has open on Lumen over to Priya" in text
    assert 'list_tasks(project_id="prj_faae7186", assignee_id="usr_175327b2"' in text
    assert "assign before remove" in text
    assert "deleted member Lumen / Tom Okafor (prj_faae7186/usr_175327b2)" in text
    assert "assignee_id Tom Okafor (usr_175327b2) → Priya Nair (usr_dc582558)" in text


def test_show_of_a_task_has_what_the_user_tells_when_asked():
    text = forge("show", HAND, task_about("Collect the old redirects")).stdout
    assert "told when asked\n  when the task is due: Friday 13 March 2026\n" in text


def test_show_of_a_task_as_json_has_all_of_it():
    id = task_about("Auro")
    shown = json.loads(forge("show", HAND, id, "--json").stdout)
    assert shown["id"] == id
    assert shown["edited"] is False
    assert shown["golden_calls"][1]["tool"] == "delete_project"
    assert "deleted project Auro (prj_8e69f6f5)" in shown["differences"]


def test_show_with_state_marks_what_differs():
    lines = forge("show", HAND, task_about("Nadia"), "--state").stdout.splitlines()
    marked = [line.strip() for line in lines if line.strip()[:2] in ("- ", "+ ")]
    assert [line[0] for line in marked] == ["-", "+"]
    assert '"role": "viewer"' in marked[0]
    assert '"role": "editor"' in marked[1]
    assert sum("prj_" in line for line in lines) > 50


def test_show_with_state_as_json_has_both_states():
    id = task_about("Nadia")
    shown = json.loads(forge("show", HAND, id, "--state", "--json").stdout)
    key = "prj_2513b85e/usr_79b13b59"
    assert shown["initial"]["members"][key]["role"] == "viewer"
    assert shown["golden"]["members"][key]["role"] == "editor"


def test_an_unknown_name_suggests_what_was_meant():
    assert "did you mean projects " in failed_with_one_line(forge("show", HAND, "project"))
    id = task_about("Auro")
    assert id in failed_with_one_line(forge("show", HAND, id[:-1]))


def test_a_task_changed_by_hand_is_marked(tmp_path: Path):
    id = task_about("Auro")
    write_environment(read_environment(HAND / "envs" / "projects"), tmp_path / "envs" / "projects")
    write_dataset(tmp_path, read_dataset(HAND).tasks())
    path = tmp_path / "tasks.jsonl"
    path.write_text(path.read_text().replace("called Lumina", "called Luminosa"))
    assert forge("show", tmp_path, id).stdout.startswith(f"{id}: change, easy, test, en (edited)")


# ------------------------------------------------------------- text of documents


def write_dataset_with_title(folder: Path, title: str) -> None:
    environment = read_environment(HAND / "envs" / "projects")
    titled = environment.model_copy(update={"title": title})
    write_environment(titled, folder / "envs" / "projects")
    write_dataset(folder, [])


@pytest.mark.parametrize("arguments", [["list"], ["show"], ["show", "projects"]])
def test_no_text_of_a_document_reaches_the_terminal_as_a_command(
    tmp_path: Path, arguments: list[str]
):
    write_dataset_with_title(tmp_path, "Red \x1b[31m\x9b2J \u202e[bold]title[/bold]\nsecond")
    command, *rest = arguments
    text = forge(command, tmp_path, *rest).stdout
    assert "[bold]title[/bold] second" in text
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)


# ---------------------------------------------------------------------- verify


def copied_hand_dataset(folder: Path) -> Path:
    shutil.copytree(HAND, folder, ignore=shutil.ignore_patterns("*.py", "*.yaml", "__pycache__"))
    shutil.copy(HAND / "envs" / "projects" / "tools.py", folder / "envs" / "projects")
    return folder


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_verify_passes_a_sound_data_set():
    result = forge("verify", HAND)
    assert result.exit_code == 0
    assert "10 of 10 tasks pass every gate" in result.stdout
    counts = json.loads(forge("verify", HAND, "--sandbox", "native", "--json").stdout)["gates"]
    assert set(map(tuple, map(dict.items, counts.values()))) == {(("passed", 10), ("failed", 0))}


def test_verify_finds_a_tampered_task_and_names_the_gate(tmp_path: Path):
    folder = copied_hand_dataset(tmp_path / "d")
    replace_in(folder / "tasks.jsonl", '"due_date":"2026-04-17"', '"due_date":"2026-04-18"')
    id = task_about("Test on old phones")
    result = forge("verify", folder, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert found["edited_tasks"] == [id]
    assert found["passed"] == 9
    assert {failure["task"] for failure in found["failures"]} == {id}
    assert f"{id} fails meaning: " in forge("verify", folder).stdout


def test_verify_judges_tasks_by_the_environment_as_it_is_now(tmp_path: Path):
    folder = copied_hand_dataset(tmp_path / "d")
    tools = folder / "envs" / "projects" / "tools.py"
    replace_in(tools, 'sort="name", **given(name__icontains=name)', 'sort="name", limit=3')
    result = forge("verify", folder, "--sandbox", "native")
    assert result.exit_code == 1
    assert "projects was edited" in result.stdout
    assert f"{task_about('Nadia')} fails" in result.stdout
    assert f"{task_about('Auro')} fails" not in result.stdout


def test_verify_finds_a_task_that_is_there_twice(tmp_path: Path):
    folder = copied_hand_dataset(tmp_path / "d")
    lines = (folder / "tasks.jsonl").read_text().splitlines(keepends=True)
    (folder / "tasks.jsonl").write_text("".join([*lines, lines[0]]))
    assert "fails unique: its id is there twice" in forge("verify", folder).stdout


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("tasks.jsonl", '"env":"projects"', '"env":"project"', "have no folder under envs/"),
        ("tasks.jsonl", '"base":"main"', '"base":"other"', "there is no base 'other'"),
        ("tasks.jsonl", '"kind":"change"', '"kind":"chance"', "tasks.jsonl:1: kind"),
        ("envs/projects/tools.py", "def get_task", "import os\ndef get_task", "import"),
        ("envs/projects/bases/main.json", '"active"', '"gone"', "status"),
    ],
)
def test_what_cannot_be_verified_is_an_error_that_says_where(
    tmp_path: Path, file: str, old: str, new: str, said: str
):
    folder = copied_hand_dataset(tmp_path / "d")
    replace_in(folder / file, old, new)
    line = failed_with_one_line(forge("verify", folder))
    assert said in line
    assert str(folder) in line or file == "tasks.jsonl"


# ----------------------------------------------------------------------- check


def test_check_passes_the_hand_written_environment():
    result = forge("check", HAND / "envs" / "projects", "--sandbox", "native")
    assert result.exit_code == 0
    assert re.search(r"^close_task +pass +(\d+) of \1 ", result.stdout, flags=re.M)


def test_check_finds_the_tool_that_does_not_do_what_it_declares(tmp_path: Path):
    folder = copied_hand_dataset(tmp_path / "d")
    tools = folder / "envs" / "projects" / "tools.py"
    replace_in(tools, 'if task["status"] == "closed":', 'if task["status"] == "shut":')
    result = forge("check", folder, "projects", "--sandbox", "native", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [name for name, each in found["tools"].items() if not each["passed"]] == ["close_task"]
    assert "should be refused where status is" in found["tools"]["close_task"]["checks"]["requires"]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("tools.py", "def get_task", "import os\n\n\ndef get_task", "import of 'os'"),
        ("bases/main.json", '"active"', '"gone"', "status must be one of"),
        ("environment.json", '"column": "due_date"', '"column": "due"', "no column 'due'"),
        ("environment.json", '"table": "members"', '"table": "team"', "no table 'team'"),
        ("environment.json", '"user_id": "assignee_id"', '"who": "assignee_id"', "parameter 'who'"),
    ],
)
def test_check_says_what_the_tools_stand_on_that_is_not_sound(
    tmp_path: Path, file: str, old: str, new: str, said: str
):
    folder = copied_hand_dataset(tmp_path / "d") / "envs" / "projects"
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    result = forge("check", folder)
    assert result.exit_code == 1
    assert said in result.stdout
    assert "the tools were not run" in result.stdout


def test_check_of_a_data_set_asks_which_environment():
    assert "say which: projects" in failed_with_one_line(forge("check", HAND))
    assert "did you mean projects?" in failed_with_one_line(forge("check", HAND, "project"))
