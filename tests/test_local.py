"""Models from files: served here for as long as a block or a command runs, and what keeps them from
it. Nearly all with a model of a few kilobytes, by llama.cpp's own server."""

import asyncio
import os
import signal
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forge.cli.main import app
from forge.errors import EndpointGone, UserError
from forge.llm.client import Client, Endpoint
from forge.llm.known import KNOWN
from forge.llm.local import Local, serving
from forge.types.rollout import Trajectory
from tests.ggufs import tiny
from tests.places import HAND, ROOT

SHORT = ("--format", "json", "--turn-tokens", 8, "--max-steps", 1, "--threads", 1, "-n", 2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny())
    return path


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refused(*arguments: object) -> str:
    result = forge("rollout", HAND, *arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    return line


def status(endpoint: Endpoint, key: str | None = None) -> int | None:
    """Of a request with that key; None if no server takes it."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    body = b'{"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}'
    request = urllib.request.Request(f"{endpoint.base_url}/chat/completions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def server_of(parent: int) -> int:
    """Its one child that is a server; the workers of sandboxes may be others."""
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    (server,) = [int(child) for child in listed if b"llama.py" in command_of(int(child))]
    return server


def wait_for(met: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not met():
        assert time.monotonic() < until, "it has not come to pass"
        time.sleep(0.05)


# --------------------------------------------------------------------- served


def test_a_model_from_a_file_plays_tasks_under_the_name_of_its_file(file, tmp_path):
    out = tmp_path / "o.jsonl"
    model = ("--model", f"local:{file}", "--model-context", 40_000)
    result = forge("rollout", HAND, "--out", out, *model, *SHORT)
    assert result.exit_code == 0, result.stderr
    found = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert [each.policy for each in found] == ["model:tiny.gguf"] * 2
    assert [step.turn.written for each in found for step in each.steps] == [8, 8]
    assert found[0].settings["model-context"] == 40_000
    assert str(tmp_path) not in out.read_text()


def test_the_policy_and_the_user_may_be_one_file(file, tmp_path):
    out, model = tmp_path / "o.jsonl", f"local:{file}"
    user = ("--user", "llm", "--user-model", model, "--user-extra", '{"max_tokens": 8}')
    result = forge("rollout", HAND, "--out", out, "--model", model, *user, *SHORT[:-1], 1)
    assert result.exit_code == 0, result.stderr
    found = Trajectory.model_validate_json(out.read_text())
    assert (found.policy, found.user) == ("model:tiny.gguf", "model:tiny.gguf")
    assert "nothing that can be read" in found.reason  # it draws its words


def test_the_server_answers_who_has_its_key_and_nobody_when_the_block_is_left(file):
    with serving(Local(file, threads=1), 60) as endpoint:
        assert status(endpoint, "guessed") == 401
        assert status(endpoint, endpoint.key) == 200
    assert status(endpoint, endpoint.key) is None


def test_the_server_is_gone_when_something_goes_wrong_in_the_block(file):
    with pytest.raises(ZeroDivisionError), serving(Local(file, threads=1), 60) as endpoint:
        raise ZeroDivisionError
    assert status(endpoint) is None


def test_the_key_is_shown_nowhere(file):
    with serving(Local(file, threads=1), 60) as endpoint:
        assert endpoint.key is not None
        assert endpoint.key not in repr(endpoint)
        if sys.platform == "linux":
            child = server_of(os.getpid())
            assert endpoint.key.encode() not in Path(f"/proc/{child}/cmdline").read_bytes()


def test_each_slot_has_the_whole_context(file):
    async def longest(endpoint: Endpoint) -> int:
        client = Client(endpoint)
        try:
            asked = {"role": "user", "content": "x" * 3000}
            body = {"messages": [asked], "max_tokens": 2}
            answers = await asyncio.gather(*(client.complete(body) for _ in range(2)))
        finally:
            await client.close()
        return min(answer.prompt_tokens for answer in answers)

    with serving(Local(file, threads=1, slots=2, context=4096), 60) as endpoint:
        assert asyncio.run(longest(endpoint)) > 3000


def test_the_same_file_is_known_by_another_port(file):
    places = []
    for _ in range(2):
        with serving(Local(file, threads=1), 60) as endpoint:
            places.append(endpoint.place)
    assert places[0] == places[1]
    assert replace(endpoint, held="").place == endpoint.base_url != places[0]


# ------------------------------------------------------------- how it ends

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
SERVES = """
import sys, time
from pathlib import Path
from forge.llm.local import Local, serving
with serving(Local(Path(sys.argv[1]), threads=1), 60) as endpoint:
    print(endpoint.base_url, flush=True)
    time.sleep(600)
"""


def test_the_server_is_gone_when_its_parent_is_killed(file):
    command = [sys.executable, "-c", SERVES, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        endpoint = Endpoint("tiny.gguf", parent.stdout.readline().strip())
        assert status(endpoint) == 401
        parent.kill()
    wait_for(lambda: status(endpoint) is None)


@contextmanager
def rolling_out(file: Path, out: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A long run, of which something is written, and its server; killed when the block is left."""
    shell = [sys.executable, "-m", "forge", "rollout", str(HAND), "--out", str(out), "-r", "500"]
    command = [*shell, "--model", f"local:{file}", *map(str, SHORT)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=ROOT
    ) as run:
        try:
            wait_for(lambda: out.exists() and out.stat().st_size)
            server = server_of(run.pid)
            yield run, server
        finally:
            run.kill()


def command_of(process: int) -> bytes:
    """Empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


@linux
def test_ctrl_c_ends_the_run_in_one_line_and_its_server(file, tmp_path):
    with rolling_out(file, tmp_path / "o.jsonl") as (run, server):
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
        assert run.returncode == 130
        assert told.splitlines()[-1] == "forge: interrupted"
        assert not command_of(server)


@linux
def test_a_server_that_is_killed_ends_the_run_at_once_and_is_named(file, tmp_path):
    out = tmp_path / "o.jsonl"
    with rolling_out(file, out) as (run, server):
        os.kill(server, signal.SIGKILL)
        _, told = run.communicate(timeout=120)
        assert run.returncode == 2
    assert "ended before its time: it was killed, and may have run out of memory" in told
    found = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert 1 <= len(found) < 1000
    assert "lost" not in {each.outcome for each in found}


@linux
def test_a_request_to_a_server_that_is_gone_is_not_tried_again(file):
    async def ask(endpoint: Endpoint) -> Client:
        client = Client(endpoint)
        try:
            with pytest.raises(EndpointGone, match="the server is gone"):
                await client.complete({"messages": [{"role": "user", "content": "Hello"}]})
        finally:
            await client.close()
        return client

    with (
        pytest.raises(UserError, match="ended before its time"),
        serving(Local(file, threads=1), 60) as endpoint,
    ):
        child = server_of(os.getpid())
        os.kill(child, signal.SIGKILL)
        wait_for(lambda: status(endpoint) is None)
        assert not asyncio.run(ask(endpoint)).troubles


# --------------------------------------------------------------------- bad input


def test_a_file_that_is_not_there_is_named(tmp_path):
    line = refused("--model", f"local:{tmp_path / 'none.gguf'}")
    assert line == f"forge: {tmp_path / 'none.gguf'}: there is no such file (forge models has some)"


def test_a_file_of_another_kind_is_named(tmp_path):
    file = tmp_path / "model.bin"
    file.write_bytes(b"PK\3\4 an archive")
    assert "model.bin: this is no GGUF file" in refused("--model", f"local:{file}")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (tiny()[:-5000], "model is corrupted or incomplete"),
        (tiny()[:700], "failed to read key-value pairs"),
        (b"GGUF", "failed to read header"),
        (tiny(architecture="grue"), "unknown model architecture: 'grue'"),
    ],
    ids=["cut in its weights", "cut in its head", "only its mark", "of an unknown kind"],
)
def test_what_llama_cpp_says_of_a_file_it_cannot_load_is_told_in_a_line(tmp_path, content, told):
    file = tmp_path / "bad.gguf"
    file.write_bytes(content)
    line = refused("--model", f"local:{file}")
    assert "bad.gguf: the model cannot be served: " in line
    assert told in line


def test_a_model_that_does_not_fit_the_memory_says_which_flags_mend_it(tmp_path):
    file = tmp_path / "wide.gguf"
    file.write_bytes(tiny(layers=16, head=4096))
    line = refused("--model", f"local:{file}", "--model-context", 65536, "--slots", 64)
    assert "out of memory (a smaller --model-context, fewer --slots, or a smaller model)" in line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--model", "local:"), "names no file"),
        (("--model", "qwen", "--slots", 2), "--slots is for a model local:FILE.gguf"),
        (("--policy", "oracle", "--threads", 2), "--threads is for a model local:FILE.gguf"),
        (
            ("--model", "local:x.gguf", "--base-url", "http://h/v1"),
            "local:x.gguf is served here, not at http://h/v1",
        ),
    ],
)
def test_flags_that_do_not_go_together_are_refused(arguments, told):
    assert told in refused(*arguments)


def test_without_the_package_the_line_says_what_to_install(file, tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith("xllamacpp"):
            (packages / each.name).symlink_to(each)
    run = subprocess.run(
        [sys.executable, "-S", "-m", "forge", "rollout", HAND, "--model", f"local:{file}"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{packages}"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 2
    assert run.stderr == (
        "forge: models from files need the package xllamacpp (pip install 'forge-envs[local]')\n"
    )


# ---------------------------------------------------------------- real weights

WEIGHTS = ROOT / "models"


@pytest.mark.slow
@pytest.mark.parametrize("name", [model.name for model in KNOWN])
def test_a_known_model_does_what_a_schema_asks_for(name):
    file = WEIGHTS / f"{name}.gguf"
    if not file.exists():
        pytest.skip(f"needs forge models fetch {name}")

    async def ask(endpoint: Endpoint) -> str:
        client = Client(endpoint)
        schema = {
            "type": "object",
            "properties": {"colour": {"enum": ["green", "red"]}},
            "required": ["colour"],
            "additionalProperties": False,
        }
        form = {"type": "json_schema", "json_schema": {"name": "seen", "schema": schema}}
        asked = {"role": "user", "content": "Which colour has fresh grass?"}
        try:
            answer = await client.complete(
                {"messages": [asked], "response_format": form, "max_tokens": 20, "temperature": 0}
            )
        finally:
            await client.close()
        return answer.message.text

    with serving(Local(file, threads=1, context=2048), 300) as endpoint:
        assert "colour" in asyncio.run(ask(endpoint))
