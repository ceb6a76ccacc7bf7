"""How many of the operations of documents in prose are read, and how many that are read are there.

What is there is counted by other means than forge's, with a pattern for each document: what looks
like an endpoint, a heading with its purpose below it, a bullet that is a name in bold or code.
`--draw N` prints N operations of each with their parameters, to be read beside the document.

    python evals/docs_reading.py path/to/corpus [--draw 20]
"""

import argparse
import random
import re
from collections.abc import Iterable
from pathlib import Path

from forge.docs.read import read
from forge.types.doc import ApiDoc

ENDPOINTS = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE) (?:SITE_ROOT)?(/(?:[^\s`&<]|&[lg]t;|<\w+>)*)"
)
PURPOSES = re.compile(r"^(\w+)\n-{3,}\n+- Purpose:", re.M)
BULLETS = re.compile(r"^(?:\d+\.|-) (?:\*\*|`)([a-z_]+)(?:\*\*|`)\s*$", re.M)
KNOWN = {
    "md-linkding": ENDPOINTS,
    "md-html-healthchecks/api.md": ENDPOINTS,
    "md-html-healthchecks/api.html-fragment": ENDPOINTS,
    "md-html-healthchecks/apiv1.md": ENDPOINTS,
    "md-kanboard": PURPOSES,
    "md-mcp-readmes/filesystem.md": BULLETS,
    "md-mcp-readmes/github.md": BULLETS,
    "md-mcp-readmes/gitlab.md": BULLETS,
    "md-mcp-readmes/memory.md": BULLETS,
    "md-mcp-readmes/slack.md": BULLETS,
    "derived-encodings/linkding-api.latin1-nbsp.md": ENDPOINTS,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--draw", type=int, default=0, metavar="N")
    given = parser.parse_args()
    print("| document | there | read | right | recall | precision | parts not understood |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    docs = {name: read([given.corpus / name]) for name in KNOWN}
    for name, found in docs.items():
        there = there_in(given.corpus / name, KNOWN[name])
        said = {key_of(one.method, one.path, one.name) for doc in found for one in doc.operations}
        right = sum(any(one.endswith(key) for one in there) for key in said)
        shares = f"{right / len(there):.1%} | {right / len(said):.1%}"
        lost = sum(len(doc.skipped) for doc in found)
        print(f"| {name} | {len(there)} | {len(said)} | {right} | {shares} | {lost} |")
    for name, found in docs.items() if given.draw else ():
        print(f"\n## {name}\n")
        draw(found, given.draw)


def there_in(path: Path, pattern: re.Pattern[str]) -> set[str]:
    """The operations that a pattern finds in the text of a document, each once."""
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    found = set()
    for file in files:
        text = file.read_text("latin-1" if "latin1" in file.name else "utf-8")
        for match in pattern.finditer(text):
            method, target = match.groups() if pattern is ENDPOINTS else ("", match[1])
            found.add(key_of(method, target.replace("&lt;", "<").replace("&gt;", ">"), target))
    return found


def key_of(method: str, path: str, name: str) -> str:
    """How an operation is known on both sides; names without regard to how words are joined."""
    if not path.startswith("/"):
        return "/" + name.replace("_", "").lower()
    plain = re.sub(r"[<{](\w+)[>}]", r"{\1}", path.partition("?")[0])
    return f"{plain.rstrip('/')} {method}"


def draw(found: Iterable[ApiDoc], number: int) -> None:
    operations = [one for doc in found for one in doc.operations]
    for one in random.Random(0).sample(operations, min(number, len(operations))):
        print(f"- {one.where} {one.method} {one.path or one.name}")
        for each in one.parameters:
            kind = each.schema.get("type", "anything")
            told = [f"{k} {each.schema[k]}" for k in ("enum", "default") if k in each.schema]
            need = ["required"] if each.required else []
            print(f"  - {each.field}: {', '.join((str(kind), each.location, *need, *told))}")


if __name__ == "__main__":
    main()
