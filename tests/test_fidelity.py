"""`forge fidelity` end to end, on small look-alikes of benchmarks in `tests/benches` and an
environment by hand that has their tools."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from forge.cli.main import app
from forge.dataset.environments import write_environment
from forge.fidelity.reference import as_json
from forge.types.environment import Environment, LeftOut, Tool
from forge.types.state import Column, Parent, StateSchema, Table
from tests.places import ROOT

SHELF = ROOT / "tests" / "benches" / "shelf"
ROOTS = {
    "bfcl": SHELF,
    "tau-bench": ROOT / "tests" / "benches" / "tau",
    "acebench": ROOT / "tests" / "benches" / "ace",
}

BOOKS = Table(
    name="books",
    noun="book",
    key=("id",),
    columns=(
        Column(name="id", type="integer", generated="counter", required=True),
        Column(name="title", required=True),
        Column(name="reader"),
    ),
)
NOTES = Table(
    name="book_notes",
    noun="book note",
    key=("note_id",),
    parent=Parent(table="books", columns=("book_id",)),
    columns=(
        Column(name="note_id", generated="id", required=True),
        Column(name="book_id", type="integer", references="books", required=True),
        Column(name="text", required=True),
    ),
)
OWNERS = Table(name="owners", noun="owner", key=("name",), columns=(Column(name="name"),))
SOURCE = """
def add_book(title: str) -> dict:
    return insert("books", title=title)


def get_book(book_id: int) -> dict:
    return get("books", book_id)


def find_books(word: str) -> dict:
    return {"books": find("books", title__icontains=word)}


def lend_book(book_id: int, reader: str) -> dict:
    update("books", book_id, reader=reader)
    return {"status": "done"}


def note(book_id: int, text: str) -> dict:
    insert("book_notes", book_id=book_id, text=text)
    return {"status": "done"}
