"""Monty's type checker, run on tools against stubs of the table API.

It finds what no syntax rule can: a kind of `fail` that does not exist, an attribute of what may be
None, a helper called with the wrong arguments. It never runs the source.
"""

import re

from pydantic_monty import Monty, MontyError, MontyTypingError

STUBS = """\
from collections.abc import Sequence
from typing import Any, Literal, NoReturn

def get(table: str, /, *key: Any) -> dict[str, Any]: ...
def find(
    table: str,
    /,
    *,
    sort: str | Sequence[str] | None = (),
    limit: int | None = None,
    offset: int = 0,
    **where: Any,
) -> list[dict[str, Any]]: ...
def count(table: str, /, **where: Any) -> int: ...
def insert(table: str, /, **fields: Any) -> dict[str, Any]: ...
def update(table: str, /, *key: Any, **fields: Any) -> dict[str, Any]: ...
def delete(table: str, /, *key: Any) -> dict[str, Any]: ...
def save(table: str, record: dict[str, Any], /) -> dict[str, Any]: ...
def given(**arguments: Any) -> dict[str, Any]: ...
def page(
    rows: list[dict[str, Any]], limit: int | None = None, cursor: str | None = None
) -> dict[str, Any]: ...
def me() -> Any: ...
def now() -> str: ...
def today() -> str: ...
def fail(
    kind: Literal["invalid", "not_found", "forbidden", "conflict"], message: str
) -> NoReturn: ...
"""

_FINDING = re.compile(r"^tools\.py:(\d+):\d+: (?:error|warning)\[[a-z-]+\] (.*)$", re.MULTILINE)


def type_findings(source: str) -> list[str]:
    """What the type checker has to say, one line each, `line 12: why`; empty if fine. The source
    must have passed `check_source`. Takes about 50 ms."""
    with (
        Monty(min_processes=0, max_processes=1) as pool,
        pool.checkout(
            script_name="tools.py",
            type_check=True,
            type_check_stubs=STUBS,
            type_check_format="concise",
        ) as session,
    ):
        try:
            session.feed_run(source)
        except MontyTypingError as error:
            report = error.display()
            lines = [f"line {line}: {reason}" for line, reason in _FINDING.findall(report)]
            return lines or [f"line 1: {report.strip()[:400]}"]
        except MontyError as error:
            return [f"line 1: does not load: {error}"[:400]]
    return []
