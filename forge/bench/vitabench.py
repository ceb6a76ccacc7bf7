"""VitaBench, by the user's own `vita` command, whose results are read (meituan-longcat/vitabench).

Always holds: nothing of it runs in this process; a reward is what its judge, a model, gave; a run
that its file does not have, or that was not judged, has no score. So nothing is known of doing
nothing and of its own solutions.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from pydantic import BaseModel, ConfigDict, Field

from forge.bench.benchmark import Item
from forge.bench.checkout import Source, check_root, pick, source_of
from forge.bench.report import Report, Seen, groups_of, overlaps_of, unscored_of
from forge.dataset.files import parse_json, parse_model, read_text, remove, writing
from forge.dataset.trajectories import Manner, trajectory_file
from forge.errors import UserError
from forge.llm.completion import clip
from forge.types.data import Json
from forge.types.rollout import Outcome, Result, Step, ToolCall, Trajectory, Turn, Verdict

NAME = "vitabench"
COMMAND = "vita"
CROSS = "delivery,instore,ota"
DOMAINS = (CROSS, "delivery", "instore", "ota")
LANGUAGES = ("chinese", "english")
ENDED = ("user_stop", "agent_stop")
"""Any other end is a limit, and earns 0."""


@dataclass(frozen=True, slots=True)
class Order:
    """What `vita run` is asked for; models are named as its models.yaml has them."""

    domain: str
    language: str
    agent: str
    user: str
    judge: str
    tasks: int | None
    trials: int
    concurrent: int
    steps: int | None
    seed: int


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


class _Info(_Read):
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

    info: _Info
    tasks: tuple[_Task, ...] = Field(min_length=1)
    simulations: tuple[_Run, ...]


def command_of(root: Path, order: Order) -> str:
    """The command on the PATH. UserError if there is none, or it cannot be asked for that."""
    check_root(root, NAME)
    pick("domain", order.domain, DOMAINS, "--domain")
    pick("split", order.language, LANGUAGES, "--split")
    command = which(COMMAND)
    if command is None:
        raise UserError(
            f"there is no command {COMMAND}",
            mend=f"pip install -e {root}, in an environment on the PATH; or --results FILE",
        )
    return command


def run_vita(
    command: str, root: Path, order: Order, file: Path, log: Path, *, resume: bool
) -> None:
    """`vita run`, into the file, and what it prints into the log. UserError if it fails."""
    if not resume:
        remove(file)
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as told:
        done = subprocess.run(
            [command, "run", *_flags(order), "--save-to", str(file.resolve())],
            cwd=root,
            input="y\nn\n",  # go on with a file that is there, but not with one of another run
            text=True,
            stdout=told,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        lines = [line for line in read_text(log).splitlines() if line.strip()]
        raise UserError(
            f"{COMMAND} ended with exit code {done.returncode}: {clip(lines[-1] if lines else '')}",
            where=str(log),
            mend="the same command goes on, --no-resume begins anew",
        )


def _flags(order: Order) -> list[str]:
    flags: dict[str, str | int | None] = {
        "domain": order.domain,
        "language": order.language,
        "agent-llm": order.agent,
        "user-llm": order.user,
        "evaluator-llm": order.judge,
        "num-tasks": order.tasks,
        "num-trials": order.trials,
        "max-concurrency": order.concurrent,
        "max-steps": order.steps,
        "seed": order.seed,
        "log-level": "WARNING",
    }
    given = [(flag, value) for flag, value in flags.items() if value is not None]
    return [each for flag, value in given for each in (f"--{flag}", str(value))]


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


def _trajectory(info: _Info, language: str, task: str, trial: int, run: _Run | None) -> Trajectory:
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


def save(out: Path, found: Sequence[Trajectory]) -> None:
    """As trajectories of forge, in place of what the file held."""
    first = found[0]
    manner = Manner(first.policy, first.user, first.seed)
    order = list(dict.fromkeys(each.task for each in found))
    with trajectory_file(out, manner, order, resume=False) as file:
        for each in found:
            file.add(each)


def report_of(
    root: Path,
    results: Results,
    found: Sequence[Trajectory],
    judge: str | None,
    trained_on: Sequence[Path] = (),
) -> Report:
    """`judge`: where it is known; a file of results does not say. UserError if the checkout, or
    what was trained on, cannot be read."""
    check_root(root, NAME)
    info = results.info
    source = _source(root, info.environment_info.domain_name)
    items = [Item(*each.task.split("/", 2)) for each in found if each.attempt == 0]
    seen = [
        Seen(
            each.task,
            each.outcome,
            each.reason,
            each.reward,
            {} if each.verdict is None else each.verdict.measures,
        )
        for each in found
    ]
    return Report(
        benchmark=NAME,
        policy=f"model:{info.agent_info.llm}",
        user=f"model:{info.user_info.llm}",
        judge="not said" if judge is None else f"model:{judge}",
        stubbed="not known, since a model judges all",
        trials=info.num_trials,
        groups=groups_of(items, seen, None, None),
        unscored=unscored_of(seen),
        broken={},
        loose=[],
        source=source,
        overlaps=[each for path in trained_on for each in overlaps_of(path, NAME)],
        cautions=_cautions(info, source),
    )


def _cautions(info: _Info, source: Source) -> list[str]:
    found = [
        "a model judges, and a model is the user: not comparable with scores that others gave",
        "its command leaves out runs that failed; here they are counted, and are in no rate",
    ]
    if source.commit and info.git_commit != source.commit:
        found.append(f"the results are of commit {info.git_commit[:12]}, not of this checkout")
    return found


def _source(root: Path, domain: str) -> Source:
    folder = root / "data" / "vita" / "domains" / ("cross_domain" if "," in domain else domain)
    code = root / "src" / "vita"
    files = [*code.glob("evaluator/*.py"), *code.glob("orchestrator/*.py")]
    return source_of(root, [*files, *code.glob("prompts/*.yaml"), *folder.glob("tasks*.json")])
