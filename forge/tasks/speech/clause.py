"""Clauses: one wish for a change as a verb phrase, "close the task …".

Written from the wish alone. A value that the verb implies goes unsaid; one that is told late is
left out and kept as a fact.
"""

from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.intents.inside import telling_fact
from forge.tasks.speech.called import (
    UNITS,
    bare,
    called,
    event,
    is_count,
    is_yes_no_noun,
    leads,
    pair_of,
)
from forge.tasks.speech.changing import change
from forge.tasks.speech.comparing import on, when
from forge.tasks.speech.conditions import told_once
from forge.tasks.speech.lexicon import (
    ADJECTIVES,
    CREATE_VERBS,
    GRADES,
    WHEN_DATES,
    is_person,
    leads_noun,
)
from forge.tasks.speech.links import ends, is_link, selected
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.relation import nested
from forge.tasks.speech.sharing import alike, shared
from forge.tasks.speech.spoken import listed
from forge.tasks.speech.words import a, is_plural, role, singular
from forge.types.intent import (
    Actor,
    Change,
    Computed,
    Condition,
    Deed,
    Delete,
    Insert,
    MadeKey,
    Plain,
    RecordKey,
    Value,
)
from forge.types.state import Column, Table

_WRITTEN_BY = {"author", "artist", "publisher", "director", "composer", "photographer", "brand"}


def clause(wish: Deed, speaker: Speaker) -> str:
    """The deed as a verb phrase without a subject."""
    match wish:
        case Insert():
            return _insert(wish, speaker)
        case Delete():
            return _delete(wish, speaker)
        case Change():
            return change(wish, speaker)


# -------------------------------------------------------------------- creating


def _insert(wish: Insert, speaker: Speaker) -> str:
    table = speaker.table(wish.table)
    said = {c: v for c, v in wish.values.items() if not _unsaid(v, c, table, speaker)}
    if is_link(table):
        tied = ends(wish.values, table, speaker)
        if tied is not None:
            rest = {c: v for c, v in said.items() if c not in table.key}
            verb = speaker.rng.choice(["add", "put"]) if is_person(table.noun) else "add"
            word = "on" if verb == "put" else "to"
            return f"{verb} {tied[0]} {word} {tied[1]}{_details(rest, table, speaker)}"
    verb = speaker.rng.choice(CREATE_VERBS.get(table.noun, CREATE_VERBS[""]))
    named = label_of(table)
    noun = _kind(said, table, speaker)
    label = said.pop(named, None) if named else None
    what = a(noun)
    if isinstance(label, Plain) and named is not None:
        what = _named(verb, label, named, table, noun, speaker)
    elif speaker.rng.random() < 0.4 and not is_plural(noun):
        what = f"a new {noun}"
    owners = {c: v for c, v in said.items() if isinstance(v, RecordKey | Actor | MadeKey)}
    as_another = shared(said, table, speaker)
    rest = {c: v for c, v in said.items() if c not in owners}
    written = ""
    for column in list(rest):
        value = rest[column]
        if role(column, table.noun) in _WRITTEN_BY and isinstance(value, Plain):
            written += f" by {speaker.fact(value, table, column)}"
            del rest[column]
    ties = told_once([Condition(column=column, value=value) for column, value in owners.items()])
    parts = list(
        dict.fromkeys(speaker.owner(tie.column, tie.value, table, new=True) for tie in ties)
    )
    parts += as_another
    parts.sort(key=lambda p: (p.startswith("with "), nested(p)))
    tail = "".join(f" {p}" for p in parts)
    return f"{verb} {what}{written}{tail}{_details(rest, table, speaker)}"


def _kind(said: dict[str, Value], table: Table, speaker: Speaker) -> str:
    """The noun with what kind it is of: "history book". What it says is taken out of `said`."""
    noun, quality = table.noun, ""
    for name, value in list(said.items()):
        column = column_named(table, name)
        if not isinstance(value, Plain):
            continue
        if column.enum and bare(column, table) in ADJECTIVES and leads_noun(value):
            noun = f"{speaker.adjective(value, table, name)} {noun}"
            del said[name]
        elif column.type == "boolean" and value.value is True and _is_adjective(column, table):
            quality += f"{_yes_no(value, column, table, speaker)} "
            del said[name]
    return f"{quality}{noun}"


def _is_adjective(column: Column, table: Table) -> bool:
    words = bare(column, table)
    return not is_yes_no_noun(words) and " " not in words.removeprefix("is ")


def _named(verb: str, label: Plain, column: str, table: Table, noun: str, speaker: Speaker) -> str:
    text = speaker.fact(label, table, column)
    if verb.endswith("for"):
        return text
    kind = role(column, table.noun)
    if kind.split()[-1] in ("name", "username", "login"):
        word = "named" if is_person(table.noun) else speaker.rng.choice(["called", "named"])
    elif kind in ("title", "subject", "summary"):
        word = speaker.rng.choice(["called", "titled", "with the title"])
    else:
        word = f"with the {called(column_named(table, column), table)}"
    if speaker.rng.random() < 0.35 and not is_plural(noun):
        return f"a new {noun} {word} {text}"
    if word in ("called", "named") and not is_person(table.noun) and speaker.rng.random() < 0.15:
        return f"{a(noun)} by the name of {text}"
    return f"{a(noun)} {word} {text}"