"""
ARGUMENTS = {
    "add_book": {"title": "string"},
    "get_book": {"book_id": "integer"},
    "find_books": {"word": "string"},
    "lend_book": {"book_id": "integer", "reader": "string"},
    "note": {"book_id": "integer", "text": "string"},
}


def tools(arguments: dict[str, dict[str, str]]) -> tuple[Tool, ...]:
    return tuple(
        Tool(
            name=name,
            description=name,
            parameters={
                "type": "object",
                "properties": {each: {"type": kind} for each, kind in named.items()},
                "required": list(named),
                "additionalProperties": False,
            },
            kind="write",
        )
        for name, named in arguments.items()
    )


def shelf(source: str = SOURCE, *, books: Table = BOOKS) -> Environment:
    return Environment(
        name="shelf",
        title="A shelf",
        state_schema=StateSchema(tables=(books, NOTES, OWNERS), actors="owners"),
        tools=tools(ARGUMENTS),
        source=source,
        bases={"b1": {}},
        nows={"b1": "2026-03-02T09:00:00Z"},
        left_out=(LeftOut(operation="burn", reason="nothing in the record shows what burn does"),),
    )


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["fidelity", *map(str, arguments)])


def found(
    environment: Environment, folder: Path, *arguments: object, against: str = "bfcl:Shelf"
) -> Any:
    write_environment(environment, folder)
    root = ROOTS[against.partition(":")[0]]
    where = ("--against", against, "--root", root, "--json")
    result = forge(folder, *where, *arguments)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    return report | {"tools": {tool["name"]: tool for tool in report["tools"]}}


def refused(*arguments: object) -> str:
    result = forge(*arguments)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    return line


def test_a_faithful_environment_is_the_same_in_every_call(tmp_path: Path) -> None:
    report = found(shelf(), tmp_path)
    compared = [tool for tool in report["tools"].values() if not tool["why"]]
    assert len(compared) == 5
    for tool in compared:
        assert tool["first"] is None
        assert tool["drawn"]["calls"] >= 10
        assert tool["golden"]["same"] == tool["golden"]["calls"] > 0


def test_tables_and_who_acts_are_found_by_names_and_shapes(tmp_path: Path) -> None:
    report = found(shelf(), tmp_path)
    assert report["tables"] == {"books": "books[]", "book_notes": "notes[][]"}
    assert report["actor"] == "owner"
    assert list(report["absent"]) == ["owners"]


def test_a_tool_that_was_left_out_is_not_covered_and_says_why(tmp_path: Path) -> None:
    report = found(shelf(), tmp_path)
    burn = report["tools"]["burn"]
    assert (burn["covered"], burn["gold"]) == (False, 1)
    assert burn["why"] == "nothing in the record shows what burn does"
    assert (report["covered"], report["compared"]) == (5, 5)


def test_ids_that_forge_makes_are_compared_up_to_renaming(tmp_path: Path) -> None:
    other = BOOKS.model_copy(
        update={
            "columns": (
                Column(name="id", type="integer", generated="id", required=True),
                *BOOKS.columns[1:],
            )
        }
    )
    tool = found(shelf(books=other), tmp_path)["tools"]["add_book"]
    assert tool["golden"]["result"] == tool["golden"]["change"] == 1


def test_a_message_and_a_list_with_a_name_around_it_are_alike_not_the_same(tmp_path: Path) -> None:
    report = found(shelf(), tmp_path)
    for name in ("lend_book", "find_books"):
        golden = report["tools"][name]["golden"]
        assert (golden["result"], golden["alike"], golden["same"]) == (0, 1, 1)


def test_a_missing_record_that_is_not_refused_differs_in_refusal(tmp_path: Path) -> None:
    lax = SOURCE.replace(
        'return get("books", book_id)',
        'return (find("books", id=book_id) or [{"id": book_id, "title": None}])[0]',
    )
    tool = found(shelf(lax), tmp_path)["tools"]["get_book"]
    assert tool["golden"]["refusal"] == 1
    assert tool["first"]["part"] == "refusal"
    assert tool["first"]["arguments"] == {"book_id": 7}
    assert tool["first"]["theirs"] == {"error": "There is no book 7."}


def test_a_value_written_elsewhere_differs_in_change_and_says_where(tmp_path: Path) -> None:
    wrong = SOURCE.replace("book_id, reader=reader", "book_id, title=reader")
    first = found(shelf(wrong), tmp_path)["tools"]["lend_book"]["first"]
    assert (first["part"], first["scenario"]) == ("change", "multi_turn/base/0")
    assert "books 1" in first["why"]


def test_a_wrong_record_differs_in_result_and_says_where(tmp_path: Path) -> None:
    wrong = SOURCE.replace("title__icontains=word", "title__icontains=word, limit=0")
    first = found(shelf(wrong), tmp_path)["tools"]["find_books"]["first"]
    assert first["part"] == "result"


def test_each_call_starts_from_the_references_state_whatever_went_wrong_before(
    tmp_path: Path,
) -> None:
    wrong = SOURCE.replace("book_id, reader=reader", "book_id, title=reader")
    report = found(shelf(wrong), tmp_path)
    assert report["tools"]["get_book"]["first"] is None


def test_what_only_the_reference_keeps_is_listed(tmp_path: Path) -> None:
    assert found(shelf(), tmp_path)["tools"]["add_book"]["beside"] == {"counter": 21}


def test_a_table_that_nothing_is_like_leaves_its_tools_uncompared(tmp_path: Path) -> None:
    columns = (*BOOKS.columns, Column(name="shelf_mark", required=True))
    strict = BOOKS.model_copy(update={"columns": columns, "key": ("shelf_mark", "id")})
    source = SOURCE.replace('get("books", book_id)', 'find("books", id=book_id)[0]')
    environment = shelf(source, books=strict)
    columns = (NOTES.columns[0], Column(name="book_id", type="integer"), NOTES.columns[2])
    notes = NOTES.model_copy(update={"parent": None, "columns": columns})
    schema = StateSchema(tables=(strict, notes, OWNERS))
    report = found(environment.model_copy(update={"state_schema": schema}), tmp_path)
    assert report["absent"]["books"] == "books[]: it has nothing like shelf_mark"
    assert "table books is not mapped" in report["tools"]["get_book"]["why"]
    assert report["tools"]["get_book"]["covered"]


def test_a_tool_with_other_arguments_is_not_compared(tmp_path: Path) -> None:
    other = ARGUMENTS | {"get_book": {"number": "integer"}}
    source = SOURCE.replace("get_book(book_id: int)", "get_book(number: int)")
    source = source.replace('get("books", book_id)', 'get("books", number)')
    report = found(shelf(source).model_copy(update={"tools": tools(other)}), tmp_path)
    assert report["tools"]["get_book"]["why"] == (
        "its arguments are others: the reference has no number"
    )


def test_a_tool_that_breaks_is_counted(tmp_path: Path) -> None:
    broken = SOURCE.replace('return get("books", book_id)', 'return {}["book"]')
    tool = found(shelf(broken), tmp_path)["tools"]["get_book"]
    assert tool["bugs"] == tool["golden"]["calls"] + tool["drawn"]["calls"]


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    write_environment(shelf(), tmp_path)
    where = (tmp_path, "--against", "bfcl:Shelf", "--root", SHELF, "--json")
    assert forge(*where).stdout == forge(*where).stdout


def test_the_table_names_what_was_compared_and_what_was_not(tmp_path: Path) -> None:
    write_environment(shelf(), tmp_path)
    text = forge(tmp_path, "--against", "bfcl:Shelf", "--root", SHELF).stdout
    assert "shelf beside bfcl:Shelf: 5 of 6 tools covered, 5 compared, over 2 tasks" in text
    assert "burn (left out, 1 calls): nothing in the record shows what burn does" in text


LIBRARY = """
def lend_book(book: str, to: str) -> str:
    row = get("books", book)
    update("books", book, lent=to, notes=[*row["notes"], f"lent to {to}"])
    return "lent"
