"""The question: what the user says first, written from the intent alone.

Every wish becomes a clause in the imperative or a question of its own; the clauses become one to
a few sentences. A fact that is told late is left out.
"""

import random
from collections.abc import Callable

from forge.tasks.columns import column_named, label_of
from forge.tasks.lexicon import CREATE_VERBS, PEOPLE, PRICES, TO_STATE, WHEN_DATES
from forge.tasks.phrase import Speaker, without_at
from forge.tasks.spoken import listed
from forge.tasks.words import a, capital, human, role
from forge.types.state import Column, StateSchema, Table
from forge.types.task import (
    Actor,
    AddItem,
    Aggregate,
    Answer,
    Change,
    Delete,
    Fact,
    Insert,
    Intent,
    MadeKey,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
    Value,
    Wish,
)

OPENERS = ("Hi, ", "Hello, ", "Hi there, ", "Hey, ", "Good morning. ", "", "", "")


def write_question(
    intent: Intent, schema: StateSchema, told: set[str], rng: random.Random
) -> tuple[str, tuple[Fact, ...]]:
    """The question and the facts with the words they are said in."""
    speaker = Speaker(schema=schema, rng=rng, told=told)
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


# --------------------------------------------------------------------- clauses


def clause(wish: Wish, speaker: Speaker) -> str:
    """ "close the task …": a verb phrase without a subject."""
    match wish:
        case Insert():
            return _insert(wish, speaker)
        case Delete():
            return _delete(wish, speaker)
        case Change():
            return _change(wish, speaker)
    raise AssertionError("an answer is no clause")


def _is_link(table: Table) -> bool:
    """Whether records only tie others together: a member of a project."""
    refs = {c.name for c in table.columns if c.references}
    if table.parent is not None:
        refs |= set(table.parent.columns)
    return len(table.key) > 1 and set(table.key) <= refs and table.label is None


def _ends(values: dict[str, Value], table: Table, speaker: Speaker) -> tuple[str, str] | None:
    """Of a link: what is tied, and what it is tied to."""
    keys = [k for k in table.key if k in values]
    if len(keys) != 2:
        return None
    to, what = keys
    if table.parent is not None and table.parent.columns == (what,):
        to, what = what, to
    return speaker.refer(values[what]), _made_or(values[to], speaker)


def _made_or(value: Value, speaker: Speaker) -> str:
    return "it" if isinstance(value, MadeKey) else speaker.refer(value)


def _insert(wish: Insert, speaker: Speaker) -> str:
    table = speaker.table(wish.table)
    if _is_link(table):
        ends = _ends(wish.values, table, speaker)
        if ends is not None:
            rest = {c: v for c, v in wish.values.items() if c not in table.key}
            extra = "".join(
                f" as {speaker.fact(v, table, c)}"
                if isinstance(v, Plain) and role(c, table.noun) == "role"
                else _with(c, v, table, speaker)
                for c, v in rest.items()
                if not _hidden(v, speaker, table, c)
            )
            verb = speaker.rng.choice(["add", "put"]) if table.noun in PEOPLE else "add"
            return f"{verb} {ends[0]} {'on' if verb == 'put' else 'to'} {ends[1]}{extra}"
    verb = speaker.rng.choice(CREATE_VERBS.get(table.noun, ("add", "create")))
    named = label_of(table)
    what = a(table.noun)
    label = wish.values.get(named) if named else None
    if isinstance(label, Plain) and named is not None:
        text = speaker.fact(label, table, named)
        kind = role(named, table.noun)
        if kind in ("name", "username", "login"):
            word = "named" if table.noun in PEOPLE else speaker.rng.choice(["called", "named"])
            what = f"{what} {word} {text}"
        elif kind in ("title", "subject", "summary"):
            what = f"{what} {speaker.rng.choice(['called', 'titled'])} {text}"
        else:
            what = f"{what} with the {kind} {text}"
        if verb.endswith("for"):
            what = text
    owners = []
    details: list[tuple[str, Value]] = []
    for column, value in wish.values.items():
        if column == named or _hidden(value, speaker, table, column):
            continue
        if isinstance(value, RecordKey | Actor | MadeKey):
            part = _owner(column, value, table, speaker)
            if part not in owners:
                owners.append(part)
        else:
            details.append((column, value))
    tail = "".join(f" {o}" for o in owners)
    return f"{verb} {what}{tail}{_details(details, table, speaker)}"


