"""Keys of records, and how they are written as text.

A key is the tuple of a record's key columns, so int 1 and "1" are different keys. The text of a
key is for JSON and for people: a single part as it is, composite parts joined by "/" with "%" and
"/" inside a part percent-encoded. `parse_key(table, key_text(key)) == key`, always.
"""

import re

from forge.types.state import Key, Record, Table

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


def key_of(table: Table, record: Record) -> Key:
    """The key of a record that holds all its key columns; KeyError if one is missing."""
    return tuple([record[name] for name in table.key])


def key_text(key: Key) -> str:
    """`("prj_1",)` -> "prj_1"; `(7,)` -> "7"; `("a/b", 7)` -> "a%2Fb/7"; `()` -> ""."""
    if len(key) == 1:
        return str(key[0])
    return "/".join(str(part).replace("%", "%25").replace("/", "%2F") for part in key)


def parse_key(table: Table, text: str) -> Key:
    """The key that `key_text` wrote, by the types of the key columns. ValueError if it is none."""
    if not table.key:
        parts = [] if text == "" else [text]
    elif len(table.key) == 1:
        parts = [text]
    else:
        parts = [p.replace("%2F", "/").replace("%25", "%") for p in text.split("/")]
    if len(parts) != len(table.key):
        raise ValueError(
            f"{text!r} has {len(parts)} parts, a key of {table.name} has "
            f"{len(table.key)}: {', '.join(table.key)}"
        )
    types = {column.name: column.type for column in table.columns}
    return tuple(
        _integer(part, name) if types[name] == "integer" else part
        for name, part in zip(table.key, parts, strict=True)
    )


def _integer(part: str, name: str) -> int:
    if not _INTEGER.fullmatch(part):
        raise ValueError(f"{part!r} is no integer, and {name} is one")
    return int(part)


def key_order(key: Key) -> tuple[tuple[bool, str | int], ...]:
    """What keys sort by: numbers before texts, each in its own order."""
    if len(key) == 1:
        return ((isinstance(key[0], str), key[0]),)
    return tuple((isinstance(part, str), part) for part in key)
