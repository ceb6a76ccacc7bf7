"""English for identifiers: what a person calls a table, a column or a value.

Pure functions; the irregular forms are those that API documents really use.
"""

import re

_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "mouse": "mice",
    "foot": "feet",
    "leaf": "leaves",
    "life": "lives",
    "shelf": "shelves",
    "half": "halves",
    "index": "indexes",
    "status": "statuses",
    "address": "addresses",
    "media": "media",
    "equipment": "equipment",
    "staff": "staff",
    "series": "series",
    "news": "news",
    "information": "information",
    "staff member": "staff members",
}
_AN = re.compile(r"^(?:[aeio]|u(?!ni|se|sa|ti|rl)|hour|honest|heir|x-|[fhlmnrsx]\b)", re.I)
_PREPOSITIONS = {"since", "by", "at", "on", "for", "from", "to", "of", "in", "until", "with"}
_ACRONYMS = {
    "id": "ID",
    "url": "URL",
    "urls": "URLs",
    "isbn": "ISBN",
    "sku": "SKU",
    "api": "API",
    "vat": "VAT",
}


def split(identifier: str) -> list[str]:
    """`dueDate`, `due_date`, `DueDate` and `due-date` are all ["due", "date"]."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", identifier)
    return [w.lower() for w in re.split(r"[^A-Za-z0-9]+", spaced) if w]


def human(identifier: str) -> str:
    """`due_date` as "due date"."""
    return " ".join(_ACRONYMS.get(w, w) for w in split(identifier))


def plural(noun: str) -> str:
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    head, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        return f"{head} {_IRREGULAR[last]}".strip()
    if re.search(r"(?:s|x|z|ch|sh)$", noun):
        return noun + "es"
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + "s"


def singular(noun: str) -> str:
    """Of a regular plural: "copies" is "copy"."""
    known = {many: one for one, many in _IRREGULAR.items()}
    if noun in known:
        return known[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if re.search(r"(?:s|x|z|ch|sh)es$", noun):
        return noun[:-2]
    return noun.removesuffix("s")


def a(noun: str) -> str:
    """With its article: "a task", "an order"."""
    return f"{'an' if _AN.match(noun) else 'a'} {noun}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def role(column: str, noun: str) -> str:
    """What a column is called when speaking of a record: `assignee_id` is the "assignee", and
    `taskTitle` of a task its "title"."""
    words = split(column)
    if len(words) > 1 and words[-1] in ("id", "gid", "sid", "key", "uuid"):
        words = words[:-1]
    own = split(noun)
    rest = words[len(own) :]
    if rest and words[: len(own)] == own and rest[0] not in _PREPOSITIONS:
        words = rest
    return " ".join(_ACRONYMS.get(w, w) for w in words)
