"""Do the gates have teeth? Good tasks spoilt in twelve ways, and which gate refuses each.

    python evals/gates_kill.py SOURCES... [--tasks N] [--seed N] [--out FILE]

SOURCES are API documents, folders of them, and data sets that forge made. Of the documents the
structural author makes environments; of each environment tasks are made that pass every gate, and
`--tasks` (200) are kept, as evenly over the environments as they come. Each is spoilt in every way
of `gates_spoil.py` that it has a place for, as a task maker with a bug would: what follows from the
spoilt part (golden calls, golden state, answers) follows. What comes to the same end as before, or
cannot be played at all, is no spoilt task: it is counted apart. Each spoilt task goes through every
gate, `unique` among the good tasks of its environment. It is refused if some gate refuses it;
"meant" says by how many of these also the gate that this kind of mistake is meant for.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gates_spoil import WAYS, NoChange, Spoiler

from forge.authors.structural.author import StructuralAuthor
from forge.dataset.folder import read_dataset
from forge.dataset.hashes import sealed
from forge.docs.read import read
from forge.env.session import World
from forge.gates.form import malformed
from forge.gates.judge import first_refusal, judge
from forge.gates.keep import Tally, kept_tasks
from forge.gates.unique import Seen, unique
from forge.synth.build import build
from forge.tasks.dags.graph import tool_graph
from forge.types.dag import ReasonNode
from forge.types.environment import Environment
from forge.types.task import Task

SHOWN = 60
"""Survivors that are told one by one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one spoilt task."""

    way: str
    task: Task
    refusals: dict[str, str]
    """Gate -> its reason; `form` for what cannot be judged at all."""

    @property
    def meant(self) -> bool:
        return bool(set(WAYS[self.way].meant) & set(self.refusals))


@dataclass(slots=True)
class Findings:
    verdicts: list[Verdict] = field(default_factory=list)
    left: dict[str, Counter[str]] = field(default_factory=dict)
    """Way -> why a task was not spoilt."""
    tasks: int = 0
    environments: int = 0


def environments(sources: Sequence[Path]) -> Iterator[tuple[Environment, list[Task]]]:
    """Of data sets as they are, with their tasks; of documents made anew."""
    documents = []
    for source in sources:
        if (source / "dataset.json").is_file():
            dataset = read_dataset(source)
            tasks = list(dataset.tasks())
            for name in dataset.names():
                yield dataset.environment(name), [task for task in tasks if task.env == name]
        else:
            documents.append(source)
    author = StructuralAuthor()
    for document in read(documents) if documents else ():
        for draft in author.draft(document):
            if draft.tools:
                environment, _ = build(draft, author, seed=0)
                if environment.tools:
                    yield environment, []


def good_tasks(world: World, kept: Sequence[Task], count: int, seed: int) -> list[Task]:
    """Of those that a data set holds, the ones whose order matters, since few are made; then tasks
    that choose or compute, up to a half; then any."""
    graph = tool_graph(world.environment)
    made = list(kept_tasks(world, graph, count=2 * count, seed=seed, tally=Tally()))
    thoughtful = [
        task
        for task in made
        if any(isinstance(n, ReasonNode) and n.form != "match" for n in task.dag.nodes)
    ]
    ordered = [t for t in [*kept, *made] if t.dag.orders and first_refusal(world, t) is None]
    few = [*ordered, *thoughtful][: count // 2]
    return list({task.id: task for task in [*few, *made]}.values())[:count]


def judged(world: World, way: str, spoilt: Task, others: Sequence[Task]) -> Verdict:
    spoilt = sealed(spoilt)
    fault = malformed(world, spoilt)
    if fault is not None:
        return Verdict(way, spoilt, {"form": fault})
    seen = Seen()
    for other in others:
        unique(other, seen)
    repeats = unique(spoilt, seen)
    refusals = {gate: r.reason for gate, r in judge(world, spoilt).items() if not r.passed}
    return Verdict(way, spoilt, refusals | ({"unique": repeats} if repeats else {}))


def spoil_all(world: World, tasks: Sequence[Task], seed: int, found: Findings) -> None:
    for number, task in enumerate(tasks):
        others = [*tasks[:number], *tasks[number + 1 :]]
        for name, way in WAYS.items():
            spoiler = Spoiler(world, task, others, random.Random(f"{seed} {task.id} {name}"))
            try:
                spoilt = way.spoil(spoiler)
            except NoChange as reason:
                found.left.setdefault(name, Counter())[str(reason)] += 1
                continue
            beside = [o for o in others if o.question != spoilt.question]
            beside += [task] if way.beside else []
            found.verdicts.append(judged(world, name, spoilt, beside))


def report(found: Findings, names: Sequence[str], seed: int) -> Iterator[str]:
    dead = sum(bool(v.refusals) for v in found.verdicts)
    meant = sum(v.meant for v in found.verdicts)
    total = len(found.verdicts)
    yield "# Spoilt tasks that the gates refuse"
    yield ""
    yield (
        f"{dead} of {total} spoilt tasks are refused, {dead / total:.1%}; {meant} "
        f"({meant / total:.1%}) by a gate meant for it. They are made of {found.tasks} kept tasks "
        f"of {found.environments} environments, from {', '.join(names)}; seed {seed}. Made by "
        "`evals/gates_kill.py`, which says how; what each way does is said in "
        "`evals/gates_spoil.py`."
    )
    yield ""
    yield "| spoilt by | spoilt | refused | by the gate meant | meant | refused by | not spoilt |"
    yield "|---|--:|--:|--:|---|---|--:|"
    for name, way in WAYS.items():
        some = [v for v in found.verdicts if v.way == name]
        gates = Counter(gate for v in some for gate in v.refusals)
        by = ", ".join(f"{gate} {n}" for gate, n in gates.most_common())
        skipped = sum(found.left.get(name, Counter()).values())
        killed, right = sum(bool(v.refusals) for v in some), sum(v.meant for v in some)
        yield (
            f"| {name} | {len(some)} | {killed} | {right} | {' or '.join(way.meant)} | {by} "
            f"| {skipped} |"
        )
    yield ""
    yield "A spoilt task may be refused by several gates; all of them are counted."
    yield ""
    yield "## Not spoilt, and why"
    yield ""
    for name in WAYS:
        reasons = found.left.get(name, Counter()).most_common()
        if reasons:
            yield f"- {name}: {', '.join(f'{reason} {n}' for reason, n in reasons)}"
    for title, some in (
        ("Kept by every gate", [v for v in found.verdicts if not v.refusals]),
        (
            "Refused, but not by the gate meant",
            [v for v in found.verdicts if v.refusals and not v.meant],
        ),
    ):
        yield ""
        yield f"## {title}: {len(some)}"
        yield ""
        for each in some[:SHOWN]:
            why = "; ".join(f"{gate}: {reason}" for gate, reason in each.refusals.items())
            yield f"- {each.way} ({each.task.env}): {each.task.question} {why}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path, help="documents, folders, data sets")
    parser.add_argument("--tasks", type=int, default=200, help="how many to spoil (200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the report there")
    options = parser.parse_args()
    made = list(environments(options.sources))
    found, left = Findings(), options.tasks
    for number, (environment, kept) in enumerate(made):
        share = -(-left // (len(made) - number))
        with World(environment, sandbox="native") as world:
            tasks = good_tasks(world, kept, share, options.seed)
            left -= len(tasks)
            found.tasks += len(tasks)
            found.environments += bool(tasks)
            spoil_all(world, tasks, options.seed, found)
        dead = sum(bool(v.refusals) for v in found.verdicts)
        print(f"{environment.name}: {len(tasks)} tasks; {dead} of {len(found.verdicts)} refused")
    names = [source.name for source in options.sources]
    text = "\n".join(report(found, names, options.seed)) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
