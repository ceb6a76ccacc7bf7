"""What an agent sees of a rollout, and nothing more: rules, tools, and what was said and done."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.env.session import World
from forge.types.call import ToolResult
from forge.types.environment import Tool
from forge.types.rollout import Result, Step
from forge.types.task import Task


@dataclass(slots=True)
class Dialogue:
    """`system`: the rules, the clock and for whom the agent acts; `steps`: all so far, in order."""

    system: str
    tools: Mapping[str, Tool]
    question: str
    steps: list[Step] = field(default_factory=list)


def dialogue_of(world: World, task: Task) -> Dialogue:
    """The beginning: the user has asked, and the agent has not answered."""
    return Dialogue(system_of(world, task), world.tools, task.question)


def system_of(world: World, task: Task) -> str:
    """What the agent is told before the user speaks: who it is, the rules, the clock, the actor."""
    environment = world.environment
    parts = [
        f"You are an assistant who works with {environment.title} for the user, by calling tools. "
        "Do what the user asks and no more. Look up what you need to know; ask the user for what "
        "only they can know, and never make it up. Several tools can be called in one turn. When "
        "everything is done, or cannot be done, say so, and give each answer that was asked for.",
    ]
    if environment.rules:
        parts.append(environment.rules)
    actor = "" if task.actor is None else f" The user is {json.dumps(task.actor)}."
    parts.append(f"It is {task.now}.{actor}")
    return "\n\n".join(parts)


def result_of(result: ToolResult) -> Result:
    """A tool's result as the agent reads it."""
    return Result(text=result.text, failure=result.failure, bug=result.bug)
