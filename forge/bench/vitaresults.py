"""What `vita run` saves: its runs, as trajectories of forge.

Always holds: of the file only what a score needs must have a form; a reward is as it stands there.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from forge.bench.benchmark import Item
from forge.dataset.files import parse_json, parse_model, read_text
from forge.llm.completion import clip
from forge.types.data import Json
from forge.types.rollout import Outcome, Result, Step, ToolCall, Trajectory, Turn, Verdict

NAME = "vitabench"
COMMAND = "vita"
ENDED = ("user_stop", "agent_stop")
"""Any other end is a limit, and earns 0."""


class _Read(BaseModel):
    """Of a file of VitaBench: what is not looked at may be anything."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Call(_Read):
    id: str = ""
    name: str
    arguments: dict[str, Json]


class _Message(_Read):
    role: str
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None
    usage: dict[str, Json] | None = None


class _Rubric(_Read):
    met: bool


class _Reward(_Read):
    reward: float
    nl_rubrics: tuple[_Rubric, ...] | None = None
    reward_breakdown: dict[str, float] | None = None
    info: dict[str, Json] | None = None


class _Run(_Read):
    task_id: str
    trial: int | None = None
    termination_reason: str
    reward_info: _Reward | None = None
    messages: tuple[_Message, ...]


class _Player(_Read):
    llm: str | None = None


class _Domain(_Read):
    domain_name: str


class Info(_Read):
    git_commit: str
    num_trials: int
    seed: int | None = None
    user_info: _Player
    agent_info: _Player
    environment_info: _Domain


class _Task(_Read):
    id: str


class Results(_Read):
    """What `vita run` saves, as far as a score goes."""

    info: Info
    tasks: tuple[_Task, ...] = Field(min_length=1)
    simulations: tuple[_Run, ...]


def read_results(file: Path) -> Results:
    """UserError if it is nothing that `vita run` saved."""
    return parse_model(Results, parse_json(read_text(file), str(file)), str(file))


def trajectories_of(results: Results, language: str) -> list[Trajectory]:
    """A trajectory of each task and trial; those that are not in the file are lost."""
    info, found = results.info, dict[tuple[str, int], _Run]()
    for run in results.simulations:
        taken = sum(task == run.task_id for task, _ in found)
        found[run.task_id, taken if run.trial is None else run.trial] = run
    return [
        _trajectory(info, language, task.id, trial, found.get((task.id, trial)))
        for task in results.tasks
        for trial in range(info.num_trials)
    ]


def _trajectory(info: Info, language: str, task: str, trial: int, run: _Run | None) -> Trajectory:
    outcome, reason = _ending(run)
    question, steps = _steps(() if run is None else run.messages)
    domain = info.environment_info.domain_name
    return Trajectory(
        task=Item(domain, language, task).id,
        env=f"{NAME}:{domain}",
        kind="benchmark",
        band="",
        policy=f"model:{info.agent_info.llm}",
        user=f"model:{info.user_info.llm}",
        seed=info.seed or 0,
        attempt=trial,
        question=question,
        steps=tuple(steps),
        outcome=outcome,
        reason=reason,
        verdict=None if run is None or run.reward_info is None else _verdict(run.reward_info),
    )


def _ending(run: _Run | None) -> tuple[Outcome, str]:
    if run is None:
        return "lost", f"{COMMAND} has no result of it"
    if run.reward_info is None:
        return "unscored", "it was not judged"
    if run.termination_reason in ENDED:
        return "done", ""
    return "steps", run.termination_reason


def _verdict(given: _Reward) -> Verdict:
    """1 only for a whole reward, as its own rates have it."""
    measures = {name.lower(): share for name, share in (given.reward_breakdown or {}).items()}
    if given.reward == 1:
        return Verdict(reward=1, measures=measures)
    rubrics = given.nl_rubrics or ()
    unmet = sum(not each.met for each in rubrics)
    note = str((given.info or {}).get("note", ""))
    why = f"{unmet} of {len(rubrics)} rubrics not met" if rubrics else clip(note)
    return Verdict(reward=0, why=why, measures=measures)


def _steps(messages: Sequence[_Message]) -> tuple[str, list[Step]]:
    """What the user opens with, and the agent's turns behind it; a greeting before is no turn."""
    question, steps = None, list[Step]()
    for message in messages:
        if message.role == "user" and question is None:
            question, steps = message.content or "", []
        elif message.role == "user" and steps:
            steps[-1] = steps[-1].model_copy(update={"user": message.content or ""})
        elif message.role == "tool" and steps:
            results = (*steps[-1].results, Result(text=message.content or ""))
            steps[-1] = steps[-1].model_copy(update={"results": results})
        elif message.role == "assistant":
            steps.append(Step(turn=_turn(message)))
    return question or "", steps


def _turn(message: _Message) -> Turn:
    usage = message.usage or {}
    return Turn(
        text=message.content or "",
        calls=tuple(
            ToolCall(tool=call.name, arguments=call.arguments, id=call.id)
            for call in message.tool_calls or ()
        ),
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        completion_tokens=int(usage.get("completion_tokens") or 0),
    )
