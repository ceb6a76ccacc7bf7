"""Turns as thought and action: "Thought:", "Action:", "Action Input:"; what comes back is an
"Observation:", and "Final Answer:" is what is said to the user.

Always holds: any text can be read; an observation that the model wrote itself ends the turn before
it, and is neither believed nor sent back; a thought is never told to the user; what looks like a
label within an action's JSON is a part of it; a text without labels is read as any other. Time is
linear in the text.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge.llm.loose import read
from forge.rollout.policies.calls import MOST_TRIES, Written, call_of, calls_in, read_text
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import ToolCall, Turn

THOUGHT, ACTION, INPUT = "Thought:", "Action:", "Action Input:"
OBSERVATION, ANSWER = "Observation:", "Final Answer:"
STOP = (f"\n{OBSERVATION}",)
"""Only at the beginning of a line: JSON has no line that begins so, whatever its texts are."""

PROMPT = """Each of your turns takes one of two forms. To look something up or to change it:

Thought: what you know by now, and what to do next
Action: one tool, by its name: {names}
Action Input: the arguments of the tool, as one JSON object

There your turn ends. What the tool gave is then shown to you as

Observation: the result of the action

and you go on with another turn. To speak to the user, be it to ask or to tell:

Thought: why this is to be said now
Final Answer: your words to the user

