"""Tasks of ACEBench as they are played: a scenario on which calls are made, dialogues on it, and
tasks that one answer is given to.

Always holds: calls come from the syntax tree, are made on every class of the scenario that has
them, and never reach what begins with `_`; a user who is a model is asked by forge, in the
benchmark's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from forge.bench.benchmark import Item, Score
from forge.bench.pycalls import PyCall, Unreadable, calls_in
from forge.types.data import Json
from forge.types.environment import Tool

if TYPE_CHECKING:
    from forge.bench.acebench import AceBench

FINISH = "finish conversation"
MOST = 40
"""Messages of a dialogue, as its own runs have them: its agents' and those they are answered by."""


class Stage:
    """The scenario of one dialogue, on which calls are made."""

    def __init__(self, bench: AceBench, item: Item) -> None:
        self._bench, self._item = bench, item
        self._instances = bench.instances(item)
        self._reached = False
        self._process: list[str] = []
        self._strictly_one = item.split == "agent_multi_turn"

    def run(self, text: str) -> list[Json] | None:
        """What the calls in a message of the agent give; None if there are none in it."""
        try:
            calls = calls_in(text)
        except Unreadable:
            if not self._strictly_one:
                self._process.append(text)
            return None
        self._process.append(text)
        found: list[Json] = []
        for call in calls:
            try:
                found.append(self._call(call))
            except Exception as error:  # the boundary: its classes raise what they like
                found.append(f"Error during execution: {error}")
                if self._strictly_one:
                    return found
        self._reached = True
        return found

    def score(self) -> Score:
        state = self._bench.state(self._instances) if self._reached else []
        return self._bench.score_state(self._item, state, self._process)

    def _call(self, call: PyCall) -> Json:
        """Made on every class that has it, as its own runs do; what the last one says."""
        able = [
            one
            for one in self._instances.values()
            if not call.name.startswith("_") and callable(vars_of(one).get(call.name))
        ]
        if not able:
            raise LookupError(f"there is no {call.name}")
        results = [vars_of(one)[call.name](one, **deepcopy(call.arguments)) for one in able]
        last = results[-1]
        return last if isinstance(last, dict | str) else str(last)


def vars_of(instance: Any) -> dict[str, Any]:
    """The functions of its class, inherited ones too."""
    found: dict[str, Any] = {}
    for each in reversed(type(instance).__mro__[:-1]):
        found |= vars(each)
    return found


class AceDialogue:
    """A task of `agent_multi_turn` or `agent_multi_step`."""

    most = MOST // 2

    def __init__(self, bench: AceBench, item: Item) -> None:
        self.tools: Mapping[str, Tool] = {}
        self._task, _ = bench.case(item)
        self._stage = Stage(bench, item)
        self._user: Any = bench.user(item) if bench.speaks(item) else None
        self._spoken = False
        """Whether the next reply is the user's, and no result."""
        self._written = 0
        """Messages so far, the first left out."""
        lang = item.domain.upper()
        words = bench.words if self._user is not None else bench.steps
        self.system = words[f"MULTI_TURN_AGENT_PROMPT_SYSTEM_{lang}"]
        self._frame = words[f"MULTI_TURN_AGENT_PROMPT_USER_{lang}"]
        if self._user is not None:
            for name, text in (("Travel", "TRAVEL"), ("BaseApi", "BASE")):
                if name in self._task["involved_classes"]:
                    self.system += words[f"{text}_PROMPT_{lang}"]

    def asked(self, heard: str | None) -> list[Json] | str:
        if heard is None:
            if self._user is None:
                return str(self._task["question"])
            return _asked(lambda: self._user.get_init_prompt(self._task["question"]))
        self._spoken = False
        if self._ends(heard):
            return ""
        results = self._stage.run(heard)
        if results is not None:
            return f"execution: {results}"
        if self._user is None:
            return "execution: only calls are read here; go on with what you know"
        self._spoken = True
        self._user.step(heard)
        return _asked(self._user.respond)

    def hear(self, heard: str | None, reply: str) -> tuple[str, Score | None]:
        if heard is None:
            if self._user is not None:
                self._user.messages.append({"role": "system", "content": reply})
            functions = listed(self._task["function"])
            return self._frame.format(functions=functions, history=f"user:{reply}\n"), None
        if self._ends(heard):
            return "", self._stage.score()
        self._written += 1
        if self._spoken:
            self._user.messages.append({"role": "system", "content": reply})
            if self._ends(reply):
                return reply, self._stage.score()
            reply = f"user: {reply}"
        self._written += 1
        return reply, None

    def call(self, tool: str, arguments: dict[str, Json]) -> tuple[str, Score | None]:
        return "Error: calls are written in the text here", None

    def cut(self) -> Score:
        return self._stage.score()

    def _ends(self, message: str) -> bool:
        return self._written > 1 and FINISH in message


class AceAnswer:
    """A task that one answer is given to."""

    most = 1

    def __init__(self, bench: AceBench, item: Item) -> None:
        self.tools: Mapping[str, Tool] = {}
        self._bench, self._item = bench, item
        self._task, _ = bench.case(item)
        lang = item.domain.upper()
        kind = "NORMAL"
        if item.split.startswith("special"):
            kind = "SPECIAL"
        elif "preference" in item.split:
            kind = "PREFERENCE"
        self.system = bench.words[f"SYSTEM_PROMPT_FOR_{kind}_DATA_{lang}"].format(
            time=self._task.get("time", ""),
            profile=self._task.get("profile", ""),
            function=listed(self._task["function"]),
        )
        self._frame = bench.words[f"USER_PROMPT_{lang}"]

    def asked(self, heard: str | None) -> list[Json] | str:
        return str(self._task["question"]) if heard is None else ""

    def hear(self, heard: str | None, reply: str) -> tuple[str, Score | None]:
        if heard is None:
            return self._frame.format(question=reply), None
        return "", self._bench.score(self._item, heard)

    def call(self, tool: str, arguments: dict[str, Json]) -> tuple[str, Score | None]:
        return "Error: calls are written in the text here", None

    def cut(self) -> Score:
        return self._bench.score(self._item, "")


class Asks(Exception):
    def __init__(self, messages: Sequence[Json]) -> None:
        self.messages = list(messages)
        super().__init__("asks the user's model")


class Client:
    """As much of a client as its user has; it asks nobody."""

    @property
    def chat(self) -> Client:
        return self

    @property
    def completions(self) -> Client:
        return self

    def create(self, *, messages: Sequence[Json], **named: Json) -> None:
        raise Asks(messages)


def _asked(speak: Any) -> list[Json]:
    try:
        speak()
    except Asks as asks:
        return asks.messages
    raise RuntimeError("the benchmark's user asks no model")


def listed(functions: Json) -> Json:
    return [functions] if isinstance(functions, dict | str) else functions
