"""What `dataset.json` says: what is in the data set and what it was made from.

Always holds: it repeats no more than a reader needs to know a data set at sight and to tell
whether files were changed since; it has no clock time, path, host or folder name.
"""

from pydantic import Field

from forge.types.data import Data
from forge.types.task import Band, Kind

FORMAT = 1


class EnvironmentEntry(Data):
    title: str
    author: str
    origin: str = ""
    hash: str
    """Of the environment as it was when forge last checked it."""
    tables: int
    tools: int
    left_out: int
    tasks: int
    edited: bool = False
    """Whether what forge last checked was not as forge had made it."""
    held_out: bool = False
    """Whether all its tasks are for testing."""
    overlaps: tuple[str, ...] = ()
    """Known benchmarks whose tools these are."""


class Counts(Data):
    environments: int
    tools: int
    tasks: int
    kinds: dict[str, int]
    bands: dict[str, int] = Field(default_factory=dict)
    splits: dict[str, int]
    languages: dict[str, int]
    worded: int = 0
    """Tasks whose question a model worded."""
    merged: int = 0
    """Tasks whose wishes a model joined."""


class Added(Data):
    """What one run of `forge tasks` added."""

    seed: int
    asked: int
    """Tasks for each environment."""
    kind: Kind | None = None
    difficulty: Band | None = None
    environments: dict[str, int]
    """Environment -> how many tasks there were."""


class Manifest(Data):
    format: int
    forge: str
    """The version that wrote it."""
    seed: int | None = None
    """None: written by hand."""
    authors: tuple[str, ...]
    models: tuple[str, ...] = ()
    sources: dict[str, str] = Field(default_factory=dict)
    """Document file name -> its sha256."""
    added: tuple[Added, ...] = ()
    """After the data set was made, in this order."""
    counts: Counts
    environments: dict[str, EnvironmentEntry]
