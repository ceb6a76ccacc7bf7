"""Asking for something: a value, a number over a group, which record comes first, a difference.

Written from the measure alone. A measure is a question of its own, or a noun phrase in a condition.
"""

from dataclasses import dataclass

from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.speech.called import ACTIVE, bare, called, event, is_count, is_several, is_time
from forge.tasks.speech.comparing import COUNT_OPS, DATE_OPS, OPS
from forge.tasks.speech.lexicon import KIND_COLUMNS
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.relation import MINE, had
from forge.tasks.speech.words import plural, singular
from forge.types.intent import (
    Aggregate,
    Branch,
    Computed,
    Condition,
    Difference,
    Measure,
    Plain,
    RecordKey,
)
from forge.types.state import Column, Table

_WORDS = {"sum": "total", "average": "average", "median": "median"}
_SHORT, _LONG = 40, 70


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing to be told, without capital and end: "when is it due", "when it is due"."""

    direct: str
    indirect: str


def asked(what: Measure, speaker: Speaker) -> Asked:
    """ "how many open tasks are there on Lumen", and after "tell me"."""
    if isinstance(what, Difference):
        return _difference(what, speaker)
    table = speaker.table(what.of.table)
    if what.op == "count":
        return _count(what, speaker)
    assert what.column is not None
    column = column_named(table, what.column)
    if what.op == "distinct":
        several, group = _several(column, table), f"the {speaker.group(what.of)}"
        return Asked(
            f"how many different {several} do {group} have",
            f"how many different {several} {group} have",
        )
    if what.op in ("min", "max") and event(column, table) is not None:
        return _first_or_last(what, column, table, speaker)
    if what.op != "value":
        return _stated(measured(what, speaker), speaker)
    if what.column == label_of(table) and what.of.pick is not None:
        return _which(what, speaker)
    return _value(what, column, table, speaker)


def _value(what: Aggregate, column: Column, table: Table, speaker: Speaker) -> Asked:
    words, done = bare(column, table), event(column, table)
    number = called(column, table).startswith(("minimum", "maximum"))
    named = is_several(column, table) and not is_count(column, table) and not number
    named = named or called(column, table).endswith(" digits")
    thing = speaker.thing(what.of)
    if done in ACTIVE:
        return Asked(f"when did {thing} {ACTIVE[done]}", f"when {thing} {done}")
    if done is not None:
        return Asked(f"when was {thing} {done}", f"when {thing} was {done}")
    if column.format in ("date", "date-time") and words.startswith("due"):
        return Asked(f"when is {thing} due", f"when {thing} is due")
    if words in ("price", "cost"):
        return Asked(f"how much does {thing} cost", f"how much {thing} costs")
    if is_count(column, table):
        return Asked(f"how many {words} does {thing} have", f"how many {words} {thing} has")
    return _stated(had(thing, called(column, table), table, speaker.rng), speaker, named)


def _first_or_last(what: Aggregate, column: Column, table: Table, speaker: Speaker) -> Asked:
    """ "when was the first of all open orders placed"."""
    done, end = event(column, table), "first" if what.op == "min" else "last"
    group = f"the {end} of all {speaker.group(what.of)}"
    if done in ACTIVE:
        return Asked(f"when did {group} {ACTIVE[done]}", f"when {group} {done}")
    return Asked(f"when was {group} {done}", f"when {group} was {done}")


def _stated(phrase: str, speaker: Speaker, several: bool = False) -> Asked:
    """Asking what something is; a long phrase stands alone after "tell me"."""
    be = "are" if several else "is"
    long = len(phrase) > _SHORT or speaker.rng.random() < 0.5
    return Asked(f"what {be} {phrase}", phrase if long else f"what {phrase} {be}")


def _count(what: Aggregate, speaker: Speaker) -> Asked:
    head, belonging, after = speaker.pieces(what.of)
    tail = f"{belonging}{after}"
    if tail.startswith(" that have "):
        text = f"how many {head}{tail.removeprefix(' that')}"
        return Asked(text, text)
    if belonging == f" {MINE}":
        head, tail = f"{head}{after}", " owned by me"
    if tail == " owned by me":
        return Asked(f"how many {head} do I have", f"how many {head} I have")
    one = all(isinstance(c.value, RecordKey) for c in _ties(what)) and not belonging.startswith(
        tuple(f" of {kind} " for kind in KIND_COLUMNS)
    )
    if one and belonging.startswith(" of ") and len(belonging) < _LONG:
        head += after
        holder = belonging.removeprefix(" of ")
        return Asked(f"how many {head} does {holder} have", f"how many {head} {holder} has")
    there = Asked(f"how many {head} are there{tail}", f"how many {head} there are{tail}")
    have = Asked(f"how many {head} do we have{tail}", f"how many {head} we have{tail}")
    number = Asked(f"what is the number of {head}{tail}", f"the number of {head}{tail}")
    return speaker.rng.choice([there, there, there, have, number])


def _which(what: Aggregate, speaker: Speaker) -> Asked:
    """ "which open task on Lumen is due first"."""
    table = speaker.table(what.of.table)
    rank = speaker.rank(what.of, table)
    before, after = speaker.adjectives(what.of, table)
    noun = " ".join([*before, table.noun])
    tail = f"{speaker.belonging(what.of)}{after}"
    if rank.startswith("whose "):
        text = f"the {noun}{tail} {rank}"
        return Asked(f"which is {text}", f"which {text.removeprefix('the ')}")
    if not rank.startswith("with"):
        verb = rank.removeprefix("that ")
        text = f"which {noun}{tail} {verb}"
        return Asked(text, text)
    text = f"which {noun}{tail} has{rank.removeprefix('with')}"
    return Asked(text, text)


def measured(what: Aggregate, speaker: Speaker) -> str:
    """The measure as a noun phrase: "the average price of all open orders"."""
    table = speaker.table(what.of.table)
    if what.op == "count":
        return f"the number of {speaker.group(what.of)}"
    assert what.column is not None
    if what.op == "value":
        named = called(column_named(table, what.column), table)
        return had(speaker.thing(what.of), named, table, speaker.rng)
    head, preposition = _over(what, table, speaker)
    return f"{head} {preposition} {speaker.group(what.of)}"


def _over(what: Aggregate, table: Table, speaker: Speaker) -> tuple[str, str]:
    """What is computed, and how the group is tied to it: ("the total price", "of all")."""
    assert what.column is not None
    column = column_named(table, what.column)
    named = called(column, table)
    match what.op:
        case "total":
            assert what.times is not None
            factor = called(column_named(table, what.times), table)
            return f"the sum of {named} times {factor}", "over all"
        case "min" | "max":
            is_date = column.format in ("date", "date-time")
            words = ("earliest", "latest") if is_date else ("lowest", "highest")
            return f"the {words[what.op == 'max']} {named}", "among all"
        case "range":
            return f"the gap between the highest and the lowest {named}", "among all"
        case "distinct":
            return f"the number of different {_several(column, table)}", "among"
    return f"the {_WORDS[what.op]} {named}", "of all"


def _several(column: Column, table: Table) -> str:
    """What a column holds, in the plural: "assignees", "cities"."""
    return plural(bare(column, table))


# ---------------------------------------------------------------- differences


def _difference(what: Difference, speaker: Speaker) -> Asked:
    left, right = what.left, what.right
    table = speaker.table(left.of.table)
    if right is None:
        assert left.column is not None
        words = bare(column_named(table, left.column), table)
        thing = speaker.thing(left.of)
        if words.startswith("due"):
            until = f"until {thing} is due"
        else:
            until = f"until the {called(column_named(table, left.column), table)} of {thing}"
        return Asked(f"how many days are left {until}", f"how many days are left {until}")
    if left.op == "count" and right.op == "count":
        return _more(left, right, speaker)
    if left.op == right.op == "value":
        return _between(left, right, speaker)
    assert left.column is not None
    alike = left.op == right.op and (left.of.table, left.column) == (right.of.table, right.column)
    is_date = column_named(table, left.column).format in ("date", "date-time")
    first, second = (right, left) if is_date else (left, right)
    one = measured(first, speaker)
    if alike:
        other = f"that {_over(second, table, speaker)[1]} {speaker.group(second.of)}"
    else:
        other = measured(second, speaker)
    if is_date:
        return _apart(f"between {one} and {other}")
    return Asked(f"how much higher is {one} than {other}", f"how much higher {one} is than {other}")


def _apart(span: str) -> Asked:
    return Asked(f"how many days are there {span}", f"how many days there are {span}")


def _more(left: Aggregate, right: Aggregate, speaker: Speaker) -> Asked:
    """How many more of one group than of another: what both share is said once."""
    shared = _ties(left) == _ties(right) and left.of.pick is None and right.of.pick is None
    more, belonging, after = speaker.pieces(left.of)
    if not shared:
        fewer, *tails = speaker.pieces(right.of)
        one, other = f"{belonging}{after}", "".join(tails)
        if more == fewer and one and other:
            return Asked(
                f"how many more {more} are there{one} than{other}",
                f"how many more {more} there are{one} than{other}",
            )
        text = f"how many more {more}{one} than {fewer}{other}"
        return Asked(f"{text} are there", f"{text} there are")
    bare_of = right.of.model_copy(
        update={"where": tuple(c for c in right.of.where if c not in _ties(right))}
    )
    fewer, _, fewer_after = speaker.pieces(bare_of)
    if more == fewer and after and fewer_after:
        return Asked(
            f"how many more {more} are there{belonging}{after} than{fewer_after}",
            f"how many more {more} there are{belonging}{after} than{fewer_after}",
        )
    noun = f" {plural(speaker.table(left.of.table).noun)}"
    if more.endswith(noun) and fewer.endswith(noun) and not after:
        more = more.removesuffix(noun)
    text = f"how many more {more}{after} than {fewer}{fewer_after}"
    return Asked(f"{text} are there{belonging}", f"{text} there are{belonging}")


def _ties(measure: Aggregate) -> list[Condition]:
    """What the group belongs to, of all that is said of it."""
    return [c for c in measure.of.where if not isinstance(c.value, Plain | Computed)]


def _between(left: Aggregate, right: Aggregate, speaker: Speaker) -> Asked:
    """How far one record's value is above another's."""
    table = speaker.table(left.of.table)
    assert left.column is not None
    column = column_named(table, left.column)
    words, named = bare(column, table), called(column, table)
    is_date = column.format in ("date", "date-time")
    if (left.of.table, left.column) != (right.of.table, right.column):
        first, second = (right, left) if is_date else (left, right)
        one, other = measured(first, speaker), measured(second, speaker)
        if is_date:
            return _apart(f"between {one} and {other}")
        return Asked(
            f"how much higher is {one} than {other}", f"how much higher {one} is than {other}"
        )
    first, second = (right, left) if is_date else (left, right)
    one, other = speaker.thing(first.of), speaker.thing(second.of)
    done = event(column, table)
    if is_date and done is not None:
        after = f"how many days after {one}"
        if done in ACTIVE:
            return Asked(f"{after} did {other} {ACTIVE[done]}", f"{after} {other} {done}")
        return Asked(f"{after} was {other} {done}", f"{after} {other} was {done}")
    if is_date:
        return _apart(f"between the {named} of {one} and that of {other}")
    if words in ("price", "cost"):
        return Asked(
            f"how much more does {one} cost than {other}", f"how much more {one} costs than {other}"
        )
    if is_count(column, table):
        return Asked(
            f"how many more {words} does {one} have than {other}",
            f"how many more {words} {one} has than {other}",
        )
    one = f"the {named} of {one}"
    return Asked(
        f"how much higher is {one} than that of {other}",
        f"how much higher {one} is than that of {other}",
    )


# ---------------------------------------------------------------- conditions


def tested(wish: Branch, speaker: Speaker) -> str:
    """The condition of a branch: "there are more than three open tasks on Lumen"."""
    measure, op = wish.test.measure, wish.test.op
    assert isinstance(measure, Aggregate)
    table = speaker.table(measure.of.table)
    if measure.op == "count":
        owners = [c.value.of for c in _ties(measure) if isinstance(c.value, RecordKey)]
        text = _so_many(wish, measure, table, speaker)
        clear = len(owners) == 1 and wish.test.value.value != 1
        speaker.turn_to(owners[0].model_dump_json() if clear else "")
        return text
    assert measure.column is not None
    column = column_named(table, measure.column)
    speaker.turn_to("")
    if measure.op == "value":
        text = _is_so(wish, measure, column, table, speaker)
        speaker.turn_to(measure.of.model_dump_json())
        return text
    phrase = measured(measure, speaker)
    text = speaker.fact(wish.test.value, table, measure.column, plain=True)
    ops = DATE_OPS if column.format in ("date", "date-time") else OPS
    return f"{phrase} is {ops[op]} {text}"


def _is_so(wish: Branch, measure: Aggregate, column: Column, table: Table, speaker: Speaker) -> str:
    """ "the task is open", "the order was placed before 4 May", "its price is above 20"."""
    op, words, done = wish.test.op, bare(column, table), event(column, table)
    thing = speaker.thing(measure.of)
    text = speaker.fact(wish.test.value, table, column.name, plain=True)
    if is_time(column):
        if done is not None:
            was = done if done in ACTIVE else f"was {done}"
            return f"{thing} {was} {DATE_OPS[op]} {text}"
        if words.startswith("due"):
            return f"{thing} is due {DATE_OPS[op]} {text}"
        return f"{had(thing, called(column, table), table, speaker.rng)} is {DATE_OPS[op]} {text}"
    if column.type in ("integer", "number"):
        if is_count(column, table):
            many = singular(words) if wish.test.value.value == 1 else words
            return f"{thing} has {COUNT_OPS[op]} {text} {many}"
        return f"{had(thing, called(column, table), table, speaker.rng)} is {OPS[op]} {text}"
    be = "is not" if op == "ne" else "is"
    if words in ("status", "state"):
        return f"{thing} {be} {text}"
    return f"{had(thing, called(column, table), table, speaker.rng)} {be} {text}"


def _so_many(wish: Branch, measure: Aggregate, table: Table, speaker: Speaker) -> str:
    """ "there are more than three open tasks on Lumen", "there is at least one …"."""
    op, value = wish.test.op, wish.test.value
    about = f"the number of {plural(table.noun)}"
    one = value.value == 1
    words, belonging, after = speaker.pieces(measure.of, one=one)
    rest = f"{words}{belonging}{after}"
    if value.value == 0 and op == "eq":
        speaker.number(value, about)
        if value.fact:
            speaker.reword(value.fact, "no")
        return f"there are no {rest}"
    return f"there {'is' if one else 'are'} {COUNT_OPS[op]} {speaker.number(value, about)} {rest}"
