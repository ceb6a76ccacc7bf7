"""What files of trajectories say, counted by DuckDB from the files as they lie there.

Always holds: rollouts that could not be scored (lost, unscored, broken) are counted apart and are
in no rate; a rollout that was played again after it was lost counts once; a policy played in
another manner is another policy; a line that a run has not finished writing is passed over, and no
other line is.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import duckdb

from forge.dataset.rates import Rate, passed_every, rate_of
from forge.errors import UserError
from forge.types.data import Json
from forge.types.rollout import UNSCORED, Outcome

By = Literal["env", "kind", "difficulty", "policy", "context", "task"]
COLUMN = {"difficulty": "band"}
OF_CONTEXT = (
    "context",
    "context-keep",
    "context-tokens",
    "context-summaries",
    "tool-result-tokens",
)
"""The settings that say what of a dialogue a policy reads."""
POWERS = (1, 2, 4, 8)
BUGGY = 0.01
"""The share of a task's rollouts with a tool that broke, above which it is put in quarantine."""
LARGEST = 256 * 1024 * 1024
LONE = re.compile("[\ud800-\udfff]")

_TYPES = {
    "task": "VARCHAR",
    "env": "VARCHAR",
    "kind": "VARCHAR",
    "band": "VARCHAR",
    "policy": "VARCHAR",
    "user": "VARCHAR",
    "settings": "JSON",
    "attempt": "BIGINT",
    "seed": "BIGINT",
    "outcome": "VARCHAR",
    "verdict": "JSON",
    "steps": "JSON",
    "user_errors": "JSON",
}


def _told(condition: str) -> str:
    """SQL: the settings whose name meets the condition, as flags."""
    return f"""coalesce(list_aggregate(list_transform(
    list_filter(json_keys(settings), lambda name: {condition}),
    lambda name: ' --' || name || ' ' || (settings ->> name)
  ), 'string_agg', ''), '')"""


def _counted(tokens: str) -> str:
    """SQL: all of a rollout, those of summaries among them."""
    places = ("turn", "turn.view.summary")
    sums = (f"list_sum(cast(steps->'$[*].{place}.{tokens}' as bigint[]))" for place in places)
    return " + ".join(f"coalesce({each}, 0)" for each in sums)


