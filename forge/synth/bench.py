"""A tool on the bench: one base, one actor, any number of fresh sessions to call it in.

Always holds: every run starts from the base as it is (and a setup, where one is given), so no
check sees what another did. What is worked out without running the tool is worked out once: for
all tools on a base (`Ground`), and for a tool and its broken versions (`plan`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, TypeVar

from jsonschema import Draft202012Validator
from referencing import Registry

from forge.env.arguments import Parameters
from forge.env.base import Base
from forge.env.session import Session, World
from forge.synth.model import fitting, is_within
from forge.types.call import ToolResult
from forge.types.data import Json, JsonSchema
from forge.types.environment import Effect, Environment, Tool
from forge.types.state import Overlay, Record, StateSchema, Table


@dataclass(frozen=True, slots=True)
class Run:
    """One call and what it left."""

    arguments: dict[str, Json]
    result: ToolResult
    overlay: Overlay
    session: Session
    actor: str | int | None = None

    @property
    def ok(self) -> bool:
        return self.result.failure is None

    @property
    def outcome(self) -> tuple[Json, ...]:
        """What two runs must share to be the same."""
        return (
            self.result.failure,
            self.result.value,
            {table: each.model_dump() for table, each in self.overlay.items()},
        )


T = TypeVar("T")


class Ground:
    """One base, for all the tools that are tried on it."""

    def __init__(self, schema: StateSchema, name: str, base: Base) -> None:
        self.schema, self.name, self.base = schema, name, base
        self.tables = {table.name: table for table in schema.tables}
        self._rows: dict[str, list[Record]] = {}

    def records(self, table: str) -> list[Record]:
        """In an order that has nothing to do with their keys. Not to be changed."""
        rows = self._rows.get(table)
        if rows is None:
            rows = self._rows[table] = list(self.base.records(table).values())
            Random(f"{self.name}/{table}").shuffle(rows)
        return rows


def grounds_of(world: World) -> list[Ground]:
    schema = world.environment.state_schema
    return [Ground(schema, name, base) for name, base in world.bases.items()]


class Plan(Iterable[T]):
    """What an iterator gives, kept, so that it can be gone through again."""

    def __init__(self, rest: Iterator[T]) -> None:
        self._rest, self._seen = rest, list[T]()

    def __iter__(self) -> Iterator[T]:
        at = 0
        while True:
            if at == len(self._seen):
                try:
                    self._seen.append(next(self._rest))
                except StopIteration:
                    return
            yield self._seen[at]
            at += 1


class Bench:
    """`twin`: the bench of the tool that this is a broken version of."""

    def __init__(
        self, world: World, tool: Tool, ground: Ground, twin: "Bench | None" = None
    ) -> None:
        self.world, self.tool, self.ground = world, tool, ground
        self.environment: Environment = world.environment
        self.schema, self.base, self.tables = ground.schema, ground.name, ground.tables
        self.now = self.environment.nows[self.base]
        self.name: str = tool.name if twin is None else twin.name
        self.actors: Sequence[str | int] = self._actors() if twin is None else twin.actors
        self.actor = self.actors[0] if self.actors else None
        self.trials: list[Run] | None = None
        """Filled by the generic checks when they first need them."""
        self._plans: dict[tuple[str, ...], Plan[Any]] = {} if twin is None else twin._plans
        self._twin = twin

    def plan(self, names: tuple[str, ...], make: Callable[[], Iterator[T]]) -> Plan[T]:
        """What `make` gives, worked out once for the tool and its broken versions: it may not
        depend on a run."""
        if names not in self._plans:
            self._plans[names] = Plan(make())
        return self._plans[names]

    def dice(self, *names: object) -> Random:
        """The same for the same names, whatever else was drawn."""
        return Random("/".join(map(str, (self.base, self.name, *names))))

    @property
    def effect(self) -> Effect:
        assert self.tool.effect is not None
        return self.tool.effect

    @cached_property
    def table(self) -> Table:
        return self.tables[self.effect.table]

    @cached_property
    def properties(self) -> dict[str, JsonSchema]:
        found: dict[str, JsonSchema] = self.tool.parameters.get("properties", {})
        return found

    @cached_property
    def required(self) -> list[str]:
        return [
            name for name in self.properties if name in self.tool.parameters.get("required", [])
        ]

    def all_records(self, table: str) -> list[Record]:
        return self.ground.records(table)

    @cached_property
    def records(self) -> list[Record]:
        return self.all_records(self.effect.table)

    def picked(self, arguments: dict[str, Json], actor: Json = None) -> list[Record]:
        return fitting(self.effect, self.records, arguments, self.actor if actor is None else actor)

    def run(
        self,
        arguments: dict[str, Json],
        *,
        setup: Overlay | None = None,
        session: Session | None = None,
        actor: str | int | None = None,
    ) -> Run:
        """Calls the tool in a fresh session, or goes on in `session`."""
        actor = self.actor if actor is None else actor
        where = session or self.world.open(self.base, actor=actor, setup=setup or {})
        result = where.call(self.tool.name, arguments)
        return Run(arguments, result, where.overlay(), where, actor)

    def misfit(self, value: Json) -> str | None:
        """How a result differs from the schema that the tool declares."""
        if self._validator is None:
            return None
        error = next(self._validator.iter_errors(value), None)
        if error is None:
            return None
        where = "".join(f"[{step!r}]" for step in error.absolute_path)
        return f"the result{where} is not what it declares: {error.message[:200]}"

    @cached_property
    def passable(self) -> Parameters:
        """The tool's parameters, none of them required."""
        return Parameters({**self.tool.parameters, "required": []})

    @cached_property
    def _validator(self) -> Draft202012Validator | None:
        if self._twin is not None:
            return self._twin._validator
        if self.tool.returns is None:
            return None
        schema = without_patterns(self.tool.returns)
        return Draft202012Validator(schema, registry=Registry())

    def _actors(self) -> Sequence[str | int]:
        """Keys of those who may act; first those to whom most of what is fixed belongs."""
        if self.schema.actors is None:
            return []
        key = self.tables[self.schema.actors].key[0]
        keys = [record[key] for record in self.all_records(self.schema.actors)]
        effect = self.tool.effect
        if effect is None or "$me" not in effect.fixed.values():
            return keys
        counts = {
            each: sum(is_within(effect, record, each) for record in self.records) for each in keys
        }
        return sorted(keys, key=lambda each: -counts[each])


def without_patterns(schema: Json) -> Json:
    """Patterns come from documents, and one can take for ever."""
    if isinstance(schema, dict):
        return {
            name: without_patterns(value)
            for name, value in schema.items()
            if not (name in ("pattern", "patternProperties") and _is_pattern(value))
        }
    return [without_patterns(each) for each in schema] if isinstance(schema, list) else schema


def _is_pattern(value: Json) -> bool:
    """A property may be named "pattern": its value is then a schema of that property."""
    return isinstance(value, str) or (
        isinstance(value, dict)
        and not {"type", "$ref", "anyOf", "oneOf", "allOf", "enum"} & set(value)
    )
