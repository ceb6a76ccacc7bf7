"""The tasks of a data set to be counted, searched, filtered and sorted, however many there are.

Always holds: what is shown is what the files say now: a table in memory is made of them, and made
anew when they change; a line that cannot be read is counted, and the others are shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import duckdb

from forge.browse.files import Stamp, stamp
from forge.browse.stored import LINES, has_twin, open_tasks, stamps_of
from forge.dataset.stats import TaskRate, report_on
from forge.errors import UserError
from forge.types.data import Json

PAGE = 50

_TEXTS = ("env", "kind", "band", "split", "lang", "question")
_TABLE = f"""
create table tasks as
with reports as (  -- most tasks have the same one
  select gates, gates::json = '{{}}' as unjudged, list_transform(
    list_filter(
      map_entries(json_transform(gates, '"MAP(VARCHAR, STRUCT(passed BOOLEAN))"')),
      lambda gate: not coalesce(gate.value.passed, false)
    ),
    lambda gate: gate.key
  ) as refused
  from (select distinct gates from found)
)
select
  place, id, {", ".join(f"coalesce({name}, '') as {name}" for name in _TEXTS)}, follows,
  try_cast(difficulty ->> '$.calls' as integer) as calls,
  try_cast(difficulty ->> '$.tables' as integer) as tables,
  golden_calls ->> '$[*].tool' as tools,
  lower(coalesce(question, '') || ' ' || id) as words,
  unjudged, refused
from (select row_number() over () as place, * from found where id is not null)
left join reports using (gates)
order by place
"""
_RATED = """
create table attempts as select unnest(?::varchar[]) as task, unnest(?::varchar[]) as policy,
  unnest(?::bigint[]) as passed, unnest(?::bigint[]) as attempts
"""
_RATES = """
create view rates as
  select task, sum(passed) as passed, sum(attempts) as attempts from attempts group by task
