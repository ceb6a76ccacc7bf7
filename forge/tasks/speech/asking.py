"""Asking for something: a value, a number over a group, which record comes first, a difference.

Written from the measure alone. A measure is a question of its own, or a noun phrase in a condition.
"""

from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.speech.called import ACTIVE, bare, called, event, is_count, is_several
from forge.tasks.speech.clause import clause
from forge.tasks.speech.comparing import COUNT_OPS, DATE_OPS, OPS
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.words import plural
from forge.types.intent import Aggregate, Branch, Difference, Measure
from forge.types.state import Column, Table

_WORDS = {"sum": "total", "average": "average", "median": "median"}


def asked(what: Measure, speaker: Speaker) -> str:
    """ "how many open tasks are there on Lumen?", without the capital."""
    if isinstance(what, Difference):
        return _difference(what, speaker)
    table = speaker.table(what.of.table)
    if what.op == "count":
        head, tail = speaker.group_parts(what.of)
        return f"how many {head} are there{tail}?"
    assert what.column is not None
    column = column_named(table, what.column)
    words = bare(column, table)
    if what.op == "distinct":
        among = speaker.group(what.of)
        return f"how many different {_several(column, table, speaker)} are there among {among}?"
    if what.op != "value":
        return f"what is {measured(what, speaker)}?"
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
    if rank.startswith("whose "):
        before, after = speaker.adjectives(what.of, table)
        tail = speaker.belonging(what.of)
        return f"which is the {' '.join([*before, table.noun])}{tail}{after} {rank}?"
    verb = f"has{rank.removeprefix('with')}" if rank.startswith("with") else rank[len("that ") :]
    before, after = speaker.adjectives(what.of, table)
    tail = speaker.belonging(what.of)
    return f"{' '.join(['which', *before, table.noun])}{tail}{after} {verb}?"


def indirect(question: str) -> str:
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


def measured(what: Aggregate, speaker: Speaker) -> str:
    """The measure as a noun phrase: "the average price of all open orders"."""
    table = speaker.table(what.of.table)
    if what.op == "count":
        return f"the number of {speaker.group(what.of)}"
    assert what.column is not None
    column = column_named(table, what.column)
    named = called(column, table)
    match what.op:
        case "value":
            return f"the {named} of {speaker.thing(what.of)}"
        case "total":
            assert what.times is not None
            factor = called(column_named(table, what.times), table)
            return f"the sum of {named} times {factor} over all {speaker.group(what.of)}"
        case "min" | "max":
            is_date = column.format in ("date", "date-time")
            words = ("earliest", "latest") if is_date else ("lowest", "highest")
            return f"the {words[what.op == 'max']} {named} among all {speaker.group(what.of)}"
        case "range":
            among = speaker.group(what.of)
            return f"the gap between the highest and the lowest {named} among all {among}"
        case "distinct":
            several = _several(column, table, speaker)
            return f"the number of different {several} among {speaker.group(what.of)}"
    return f"the {_WORDS[what.op]} {named} of all {speaker.group(what.of)}"


def _several(column: Column, table: Table, speaker: Speaker) -> str:
    """What a column holds, in the plural: "customers" of a reference, "cities"."""
    if column.references is not None:
        return plural(table_named(speaker.schema, column.references).noun)
    return plural(bare(column, table))


def _difference(what: Difference, speaker: Speaker) -> str:
    left = what.left
    table = speaker.table(left.of.table)
    if what.right is None:
        assert left.column is not None
        words = bare(column_named(table, left.column), table)
        thing = speaker.thing(left.of)
        if words.startswith("due"):
            return f"how many days are left until {thing} is due?"
        named = called(column_named(table, left.column), table)
        return f"how many days are there from today until the {named} of {thing}?"
    if left.op == "count" and what.right.op == "count":
        more, fewer = speaker.group(left.of), speaker.group(what.right.of)
        return f"how many more {more} than {fewer} are there?"
    one, other = measured(left, speaker), measured(what.right, speaker)
    assert left.column is not None
    if column_named(table, left.column).format in ("date", "date-time"):
        return f"how many days are there between {other} and {one}?"
    return f"how much higher is {one} than {other}?"


def conditional(wish: Branch, speaker: Speaker) -> str:
    """ "if there are more than 3 open tasks on Lumen, archive it, otherwise close it"."""
    then = clause(wish.then, speaker)
    text = f"if {_tested(wish, speaker)}, {then}"
    if wish.otherwise is not None:
        text += f"; otherwise {clause(wish.otherwise, speaker)}"
    return text


def _tested(wish: Branch, speaker: Speaker) -> str:
    measure, op = wish.test.measure, wish.test.op
    assert isinstance(measure, Aggregate)
    table = speaker.table(measure.of.table)
    if measure.op == "count":
        head, tail = speaker.group_parts(measure.of)
        number = wish.test.value
        text = speaker.number(number, f"the number of {table.noun}s")
        return f"there are {COUNT_OPS[op]} {text} {head}{tail}"
    assert measure.column is not None
    column = column_named(table, measure.column)
    text = speaker.fact(wish.test.value, table, measure.column)
    ops = DATE_OPS if column.format in ("date", "date-time") else OPS
    return f"{measured(measure, speaker)} is {ops[op]} {text}"