Nothing is looked up or changed but by an action. Observations are not yours to write."""

_MARK = re.compile(
    r"<(?P<open>think|thinking)>|</(?P<close>think|thinking)>"
    r"|(?P<line>^[ \t>#*_-]{0,20})?(?<![^\W_])"
    r"(?P<label>Thought|Action[ _]?[Ii]nput|Action|Observation|Final[ _]?[Aa]nswer)"
    r"[ \t]{0,3}\d{0,3}[ \t]{0,3}[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3}",
    re.MULTILINE,
)
_QUOTES = " \t*`\"'[]"
_NAME = re.compile(r"[\w.-]{1,200}")
_REST = re.compile(r"[^\n]{0,200}")
_BEFORE = re.compile(r"\s*(?:```[a-z_]{0,20}\s*)?(?:\{(?=\{))?")
"""What may stand before an input: a fence, and the brace of a template."""
_NOTHING = frozenset({"", "none", "n/a", "null", "nothing"})
_FAULT = (
    f'a turn must have an action or words to the user: "{ACTION} a_tool" and, on the next line, '
    f'"{INPUT} {{}}"; or "{ANSWER}" and the words'
)


def read_react(written: str, tools: Mapping[str, Tool]) -> Written:
    """A turn under its labels, in any order, with `<think>` too. Thoughts alone are a fault."""
    turn = _Turn(written, tools)
    turn.read()
    end = turn.end
    thinking = "\n\n".join(each.strip() for each in turn.thoughts if _says(each))
    kept = "".join(turn.kept).strip()
    text = "\n".join(each.strip() for each in turn.said if each.strip())
    calls = tuple(turn.calls)
    if not turn.labels:
        other = read_text(written[:end], tools)
        return Written(other.thinking, _told(other.text), other.calls, other.kept, end)
    if not calls and not turn.answers:
        other = read_text(kept, tools)
        calls = other.calls or (ToolCall(tool="", arguments=None, fault=_FAULT),)
    return Written(thinking, _told(text), calls, kept, end)


def react_of(turn: Turn) -> str:
    """The turn as a model writes it, without its thoughts."""
    lines = [
        f"{ACTION} {call.tool}\n{INPUT} {json.dumps(call.arguments, ensure_ascii=False)}"
        for call in turn.calls
    ]
    if turn.text or not lines:
        lines.append(f"{ANSWER} {turn.text}")
    return "\n".join(lines)


def _told(text: str) -> str:
    """Without an observation that stands at the beginning of a line now that calls are taken out
    before it."""
    return f"\n{text}".partition(STOP[0])[0].strip()


def _says(text: str) -> bool:
    return any(each.isalnum() for each in text)


@dataclass(slots=True)
class _Turn:
    """What has been read up to `at`. `named`: the action whose input may still come; `end`: where
    an observation begins, if one does."""

    written: str
    tools: Mapping[str, Tool]
    at: int = 0
    end: int | None = None
    named: str | None = None
    place: Literal["thought", "answer"] = "thought"
    labels: int = 0
    answers: int = 0
    tries: int = 0
    thoughts: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    _since: int = 0
    """What follows is not put anywhere yet."""
    _begun: int = 0
    """What follows the last `<think>`."""

    def read(self) -> None:
        written = self.written
        while self.end is None and (mark := _MARK.search(written, self.at)):
            start, after = mark.span()
            if mark["open"]:
                self._put(start)
                self.kept.append(written[self._begun : start])
                closing = f"</{mark['open']}>"
                end = written.find(closing, after)
                end = len(written) if end < 0 else end
                self.thoughts.append(written[after:end])
                self._begun = self._go(min(end + len(closing), len(written)))
            elif mark["close"]:  # it was opened by the prompt: all before was thought
                self.thoughts, self.said, self.kept, self.calls = [written[:start]], [], [], []
                self.named, self.place, self.labels, self.answers = None, "thought", 0, 0
                self._begun = self._go(after)
            else:
                label = mark["label"].replace(" ", "").replace("_", "").casefold()
                close = start - self._begun < 40 and not written[self._begun : start].strip()
                begins = close or mark["line"] is not None
                if not self._counts(label, begins, start, after):
                    self.at = after
                    continue
                self.labels += 1
                self._put(start)
                if label == "actioninput":
                    self._input(after)
                    continue
                self._close()
                self._go(after)
                if label == "action":
                    self._action(after)
                elif label == "observation":
                    self.end = start
                elif label == "thought":
                    self.place = "thought"
                else:
                    self.place = "answer"
                    self.answers += 1
        if self.end is None:
            self._put(len(written))
        self._close()
        self.kept.append(written[self._begun : self.end])

    def _counts(self, label: str, begins: bool, start: int, after: int) -> bool:
        """Whether it is a label: words to the user may have such words too, and some models write
        all in one line."""
        match label:
            case "thought":
                return begins
            case "actioninput":
                return self.named is not None
            case "observation":
                nothing = not self.written[self._since : start].strip(" \t`}")
                return begins or (nothing and (bool(self.calls) or self.place == "answer"))
            case "action":
                named = _NAME.match(self.written, self._past(_QUOTES, after))
                known = named is not None and named[0] in self.tools
                return known or (begins and self.place != "answer")
            case _:
                return self.place != "answer"

    def _go(self, at: int) -> int:
        self.at = self._since = at
        return at

    def _put(self, upto: int) -> None:
        text = self.written[self._since : upto]
        (self.said if self.place == "answer" else self.thoughts).append(text)

    def _past(self, characters: str, at: int) -> int:
        while self.written[at : at + 1] and self.written[at] in characters:
            at += 1
        return at

    def _close(self) -> None:
        """No input has come for the action that was named."""
        if self.named is not None:
            self._make(self.named, None)

    def _make(self, name: str, given: Json) -> None:
        self.named = None
        if name not in self.tools and name.replace(" ", "").casefold() == "finalanswer":
            self.answers += 1
            self.said.append(given if isinstance(given, str) else json.dumps(given))
        elif name in self.tools or name.casefold() not in _NOTHING:
            self.calls.append(call_of(name, given, self.tools))

    def _action(self, after: int) -> None:
        """A name, perhaps with its input behind it; or all of it as JSON."""
        self.place = "thought"
        found = self._json(after)
        if found is not None:
            value, end = found
            made = calls_in(_action_named(value), None)
            for each, given in made:
                self._make(each, given)
            if made:
                self._go(end)
                return
        at = self._past(_QUOTES + "\n", after)
        name = _NAME.match(self.written, at)
        if name is not None and name[0] in self.tools:
            self.named = name[0]
            at = self._go(self._past(_QUOTES, name.end()))
            found = self._json(at)
            if found is not None:
                self._make(self.named, found[0])
                self._go(found[1])
            return
        line = _REST.match(self.written, at)
        assert line is not None  # it matches nothing too
        words = line[0]
        inner = _MARK.search(words)
        if inner is not None:
            words = words[: inner.start()]
        self.named = words.strip(_QUOTES + ".")
        self._go(at + len(words))

    def _json(self, at: int) -> tuple[Json, int] | None:
        """An object or a list that begins here, and where it ends."""
        start = _BEFORE.match(self.written, at).end()  # type: ignore[union-attr]
        if self.written[start : start + 1] not in ("{", "["):
            return None
        return self._value(start)

    def _value(self, start: int) -> tuple[Json, int] | None:
        """JSON that begins here, and where it ends. Each try may look at all that follows."""
        if self.tries >= MOST_TRIES:
            return None
        try:
            return read(self.written, start)
        except ValueError:
            self.tries += 1
            return None

    def _input(self, after: int) -> None:
        assert self.named is not None
        start = _BEFORE.match(self.written, after).end()  # type: ignore[union-attr]
        found = self._value(start)
        if found is None:
            end = self._next_line_label(start)
            found = self.written[start:end].strip().strip("`").strip(), end
        self._make(self.named, found[0])
        self._go(found[1])

    def _next_line_label(self, at: int) -> int:
        for mark in _MARK.finditer(self.written, at):
            if mark["line"] is not None:
                return mark.start()
        return len(self.written)


def _action_named(value: Json) -> Json:
    """Under the names that calls have elsewhere."""
    if isinstance(value, dict) and "action" in value:
        return {"name": value["action"], "arguments": value.get("action_input")}
    return value
