"""What tests take from the command line, and the browser that some of them look through."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

QUICK = 10_000  # milliseconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bench-root",
        type=Path,
        help="A folder of checkouts of benchmarks (tau-bench, …), for the tests marked bench_root.",
    )


@pytest.fixture
def bench_root(request: pytest.FixtureRequest) -> Path:
    root = request.config.getoption("--bench-root")
    if root is None:
        pytest.skip("needs --bench-root")
    return Path(root)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless browser, driven by Playwright: the system's own. Playwright keeps an event loop
    running, so other modules must not find it open."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install '.[browser]'"
    )
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """One whose scripts may not fail."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(QUICK)
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    opened.on("console", lambda said: failures.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    assert not failures
