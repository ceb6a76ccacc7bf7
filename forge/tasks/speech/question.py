"""The question: what the user says first, written from the intent alone.

Every wish becomes a clause in the imperative or a question of its own; they are put together in
one to a few sentences. A fact that is told late is left out.
"""

import random
import re
from collections.abc import Callable

from forge.tasks.speech.asking import asked, conditional, indirect
from forge.tasks.speech.clause import clause
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.spoken import listed
from forge.tasks.speech.words import capital
from forge.types.intent import Answer, Branch, Insert, Intent, Refused
from forge.types.state import StateSchema
from forge.types.task import Fact

LONG_CLAUSE = 70
OPENERS = ("Hi, ", "Hello, ", "Hi there, ", "Hey, ", "Good morning. ", "", "", "")


def write_question(
    intent: Intent, schema: StateSchema, told: set[str], rng: random.Random
) -> tuple[str, tuple[Fact, ...]]:
    """The question and the facts with the words they are said in."""
    made = {n: w.table for n, w in enumerate(intent.wishes) if isinstance(w, Insert)}
    speaker = Speaker(schema=schema, rng=rng, told=told, made=made)
    clauses: list[str] = []
    questions: list[str] = []
    for wish in intent.wishes:
        match wish:
            case Answer():
                questions.append(asked(wish.what, speaker))
            case Branch():
                clauses.append(conditional(wish, speaker))
                speaker.subject = ""
            case Refused():
                clauses.append(clause(wish.deed, speaker))
                speaker.subject = ""
            case _:
                clauses.append(clause(wish, speaker))
                speaker.subject = "" if isinstance(wish, Insert) else wish.of.model_dump_json()
    text = compose(clauses, questions, intent.in_order, rng)
    return text, tuple(speaker.facts.values())


# ----------------------------------------------------------------- composition


def compose(clauses: list[str], questions: list[str], in_order: bool, rng: random.Random) -> str:
    """One to a few sentences in one register."""
    opener = rng.choice(OPENERS)
    start: Callable[[str], str] = str if opener.endswith(", ") else capital
    sentences: list[str] = []
    if clauses:
        sentences += _requests(clauses, in_order, rng, start)
    for number, question in enumerate(questions):
        if not sentences and number == 0:
            lead = rng.choice(["", "can you tell me ", "could you check "])
            sentences.append(start(f"{lead}{indirect(question) if lead else question}"))
        else:
            also = [f"And {question}", f"Also, {question}", capital(question)]
            sentences.append(rng.choice(also))
    return re.sub(r'([.!?])"\.', r'\1"', opener + " ".join(sentences))


def _requests(
    clauses: list[str], in_order: bool, rng: random.Random, start: Callable[[str], str]
) -> list[str]:
    first, *others = clauses
    if in_order and others:
        if len(clauses) == 2 and rng.random() < 0.5:
            return [start(f"please {first}, then {others[0]}.")]
        return [start(f"first {first}."), *(f"After that, please {c}." for c in others)]
    apart = len(clauses) > 2 or any(len(c) > LONG_CLAUSE for c in clauses[:-1])
    opening, ending = rng.choice(
        [("could you ", "?"), ("please ", "."), ("I need you to ", "."), ("can you ", ", please?"),
         ("I'd like to ", ".")]
    )  # fmt: skip
    begin = str if opening.startswith("I") else start
    if not apart:
        return [begin(f"{opening}{_joined(clauses)}{ending}")]
    more = rng.sample(
        ["Also, please {}.", "And please {}.", "Please also {}.", "I'd also like you to {}."], 3
    )
    return [
        begin(f"{opening}{first}{ending}"),
        *(form.format(c) for form, c in zip(more, others, strict=False)),
    ]


def _joined(clauses: list[str]) -> str:
    if len(clauses) == 2:
        comma = "," if ", " in clauses[0] else ""
        return f"{clauses[0]}{comma} and {clauses[1]}"
    return listed(clauses)
