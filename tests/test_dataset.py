"""The data set on disk: what is written reads back, whole, the same each time, and is known when
someone changed it."""

import json
import resource
import shutil
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.dataset.environments import (
    read_checks,
    read_environment,
    read_graph,
    write_environment,
)
from forge.dataset.files import appending, json_text, parse_json, read_log, write_text
from forge.dataset.folder import environment_folder, read_dataset
from forge.dataset.hashes import environment_hash, is_edited, sealed, task_hash
from forge.dataset.query import query
from forge.dataset.write import write_dataset
from forge.errors import UserError
from forge.types.call import Call
from forge.types.dag import TaskDag
from forge.types.data import Data
from forge.types.environment import Edge, Environment, ToolGraph
from forge.types.intent import Aggregate, Answer, Difference, Intent, Selection
from forge.types.state import TableOverlay
from forge.types.task import GateReport, Task
from tests.places import CASES, HAND

PROJECTS = HAND / "envs" / "projects"


class Checked(Data):
    passed: bool
    killed: int


def a_task(question: str = "Close it, please.", **fields: object) -> Task:
    content = {
        "id": "",
        "env": "projects",
        "kind": "change",
        "base": "main",
        "now": "2026-03-02T09:00:00Z",
        "question": question,
        "intent": Intent(wishes=()),
        "dag": TaskDag(nodes=()),
        "golden_calls": (),
        "golden": {},
    }
    return Task(**{**content, **fields})


def a_dataset(folder: Path, tasks: list[Task], **options: object) -> Path:
    write_environment(read_environment(PROJECTS), folder / "envs" / "projects", checks={})
    write_dataset(folder, tasks, **options)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ---------------------------------------------------------------- environments


def test_an_environment_that_is_written_reads_back_equal(tmp_path: Path):
    environment = read_environment(PROJECTS)
    write_environment(environment, tmp_path / "copy")
    assert read_environment(tmp_path / "copy") == environment


def test_graph_and_checks_are_kept_beside_the_environment(tmp_path: Path):
    environment = read_environment(PROJECTS)
    edge = Edge(
        source="find_project",
        output=("project_id",),
        target="list_tasks",
        argument="project_id",
        why="projects.project_id",
    )
    write_environment(
        environment,
        tmp_path,
        graph=ToolGraph(edges=(edge,)),
        checks={"get_task": Checked(passed=True, killed=3)},
    )
    assert read_graph(tmp_path) == ToolGraph(edges=(edge,))
    checks = read_checks(tmp_path)
    assert checks.hash == environment_hash(environment)
    assert checks.tools == {"get_task": {"passed": True, "killed": 3}}


def test_an_environment_written_again_loses_the_bases_it_no_longer_has(tmp_path: Path):
    environment = read_environment(PROJECTS)
    second = environment.model_copy(
        update={
            "bases": {"other": environment.bases["main"]},
            "nows": {"other": environment.nows["main"]},
        }
    )
    write_environment(environment, tmp_path)
    write_environment(second, tmp_path)
    assert read_environment(tmp_path) == second


def test_what_people_put_in_an_environments_folder_stays(tmp_path: Path):
    environment = read_environment(PROJECTS)
    write_environment(environment, tmp_path)
    (tmp_path / "NOTES.md").write_text("mine")
    write_environment(environment, tmp_path)
    assert (tmp_path / "NOTES.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("environment.json", '"kind": "read"', '"kind": "reads"', "tools.0.kind"),
        ("environment.json", '"title"', '"titel"', "title"),
        ("environment.json", '"name": "projects",', '"name": ', "environment.json:3:"),
        ("environment.json", '"rules"', '"source": "", "rules"', "belongs in tools.py"),
        ("bases/main.json", '"now"', '"then"', "now"),
        ("bases/main.json", '"2026-03-02T09:00:00Z"', "NaN", "NaN"),
    ],
)
def test_a_broken_environment_says_which_file_and_field(
    tmp_path: Path, file: str, old: str, new: str, said: str
):
    shutil.copytree(PROJECTS, tmp_path / "projects")
    path = tmp_path / "projects" / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(UserError) as error:
        read_environment(tmp_path / "projects")
    assert str(path) in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize("file", ["environment.json", "tools.py", "bases"])
