"""The question: what the user says first, written from the intent alone.

Every wish becomes a clause in the imperative or a question of its own; they are put together in
one to a few sentences. A fact that is told late is left out.
"""

import random
import re
from collections.abc import Callable

from forge.tasks.called import ACTIVE, bare, called, event, is_count, is_several
from forge.tasks.clause import clause
from forge.tasks.columns import column_named, label_of
from forge.tasks.phrase import Speaker
from forge.tasks.spoken import listed
from forge.tasks.words import capital
from forge.types.state import StateSchema
from forge.types.task import Aggregate, Answer, Fact, Insert, Intent, Plain

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
        if isinstance(wish, Answer):
            questions.append(asked(wish.what, speaker))
        else:
            clauses.append(clause(wish, speaker))
            speaker.subject = "" if isinstance(wish, Insert) else wish.of.model_dump_json()
    text = compose(clauses, questions, intent.in_order, rng)
    return text, tuple(speaker.facts.values())


# ------------------------------------------------------------------- questions


def asked(what: Aggregate, speaker: Speaker) -> str:
    """ "how many open tasks are there on Lumen?", without the capital."""
    table = speaker.table(what.of.table)
    if what.op == "count":
        head, tail = speaker.group_parts(what.of)
        return f"how many {head} are there{tail}?"
    assert what.column is not None
    column = column_named(table, what.column)
    words = bare(column, table)
    if what.op in ("sum", "average"):
        word = "total" if what.op == "sum" else "average"
        return f"what is the {word} {called(column, table)} of all {speaker.group(what.of)}?"
    if what.column == label_of(table) and what.of.pick is not None:
        return _which(what, speaker)
    thing = speaker.thing(what.of)
    done = event(column, table)
    if done in ACTIVE:
        return f"when did {thing} {ACTIVE[done]}?"
    if done is not None:
        return f"when was {thing} {done}?"
    if column.format in ("date", "date-time") and words.startswith("due"):
        return f"when is {thing} due?"
    if words in ("price", "cost"):
        return f"how much does {thing} cost?"
    if is_count(column, table):
        return f"what is the number of {words} of {thing}?"
    be = "are" if is_several(column, table) else "is"
    return f"what {be} the {called(column, table)} of {thing}?"


def _which(what: Aggregate, speaker: Speaker) -> str:
    """ "which open task on Lumen is due first?"."""
    table = speaker.table(what.of.table)
    rank = speaker.rank(what.of, table)
    verb = f"has{rank.removeprefix('with')}" if rank.startswith("with") else rank[len("that ") :]
    before, after = speaker.adjectives(what.of, table)
    tail = speaker.tail([c for c in what.of.where if not isinstance(c.value, Plain)], table)
    return f"{' '.join(['which', *before, table.noun])}{tail}{after} {verb}?"


def _indirect(question: str) -> str:
    """ "what is the price of X?" after "can you tell me": "what the price of X is?"."""
    for start, end in (("when is ", " due?"), ("how much does ", " cost?")):
        if question.startswith(start) and question.endswith(end):
            middle = question[len(start) : -len(end)]
            verb = "is due" if end == " due?" else "costs"
            return f"{start.split(' is ')[0].removesuffix(' does ')} {middle} {verb}?"
    if question.startswith("when did "):
        thing, _, verb = question.removeprefix("when did ").removesuffix("?").rpartition(" ")
        done = next(d for d, v in ACTIVE.items() if v == verb)
        return f"when {thing} {done}?"
    if question.startswith("how many"):
        return question.replace(" are there", " there are", 1)
    for be in ("is", "are"):
        if question.startswith(f"what {be} "):
            return f"what {question.removeprefix(f'what {be} ').removesuffix('?')} {be}?"
    if question.startswith("when was "):
        thing, _, done = question.removeprefix("when was ").removesuffix("?").rpartition(" ")
        return f"when {thing} was {done}?"
    return question


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
            sentences.append(start(f"{lead}{_indirect(question) if lead else question}"))
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
