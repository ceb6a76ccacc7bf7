"""`$ref` resolved: within a document and into other files under the same root folder.

Never over the network, never outside the root (links followed), and never a value that is only
*called* "$ref": a reference is an object whose `$ref` is a string, where a reference may stand.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from forge.docs import yaml
from forge.errors import UserError
from forge.types.data import Json
from forge.types.doc import Skipped

HOPS = 50


class Unresolved(Exception):
    """A reference to nowhere; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value and where it stands: the file, relative to the root, and a JSON pointer."""

    file: str
    pointer: str
    value: Json


def decode(path: Path, where: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise UserError(f"cannot be read: {reason}", where=where, mend="check the path") from None
    if not data.strip():
        raise UserError("is empty", where=where, mend="write the document into it, or leave it out")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        place = f"{where}:{number}:{column}"
        raise UserError("is not UTF-8 text", where=place, mend="save it as UTF-8") from None


def is_reference(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("$ref"), str)


def escape(token: str) -> str:
    """One step of a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")


class Documents:
    """One document and the files it refers to, each read once."""

    def __init__(self, main: Path, root: Path) -> None:
        self.root = root.resolve()
        self.main = main.resolve().relative_to(self.root).as_posix()
        self.skipped: list[Skipped] = []
        self._loaded: dict[str, Json] = {}
        self._hashes: dict[str, str] = {}
        self._found: dict[tuple[str, str], Place] = {}
        self.load(self.main)

    @classmethod
    def of(cls, file: str, value: Json, sha256: str) -> "Documents":
        """A document that was made from another form; it refers to no other file."""
        documents = cls.__new__(cls)
        documents.root, documents.main, documents.skipped = Path(), file, []
        documents._loaded, documents._hashes, documents._found = {file: value}, {file: sha256}, {}
        return documents

    @property
    def files(self) -> list[str]:
        """The files read so far, relative to the root."""
        return sorted(self._loaded)

    @property
    def sha256(self) -> str:
        """Of the main file; where others were read, of all of them."""
        if len(self._hashes) == 1:
            return self._hashes[self.main]
        lines = "".join(f"{name} {self._hashes[name]}\n" for name in self.files)
        return hashlib.sha256(lines.encode()).hexdigest()

    def load(self, file: str) -> Json:
        if file not in self._loaded:
            path = self.root / file
            text = decode(path, file)
            is_json = file.lower().endswith(".json") or text.lstrip()[:1] == "{"
            try:
                value, skipped = yaml.load(text, file, is_json=is_json)
            except UserError:
                if not is_json or file.lower().endswith(".json"):
                    raise
                value, skipped = yaml.load(text, file)  # YAML may begin with a brace too
            self._loaded[file] = value
            self._hashes[file] = hashlib.sha256(path.read_bytes()).hexdigest()
            self.skipped += skipped
        return self._loaded[file]

    def find(self, reference: str, file: str) -> Place:
        """What a reference written in `file` points at, one hop. Raises Unresolved."""
        known = self._found.get((reference, file))
        if known is None:
            known = self._found[reference, file] = self._find(reference, file)
        return known

    def follow(self, value: Json, file: str) -> tuple[Json, str]:
        """`value`, or where it is a reference what that finally points at, and the file of it."""
        for _ in range(HOPS):
            if not is_reference(value):
                return value, file
            place = self.find(value["$ref"], file)
            value, file = place.value, place.file
        raise Unresolved(f'"$ref": "{value["$ref"]}" leads in a circle')

    def _find(self, reference: str, file: str) -> Place:
        target, _, fragment = reference.partition("#")
        if target:
            file = self._sibling(target, file, reference)
        if fragment and not fragment.startswith("/"):
            raise Unresolved(f'"$ref": "{reference}" is no JSON pointer')
        value = self.load(file)
        pointer = ""
        for step in fragment.split("/")[1:]:
            token = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and token in value:
                value = value[token]
            elif isinstance(value, dict) and step in value:
                token, value = step, value[step]
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                value = value[int(token)]
            elif is_reference(value):  # a pointer through a reference
                value, file = self.follow(value, file)
                if not isinstance(value, dict) or token not in value:
                    raise Unresolved(f'"$ref": "{reference}" points to nowhere')
                value = value[token]
            else:
                raise Unresolved(f'"$ref": "{reference}" points to nowhere')
            pointer += "/" + escape(token)
        return Place(file, pointer, value)

    def _sibling(self, target: str, file: str, reference: str) -> str:
        if "://" in target or target.startswith("//"):
            raise Unresolved(f'"$ref": "{reference}" is on the network, where forge does not go')
        path = (self.root / PurePosixPath(file).parent / unquote(target)).resolve()
        if not path.is_relative_to(self.root):
            raise Unresolved(f'"$ref": "{reference}" is outside the folder of the document')
        if not path.is_file():
            raise Unresolved(f'"$ref": "{reference}" names a file that is not there')
        try:
            self.load(path.relative_to(self.root).as_posix())
        except UserError as error:
            raise Unresolved(f'"$ref": "{reference}": {error}') from None
        return path.relative_to(self.root).as_posix()