def test_an_environment_with_a_part_missing_says_which(tmp_path: Path, file: str):
    shutil.copytree(PROJECTS, tmp_path / "projects")
    path = tmp_path / "projects" / file
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(UserError, match=file):
        read_environment(tmp_path / "projects")


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".", "..", ".hidden", "a\nb", "x" * 101])
def test_no_name_leads_out_of_the_data_set(tmp_path: Path, name: str):
    with pytest.raises(UserError):
        environment_folder(tmp_path, name)


def test_no_base_is_written_outside_its_environment(tmp_path: Path):
    environment = read_environment(PROJECTS)
    hostile = environment.model_copy(
        update={"bases": {"../../x": {}}, "nows": {"../../x": "2026-03-02T09:00:00Z"}}
    )
    with pytest.raises(UserError):
        write_environment(hostile, tmp_path / "a" / "b")
    assert not list(tmp_path.rglob("x.json"))


# ---------------------------------------------------------------------- hashes


def test_every_part_of_a_task_but_what_follows_from_it_is_in_its_hash():
    task = a_task()
    others = [
        task.model_copy(update={"question": "Close it."}),
        task.model_copy(update={"actor": 1}),
        task.model_copy(update={"actor": "1"}),
        task.model_copy(update={"setup": {"tasks": TableOverlay(deleted=("t",))}}),
        task.model_copy(update={"golden_calls": (Call(tool="x", arguments={}),)}),
        task.model_copy(update={"golden_calls": (Call(tool="x", arguments={"a": None}),)}),
        task.model_copy(update={"difficulty": {"calls": 1}}),
    ]
    assert len({task_hash(each) for each in [task, *others]}) == 1 + len(others)
    report = {"gates": {"replay": GateReport(passed=False)}, "split": "test", "id": "x"}
    assert task_hash(task.model_copy(update=report)) == task_hash(task)


def test_the_order_of_arguments_is_not_in_a_hash():
    one, two = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    calls = [(Call(tool="x", arguments=each),) for each in (one, two)]
    assert task_hash(a_task(golden_calls=calls[0])) == task_hash(a_task(golden_calls=calls[1]))


def test_a_sealed_task_is_named_by_its_environment_and_hash():
    task = sealed(a_task())
    version, _, digits = task.hash.partition(":")
    assert (version, len(digits)) == ("1", 64)
    assert task.id == f"projects-{digits[:10]}"
    assert not is_edited(task)
    assert is_edited(task.model_copy(update={"question": "Close it!"}))


def test_about_a_tenth_of_the_tasks_is_for_testing():
    splits = [sealed(a_task(f"Close task {n}.")).split for n in range(1000)]
    assert 60 <= splits.count("test") <= 140


# ------------------------------------------------------------------- data sets


def test_a_data_set_has_the_same_bytes_wherever_it_is_written(tmp_path: Path):
    tasks = [a_task(f"Close task {n}.") for n in range(20)]
    one = a_dataset(tmp_path / "first-place", tasks, seed=3, sources={"a.yaml": "00"})
    two = a_dataset(tmp_path / "other", tasks[::-1], seed=3, sources={"a.yaml": "00"})
    assert contents(one) == contents(two)
    everything = b"".join(contents(one).values())
    assert b"first-place" not in everything
    assert str(tmp_path).encode() not in everything


def test_tasks_are_read_back_sealed_and_in_canonical_order(tmp_path: Path):
    tasks = [a_task(f"Close task {n}.", actor=n) for n in range(20)]
    read = list(read_dataset(a_dataset(tmp_path, tasks)).tasks())
    assert read == sorted(map(sealed, tasks), key=lambda task: task.id)


def test_tasks_out_of_the_order_of_their_environments_are_refused(tmp_path: Path):
    tasks = [a_task(env="b"), a_task(env="a")]
    with pytest.raises(ValueError, match="'a' come after those of 'b'"):
        a_dataset(tmp_path, tasks)
    assert not (tmp_path / "tasks.jsonl").exists()