_CONTEXT = ", ".join(f"'{name}'" for name in OF_CONTEXT)
_VIEW = f"""
create view rollouts as select
  task, env, kind, band, attempt, outcome,
  policy || {_told("true")} as policy,
  policy || {_told(f"name not in ({_CONTEXT})")} as player,
  coalesce(settings ->> 'context', 'append')
    || {_told(f"name != 'context' and name in ({_CONTEXT})")} as context,
  outcome not in ({", ".join(f"'{each}'" for each in sorted(UNSCORED))}) as scored,
  coalesce(cast(verdict->>'$.reward' as integer), 0) as reward,
  json_array_length(steps) as steps,
  {_counted("prompt_tokens")} as prompt_tokens,
  {_counted("completion_tokens")} as completion_tokens,
  steps->>'$[*].results[*].failure' as failures,
  coalesce(list_distinct(user_errors->>'$[*].rule'), []) as slips
from lines
qualify row_number() over (
  partition by filename, task, attempt, seed, policy, "user", settings::varchar
  order by verdict is null, outcome
) = 1
"""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one group of rollouts. `powers`: k -> pass^k; `outcomes` and `errors`: how many rollouts
    ended so, how many calls failed so. Steps and tokens are means over scored rollouts."""

    group: str
    rollouts: int
    scored: int
    tasks: int
    rate: Rate
    powers: dict[int, float]
    steps: float
    prompt_tokens: float
    completion_tokens: float
    outcomes: dict[str, int]
    errors: dict[str, int]
    slips: dict[str, int]
    """In how many rollouts the user erred, by the rule."""
    slipped: int
    """Scored rollouts in which the user erred."""
    unslipped: Rate
    """Without those."""


@dataclass(frozen=True, slots=True)
class TaskRate:
    """How one policy did at one task."""

    task: str
    env: str
    policy: str
    attempts: int
    passed: int
    buggy: int
    """Attempts in which a tool broke."""

    @property
    def rate(self) -> float:
        return self.passed / self.attempts if self.attempts else 0.0

    @property
    def quarantined(self) -> bool:
        return self.attempts > 0 and self.buggy > BUGGY * self.attempts


@dataclass(frozen=True, slots=True)
class Report:
    groups: tuple[Statistics, ...]
    tasks: tuple[TaskRate, ...]

    @property
    def quarantine(self) -> list[TaskRate]:
        return [each for each in self.tasks if each.quarantined]


def report_on(files: Sequence[Path], by: By | None = None) -> Report:
    """All of them in one group, then each group of `by`; several policies apart. UserError if one
    cannot be read or holds something else."""
    files = list(dict.fromkeys(path.resolve() for path in files))
    with duckdb.connect(":memory:") as connection:
        try:
            _open(connection, files)
            tasks = connection.execute(
                """select task, env, policy, count(*) filter (scored), sum(reward) filter (scored),
                count(*) filter (scored and list_contains(failures, 'internal'))
                from rollouts group by all order by env, task, policy"""
            ).fetchall()
            groups = [_statistics(connection, "all", "true", ())]
            several = len({policy for _, _, policy, *_ in tasks}) > 1
            groups += _groups(connection, by or ("policy" if several else None))
        except duckdb.Error as error:
            raise UserError(_first_line(error), where=", ".join(map(str, files))) from None
    rates = [TaskRate(t, e, p, n, int(passed or 0), bugs) for t, e, p, n, passed, bugs in tasks]
    return Report(tuple(groups), tuple(rates))


def _groups(connection: duckdb.DuckDBPyConnection, by: By | None) -> list[Statistics]:
    """Each group of `by`, and of each policy where there are several."""
    if by is None:
        return []
    column, player = COLUMN.get(by, by), "player" if by == "context" else "policy"
    several = connection.execute(f"select count(distinct {player}) > 1 from rollouts").fetchone()
    if by == "policy" or several == (False,):
        rows = connection.execute(f"select distinct {column} from rollouts order by all").fetchall()
        return [_statistics(connection, name, f"{column} = ?", (name,)) for (name,) in rows]
    rows = connection.execute(
        f"select distinct {column}, {player} from rollouts order by all"
    ).fetchall()
    return [
        _statistics(
            connection, f"{name}, {policy}", f"{column} = ? and {player} = ?", (name, policy)
        )
        for name, policy in rows
    ]


def _open(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> None:
    for path in files:
        _check(path)
    relation = connection.read_json(
        [str(path) for path in files],
        columns=_TYPES,
        format="newline_delimited",
        maximum_object_size=LARGEST,
        filename=True,
        ignore_errors=True,  # a torn last line; what else is wrong was found by `_check`
    )
    relation.filter("task is not null and outcome is not null").create_view("lines")
    connection.execute(_VIEW)


def _check(path: Path) -> None:
    """UserError at the first line that is whole and no trajectory, or not for DuckDB to read."""
    try:
        with path.open("rb") as file:
            whole = 0
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    head = json.loads(line)
                except (UnicodeDecodeError, ValueError, RecursionError):
                    head = None
                if not _is_trajectory(head):
                    raise UserError("not a trajectory", where=f"{path}:{number}")
                if b"\\ud" in line.lower() and LONE.search(json.dumps(head, ensure_ascii=False)):
                    raise UserError(
                        "holds half a character (a lone surrogate)", where=f"{path}:{number}"
                    )
                whole += 1
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if not whole:
        raise UserError("holds no trajectories", where=str(path), mend="make some: forge rollout")


def _is_trajectory(head: Json) -> bool:
    """As far as it is counted: what was scored has a reward, 0 or 1, and nothing else has one."""
    if not isinstance(head, dict) or not isinstance(head.get("steps"), list):
        return False
    names = ("task", "env", "kind", "band", "policy", "user")
    numbers = (head.get("attempt"), head.get("seed"))
    if not all(isinstance(head.get(name), str) for name in names):
        return False
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in numbers):
        return False
    outcome, verdict = head.get("outcome"), head.get("verdict")
    if outcome in UNSCORED:
        return verdict is None
    return (
        outcome in get_args(Outcome)
        and isinstance(verdict, dict)
        and verdict.get("reward") in (0, 1)
    )


def _statistics(
    connection: duckdb.DuckDBPyConnection, group: str, condition: str, values: tuple[Json, ...]
) -> Statistics:
    def rows(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql.format(condition), values).fetchall()

    ((count, scored, steps, prompt, completion),) = rows(
        """select count(*), count(*) filter (scored), avg(steps) filter (scored),
        avg(prompt_tokens) filter (scored), avg(completion_tokens) filter (scored)
        from rollouts where {}"""
    )
    tasks = rows(
        """select sum(reward), count(*) from rollouts where scored and {}
        group by task, env, policy order by env, task, policy"""
    )
    tasks = [(int(passed), attempts) for passed, attempts in tasks]
    powers = {k: passed_every(tasks, k) for k in POWERS}
    outcomes = rows("select outcome, count(*) from rollouts where {} group by 1 order by 1")
    errors = rows(
        """select failure, count(*) from (select unnest(failures) as failure from rollouts
        where {}) where failure is not null group by 1 order by 1"""
    )
    slips = rows(
        """select slip, count(*) from (select unnest(slips) as slip from rollouts where {})
        group by 1 order by 1"""
    )
    clean = rows(
        """select sum(reward), count(*) from rollouts where scored and len(slips) = 0 and {}
        group by task, env, policy order by env, task, policy"""
    )
    return Statistics(
        group=group,
        rollouts=count,
        scored=scored,
        tasks=len(tasks),
        rate=rate_of(tasks),
        powers={k: value for k, value in powers.items() if value is not None},
        steps=steps or 0.0,
        prompt_tokens=prompt or 0.0,
        completion_tokens=completion or 0.0,
        outcomes=dict(outcomes),
        errors=dict(errors),
        slips=dict(slips),
        slipped=scored - sum(attempts for _, attempts in clean),
        unslipped=rate_of([(int(passed), attempts) for passed, attempts in clean]),
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]
