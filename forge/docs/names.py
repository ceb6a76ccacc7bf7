"""Legal, readable, stable names for tools and their arguments.

Always holds: a name made here matches `^[A-Za-z_][A-Za-z0-9_]{0,63}$`, is no Python keyword, no
builtin and no name of the table API, and depends only on what it names, never on the order of the
paths. Where two would be one, each gets a short hash of what it names (one that was written
exactly so keeps it).
"""

import hashlib
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from forge.docs.glossary import in_english

MOST = 64

_TABLE_API = "get find count insert update delete save given me now today fail page"
_BUILTINS = (
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod"
    " compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter"
    " float format frozenset getattr globals hasattr hash help hex id input int isinstance"
    " issubclass iter len license list locals map max memoryview min next object oct open ord pow"
    " print property quit range repr reversed round set setattr slice sorted staticmethod str sum"
    " super tuple type vars zip"
)
RESERVED = frozenset(f"{_TABLE_API} {_BUILTINS} {' '.join(keyword.kwlist).lower()}".split())

_DONE = frozenset(("get", "list", "create", "update", "delete", "cancel", "find"))
"""What a call by a path without placeholders says it does."""

_WORD = re.compile(
    r"[0-9]+[A-Z]+(?![a-z])|[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+"
)
_PLACEHOLDER = re.compile(r"^\{([^{}]+)\}$")


def short_hash(text: str, length: int = 5) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def words(text: str) -> list[str]:
    """The ASCII words of a name in lower case: "listAllPets/v2" -> list, all, pets, v2; those of a
    Chinese or Japanese one in English, where they are known."""
    return [word.lower() for word in _WORD.findall(_plain(in_english(text)))]


