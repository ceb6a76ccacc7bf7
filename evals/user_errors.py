"""How well the rules find what a user that is a model should not have said.

    python evals/user_errors.py make DATASET --model NAME --base-url URL [-n 200] [--out FILE]
    python evals/user_errors.py score [FILE] [--half tuned|held] [--wrong]

`make` plays tasks with a small model as the user into FILE (default evals/user-errors.jsonl), and
goes on where it was stopped. The agent is the oracle, which in most
dialogues first says a few things as agents do: asks for what nobody knows, for a yes, for a fact
told late, reads a value back wrong, says that it begins, or that a part is done. Nothing labels a
dialogue but a person who reads it: `errors` is null until then, else pairs of a turn (-1: the
opening) and a rule. The rules were tuned on the dialogues of half of the tasks (by hash) alone.
"""

import argparse
import asyncio
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import get_args

from forge.dataset.folder import read_dataset
from forge.dataset.rates import wilson
from forge.env.session import World
from forge.errors import EndpointLost
from forge.llm.client import Client, Endpoint
from forge.rollout.dialogue import Dialogue
from forge.rollout.loop import Limits, rollout
from forge.rollout.policies.chat import Sampling
from forge.rollout.policies.oracle import DagPlayer
from forge.rollout.users.model import ModelUser
from forge.rollout.users.slips import Exchange, Knowledge, slips
from forge.tasks.speech.listing import wishes_of
from forge.types.rollout import Rule, Turn
from forge.types.task import Fact, Task

FILE = Path(__file__).with_name("user-errors.jsonl")
MOST_PROBES = 2
MOST_STEPS = 40
CHINESE_SHARE = 0.15

ENGLISH = {
    "late": (
        "What is {about}?",
        "I need {about} to go on. Could you give it to me?",
        "Please provide {about}.",
        "One thing is missing: {about}.",
    ),
    "unknown": (
        "What is the ID of the {noun}?",
        "Which department is this for?",
        "What reason should I note for this?",
        "Please give me your account number, so that I can verify who you are.",
        "What is the phone number of the person I should contact about it?",
        "When would you like this to be done?",
    ),
    "confirm": (
        "Shall I go ahead?",
        "I am going to {wish}. Is that right?",
        "Just to be sure: you want me to {wish}?",
    ),
    "wrong": (
        "So {about} is {other}, correct?",
        "I have noted {other} as {about}. Shall I go on with that?",
        "Is {about} {other}, or something else?",
    ),
    "begins": (
        "I will do that now, one moment please.",
        "Let me look that up.",
        "I have found the {noun} and am starting with your request.",
    ),
    "part": (
        "The first of your requests is done. I am working on the rest.",
        "I have finished a part of it so far.",
    ),
    "fails": (
        "I could not find it. Could you check {about}?",
        "There are several that match. Which one do you mean?",
        "An error came up, and I will try again.",
    ),
}
CHINESE = {
    "late": ("请问 {about} 是什么？", "还缺少 {about}，请告诉我。"),
    "unknown": ("请提供 {noun} 的编号（ID）。", "请问您的联系电话是多少？", "请问原因是什么？"),
    "confirm": ("可以开始吗？", "请确认是否继续。"),
    "wrong": ("{about} 是 {other}，对吗？",),
    "begins": ("好的，我现在就处理，请稍等。", "我先查一下。"),
    "part": ("第一项已经完成，正在处理其余的。",),
    "fails": ("没有找到，请核对一下 {about}。",),
}
OTHERS = {
    "date": ("2026-08-17", "3 September 2026"),
    "number": ("12", "750"),
    "text": ("Maria Lindqvist", "Blue Harbour", "standard"),
}


@dataclass(slots=True)
class Prober:
    """Says `lines`, one a turn, and then plays the task. When it has said so often as `closes` that
    it is at its end, it has written a token, which ends the dialogue."""

    lines: list[str]
    player: DagPlayer
    closes: int
    _ended: int = 0

    async def act(self, dialogue: Dialogue) -> Turn:
        if self.lines:
            return Turn(text=self.lines.pop(0))
        turn = await self.player.act(dialogue)
        self._ended += not turn.calls and not turn.text.startswith("Could you tell me")
        return turn.model_copy(update={"completion_tokens": int(self._ended >= self.closes)})


