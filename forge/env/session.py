"""An environment made runnable, and one isolated running copy of it.

Always holds: a call is a transaction; an agent's or a tool's mistake is a result, never an
exception; what comes back is JSON and shares nothing with the records.
"""

from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from types import MappingProxyType, TracebackType
from typing import Self, cast

from forge.env.arguments import Parameters
from forge.env.base import Base
from forge.env.identity import shown
from forge.env.notes import with_notes
from forge.env.plain import plain
from forge.env.sandbox.limits import DEFAULTS, Limits
from forge.env.sandbox.sandbox import Sandbox, SandboxKind, open_sandbox
from forge.env.sandbox.source import signature_findings
from forge.env.store import Store
from forge.env.values import suggestion
from forge.errors import SandboxLost, ToolBug, ToolError, UserError
from forge.types.call import Failure, ToolResult
from forge.types.data import Json
from forge.types.environment import Environment, Tool
from forge.types.state import Overlay, State


class World:
    """The bases loaded and the sandbox open, for any number of sessions, from any thread.

    UserError if a base does not fit the schema or the tools break the rules. `bases`: those of
    another world with the same state space, shared instead of loaded again. `box`: a sandbox with
    these tools, whose source was checked, loaded already; the world closes it."""

    def __init__(
        self,
        environment: Environment,
        *,
        sandbox: SandboxKind = "monty",
        workers: int = 2,
        limits: Limits = DEFAULTS,
        bases: Mapping[str, Base] | None = None,
        box: Sandbox | None = None,
    ) -> None:
        self.environment = environment
        self.tools: Mapping[str, Tool] = MappingProxyType(
            {tool.name: tool for tool in environment.tools}
        )
        if len(self.tools) < len(environment.tools):
            raise UserError(f"two tools of {environment.name} have the same name")
        self.parameters: Mapping[str, Parameters] = MappingProxyType(
            {tool.name: Parameters(tool.parameters) for tool in environment.tools}
        )
        timeless = sorted(set(environment.bases) - set(environment.nows))
        if timeless:
            raise UserError(f"the base {shown(timeless[0])} has no `now`, the clock's start")
        self.bases = bases or MappingProxyType(
            {
                name: Base(environment.state_schema, state)
                for name, state in environment.bases.items()
            }
        )
        self.sandbox = box or open_sandbox(
            environment.source, self.tools, kind=sandbox, workers=workers, limits=limits
        )
        self._sandbox_kind, self._workers, self._limits = sandbox, workers, limits
        self._noting: World | None = None
        self._lock = Lock()
        findings = [] if box else signature_findings(environment.source, environment.tools)
        if findings:
            self.close()
            raise UserError("; ".join(findings[:8]), where="tools.py")

    def open(
        self,
        base: str,
        *,
        actor: str | int | None = None,
        now: str | None = None,
        setup: Overlay = {},  # noqa: B006 - never changed
        seed: int = 0,
    ) -> "Session":
        """A session that starts from a base; `now` is the base's own where it is not given. A
        setup is checked each time it is laid on, some 20 µs a record: to start from the same one
        often, open it once and fork that session."""
        if base not in self.bases:
            raise UserError(f"there is no base {shown(base)}: {suggestion(base, self.bases)}")
        start = self.environment.nows[base] if now is None else now
        store = Store(self.bases[base], now=start, actor=actor, setup=setup, seed=seed)
        return Session(self, store)

    def of(self, kind: str) -> "World":
        """The world in which tasks of a kind are played: this one; for those of a sequence, one
        like it that has notes."""
        if kind != "sequence":
            return self
        with self._lock:
            if self._noting is None:
                self._noting = World(
                    with_notes(self.environment),
                    sandbox=self._sandbox_kind,
                    workers=self._workers,
                    limits=self._limits,
                )
                self._noting._noting = self._noting
        return self._noting

    @cached_property
    def column_names(self) -> frozenset[str]:
        tables = self.environment.state_schema.tables
        return frozenset(column.name for table in tables for column in table.columns)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the program: of columns, tables, tools and their arguments."""
        tables = {table.name for table in self.environment.state_schema.tables}
        arguments = {n for t in self.environment.tools for n in t.parameters.get("properties", {})}
        return self.column_names | tables | self.tools.keys() | arguments

    def close(self) -> None:
        """Ends the sandbox; its sessions can still be looked at, but not call tools."""
        self.sandbox.close()
        if self._noting not in (None, self):
            self._noting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Session:
    """For one thread at a time."""

    def __init__(self, world: World, store: Store) -> None:
        self.world = world
        self.store = store

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult:
        """Runs a tool. SandboxLost if its worker died, twice."""
        known = self.world.tools.get(tool) if isinstance(tool, str) else None
        if known is None:
            there = suggestion(str(tool), self.world.tools)
            return ToolResult(failure="invalid", message=f"there is no tool {shown(tool)}: {there}")
        try:
            passed = self.world.parameters[tool].read(arguments)
            try:
                return ToolResult(value=self._run(known, passed))
            except SandboxLost:
                return ToolResult(value=self._run(known, passed))
        except ToolError as error:
            return ToolResult(failure=cast(Failure, error.kind), message=error.message)
        except ToolBug as error:
            return ToolResult(failure="internal", message="internal error", bug=error.reason)

    def overlay(self) -> Overlay:
        """What the session changed over base and setup."""
        return self.store.overlay()

    def state(self) -> State:
        return self.store.state()

    def fork(self) -> "Session":
        """A session of its own that starts as this one is now."""
        return Session(self.world, self.store.fork())

    def later(self, now: str) -> "Session":
        """The same, with the clock moved on to `now`."""
        return Session(self.world, self.store.later(now))

    def _run(self, tool: Tool, arguments: dict[str, Json]) -> Json:
        store = self.store
        with store.transaction():
            before = store.writes
            value = self.world.sandbox.run(tool.name, arguments, store)
            if tool.kind == "read" and store.writes != before:
                raise ToolBug("it is a read, and it writes")
            try:
                return plain(value)
            except ValueError as error:
                raise ToolBug(f"its result {error}") from error
