"""Do the checks on tools have teeth? Broken versions of right tools, and how many are noticed.

    python evals/tools_kill.py DOCUMENTS... [--mutants N] [--tools N] [--seed N] [--out FILE]

From the documents the structural author makes environments; of each, at most `--tools` tools (25),
drawn by the seed, are built and checked. Of every tool that passes, every broken version is made
(forge/synth/mutants.py: from its syntax tree, by rules that know nothing of the checks), and
`--mutants` of them (300) are drawn by the seed, as evenly over the kinds as they come. Each stands
in its tool's place, on three bases, and is put through all the checks that its tool passed. One is
killed if a check fails.

A survivor is put beside its tool in 400 calls more, with arguments drawn as the checks draw them
and with ones that are nowhere: a call in which the two differ is told, and is something that the
checks should have seen; where there is none, that is told too. Takes a few minutes.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.docs.read import read
from forge.env.sandbox.sandbox import load_sandbox
from forge.env.session import World
from forge.synth.arguments import argument_sets, unknown_key
from forge.synth.bench import Bench, Ground, Run, grounds_of
from forge.synth.build import build
from forge.synth.check import checks_for, checks_together
from forge.synth.generic import shown_call
from forge.synth.mutants import KINDS, Mutant, mutants
from forge.synth.parts import Parts
from forge.types.environment import Environment, Tool

CALLS = 400
SHOWN = 40
"""Survivors that are told one by one."""


@dataclass(frozen=True, slots=True)
class Case:
    """One broken version of one tool."""

    environment: Environment
    tool: Tool
    mutant: Mutant

    @property
    def source(self) -> str:
        """Of the broken function, under the tool's name."""
        return self.mutant.source.replace(f"def {self.mutant.name}(", f"def {self.tool.name}(", 1)


@dataclass(frozen=True, slots=True)
class Verdict:
    case: Case
    check: str
    """That noticed it; "" if none did."""
    difference: str = ""
    """Of a survivor: a call in which it does other than its tool."""


def environments(paths: Sequence[Path], tools: int, dice: random.Random) -> Iterator[Environment]:
    author = StructuralAuthor()
    for document in read(paths):
        for draft in author.draft(document):
            if draft.tools:
                environment, _ = build(_smaller(draft, tools, dice), author, seed=0)
                if environment.tools:
                    yield environment


def _smaller(draft: Draft, count: int, dice: random.Random) -> Draft:
    kept = {tool.name for tool in dice.sample(draft.tools, min(count, len(draft.tools)))}
    return replace(draft, tools=tuple(tool for tool in draft.tools if tool.name in kept))


def cases_of(environment: Environment) -> Iterator[Case]:
    parts = Parts(environment.source)
    for tool in environment.tools:
        function = parts.function(tool.name)
        assert function is not None
        for mutant in mutants(function, tool, environment.state_schema, most=None):
            yield Case(environment, tool, mutant)


def drawn(cases: Sequence[Case], count: int, dice: random.Random) -> list[Case]:
    """As many of each kind as there are to have, up to the same number."""
    kinds = {kind: [case for case in cases if case.mutant.kind == kind] for kind in KINDS}
    for of_kind in kinds.values():
        dice.shuffle(of_kind)
    found: list[Case] = []
    while len(found) < count and any(kinds.values()):
        for of_kind in kinds.values():
            if of_kind and len(found) < count:
                found.append(of_kind.pop())
    return found


def judge(environment: Environment, cases: Sequence[Case]) -> Iterator[Verdict]:
    """Each broken version in its tool's place, all the others as they are."""
    box = load_sandbox(environment.source, kind="native")
    with World(environment, box=box) as world:
        grounds = grounds_of(world)
        for case in cases:
            broken = World(environment, bases=world.bases, box=box.extended(case.source))
            benches = [Bench(broken, case.tool, ground) for ground in grounds]
            check = _noticed(benches)
            told = "" if check else _difference(world, broken, case.tool, grounds)
            yield Verdict(case, check, told)


