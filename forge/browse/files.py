"""Files as the pages read them: those of an environment kept until they change, and a file that
cannot be read told in a line, where the page can do without it."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from forge.dataset.folder import environment_folder, environment_of
from forge.errors import UserError
from forge.types.environment import Environment

Stamp = tuple[int, int]
"""When a file was last written, in nanoseconds, and its size in bytes; zeros if there is none."""
Read = TypeVar("Read")


def stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def environment_at(folder: Path, name: str) -> Environment:
    """UserError if it cannot be read."""
    home = environment_folder(folder, name)
    files = [home / "environment.json", home / "tools.py", *sorted(home.glob("bases/*.json"))]
    return _environment(folder, name, tuple((path.name, stamp(path)) for path in files))


@lru_cache(maxsize=16)
def _environment(folder: Path, name: str, stamps: tuple[tuple[str, Stamp], ...]) -> Environment:
    return environment_of(folder, name)


def optional(read: Callable[[Path], Read | None], path: Path) -> tuple[Read | None, str]:
    """What is there, or why it cannot be read."""
    try:
        return read(path), ""
    except UserError as error:
        return None, str(error)
