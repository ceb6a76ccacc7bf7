"""What a column is called in a sentence, and what kind of words it makes.

`needed_by` reads "needed by 5 May", `copies` counts ("9 copies"), `lent_on` makes "that was lent
last": the name of a column says how it is spoken of.
"""

from functools import lru_cache
from typing import Literal

from forge.tasks.speech.lexicon import PRICES
from forge.tasks.speech.words import human, plural, role, split
from forge.types.state import Column, ColumnType, Table

_LONGER = {
    "email": "email address",
    "e mail": "email address",
    "phone": "phone number",
    "mobile": "mobile number",
    "due on": "due date",
    "due at": "due date",
    "due": "due date",
    "dob": "date of birth",
    "qty": "quantity",
    "last4": "last four digits",
}
_ENDS = {"by", "on", "at", "until", "from", "to", "since", "for", "in"}
_PARTICIPLES = {
    "lent", "made", "sent", "paid", "sold", "bought", "built", "held", "given", "taken", "written",
    "put", "set", "born", "withdrawn", "seen", "chosen", "frozen", "found", "won", "read", "drawn",
}  # fmt: skip
ACTIVE = {
    "joined": "join",
    "expired": "expire",
    "started": "start",
    "ended": "end",
    "opened": "open",
}
"""What a record does itself, and is not done to it."""
_SAME_IN_PLURAL = {"status", "address", "series", "class", "access", "process", "progress", "basis"}
_NO_AMOUNTS = {"year", "number", "floor", "code", "position", "version", "level", "month", "rank"}
_UNSAYABLE = {
    "display", "feed",
    "html", "url", "urls", "uri", "uris", "token", "secret", "password", "hash", "checksum", "etag",
    "subtype", "locks", "lock", "likes", "precision", "version", "position", "sequence", "index",
    "offset", "sticker", "num", "gid", "uuid", "guid", "sha", "signature", "cursor", "metadata",
    "slug", "link", "href", "urn", "key", "icon", "timestamp", "object", "descriptor", "units",
    "following", "docker", "compare", "merge", "liked", "hearted",
}  # fmt: skip
_BIDDING = {"create", "use", "include", "enable", "allow", "show", "send", "skip", "force", "auto"}
"""First words of what is an order to the program and no property of a record."""
_ENDING = {
    "expires": "expiry", "starts": "start", "ends": "end", "begins": "start", "closes": "closing",
    "opens": "opening",
}  # fmt: skip
_CODED = {"status", "state", "type", "flag", "kind", "mode"}
"""What a number stands for only in the program."""
_BOOKKEEPING = {"membership", "relationship", "setting", "association", "mapping", "log", "job"}
_RECORDED = {
    "created", "completed", "modified", "updated", "deleted", "edited", "changed", "creator",
    "liked", "hearted", "viewed", "seen",
}  # fmt: skip
_KINDS = {
    "status", "state", "condition", "availability", "stage", "phase", "type", "kind", "category",
    "class", "priority", "level", "tier", "role", "severity", "color", "colour", "method", "plan",
    "country", "currency", "language", "department", "region", "visibility", "size", "brand",
}  # fmt: skip
_LONGEST = 3
"""Words in the name of a column that people still compare by."""
_ADDED = {"stock", "quantity", "amount", "total", "budget", "cost", "fee", "balance", "weight"}
UNITS = {
    "seconds", "minutes", "hours", "days", "weeks", "months", "years", "euros", "dollars", "cents",
    "gigabytes", "megabytes",
    "grams", "kg", "km", "metres", "meters", "miles", "litres", "liters", "percent", "points",
}  # fmt: skip
PAIRS = (
    ("arrival", "departure"), ("check in", "check out"), ("start", "end"), ("starts", "ends"),
    ("begin", "end"), ("begins", "ends"), ("from", "to"), ("start date", "end date"),
    ("start time", "end time"), ("starts at", "ends at"), ("starts on", "ends on"),
    ("start at", "end at"), ("valid from", "valid until"), ("valid from", "valid to"),
    ("check in date", "check out date"), ("arrival date", "departure date"),
    ("begins at", "ends at"), ("start on", "end on"), ("from date", "to date"),
)  # fmt: skip


