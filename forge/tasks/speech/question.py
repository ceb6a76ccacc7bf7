"""The question: what the user says first, written from the intent alone.

Every wish becomes a clause in the imperative, a condition with what hangs on it, or a question of
its own; they are put together in one to a few sentences, in one manner of speaking. A fact that is
told late is left out.
"""

import random
import re
from dataclasses import dataclass

from forge.tasks.speech.asking import asked, tested
from forge.tasks.speech.clause import clause
from forge.tasks.speech.manner import MANNERS, Kind, Turn, remark
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.words import capital
from forge.types.intent import Answer, Branch, Change, Deed, Insert, Intent, Refused
from forge.types.state import StateSchema
from forge.types.task import Fact

LONG_CLAUSE = 70
_IN_TURN = (
    ("After that,", "Finally,"),
    ("Then", "And then"),
    ("Once that is done,", "At the end,"),
)
UNSURE_SHARE = 0.2
"""How often someone allows for what can no longer be done."""


@dataclass(frozen=True, slots=True)
class Saying:
    """One wish in words."""

    kind: Kind
    text: str
    """The clause or question; of a condition, what it is about."""
    then: str = ""
    """What to do then; of a question, the question after "tell me"."""
    otherwise: str = ""
    after: bool = False
    """Of a question: whether it is asked of how things are once the rest is done."""


def write_question(
    intent: Intent, schema: StateSchema, told: set[str], rng: random.Random, now: str
) -> tuple[str, tuple[Fact, ...]]:
    """The question and the facts with the words they are said in."""
    made = {n: w.table for n, w in enumerate(intent.wishes) if isinstance(w, Insert)}
    speaker = Speaker(schema=schema, rng=rng, told=told, made=made, now=now)
    sayings: list[Saying] = []
    for number, wish in enumerate(intent.wishes):
        match wish:
            case Answer():
                question = asked(wish.what, speaker)
                sayings.append(Saying("ask", question.direct, question.indirect, after=wish.after))
                speaker.turn_to("")
            case Branch():
                condition = tested(wish, speaker)
                then = clause(wish.then, speaker)
                other = "" if wish.otherwise is None else clause(wish.otherwise, speaker)
                sayings.append(Saying("if", condition, then, other))
                speaker.turn_to("")
            case Refused():
                unsure = wish.why in ("state", "in_use") and rng.random() < UNSURE_SHARE
                hedge = " if that is still possible" if unsure else ""
                sayings.append(Saying(_kind(wish.deed), clause(wish.deed, speaker) + hedge))
                speaker.turn_to("")
            case _:
                sayings.append(Saying(_kind(wish), clause(wish, speaker)))
                speaker.turn_to(
                    wish.of.model_dump_json() if isinstance(wish, Change) else "",
                    number if isinstance(wish, Insert) else None,
                )
    return compose(sayings, intent.in_order, rng), tuple(speaker.facts.values())


def _kind(deed: Deed) -> Kind:
    return "add" if isinstance(deed, Insert) else "change" if isinstance(deed, Change) else "delete"


# ----------------------------------------------------------------- composition


def compose(sayings: list[Saying], in_order: bool, rng: random.Random) -> str:
    """One to a few sentences in one manner."""
    manner = rng.choice(MANNERS)
    turn = Turn(manner, rng)
    if sayings[-1].after:
        turn.used |= {form for form in manner.more if form.startswith("Finally")}
    sentences: list[str] = []
    if rng.random() < manner.small_talk:
        sentences.append(remark([s.kind for s in sayings], rng))
    if in_order and sum(s.kind != "ask" for s in sayings) > 1:
        sentences += _in_turn(sayings, turn)
    else:
        sentences += _in_any_order(sayings, turn)
    opener = rng.choice(manner.openers)
    begun = [capital(s) for s in sentences]
    if opener.rstrip().endswith((",", "so", ":")) and not sentences[0].startswith(("I ", "I'")):
        begun[0] = f"{sentences[0][0].lower()}{sentences[0][1:]}"
    text = f"{opener}{' '.join(begun)} {rng.choice(manner.closings)}".strip()
    return capital(re.sub(r'([.!?])"\.', r'\1"', text))


def _question(asked: Saying, began: bool, turn: Turn) -> list[str]:
    direct = f"{asked.text}?"
    if asked.after:
        form = turn.draw(turn.manner.afters)
        return [form.format(asked.text, asked.then)]
    if began and turn.rng.random() < 0.7:
        return [turn.draw((f"and {direct}", f"also, {direct}", direct))]
    lead = turn.draw(turn.manner.tells)
    if not lead:
        return [direct]
    ending = "." if lead.startswith(("I ", "I'", "please", "for our")) else "?"
    return [f"{'also, ' if began else ''}{lead}{asked.then}{ending}"]


def _condition(saying: Saying, turn: Turn, forms: tuple[str, ...] = ()) -> list[str]:
    said = [turn.draw(forms or turn.manner.ifs).format(saying.text, saying.then)]
    if saying.otherwise:
        said.append(turn.draw(turn.manner.otherwise).format(saying.otherwise))
    return said


def _in_any_order(sayings: list[Saying], turn: Turn) -> list[str]:
    said: list[str] = []
    rest = list(sayings)
    while rest:
        first = rest.pop(0)
        if first.kind == "ask":
            said += _question(first, bool(said), turn)
        elif first.kind == "if":
            said += _condition(first, turn)
        else:
            run = [first.text]
            while rest and rest[0].kind not in ("ask", "if"):
                run.append(rest.pop(0).text)
            said += _requests(run, bool(said), turn)
    return said


def _in_turn(sayings: list[Saying], turn: Turn) -> list[str]:
    """What is to be done in this order, said so."""
    deeds = [s for s in sayings if s.kind != "ask"]
    plainly = len(deeds) == len(sayings) == 2 and all(s.kind != "if" for s in deeds)
    if plainly and turn.rng.random() < 0.5:
        return [f"please {deeds[0].text}, then {deeds[1].text}."]
    following, finally_ = turn.rng.choice(_IN_TURN)
    said: list[str] = []
    for saying in sayings:
        if saying.kind == "ask":
            said += _question(saying, bool(said), turn)
            continue
        start = "first" if saying is deeds[0] else following
        if saying is deeds[-1] and len(deeds) > 2:
            start = finally_
        if saying.kind == "if":
            first, *other = _condition(saying, turn, turn.manner.ifs[:1])
            said += [f"{start}{',' if start == 'first' else ''} {first}", *other]
        else:
            said.append(f"{start} {'' if start == 'first' else 'please '}{saying.text}.")
    return said


def _requests(clauses: list[str], began: bool, turn: Turn) -> list[str]:
    first, *others = clauses
    short = len(clauses) == 2 and all(len(c) < LONG_CLAUSE for c in clauses[:1])
    if short and turn.rng.random() < turn.manner.joins:
        first, others = _joined(clauses), []
    form = turn.draw(turn.manner.more if began else turn.manner.asks)
    return [form.format(first), *(turn.draw(turn.manner.more).format(c) for c in others)]


def _joined(clauses: list[str]) -> str:
    comma = "," if ", " in clauses[0] else ""
    return f"{clauses[0]}{comma} and {clauses[1]}"