def test_a_task_is_found_by_its_id(tmp_path: Path):
    wanted = sealed(a_task("Close the third."))
    dataset = read_dataset(a_dataset(tmp_path, [a_task(), wanted]))
    assert dataset.task(wanted.id) == wanted
    assert dataset.task("projects-0000000000") is None


def test_an_environment_changed_by_hand_is_known_as_edited(tmp_path: Path):
    dataset = read_dataset(a_dataset(tmp_path, []))
    assert not dataset.edited(dataset.environment("projects"))
    path = tmp_path / "envs" / "projects" / "tools.py"
    path.write_text(path.read_text().replace("open tasks", "unfinished tasks"))
    assert dataset.edited(dataset.environment("projects"))


def test_writing_the_data_set_again_keeps_the_mark_of_an_edit(tmp_path: Path):
    a_dataset(tmp_path, [])
    path = tmp_path / "envs" / "projects" / "tools.py"
    path.write_text(path.read_text() + "\n")
    dataset = write_dataset(tmp_path, [])
    assert dataset.edited(dataset.environment("projects"))


def test_the_manifest_counts_what_is_there(tmp_path: Path):
    tasks = [a_task("A"), a_task("B", kind="answer"), a_task("C", lang="zh")]
    manifest = read_dataset(a_dataset(tmp_path, tasks)).manifest
    assert manifest.counts.kinds == {"answer": 1, "change": 2}
    assert manifest.counts.languages == {"en": 2, "zh": 1}
    assert manifest.environments["projects"].tasks == 3
    assert manifest.authors == ("hand",)


@pytest.mark.parametrize(
    ("text", "said"), [("", "not JSON"), ("[]", "format None"), ('{"format": 99}', "format 99")]
)
def test_a_manifest_that_is_none_is_an_error_that_names_it(tmp_path: Path, text: str, said: str):
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(UserError, match=said):
        read_dataset(tmp_path)


def test_a_broken_task_is_an_error_that_names_its_line(tmp_path: Path):
    dataset = read_dataset(a_dataset(tmp_path, [a_task("A"), a_task("B")]))
    path = tmp_path / "tasks.jsonl"
    path.write_text(path.read_text().replace('"question"', '"query"'))
    with pytest.raises(UserError, match=r"tasks\.jsonl:1: question"):
        list(dataset.tasks())


# ------------------------------------------------------------ parquet and DuckDB


def case_035() -> list[tuple[Call, ...]]:
    rows = (CASES / "035-rows-with-different-keys" / "rows.jsonl").read_text().splitlines()
    return [
        tuple(Call(tool=call["name"], arguments=call["arguments"]) for call in row["golden_calls"])
        for row in map(json.loads, rows)
    ]


def rows_of_case_035(tmp_path: Path) -> tuple[Path, dict[str, list[dict]]]:
    """The data set, and id -> the calls that were written."""
    tasks = [sealed(a_task(golden_calls=calls)) for calls in case_035()]
    calls = {task.id: [call.model_dump() for call in task.golden_calls] for task in tasks}
    return a_dataset(tmp_path, tasks), calls


def test_rows_with_different_keys_come_back_from_parquet_as_written(tmp_path: Path):
    folder, written = rows_of_case_035(tmp_path)
    rows = pq.read_table(folder / "tasks.parquet").to_pylist()
    assert {row["id"]: json.loads(row["golden_calls"]) for row in rows} == written
    assert [row["id"] for row in rows] == [t.id for t in read_dataset(folder).tasks()]


def test_rows_with_different_keys_come_back_from_duckdb_as_written(tmp_path: Path):
    folder, written = rows_of_case_035(tmp_path)
    from_parquet = duckdb.execute(
        "select id, golden_calls from read_parquet(?)", [str(folder / "tasks.parquet")]
    ).fetchall()
    from_lines = query(folder, "select id, golden_calls from tasks")
    for rows in (from_parquet, from_lines):
        assert {id: json.loads(calls) for id, calls in rows} == written


