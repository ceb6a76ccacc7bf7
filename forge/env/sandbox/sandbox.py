"""Running the tools of an environment: one protocol, two back ends.

Always holds: a tool sees its arguments and the table API, nothing else; what it does to the
records is undone by the caller's transaction if it fails; nothing of a call is left for the next.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Literal, Protocol, Self

from forge.env.sandbox.limits import DEFAULTS, Limits
from forge.env.sandbox.source import check_source
from forge.env.store import Store
from forge.errors import UserError
from forge.types.data import Json

SandboxKind = Literal["monty", "native"]


class Sandbox(Protocol):
    def run(self, tool: str, arguments: dict[str, Json], store: Store) -> Json:
        """What the tool returns, called with `arguments` over `store`. From any thread.

        ToolError: the tool or the store refused. ToolBug: the tool raised, or went over a limit.
        SandboxLost: the worker died of itself; the call may be run again."""
        ...

    def extended(self, source: str) -> "Sandbox":
        """The same tools, and the functions of `source`, which is trusted as what is loaded is:
        it was made from that. UserError if it does not load."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_sandbox(
    source: str,
    tools: Iterable[str],
    *,
    kind: SandboxKind = "monty",
    workers: int = 2,
    limits: Limits = DEFAULTS,
) -> Sandbox:
    """A sandbox with the tools loaded. `workers` calls run at the same time in `monty`.

    UserError, with the findings, if the source breaks the rules or does not load."""
    findings = check_source(source, tools)
    if findings:
        rest = f" (and {len(findings) - 8} more)" if len(findings) > 8 else ""
        raise UserError("; ".join(findings[:8]) + rest, where="tools.py")
    return load_sandbox(source, kind=kind, workers=workers, limits=limits)


def load_sandbox(
    source: str,
    *,
    kind: SandboxKind = "monty",
    workers: int = 2,
    limits: Limits = DEFAULTS,
) -> Sandbox:
    """The same, for a source that `check_source` found nothing in."""
    if kind == "native":
        from forge.env.sandbox.native import NativeSandbox

        return NativeSandbox(source)
    from forge.env.sandbox.monty import MontySandbox

    return MontySandbox(source, workers, limits)
