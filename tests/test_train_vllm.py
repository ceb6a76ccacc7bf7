"""Training with rollouts by vLLM, on a package in vLLM's shape (`tests/vllm_like`): the GPUs that
it wants are not here."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

if not all(map(find_spec, ("torch", "transformers", "trl"))):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)

import torch
from transformers import AutoModelForCausalLM

from forge.cli.main import app
from forge.rollout.tokens.rows import rows_of
from forge.train.runs import read_run
from forge.types.rollout import Trajectory
from tests.tiny import tiny_model

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("vllm")
    words = ["synth", ROOT / "evals/learning/garden.yaml", "--tasks", 20, "--out", home / "set"]
    assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    return {
        "model": str(tiny_model(home / "model")),
        "data": str(home / "set"),
        "steps": 2,
        "samples": 1,
        "keep_every": 1,
        "rollouts": {
            "questions": 2, "group": 2, "turns": [2], "turn_tokens": 12, "tokens": 4096,
            "mask_cut": False,
        },
        "sampler": {"by": "beside"},
        "loss": {"drop": "never", "kl": 0.5},
        "optimiser": {"rate": 1e-2, "rows": 2, "decay": 0.5},
        "evaluation": {"every": 0},
    }  # fmt: skip


def train(
    recipe: dict[str, Any], home: Path, vllm: bool, **changes: Any
) -> subprocess.CompletedProcess[str]:
    path = home / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe | changes))
    paths = [str(ROOT), *([str(ROOT / "tests" / "vllm_like")] if vllm else [])]
    return subprocess.run(
        [sys.executable, "-m", "forge", "train", str(path), "--out", str(home / "run")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_what_vllm_samples_at_a_step_is_by_the_weights_of_the_step_before(
    recipe: dict[str, Any], tmp_path: Path
) -> None:
    done = train(recipe, tmp_path, vllm=True)
    assert done.returncode == 0, done.stderr

    weights = {1: Path(recipe["model"]), 2: tmp_path / "run" / "checkpoints" / "checkpoint-1"}
    apart = {step: _farthest(tmp_path / "run", step, weights[step]) for step in weights}
    assert max(apart.values()) < 1e-3
    assert _farthest(tmp_path / "run", 2, weights[1]) > 1e-2  # it was trained


def _farthest(run: Path, step: int, weights: Path) -> float:
    """How far what was told of a step's sampling is from what these weights give, at most."""
    model = AutoModelForCausalLM.from_pretrained(weights)
    most = 0.0
    for line in (run / "samples.jsonl").read_text().splitlines():
        kept = json.loads(line)
        if kept["step"] != step:
            continue
        for row in rows_of(Trajectory.model_validate(kept["trajectory"])):
            ids = torch.tensor([row.ids])
            with torch.inference_mode():
                logprobs = model(ids).logits[0, :-1].log_softmax(-1)
            found = logprobs.gather(1, ids[0, 1:, None])[:, 0]
            told, trained = torch.tensor(row.logprobs)[1:], torch.tensor(row.trained)[1:]
            most = max(most, float(((found - told) * trained).abs().max()))
    return most


def test_a_policy_by_vllm_is_measured_on_held_out_tasks(
    recipe: dict[str, Any], tmp_path: Path
) -> None:
    done = train(recipe, tmp_path, vllm=True, evaluation={"every": 1, "tasks": 1}, steps=1)

    assert done.returncode == 0, done.stderr
    found = read_run(tmp_path / "run").evaluations
    assert [(each.step, len(each.tasks)) for each in found] == [(0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("vllm", "changes", "said"),
    [
        pytest.param(
            False,
            {},
            "needs the package vllm",
            marks=pytest.mark.skipif(find_spec("vllm") is not None, reason="it is installed"),
        ),
        (True, {"model": "weights.gguf"}, "reads no GGUF file"),
        (True, {"sampler": {"by": "server", "url": "http://127.0.0.1:9"}}, "no vLLM answers"),
        (True, {"sampler": {"by": "vllm"}}, "sampler.by"),
    ],
)
def test_what_vllm_wants_and_is_not_there_is_one_line(
    vllm: bool, changes: dict[str, Any], said: str, recipe: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "weights.gguf").write_bytes(b"")
    if "model" in changes:
        changes = {"model": str(tmp_path / "weights.gguf")}
    done = train(recipe, tmp_path, vllm, **changes)

    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="weights could be sent from here")
def test_weights_are_sent_to_a_server_from_a_gpu_only(
    recipe: dict[str, Any], tmp_path: Path
) -> None:
    class Healthy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *said: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Healthy) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        done = train(recipe, tmp_path, vllm=True, sampler={"by": "server", "url": url})
        server.shutdown()

    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "and here is none (--set sampler.by=transformers)" in done.stderr
