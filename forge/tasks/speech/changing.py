"""Clauses for changes: "close the task …", "move its due date to Friday", "raise the price by 5%".

Written from the wish alone, like the other clauses (`clause.py`).
"""

from forge.tasks.intents.columns import column_named
from forge.tasks.speech.called import UNITS, bare, called, is_yes_no_noun
from forge.tasks.speech.lexicon import PREPOSITIONS, TO_STATE, is_person
from forge.tasks.speech.links import ends, is_link, selected
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.relation import had
from forge.tasks.speech.sharing import alike, source
from forge.tasks.speech.spoken import listed
from forge.tasks.speech.words import human, plural, role, singular
from forge.types.intent import (
    AddItem,
    Change,
    Computed,
    MadeKey,
    Moved,
    Plain,
    RecordKey,
    RemoveItem,
    Value,
)
from forge.types.state import Column, Table

_ADJECTIVES = {"done", "complete", "completed", "enabled", "verified", "confirmed", "public"}
_PEOPLE = ("followers", "members", "assignees", "watchers")
_NOUNS = {"template", "favorite", "favourite", "draft", "bot", "fork", "bookmark", "priority"}


def change(wish: Change, speaker: Speaker) -> str:
    """The change as a verb phrase without a subject."""
    table = speaker.table(wish.of.table)
    said = {c: v for c, v in wish.change.items() if not (isinstance(v, Plain) and v.fact is None)}
    implied = {c: v for c, v in wish.change.items() if c not in said}
    if not said:
        return _turn(implied, _target(wish, speaker), table, speaker, wish.each)
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
        return _turn(implied, target, table, speaker, wish.each) + (f" with {more}" if more else "")
    if not parts:
        columns = listed([called(column_named(table, c), table) for c in said])
        return f"change {had(target, columns, table, speaker.rng)}"
    its = "their" if wish.each or is_person(table.noun) else "its"
    (first, text), *others = parts.items()
    more = "".join(f" and {its} {words} to {value}" for words, value in others)
    verb = speaker.rng.choice(["set", "change", "update"])
    return f"{verb} {had(target, first, table, speaker.rng)} to {text}{more}"


def _target(wish: Change, speaker: Speaker) -> str:
    """The record, or all of them; "it" of one that an earlier wish makes."""
    key = speaker.table(wish.of.table).key
    made = next(
        (c.value for c in wish.of.where if isinstance(c.value, MadeKey) and c.column in key), None
    )
    if made is not None and not wish.each:
        return speaker.refer(made)
    return speaker.everything(wish.of) if wish.each else speaker.thing(wish.of)


def _late(value: Value, column: str, table: Table, speaker: Speaker) -> bool:
    """Whether a new value is told only when asked; then its fact is kept."""
    if isinstance(value, Plain) and value.fact in speaker.told:
        words = called(column_named(table, column), table)
        speaker.fact(value, table, column, f"the new {words}")
        return True
    return False


def _said(value: Value, column: str, table: Table, speaker: Speaker) -> str:
    if isinstance(value, Computed):
        return f"that of {source(value, speaker)}"
    return speaker.fact(value, table, column) if isinstance(value, Plain) else speaker.refer(value)


def _turn(
    implied: dict[str, Value], target: str, table: Table, speaker: Speaker, many: bool
) -> str:
    """A change of state that has a verb of its own: "close the task …"."""
    for column, value in implied.items():
        if isinstance(value, Plain) and isinstance(value.value, str):
            return _into_state(human(value.value), target)
        if isinstance(value, Plain) and isinstance(value.value, bool):
            words = role(column, table.noun).removeprefix("is ")
            if words in TO_STATE and value.value:
                return f"{TO_STATE[words]} {target}"
            what, _, state = words.rpartition(" ")
            if what and state in _ADJECTIVES:
                denied = "" if value.value else "not "
                return f"mark {had(target, what, table, speaker.rng)} as {denied}{state}"
            words = _as_noun(words, many)
            return f"mark {target} as {'' if value.value else 'not '}{words}"
    words = listed([role(c, table.noun) for c in implied])
    return f"clear {'its' if target == 'it' else 'the'} {words}" + (
        "" if target == "it" else f" of {target}"
    )


def _into_state(state: str, target: str) -> str:
    return f"{TO_STATE[state]} {target}" if state in TO_STATE else f"mark {target} as {state}"