"""
_MEASURED = {
    "never": "passed = 0",
    "sometimes": "passed > 0 and passed < attempts",
    "always": "passed = attempts",
    "unmeasured": "attempts is null",
}
_GATE = {
    "passed": "not unjudged and len(refused) = 0",
    "refused": "len(refused) > 0",
    "unjudged": "unjudged",
}
MARK, UNMARKED = "mark", "unmarked"
MARKED = ("good", "bad", UNMARKED)
_ROW = (
    "id, env, kind, band, lang, split, calls, tables, question, tools, refused, unjudged,"
    " passed, attempts"
)
_EQUAL = ("env", "kind", "band", "lang", "split")
SORTS = {
    "place": "place",
    "question": "lower(question)",
    "env": "env",
    "kind": "kind",
    "difficulty": "array_position(['easy', 'medium', 'hard'], band)",
    "calls": "calls",
    "tables": "tables",
    "rate": "passed / attempts",
}
"""What the table can be sorted by; with `-` before it, the other way."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which tasks, in which order. `values`: of those named in `choices`, and of `MARKED`, by
    `marks`, which are good or bad by task; `tool`: one that is called; empty: any."""

    text: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    tool: str = ""
    sort: str = "place"
    page: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """`rate`: passed of attempts, where rollouts of the task are browsed too."""

    id: str
    env: str
    kind: str
    band: str
    lang: str
    split: str
    calls: int | None
    tables: int | None
    question: str
    tools: tuple[str, ...]
    refused: tuple[str, ...]
    unjudged: bool
    rate: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of the tasks that a filter finds: number `page` of `pages`, from 1."""

    rows: tuple[Row, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class Tasks:
    """`torn`: lines that cannot be read; `unread`: why files of trajectories cannot."""

    connection: duckdb.DuckDBPyConnection
    torn: int
    unread: tuple[str, ...]

    def rows(self, sql: str, values: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
        """On a cursor of its own, for requests come side by side."""
        with self.connection.cursor() as cursor:
            return cursor.execute(sql, values).fetchall()

    def counts(self, column: str) -> dict[str, int]:
        """Value -> how many tasks have it, in order."""
        order = SORTS.get({"band": "difficulty"}.get(column, column), column)
        return {
            str(value): number
            for value, number in self.rows(
                f"select {column}, count(*) from tasks where {column} is not null"
                f" group by {column} order by {order}"
            )
        }

    def tools(self, most: int) -> dict[str, int]:
        """Tool -> how many tasks call it, the most used first."""
        return {
            str(tool): number
            for tool, number in self.rows(
                "select tool, count(*)"
                " from (select unnest(list_distinct(tools)) as tool from tasks) group by tool"
                " order by count(*) desc, tool limit ?",
                (most,),
            )
        }

    def find(self, wanted: Filter) -> Found:
        """The page nearest to the one that is asked for."""
        where, values = _condition(wanted)
        source = f"tasks left join rates on rates.task = tasks.id where {where}"
        ((total,),) = self.rows(f"select count(*) from {source}", values)
        pages = max(1, -(-total // PAGE))
        page = min(max(1, wanted.page), pages)
        order = SORTS.get(wanted.sort.removeprefix("-"), "place")
        down = " desc" if wanted.sort.startswith("-") else ""
        placed = f"order by {order}{down} nulls last, place"
        found = self.rows(  # of all that are found only the places are sorted, which are small
            f"select {_ROW} from tasks left join rates on rates.task = tasks.id where place in"
            f" (select place from {source} {placed} limit {PAGE} offset {PAGE * (page - 1)})"
            f" {placed}",
            values,
        )
        return Found(tuple(map(_row, found)), total, page, pages)

    def every(self) -> list[Row]:
        """All of them, in the order of the file."""
        found = self.rows(
            f"select {_ROW} from tasks left join rates on rates.task = tasks.id order by place"
        )
        return list(map(_row, found))

    def rates(self, id: str) -> list[tuple[Json, ...]]:
        """Policy, passed, attempts: of the rollouts of the task."""
        return self.rows(
            "select policy, sum(passed), sum(attempts) from attempts where task = ?"
            " group by policy order by policy",
            (id,),
        )

    def followed_by(self, id: str) -> str | None:
        """The next task of its sequence."""
        found = self.rows("select id from tasks where follows = ? order by place limit 1", (id,))
        return found[0][0] if found else None

    def beside(self, id: str) -> tuple[str | None, str | None]:
        """The tasks before and after it, in the order of the file."""
        found = self.rows(
            "select other.id, other.place - this.place from tasks as this, tasks as other"
            " where this.id = ? and other.place between this.place - 1 and this.place + 1",
            (id,),
        )
        near = {step: other for other, step in found}
        return near.get(-1), near.get(1)


@lru_cache(maxsize=4)
def choices(tasks: Tasks) -> dict[str, list[str]]:
    """Filter -> the values that it can have; those with one value alone are of no use."""
    found = {name: list(filter(None, tasks.counts(name))) for name in _EQUAL}
    found = {name: values for name, values in found.items() if len(values) > 1}
    if tasks.rows("select 1 from rates limit 1"):
        found["rate"] = list(_MEASURED)
    return {**found, "gate": list(_GATE)}


def tasks_of(folder: Path, trajectories: tuple[Path, ...]) -> Tasks:
    """With the pass rates that the files of trajectories come to. UserError if they cannot be
    read."""
    return _table(folder, stamps_of(folder), trajectories, tuple(map(stamp, trajectories)))


@lru_cache(maxsize=4)
def _table(
    folder: Path,
    stamps: tuple[Stamp, Stamp],
    trajectories: tuple[Path, ...],
    written: tuple[Stamp, ...],
) -> Tasks:
    connection = open_tasks(folder, stamps)
    try:
        connection.execute(_TABLE)
        missing = "0"  # of lines that were whole once
        if not has_twin(stamps):
            missing = "(select count(*) from found) - (select count(*) from tasks)"
        ((torn,),) = connection.execute(f"select {missing}").fetchall()
    except duckdb.Error as error:
        raise UserError(str(error).splitlines()[0], where=str(folder / LINES)) from None
    counted, unread = _rates(trajectories)
    rates = [each for each in counted if each.attempts]
    connection.execute(
        _RATED,
        (
            [each.task for each in rates],
            [each.policy for each in rates],
            [each.passed for each in rates],
            [each.attempts for each in rates],
        ),
    )
    connection.execute(_RATES)
    return Tasks(connection, torn, tuple(unread))


def _rates(trajectories: tuple[Path, ...]) -> tuple[list[TaskRate], list[str]]:
    """And of each file that cannot be counted, why."""
    found: list[TaskRate] = []
    unread: list[str] = []
    for path in trajectories:
        try:
            found += report_on([path]).tasks
        except UserError as error:
            unread.append(str(error))
    return found, unread


def _condition(wanted: Filter) -> tuple[str, tuple[Json, ...]]:
    terms = ["true"]
    values: list[Json] = []
    for name, value in wanted.values.items():
        if name == MARK:
            but = "not " if value == UNMARKED else ""
            terms.append(f"id {but}in (select unnest(?::varchar[]))")
            values.append([id for id, mark in wanted.marks.items() if value in (mark, UNMARKED)])
        elif name in _EQUAL:
            terms.append(f"{name} = ?")
            values.append(value)
        else:
            known = {"rate": _MEASURED, "gate": _GATE}.get(name, {})
            terms.append(known.get(value, "false"))
    if wanted.tool:
        terms.append("list_contains(tools, ?)")
        values.append(wanted.tool)
    for word in wanted.text.lower().split():
        terms.append("contains(words, ?)")
        values.append(word)
    return " and ".join(terms), tuple(values)


def _row(row: tuple[Json, ...]) -> Row:
    """Of the columns of `_ROW`."""
    id, env, kind, band, lang, split, calls, tables, question, *more = row
    tools, refused, unjudged, passed, attempts = more
    return Row(
        id=id,
        env=env,
        kind=kind,
        band=band,
        lang=lang,
        split=split,
        calls=calls,
        tables=tables,
        question=question,
        tools=tuple(tools or ()),
        refused=tuple(refused or ()),
        unjudged=bool(unjudged),
        rate=None if attempts is None else (int(passed), int(attempts)),
    )