def _unsaid(value: Value, column: str, table: Table, speaker: Speaker) -> bool:
    """Whether the value goes unsaid: the verb implies it, or it is told only when asked."""
    if isinstance(value, RecordKey) and telling_fact(value) in speaker.told:
        of = value.of
        whose = speaker.table(of.table)
        words = "" if column in whose.key else role(column, table.noun)
        name = of.where[0].value
        assert isinstance(name, Plain)
        about = f"the {words or whose.noun} of the new {table.noun}"
        speaker.fact(name, whose, of.where[0].column, about)
        return True
    if not isinstance(value, Plain):
        return False
    if value.fact is None:
        return True
    if value.fact in speaker.told:
        words = called(column_named(table, column), table)
        speaker.fact(value, table, column, f"the {words} of the new {table.noun}")
        return True
    return False


def _details(values: dict[str, Value], table: Table, speaker: Speaker) -> str:
    """Plain values of a new record: dates and spans in their own way, the rest in one list."""
    own = ""
    rest: list[str] = []
    columns = {c: column_named(table, c) for c in values}
    done: set[str] = set()
    for name, value in values.items():
        if name in done:
            continue
        column = columns[name]
        words = bare(column, table)
        if isinstance(value, Computed):
            rest.append(alike(value, column, table, speaker))
            continue
        if not isinstance(value, Plain):
            rest.append(f"{speaker.refer(value)} as the {called(column, table)}")
            continue
        last = pair_of(column, list(columns.values()), table)
        if last is not None and isinstance(values[last.name], Plain):
            end = values[last.name]
            assert isinstance(end, Plain)
            first = speaker.fact(value, table, name, plain=True)
            own += f" from {first} to {speaker.fact(end, table, last.name, plain=True)}"
            done.add(last.name)
        elif column.type == "boolean":
            text = _yes_no(value, column, table, speaker)
            if is_yes_no_noun(words):
                rest.append(text)
            else:
                own += f", {'marked as ' if value.value else ''}{text}"
        elif words == "role":
            own += f" as {a(speaker.fact(value, table, name))}"
        elif column.format in ("date", "date-time"):
            text = speaker.fact(value, table, name)
            if words in WHEN_DATES:
                own += f" {on(text)}"
            elif words.startswith("due") or leads(column, table) or event(column, table):
                own += f", {when(column, table, text)}"
            else:
                rest.append(f"{a(called(column, table))} of {text}")
        elif leads(column, table) or words == "year":
            word = "from" if words == "year" else f"{leads(column, table)}"
            own += f", {word} {speaker.fact(value, table, name)}"
        elif words == "city":
            own += (
                f" {'from' if is_person(table.noun) else 'in'} {speaker.fact(value, table, name)}"
            )
        else:
            rest.append(_detail(value, column, table, speaker))
    return own + (f", with {listed(rest)}" if rest else "")


def _detail(value: Plain, column: Column, table: Table, speaker: Speaker) -> str:
    """ "9 copies", "normal priority", "the description …"."""
    words = bare(column, table)
    text = speaker.fact(value, table, column.name)
    if is_count(column, table):
        return f"{text} {singular(words) if value.value == 1 else words}"
    head, _, unit = words.rpartition(" ")
    if head and unit in UNITS:
        return f"{a(head)} of {text} {singular(unit) if value.value == 1 else unit}"
    named = called(column, table)
    if column.enum is not None:
        if words.split()[-1] in GRADES and text.islower() and " " not in text:
            return f"{text} {named}"
        return f"the {named} {text}"
    if isinstance(value.value, list) and len(value.value) == 1:
        return f"the {singular(named)} {text}"
    plain_number = column.type in ("integer", "number")
    return f"{a(words)} of {text}" if plain_number else f"the {named} {text}"


def _yes_no(value: Plain, column: Column, table: Table, speaker: Speaker) -> str:
    words = bare(column, table)
    if is_yes_no_noun(words):
        text = words if value.value else f"no {words}"
    else:
        text = f"{'' if value.value else 'not '}{words.removeprefix('is ')}"
    return speaker.yes_no(value, table, column.name, text)


# -------------------------------------------------------------------- deleting


def _delete(wish: Delete, speaker: Speaker) -> str:
    table = speaker.table(wish.of.table)
    if is_link(table) and not wish.each:
        tied = ends(selected(wish.of), table, speaker)
        if tied is not None:
            verb = speaker.rng.choice(["remove", "take"]) if is_person(table.noun) else "remove"
            return f"{verb} {tied[0]} {'off' if verb == 'take' else 'from'} {tied[1]}"
    verb = speaker.rng.choice(["delete", "delete", "remove", "remove", "get rid of"])
    if wish.each:
        only = [c for c in wish.of.where if isinstance(c.value, RecordKey)]
        if is_link(table) and len(only) == len(wish.of.where) == 1 and is_person(table.noun):
            return f"remove everyone from {speaker.refer(only[0].value)}"
        return f"{verb} {speaker.everything(wish.of)}"
    return f"{verb} {speaker.thing(wish.of)}"
