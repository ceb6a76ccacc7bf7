"""The user that costs nothing: tells what it is asked for, says when it does not know, and ends.

It hears what the agent says and never sees the state. Always holds: at most two facts a turn, and
only those asked for; the same words get the same answer. What they told in an earlier task of a
sequence they do not know any more, but that they told it.
"""

from forge.rollout.users.asking import asked, firsts
from forge.rollout.users.user import Reply
from forge.types.task import Fact, Task

MOST_TOLD = 2
"""Facts a turn."""

PATIENCE = 4
"""Turns in a row in which the agent asks and learns nothing, after which the user gives up."""

_DONE = {"en": "That's all, thank you.", "zh": "没有别的了，谢谢。"}
_YES = {"en": "Yes, please.", "zh": "是的，请继续。"}
_BEFORE = {
    "en": "I told you that before, and I don't have it at hand now.",
    "zh": "这个我之前告诉过您，现在手边没有。",
}
_UNKNOWN = {"en": "I don't know.", "zh": "我不知道。"}
_ENOUGH = {"en": "Never mind, I'll leave it at that.", "zh": "算了，就这样吧。"}


class Scripted:
    name = "scripted"
    errs = False

    def speaker(self, task: Task, seed: int) -> "ScriptedSpeaker":
        return ScriptedSpeaker(task)

    async def close(self) -> None:
        pass


class ScriptedSpeaker:
    def __init__(self, task: Task) -> None:
        self._question = task.question
        self._facts = {fact.name: fact for fact in task.facts}
        self._known = tuple(
            fact.model_copy(update={"told": True}) if fact.noted else fact for fact in task.facts
        )
        self._lang = task.lang
        self._told = {fact.name for fact in task.facts if not fact.told}
        self._vain = 0

    async def opening(self) -> str:
        return self._question

    async def reply(self, heard: str) -> Reply:
        found = asked(self._known, heard)
        names = firsts(found.facts, self._told, MOST_TOLD)
        earlier = [name for name in names if self._facts[name].noted]
        names = [name for name in names if name not in earlier]
        if earlier and not names:
            self._vain += 1
            return self._unless_weary(_BEFORE[self._lang])
        if names:
            self._vain = 0 if any(name not in self._told for name in names) else self._vain + 1
            self._told |= set(names)
            return self._unless_weary(telling([self._facts[name] for name in names], self._lang))
        if found.confirm or found.unknown:
            self._vain += 1
            return self._unless_weary((_YES if found.confirm else _UNKNOWN)[self._lang])
        return Reply(_DONE[self._lang], "done")

    def _unless_weary(self, text: str) -> Reply:
        if self._vain >= PATIENCE:
            return Reply(_ENOUGH[self._lang], "gave_up")
        return Reply(text)


def telling(facts: list[Fact], lang: str) -> str:
    """The facts in a sentence: "The due date of the task is ten days from today." """
    if lang == "zh":
        return "，".join(f"{fact.about or fact.name}是{fact.text}" for fact in facts) + "。"
    parts = [_clause(fact) for fact in facts]
    text = ", and ".join(parts)
    end = "" if text.endswith((".", "!", "?")) else "."
    return f"{text[0].upper()}{text[1:]}{end}"


def _clause(fact: Fact) -> str:
    name = fact.about or fact.name
    if isinstance(fact.value, bool):
        return f"{name}: {fact.text}"
    return f"{name} {'are' if isinstance(fact.value, list) else 'is'} {fact.text}"
