"""A disk that is full while weights are written: one line, and nothing is lost, since a checkpoint
that is not whole is passed over.

What writes weights tells it each in its own way: Python by a number, safetensors by the same number
in a text, torch by the place in a file at which it finds itself.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS
from os import strerror
from pathlib import Path

from forge.errors import CannotWrite

REFUSED = (ENOSPC, EDQUOT, EFBIG, EROFS, EIO)
RUST = re.compile(r"\(os error (\d+)\)")
TORCH = re.compile(r"inline_container.*unexpected pos")


@contextmanager
def room_needed(folder: Path) -> Iterator[None]:
    """In the block weights are written into the folder. CannotWrite where its disk refuses."""
    try:
        yield
    except Exception as error:  # the boundary: they have no kind of error in common
        reason = _refusal(error)
        if reason is None:
            raise
        mend = "make room, then go on with --resume"
        raise CannotWrite(f"cannot be written: {reason}", where=str(folder), mend=mend) from error


def _refusal(error: Exception) -> str | None:
    if isinstance(error, OSError):
        return strerror(error.errno) if error.errno in REFUSED else None
    if found := RUST.search(str(error)):
        return strerror(int(found[1])) if int(found[1]) in REFUSED else None
    return "the disk takes no more" if TORCH.search(str(error)) else None
