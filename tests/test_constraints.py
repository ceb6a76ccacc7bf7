"""The versions that are known to work together suit every extra."""

import subprocess
import sys

import pytest

from tests.places import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["validate", "llm", "local", "train", "browser", "vllm", "test"])
def test_an_extra_can_be_installed_under_the_constraints(extra: str) -> None:
    words = ["install", "--dry-run", "--quiet", "--ignore-installed", "-c", "constraints.txt"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, f".[{extra}]"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
