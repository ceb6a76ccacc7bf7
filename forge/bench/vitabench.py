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

from forge.bench.benchmark import Item
from forge.bench.checkout import Source, check_root, pick, source_of
from forge.bench.report import Report, groups_of, overlaps_of, seen_of, unscored_of
from forge.bench.vitaresults import COMMAND, NAME, Info, Results
from forge.dataset.files import read_text, remove, writing
from forge.dataset.trajectories import Manner, trajectory_file
from forge.errors import UserError
from forge.llm.completion import clip
from forge.types.rollout import Trajectory

CROSS = "delivery,instore,ota"
DOMAINS = (CROSS, "delivery", "instore", "ota")
LANGUAGES = ("chinese", "english")


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
    seen = [seen_of(each) for each in found]
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


def _cautions(info: Info, source: Source) -> list[str]:
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
