"""`forge browse`: what was made, as pages on this machine, or as files."""

from pathlib import Path
from typing import Annotated

import typer

GENERATED, RUNS = Path("generated"), Path("runs")


def browse(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DATASET | RUN | TRAJECTORIES]...",
            help="Data sets, runs of training (or a folder of them), files of trajectories.",
            show_default="what is under generated/ and runs/",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Where to listen; the next free one if it is taken, 0: any."
        ),
    ] = 8765,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="DIR", help="Write the pages as files, and serve nothing."
        ),
    ] = None,
) -> None:
    """Look at data sets, environments, tasks, trajectories and runs in the browser."""
    from forge.browse.things import site_of
    from forge.errors import UserError

    places = paths or _there()
    if not places:
        raise UserError(
            f"there is nothing under {GENERATED}/ or {RUNS}/", mend="make a data set: forge synth"
        )
    site = site_of(places)
    if out is not None:
        from forge.browse.export import export

        number = export(site, out)
        typer.echo(f"wrote {number} pages; open {out / 'index.html'}")
        return

    import webbrowser

    from forge.browse.server import HOST, listening, serve

    listener, found = listening(port)
    taken = f" (port {port} is taken)" if port and found != port else ""
    only = f"{site.things[0].name}/index.html" if len(site.things) == 1 else ""
    address = f"http://{HOST}:{found}/{only}"
    typer.echo(f"browse at {address}{taken}; Ctrl-C ends it")
    if open_:
        webbrowser.open(address)
    serve(site, listener)


def _there() -> list[Path]:
    data = sorted(path.parent for path in GENERATED.glob("*/dataset.json"))
    return [*data, *([RUNS] if RUNS.is_dir() and any(RUNS.iterdir()) else [])]
