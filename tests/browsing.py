"""What tests of `forge browse` share: a copy of the sample data set, and who asks for pages."""

import shutil
from pathlib import Path

from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from forge.browse.server import application
from forge.browse.things import site_of
from forge.browse.worlds import Worlds
from forge.cli.main import app
from tests.places import ROOT

HOST = "http://127.0.0.1:8765"


def sample(home: Path) -> Path:
    """A copy that can be changed."""
    return shutil.copytree(ROOT / "generated" / "sample", home / "sample")


def asking(*paths: Path) -> TestClient:
    """Asks a server of these things in this process; it follows no redirect."""
    return TestClient(application(site_of(paths), Worlds()), base_url=HOST, follow_redirects=False)


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
