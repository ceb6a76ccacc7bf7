"""How well the scripted user understands what it is asked for.

    python evals/scripted_user.py [FILE] [--wrong] [--json]

FILE (evals/scripted-user.jsonl) holds turns of agents, each with the facts of a task and the label:
which facts it asks for, and of what kind it is (`asks`, `unknown`, `confirm`, `closing`, `none`).
Recall is the share of the facts asked for that the user understands to be asked for; of those that
it has not said yet, which are the ones that matter, apart. "Beside" are turns in which it
understands one that was not asked for. Turns whose number leaves 3 when divided by 4 were never
looked at while the rules were written. `--wrong` lists the errors of the others.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from forge.rollout.users.asking import asked
from forge.types.task import Fact

HELD_OUT = 3


@dataclass(slots=True)
class Score:
    turns: int = 0
    asked: int = 0
    heard: int = 0
    late: int = 0
    late_heard: int = 0
    beside: int = 0
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)


def understood(row: dict) -> tuple[set[str], str]:
    """The facts, and the kind of turn."""
    found = asked([Fact(**fact) for fact in row["facts"]], row["turn"])
    names = set(found.facts)
    kind = "asks" if names else "confirm" if found.confirm else "unknown" if found.unknown else ""
    return names, kind or ("closing" if found.closing else "none")


def score(rows: Iterable[dict]) -> Score:
    total = Score()
    for row in rows:
        names, kind = understood(row)
        wanted = set(row["asks"])
        late = wanted & {fact["name"] for fact in row["facts"] if fact["told"]}
        total.turns += 1
        total.asked += len(wanted)
        total.heard += len(wanted & names)
        total.late += len(late)
        total.late_heard += len(late & names)
        total.beside += not names <= wanted
        total.kinds[row["kind"], kind] += 1
    return total


GROUPS: dict[str, Callable[[dict], bool]] = {
    "all": lambda row: True,
    "English": lambda row: row["lang"] == "en",
    "Chinese": lambda row: row["lang"] == "zh",
    "looked at": lambda row: row["id"] % 4 != HELD_OUT,
    "held out": lambda row: row["id"] % 4 == HELD_OUT,
}
KINDS = ("asks", "unknown", "confirm", "closing", "none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).with_name("scripted-user.jsonl")
    parser.add_argument("file", type=Path, nargs="?", default=beside)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.file.read_text().splitlines()]
    scores = {name: score(filter(fits, rows)) for name, fits in GROUPS.items()}
    if given.json:
        print(json.dumps({name: as_json(each) for name, each in scores.items()}, indent=1))
        return
    print("| turns | | facts asked for | understood | not said yet | understood | beside |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, each in scores.items():
        print(
            f"| {name} | {each.turns} | {each.asked} | {each.heard / each.asked:.1%} | {each.late}"
            f" | {each.late_heard / each.late:.1%} | {each.beside / each.turns:.1%} |"
        )
    print("\n| labelled | " + " | ".join(KINDS) + " |\n|---|" + "--:|" * len(KINDS))
    for kind in KINDS:
        counts = " | ".join(str(scores["all"].kinds[kind, other]) for other in KINDS)
        print(f"| {kind} | {counts} |")
    for row in rows if given.wrong else ():
        names, kind = understood(row)
        if row["id"] % 4 != HELD_OUT and (names != set(row["asks"]) or kind != row["kind"]):
            print(
                f"{row['id']} {row['kind']} {row['asks']} -> {kind} {sorted(names)}: {row['turn']}"
            )


def as_json(found: Score) -> dict:
    return {
        "turns": found.turns,
        "asked": found.asked,
        "recall": found.heard / found.asked,
        "not said yet": found.late,
        "recall of those": found.late_heard / found.late,
        "beside": found.beside,
        "kinds": {
            f"{one} as {other}": count for (one, other), count in sorted(found.kinds.items())
        },
    }


if __name__ == "__main__":
    main()
