"""What tests take from the command line."""

from pathlib import Path

import pytest


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