def _owner(column: str, value: Value, table: Table, speaker: Speaker) -> str:
    if isinstance(value, MadeKey):
        called = role(column, table.noun)
        return f"for that new {called}" if called else "for it"
    return speaker.owner(column, value, table)


def _hidden(value: Value, speaker: Speaker, table: Table, column: str) -> bool:
    """Whether the value goes unsaid: it is implied by the verb, or told only when asked."""
    if not isinstance(value, Plain):
        return False
    if value.fact is None:
        return True
    if value.fact in speaker.told:
        speaker.fact(
            value, table, column, f"the {role(column, table.noun)} of the new {table.noun}"
        )
        return True
    return False


def _details(details: list[tuple[str, Value]], table: Table, speaker: Speaker) -> str:
    """Plain values of a new record: dates and prices in their own way, the rest in one list."""
    own = ""
    rest = []
    for column, value in details:
        assert isinstance(value, Plain)
        found = column_named(table, column)
        called = role(column, table.noun)
        text = speaker.fact(value, table, column)
        if found.format in ("date", "date-time") and (
            called.startswith("due") or called in WHEN_DATES
        ):
            own += f", {speaker.when(called, text)}" if called.startswith("due") else f" on {text}"
        elif found.type == "boolean":
            rest.append(f"{called} set to {text}")
        else:
            rest.append(f"{_article(found, called)}{called} {text}")
    return own + (f", with {listed(rest)}" if rest else "")


def _article(column: Column, called: str) -> str:
    """ "the description …" but "status open"."""
    return "the " if column.format or (column.type == "string" and column.enum is None) else ""


def _with(column: str, value: Value, table: Table, speaker: Speaker) -> str:
    called = role(column, table.noun)
    said = speaker.fact(value, table, column) if isinstance(value, Plain) else speaker.refer(value)
    return f" with {called} {said}"


def _selected_values(of: Selection) -> dict[str, Value]:
    return {c.column: c.value for c in of.where if c.op == "eq"}


def _delete(wish: Delete, speaker: Speaker) -> str:
    table = speaker.table(wish.of.table)
    if _is_link(table) and not wish.each:
        ends = _ends(_selected_values(wish.of), table, speaker)
        if ends is not None:
            return f"remove {ends[0]} from {ends[1]}"
    verb = speaker.rng.choice(["delete", "remove", "get rid of"])
    if wish.each:
        only = [c for c in wish.of.where if isinstance(c.value, RecordKey)]
        if _is_link(table) and len(only) == len(wish.of.where) == 1 and table.noun in PEOPLE:
            return f"remove everyone from {speaker.refer(only[0].value)}"
        return f"{verb} all {speaker.group(wish.of)}"
    return f"{verb} {speaker.thing(wish.of)}"


def _target(wish: Change, speaker: Speaker) -> str:
    return f"all {speaker.group(wish.of)}" if wish.each else speaker.thing(wish.of)


def _change(wish: Change, speaker: Speaker) -> str:
    table = speaker.table(wish.of.table)
    said = {c: v for c, v in wish.change.items() if not (isinstance(v, Plain) and v.fact is None)}
    implied = {c: v for c, v in wish.change.items() if c not in said}
    if not said:
        return _turn(implied, _target(wish, speaker), table)
    if len(said) == 1 and not implied:
        ((column, value),) = said.items()
        return _one(wish, column, value, table, speaker)
    target = _target(wish, speaker)
    if implied:
        with_what = [
            f"{role(c, table.noun)} {_said(v, c, table, speaker)}"
            for c, v in said.items()
            if not _late(v, c, table, speaker)
        ]
        more = f" with {listed(with_what)}" if with_what else ""
        return _turn(implied, target, table) + more
    its = "their" if wish.each else "its"
    parts = []
    for column, value in said.items():
        if not _late(value, column, table, speaker):
            parts.append((role(column, table.noun), _said(value, column, table, speaker)))
    if not parts:
        columns = listed([role(c, table.noun) for c in said])
        return f"change the {columns} of {target}"
    first, *others = parts
    more = "".join(f" and {its} {called} to {text}" for called, text in others)
    return f"set the {first[0]} of {target} to {first[1]}{more}"


