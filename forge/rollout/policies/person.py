"""The agent that is a person, who types calls and words."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from forge.env.session import World
from forge.env.values import suggestion
from forge.rollout.dialogue import Dialogue
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import ToolCall, Turn
from forge.types.task import Task

HELP = """TOOL name=value …  calls a tool; so does TOOL {"name": value}
/tools             all tools
/tool TOOL         one tool and its arguments
/say TEXT          says it to the user, whatever it looks like
/quit              ends the rollout
Anything else is said to the user; what asks nothing ends the rollout."""


class Quit(Exception):
    """The person, or the end of the input, ends the rollout."""


@dataclass(slots=True)
class Person:
    """`read`: the next line, None at the end; `tell`: shows a text."""

    read: Callable[[], str | None]
    tell: Callable[[str], None]
    name: str = "person"

    def seat(self, world: World, task: Task, seed: int) -> "PersonAtTheTools":
        return PersonAtTheTools(self.read, self.tell)

    async def close(self) -> None:
        pass


@dataclass(slots=True)
class PersonAtTheTools:
    read: Callable[[], str | None]
    tell: Callable[[str], None]
    _seen: int = field(default=0)

    async def act(self, dialogue: Dialogue) -> Turn:
        """Raises Quit."""
        if not dialogue.steps:
            self.tell(f"{dialogue.system}\n\n{HELP}\n\nuser: {dialogue.question}")
        for step in dialogue.steps[self._seen :]:
            for result in step.results:
                self.tell(f"result: {result.text}")
            if step.user is not None:
                self.tell(f"user: {step.user}")
        self._seen = len(dialogue.steps)
        while True:
            line = self.read()
            if line is None:
                raise Quit
            turn = self._turn(line.strip(), dialogue)
            if turn is not None:
                return turn

    def _turn(self, line: str, dialogue: Dialogue) -> Turn | None:
        """What the line does, if it is a turn."""
        word, _, rest = line.partition(" ")
        if not line:
            return None
        if word == "/quit":
            raise Quit
        if word == "/say" and rest.strip():
            return Turn(text=rest.strip())
        if word == "/tools":
            self.tell("\n".join(map(_line_of, dialogue.tools.values())))
            return None
        if word == "/tool" and rest.strip() in dialogue.tools:
            self.tell(_page_of(dialogue.tools[rest.strip()]))
            return None
        if word.startswith("/"):
            self.tell(HELP)
            return None
        if word not in dialogue.tools:
            if "_" in word or rest.startswith("{"):
                self.tell(f"there is no tool {word}: {suggestion(word, dialogue.tools)}")
                return None
            return Turn(text=line)
        try:
            arguments = arguments_of(rest)
        except ValueError as error:
            self.tell(f"not called: {error}")
            return None
        return Turn(calls=(ToolCall(tool=word, arguments=arguments),))


def arguments_of(text: str) -> dict[str, Json]:
    """`{"name": value}`, or `name=value other="a b"`, where a value that is JSON is read as such.
    ValueError if it is neither."""
    if text.strip().startswith("{"):
        found = json.loads(text)
        return dict(found)
    arguments: dict[str, Json] = {}
    for part in shlex.split(text):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} is not name=value")
        try:
            arguments[name] = json.loads(value)
        except ValueError:
            arguments[name] = value
    return arguments


def _line_of(tool: Tool) -> str:
    names = ", ".join(tool.parameters.get("properties", {}))
    return f"{tool.name}({names})  {tool.description.splitlines()[0] if tool.description else ''}"


def _page_of(tool: Tool) -> str:
    return f"{tool.name}: {tool.description}\n{json.dumps(tool.parameters, indent=1)}"
