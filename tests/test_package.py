"""The package as a newcomer meets it: the README's commands, and that what it says is there."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from typer.testing import CliRunner

from forge.cli.main import app
from forge.dataset.folder import read_dataset
from tests.places import ROOT

README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COMMANDS = re.findall(r"`forge (\w+)([^`]*)`", README)


def commands() -> list[str]:
    """What the README's sh blocks hold, in their order."""
    return re.findall(r"^```sh\n(.*?)\n```$", README, flags=re.S | re.M)


def name_of(requirement: str) -> str:
    """Of the distribution that a requirement asks for."""
    return re.split(r"[^\w-]", requirement)[0].lower().replace("_", "-")


def names_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [each.name for each in node.names]


def test_the_readme_opens_with_two_command_lines_that_need_no_environment():
    first, second = commands()[:2]
    for command in (first, second):
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")
        assert "-c constraints.txt" in command
    assert first.endswith("forge synth docs_in/")
    assert second.endswith("-m pytest")
    assert README.index(second) < 600


def test_ci_runs_the_two_commands_of_the_readme():
    finds = re.search(r"sed -n '([^']*)' README.md", (ROOT / ".ci" / "run").read_text())
    assert finds
    found = subprocess.run(
        ["sed", "-n", finds[1], "README.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[:2] == commands()[:2]


@pytest.mark.parametrize(("command", "rest"), COMMANDS)
def test_the_commands_and_options_that_the_readme_names_exist(command, rest):
    help = subprocess.run(
        [sys.executable, "-m", "forge", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for option in re.findall(r"--[a-z-]+", rest):
        assert option in help


def test_every_dependency_has_a_known_good_pin():
    pins = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    }
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    assert {name_of(each) for each in wanted} <= pins


def imports_in(tree: ast.Module, *, at_once: bool) -> set[str]:
    """The packages that a module imports when it is imported (`at_once`), or at all."""
    nodes = tree.body if at_once else ast.walk(tree)
    return {
        name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in names_of(node)
    }


def test_all_that_forge_imports_is_a_core_dependency_or_an_extra_imported_where_it_is_needed():
    """A module may import an extra at once, if it is itself imported only where it is needed."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): ast.parse(path.read_text())
        for path in sorted((ROOT / "forge").rglob("*.py"))
    }
    homes = packages_distributions()
    core = {name_of(each) for each in PROJECT["dependencies"]}
    extras = PROJECT["optional-dependencies"]
    extra = core | {
        name_of(each)
        for name in ("validate", "llm", "local", "train", "vllm")
        for each in extras[name]
    }

    def outside(tree, allowed, *, at_once):
        imported = imports_in(tree, at_once=at_once) - set(sys.stdlib_module_names) - {"forge"}
        homed = {
            name: {name_of(home) for home in [name, *homes.get(name, ())]} for name in imported
        }
        return {name for name in imported if not allowed & homed[name]}

    of_extras = {name for name, tree in modules.items() if outside(tree, core, at_once=True)}
    for name, tree in modules.items():
        assert not outside(tree, extra, at_once=False), name
        at_once = {
            node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module
        }
        assert name in of_extras or not at_once & of_extras, name


def test_the_core_needs_no_library_for_training():
    heavy = {"torch", "trl", "ray", "vllm", "datasets", "openai", "transformers"}
    core = {name_of(each) for each in PROJECT["dependencies"]}
    assert core
    assert not heavy & core


def test_every_document_that_the_readme_links_to_is_there():
    links = re.findall(r"\]\(([^):]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_the_sample_data_set_holds():
    done = subprocess.run(
        [sys.executable, "-m", "forge", "verify", ROOT / "generated" / "sample"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "edited" not in done.stdout


def test_the_task_that_the_readme_shows_is_one_of_the_sample() -> None:
    [shown] = re.findall(r"^    question\n((?:      .*\n|\n|    \S.*\n)+)", README, flags=re.M)
    question, *rest = shown.split("\n\n")
    sample = read_dataset(ROOT / "generated" / "sample")
    [task] = [task for task in sample.tasks() if task.question == " ".join(question.split())]
    told = CliRunner().invoke(app, ["show", str(ROOT / "generated" / "sample"), task.id]).stdout
    for line in "\n".join(rest).splitlines():
        assert line.strip().removesuffix("…") in told
