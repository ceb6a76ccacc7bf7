"""What a call did to one record, and where its result shows that record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge.env.identity import same
from forge.synth.bench import Run
from forge.types.data import Json, Path
from forge.types.state import Record, Table


@dataclass(frozen=True, slots=True)
class Seen:
    """A call that worked, on one record: `before` is empty for one that it made, `after` for one
    that it deleted, and both are the same for one that it read."""

    run: Run
    before: Record
    after: Record


def shown(table: Table, seen: Sequence[Seen]) -> tuple[Path | None, dict[str, Path] | None]:
    """Where the results have the record, as it is afterwards, and which columns of it; None where
    they do not show its key."""
    for place in places([each.run for each in seen]):
        values = [inside(each.run.result.value, place) for each in seen]
        columns = shared(table, values, [each.after for each in seen])
        if set(table.key) <= set(columns):
            whole = len(columns) == len(table.columns)
            return place, None if whole else {name: (name,) for name in columns}
    return None, None


def shared(table: Table, values: Sequence[Json], records: Sequence[Record]) -> list[str]:
    """The columns that each value has as the record of its place has them."""
    return [
        column.name
        for column in table.columns
        if all(
            isinstance(value, dict) and same(value.get(column.name), record.get(column.name))
            for value, record in zip(values, records, strict=True)
        )
    ]


def places(runs: Sequence[Run]) -> Iterator[Path]:
    """Where in every result something may be: the result itself, then what it has by name."""
    yield ()
    first = runs[0].result.value if runs else None
    for name in first if isinstance(first, dict) else ():
        if all(isinstance(v := run.result.value, dict) and name in v for run in runs):
            yield (name,)


def inside(value: Json, place: Path) -> Json:
    for step in place:
        value = value[step]
    return value
