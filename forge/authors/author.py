"""The one protocol behind which authors stand, whether they are rules or a model.

A draft is a proposal: nothing in it is trusted until the tool checks have run it.
"""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from forge.types.doc import ApiDoc
from forge.types.environment import LeftOut, Provenance, Tool
from forge.types.state import State, StateSchema


@dataclass(frozen=True, slots=True)
class Draft:
    """One environment as proposed."""

    name: str
    title: str
    state_schema: StateSchema
    tools: tuple[Tool, ...]
    sources: dict[str, str]
    """Tool name -> the text of its one function; "" -> the private functions they share."""
    left_out: tuple[LeftOut, ...]
    author: Literal["structural", "llm"] = "llm"
    """`structural` where all of it is rules' own templates, which are trusted; `llm` where any of
    it may be a model's, which never is."""
    words: dict[str, str] = field(default_factory=dict)
    """Chinese words for tables, columns and values, by the English ones."""
    made: dict[str, Provenance] = field(default_factory=dict)
    """`tools/NAME`, `rules/NAME` -> how a model made it."""
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool name -> the rules that it refuses by, each a sentence for the agent."""


class Author(Protocol):
    name: str

    def draft(self, doc: ApiDoc) -> list[Draft]:
        """One draft per environment; one without tools where no operation could be made into one,
        for what it left out."""
        ...

    def base(self, draft_schema: StateSchema, seed: int) -> State:
        """A base state for the schema; the same seed gives the same state."""
        ...
