"""`$ref` resolved: within a document and into other files under the same root folder.

Never over the network, never outside the root (links followed), and never a value that is only
*called* "$ref": a reference is an object whose `$ref` is a string, where a reference may stand.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from forge.docs import jsonlines, yaml
from forge.docs.encoding import Undecodable, decoded
from forge.docs.text import line
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


def decode(path: Path, where: str, encoding: str = "") -> str:
    """The text of a file, in this encoding or, where none is said, as far as it can be told."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise UserError(f"cannot be read: {reason}", where=where, mend="check the path") from None
    if not data.strip():
        raise UserError("is empty", where=where, mend="write the document into it, or leave it out")
    try:
        return decoded(data, encoding)
    except Undecodable as error:
        number = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        place = f"{where}:{number}:{column}"
        mend = "save it as UTF-8, or say what it is: --encoding NAME"
        raise UserError(f"is not {encoding or 'UTF-8'} text", where=place, mend=mend) from None


def is_reference(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("$ref"), str)


def escape(token: str) -> str:
    """One step of a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def steps_of(pointer: str) -> list[str]:
    """The steps of a JSON pointer, unescaped: `/paths/~1a` -> ["paths", "/a"]."""
    return [unescape(step) for step in pointer.split("/")[1:]]


def _step(place: Place, step: str) -> Place | None:
    """One step of a pointer, as written in a reference; a key may have a percent of its own."""
    for token in (unescape(unquote(step)), unescape(step)):
        if isinstance(place.value, dict) and token in place.value:
            return Place(place.file, f"{place.pointer}/{escape(token)}", place.value[token])
    if isinstance(place.value, list) and step.isdecimal() and int(step) < len(place.value):
        return Place(place.file, f"{place.pointer}/{step}", place.value[int(step)])
    return None


class Documents:
    """One document and the files it refers to, each read once."""

    def __init__(self, main: Path, root: Path, encoding: str = "") -> None:
        self.root, self.encoding = root.resolve(), encoding
        self.main = main.resolve().relative_to(self.root).as_posix()
        self.skipped: list[Skipped] = []
        self._loaded: dict[str, Json] = {}
        self._hashes: dict[str, str] = {}
        self._found: dict[tuple[str, str], Place] = {}
        self._seeking: set[tuple[str, str]] = set()
        self.load(self.main)

    @classmethod
    def of(cls, file: str, value: Json, sha256: str) -> "Documents":
        """A document that was made from another form; it refers to no other file."""
        documents = cls.__new__(cls)
        documents.root, documents.encoding = Path(), ""
        documents.main, documents.skipped = file, []
        documents._loaded, documents._hashes = {file: value}, {file: sha256}
        documents._found, documents._seeking = {}, set()
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
            text = decode(path, file, self.encoding)
            if jsonlines.is_lines(file, text):
                self._loaded[file], skipped = jsonlines.load(text, file)
                self._hashes[file] = hashlib.sha256(path.read_bytes()).hexdigest()
                self.skipped += skipped
                return self._loaded[file]
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
        key = (reference, file)
        if key in self._found:
            return self._found[key]
        if key in self._seeking:
            raise Unresolved(f'"$ref": "{line(reference)}" leads in a circle')
        self._seeking.add(key)
        try:
            self._found[key] = self._find(reference, file)
        finally:
            self._seeking.discard(key)
        return self._found[key]

    def follow(self, value: Json, file: str) -> tuple[Json, str]:
        """`value`, or where it is a reference what that finally points at, and the file of it."""
        for _ in range(HOPS):
            if not is_reference(value):
                return value, file
            place = self.find(value["$ref"], file)
            value, file = place.value, place.file
        raise Unresolved(f'"$ref": "{line(value["$ref"])}" leads in a circle')

    def _find(self, reference: str, file: str) -> Place:
        target, _, fragment = reference.partition("#")
        if target:
            file = self._sibling(target, file, reference)
        if fragment and not fragment.startswith("/"):
            raise Unresolved(f'"$ref": "{line(reference)}" is no JSON pointer')
        place = Place(file, "", self.load(file))
        for step in fragment.split("/")[1:]:
            while is_reference(place.value) and _step(place, step) is None:
                place = self.find(place.value["$ref"], place.file)
            found = _step(place, step)
            if found is None:
                raise Unresolved(f'"$ref": "{line(reference)}" points to nowhere')
            place = found
        return place

    def _sibling(self, target: str, file: str, reference: str) -> str:
        if "://" in target or target.startswith("//"):
            raise Unresolved(f'"$ref": "{line(reference)}" is on the network; forge stays here')
        path = (self.root / PurePosixPath(file).parent / unquote(target)).resolve()
        if not path.is_relative_to(self.root):
            raise Unresolved(f'"$ref": "{line(reference)}" is outside the folder of the document')
        if not path.is_file():
            raise Unresolved(f'"$ref": "{line(reference)}" names a file that is not there')
        try:
            self.load(path.relative_to(self.root).as_posix())
        except UserError as error:
            raise Unresolved(f'"$ref": "{line(reference)}": {error}') from None
        return path.relative_to(self.root).as_posix()
