"""What tests of `forge browse` share: a copy of the sample data set, and who asks for pages."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from forge.browse.server import application
from forge.browse.things import site_of
from forge.browse.worlds import Worlds
from forge.cli.main import app
from tests.places import ROOT

HOST = "http://127.0.0.1:8765"
WORLDS = Worlds()
"""Open for all tests of a process."""


def sample(home: Path) -> Path:
    """A copy that can be changed."""
    return shutil.copytree(ROOT / "generated" / "sample", home / "sample")


def asking(*paths: Path) -> TestClient:
    """Asks a server of these things in this process; it follows no redirect."""
    return TestClient(application(site_of(paths), WORLDS), base_url=HOST, follow_redirects=False)


@contextmanager
def served(*paths: Path) -> Iterator[str]:
    """The address of a server of its own, for a browser."""
    command = [sys.executable, "-m", "forge", "browse", *paths, "--no-open", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[2].rstrip(";")
        finally:
            server.terminate()


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