def _late(value: Value, column: str, table: Table, speaker: Speaker) -> bool:
    """Whether a new value is told only when asked; then its fact is kept."""
    if isinstance(value, Plain) and value.fact in speaker.told:
        speaker.fact(value, table, column, f"the new {role(column, table.noun)}")
        return True
    return False


def _said(value: Value, column: str, table: Table, speaker: Speaker) -> str:
    return speaker.fact(value, table, column) if isinstance(value, Plain) else speaker.refer(value)


def _turn(implied: dict[str, Value], target: str, table: Table) -> str:
    """A change of state that has a verb of its own: "close the task …"."""
    for column, value in implied.items():
        if isinstance(value, Plain) and isinstance(value.value, str):
            state = human(value.value)
            if state in TO_STATE:
                return f"{TO_STATE[state]} {target}"
            return f"mark {target} as {state}"
        if isinstance(value, Plain) and isinstance(value.value, bool):
            called = role(column, table.noun).removeprefix("is ")
            if called in TO_STATE and value.value:
                return f"{TO_STATE[called]} {target}"
            return f"mark {target} as {'' if value.value else 'not '}{called}"
    called = listed([role(c, table.noun) for c in implied])
    return f"clear the {called} of {target}"


def _one(wish: Change, column: str, value: Value, table: Table, speaker: Speaker) -> str:
    called = role(column, table.noun)
    found = column_named(table, column)
    if isinstance(value, AddItem | RemoveItem):
        return _item(wish, column, value, table, speaker)
    if _is_link(table) and not wish.each:
        ends = _ends(_selected_values(wish.of), table, speaker)
        if ends is not None:
            if _late(value, column, table, speaker):
                return f"change {ends[0]}'s {called} on {ends[1]}"
            text = _said(value, column, table, speaker)
            return f"change {ends[0]}'s {called} on {ends[1]} to {text}"
    target = _target(wish, speaker)
    if _late(value, column, table, speaker):
        return f"change the {called} of {target}"
    text = _said(value, column, table, speaker)
    if column == table.label and called in ("name", "title"):
        verb = speaker.rng.choice(["rename", f"change the {called} of"])
        return f"{verb} {target} to {text}"
    if found.type == "boolean" and isinstance(value, Plain):
        adjective = called.removeprefix("is ")
        return f"mark {target} as {'' if value.value else 'not '}{adjective}"
    if called in ("assignee", "assigned to", "assigned user"):
        return speaker.rng.choice([f"assign {target} to {text}", f"hand {target} over to {text}"])
    if found.enum is not None and called in ("status", "state"):
        return speaker.rng.choice(
            [f"mark {target} as {text}", f"set the {called} of {target} to {text}"]
        )
    if found.format in ("date", "date-time"):
        verb = speaker.rng.choice(["move", "change", "set"])
        return f"{verb} the {without_at(called)} of {target} to {text}"
    return f"{speaker.rng.choice(['change', 'set'])} the {called} of {target} to {text}"


def _item(
    wish: Change, column: str, value: AddItem | RemoveItem, table: Table, speaker: Speaker
) -> str:
    target = speaker.thing(wish.of)
    called = role(column, table.noun)
    if isinstance(value.item, Plain):
        text = speaker.fact(value.item, table, column)
        one = called.removesuffix("s")
        item = f"the {one} {text}"
    else:
        item = speaker.refer(value.item)
        if table.noun not in PEOPLE and called in ("followers", "members", "assignees", "watchers"):
            target = f"the {called} of {target}"
    if isinstance(value, AddItem):
        return f"add {item} to {target}"
    return f"{speaker.rng.choice(['remove', 'take'])} {item} from {target}"