def probes(task: Task, wishes: tuple[str, ...], lang: str, draw: Random) -> list[str]:
    """What the agent says before it begins."""
    ways = CHINESE if lang == "zh" else ENGLISH
    said = [fact for fact in task.facts if not fact.told]
    late = [fact for fact in task.facts if fact.told]
    lines = []
    for _ in range(draw.choice([0, 1, 1, 1, MOST_PROBES])):
        kind = draw.choice([name for name in ways if late or name != "late"])
        fact = draw.choice(late if kind == "late" or not said else said)
        others = [each for each in OTHERS[kind_of(fact)] if each != fact.text]
        lines.append(
            draw.choice(ways[kind]).format(
                about=fact.about or fact.name,
                noun=fact.name.split()[0],
                wish=draw.choice(wishes),
                other=draw.choice(others),
            )
        )
    return lines


def kind_of(fact: Fact) -> str:
    if isinstance(fact.value, int | float):
        return "number"
    text = str(fact.value)
    return "date" if text[:2] == "20" and text[4:5] == "-" else "text"


async def make(given: argparse.Namespace) -> None:
    dataset = read_dataset(given.dataset)
    there = {row["id"] for row in rows(given.out)} if given.out.exists() else set()
    client = Client(Endpoint(given.model, given.base_url, seconds=900))
    worlds: dict[str, World] = {}
    tasks = sorted(dataset.tasks(), key=lambda task: place(task, given.model))
    left = tasks[: given.number]

    async def play_on() -> None:
        while left:
            task = left.pop(0)
            if task.env not in worlds:
                worlds[task.env] = World(dataset.environment(task.env), sandbox="native")
            for attempt in range(given.attempts):
                name = f"{task.id}/{given.model}/{attempt}"
                if name in there:
                    continue
                row = await dialogue(worlds[task.env], task, client, name)
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"id": name, **row}, ensure_ascii=False) + "\n")

    try:
        await asyncio.gather(*(play_on() for _ in range(given.concurrent)))
    finally:
        await client.close()


def place(task: Task, model: str) -> float:
    """In the order of the dialogues: tasks in which something is told late come earlier."""
    at = hashed(f"{model} {task.id}")
    return at / 4 if any(fact.told for fact in task.facts) else at


async def dialogue(world: World, task: Task, client: Client, name: str) -> dict:
    seed = hashed(name)
    draw = Random(seed)
    schema = world.environment.state_schema
    wishes = wishes_of(task, schema)
    lang = "zh" if draw.random() < CHINESE_SHARE else "en"
    user = ModelUser(
        client, lambda env: schema, lang=lang, sampling=Sampling(temperature=0.7, max_tokens=200)
    )
    lines = probes(task, wishes, lang, draw)
    head = {
        "model": client.endpoint.model,
        "lang": lang,
        "now": task.now,
        "wishes": wishes,
        "facts": [fact.model_dump(mode="json") for fact in task.facts],
        "asked": task.question,
    }
    try:
        found = await rollout(
            world,
            task,
            Prober(lines, DagPlayer(task), draw.choice([1, 1, 1, 2])),
            user.speaker(task, seed),
            policy="prober",
            user=user.name,
            seed=seed,
            limits=Limits(steps=MOST_STEPS, tokens=1),
        )
    except EndpointLost as lost:
        return {**head, "question": "", "turns": [], "end": f"lost: {lost}", "errors": []}
    turns, heard = [], []
    for step in found.steps:
        if step.turn.text:
            heard.append(step.turn.text)
        if step.user is not None:
            turns.append({"agent": "\n".join(heard), "user": step.user, "served": step.served})
            heard = []
    end = found.outcome if found.outcome in ("done", "gave_up") else None
    return {**head, "question": found.question, "turns": turns, "end": end, "errors": None}


# ------------------------------------------------------------------------ score


