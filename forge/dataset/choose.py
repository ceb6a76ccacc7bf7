"""Some of the tasks of a data set: by what they are, and as many as wanted, from all environments.

Always holds: the same data set and wish give the same tasks, in the order of the file; a larger
number has all of a smaller one.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge.dataset.files import parse_json, parse_model
from forge.dataset.folder import Dataset, lines
from forge.dataset.query import query
from forge.errors import UserError
from forge.types.task import Band, Kind, Task


@dataclass(frozen=True, slots=True)
class Wanted:
    """None, or empty: any. `number`: of tasks; they are taken from the environments in turn, each
    time one, and within an environment in an order that says nothing."""

    envs: tuple[str, ...] = ()
    kind: Kind | None = None
    band: Band | None = None
    split: str | None = None
    ids: frozenset[str] | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """`order`: the number in the file of each task that is there, by its id; `ids`: of those
    chosen."""

    dataset: Dataset
    order: Mapping[str, int]
    ids: frozenset[str]

    def tasks(self) -> Iterator[Task]:
        """Those chosen, one at a time, in the order of the file."""
        places = lines(self.dataset.folder / "tasks.jsonl")
        for id, (where, line) in zip(self.order, places, strict=False):
            if id in self.ids:
                task = parse_model(Task, parse_json(line, where), where)
                if task.id != id:
                    raise UserError("the file has changed since it was looked through", where=where)
                yield task


def choose(dataset: Dataset, wanted: Wanted) -> Chosen:
    """UserError if there are none such."""
    rows = query(dataset.folder, "select id, env, kind, band, split from tasks")
    order = {id: number for number, (id, *_) in enumerate(rows)}
    if len(order) < len(rows):
        raise UserError("two tasks have the same id", where=str(dataset.folder / "tasks.jsonl"))
    found = [
        (id, env)
        for id, env, kind, band, split in rows
        if (not wanted.envs or env in wanted.envs)
        and wanted.kind in (None, kind)
        and wanted.band in (None, band)
        and wanted.split in (None, split)
        and (wanted.ids is None or id in wanted.ids)
    ]
    if not found:
        raise UserError(
            "there are no such tasks",
            where=str(dataset.folder),
            mend="ask for others with --env, --kind, --band or --split",
        )
    return Chosen(dataset, order, frozenset(_in_turn(found)[: wanted.number]))


def _in_turn(found: list[tuple[str, str]]) -> list[str]:
    """The ids, one of each environment, then another of each, and so on."""
    rounds: dict[str, int] = {}
    placed = []
    for digest, id, env in sorted((_digest(id), id, env) for id, env in found):
        number = rounds.get(env, 0)
        rounds[env] = number + 1
        placed.append((number, digest, id))
    return [id for *_, id in sorted(placed)]


def _digest(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()
