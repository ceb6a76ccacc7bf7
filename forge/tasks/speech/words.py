"""English for identifiers: what a person calls a table, a column or a value.

Pure functions; the irregular forms are those that API documents really use.
"""

import re
from functools import lru_cache

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
    "tooth": "teeth",
    "knife": "knives",
    "index": "indexes",
    "vertex": "vertices",
    "matrix": "matrices",
    "criterion": "criteria",
    "analysis": "analyses",
    "diagnosis": "diagnoses",
    "hypothesis": "hypotheses",
    "thesis": "theses",
    "crisis": "crises",
    "axis": "axes",
    "quiz": "quizzes",
    "hero": "heroes",
    "movie": "movies",
    "cookie": "cookies",
    "tie": "ties",
    "pie": "pies",
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
_AN = re.compile(
    r"^(?:[aeio]|u(?!ni|se|sa|ti|rl)|hour|honest|heir|x-|(?:html|https?|ssl|ssh|sms|sql|xml|rss|ftp|led)\b|[fhlmnrsx]\b|8|11\b|18\b)",
    re.I,
)
_SPELLED = re.compile(r"^[FHLMNRSX][A-Z0-9]+\b")
_PREPOSITIONS = {"since", "by", "at", "on", "for", "from", "to", "of", "in", "until", "with"}
_MASS = {
    "information", "data", "metadata", "content", "equipment", "staff", "news", "media", "feedback",
    "usage", "access", "traffic", "storage", "history", "software",
}  # fmt: skip
_ONE_WITH_S = {"series", "species", "news", "lens", "gas", "dns", "aws", "sms", "tls", "https"}
_SHAPES = {"me", "my", "current", "own", "short", "minimal", "simple", "nullable", "detailed"}
"""First words of a noun that say whose or how much of a record is shown, and not what it is."""
_WRITTEN = {
    # as people write a word that identifiers write in lower case, or shorten
    **{w: w.upper() for w in (
        "id", "url", "uri", "isbn", "sku", "api", "vat", "vpc", "ssh", "cdn", "dns", "ip", "gpg",
        "sms", "pdf", "csv", "tls", "ssl", "http", "https", "ttl", "cpu", "ram", "vm", "faq", "kpi",
        "iban", "gpu", "usb", "ui", "sla", "cve", "ach", "oauth", "sso", "pin", "tin", "rss", "tv",
    )},
    "urls": "URLs", "ids": "IDs", "apis": "APIs", "ips": "IPs", "oauth": "OAuth",
    "kubernetes": "Kubernetes", "github": "GitHub", "docker": "Docker", "linkedin": "LinkedIn",
    "db": "database", "dbs": "databases", "org": "organization", "orgs": "organizations",
    "repo": "repository", "repos": "repositories", "env": "environment", "envs": "environments",
    "config": "configuration", "configs": "configurations", "info": "information",
    "msg": "message", "dept": "department", "desc": "description", "addr": "address",
    "cert": "certificate", "certs": "certificates", "img": "image", "qty": "quantity",
    "acct": "account", "tel": "phone", "misc": "other", "exp": "expiry", "min": "minimum",
    "max": "maximum", "invoiceitem": "invoice item", "topup": "top-up",
    "us": "US", "uk": "UK", "eu": "EU",
    "pr": "pull request", "prs": "pull requests",
}  # fmt: skip


def split(identifier: str) -> list[str]:
    """`dueDate`, `due_date`, `DueDate` and `due-date` are all ["due", "date"]."""
    return list(_parts(identifier))


@lru_cache(maxsize=8192)
def _parts(identifier: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", identifier)
    return tuple(w.lower() for w in re.split(r"[^A-Za-z0-9]+", spaced) if w)


def human(identifier: str) -> str:
    """`due_date` as "due date", `vpc_id` as "VPC ID"."""
    return " ".join(_written(split(identifier)))


def _written(words: list[str]) -> list[str]:
    return [_WRITTEN.get(w, w) for w in words]


def noun_of(noun: str) -> str:
    """A table's noun as English has it: spelled out, nothing said twice, its acronyms in capitals
    ("db" is a "database", "ssh key" an "SSH key")."""
    words: list[str] = []
    if noun == "staff":
        return "staff member"
    said = noun.split()
    while len(said) > 1 and said[0] in _SHAPES:
        said = said[1:]
    if said == ["pull"]:
        return "pull request"
    for word in _written(said):
        if not words or (
            word != words[-1] and word not in (plural(words[-1]), singular(words[-1]))
        ):
            words.append(word)
    return " ".join(words)


def is_plural(noun: str) -> bool:
    """Whether the noun names several as it stands: "settings", "hook deliveries"."""
    last = noun.rsplit(maxsplit=1)[-1].lower() if noun else ""
    regular = last.endswith("s") and not last.endswith(("ss", "us", "is", "as", "os"))
    return (regular and last not in _ONE_WITH_S) or last in ("people", "children", "media")


def plural(noun: str) -> str:
    thing, of, what = noun.partition(" of ")
    if of:
        return f"{plural(thing)} of {what}"
    head, _, last = noun.rpartition(" ")
    if last in _MASS or is_plural(noun):
        return noun
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
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
    """With its article, where it takes one: "a task", "an SSH key", "settings"."""
    first, last = noun.split(maxsplit=1)[0], noun.rsplit(maxsplit=1)[-1]
    if last in _MASS or is_plural(noun):
        return noun
    spelled = first.isupper() and len(first) > 1 and first not in ("SKU", "RAM")
    vowel = _SPELLED.match(first) or first[0] in "AEIO" if spelled else _AN.match(noun)
    return f"{'an' if vowel else 'a'} {noun}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=8192)
def role(column: str, noun: str) -> str:
    """What a column is called when speaking of a record: `assignee_id` is the "assignee", and
    `taskTitle` of a task its "title"."""
    words = split(column)
    if len(words) > 1 and words[-1] in ("id", "gid", "sid", "key", "uuid"):
        words = words[:-1]
    if len(words) > 1 and words[-1] in ("ids", "gids", "uuids"):
        words = [*words[:-2], plural(words[-2])]
    words = _written(words)
    own = _written(split(noun))
    rest = words[len(own) :]
    if rest and words[: len(own)] == own and rest[0] not in _PREPOSITIONS:
        words = rest
    return " ".join(words)