"""


def test_a_domain_of_tau_bench_is_a_reference_with_the_gold_of_all_its_splits(
    tmp_path: Path,
) -> None:
    books = Table(
        name="books",
        noun="book",
        key=("book_id",),
        columns=(
            Column(name="book_id", required=True),
            Column(name="title"),
            Column(name="lent"),
            Column(name="notes", type="array", items=Column()),
        ),
    )
    environment = shelf().model_copy(
        update={
            "state_schema": StateSchema(tables=(books,)),
            "tools": tools({"lend_book": {"book": "string", "to": "string"}}),
            "source": LIBRARY,
        }
    )
    report = found(environment, tmp_path, "--drawn", 0, against="tau-bench:library")
    tool = report["tools"]["lend_book"]
    assert (tool["golden"]["calls"], tool["golden"]["same"]) == (1, 1)
    assert report["tools"]["call_the_librarian"]["gold"] == 1
    assert report["scenarios"] == 5


def test_data_that_point_to_what_they_lie_in_come_to_an_end() -> None:
    class Folder:
        def __init__(self, name: str, parent: "Folder | None" = None) -> None:
            self.name, self.parent, self._secret = name, parent, "kept"
            self.folders: list[Folder] = []

    top = Folder("top")
    top.folders = [Folder("a", top), Folder("b", top)]
    inner = [{"name": name, "parent": "Folder", "folders": []} for name in ("a", "b")]
    assert as_json(top) == {"name": "top", "parent": None, "folders": inner}


def test_plain_values_under_keys_are_records(tmp_path: Path) -> None:
    environment = shelf().model_copy(
        update={
            "state_schema": StateSchema(
                tables=(
                    Table(
                        name="marks",
                        noun="mark",
                        key=("key",),
                        columns=(Column(name="key"), Column(name="value")),
                    ),
                )
            ),
            "tools": tools({"set_mark": {"key": "string", "value": "string"}}),
            "source": """
def set_mark(key: str, value: str) -> dict:
    insert("marks", key=key, value=value)
    return {"status": "done"}
""",
            "bases": {"b1": {"marks": {"old": {"key": "old", "value": "x"}}}},
        }
    )
    report = found(environment, tmp_path, against="bfcl:Marks")
    assert report["tables"] == {"marks": "marks[]"}
    tally = report["tools"]["set_mark"]["drawn"]
    assert tally["calls"] == tally["same"] == 20


def test_what_there_is_one_of_is_the_references_own_fields(tmp_path: Path) -> None:
    lamp = Table(
        name="lamp",
        noun="lamp",
        key=(),
        singleton=True,
        columns=(Column(name="level", type="integer"), Column(name="power", type="boolean")),
    )
    environment = shelf().model_copy(
        update={
            "state_schema": StateSchema(tables=(lamp,)),
            "tools": tools({"set_lamp": {"level": "integer"}}),
            "source": """
def set_lamp(level: int) -> dict:
    if not get("lamp")["power"]:
        fail("conflict", "there is no power")
    update("lamp", level=level)
    return {"status": True}
""",
            "bases": {"b1": {"lamp": {"": {"level": 1, "power": True}}}},
        }
    )
    report = found(environment, tmp_path, against="acebench:en")
    assert report["tables"] == {"lamp": "the whole"}
    tool = report["tools"]["set_lamp"]
    assert tool["golden"]["calls"] == tool["golden"]["same"] == 2
    assert tool["drawn"]["same"] == 20


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("bfcl:Shelv", "did you mean Shelf?"),
        ("bfcl", "--against bfcl:"),
        ("bfkl:Shelf", "did you mean bfcl?"),
        ("tau-bench:library", "forge bench bfcl"),
    ],
)
def test_a_reference_that_is_not_there_is_one_line(tmp_path: Path, against: str, said: str) -> None:
    write_environment(shelf(), tmp_path)
    assert said in refused(tmp_path, "--against", against, "--root", SHELF)


def test_a_folder_that_is_no_environment_is_one_line(tmp_path: Path) -> None:
    line = refused(tmp_path, "--against", "bfcl:Shelf", "--root", SHELF)
    assert "environment.json" in line
