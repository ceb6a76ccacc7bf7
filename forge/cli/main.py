"""The command `forge`, and the boundary where errors become one line or a traceback.

Always holds: what the user can mend is one line on stderr and exit code 2; Ctrl-C is 130; a closed
pipe ends quietly; any other exception is a bug and keeps its traceback. Nothing heavy is imported
before a command runs.
"""

import os
import sys
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from forge import __version__
from forge.cli.bench import bench
from forge.cli.browse import browse
from forge.cli.check import check
from forge.cli.docs import docs
from forge.cli.export import export
from forge.cli.fidelity import fidelity
from forge.cli.list import list_
from forge.cli.models import models
from forge.cli.play import play
from forge.cli.rollout import rollout
from forge.cli.runs import runs
from forge.cli.show import show
from forge.cli.stats import stats
from forge.cli.synth import synth
from forge.cli.tasks import tasks
from forge.cli.train import train
from forge.cli.verify import verify
from forge.errors import UserError

UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""A wrong command line. Some releases of typer have their own copy of click, others import it."""

INTERRUPTED = 130


class Boundary(TyperGroup):
    """Runs a command and turns what it raises into an exit code."""

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
            sys.stdout.flush()
        except UserError as error:
            code = _complain(str(error), 2)
        except UsageError as error:
            code = _complain(f"{error.format_message()} (see forge --help)", 2)
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except BrokenPipeError:
            # The reader went away: what is still buffered must not fail once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 1
        if code == INTERRUPTED:
            _complain("interrupted", INTERRUPTED)
        sys.exit(code)


def _complain(message: str, code: int) -> int:
    line = " ".join("".join(c if c.isprintable() else " " for c in message).split())
    typer.echo(f"forge: {line}", err=True)
    return code


app = typer.Typer(
    cls=Boundary,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"forge {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def forge(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Make environments and proven tasks for tool-using agents, from API documents."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("docs")(docs)
app.command("synth")(synth)
app.command("tasks")(tasks)
app.command("list")(list_)
app.command("show")(show)
app.command("check")(check)
app.command("verify")(verify)
app.command("export")(export)
app.command("browse")(browse)
app.command("rollout")(rollout)
app.command("play")(play)
app.command("bench")(bench)
app.command("fidelity")(fidelity)
app.command("stats")(stats)
app.command("train")(train)
app.command("runs")(runs)
app.add_typer(models, name="models")
