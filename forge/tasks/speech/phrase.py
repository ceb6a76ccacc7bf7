"""Noun phrases: records, groups and values as a person names them.

A phrase is written from a selection alone, so it says what the intent says and nothing else. What
was mentioned once is named more briefly the second time.
"""

import random
from dataclasses import dataclass, field

from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.speech.called import bare, called, event, leads
from forge.tasks.speech.comparing import NUMBERS, closest, compared, most, rank
from forge.tasks.speech.lexicon import (
    ADJECTIVES,
    KIND_COLUMNS,
    PAIRED_PREPOSITIONS,
    PEOPLE,
    PREPOSITIONS,
    PRICES,
    STATE_COLUMNS,
    TITLED,
    WHEN_DATES,
)
from forge.tasks.speech.spoken import renderings
from forge.tasks.speech.words import human, plural, role
from forge.types.data import Json
from forge.types.intent import (
    Actor,
    Computed,
    Condition,
    Keys,
    MadeKey,
    Plain,
    RecordKey,
    Selection,
    Value,
)
from forge.types.state import Column, StateSchema, Table
from forge.types.task import Fact


@dataclass(slots=True)
class Speaker:
    """Who writes one question: one choice of date style, and the facts said so far."""

    schema: StateSchema
    rng: random.Random
    told: set[str]
    facts: dict[str, Fact] = field(default_factory=dict)
    mentioned: set[str] = field(default_factory=set)
    made: dict[int, str] = field(default_factory=dict)
    """Wish -> the table that it makes a record of."""
    subject: str = ""
    """The selection that the last clause was about: "it" in the next."""
    date_style: int = 0
    clock_style: int = 0

    def __post_init__(self) -> None:
        self.date_style = self.rng.choice([0, 0, 1, 2])
        self.clock_style = self.rng.choice([0, 0, 1])

    # --------------------------------------------------------------- values

    def table(self, name: str) -> Table:
        return table_named(self.schema, name)

    def text(self, value: Json, column: Column) -> str:
        """One way to say a value of a column."""
        ways = renderings(value)
        coded = column.enum is not None or (column.items is not None and column.items.enum)
        if isinstance(value, str) and column.format is None:
            return ways[0] if coded else value
        if isinstance(value, list) and not coded:
            return ways[-1]
        if column.format == "date" and len(ways) > 3:
            return ways[self.date_style]
        if column.format == "date-time" and len(ways) > 8:
            return ways[self.date_style * 2 + self.clock_style]
        words = set(human(column.name).split())
        if isinstance(value, int | float) and not isinstance(value, bool) and words & PRICES:
            return f"{value:.2f}" if value != int(value) else str(int(value))
        return ways[0]

    def fact(self, value: Plain, table: Table, column: str, about: str = "") -> str:
        """Says a plain value, and keeps how it was said."""
        found = column_named(table, column)
        text = self.text(value.value, found)
        if value.fact:
            self.facts[value.fact] = Fact(
                name=value.fact,
                value=value.value,
                text=text,
                about=about or f"the {called(found, table)} of the {table.noun}",
                told=value.fact in self.told,
            )
        return f'"{text}"' if self.quoted(value.value, text, found, table) else text

    def number(self, value: Plain, about: str) -> str:
        """Says a number that is no column's value, and keeps how."""
        text = renderings(value.value)[0]
        if value.fact:
            self.facts[value.fact] = Fact(
                name=value.fact, value=value.value, text=text, about=about
            )
        return text

    def quoted(self, value: Json, text: str, column: Column, table: Table) -> bool:
        """Titles, and longer texts that are no names, are put in quotes."""
        if not isinstance(value, str) or text != value or not any(c.isalpha() for c in text):
            return False
        if column.enum is not None or column.format is not None or _is_person(table, column):
            return False
        titled = table.noun in TITLED and column.name == table.label and " " in text
        odd = text[-1] in ".!?" or "," in text
        return titled or odd or _is_title(column, table) or len(text.split()) > 3

    # -------------------------------------------------------------- records

    def thing(self, selection: Selection) -> str:
        """The one record: "the task "Order desks" on Lumen", "Priya Nair", "order 1042"."""
        name = selection.model_dump_json()
        again = name in self.mentioned
        self.mentioned.add(name)
        table = self.table(selection.table)
        if again and self.subject == name and table.noun not in PEOPLE:
            return "it"
        label = label_of(table)
        if label is None and [c.column for c in selection.where] == list(table.key):
            return self.by_key(selection, table)
        named = [c for c in selection.where if c.column == label and isinstance(c.value, Plain)]
        rest = [c for c in selection.where if c not in named]
        if not named or selection.pick is not None:
            return self.described(selection, "the")
        assert isinstance(named[0].value, Plain) and label is not None
        text = self.fact(named[0].value, table, label)
        kinds = [c for c in rest if isinstance(c.value, Plain)]
        before, after = self.adjectives(Selection(table=table.name, where=tuple(kinds)), table)
        tail = self.tail([c for c in rest if c not in kinds], table) + after
        if before:
            return f"the {' '.join(before)} {table.noun} {text}{tail}"
        kind = role(label, table.noun)
        person = table.noun in PEOPLE and kind.split()[-1] == "name" and kind != "user name"
        if person or (again and not rest and label not in table.key):
            return f"{text}{tail}"
        if label in table.key and kind not in ("number", "code", "ID", "name", "username"):
            return f"the {table.noun} with {kind} {text}{tail}"
        if text.lower().split()[0:1] == table.noun.split()[-1:]:
            return f"{text}{tail}"
        if label in table.key and table.noun not in PEOPLE:
            return f"{table.noun} {text}{tail}"
        if table.noun in text.lower().split() or text.lower().endswith(table.noun):
            return f"{text}{tail}" if '"' in text else f"the {text}{tail}"
        return f"the {table.noun} {text}{tail}"

    def by_key(self, selection: Selection, table: Table) -> str:
        """By all parts of its key, the last first: "the repo mailer of Priya Nair"."""
        parts = [
            self.fact(c.value, table, c.column)
            for c in reversed(selection.where)
            if isinstance(c.value, Plain)
        ]
        return f"the {table.noun} {' of '.join(parts)}"

    def described(self, selection: Selection, article: str) -> str:
        """By what it is like: "the open task on Lumen that is due first"."""
        table = self.table(selection.table)
        before, after = self.adjectives(selection, table)
        rank = f" {self.rank(selection, table)}" if selection.pick is not None else ""
        words = [w for w in (article, *before, table.noun) if w]
        return f"{' '.join(words)}{self.belonging(selection)}{after}{rank}"

    def group(self, selection: Selection) -> str:
        """Several: "open tasks on Lumen"."""
        return "".join(self.group_parts(selection))

    def group_parts(self, selection: Selection) -> tuple[str, str]:
        """("open tasks", " on Lumen")."""
        table = self.table(selection.table)
        before, after = self.adjectives(selection, table, several=True)
        many = ""
        if selection.pick is not None:
            after += f" {self.rank(selection, table)}"
            many = NUMBERS[selection.pick.take]
        words = " ".join(word for word in (many, *before, plural(table.noun)) if word)
        return words, f"{self.belonging(selection)}{after}"

    def belonging(self, selection: Selection) -> str:
        """What the records belong to or refer to, of all that the selection says."""
        table = self.table(selection.table)
        ties = [c for c in selection.where if not isinstance(c.value, Plain | Computed)]
        return self.tail([c for c in ties if not _is_owning(c, table)], table) + "".join(
            f" {self.owning(c)}" for c in ties if _is_owning(c, table)
        )

    def owning(self, condition: Condition) -> str:
        """That others refer to a record, or none do: "that have no open tasks"."""
        assert isinstance(condition.value, Keys)
        return f"that have {'no ' if condition.negated else ''}{self.group(condition.value.of)}"

    def yes_no(self, value: Plain, table: Table, column: str, text: str) -> str:
        """Says a yes/no value in words of its own ("not archived", "without breakfast")."""
        self.fact(value, table, column)
        if value.fact:
            self.facts[value.fact] = self.facts[value.fact].model_copy(update={"text": text})
        return text

    def adjectives(
        self, selection: Selection, table: Table, several: bool = False
    ) -> tuple[list[str], str]:
        """Conditions by plain values: words before the noun, and what comes after it."""
        before: list[str] = []
        after = ""
        for condition in selection.where:
            if not isinstance(condition.value, Plain | Computed):
                continue
            column = column_named(table, condition.column)
            if isinstance(condition.value, Computed) or condition.op != "eq" or condition.negated:
                after += f" {self.compared(condition, table)}"
                continue
            words = bare(column, table)
            plain_kind = words in ADJECTIVES and column.enum is not None
            if words.split()[-1] in STATE_COLUMNS or plain_kind:
                before.append(self.adjective(condition.value, table, condition.column))
                continue
            text = self.fact(condition.value, table, condition.column)
            if column.format in ("date", "date-time"):
                after += f" {self.when(column, table, text)}"
            elif words == "category":
                after += f" in the {text} category"
            elif words in KIND_COLUMNS:
                after += f" of {words} {text}"
            elif several:
                after += f" whose {called(column, table)} is {text}"
            elif column.enum is not None and text.islower():
                after += f" with {text} {called(column, table)}"
            else:
                after += f" with the {called(column, table)} {text}"
        return before, after

    def compared(self, condition: Condition, table: Table) -> str:
        """A condition that is no plain equality: "due before 4 May", "whose price is above 20"."""
        column = column_named(table, condition.column)
        if isinstance(condition.value, Computed):
            text = "the average"
        else:
            assert isinstance(condition.value, Plain)
            text = self.fact(condition.value, table, condition.column)
        return compared(condition, column, table, text)

    def adjective(self, value: Plain, table: Table, column: str) -> str:
        """A state before a noun: "open", "checked-in"."""
        text = self.fact(value, table, column)
        if " " in text and value.fact:
            text = text.replace(" ", "-")
            self.facts[value.fact] = self.facts[value.fact].model_copy(update={"text": text})
        return text

    def when(self, column: Column, table: Table, text: str) -> str:
        """A date as part of a phrase: "due 4 May", "lent on 4 May", "needed by 4 May"."""
        words = bare(column, table)
        done = event(column, table)
        if words.startswith("due"):
            return f"due {text}"
        if done is not None:
            return f"{done} on {text}"
        if words in WHEN_DATES:
            return f"on {text}"
        if words.startswith(("start", "begin")):
            return f"starting {'' if ' at ' in text else 'on '}{text}"
        leading = leads(column, table)
        return f"{leading} {text}" if leading else f"with {called(column, table)} on {text}"

    def tail(self, conditions: list[Condition], table: Table) -> str:
        """What the record belongs to or refers to: " on Lumen assigned to Priya Nair". The parts of
        one composite key are said once."""
        said: list[str] = []
        for condition in conditions:
            part = self.owner(condition.column, condition.value, table)
            if part not in said:
                said.append(part)
        return "".join(f" {p}" for p in said)

    def owner(self, column: str, value: Value, table: Table) -> str:
        """One relation with its preposition."""
        words = role(column, table.noun)
        target = self.referred(value)
        whole = table.parent.columns if table.parent is not None else ()
        if target is not None and len(whole) > 1 and column in whole:
            words = target.noun  # a part of a key stands for the record that the key is of
        word = (
            PAIRED_PREPOSITIONS.get((table.noun, target.noun if target is not None else words))
            or PREPOSITIONS.get(words)
            or (PREPOSITIONS.get(target.noun) if target is not None else None)
        )
        of = self.refer(value)
        if word is None and target is not None and target.noun.split()[-1] in KIND_COLUMNS:
            kind = target.noun.split()[-1]
            return f"in the category {of}" if kind == "category" else f"of {kind} {of}"
        if word is not None:
            return f"{word} {of}"
        if target is not None and words in (target.noun, target.noun.split()[-1], ""):
            return f"of {of}"
        leading = leads(column_named(table, column), table)
        return f"{leading} {of}" if leading else f"with {of} as {words}"

    def referred(self, value: Value) -> Table | None:
        if isinstance(value, RecordKey | Keys):
            return self.table(value.of.table)
        if isinstance(value, MadeKey):
            return self.table(self.made[value.wish])
        if isinstance(value, Actor) and self.schema.actors is not None:
            return self.table(self.schema.actors)
        return None

    def refer(self, value: Value) -> str:
        match value:
            case Actor():
                return "me"
            case RecordKey():
                return self.short(value.of)
            case Keys():
                return self.group(value.of)
            case MadeKey():
                return f"that new {self.table(self.made[value.wish]).noun}"
        return ""

    def short(self, selection: Selection) -> str:
        """A record named as part of another phrase: without its noun where the name speaks."""
        table = self.table(selection.table)
        label = label_of(table)
        named = [c for c in selection.where if c.column == label and isinstance(c.value, Plain)]
        if not named or selection.pick is not None or len(selection.where) > 1:
            return self.thing(selection)
        assert isinstance(named[0].value, Plain) and label is not None
        if label in table.key:
            return self.thing(selection)
        self.mentioned.add(selection.model_dump_json())
        return self.fact(named[0].value, table, label)

    # ---------------------------------------------------------------- ranks

    def rank(self, selection: Selection, table: Table) -> str:
        """ "with the earliest due date", "that starts last"."""
        pick = selection.pick
        assert pick is not None
        if pick.counted is not None:
            return most(pick, self.group(pick.counted.of))
        column = column_named(table, pick.column)
        if pick.near is not None:
            return closest(column, table, self.fact(pick.near, table, pick.column))
        return rank(pick, column, table)


def _is_owning(condition: Condition, table: Table) -> bool:
    """Whether it says that other records refer to this one."""
    return isinstance(condition.value, Keys) and condition.column in table.key


def _is_title(column: Column, table: Table) -> bool:
    return role(column.name, table.noun) in ("title", "subject", "summary", "text", "description")


def _is_person(table: Table, column: Column) -> bool:
    return table.noun in PEOPLE and column.name == table.label
