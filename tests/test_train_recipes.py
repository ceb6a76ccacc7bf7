"""Recipes as files: those that are there, and what is wrong with those that are not right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from forge.errors import UserError, lacks_package
from forge.train.recipe import Recipe, Sft, as_yaml, read_recipe
from tests.places import ROOT

RECIPES = sorted((ROOT / "train").glob("*.yaml"))


def form_of(path: Path) -> type[Recipe] | type[Sft]:
    return Sft if path.stem.endswith("sft") else Recipe


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_that_is_there_is_read_and_reads_the_same_as_it_is_resolved(
    path: Path, tmp_path: Path
) -> None:
    found = read_recipe(path, form_of(path), ())
    resolved = tmp_path / "resolved.yaml"
    resolved.write_text(as_yaml(found))

    assert read_recipe(resolved, form_of(path), ()) == found


def test_a_change_reaches_into_a_part() -> None:
    path = ROOT / "train" / "cpu-tiny.yaml"

    found = read_recipe(path, Recipe, ["rollouts.group=6", "algorithm=grpo", "steps=7"])

    assert (found.rollouts.group, found.algorithm, found.steps) == (6, "grpo", 7)
    assert found.rollouts.questions == 32


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("steps: 3\nmodel: m\ndata: d\nrollout: {}\n", "did you mean rollouts?"),
        ("steps: 3\nmodel: m\ndata: d\nrollouts: {groups: 3}\n", "did you mean rollouts.group?"),
        ("steps: 0\nmodel: m\ndata: d\n", "steps"),
        ("model: m\ndata: d\n", "steps"),
        ("algorithm: ppo\nsteps: 3\nmodel: m\ndata: d\n", "algorithm"),
        ("- a list\n", "is no recipe"),
        ("steps: [\n", "is no YAML"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said_with_its_place(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(text)

    with pytest.raises(UserError) as error:
        read_recipe(path, Recipe, ())

    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_change_of_no_form_is_refused(tmp_path: Path) -> None:
    path = ROOT / "train" / "cpu-tiny.yaml"

    with pytest.raises(UserError, match="--set key=value"):
        read_recipe(path, Recipe, ["rollouts.group"])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModuleNotFoundError("no", name="torch"), "x needs the package torch (mend)"),
        (ImportError("no name 'A' in b\nmore", name="b"), "x: a package cannot be loaded: no name"),
        (ModuleNotFoundError("no module"), "x: a package cannot be loaded: no module (mend)"),
    ],
)
def test_what_is_missing_is_told_from_what_is_too_old(error: ImportError, said: str) -> None:
    assert str(lacks_package("x", error, "mend")).startswith(said)


def test_a_module_of_our_own_that_cannot_be_loaded_is_a_bug() -> None:
    with pytest.raises(ImportError, match="ours"):
        lacks_package("x", ImportError("ours", name="forge.train.fit"), "mend")


def test_a_package_that_is_there_and_cannot_be_loaded_is_one_line(tmp_path: Path) -> None:
    for name in ("torch", "trl"):
        package = tmp_path / "packages" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text('raise ImportError("libfoo.so is missing\\nand more")')
    recipe = ROOT / "train" / "cpu-tiny.yaml"

    done = subprocess.run(
        [sys.executable, "-m", "forge", "train", recipe, "--out", tmp_path / "run"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path / 'packages'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (
        2,
        "forge: training: a package cannot be loaded: libfoo.so is missing "
        "(pip install 'forge-envs[train]')\n",
    )