def bare(column: Column, table: Table) -> str:
    """The column's own words: "due on", "email"."""
    return _bare(column.name, column.type == "integer", table.noun)


@lru_cache(maxsize=8192)
def _bare(name: str, is_whole: bool, noun: str) -> str:
    words = role(name, noun) or human(name)
    for end in (" count", " counter"):
        if is_whole and words.endswith(end):
            return plural(words.removesuffix(end))
    said = "num ", "number of ", *(("n ", "nb ", "no of ") if is_whole else ())
    return next((words.removeprefix(start) for start in said if words.startswith(start)), words)


def is_count(column: Column, table: Table) -> bool:
    """Whether the column says how many there are: "copies", "seats"."""
    return (
        column.type == "integer"
        and is_several(column, table)
        and column.references is None
        and bare(column, table).split()[0] not in ("minimum", "maximum")
    )


def is_several(column: Column, table: Table) -> bool:
    """Whether the column's name is a plural: "notes", "wishes"."""
    head, _, last = bare(column, table).rpartition(" ")
    measured = bool(head) and last in UNITS
    many = last.endswith("s") and last not in _SAME_IN_PLURAL and not last.endswith("ss")
    return many and not measured


def called(column: Column, table: Table) -> str:
    """As a noun: "due date", "email address", "number of copies"."""
    words = bare(column, table)
    if words in _LONGER:
        return _LONGER[words]
    if is_count(column, table):
        return f"number of {words}"
    if event(column, table) is not None:
        return f"{'date' if column.format == 'date' else 'time'} it was {words.split()[0]}"
    first, _, rest = words.partition(" ")
    if first in ("minimum", "maximum") and is_several(column, table):
        return f"{first} number of {rest}"
    head, _, last = words.rpartition(" ")
    if head and last in ("at", "on"):
        return f"{_ENDING.get(head, head)} {'date' if column.format == 'date' else 'time'}"
    if head and last == "by" and column.format in ("date", "date-time"):
        return f"{words.replace(' ', '-')} date"
    if head and last in UNITS:
        return f"{head} in {last}"
    if column.format == "date" and not head and words not in ("date", "day", "birthday"):
        return f"{words} date"
    return words


def is_time(column: Column) -> bool:
    """Whether the column says when, in whatever form."""
    return column.format in ("date", "date-time", "unix-time")


def event(column: Column, table: Table) -> str | None:
    """The participle of a date that says when something was done: "lent" of `lent_on`."""
    if not is_time(column):
        return None
    words = bare(column, table).split()
    if len(words) == 1 or (len(words) == 2 and words[1] in ("at", "on", "date", "time")):
        word = words[0]
    elif len(words) == 2 and words[0] == "date":
        word = words[1]
    else:
        return None
    return word if (word.endswith("ed") and len(word) > 3) or word in _PARTICIPLES else None


def leads(column: Column, table: Table) -> str | None:
    """The column's words where they lead over to its value: "needed by", "ship to"."""
    words = bare(column, table)
    split = words.split()
    return words if len(split) > 1 and split[-1] in _ENDS else None


def lies_ahead(column: Column, table: Table) -> bool:
    """Whether a new value of a date would be one to come: a due date, not a date of birth."""
    words = set(bare(column, table).split())
    return (
        column.format in ("date", "date-time")
        and event(column, table) is None
        and not words & {"birth", "dob", "birthday", "purchase", "born", "hired", "since", "joined"}
    )


def stem(column: Column, table: Table) -> str:
    """The column's words without how its value is written: `due_on` and `due_at` are one."""
    words = [w for w in bare(column, table).split() if w not in ("at", "on", "date", "time")]
    return " ".join(words) or column.name


