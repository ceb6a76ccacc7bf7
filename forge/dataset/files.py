"""Text on disk: JSON that reads back as it was, files that are there whole or not at all.

Always holds: a reader never sees half a file; what cannot be read or written is a `UserError` that
names the file; the bytes depend on the content alone.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, NoReturn, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from forge.errors import CannotWrite, UserError
from forge.types.data import Json

SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
BLOCK = 1 << 16


def compact(value: Json) -> Json:
    """Plain JSON of models, at any depth, without the fields that hold their default."""
    if isinstance(value, BaseModel):
        defaults = _defaults(type(value))
        return {
            name: compact(item)
            for name, item in vars(value).items()
            if name not in defaults or item != defaults[name]
        }
    if isinstance(value, dict):
        return {name: compact(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [compact(item) for item in value]
    return value


@cache
def _defaults(model: type[BaseModel]) -> dict[str, Json]:
    """Of the fields that may be left out: not of one that has a single value, for that tells apart
    the members of a union."""
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in model.model_fields.items()
        if not (get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1)
    }


def json_text(value: Json, *, indent: int | None = None, sort: bool = False) -> str:
    """JSON with no line breaks of its own (unless indented); lone surrogates stay escaped."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        indent=indent,
        separators=separators,
        sort_keys=sort,
    )
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def parse_json(text: str, where: str) -> Json:
    """`where` is the file (and line), for the error; NaN and Infinity are refused."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}"
        raise UserError(f"not JSON: {error.msg}", where=place) from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"not JSON: {error}", where=where) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UserError("not UTF-8 text", where=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


Model = TypeVar("Model", bound=BaseModel)


def parse_model(model: type[Model], value: Json, where: str) -> Model:
    """The model, or a `UserError` that names the first wrong field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(step) for step in first["loc"]) or "the whole"
        raise UserError(f"{field}: {first['msg']}", where=where) from None


def write_atomic(path: Path, parts: Iterable[bytes]) -> None:
    """Writes the parts, one after the other, to a file that appears when all are on disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    write_atomic(path, [text.encode()])


def write_json(path: Path, value: Json) -> None:
    """For people: indented by one space, a line break at the end."""
    write_text(path, json_text(value, indent=1) + "\n")


@contextmanager
def appending(path: Path) -> Iterator[Callable[[Json], None]]:
    """To add lines to a log: each is in the file when the call returns, and all are on disk at the
    end; a torn last line of an earlier run goes first."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    with file:
        with writing(path):
            drop_torn_line(file)

        def add(value: Json) -> None:
            with writing(path):
                file.write(json_text(value).encode() + b"\n")
                file.flush()

        yield add
        with writing(path):
            os.fsync(file.fileno())


def remove(path: Path) -> None:
    """Removes a file; it need not be there."""
    with writing(path):
        path.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the disk refuses in the block is said of `path`."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"cannot be written: {error.strerror}", where=str(path)) from None


def read_log(path: Path) -> Iterator[Json]:
    """The lines of an append-only log, without a torn last one; nothing if there is no log."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                where = f"{path}:{number}"
                try:
                    text = line.decode("utf-8")
                except UnicodeDecodeError:
                    raise UserError("not UTF-8 text", where=where) from None
                yield parse_json(text, where)


def drop_torn_line(file: BinaryIO) -> None:
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    file.truncate(end)
