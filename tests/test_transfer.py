"""`evals/transfer/run.py` from its recipe to its table, with a scripted model."""

import subprocess
import sys

import pytest
import yaml

from evals.speed.endpoint import Reply, Request, calls, says, serving
from tests.places import HAND, ROOT

TAU = ROOT / "tests" / "benches" / "tau"
SCRIPT = ROOT / "evals" / "transfer" / "run.py"


def learned(request: Request) -> Reply:
    """Lends the book, unless it is the checkpoint before the training, or the tools have names
    that it has not learned."""
    told = [each["function"]["name"] for each in request.body.get("tools", ())]
    if request.body["model"] == "before" or "lend_book" not in told:
        return says("I cannot.")
    if request.body["messages"][-1]["role"] == "tool":
        return says("Lent.")
    return calls(("lend_book", {"book": "b1", "to": "bob"}))


def wishes(request: Request) -> Reply:
    messages = request.body["messages"]
    return says(messages[0]["content"]) if len(messages) == 2 else says("###STOP###")


def run(recipe, out):
    file = out / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe))
    command = [sys.executable, SCRIPT, file, "--out", out / "runs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done, (out / "runs" / "transfer.md")


def cells_of(table):
    rows = [line.strip("| ").split(" | ") for line in table.read_text().splitlines()[2:]]
    return {(place, format, names): tuple(rest) for place, format, names, *rest in rows}


def recipe_of(agent, user, **places):
    return {
        "before": {"model": "before", "base-url": agent.url},
        "after": {"model": "after", "base-url": agent.url},
        "formats": ["native", "react"],
        "rename-tools": 7,
        "places": {
            "tau": {
                "bench": "tau-bench",
                "flags": {
                    "root": str(TAU),
                    "n": 1,
                    "user-model": "user",
                    "user-base-url": user.url,
                },
            },
            **places,
        },
    }


def test_what_was_learned_is_told_apart_by_format_and_by_names(tmp_path):
    with (
        serving(learned, models=["before", "after"]) as agent,
        serving(wishes, models=["user"]) as user,
    ):
        done, table = run(recipe_of(agent, user), tmp_path)
    assert done.returncode == 0, done.stderr
    gained = {cell: row[2].partition(" ")[0] for cell, row in cells_of(table).items()}
    assert gained == {
        ("tau", "native, the same", "the same"): "+100.0%",
        ("tau", "native, the same", "others"): "+0.0%",
        ("tau", "react, another", "the same"): "+0.0%",
        ("tau", "react, another", "others"): "+0.0%",
    }


@pytest.mark.slow
def test_the_same_command_plays_only_what_is_missing(tmp_path):
    with (
        serving(learned, models=["before", "after"]) as agent,
        serving(wishes, models=["user"]) as user,
    ):
        held_out = {"data": str(HAND), "flags": {"n": 1}}
        recipe = recipe_of(agent, user, **{"held out": held_out})
        done, table = run(recipe, tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(cells_of(table)) == 8
        asked = len(agent.asked)
        again, _ = run(recipe, tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(agent.asked) == asked


def test_a_key_that_a_recipe_does_not_have_is_named(tmp_path):
    with serving(learned) as agent, serving(wishes) as user:
        done, _ = run({**recipe_of(agent, user), "format": "react"}, tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "format: Extra inputs" in line