def _plain(text: str) -> str:
    """Without accents and apostrophes."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c) and c not in "'’")


def snake(text: str) -> str:
    """ "kilnFirings" -> "kiln_firings"; empty where there is no ASCII letter or digit."""
    return "_".join(words(text))


def singular(noun: str) -> str:
    """One of them, by the plain rules of English: "bodies" -> "body", "status" -> "status"."""
    if re.search(r"(ss|us|is|news|series)$", noun) or len(noun) < 3:
        return noun
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch")):
        if noun.endswith(ending) and len(noun) > len(ending) + 1:
            return noun[: -len(ending)] + instead
    if noun.endswith("shes"):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") else noun


def segments(path: str) -> list[tuple[str, bool]]:
    """The parts of a path, each with whether it is a placeholder: `/pets/{id}`."""
    found = []
    for part in path.partition("?")[0].split("/"):
        if part:
            match = _PLACEHOLDER.match(part)
            found.append((match[1], True) if match else (part, False))
    return found


def noun_of(path: str, before: str = "") -> str:
    """What a path is about, as one word in the singular: the last fixed part (before the
    placeholder `before`, where given), or the one before it, if the last says what is done:
    `/jobs/get_light`. Empty where there is none."""
    fixed: list[list[str]] = []
    for part, placeholder in segments(path):
        if placeholder and part == before:
            break
        if not placeholder:
            fixed.append(words(part))
    if len(fixed) > 1 and fixed[-1][:1] and fixed[-1][0] in _DONE:
        fixed.pop()
    parts = fixed[-1] if fixed else []
    return "_".join([*parts[:-1], singular(parts[-1])]) if parts else ""


def from_path(method: str, path: str) -> str:
    """`GET /pets/{petId}/toys` -> "get_pets_toys"; a placeholder is told only where it is the
    last part: "get_pets_by_pet_id"."""
    parts = segments(path)
    said = [snake(part) for part, placeholder in parts if not placeholder]
    if parts and parts[-1][1]:
        said += ["by", snake(parts[-1][0])]
    return "_".join(part for part in [method.lower(), *said] if part)


def legal(name: str, what: str, prefix: str) -> str:
    """`name` (snake case already) made legal: `what` is what it names, for the hash."""
    if not name:
        return f"{prefix}_{short_hash(what)}"
    if not name[0].isalpha():
        name = f"{prefix}_{name}"
    if len(name) > MOST:
        name = f"{name[: MOST - 6].rstrip('_')}_{short_hash(what)}"
    return name


def tool_names(operations: Sequence[tuple[str, str, str]]) -> list[str]:
    """A name for each (operationId or "", method, path), in their order."""
    proposed = []
    for identifier, method, path in operations:
        what = f"{method} {path} {identifier}"
        name = snake(identifier)
        if not name or name in RESERVED:
            name = from_path(method, path) or (f"do_{name}" if name else "")
        if name in RESERVED:
            name = f"do_{name}"
        proposed.append(legal(name, what, "op"))
    exact = [name == operation[0] for name, operation in zip(proposed, operations, strict=True)]
    whats = [" ".join(operation) for operation in operations]
    return _told_apart(proposed, exact, whats)


def argument_names(fields: Sequence[tuple[str, str]], path: str) -> list[str]:
    """A name for each (field, location) of one operation, in their order.

    Where two fields of different places share a name the one in the path keeps it, then the one
    in the body, and the others say their place: "name", "name_query".
    """
    proposed = [legal(_argument(field, path), field, "field") for field, _ in fields]
    rank = {"path": 0, "body": 1, "query": 2, "header": 3, "cookie": 4}
    first: dict[str, int] = {}
    for name, (_, location) in zip(proposed, fields, strict=True):
        first[name] = min(first.get(name, 9), rank[location])
    named = [
        name if rank[location] == first[name] else f"{name[: MOST - 7]}_{location}"
        for name, (_, location) in zip(proposed, fields, strict=True)
    ]
    exact = [name == field for name, (field, _) in zip(named, fields, strict=True)]
    return _told_apart(named, exact, [f"{location} {field}" for field, location in fields])


def _argument(field: str, path: str) -> str:
    name = snake(field)
    if name not in RESERVED:
        return name
    if name == "id" and (noun := noun_of(path, before=field)):
        return f"{noun}_id"
    return "page_number" if name == "page" else f"{name}_"


def _told_apart(names: list[str], exact: list[bool], whats: list[str]) -> list[str]:
    """The names, each distinct: one that is exactly as written keeps it, if it is the only one."""
    often = Counter(names)
    kept = Counter(name for name, is_exact in zip(names, exact, strict=True) if is_exact)
    result = []
    for name, is_exact, what in zip(names, exact, whats, strict=True):
        alone = often[name] == 1 or (is_exact and kept[name] == 1)
        result.append(name if alone else f"{name[: MOST - 6].rstrip('_')}_{short_hash(what)}")
    length = 5
    while len(set(result)) < len(result):
        length += 3
        often = Counter(result)
        result = [
            name if often[name] == 1 else f"{name[: MOST - 1 - length]}_{short_hash(what, length)}"
            for name, what in zip(result, whats, strict=True)
        ]
        if length > 40:
            whats = [f"{what} {place}" for place, what in enumerate(whats)]
    return result


_ASIDE = re.compile(r"\s+[-–—+|/]\s+|[:(|]|\.(?=\s|$)")
_FORM_WORDS = (
    "api apis rest restful http https openapi oas swagger spec specification specs official public"
    " documentation docs doc reference definition schema"
)
_FORM = frozenset(_FORM_WORDS.split())
_BEFORE = frozenset(("swagger", "openapi", "the"))
_VERSION = re.compile(r"^v?\d+(\.\d+)*$", re.IGNORECASE)


def product(title: str) -> str:
    """What a document is of, of its title: "GitHub's official OpenAPI spec + Octokit" -> "GitHub".
    The whole title, where it says nothing else."""
    for part in _ASIDE.split(title):
        said = part.split()
        while said and (said[-1].lower() in _FORM or _VERSION.match(said[-1])):
            said.pop()
        while said and said[0].lower() in _BEFORE:
            del said[0]
        if said:
            return re.sub(r"['’]s$", "", " ".join(said))
    return title


def document_name(title: str, file: str, taken: Collection[str]) -> str:
    """A short identifier for a document, `[a-z][a-z0-9_]*`, none of those taken."""
    stem = file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    said = [word.lower() for word in re.findall(r"[A-Za-z0-9]+", _plain(product(title)))]
    while len(said) > 1 and len("_".join(said)) > 40:
        said.pop()
    name = legal("_".join(said)[:40] or snake(stem)[:40].strip("_"), title, "api")
    made, turn = name, 0
    while made in taken:
        made, turn = f"{name}_{short_hash(f'{file} {turn}')}", turn + 1
    return made
