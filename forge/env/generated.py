"""Ids, tokens, counters and times that a session makes.

They come from the session's seed, its own clock and what it made before, never from the machine:
the same calls make the same values. An id is never used twice, nor is a counter, even after what
had it was deleted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from forge.env.dates import moment_of
from forge.env.identity import frozen
from forge.env.layout import Layout, SitePath, path_text, values_at
from forge.env.schema import id_range
from forge.env.view import View
from forge.types.data import Json
from forge.types.state import Column, Record


@dataclass(slots=True)
class Maker:
    """Makes the values of one record of a table. `fields` is what was passed for it: numbers in
    it count for a counter."""

    view: View
    layout: Layout
    fields: Record
    seed: int
    now: Callable[[], str]

    def make(self, column: Column, path: SitePath, record: Record) -> Json:
        """A new value for a generated column; `record` is the record so far."""
        match column.generated:
            case "id":
                return self._id(column, path)
            case "counter":
                return self._number(column, path, record)
            case "token":
                length = max(column.min_length or 0, min(32, column.max_length or 32))
                return _hex(self._digest(path), length)
            case "time":
                return time_in(column, self.now())
            case _:
                return None

    def _id(self, column: Column, path: SitePath) -> str | int:
        is_key = path == self.layout.table.key
        while True:
            made = _id_of(column, self._digest(path))
            if not (is_key and self.view.was_used(self.layout.table.name, (made,))):
                return made

    def _number(self, column: Column, path: SitePath, record: Record) -> int:
        table, within = self.layout.table.name, column.within
        group = tuple(frozen(record.get(name)) for name in within)
        passed = values_at(self.fields, path) if len(path) > 1 else ()
        taken = [n for n in passed if isinstance(n, int)]
        highest = max(self.view.highest(table, path, within, group), *taken, 0)
        number = max(highest + 1, 1 if column.minimum is None else int(column.minimum))
        self.view.raise_highest(table, path, group, number)
        return number

    def _digest(self, path: SitePath) -> bytes:
        place = f"{self.layout.table.name}\n{path_text(path)}"
        return sha256(f"{self.seed}\n{place}\n{self.view.next_serial(place)}".encode()).digest()


def time_in(column: Column, now: str) -> str | int:
    """The clock as a column of times holds it: seconds, a date, or a date and time."""
    if column.type == "integer":
        return int(moment_of(now).timestamp())
    return now[:10] if column.format == "date" else now


def _id_of(column: Column, digest: bytes) -> str | int:
    if column.type == "integer":
        numbers = id_range(column)
        return numbers[int.from_bytes(digest[:8], "big") % len(numbers)]
    if column.format == "uuid":
        return column.prefix + str(UUID(bytes=digest[:16], version=4))
    return column.prefix + _hex(digest, max(8, (column.min_length or 0) - len(column.prefix)))


def _hex(digest: bytes, length: int) -> str:
    text = digest.hex()
    return (text * (length // len(text) + 1))[:length]
