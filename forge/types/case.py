"""An example of what an operation does, in the document's sense: a record before, the call, and
what has become of it."""

from dataclasses import dataclass

from forge.types.data import Json


@dataclass(frozen=True, slots=True)
class Case:
    """One record of `table` whose columns are as `before` says is what the operation is called
    for, with `arguments` besides those that pick it. `after`: the same columns where it works;
    where it is refused, nothing changes, and `after` is `before`."""

    table: str
    before: dict[str, Json]
    arguments: dict[str, Json]
    works: bool
    after: dict[str, Json]
