"""Token policies by the command, as users give them."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals.speed.endpoint import says, serving
from forge.cli.main import app
from forge.rollout.tokens.rows import rows_of
from forge.types.rollout import Trajectory
from tests.places import HAND, ROOT
from tests.tiny import tiny_model, tiny_tokenizer

if not (find_spec("torch") and find_spec("transformers")):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny") / "tiny", context=1 << 16)


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["rollout", str(HAND), *map(str, arguments)])


def rolled(out: Path, *arguments: object) -> list[Trajectory]:
    result = forge(*arguments, "--out", out)
    assert result.exit_code == 0, result.output
    return [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]


def test_a_local_model_plays_and_keeps_what_it_sampled(tmp_path: Path, folder: Path) -> None:
    out, options = tmp_path / "a.jsonl", ("--turn-tokens", 6, "--max-steps", 2, "-n", 1)
    (found,) = rolled(out, "--policy", f"local:{folder}", *options)
    assert found.policy == "local:tiny"
    (row,) = rows_of(found)
    assert sum(row.trained) == sum(step.turn.completion_tokens for step in found.steps)
    assert row.drifted == 0
    assert all(-20 < number < 0 for number in row.logprobs if number)


def test_a_script_in_the_tokens_of_a_model_earns_what_it_earns(
    tmp_path: Path, folder: Path
) -> None:
    options = ("--policy", "oracle", "--tokenizer", folder, "--format", "hermes", "-n", 2)
    for found in rolled(tmp_path / "a.jsonl", *options):
        assert found.reward == 1
        assert found.settings["tokenizer"] == "tiny"
        (row,) = rows_of(found)
        assert found.question in tiny_tokenizer().decode(row.ids)


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        (("--policy", "local:"), "--policy local:PATH"),
        (("--policy", "local:nothing"), "a folder, or a .gguf file"),
        (("--policy", "oracle", "--tokens"), "leave it out"),
        (("--policy", "oracle", "--tokenizer", "nothing"), "a folder, or a .gguf file"),
        (("--policy", "local:nothing", "--tokenizer", "nothing"), "leave out --tokenizer"),
    ],
)
def test_flags_that_do_not_go_together_are_a_line_that_says_what_to_give(
    given: tuple[str, ...], mend: str
) -> None:
    result = forge(*given)
    assert result.exit_code == 2
    assert mend in " ".join(result.output.split())


def test_a_local_model_plays_a_benchmark(tmp_path: Path, folder: Path) -> None:
    out, tau = tmp_path / "a.jsonl", ROOT / "tests" / "benches" / "tau"
    with serving([says("Emma, for bob."), says("###STOP###")]) as user:
        arguments = (
            *("bench", "tau-bench", "--root", tau, "--policy", f"local:{folder}", "-n", 1),
            *("--user-model", "scripted", "--user-base-url", user.url, "--out", out),
            *("--turn-tokens", 6, "--max-steps", 2),
        )
        result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    (found,) = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert (found.policy, found.question) == ("local:tiny", "Emma, for bob.")
    assert all(step.turn.completion_tokens for step in found.steps)