def _one(wish: Change, column: str, value: Value, table: Table, speaker: Speaker) -> str:
    found = column_named(table, column)
    words = bare(found, table)
    rng = speaker.rng
    if isinstance(value, AddItem | RemoveItem):
        return _item(wish, column, value, table, speaker)
    if isinstance(value, Moved):
        return _moved(wish, found, value, table, speaker)
    late = _late(value, column, table, speaker)
    if is_link(table) and not wish.each:
        tied = ends(selected(wish.of), table, speaker)
        if tied is not None:
            whose = "their" if tied[0] == "them" else f"{tied[0]}'s"
            new = "" if late else f" to {_said(value, column, table, speaker)}"
            return f"change {whose} {words} on {tied[1]}{new}"
    target = _target(wish, speaker)
    if isinstance(value, Computed) and rng.random() < 0.6:
        return f"give {target} {alike(value, found, table, speaker)}"
    what = had(target, called(found, table), table, speaker.rng)
    if late:
        return f"{rng.choice(['change', 'update'])} {what}"
    if found.type == "boolean" and isinstance(value, Plain):
        return _switch(value, found, target, table, speaker, wish.each)
    text = _said(value, column, table, speaker)
    if column == table.label and words in ("name", "title"):
        renamed = [f"rename {target} to", f"change {had(target, words, table, speaker.rng)} to"]
        return f"{rng.choice(renamed)} {text}"
    if isinstance(value, Computed):
        return f"{rng.choice(['change', 'set', 'update'])} {what} to {text}"
    if PREPOSITIONS.get(words) == "assigned to":
        return rng.choice([f"assign {target} to {text}", f"hand {target} over to {text}"])
    if found.enum is not None and words in ("status", "state"):
        mark, to = (
            f"mark {target} as {text}",
            f"set {had(target, words, table, speaker.rng)} to {text}",
        )
        return rng.choice([mark, to, to.replace("set", "change", 1)])
    if found.format in ("date", "date-time"):
        return f"{rng.choice(['move', 'change', 'set'])} {what} to {text}"
    return f"{rng.choice(['change', 'change', 'set', 'update'])} {what} to {text}"


def _moved(wish: Change, column: Column, value: Moved, table: Table, speaker: Speaker) -> str:
    """A date put off, a number raised or lowered."""
    named = called(column, table)
    text = speaker.number(value.by, f"how far the {named} is to move")
    target = _target(wish, speaker)
    what = had(target, plural(named) if wish.each else named, table, speaker.rng)
    less, rng = value.less, speaker.rng
    if value.unit == "days":
        days = f"{text} {'day' if value.by.value == 1 else 'days'}"
        if rng.random() < 0.4:
            return f"move {what} {days} {'earlier' if less else 'later'}"
        return f"bring {what} forward by {days}" if less else f"push {what} back by {days}"
    verb = rng.choice(["lower", "reduce"] if less else ["raise", "increase"])
    if value.unit == "percent":
        return f"{verb} {what} by {text} percent" if text.isalpha() else f"{verb} {what} by {text}%"
    unit = bare(column, table).split()[-1]
    return f"{verb} {what} by {text}" + (f" {unit}" if unit in UNITS else "")


def _as_noun(words: str, many: bool) -> str:
    """ "a template", "templates"; what is no noun stays: "urgent"."""
    return words if words not in _NOUNS else plural(words) if many else f"a {words}"


def _switch(
    value: Plain, column: Column, target: str, table: Table, speaker: Speaker, many: bool
) -> str:
    words = bare(column, table).removeprefix("is ")
    if is_yes_no_noun(words) and words not in _NOUNS:
        text = words if value.value else f"no {words}"
        speaker.yes_no(value, table, column.name, text)
        return f"change {target} to {'include ' if value.value else ''}{text}"
    text = f"{'' if value.value else 'not '}{_as_noun(words, many)}"
    speaker.yes_no(value, table, column.name, text)
    return f"mark {target} as {text}"


def _item(
    wish: Change, column: str, value: AddItem | RemoveItem, table: Table, speaker: Speaker
) -> str:
    words, whose = role(column, table.noun), False
    if isinstance(value.item, Plain):
        item = f"the {singular(words)} {speaker.fact(value.item, table, column)}"
    else:
        target_table = speaker.referred(value.item)
        bare_name = target_table is None or is_person(target_table.noun)
        if isinstance(value.item, RecordKey) and not bare_name:
            item = speaker.thing(value.item.of)
        else:
            item = speaker.refer(value.item)
        whose = not is_person(table.noun) and words in _PEOPLE
    target = _target(wish, speaker)  # it stands behind the item, of which it may say "the same"
    if whose:
        target = had(target, words, table, speaker.rng)
    if isinstance(value, AddItem):
        return f"add {item} to {target}"
    return f"{speaker.rng.choice(['remove', 'take'])} {item} from {target}"
