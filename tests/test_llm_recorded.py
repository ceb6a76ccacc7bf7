"""`forge synth --model` with what a real model once answered, over a document that stays as it is.

`recorded/answers.db` holds answers of Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), as llama.cpp gave them;
nothing in it was written by hand. Where a prompt, a form or an order has changed, an answer is
missing, and the test says how to record them anew: a matter of some minutes.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.llm.client import Endpoint
from forge.pipeline.commission import Commission, Done
from forge.pipeline.passes.desk import Effort
from forge.pipeline.synth import synthesise
from tests.places import ROOT

HOME = ROOT / "tests" / "recorded"
SAMPLES, TASKS, MOST = 2, 4, 60
RECORD = (
    "rm tests/recorded/answers.db; forge models fetch qwen2.5-coder-1.5b; forge synth"
    " tests/recorded/repairs.yaml --model local:models/qwen2.5-coder-1.5b.gguf"
    f" --cache tests/recorded/answers.db --samples {SAMPLES} --repairs 0 --tasks {TASKS}"
    " --slots 1 --no-resume --out generated/recorded"
)
MODEL = "qwen2.5-coder-1.5b.gguf"
SIZE = 1117320768
"""Of the file, in bytes: by it and the name, answers are known to be the model's."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The data set, from recorded answers alone: nothing listens where the model would be."""
    folder = tmp_path_factory.mktemp("recorded")
    shutil.copy(HOME / "answers.db", folder)
    endpoint = Endpoint(MODEL, "http://127.0.0.1:9/v1", held=f"local:{MODEL} {SIZE}", tries=1)
    commission = Commission(
        endpoint, folder / "answers.db", concurrency=1, effort=Effort(SAMPLES, 0)
    )
    done = synthesise(
        [HOME / "repairs.yaml"], folder / "set", tasks=TASKS, seed=0, jobs=1, commission=commission
    ).model
    assert done is not None
    lost = [why for each in done.outcomes.values() for why in each.failures if "endpoint" in why]
    if lost:
        pytest.fail(f"an answer is not recorded; record them anew: {RECORD}")
    return folder / "set", done


def test_no_more_answers_are_recorded_than_are_needed(made: tuple[Path, Done]) -> None:
    with sqlite3.connect(HOME / "answers.db") as file:
        ((number,),) = file.execute("select count(*) from answers")
    assert number <= MOST
    assert number <= sum(tally.cached for tally in made[1].tallies.values())


def test_what_a_real_model_wrote_is_kept_where_it_passes(made: tuple[Path, Done]) -> None:
    folder, done = made
    environment = read_dataset(folder).environment("bicycle_repairs")
    assert done.outcomes["tools"].gained == 1
    provenance = environment.made["tools/approve_order"]
    assert (provenance.model, provenance.prompt) == (MODEL, "tool/2")


def test_a_data_set_of_a_real_models_answers_passes_every_gate(made: tuple[Path, Done]) -> None:
    result = CliRunner().invoke(app, ["verify", str(made[0])])
    assert result.exit_code == 0, result.output
