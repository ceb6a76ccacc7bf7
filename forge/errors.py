"""The kinds of error, apart from each other from the first line of a traceback.

- `UserError`: something the person at the keyboard can mend. Shown as one line, exit code 2.
- `ToolError`: a refusal that the agent sees as the result of its call and can act on.
- `ToolBug`: the tool itself is broken; the agent sees "internal error", the run goes on.
- `SandboxLost`, `EndpointLost`: infrastructure. Retried and counted, never a reward of 0.
- `BudgetSpent`: a model would cost more than it may. What is paid for is kept, the rest not asked.
- `ContextFull`: a rollout that has grown too long for its model, and ends there.

Any other exception is a bug of forge and keeps its traceback.
"""


class UserError(Exception):
    """`what` went wrong, `where` (file, line), and `mend`: the flag or line that puts it right."""

    def __init__(self, what: str, *, where: str = "", mend: str = "") -> None:
        self.what, self.where, self.mend = what, where, mend
        place = f"{where}: " if where else ""
        cure = f" ({mend})" if mend else ""
        super().__init__(f"{place}{what}{cure}")


def lacks_package(what: str, error: ImportError, mend: str) -> UserError:
    """That `what` cannot begin, as a package is missing or one of them cannot be loaded. Raises the
    error itself where it is a module of forge's that cannot: that is a bug."""
    if (error.name or "").partition(".")[0] == "forge":
        raise error
    if isinstance(error, ModuleNotFoundError) and error.name:
        return UserError(f"{what} needs the package {error.name}", mend=mend)
    reason = str(error).partition("\n")[0]
    return UserError(f"{what}: a package cannot be loaded: {reason}", mend=mend)


class CannotWrite(UserError):
    """The disk refuses: it is full, or the place is not ours to write to."""


class ToolError(Exception):
    """A refusal by a tool or by the store: `invalid`, `not_found`, `forbidden` or `conflict`."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind, self.message = kind, message
        super().__init__(f"{kind}: {message}")


class ToolBug(Exception):
    """The tool raised, looped, or used more than it may. `reason` is for the author's report."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class SandboxLost(Exception):
    """A worker process died for a reason that is not the tool's."""


class EndpointLost(Exception):
    """A model's endpoint did not answer, or with nothing that can be used, however often asked."""


class Filtered(EndpointLost):
    """A filter of the endpoint holds back what was asked or answered, and would again."""


class BudgetSpent(Exception):
    """The next request to a model would pass the budget."""


class EndpointGone(EndpointLost):
    """It will not come back: the run ends, and can be gone on with."""


class ContextFull(Exception):
    """A conversation no longer fits the model. The rollout is over, by its tokens, and scored."""


class ComparisonLimit(Exception):
    """Two end states could not be told apart within the step limit: no verdict, never a 0."""
