"""What people think of tasks: marked good or bad, kept beside the data set, and heeded by what
writes or trains on it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.dataset.marks import MARKS, Mark, add_mark, read_marks
from forge.dataset.query import query
from forge.errors import UserError
from forge.train.play import playground
from forge.train.recipe import Recipe, Tasks, read_recipe
from tests.places import ROOT

SAMPLE = ROOT / "generated" / "sample"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return shutil.copytree(SAMPLE, tmp_path / "sample")


def ids(folder: Path) -> list[str]:
    return [id for (id,) in query(folder, "select id from tasks order by id")]


def bad(folder: Path, task: str, note: str = "") -> None:
    add_mark(folder, Mark(task=task, review="bad", note=note))


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_the_last_mark_of_a_task_counts(data: Path) -> None:
    one, other, *_ = ids(data)
    bad(data, one)
    bad(data, other)
    add_mark(data, Mark(task=one, review="good", note="read it again"))
    assert read_marks(data) == {
        one: Mark(task=one, review="good", note="read it again"),
        other: Mark(task=other, review="bad"),
    }


def test_a_mark_can_be_taken_back(data: Path) -> None:
    task = ids(data)[0]
    bad(data, task)
    add_mark(data, Mark(task=task, review=None))
    assert read_marks(data) == {}


def test_a_torn_last_line_is_passed_over_and_gone_with_the_next_mark(data: Path) -> None:
    one, other, *_ = ids(data)
    bad(data, one)
    with (data / MARKS).open("a") as file:
        file.write('{"task": "half')
    assert list(read_marks(data)) == [one]
    bad(data, other)
    assert set(read_marks(data)) == {one, other}


@pytest.mark.parametrize("line", [b"[]\n", b'{"task": "x", "review": "fine"}\n', b'"\xff"\n'])
def test_a_line_that_is_no_mark_is_named_with_its_place(data: Path, line: bytes) -> None:
    bad(data, ids(data)[0])
    with (data / MARKS).open("ab") as file:
        file.write(line)
    result = forge("export", data, "--out", data.parent / "new", "--without", "marked-bad")
    assert result.exit_code == 2
    assert f"{MARKS}:2: " in result.stderr


def test_a_note_may_not_be_a_book(data: Path) -> None:
    with pytest.raises(UserError, match="2,000"):
        bad(data, ids(data)[0], "x" * 2001)
    assert not (data / MARKS).exists()


def test_marks_are_no_part_of_the_data_set(data: Path) -> None:
    before = contents(data)
    bad(data, ids(data)[0], "the order is not there")
    assert {name: of for name, of in contents(data).items() if name != MARKS} == before
    environment = read_dataset(data).names()[0]
    assert not read_dataset(data).edited(read_dataset(data).environment(environment))


def test_show_tells_the_mark_of_a_task_and_how_many_there_are(data: Path) -> None:
    task = ids(data)[0]
    bad(data, task, "nobody asks so")
    assert "marked bad: nobody asks so" in forge("show", data, task).output
    assert json.loads(forge("show", data, task, "--json").output)["mark"] == {
        "review": "bad",
        "note": "nobody asks so",
    }
    assert "marked: good 0, bad 1" in forge("show", data).output
    assert json.loads(forge("show", data, "--json").output)["marked"] == {"good": 0, "bad": 1}


def test_export_leaves_out_what_is_marked_bad_and_the_marks(data: Path) -> None:
    one, other, *rest = ids(data)
    bad(data, one)
    add_mark(data, Mark(task=other, review="good"))
    new = data.parent / "new"
    result = forge("export", data, "--out", new, "--without", "marked-bad", "--json")
    assert json.loads(result.output) == {"dataset": str(new), "tasks": 23, "left_out": 1}
    assert ids(new) == sorted([other, *rest])
    assert not (new / MARKS).exists()
    assert forge("list", new).exit_code == 0


def test_export_without_more_is_the_same_data_set(data: Path) -> None:
    bad(data, ids(data)[0])
    forge("export", data, "--out", data.parent / "new")
    assert contents(data.parent / "new") == contents(SAMPLE)


def test_a_sequence_goes_as_a_whole(data: Path) -> None:
    made = forge("tasks", data, "--env", "projects", "--kind", "sequence", "-n", 2)
    assert made.exit_code == 0, made.output
    sequence = [
        id for (id,) in query(data, "select id from tasks where kind = 'sequence' order by id")
    ]
    last = query(data, "select id from tasks where follows is not null limit 1")[0][0]
    whole = {task.id for task in read_dataset(data).sequence(last)}
    assert len(whole) > 1
    bad(data, last)
    new = data.parent / "new"
    assert forge("export", data, "--out", new, "--without", "marked-bad").exit_code == 0
    assert set(ids(data)) - set(ids(new)) == whole <= set(sequence)


def test_export_writes_over_nothing(data: Path) -> None:
    result = forge("export", data, "--out", data)
    assert result.exit_code == 2
    assert "choose another --out" in result.stderr
    assert contents(data) == contents(SAMPLE)


def test_an_export_of_nothing_is_an_error(data: Path) -> None:
    for task in ids(data):
        bad(data, task)
    result = forge("export", data, "--out", data.parent / "new", "--without", "marked-bad")
    assert result.exit_code == 2
    assert "no task is left" in result.stderr
    assert [path.name for path in data.parent.iterdir()] == ["sample"]


def test_a_training_neither_learns_from_nor_is_measured_by_what_is_marked_bad(data: Path) -> None:
    place = playground(read_dataset(data), Tasks(), 50)
    learned, measured = next(iter(place.train)), next(iter(place.test))
    bad(data, learned)
    bad(data, measured)
    without = playground(read_dataset(data), Tasks(without="marked-bad"), 50)
    assert set(place.train) - set(without.train) == {learned}
    assert set(place.test) - set(without.test) == {measured}
    assert playground(read_dataset(data), Tasks(), 50).hash == place.hash


def test_train_without_marked_bad_is_a_key_of_the_recipe(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(yaml.safe_dump({"model": "m", "data": "d", "steps": 1}))
    line = forge("train", recipe, "--without", "marked-bad", "--print-launch").output
    assert "--set tasks.without=marked-bad" in line
    assert read_recipe(recipe, Recipe, ["tasks.without=marked-bad"]).tasks.without == "marked-bad"


def test_a_word_for_what_is_left_out_that_is_not_known_is_refused(
    data: Path, tmp_path: Path
) -> None:
    result = forge("export", data, "--out", tmp_path / "new", "--without", "marked-good")
    assert result.exit_code == 2
    assert "marked-bad" in result.stderr


def test_marks_made_side_by_side_are_all_kept(data: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from forge.dataset.marks import Mark, add_mark\n"
        "for n in range(30):\n"
        "    add_mark(Path(sys.argv[1]), Mark(task=f'{sys.argv[2]}-{n}', review='bad'))"
    )
    several = [
        subprocess.Popen([sys.executable, "-c", code, data, name]) for name in ("a", "b", "c")
    ]
    assert [process.wait() for process in several] == [0, 0, 0]
    assert len(read_marks(data)) == 90
