"""A task: where it starts, what the user wants (as data), what they say, and the proven way there.

The intent (`intent.py`) is evaluated by the host on the records alone; the DAG (`dag.py`) and the
golden calls are the way through the tools. That both end in the same state is the `meaning` gate.
"""

from typing import Literal

from pydantic import Field

from forge.types.call import Call
from forge.types.dag import Origin, TaskDag
from forge.types.data import Data, Json
from forge.types.environment import Provenance
from forge.types.intent import Intent
from forge.types.state import Overlay


class Fact(Data):
    """Something the user knows. `text` is how they say the value; `told`: only when asked."""

    name: str
    value: Json
    text: str
    about: str = ""
    """What one would ask for to hear it: "the due date of the task"."""
    told: bool = False
    noted: bool = False
    """Told in an earlier task of the sequence: the user does not have it at hand any more."""


class Due(Data):
    """Something the agent must say: the value of answer wish `wish`, found at `origin`."""

    wish: int
    origin: Origin
    type: Literal["string", "integer", "number", "boolean", "date", "date-time"]
    value: Json
    candidates: tuple[Json, ...] = ()
    """Other values it could have been; naming one of them too is wrong."""


class GateReport(Data):
    passed: bool
    reason: str = ""


class Wording(Provenance):
    """How a model worded a question. `of`: the hash of the task as rules worded it; which side of
    the split it is on follows from that, in whatever words and language."""

    of: str


Kind = Literal["change", "answer", "mixed", "refuse", "sequence"]
"""What is wanted: a change, an answer, both, something that cannot be; or a task of a sequence, of
which a later one needs what an earlier one told."""
Lang = Literal["en", "zh"]
Band = Literal["easy", "medium", "hard"]


class Task(Data):
    id: str
    env: str
    kind: Kind
    follows: str | None = None
    """Of a sequence: the task before, whose end this one's setup is. They are played in one
    session, each in a dialogue of its own; all an agent keeps is what it noted."""
    band: Band = "easy"
    """What the numbers in `difficulty` come to, by the rule in `forge/tasks/difficulty.py`."""
    split: Literal["train", "test"] = "train"
    """By hash: see `forge/dataset/hashes.py`."""
    lang: Lang = "en"
    base: str
    actor: str | int | None = None
    now: str
    setup: Overlay = Field(default_factory=dict)
    question: str
    worded: Wording | None = None
    """How a model worded the question; None where rules did, or somebody by hand."""
    intent: Intent
    facts: tuple[Fact, ...] = ()
    dues: tuple[Due, ...] = ()
    dag: TaskDag
    golden_calls: tuple[Call, ...]
    golden: Overlay
    """What the golden calls leave, over base and setup."""
    gates: dict[str, GateReport] = Field(default_factory=dict)
    difficulty: dict[str, int] = Field(default_factory=dict)
    merged: Provenance | None = None
    """How a model joined the wishes; None where rules did, or somebody by hand."""
    hash: str = ""