def _noticed(benches: Sequence[Bench]) -> str:
    tool = benches[0].tool
    for name, check in {**checks_for(tool), **checks_together(tool)}.items():
        if any(next(check(bench), None) is not None for bench in benches):
            return name
    return ""


def _difference(world: World, broken: World, tool: Tool, grounds: Sequence[Ground]) -> str:
    """The first call in which they differ. A refusal is a refusal, whatever it says."""
    for ground in grounds:
        right, wrong = (Bench(each, tool, ground) for each in (world, broken))
        drawn = argument_sets(right, right.dice("survivors"), CALLS // 3)
        for number, (made, actor) in enumerate(drawn):
            arguments = dict(made)
            if number % 2 and arguments:
                name = sorted(arguments)[number // 2 % len(arguments)]
                arguments[name] = unknown_key([arguments[name]])
            one, other = (each.run(arguments, actor=actor) for each in (right, wrong))
            if _seen(one) != _seen(other):
                return f"{shown_call(one)} {_did(one)}; the broken one {_did(other)}"
    return ""


def _seen(run: Run) -> tuple[object, ...]:
    return run.outcome if run.ok else (run.result.failure,)


def _did(run: Run) -> str:
    if not run.ok:
        return f"is refused ({run.result.failure})"
    return f"works, and changes {', '.join(run.overlay)}" if run.overlay else "works"


def report(verdicts: Sequence[Verdict], names: Sequence[str], seed: int) -> Iterator[str]:
    killed = sum(bool(each.check) for each in verdicts)
    tools = {(each.case.environment.name, each.case.tool.name) for each in verdicts}
    survivors = [each for each in verdicts if not each.check]
    yield "# Broken tools that the checks notice"
    yield ""
    yield (
        f"{killed} of {len(verdicts)} broken versions are killed, {killed / len(verdicts):.1%}. "
        f"They are of {len(tools)} tools, made from {', '.join(names)}; seed {seed}. Made by "
        "`evals/tools_kill.py`, which says how."
    )
    yield ""
    yield "| kind | made | killed | survived | of these, seen to differ |"
    yield "|---|--:|--:|--:|--:|"
    for kind in KINDS:
        of_kind = [each for each in verdicts if each.case.mutant.kind == kind]
        dead = sum(bool(each.check) for each in of_kind)
        differ = sum(bool(each.difference) for each in of_kind)
        yield f"| {kind} | {len(of_kind)} | {dead} | {len(of_kind) - dead} | {differ} |"
    yield ""
    counts = Counter(each.check for each in verdicts if each.check)
    yield "Noticed first by: " + ", ".join(f"{name} {n}" for name, n in counts.most_common()) + "."
    for title, some in (
        ("Survivors that do something else", [each for each in survivors if each.difference]),
        (
            f"Survivors that do the same in {CALLS} calls",
            [each for each in survivors if not each.difference],
        ),
    ):
        yield ""
        yield f"## {title}: {len(some)}"
        yield ""
        for each in some[:SHOWN]:
            case = each.case
            yield f"- `{case.tool.name}` ({case.environment.name}), {case.mutant.kind}: it " + (
                f"{case.mutant.what}." + (f" {each.difference}." if each.difference else "")
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", nargs="+", type=Path, help="API documents or folders of them")
    parser.add_argument("--mutants", type=int, default=300, help="how many to draw (300)")
    parser.add_argument("--tools", type=int, default=25, help="at most, of an environment (25)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the report there")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    made = list(environments(options.documents, options.tools, dice))
    cases = [case for environment in made for case in cases_of(environment)]
    chosen = drawn(cases, options.mutants, dice)
    verdicts = [
        verdict
        for environment in made
        for verdict in judge(
            environment, [case for case in chosen if case.environment is environment]
        )
    ]
    names = [path.name for path in options.documents]
    text = "\n".join(report(verdicts, names, options.seed)) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