# ------------------------------------------------------------------- questions


def asked(what: Aggregate, speaker: Speaker) -> str:
    """ "how many open tasks are there on Lumen?", without the capital."""
    table = speaker.table(what.of.table)
    if what.op == "count":
        head, tail = speaker.group_parts(what.of)
        return f"how many {head} are there{tail}?"
    assert what.column is not None
    called = role(what.column, table.noun) or human(what.column)
    if what.op in ("sum", "average"):
        word = "total" if what.op == "sum" else "average"
        return f"what is the {word} {called} of all {speaker.group(what.of)}?"
    if what.column == table.label and what.of.pick is not None:
        rank = speaker.rank(what.of, table)
        verb = (
            "has" + rank.removeprefix("with")
            if rank.startswith("with")
            else rank.removeprefix("that ")
        )
        before, after = speaker.adjectives(what.of, table)
        tail = speaker.tail([c for c in what.of.where if not isinstance(c.value, Plain)], table)
        words = " ".join(["which", *before, table.noun])
        return f"{words}{tail}{after} {verb}?"
    column = column_named(table, what.column)
    if column.format in ("date", "date-time") and called.startswith("due"):
        return f"when is {speaker.thing(what.of)} due?"
    if set(called.split()) & PRICES and called in ("price", "cost"):
        return f"how much does {speaker.thing(what.of)} cost?"
    return f"what is the {without_at(called)} of {speaker.thing(what.of)}?"


# ----------------------------------------------------------------- composition


def compose(clauses: list[str], questions: list[str], in_order: bool, rng: random.Random) -> str:
    """One to a few sentences in one register."""
    opener = rng.choice(OPENERS)
    start = (lambda text: text) if opener.endswith(", ") else capital
    sentences: list[str] = []
    if clauses:
        sentences += _clauses(clauses, in_order, rng, start)
    for number, question in enumerate(questions):
        if not sentences and number == 0:
            lead = rng.choice(["", "can you tell me ", "could you check "])
            text = f"{lead}{_indirect(question) if lead else question}"
            sentences.append(start(text))
        else:
            sentences.append(
                rng.choice([f"And {question}", f"Also, {question}", capital(question)])
            )
    return opener + " ".join(sentences)


def _indirect(question: str) -> str:
    """ "what is the price of X?" after "can you tell me": "what the price of X is?"."""
    if question.startswith(("how many", "which")):
        return (
            question.replace(" are there?", " there are?") if "are there?" in question else question
        )
    if question.startswith("what is "):
        return f"what {question.removeprefix('what is ').removesuffix('?')} is?"
    if question.startswith("when is ") and question.endswith(" due?"):
        return f"when {question.removeprefix('when is ').removesuffix(' due?')} is due?"
    if question.startswith("how much does "):
        return f"how much {question.removeprefix('how much does ').removesuffix(' cost?')} costs?"
    return question


def _clauses(
    clauses: list[str], in_order: bool, rng: random.Random, start: Callable[[str], str]
) -> list[str]:
    first, *others = clauses
    if in_order and others:
        if rng.random() < 0.5:
            return [start(f"please {first}, then {', and then '.join(others)}.")]
        more = [f"After that, please {c}." for c in others]
        return [start(f"first {first}."), *more]
    style = rng.randrange(5)
    if style == 0:
        return [start(f"could you {_joined(clauses)}?")]
    if style == 1:
        return [start(f"please {first}."), *(capital(f"also, please {c}.") for c in others)]
    if style == 2:
        return [start(f"I need you to {first}."), *(f"Please {c} as well." for c in others)]
    if style == 3:
        return [start(f"can you {_joined(clauses)}, please?")]
    return [start(f"I'd like to {_joined(clauses)}.")]


def _joined(clauses: list[str]) -> str:
    if len(clauses) == 2:
        comma = "," if ", " in clauses[0] else ""
        return f"{clauses[0]}{comma} and {clauses[1]}"
    return listed(clauses)
