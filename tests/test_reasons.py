"""Why operations were left out, told in few lines."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from forge.cli.main import app
from forge.pipeline.reasons import grouped
from tests.documents import answer, spec

NAMES = ("kite", "order", "line item", "pull request review")


def test_reasons_that_differ_in_a_name_are_one():
    reasons = [f"nothing shows how {name} belongs to a user" for name in NAMES]
    assert grouped(reasons) == [("nothing shows how … belongs to a user", 4)]


def test_a_and_an_are_the_same():
    reasons = ["an order is no record", "a kite is no record", "a pull request is no record"]
    assert grouped(reasons) == [("a … is no record", 3)]


def test_what_is_quoted_is_a_name():
    reasons = ["its argument 'a b c d' is a file", 'its argument "e" is a file']
    assert grouped(reasons) == [("its argument … is a file", 2)]


def test_a_reason_that_is_alone_is_told_as_it_is():
    assert grouped(["it deletes an order with all lines"]) == [
        ("it deletes an order with all lines", 1)
    ]


def test_what_is_there_most_comes_first():
    reasons = ["it is a file", *(f"nothing shows what {name} does" for name in NAMES)]
    assert grouped(reasons) == [("nothing shows what … does", 4), ("it is a file", 1)]


def test_reasons_of_different_kinds_stay_apart():
    reasons = [f"nothing shows what {name} {verb}" for name in NAMES for verb in ("does", "is")]
    assert grouped(reasons) == [("nothing shows what … does", 4), ("nothing shows what … is", 4)]


@given(st.lists(st.sampled_from([f"a {n} is {v}" for n in "abcde" for v in "xyz"] + ["", "?"])))
def test_every_reason_is_counted_once_whatever_the_order(reasons: list[str]):
    found = grouped(reasons)
    assert sum(count for _, count in found) == len(reasons)
    assert grouped(sorted(reasons)) == found


def document() -> dict:
    kite = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "required": ["id", "name"],
    }
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    get = {"operationId": "get_kite", "parameters": [key], "responses": answer(kite)}
    every = {"operationId": "list_kites", "responses": answer({"type": "array", "items": kite})}
    odd = {
        f"/kites/{{id}}/{name}": {"post": {"parameters": [key], "responses": {"204": {}}}}
        for name in ("transmogrify", "defenestrate")
    }
    return spec({"/kites": {"get": every}, "/kites/{id}": {"get": get}, **odd})


def test_synth_tells_how_much_became_tools_and_why_the_rest_did_not(tmp_path: Path):
    path = tmp_path / "kites.json"
    path.write_text(json.dumps(document()))
    run = ["synth", str(path), "--tasks", "0", "--jobs", "1", "--out"]
    told = CliRunner().invoke(app, [*run, str(tmp_path / "a")])
    assert "kites.json: 2 of 4 operations are tools\n  2 left out: " in told.stdout
    [found] = json.loads(CliRunner().invoke(app, [*run, str(tmp_path / "b"), "--json"]).stdout)[
        "documents"
    ]
    assert (found["operations"], found["implemented"]) == (4, 2)
    assert sum(reason["count"] for reason in found["reasons"]) == 2
