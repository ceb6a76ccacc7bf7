"""Some of the tasks of a data set: by what they are, and as many as wanted, from all environments.

Always holds: the same data set and wish give the same tasks, in the order of the file; a larger
number has all of a smaller one; a sequence is chosen whole or not at all.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge.dataset.files import parse_json, parse_model
from forge.dataset.folder import Dataset, lines
from forge.dataset.query import query
from forge.dataset.sequences import hardest, in_sequence, places
from forge.errors import UserError
from forge.types.data import Json
from forge.types.task import Band, Kind, Task


@dataclass(frozen=True, slots=True)
class Wanted:
    """None, or empty: any. `number`: of tasks; they are taken from the environments in turn, each
    time one or a sequence, and within an environment in an order that says nothing. So there may
    be more than that by the rest of a sequence. Its band is that of its hardest task. `without`:
    the ids of tasks that are left out, and their sequences with them."""

    envs: tuple[str, ...] = ()
    kind: Kind | None = None
    bands: tuple[Band, ...] = ()
    split: str | None = None
    ids: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """`order`: the number in the file of each task that is there, by its id; `groups`: the ids of
    those chosen, of a sequence together."""

    dataset: Dataset
    order: Mapping[str, int]
    groups: tuple[tuple[str, ...], ...]

    @property
    def number(self) -> int:
        return sum(map(len, self.groups))

    def tasks(self) -> Iterator[tuple[Task, ...]]:
        """Those chosen, in the order of the file: one at a time, or those of a sequence."""
        return in_sequence(self._tasks())

    def _tasks(self) -> Iterator[Task]:
        ids = {id for group in self.groups for id in group}
        places = lines(self.dataset.folder / "tasks.jsonl")
        for id, (where, line) in zip(self.order, places, strict=False):
            if id in ids:
                task = parse_model(Task, parse_json(line, where), where)
                if task.id != id:
                    raise UserError("the file has changed since it was looked through", where=where)
                yield task


class NoneSuch(UserError):
    """No task of the data set is as wanted."""


def choose(dataset: Dataset, wanted: Wanted) -> Chosen:
    """NoneSuch if there are none; another UserError if the data set cannot be read."""
    rows = query(dataset.folder, "select id, env, kind, band, split, follows from tasks")
    order = {id: number for number, (id, *_) in enumerate(rows)}
    if len(order) < len(rows):
        raise UserError("two tasks have the same id", where=str(dataset.folder / "tasks.jsonl"))
    first = {id: name for id, (name, _) in places({id: before for id, *_, before in rows}).items()}
    whole: dict[str, list[tuple[Json, ...]]] = {}
    for row in rows:
        whole.setdefault(first[row[0]], []).append(row)
    groups = {name: members for name, members in whole.items() if _is_wanted(members, wanted)}
    if not groups:
        raise NoneSuch(
            "there are no such tasks",
            where=str(dataset.folder),
            mend="ask for others with --env, --kind, --band or --split",
        )
    chosen: list[tuple[str, ...]] = []
    number = 0
    for name in _in_turn([(name, str(members[0][1])) for name, members in groups.items()]):
        if wanted.number is not None and number >= wanted.number:
            break
        chosen.append(tuple(str(id) for id, *_ in groups[name]))
        number += len(chosen[-1])
    return Chosen(dataset, order, tuple(chosen))


def _is_wanted(members: Sequence[tuple[Json, ...]], wanted: Wanted) -> bool:
    """Whether a task, or all tasks of a sequence, are such. `members`: their rows."""
    band = hardest(str(band) for _, _, _, band, *_ in members)
    return (not wanted.bands or band in wanted.bands) and all(
        (not wanted.envs or env in wanted.envs)
        and wanted.kind in (None, kind)
        and wanted.split in (None, split)
        and (wanted.ids is None or id in wanted.ids)
        and id not in wanted.without
        for id, env, kind, _, split, _ in members
    )


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