def is_bookkeeping(table: Table) -> bool:
    """Whether the records are the program's own business: memberships, settings, relationships."""
    return table.noun.split()[-1] in _BOOKKEEPING


def is_unsayable(column: Column) -> bool:
    """Whether nobody would say the column's value: markup, addresses of pages, secrets, lists of
    those, keys of other systems."""
    inner = column.items or column
    if len(column.enum or ("", "")) < 2 or inner.format in ("uri", "uuid", "unix-time"):
        return True
    return _is_unsayable(column.name, column.type, bool(column.enum))


@lru_cache(maxsize=8192)
def _is_unsayable(name: str, kind: ColumnType, has_enum: bool) -> bool:
    words = set(split(name))
    if "as" in words or split(name)[0] in _BIDDING:
        return True
    if kind in ("integer", "number") and words & _CODED and not has_enum:
        return True
    if kind == "integer" and len(words) == 1 and name.endswith(("ed", "ing")):
        return True  # "the passing of the assignment"
    if kind == "boolean" and len(words - {"is"}) > 1:
        return True
    return bool(words & _UNSAYABLE)


def is_recorded(column: Column, table: Table) -> bool:
    """Whether the program notes by itself who or when it was: created by, completed at."""
    first, *rest = bare(column, table).split()
    return first in _RECORDED and (not rest or rest[0] in ("by", "at", "on", "from", "date"))


def sorts_in_words(column: Column, table: Table) -> bool:
    """Whether people tell records apart by the kinds of this enum: its name is one word, or ends
    in one of those that kinds go by."""
    words = bare(column, table).split()
    kinds = column.enum or ()
    return (
        not is_unsayable(column)
        and (len(words) == 1 or words[-1] in _KINDS)
        and all(len(str(kind)) > 1 and "/" not in str(kind) for kind in kinds)
    )


def is_asked_for(column: Column, table: Table) -> bool:
    """Whether people would ask what the column says, or compare by it, by its name."""
    words = bare(column, table).split()
    if words == ["count"] or words[0] == "not" or {"ID", "via"} & set(words):
        return False
    part = words[0] if words[1:2] == ["of"] else words[-1]  # the day of birth
    if column.type == "integer" and part in ("month", "day", "date", "time", "at"):
        return False
    if is_time(column) and len(words) > 1 and words[-1].endswith("ed"):
        return False
    ends = _ENDS - ({"at", "on", "by"} if is_time(column) else {"at", "on"})
    dangling = words[-1] in ends and len(words) > 1
    return not is_unsayable(column) and len(words) <= _LONGEST and not dangling


def sensible_totals(column: Column, table: Table) -> list[Literal["sum", "average"]]:
    """What a person would compute over a column: nobody adds up years or unit prices."""
    last = bare(column, table).split()[-1]
    if last in _NO_AMOUNTS or bare(column, table).split()[0] in ("minimum", "maximum"):
        return []
    if last in _ADDED or last in UNITS:
        return ["sum", "average"]
    if is_count(column, table):
        return ["sum"]
    return ["average"] if set(bare(column, table).split()) & PRICES else []


def is_yes_no_noun(words: str) -> bool:
    """Whether a yes/no column names a thing one has or not ("breakfast"), not what one is."""
    last = words.removeprefix("is ").split()[-1]
    adjective = last.endswith(("ed", "able", "ible", "ive", "al", "ful", "ic")) or last in (
        "complete", "public", "private", "open", "done", "urgent", "read", "ready", "paid", "free",
        "late", "new", "default", "hidden", "visible", "fixed",
    )  # fmt: skip
    return not adjective and not words.startswith(("is ", "has "))


def pair_of(column: Column, others: list[Column], table: Table) -> Column | None:
    """The column that ends the span which this one begins, if it is among the others."""
    words = bare(column, table)
    for first, last in PAIRS:
        if words == first:
            for other in others:
                if bare(other, table) == last:
                    return other
    return None
