"""The pass `questions`: the opening question of a task, anew in a person's words.

Always holds: a question is taken only if the task passes every gate with it, it names nothing that
the user does not know, and a reader who does not know the wishes finds them in it among others that
are like them; else the task keeps the question that rules wrote. Facts, intent and the way there
stay as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from forge.authors.llm.questions import (
    WRITING,
    Brief,
    Written,
    misread,
    reading,
    sheet,
    writing,
)
from forge.env.session import World
from forge.gates.judge import first_reason
from forge.gates.unique import Seen, repeated
from forge.gates.wording import without_facts
from forge.llm.structured import Unreadable
from forge.pipeline.passes.desk import Desk, Effort, Piece, Refused
from forge.rollout.users.values import new_values
from forge.tasks.intents.inside import deeds, values
from forge.tasks.make import random_of
from forge.tasks.speech.chinese import NoChinese, in_chinese
from forge.tasks.speech.listing import wishes_of
from forge.tasks.speech.lookalikes import Alike, alike
from forge.tasks.speech.plainness import in_chinese_words, in_english
from forge.types.data import Json
from forge.types.intent import Intent, RemoveItem
from forge.types.task import Lang, Task, Wording

USE = "questions"
SIZE = 900
"""Tokens of what is asked in a try: to write, and then to read."""
REQUESTS = 2
TYPICAL, LONGEST, LONGEST_READING = 70, 300, 80
MOST_SAMPLES, MOST_REPAIRS = 3, 1
"""What three samples do not give, ten seldom do: a question is not worth more."""
MOST_WORDS, TIMES = 30, 2
"""A question may have this many words more than rules need, and this many times as many."""
LEAST_WORDS = 2
CHARACTERS = 1.7
"""Of a Chinese word."""
LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
_HAN = re.compile(r"[一-鿿]")
_DELETED = re.compile(
    r"\b(?:delet|remov|eras)(?:e|es|ed|ing)\b|\bget(?:ting)? rid\b|删除|删掉|移除"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Around:
    """What a task lies among: its world, and the marks of all tasks."""

    world: World
    seen: Seen


def effort_of(effort: Effort) -> Effort:
    return replace(
        effort,
        samples=min(effort.samples, MOST_SAMPLES),
        repairs=min(effort.repairs, MOST_REPAIRS),
    )


async def worded(task: Task, around: Around, desk: Desk) -> tuple[Task, Piece] | None:
    """The task with a question that a model wrote, not sealed yet; None where none would do."""
    schema = around.world.environment.state_schema
    if desk.lang == "zh":
        try:
            task = in_chinese(task, schema, around.world.environment.words)
        except NoChinese as none:
            desk.note(Piece(USE, task.id, 0, f"no Chinese: {none}"))
            return None
    brief = brief_of(task, around.world)
    found = alike(task, schema, random_of("look-alikes", task.hash))

    def ask(written: str, why: str) -> list[Json]:
        rng = random_of("person", task.hash)
        return writing(brief, rng, written=written, failure=why)

    async def accept(answer: Written) -> Task:
        question = in_form(answer.question, task, brief)
        candidate = task.model_copy(update={"question": question})
        if refusal := await desk.check(partial(first_reason, around.world, candidate)):
            raise Refused(f"the gate {refusal[0]}: {refusal[1]}")
        if like := repeated(candidate, around.seen, task.id):
            raise Refused(f"the gate unique: {like}")
        await _understood(candidate, found, desk)
        return candidate

    effort = effort_of(desk.effort)
    gained, piece = await desk.gain_of(
        Written, USE, task.id, ask, accept, longest=LONGEST, effort=effort
    )
    if gained is None:
        return None
    made = Wording(model=desk.model.name, prompt=WRITING, tries=piece.tries, of=task.hash)
    return gained.model_copy(update={"worded": made}), piece


def brief_of(task: Task, world: World) -> Brief:
    environment = world.environment
    wishes = wishes_of(task, environment.state_schema)
    text = " ".join(wishes)
    words = environment.words if task.lang == "zh" else {}
    return Brief(
        title=environment.title,
        wishes=wishes,
        in_order=task.intent.in_order,
        said=tuple(fact.text for fact in task.facts if not fact.told),
        unsaid=tuple(fact.about or fact.name for fact in task.facts if fact.told),
        language=LANGUAGES[task.lang],
        words=tuple((name, word) for name, word in words.items() if name in text),
    )


def in_form(text: str, task: Task, brief: Brief) -> str:
    """The question in one line. Refused if it is no question of its length and language, or names
    what nobody said."""
    question = _SPACE.sub(" ", "".join(c if c.isprintable() else " " for c in text)).strip()
    if len(question) > 1 and question[0] == question[-1] == '"' and question.count('"') == 2:
        question = question[1:-1].strip()
    for said in brief.said:
        question = question.replace(f"'{said}'", f'"{said}"')
    words, usual = _length(question), len(task.question.split())
    most = max(usual * TIMES, usual + MOST_WORDS)
    if words < LEAST_WORDS:
        raise Refused("its length: it is no sentence")
    if words > most:
        raise Refused(f"its length: {words} words, at most {most}")
    missing = next((text for text in brief.said if text not in question), None)
    if missing is not None:
        raise Refused(f"what must be said: {missing!r} does not stand in it")
    if text := _said_too_often(question, task, brief):
        raise Refused(f"what must be said: {text!r} stands in it too often, maybe in another wish")
    known = " ".join([*brief.wishes, *brief.unsaid, *brief.said, brief.title, task.now])
    if found := new_values(question, known):
        raise Refused(f"what nobody said: {found[0].text!r}")
    said = without_facts(task.model_copy(update={"question": question}))
    gone = _DELETED.search(said)
    if gone and gone.group() not in known and not _takes_away(task.intent):
        raise Refused(f"what nobody wants: {gone.group()!r}")
    known = " ".join([*brief.wishes, *brief.said])
    if not (in_chinese_words if task.lang == "zh" else in_english)(question, known):
        raise Refused(f"its language: it is not {brief.language}")
    return question


def _said_too_often(question: str, task: Task, brief: Brief) -> str:
    """A value that is said more often than by rules and for more than is known of it: it may have
    come to stand in a wish that is not its own. "" if there is none."""
    for text in brief.said:
        usual = max(brief.said.count(text), task.question.count(text))
        if question.count(text) > usual:
            return text
    return ""


def _length(text: str) -> float:
    """In words; Chinese has no spaces, and some two characters a word."""
    spaced = _HAN.sub(" ", text)
    return len(spaced.split()) + len(_HAN.findall(text)) / CHARACTERS


def _takes_away(intent: Intent) -> bool:
    """Whether something is to be deleted, or taken out of something."""
    verbs = {deed.verb for wish in intent.wishes for deed in deeds(wish)}
    return "delete" in verbs or any(isinstance(p.value, RemoveItem) for p in values(intent))


async def _understood(task: Task, wishes: Sequence[Alike], desk: Desk) -> None:
    """Refused where a reader takes the question for other wishes than its own."""
    rng = random_of("sheet", task.hash)
    options = sheet([(each.wish, each.others) for each in wishes], rng)
    try:
        messages = reading(task.question, options)
        picked = await desk.ask(options.form, USE, messages, longest=LONGEST_READING)
    except Unreadable:
        raise Refused("the reader: nothing of the form") from None
    if wrong := misread(options, picked):
        raise Refused(f"the reader: {wrong}")
