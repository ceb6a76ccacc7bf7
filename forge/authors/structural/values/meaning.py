"""What a column means to a person, read from its name, type and format, and its table's noun.

The meaning decides what an invented value looks like; it never decides what a tool does.
"""

import re
from functools import lru_cache
from typing import Literal, cast

from forge.authors.structural.lexicon import fields, group, senses
from forge.authors.structural.values.phrases import is_person, thing_of
from forge.authors.structural.words import singular, split, word_set
from forge.types.state import Column

Meaning = Literal[
    "name", "text", "first_name", "last_name", "person", "username", "email", "phone", "slug",
    "street", "line2", "address", "city", "country", "country_code", "region", "postal", "timezone",
    "url", "ip", "mac", "domain", "path", "uuid", "token", "code", "isbn", "barcode", "plate",
    "iban", "last4", "currency", "date", "date-time", "time", "hash", "field", "thing", "tags",
    "price", "quantity", "rating", "percent", "latitude", "longitude", "age", "year", "month",
    "day", "minutes", "weight", "length", "bytes", "rank", "seats", "floor", "number", "epoch",
    "boolean", "serial", "id", "public_key", "range", "count", "decimal",
]  # fmt: skip

_SHAPES: tuple[tuple[re.Pattern[str], Meaning], ...] = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "date"),
    (re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*"), "date-time"),
    (re.compile(r"\d{2}:\d{2}(:\d{2})?"), "time"),
    (re.compile(r"[^@\s]+@[^@\s]+\.\w+"), "email"),
    (re.compile(r"https?://\S+"), "url"),
    (re.compile(r"\d{1,3}(\.\d{1,3}){3}"), "ip"),
    (re.compile(r"\d{1,3}(\.\d{1,3}){3}/\d{1,2}"), "range"),
    (re.compile(r"[0-9a-f]{1,4}(:[0-9a-f]{0,4}){3,7}"), "ip"),
    (re.compile(r"([a-z0-9-]+\.)+(com|org|net|io)"), "domain"),
    (re.compile(r"(ssh-\S+|-----BEGIN PGP)[\s\S]*"), "public_key"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-\S+"), "uuid"),
)


def words_of(column: Column, noun: str) -> tuple[str, ...]:
    """The words of the column's name without its table's own noun before them."""
    return _words(column.name, noun)


@lru_cache(4096)
def _words(name: str, noun: str) -> tuple[str, ...]:
    words = split(name)
    own = tuple(noun.lower().split())
    for start in range(len(own)):
        if words[: len(own) - start] == own[start:] and len(words) > len(own) - start:
            return words[len(own) - start :]
    return words


def meaning(column: Column, noun: str) -> Meaning:
    """What a value of the column denotes. For an array, ask about its items."""
    example = column.examples[0] if column.examples else None
    shown = example if isinstance(example, str) else ""
    return _meaning(column.name, noun, column.type, column.format, column.max_length, shown)


def meaning_of(name: str, noun: str) -> Meaning:
    """What a text in a column of this name denotes."""
    return _meaning(name, noun, "string", None, None, "")


@lru_cache(4096)
def _meaning(
    name: str, noun: str, kind: str, form: str | None, max_length: int | None, example: str
) -> Meaning:
    words = _words(name, noun) or ("value",)
    if kind == "boolean":
        return "boolean"
    if kind in ("integer", "number"):
        return "epoch" if form == "unix-time" else _number(words, noun, whole=kind == "integer")
    return _string(words, noun, form, max_length, example)


_BILLS = (["invoice"], ["order"], ["bill"], ["cart"], ["receipt"], ["quote"], ["payment"])


def _number(words: tuple[str, ...], noun: str, *, whole: bool) -> Meaning:
    last, known = words[-1], senses("number")
    if last in ("id", "ids") and whole:
        return "id"
    if last in ("on", "time") and whole:
        return "epoch"
    if last in known:
        return cast(Meaning, known[last])
    if last in ("count", "quantity", "qty", "stock", "copies", "items", "number"):
        return "quantity"
    if last == "total" and whole and not (words[:-1] or noun.split()[-1:] in _BILLS):
        return "quantity"
    for word in reversed(words):
        if word in group("money") and (word not in _VAGUE or not whole or _of_money(words)):
            return "price"
        if word in known and word not in ("order", "day", "at", "level"):
            return cast(Meaning, known[word])
    return "quantity" if whole else "number"


_VAGUE = word_set("total limit value remaining due used spent max maximum")
"""Words for money that are as often words for a number of things."""


def _of_money(words: tuple[str, ...]) -> bool:
    return any(word in group("money") and word not in _VAGUE for word in words) or words[-1:] in (
        ("total",),
        ("spent",),
        ("due",),
        ("value",),
    )


def _string(
    words: tuple[str, ...], noun: str, form: str | None, max_length: int | None, example: str
) -> Meaning:
    last, one = words[-1], singular(words[-1])
    match form:
        case "email" | "uuid" | "date" | "date-time" | "time":
            return form
        case "uri":
            return "domain" if one == "domain" else "url"
    if "serial" in words:
        return "serial"
    for shape, found in _SHAPES:
        if example and shape.fullmatch(example):
            return found
    if len(words) > 1 and last.isdigit() and last not in ("1", "2"):
        joined = f"{words[-2]}{last}"
        return cast(Meaning, senses("text").get(joined)) or _string(
            words[:-1], noun, None, None, ""
        )
    if len(words) > 1 and last in ("kana", "kanji"):
        return _string(words[:-1], noun, None, None, "")
    if "urls" in words or last in ("pdf", "png", "svg", "jpg"):
        return "url"
    if last in ("decimal", "percentage", "amount") and len(words) > 1:
        return "decimal"
    if words in (("created",), ("updated",), ("modified",), ("last", "update"), ("last", "sync")):
        return "date-time"
    if _is_public_key(words, noun):
        return "public_key"
    if words[:2] == ("number", "of") or (last in ("count", "qty", "quantity") and len(words) > 1):
        return "count"
    if (
        len(words) == 2
        and words[0] in ("title", "name")
        and last.isalpha()
        and last not in fields()
    ):
        return _named(words[:1], noun)
    if words[:2] == ("place", "of"):
        return "city"
    pair = "-".join(words[-2:])
    if pair in senses("pair"):
        return cast(Meaning, senses("pair")[pair])
    if last in ("1", "2") and len(words) > 1:
        return "street" if last == "1" else "line2"
    if words in (("to",), ("from",)) and group("moving") & set(noun.split()[-1:]):
        return "city"
    if last == "country" and max_length is not None and max_length <= 3:
        return "country_code"
    if last in ("at", "timestamp", "datetime", "on") and len(words) > 1:
        return "date-time"
    if last == "time":
        return "date-time" if senses("stage").get(words[0]) in ("created", "updated") else "time"
    sense = senses("text").get(last)
    if sense is None and senses("text").get(one) != "name":
        sense = senses("text").get(one)
    if sense in ("address", "domain") and is_hosted(noun) and last != "domain":
        return "ip" if sense == "address" else "domain"
    if sense == "name" or (last in ("nickname", "alias") and not is_person(noun)):
        return _named(words, noun)
    if sense is not None:
        return cast(Meaning, sense)
    if one in group("people"):
        return "person"
    return "field" if last in fields() or one in fields() else "thing"


_KEYED = word_set("ssh gpg deploy public signing armored authorized")


def _is_public_key(words: tuple[str, ...], noun: str) -> bool:
    """Whether the text is a key that one may show: `public_key`, the `key` of a deploy key."""
    if words[-1] != "key":
        return False
    own = noun.split()
    return bool(_KEYED & set(words)) or (
        len(words) == 1 and own[-1:] == ["key"] and (len(own) == 1 or bool(_KEYED & set(own)))
    )


_HOSTS = ("server", "database", "network", "volume", "cluster", "node pool", "replica", "registry")


def is_hosted(noun: str) -> bool:
    """Whether records of this noun run in some data centre."""
    thing = thing_of(noun)
    return thing is not None and any(thing is thing_of(host) for host in _HOSTS)


def _named(words: tuple[str, ...], noun: str) -> Meaning:
    """`full_name` of a patient, `customer_name` of an order, `title` of a book."""
    before = words[-2] if len(words) > 1 else ""
    if before and before not in ("full", "display", "short", "legal", "official", "resource"):
        if singular(before) in group("people") or before in (
            "contact",
            "sender",
            "maiden",
            "middle",
        ):
            return "person"
        if thing_of(before) is not None:
            return "thing"
        if before in fields():
            return "field"
    if words[-1] in ("title", "designation") and is_person(noun):
        return "field"
    return "person" if is_person(noun) and words[-1] != "subject" else "name"
