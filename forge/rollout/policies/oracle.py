"""The policy that plays a task's golden DAG through the loop, and asks for what it is not told.

It knows the DAG and which facts there are, and takes every value from the dialogue: a fact from
what the user said, a result from what the tool wrote. So what it cannot know, it does not do, and
it says so; and it says of what cannot be granted that it is not done. Calls that pass
("unavailable") are made again.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from forge.env.session import World
from forge.rollout.dialogue import Dialogue
from forge.tasks.dags.play import (
    Played,
    PlayError,
    answers_of,
    facts_of,
    origins_of,
    step,
    value_of,
)
from forge.tasks.dags.reason import ReasonError
from forge.types.call import Call, ToolResult
from forge.types.dag import ReasonNode, Told
from forge.types.data import Json
from forge.types.intent import Answer, Refused
from forge.types.rollout import ToolCall, Turn
from forge.types.task import Due, Lang, Task

_ASK: dict[Lang, str] = {
    "en": "Could you tell me {}, please?",
    "zh": "请问{}是什么？",
}
_DONE: dict[Lang, tuple[str, str]] = {
    "en": ("That is done.", "The rest is done."),
    "zh": ("已经办好了。", "其他的已经办好了。"),
}
_UNDONE: dict[Lang, dict[str, str]] = {
    "en": {
        "missing": "That is not possible: there is none like it.",
        "state": "That is not possible: as it is now, this is not allowed.",
        "taken": "That is not possible: the same is there already.",
        "in_use": "That is not possible: others still belong to it.",
    },
    "zh": {
        "missing": "这件事办不到：没有符合的记录。",
        "state": "这件事办不到：目前的状态不允许。",
        "taken": "这件事办不到：相同的已经有了。",
        "in_use": "这件事办不到：还有别的记录属于它。",
    },
}
_ANSWER: dict[Lang, tuple[str, str, str, str]] = {
    "en": ("The answer is {}.", 'The answer is "{}".', "yes", "no"),
    "zh": ("答案：{}。", "答案：“{}”。", "是", "否"),
}


class Oracle:
    name = "oracle"

    def seat(self, world: World, task: Task, seed: int) -> "DagPlayer":
        return DagPlayer(task)

    async def close(self) -> None:
        pass


class _Waits(Exception):
    """The DAG needs the result of this call next."""

    def __init__(self, call: Call) -> None:
        self.call = call


@dataclass(slots=True)
class _Tape:
    """Calls that were made, with their results; the next one is waited for."""

    calls: list[Call]
    results: list[ToolResult]
    at: int = 0

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult:
        if self.at == len(self.results):
            raise _Waits(Call(tool=tool, arguments=arguments))
        self.at += 1
        return self.results[self.at - 1]


@dataclass(slots=True)
class DagPlayer:
    """Plays the task's DAG. `choose`: what a reasoning node gives of its candidates, where that is
    not what it means."""

    task: Task
    choose: Callable[[ReasonNode, Json], Json] | None = None
    _turns: Iterator[Turn] | None = None
    _told: set[str] = field(default_factory=set)

    async def act(self, dialogue: Dialogue) -> Turn:
        if self._turns is None:
            self._turns = self._play(dialogue)
        return next(self._turns, Turn(text="That is all."))

    def _play(self, dialogue: Dialogue) -> Iterator[Turn]:
        task = self.task
        facts = facts_of(task.facts)
        texts = {fact.name: fact for fact in task.facts}
        played = Played()
        try:
            for node in task.dag.nodes:
                for name in [o.fact for o in origins_of(node) if isinstance(o, Told)]:
                    if name in self._told:
                        continue
                    if name not in texts:
                        raise PlayError(node.id, f"nobody knows {name}")
                    yield Turn(text=_ASK[task.lang].format(texts[name].about))
                    if texts[name].text not in (dialogue.steps[-1].user or ""):
                        yield Turn(text=f"Without {texts[name].about} I cannot do it.")
                        return
                    self._told.add(name)
                if isinstance(node, ReasonNode) and self.choose is not None:
                    candidates = value_of(node.over, played.values, facts)
                    played.values[node.id] = self.choose(node, candidates)
                    continue
                tape = _Tape([], [])
                while True:
                    tape.at = 0
                    trial = Played(values=dict(played.values), by_item=dict(played.by_item))
                    try:
                        step(tape, node, trial, facts)
                        break
                    except _Waits as waits:
                        tape.calls.append(waits.call)
                    while True:
                        yield Turn(calls=(_written(tape.calls[-1], len(dialogue.steps)),))
                        found = dialogue.steps[-1].results[0]
                        if found.failure != "unavailable":
                            break
                    value = _read(found.text)
                    tape.results.append(
                        ToolResult(value=value)
                        if found.failure is None
                        else ToolResult(
                            failure=found.failure, message=value["message"], bug=found.bug
                        )
                    )
                played = trial
            answers = answers_of(task.dues, played.values, facts)
        except (PlayError, ReasonError) as error:
            yield Turn(text=f"I could not do it: {error}.")
            return
        said = [telling(*each, task.lang) for each in zip(task.dues, answers, strict=True)]
        yield Turn(text=" ".join([*closing(task), *said]))


@lru_cache(maxsize=32)
def _read(text: str) -> Json:
    """What a tool wrote; it comes again and again, and nobody changes it."""
    return json.loads(text)


def _written(call: Call, number: int) -> ToolCall:
    return ToolCall(id=f"call_{number}", tool=call.tool, arguments=call.arguments)


def closing(task: Task) -> Iterator[str]:
    """What became of the task's deeds, in sentences; none where nothing was to be done."""
    wishes = task.intent.wishes
    refused = [wish for wish in wishes if isinstance(wish, Refused)]
    for wish in refused:
        yield _UNDONE[task.lang][wish.why]
    if any(not isinstance(wish, Answer | Refused) for wish in wishes):
        yield _DONE[task.lang][bool(refused)]


def telling(due: Due, value: Json, lang: Lang) -> str:
    """A sentence that gives an answer, as an agent would."""
    plain, quoted, yes, no = _ANSWER[lang]
    if due.type == "boolean":
        return plain.format(yes if value else no)
    if due.type == "date-time" and isinstance(value, str):
        at = datetime.fromisoformat(value)
        return plain.format(
            f"{at:%Y-%m-%d %H:%M}" if lang == "zh" else f"{at:%Y-%m-%d} at {at:%H:%M}"
        )
    return (quoted if due.type == "string" else plain).format(value)