def test_every_field_of_a_task_is_in_its_parquet_row(tmp_path: Path):
    task = sealed(a_task(actor=7, setup={"tasks": TableOverlay(deleted=("t/1",))}))
    folder = a_dataset(tmp_path, [task])
    (row,) = pq.read_table(folder / "tasks.parquet").to_pylist()
    plain = {"id", "env", "kind", "band", "split", "lang", "base", "now", "question", "hash"}
    plain |= {"follows"}
    content = {
        name: cell if cell is None or name in plain else json.loads(cell)
        for name, cell in row.items()
    }
    assert Task.model_validate(content) == task


def test_a_query_reaches_into_the_ragged_parts(tmp_path: Path):
    folder, _ = rows_of_case_035(tmp_path)
    found = query(
        folder, "select count(*) from tasks where golden_calls->>'$[0].tool' = ?", ("home",)
    )
    assert found == [(1,)]


def test_a_wrong_query_is_an_error_in_one_line(tmp_path: Path):
    with pytest.raises(UserError, match="nothing") as error:
        query(a_dataset(tmp_path, [a_task()]), "select nothing from tasks")
    assert "\n" not in str(error.value)


# ------------------------------------------------------------------------ card


HOSTILE = (
    "# Big <script>alert(1)</script> [x](http://a.example) | `code` ![i](j) {{ 7 * 7 }}\n---\n"
)


def hostile_dataset(folder: Path) -> Path:
    environment = read_environment(PROJECTS).model_copy(
        update={"title": HOSTILE, "origin": HOSTILE}
    )
    write_environment(environment, folder / "envs" / "projects")
    write_dataset(folder, [a_task(HOSTILE)], sources={HOSTILE: "00"})
    return folder


def test_text_from_documents_never_becomes_markup_in_the_card(tmp_path: Path):
    card = (hostile_dataset(tmp_path) / "README.md").read_text()
    lines = [line for line in card.splitlines() if "script" in line]
    assert len(lines) == 3  # the example, the environment's row, the source's row
    for line in lines:
        outside = line.split("`")[::2]
        assert not any("script" in part or "http" in part or "49" in part for part in outside)
    cells = [line.count("|") for line in card.splitlines() if line.startswith("| `projects`")]
    assert cells == [9]


def test_the_cards_front_matter_is_yaml_that_leads_to_the_tasks(tmp_path: Path):
    _, front, _ = (a_dataset(tmp_path, [a_task()]) / "README.md").read_text().split("---\n", 2)
    fields = yaml.safe_load(front)
    assert fields["language"] == ["en"]
    assert fields["size_categories"] == ["n<1K"]
    assert (tmp_path / fields["configs"][0]["data_files"]).exists()


# ----------------------------------------------------------------------- files


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60)
@given(json_values)
def test_any_json_is_one_line_of_utf8_that_reads_back(value: object):
    text = json_text(value)
    assert "\n" not in text
    assert parse_json(text.encode().decode(), "here") == value


def test_a_torn_last_line_of_a_log_is_dropped(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    for n in range(3):
        with appending(log) as add:
            add({"n": n})
    log.write_bytes(log.read_bytes()[:-3])
    assert list(read_log(log)) == [{"n": 0}, {"n": 1}]
    with appending(log) as add:
        add({"n": 3})
    assert list(read_log(log)) == [{"n": 0}, {"n": 1}, {"n": 3}]


def test_a_log_that_is_not_there_has_no_lines(tmp_path: Path):
    assert list(read_log(tmp_path / "none.jsonl")) == []


def test_a_write_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "file"
    write_text(path, "as it was")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(UserError, match="file: cannot be written"):
            write_text(path, "x" * 200_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path) == {"file": b"as it was"}


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        write_environment(Environment(**read_environment(PROJECTS).model_dump()), tmp_path / "file")


def test_a_difference_reads_back_from_the_line_it_is_written_to(tmp_path: Path):
    count = Aggregate(of=Selection(table="tasks"), op="count")
    intent = Intent(wishes=(Answer(what=Difference(left=count, right=count)),))
    dataset = read_dataset(a_dataset(tmp_path, [a_task(intent=intent)]))
    assert next(dataset.tasks()).intent == intent
