"""What commands print: tables for people, aligned lines for pipes, JSON for programs.

Always holds: text from documents is printed as text; control characters in it, which a terminal
would obey, are shown as a replacement mark.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forge.errors import UserError
from forge.types.data import Json

UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


def clean(text: str) -> str:
    """One line, with nothing in it that a terminal would obey."""
    line = " ".join(text.split())
    return "".join(char if char.isprintable() else UNPRINTABLE for char in line)


def print_json(value: Json) -> None:
    print(json.dumps(value, indent=1))


def print_heading(text: str, *, gap: bool = True) -> None:
    """`gap`: after an empty line."""
    if gap:
        print()
    Console().print(Text(clean(text), style="bold"), soft_wrap=True)


def print_lines(lines: Iterable[str], indent: str = "  ") -> None:
    """Lines may start with spaces of their own."""
    for line in lines:
        start = line[: len(line) - len(line.lstrip(" "))]
        print(f"{indent}{start}{clean(line)}")


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    cells = [[clean(str(cell)) for cell in row] for row in rows]
    numeric = [bool(cells) and all(row[i].isdigit() for row in cells) for i in range(len(headers))]
    if sys.stdout.isatty():
        table = Table(box=None, pad_edge=False, header_style="bold")
        for header, right in zip(headers, numeric, strict=True):
            table.add_column(header, justify="right" if right else "left")
        for row in cells:
            table.add_row(*map(Text, row))
        Console().print(table)
        return
    lines = [list(headers), *cells]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(headers))]
    for line in lines:
        aligned = (
            " " * (width - cell_len(cell)) + cell
            if right
            else cell + " " * (width - cell_len(cell))
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        print("  ".join(aligned).rstrip())


def check_picture(path: Path) -> None:
    """UserError unless the name is that of what is drawn."""
    if path.suffix.lower() != ".svg":
        raise UserError(
            "pictures are drawn as SVG", where=str(path), mend=f"--plot {path.with_suffix('.svg')}"
        )


def unknown(what: str, name: str, known: Iterable[str], where: str) -> UserError:
    """The error for a name that is none of the known ones, with those it may have meant."""
    names = list(known)
    near = get_close_matches(name, names, n=3, cutoff=0.5) or sorted(names)[:3]
    mend = f"did you mean {' or '.join(near)}?" if near else ""
    return UserError(f"there is no {what} {name!r}", where=where, mend=mend)
