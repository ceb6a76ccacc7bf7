"""What a document is called that does not say: by its file's name, as a person would write it.

Words about the kind of file are left out ("retail.openai-tools.json" is "Retail"), and a name is
spelled as the document's own text spells it ("github.json" is "GitHub").
"""

import re
from collections import Counter
from collections.abc import Iterable

from forge.docs.text import line
from forge.types.data import Json

_KIND = (
    "openai",
    "anthropic",
    "mcp",
    "tool",
    "tools",
    "functions",
    "toollist",
    "toolslist",
    "list",
)
_INITIALS = ("api", "kv", "sql", "crm", "erp", "hr", "it", "faq", "pdf", "csv")
_LANGUAGES = ("en", "zh", "de", "fr", "es", "it", "pt", "ja", "ko", "ru")


def title_of(value: Json, file: str, texts: Iterable[str]) -> str:
    """The title that `value` gives itself, else one made of the file's name; `texts` show how
    its words are spelled."""
    said = _said(value)
    if said:
        return said
    stem = re.sub(r"\.(json|jsonl|ndjson|ya?ml)$", "", file.rsplit("/", 1)[-1], flags=re.I)
    language = ""
    parts = stem.split(".")
    if len(parts) > 1 and parts[0].lower() in _LANGUAGES:
        language, parts = parts[0].lower(), parts[1:]
    words = [word for word in re.split(r"[\s._-]+", " ".join(parts)) if word]
    words = [word for word in words if word.lower() not in _KIND] or words
    title = " ".join(words) or stem
    spelled = _spelled(words, texts)
    title = (
        " ".join(
            spelled.get(word.lower(), _plain(word, first=not place))
            for place, word in enumerate(words)
        )
        or title
    )
    return line(f"{title} ({language})" if language else title, 100)


def _said(value: Json) -> str:
    """The title that a list gives itself; a lone tool's is its own."""
    if not isinstance(value, dict) or not isinstance(value.get("tools"), list):
        return ""
    info = value.get("serverInfo")
    for holder in (info if isinstance(info, dict) else {}, value):
        for key in ("title", "name"):
            if line(holder.get(key)):
                return line(holder[key], 100)
    return ""


def _plain(word: str, *, first: bool) -> str:
    if word.lower() in _INITIALS:
        return word.upper()
    return word[:1].upper() + word[1:] if first else word


def _spelled(words: Iterable[str], texts: Iterable[str]) -> dict[str, str]:
    """Each word with a capital inside as the texts mostly have it: github -> GitHub."""
    wanted = {word.lower() for word in words if len(word) > 3}
    seen: dict[str, Counter[str]] = {word: Counter() for word in wanted}
    for text in texts:
        for found in re.findall(r"[A-Za-z]+", text):
            if found.lower() in seen and re.search(r"[A-Z]", found[1:]) and not found.isupper():
                seen[found.lower()][found] += 1
    return {word: min(n, key=lambda w: (-n[w], w)) for word, n in seen.items() if n}
