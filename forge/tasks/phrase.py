"""Noun phrases: records, groups and values as a person names them.

A phrase is written from a selection alone, so it says what the intent says and nothing else. What
was mentioned once is named more briefly the second time.
"""

import random
from dataclasses import dataclass, field

from forge.tasks.columns import column_named, label_of, table_named
from forge.tasks.lexicon import (
    KIND_COLUMNS,
    PEOPLE,
    PREPOSITIONS,
    PRICES,
    STATE_COLUMNS,
    WHEN_DATES,
)
from forge.tasks.spoken import listed, renderings
from forge.tasks.words import human, plural, role
from forge.types.data import Json
from forge.types.state import Column, StateSchema, Table
from forge.types.task import Actor, Condition, Fact, MadeKey, Plain, RecordKey, Selection, Value


@dataclass(slots=True)
class Speaker:
    """Who writes one question: one choice of date style, and the facts said so far."""

    schema: StateSchema
    rng: random.Random
    told: set[str]
    facts: dict[str, Fact] = field(default_factory=dict)
    mentioned: set[str] = field(default_factory=set)
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
                about=about or f"the {role(column, table.noun)} of the {table.noun}",
                told=value.fact in self.told,
            )
        quoted = isinstance(value.value, str) and text == value.value and " " in text
        long = quoted and len(text.split()) > (2 if _is_title(found, table) else 3)
        plain_name = found.enum is not None or found.format is not None or _is_person(table, found)
        return f'"{text}"' if long and not plain_name else text

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
        named = [c for c in selection.where if c.column == label and isinstance(c.value, Plain)]
        rest = [c for c in selection.where if c not in named]
        if not named or selection.pick is not None:
            return self.described(selection, "the")
        assert isinstance(named[0].value, Plain) and label is not None
        text = self.fact(named[0].value, table, label)
        tail = self.tail(rest, table)
        if table.noun in PEOPLE or (again and not rest):
            return f"{text}{tail}"
        kind = role(label, table.noun)
        if label in table.key and kind not in ("number", "code", "ID", "name"):
            return f"the {table.noun} with {kind} {text}{tail}"
        if text.lower().split()[0:1] == table.noun.split()[-1:]:
            return f"{text}{tail}"
        if label in table.key:
            return f"{table.noun} {text}{tail}"
        if table.noun in text.lower().split() or text.lower().endswith(table.noun):
            return f"{text}{tail}" if '"' in text else f"the {text}{tail}"
        return f"the {table.noun} {text}{tail}"

    def described(self, selection: Selection, article: str) -> str:
        """By what it is like: "the open task on Lumen that is due first"."""
        table = self.table(selection.table)
        before, after = self.adjectives(selection, table)
        tail = self.tail([c for c in selection.where if not isinstance(c.value, Plain)], table)
        rank = f" {self.rank(selection, table)}" if selection.pick is not None else ""
        words = [w for w in (article, *before, table.noun) if w]
        return f"{' '.join(words)}{tail}{after}{rank}"

    def group(self, selection: Selection) -> str:
        """Several: "open tasks on Lumen"."""
        return "".join(self.group_parts(selection))

    def group_parts(self, selection: Selection) -> tuple[str, str]:
        """("open tasks", " on Lumen")."""
        table = self.table(selection.table)
        before, after = self.adjectives(selection, table)
        tail = self.tail([c for c in selection.where if not isinstance(c.value, Plain)], table)
        return " ".join([*before, plural(table.noun)]), f"{tail}{after}"

    def adjectives(self, selection: Selection, table: Table) -> tuple[list[str], str]:
        """Conditions by plain values: words before the noun, and what comes after it."""
        before: list[str] = []
        after = ""
        for condition in selection.where:
            if not isinstance(condition.value, Plain):
                continue
            column = column_named(table, condition.column)
            text = self.fact(condition.value, table, condition.column)
            called = role(condition.column, table.noun)
            if called.split()[-1:] and called.split()[-1] in STATE_COLUMNS:
                before.append(text)
            elif column.format in ("date", "date-time"):
                after += f" {self.when(called, text)}"
            elif called in KIND_COLUMNS:
                after += f" of {called} {text}"
            else:
                after += f" with the {called} {text}"
        return before, after

    def when(self, called: str, text: str) -> str:
        if called in ("due date", "due on", "due", "due at"):
            return f"due {text}"
        if called in WHEN_DATES:
            return f"on {text}"
        if called.startswith(("start", "begin")):
            return f"starting {text}"
        return f"with {called} {text}"

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
        called = role(column, table.noun)
        target = self.referred(value)
        word = PREPOSITIONS.get(called) or (
            PREPOSITIONS.get(target.noun) if target is not None else None
        )
        of = self.refer(value)
        if word is not None:
            return f"{word} {of}"
        return f"of {of}" if target is not None and target.noun == called else f"with {called} {of}"

    def referred(self, value: Value) -> Table | None:
        if isinstance(value, RecordKey):
            return self.table(value.of.table)
        if isinstance(value, Actor) and self.schema.actors is not None:
            return self.table(self.schema.actors)
        return None

    def refer(self, value: Value) -> str:
        match value:
            case Actor():
                return "me"
            case RecordKey():
                return self.short(value.of)
            case MadeKey():
                return "the new one"
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
        assert selection.pick is not None
        column = column_named(table, selection.pick.column)
        least = selection.pick.which == "min"
        called = role(column.name, table.noun) or human(column.name)
        if column.format in ("date", "date-time"):
            if called in ("created at", "created", "created on", "date created", "creation date"):
                return f"that was created {'first' if least else 'last'}"
            if called.startswith("due"):
                return f"that is due {'first' if least else 'last'}"
            if called.startswith("start"):
                return f"that starts {'first' if least else 'last'}"
            if called.startswith("end"):
                return f"that ends {'first' if least else 'last'}"
            return f"with the {'earliest' if least else 'latest'} {without_at(called)}"
        if set(called.split()) & PRICES:
            return f"with the {'lowest' if least else 'highest'} {called}"
        return (
            f"with the {self.rng.choice(['lowest', 'smallest']) if least else 'highest'} {called}"
        )

    def items(self, texts: list[str]) -> str:
        return listed(texts)


def without_at(called: str) -> str:
    """ "booked at" is when it was booked: "booking" is not ours to guess, "booked time" reads."""
    return f"{called[:-3]} time" if called.endswith(" at") else called


def _is_title(column: Column, table: Table) -> bool:
    return role(column.name, table.noun) in ("title", "subject", "summary", "text", "description")


def _is_person(table: Table, column: Column) -> bool:
    return table.noun in PEOPLE and column.name == table.label
