"""One function for one operation, tried: by the same checks as every tool, alone on its tables.

Always holds: what is kept passed every check in the sandbox; an effect is declared only if the tool
passes the checks that are meant for it too.
"""

from dataclasses import dataclass, replace
from threading import Lock

from forge.authors.author import Author, Draft
from forge.env.session import World
from forge.synth.bench import Bench, grounds_of
from forge.synth.build import build
from forge.synth.observed import effect_seen
from forge.types.doc import ApiDoc
from forge.types.environment import Effect, Environment, Tool
from forge.types.state import State, StateSchema


class Remembered:
    """An author of bases that makes each once: many functions are tried on the same tables."""

    def __init__(self, author: Author) -> None:
        self.name = author.name
        self._author = author
        self._made: dict[tuple[str, int], State] = {}
        self._lock = Lock()

    def draft(self, doc: ApiDoc) -> list[Draft]:
        return self._author.draft(doc)

    def base(self, draft_schema: StateSchema, seed: int) -> State:
        key = (draft_schema.model_dump_json(), seed)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._author.base(draft_schema, seed)
            return self._made[key]


@dataclass(frozen=True, slots=True)
class Tried:
    """`tool`: with its effect, where one was found; `failure`: the check it failed and why, ""
    if none; `environment`: in which it was tried, where it passed."""

    tool: Tool
    source: str
    failure: str = ""
    environment: Environment | None = None


def tried(draft: Draft, tool: Tool, source: str, values: Author, *, seed: int) -> Tried:
    """`values`: who makes the bases that it is tried on."""
    alone = replace(draft, tools=(tool,), left_out=(), author="llm")
    alone = replace(alone, sources={"": draft.sources.get("", ""), tool.name: source})
    environment, checks = build(alone, values, seed=seed)
    check = checks[tool.name]
    if not check.passed:
        name, reason = next((n, r) for n, r in check.checks.items() if r != "pass")
        return Tried(tool, source, f"the check {name!r}: {reason}")
    effect = _seen(environment, tool)
    if effect is None:
        return Tried(tool, source, environment=environment)
    declared = tool.model_copy(update={"effect": effect})
    _, checks = build(replace(alone, tools=(declared,)), values, seed=seed)
    passed = checks[tool.name].passed
    return Tried(declared if passed else tool, source, environment=environment)


def lost_by(draft: Draft, before: Draft, values: Author, *, seed: int) -> dict[str, str]:
    """The tools that pass on the bases of `before` and not on those of `draft`, and what they
    fail there."""
    _, checks = build(draft, values, seed=seed)
    failed = {name: check for name, check in checks.items() if not check.passed}
    if not failed:
        return {}
    _, earlier = build(before, values, seed=seed)
    return {
        name: next(check for check, result in failed[name].checks.items() if result != "pass")
        for name in sorted(failed)
        if earlier[name].passed
    }


def _seen(environment: Environment, tool: Tool) -> Effect | None:
    with World(environment, sandbox="monty", workers=1) as world:
        return effect_seen(Bench(world, tool, grounds_of(world)[0]))