@dataclass(slots=True)
class Count:
    """Of turns: flagged by the rules, labelled by the reader, both."""

    flagged: int = 0
    labelled: int = 0
    both: int = 0

    def add(self, flagged: set, labelled: set) -> None:
        self.flagged += len(flagged)
        self.labelled += len(labelled)
        self.both += len(flagged & labelled)

    def line(self, name: str) -> str:
        low, high = wilson(self.both, self.flagged)
        precision = f"{share(self.both, self.flagged)} ({low:.2f} to {high:.2f})"
        recall = share(self.both, self.labelled)
        return (
            f"| {name} | {self.labelled} | {self.flagged} | {self.both} | {precision} | {recall} |"
        )


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def score(given: argparse.Namespace) -> None:
    rules = {rule: Count() for rule in get_args(Rule)}
    turns, dialogues, spoken, number = Count(), Count(), 0, 0
    for row in rows(given.file):
        if row["errors"] is None or (given.half and half_of(row) != given.half):
            continue
        number += 1
        spoken += len(row["turns"]) + (row["question"] != row["asked"])
        labelled = {(turn, rule) for turn, rule in row["errors"]}
        found = slips(known(row), talk(row))
        flagged = {(slip.turn, slip.rule) for slip in found}
        for rule, count in rules.items():
            count.add(*({e for e in each if e[1] == rule} for each in (flagged, labelled)))
        turns.add({turn for turn, _ in flagged}, {turn for turn, _ in labelled})
        dialogues.add(
            {row["id"] for _ in [0] if flagged},
            {row["id"] for _ in [0] if labelled},
        )
        if given.wrong and flagged != labelled:
            tell(row, flagged, labelled, {(s.turn, s.rule): s.reason for s in found})
    print(f"{number} dialogues, {spoken} turns of the user\n")
    print("| | labelled | flagged | of these right | precision | recall |")
    print("|---|--:|--:|--:|--:|--:|")
    for rule, count in rules.items():
        print(count.line(rule))
    print(turns.line("turns with any error"))
    print(dialogues.line("dialogues with any error"))


def half_of(row: dict) -> str:
    """By the task, so that two dialogues of one task are in one half."""
    return "tuned" if hashed(row["id"].partition("/")[0]) % 2 else "held"


def known(row: dict) -> Knowledge:
    return Knowledge(tuple(Fact(**fact) for fact in row["facts"]), (row["asked"], row["now"]))


def talk(row: dict) -> list[Exchange]:
    found = [] if row["question"] == row["asked"] else [Exchange(-1, "", row["question"])]
    last = len(row["turns"]) - 1
    for number, turn in enumerate(row["turns"]):
        left = number == last and row["end"] is not None
        found.append(Exchange(number, turn["agent"], turn["user"], left))
    return found


def tell(row: dict, flagged: set, labelled: set, reasons: dict) -> None:
    print(f"## {row['id']}: {'; '.join(row['wishes'])}")
    print(f"   late: {[fact['text'] for fact in row['facts'] if fact['told']]}")
    for each in talk(row):
        here = [e for e in sorted(flagged | labelled) if e[0] == each.turn]
        if here:
            print(f"   agent: {each.heard}\n   user: {each.said}{' [left]' if each.left else ''}")
        for error in here:
            sign = {(True, True): "=", (True, False): "+", (False, True): "-"}
            mark = sign[error in flagged, error in labelled]
            print(f"   {mark} {error[1]}: {reasons.get(error, '')}")


def hashed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


def rows(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("dataset", type=Path)
    making.add_argument("--model", required=True)
    making.add_argument("--base-url", required=True)
    making.add_argument("-n", "--number", type=int, default=100, help="tasks")
    making.add_argument("-r", "--attempts", type=int, default=3, help="dialogues of each")
    making.add_argument("-c", "--concurrent", type=int, default=1)
    making.add_argument("--out", type=Path, default=FILE)
    scoring = commands.add_parser("score")
    scoring.add_argument("file", type=Path, nargs="?", default=FILE)
    scoring.add_argument("--half", choices=["tuned", "held"])
    scoring.add_argument("--wrong", action="store_true", help="list what is wrong")
    given = parser.parse_args()
    if given.command == "make":
        asyncio.run(make(given))
    else:
        score(given)


if __name__ == "__main__":
    main()
