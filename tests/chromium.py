"""A browser for tests of what needs one, and a server for it to ask."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def serving(*paths: Path) -> Iterator[str]:
    """The address of a `forge browse` of these things, which ends with the block."""
    command = [
        sys.executable,
        "-m",
        "forge",
        "browse",
        *map(str, paths),
        "--no-open",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            host = line.partition("http://")[2].partition("/")[0]
            assert host, line
            yield f"http://{host}"
        finally:
            process.terminate()


@contextmanager
def launched() -> Iterator["Browser"]:
    """The system's Chromium; where there is none, tests are skipped. While it is open, nothing else
    in this process can run an event loop."""
    driver = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is missing")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def paged(browser: "Browser", *, script: bool = True) -> Iterator["Page"]:
    """A page with no memory of others. What its scripts or its policy refuse fails the test."""
    page = browser.new_page(java_script_enabled=script)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    page.close()
    assert errors == []
