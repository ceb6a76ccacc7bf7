"""Clauses: one wish for a change as a verb phrase, "close the task …".

Written from the wish alone. A value that the verb implies goes unsaid; one that is told late is
left out and kept as a fact.
"""

from forge.tasks.intents.columns import column_named, label_of
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
from forge.tasks.speech.lexicon import (
    ADJECTIVES,
    CREATE_VERBS,
    PEOPLE,
    PREPOSITIONS,
    TO_STATE,
    WHEN_DATES,
)
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.spoken import listed
from forge.tasks.speech.words import a, human, role, singular
from forge.types.intent import (
    Actor,
    AddItem,
    Change,
    Deed,
    Delete,
    Insert,
    MadeKey,
    Moved,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
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
            return _change(wish, speaker)


# ----------------------------------------------------------------------- links


def _is_link(table: Table) -> bool:
    """Whether records only tie others together: a member of a project."""
    refs = {c.name for c in table.columns if c.references}
    if table.parent is not None:
        refs |= set(table.parent.columns)
    return len(table.key) == 2 and set(table.key) <= refs and table.label is None


def _ends(values: dict[str, Value], table: Table, speaker: Speaker) -> tuple[str, str] | None:
    """Of a link: what is tied, and what it is tied to."""
    if not set(table.key) <= set(values):
        return None
    to, what = table.key
    if table.parent is not None and table.parent.columns == (what,):
        to, what = what, to
    tied_to = "it" if isinstance(values[to], MadeKey) else speaker.refer(values[to])
    return speaker.refer(values[what]), tied_to


def _selected(of: Selection) -> dict[str, Value]:
    return {c.column: c.value for c in of.where if c.op == "eq"}


# -------------------------------------------------------------------- creating


def _insert(wish: Insert, speaker: Speaker) -> str:
    table = speaker.table(wish.table)
    said = {c: v for c, v in wish.values.items() if not _unsaid(v, c, table, speaker)}
    if _is_link(table):
        ends = _ends(wish.values, table, speaker)
        if ends is not None:
            rest = {c: v for c, v in said.items() if c not in table.key}
            verb = speaker.rng.choice(["add", "put"]) if table.noun in PEOPLE else "add"
            word = "on" if verb == "put" else "to"
            return f"{verb} {ends[0]} {word} {ends[1]}{_details(rest, table, speaker)}"
    verb = speaker.rng.choice(CREATE_VERBS.get(table.noun, ("add", "create")))
    named = label_of(table)
    noun = _kind(said, table, speaker)
    what = a(noun)
    label = said.pop(named, None) if named else None
    if isinstance(label, Plain) and named is not None:
        what = _named(verb, label, named, table, noun, speaker)
    owners = {c: v for c, v in said.items() if isinstance(v, RecordKey | Actor | MadeKey)}
    rest = {c: v for c, v in said.items() if c not in owners}
    written = ""
    for column in list(rest):
        value = rest[column]
        if role(column, table.noun) in _WRITTEN_BY and isinstance(value, Plain):
            written += f" by {speaker.fact(value, table, column)}"
            del rest[column]
    parts: list[str] = []
    for column, value in owners.items():
        part = speaker.owner(column, value, table)
        if part not in parts:
            parts.append(part)
    tail = "".join(f" {p}" for p in parts)
    return f"{verb} {what}{written}{tail}{_details(rest, table, speaker)}"


def _kind(said: dict[str, Value], table: Table, speaker: Speaker) -> str:
    """The noun with what kind it is of: "history book". What it says is taken out of `said`."""
    noun = table.noun
    for name, value in list(said.items()):
        column = column_named(table, name)
        if isinstance(value, Plain) and column.enum and bare(column, table) in ADJECTIVES:
            noun = f"{speaker.adjective(value, table, name)} {noun}"
            del said[name]
    return noun


def _named(verb: str, label: Plain, column: str, table: Table, noun: str, speaker: Speaker) -> str:
    text = speaker.fact(label, table, column)
    if verb.endswith("for"):
        return text
    kind = role(column, table.noun)
    if kind in ("name", "username", "login"):
        word = "named" if table.noun in PEOPLE else speaker.rng.choice(["called", "named"])
    elif kind in ("title", "subject", "summary"):
        word = speaker.rng.choice(["called", "titled"])
    else:
        word = f"with the {called(column_named(table, column), table)}"
    return f"{a(noun)} {word} {text}"


def _unsaid(value: Value, column: str, table: Table, speaker: Speaker) -> bool:
    """Whether the value goes unsaid: the verb implies it, or it is told only when asked."""
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
        if not isinstance(value, Plain):
            rest.append(f"{called(column, table)} {speaker.refer(value)}")
            continue
        last = pair_of(column, list(columns.values()), table)
        if last is not None and isinstance(values[last.name], Plain):
            end = values[last.name]
            assert isinstance(end, Plain)
            first = speaker.fact(value, table, name)
            own += f" from {first} to {speaker.fact(end, table, last.name)}"
            done.add(last.name)
        elif column.type == "boolean":
            text = _yes_no(value, column, table, speaker)
            if is_yes_no_noun(words):
                rest.append(text)
            else:
                own += f", marked as {text}"
        elif words == "role":
            own += f" as {speaker.fact(value, table, name)}"
        elif column.format in ("date", "date-time"):
            text = speaker.fact(value, table, name)
            if words in WHEN_DATES:
                own += f" on {text}"
            elif words.startswith("due") or leads(column, table) or event(column, table):
                own += f", {speaker.when(column, table, text)}"
            else:
                rest.append(f"{words} on {text}")
        elif leads(column, table) or words == "year":
            word = "from" if words == "year" else f"{leads(column, table)}"
            own += f", {word} {speaker.fact(value, table, name)}"
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
        return f"{a(head)} of {text} {unit}"
    if column.enum is not None:
        return f"{text} {called(column, table)}" if text.islower() else f"{words} {text}"
    plain_number = column.type in ("integer", "number")
    return f"{a(words) if plain_number else f'the {called(column, table)}'} " + (
        f"of {text}" if plain_number else text
    )


def _yes_no(value: Plain, column: Column, table: Table, speaker: Speaker) -> str:
    words = bare(column, table)
    if is_yes_no_noun(words):
        text = words if value.value else f"no {words}"
    else:
        text = f"{'' if value.value else 'not '}{words.removeprefix('is ')}"
    return speaker.yes_no(value, table, column.name, text)


# -------------------------------------------------------------------- changing


def _delete(wish: Delete, speaker: Speaker) -> str:
    table = speaker.table(wish.of.table)
    if _is_link(table) and not wish.each:
        ends = _ends(_selected(wish.of), table, speaker)
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
    parts = {
        called(column_named(table, c), table): _said(v, c, table, speaker)
        for c, v in said.items()
        if not _late(v, c, table, speaker)
    }
    if implied:
        more = listed([f"the {words} {text}" for words, text in parts.items()])
        return _turn(implied, target, table) + (f" with {more}" if more else "")
    if not parts:
        columns = listed([called(column_named(table, c), table) for c in said])
        return f"change the {columns} of {target}"
    its = "their" if wish.each or table.noun in PEOPLE else "its"
    (first, text), *others = parts.items()
    more = "".join(f" and {its} {words} to {value}" for words, value in others)
    what = f"its {first}" if target == "it" else f"the {first} of {target}"
    return f"set {what} to {text}{more}"


def _late(value: Value, column: str, table: Table, speaker: Speaker) -> bool:
    """Whether a new value is told only when asked; then its fact is kept."""
    if isinstance(value, Plain) and value.fact in speaker.told:
        words = called(column_named(table, column), table)
        speaker.fact(value, table, column, f"the new {words}")
        return True
    return False


def _said(value: Value, column: str, table: Table, speaker: Speaker) -> str:
    return speaker.fact(value, table, column) if isinstance(value, Plain) else speaker.refer(value)


def _turn(implied: dict[str, Value], target: str, table: Table) -> str:
    """A change of state that has a verb of its own: "close the task …"."""
    for column, value in implied.items():
        if isinstance(value, Plain) and isinstance(value.value, str):
            return _into_state(human(value.value), target)
        if isinstance(value, Plain) and isinstance(value.value, bool):
            words = role(column, table.noun).removeprefix("is ")
            if words in TO_STATE and value.value:
                return f"{TO_STATE[words]} {target}"
            return f"mark {target} as {'' if value.value else 'not '}{words}"
    words = listed([role(c, table.noun) for c in implied])
    return f"clear the {words} of {target}"


def _into_state(state: str, target: str) -> str:
    return f"{TO_STATE[state]} {target}" if state in TO_STATE else f"mark {target} as {state}"


def _one(wish: Change, column: str, value: Value, table: Table, speaker: Speaker) -> str:
    found = column_named(table, column)
    words = bare(found, table)
    if isinstance(value, AddItem | RemoveItem):
        return _item(wish, column, value, table, speaker)
    if isinstance(value, Moved):
        return _moved(wish, found, value, table, speaker)
    late = _late(value, column, table, speaker)
    if _is_link(table) and not wish.each:
        ends = _ends(_selected(wish.of), table, speaker)
        if ends is not None:
            new = "" if late else f" to {_said(value, column, table, speaker)}"
            return f"change {ends[0]}'s {words} on {ends[1]}{new}"
    target = _target(wish, speaker)
    what = f"{called(found, table)} of {target}"
    what = f"its {called(found, table)}" if target == "it" else f"the {what}"
    if late:
        return f"change {what}"
    if found.type == "boolean" and isinstance(value, Plain):
        return _switch(value, found, target, table, speaker)
    text = _said(value, column, table, speaker)
    if column == table.label and words in ("name", "title"):
        return f"{speaker.rng.choice(['rename', f'change the {words} of'])} {target} to {text}"
    if PREPOSITIONS.get(words) == "assigned to":
        return speaker.rng.choice([f"assign {target} to {text}", f"hand {target} over to {text}"])
    if found.enum is not None and words in ("status", "state"):
        mark = f"mark {target} as {text}"
        return speaker.rng.choice([mark, f"set the {words} of {target} to {text}"])
    if found.format in ("date", "date-time"):
        verb = speaker.rng.choice(["move", "change", "set"])
        return f"{verb} {what} to {text}"
    return f"{speaker.rng.choice(['change', 'set'])} {what} to {text}"


def _moved(wish: Change, column: Column, value: Moved, table: Table, speaker: Speaker) -> str:
    """A date put off, a number raised or lowered."""
    named = called(column, table)
    text = speaker.number(value.by, f"how far the {named} is to move")
    target = _target(wish, speaker)
    what = f"its {named}" if target == "it" else f"the {named} of {target}"
    if value.unit == "days":
        days = "day" if value.by.value == 1 else "days"
        return f"move {what} {text} {days} {'earlier' if value.less else 'later'}"
    unit = "%" if value.unit == "percent" else ""
    return f"{'lower' if value.less else 'raise'} {what} by {text}{unit}"


def _switch(value: Plain, column: Column, target: str, table: Table, speaker: Speaker) -> str:
    words = bare(column, table).removeprefix("is ")
    if is_yes_no_noun(bare(column, table)):
        text = words if value.value else f"no {words}"
        speaker.yes_no(value, table, column.name, text)
        return f"change {target} to {'include ' if value.value else ''}{text}"
    text = f"{'' if value.value else 'not '}{words}"
    speaker.yes_no(value, table, column.name, text)
    return f"mark {target} as {text}"


def _item(
    wish: Change, column: str, value: AddItem | RemoveItem, table: Table, speaker: Speaker
) -> str:
    target = speaker.thing(wish.of)
    words = role(column, table.noun)
    if isinstance(value.item, Plain):
        item = f"the {words.removesuffix('s')} {speaker.fact(value.item, table, column)}"
    else:
        target_table = speaker.referred(value.item)
        bare_name = target_table is None or target_table.noun in PEOPLE
        if isinstance(value.item, RecordKey) and not bare_name:
            item = speaker.thing(value.item.of)
        else:
            item = speaker.refer(value.item)
        if table.noun not in PEOPLE and words in ("followers", "members", "assignees", "watchers"):
            target = f"the {words} of {target}"
    if isinstance(value, AddItem):
        return f"add {item} to {target}"
    return f"{speaker.rng.choice(['remove', 'take'])} {item} from {target}"
