"""Noun phrases: records, groups and values as a person names them.

A phrase is written from a selection alone, so it says what the intent says and nothing else. What
was mentioned once is named more briefly the second time.
"""

import random
from dataclasses import dataclass, field

from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.speech.called import bare, called
from forge.tasks.speech.comparing import NUMBERS, compared, ranked, strung, when
from forge.tasks.speech.conditions import is_numbered, is_owning, is_whole_key, told_once
from forge.tasks.speech.lexicon import (
    ADJECTIVES,
    GRADES,
    KIND_COLUMNS,
    PLACES,
    PREPOSITIONS,
    PRICES,
    STATE_COLUMNS,
    is_person,
    leads_noun,
)
from forge.tasks.speech.quoting import as_adjective, is_prose, is_quoted
from forge.tasks.speech.relation import nested, own, tied
from forge.tasks.speech.spoken import as_day, near_ways, renderings
from forge.tasks.speech.words import human, noun_of, plural, role
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

_NAMES = {"number", "code", "ID", "name", "username", "title"}
NEARBY_SHARE = 0.5
SAME_SHARE = 0.7


@dataclass(slots=True)
class Speaker:
    """Who writes one question: one choice of date style, and the facts said so far."""

    schema: StateSchema
    rng: random.Random
    told: set[str]
    now: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)
    mentioned: dict[str, set[str]] = field(default_factory=dict)
    """Table -> the selections of one record that were named so far."""
    made: dict[int, str] = field(default_factory=dict)
    """Wish -> the table that it makes a record of."""
    subject: str = ""
    """The selection that the last clause was about: "it" in the next."""
    newest: int | None = None
    """The wish of the last clause, if it made a record: "it" in the next."""
    date_style: int = 0
    clock_style: int = 0
    nearby: bool = False
    """Whether days are said as they lie from today: "tomorrow", "this Friday"."""

    def __post_init__(self) -> None:
        self.date_style = self.rng.choice([0, 0, 1, 2])
        self.clock_style = self.rng.choice([0, 0, 1])
        self.nearby = self.rng.random() < NEARBY_SHARE

    def turn_to(self, subject: str, newest: int | None = None) -> None:
        """A clause has ended: what "it" will mean in the next."""
        self.subject, self.newest = subject, newest

    # --------------------------------------------------------------- values

    def table(self, name: str) -> Table:
        """The table, its noun as English has it."""
        table = table_named(self.schema, name)
        return table.model_copy(update={"noun": noun_of(table.noun)})

    def text(self, value: Json, column: Column, plain: bool = False) -> str:
        """One way to say a value of a column; `plain`: after "before" or "than"."""
        near = near_ways(value, self.now) if self.nearby else []
        near = [w for w in near if not (plain and " from today" in w)]
        if near:
            return self.rng.choice(near[:3])
        ways = renderings(value)
        day = as_day(value)
        coded = column.enum is not None or (column.items is not None and column.items.enum)
        if isinstance(value, str) and column.format is None and day is None:
            return ways[0] if coded else value
        if isinstance(value, list) and not coded:
            return ways[-1]
        if isinstance(value, str) and day is not None:
            timed = len(value) > len(day.isoformat())
            return ways[self.date_style * 2 + self.clock_style if timed else self.date_style]
        words = set(human(column.name).split())
        if isinstance(value, int | float) and not isinstance(value, bool) and words & PRICES:
            return f"{value:.2f}" if value != int(value) else str(int(value))
        return ways[0]

    def fact(
        self, value: Plain, table: Table, column: str, about: str = "", plain: bool = False
    ) -> str:
        """Says a plain value, and keeps how it was said."""
        found = column_named(table, column)
        text = self.text(value.value, found, plain)
        if value.fact in self.facts and self.facts[value.fact].value == value.value:
            text = self.facts[value.fact].text
        if value.fact:
            self.facts[value.fact] = Fact(
                name=value.fact,
                value=value.value,
                text=text,
                about=about or f"the {called(found, table)} of the {table.noun}",
                told=value.fact in self.told,
            )
        return f'"{text}"' if is_quoted(value.value, text, found, table) else text

    def number(self, value: Plain, about: str) -> str:
        """Says a number that is no column's value, and keeps how."""
        ways = renderings(value.value)
        text = ways[-1] if ways[-1].isalpha() and self.rng.random() < 0.5 else ways[0]
        if value.fact in self.facts:
            return self.facts[value.fact].text
        if value.fact:
            self.facts[value.fact] = Fact(
                name=value.fact, value=value.value, text=text, about=about
            )
        return text

    # -------------------------------------------------------------- records

    def thing(self, selection: Selection) -> str:
        """The one record: "the task "Order desks" on Lumen", "Priya Nair", "order 1042"."""
        return own(self.one(selection))

    def one(self, selection: Selection) -> str:
        """The same, with "of mine" where it is."""
        name = selection.model_dump_json()
        again = name in self.mentioned.setdefault(selection.table, set())
        self.mentioned[selection.table].add(name)
        table = self.table(selection.table)
        if again and self.subject == name:
            return "them" if is_person(table.noun) else "it"
        if again and self.is_only(selection.table) and self.rng.random() < SAME_SHARE:
            return self.rng.choice([f"the same {table.noun}", f"that {table.noun}"])
        label = label_of(table)
        if is_whole_key(selection, table) and (label is None or len(table.key) > 1):
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
        person = is_person(table.noun) and kind.split()[-1] == "name" and kind != "user name"
        if person or (again and not rest and label not in table.key and not is_prose(kind)):
            return f"{text}{tail}"
        if is_prose(kind):
            described = " described as" if kind == "description" and not again else ""
            return f"the {table.noun}{described} {text}{tail}"
        if label in table.key and kind not in (*_NAMES, table.noun):
            return f"the {table.noun} with {kind} {text}{tail}"
        noun, plainly = table.noun.lower(), text.lower()
        if plainly == noun:
            return f"the {table.noun} called {text}{tail}"
        if plainly.split()[:1] == noun.split()[-1:]:
            return f"{text}{tail}"
        if plainly.endswith(f" {noun}"):
            return f"the {text}{tail}"
        if label in table.key and not is_person(table.noun):
            return f"{table.noun} {text}{tail}"
        if noun in plainly.split():
            return f"{text}{tail}" if '"' in text else f"the {text}{tail}"
        return f"the {table.noun} {text}{tail}"

    def is_only(self, table: str) -> bool:
        """Whether one record of the table was spoken of so far, so that it is "the same"."""
        return len(self.mentioned.get(table, ())) == 1 and table not in self.made.values()

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
        number = next((c for c in selection.where if is_numbered(c, table)), None)
        if number is not None and isinstance(number.value, Plain):
            where = tuple(c for c in selection.where if c is not number)
            rest = Selection(table=table.name, where=where)
            text = self.fact(number.value, table, number.column)
            after = self.adjectives(rest, table)[1]
            return f"{table.noun} {text}{self.belonging(rest)}{after}"
        before, after = self.adjectives(selection, table)
        rank = f" {self.rank(selection, table)}" if selection.pick is not None else ""
        if after.startswith(" with ") and rank.startswith(" with "):
            rank = f" and{rank.removeprefix(' with')}"
        words = [w for w in (article, *before, table.noun) if w]
        if rank and any(isinstance(c.value, Keys) for c in selection.where):
            among = self.belonging(selection, several=True)
            return f"{' '.join(words)}{rank} among those{among}{after}"
        return f"{' '.join(words)}{self.belonging(selection)}{after}{rank}"

    def group(self, selection: Selection) -> str:
        """Several: "open tasks on Lumen"."""
        return own("".join(self.group_parts(selection)))

    def everything(self, selection: Selection) -> str:
        """Every one of several: "all open tasks on Lumen", "the three tasks that are due first"."""
        return f"{'all' if selection.pick is None else 'the'} {self.group(selection)}"

    def group_parts(self, selection: Selection) -> tuple[str, str]:
        """("open tasks", " on Lumen")."""
        words, belonging, after = self.pieces(selection)
        return words, f"{belonging}{after}"

    def pieces(self, selection: Selection, one: bool = False) -> tuple[str, str, str]:
        """("open tasks", " on Lumen", " due before 4 May"); `one`: after "more than one"."""
        table = self.table(selection.table)
        before, after = self.adjectives(selection, table, several=not one)
        many = ""
        if selection.pick is not None:
            after += f" {self.rank(selection, table)}"
            many = NUMBERS[selection.pick.take]
        noun = table.noun if one else plural(table.noun)
        words = " ".join(word for word in (many, *before, noun) if word)
        return words, self.belonging(selection, several=not one), after

    def belonging(self, selection: Selection, *, several: bool = False) -> str:
        """What the records belong to or refer to, of all that the selection says."""
        table = self.table(selection.table)
        ties = [c for c in selection.where if not isinstance(c.value, Plain | Computed)]
        return self.tail([c for c in ties if not is_owning(c, table)], table) + "".join(
            f" {self.owning(c, several)}" for c in ties if is_owning(c, table)
        )

    def owning(self, condition: Condition, several: bool) -> str:
        """That others refer to a record, or none do: "that have no open tasks"."""
        assert isinstance(condition.value, Keys)
        have = f"{'have' if several else 'has'}{' no' if condition.negated else ''}"
        return f"that {have} {self.group(condition.value.of)}"

    def yes_no(self, value: Plain, table: Table, column: str, text: str) -> str:
        """Says a yes/no value in words of its own ("not archived", "without breakfast")."""
        self.fact(value, table, column)
        if value.fact:
            self.reword(value.fact, text)
        return text

    def reword(self, fact: str, text: str) -> None:
        """The fact was said in other words than its value's own."""
        self.facts[fact] = self.facts[fact].model_copy(update={"text": text})

    def adjectives(
        self, selection: Selection, table: Table, several: bool = False
    ) -> tuple[list[str], str]:
        """Conditions by plain values: words before the noun, and what comes after it."""
        before: list[str] = []
        after: list[str] = []
        for condition in selection.where:
            if not isinstance(condition.value, Plain | Computed):
                continue
            column = column_named(table, condition.column)
            if (
                isinstance(condition.value, Computed)
                or condition.value.value is None
                or condition.op != "eq"
                or condition.negated
            ):
                after.append(self.compared(condition, table))
                continue
            words = bare(column, table)
            plain_kind = words in ADJECTIVES and column.enum is not None
            if (words.split()[-1] in STATE_COLUMNS or plain_kind) and leads_noun(condition.value):
                before.append(self.adjective(condition.value, table, condition.column))
                continue
            text = self.fact(condition.value, table, condition.column)
            if column.format in ("date", "date-time"):
                after.append(when(column, table, text))
            elif words in PLACES and text.islower():
                after.append(f"{PREPOSITIONS[words]} the {text} {words}")
            elif words in KIND_COLUMNS:
                after.append(f"of {words} {text}")
            elif words.split()[-1] in GRADES and text.islower() and " " not in text:
                after.append(f"with {text} {called(column, table)}")
            elif several and column.type not in ("string", "array"):
                after.append(f"whose {called(column, table)} is {text}")
            else:
                after.append(f"with the {called(column, table)} {text}")
        return before, strung(after)

    def compared(self, condition: Condition, table: Table) -> str:
        """A condition that is no plain equality: "due before 4 May", "whose price is above 20"."""
        column = column_named(table, condition.column)
        if isinstance(condition.value, Computed):
            text = "the average"
        else:
            assert isinstance(condition.value, Plain)
            text = self.fact(condition.value, table, condition.column, plain=True)
            if condition.value.value is None and condition.value.fact:
                self.reword(condition.value.fact, "no")
        return compared(condition, column, table, text)

    def adjective(self, value: Plain, table: Table, column: str) -> str:
        """A state before a noun: "open", "checked-in"."""
        text = as_adjective(self.fact(value, table, column))
        if value.fact:
            self.reword(value.fact, text)
        return text

    def tail(self, conditions: list[Condition], table: Table) -> str:
        """What the record belongs to or refers to: " on Lumen assigned to Priya Nair". What is said
        in the fewest words comes first, lest the next be taken for a part of it."""
        parts = [
            f"not {part}" if condition.negated != (condition.op == "ne") else part
            for condition in told_once(conditions)
            for part in [self.owner(condition.column, condition.value, table)]
        ]
        return "".join(f" {part}" for part in sorted(dict.fromkeys(parts), key=nested))

    def owner(self, column: str, value: Value, table: Table, new: bool = False) -> str:
        """One relation with its preposition."""
        return tied(column, table, self.referred(value), self.refer(value), new)

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
                noun = self.table(self.made[value.wish]).noun
                if value.wish == self.newest:
                    it = "them" if is_person(noun) else "it"
                    return self.rng.choice([it, it, f"that {noun}", f"the new {noun}"])
                if list(self.made.values()).count(self.made[value.wish]) > 1:
                    return f"that new {noun}"
                return self.rng.choice([f"that new {noun}", f"the new {noun}"])
        return ""

    def short(self, selection: Selection) -> str:
        """A record named as part of another phrase: without its noun where the name speaks."""
        table = self.table(selection.table)
        label = label_of(table)
        named = [c for c in selection.where if c.column == label and isinstance(c.value, Plain)]
        if not named or selection.pick is not None or len(selection.where) > 1:
            return self.thing(selection)
        assert isinstance(named[0].value, Plain) and label is not None
        if label in table.key or is_prose(role(label, table.noun)):
            return self.thing(selection)
        name = selection.model_dump_json()
        again = name in self.mentioned.setdefault(selection.table, set())
        if again and self.subject == name and not is_person(table.noun):
            return f"that {table.noun}"
        if again and (self.subject == name or self.is_only(selection.table)):
            return self.thing(selection)
        self.mentioned[selection.table].add(name)
        if table.noun not in PREPOSITIONS and not is_person(table.noun):
            self.mentioned[selection.table].add("")  # whoever hears its name knows not what it is
        text = self.fact(named[0].value, table, label)
        ends = text.lower().endswith(f" {table.noun.lower()}")
        return f"the {text}" if ends and not text.lower().startswith("the ") else text

    # ---------------------------------------------------------------- ranks

    def rank(self, selection: Selection, table: Table) -> str:
        """ "with the earliest due date", "that starts last"."""
        pick = selection.pick
        assert pick is not None
        if pick.counted is not None:
            return ranked(pick, None, table, self.group(pick.counted.of))
        column = column_named(table, pick.column)
        if pick.near is not None:
            near = self.fact(pick.near, table, pick.column, plain=True)
            return ranked(pick, column, table, near)
        return ranked(pick, column, table)
