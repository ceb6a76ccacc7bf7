"""A benchmark's code, imported from the user's checkout for as long as a block runs.

Always holds: nothing of it stays behind, neither in the path nor among the modules; what it prints
goes to stderr; a package that it imports and that is not used is an empty one (`stubbed`). It is
foreign code and runs in this process, because the user pointed to it.
"""

import hashlib
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from forge.errors import UserError

MARKS = {
    "tau-bench": "tau_bench/envs/base.py",
    "tau2-bench": "src/tau2/domains",
    "acebench": "data_all/data_en",
    "bfcl": "bfcl_eval/eval_checker",
    "vitabench": "src/vita/evaluator",
}
"""What a checkout of each has."""


@dataclass(frozen=True, slots=True)
class Source:
    """`commit`: "" where there is no git; `changed`: whether files differ from it; `files`: SHA-256
    of what the scores hang on, by path."""

    commit: str
    changed: bool
    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Of all the files, in 12 digits."""
        text = "\n".join(f"{name} {sum}" for name, sum in sorted(self.files.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def check_root(root: Path, name: str) -> None:
    """UserError unless it is a checkout of that benchmark."""
    if not root.is_dir():
        raise UserError("is no folder", where=str(root), mend=f"--root: a checkout of {name}")
    if (root / MARKS[name]).exists():
        return
    other = [each for each, mark in MARKS.items() if (root / mark).exists()]
    found = f"it is one of {other[0]}" if other else f"there is no {MARKS[name]}"
    mend = f"forge bench {other[0]}" if other else f"--root: the top folder of a checkout of {name}"
    raise UserError(f"is no checkout of {name}: {found}", where=str(root), mend=mend)


def source_of(root: Path, files: Iterable[Path]) -> Source:
    """UserError if a file is missing."""
    sums = {}
    for file in sorted(files):
        sums[file.relative_to(root).as_posix()] = hashlib.sha256(content_of(file)).hexdigest()
    if not (root / ".git").exists():
        return Source("", False, sums)
    commit = _git(root, "rev-parse", "HEAD")
    changed = bool(_git(root, "status", "--porcelain", "--untracked-files=no"))
    return Source(commit, changed, sums)


def content_of(file: Path) -> bytes:
    """UserError if it cannot be read, or only points to where Git LFS has it."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where=str(file), mend="the checkout is not whole"
        ) from None
    if content.startswith(b"version https://git-lfs"):
        raise UserError("only points to the file", where=str(file), mend="git lfs pull")
    return content


def _git(root: Path, *what: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *what], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


@contextmanager
def importing(path: Path, packages: Collection[str]) -> Iterator[None]:
    """In the block, `packages` are those of the folder."""
    before, at = _taken(packages), list(sys.path)
    sys.path.insert(0, str(path))
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = at
        _taken(packages)
        sys.modules.update(before)


@contextmanager
def stubbed(*names: str) -> Iterator[None]:
    """In the block, these modules have whatever is imported from them, and it does nothing."""
    packages = {name.partition(".")[0] for name in names}
    before = _taken(packages)
    sys.modules.update({name: _Stub(name) for name in names})
    try:
        yield
    finally:
        _taken(packages)
        sys.modules.update(before)


class _Stub(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def _nothing(*given: object, **named: object) -> None:
    pass


def _taken(packages: Collection[str]) -> dict[str, ModuleType]:
    """Those of the loaded modules, which are then no longer loaded."""
    names = [name for name in sys.modules if name.partition(".")[0] in packages]
    return {name: sys.modules.pop(name) for name in names}


def module(name: str, root: Path, *needed: str) -> Any:
    """Of the checkout. UserError if it is not there, wants a package that is not installed, or has
    not what is needed."""
    try:
        found = import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if missing.partition(".")[0] == name.partition(".")[0]:
            raise _old(root, f"there is no module {missing}", name) from None
        raise UserError(
            f"{name} needs the package {missing}", where=str(root), mend=f"pip install {missing}"
        ) from None
    except FileNotFoundError as error:
        raise UserError(
            f"{name} wants a file that is missing",
            where=str(error.filename),
            mend="the checkout is not whole",
        ) from None
    for each in needed:
        if each not in vars(found):
            raise _old(root, f"{name} has no {each}", each)
    return found


def _old(root: Path, found: str, needed: str) -> UserError:
    return UserError(
        f"another version than forge knows: {found}",
        where=str(root),
        mend=f"a newer checkout, with {needed}",
    )


def pick(what: str, name: str, known: Sequence[str], where: str) -> str:
    """The name, if it is known. UserError with the nearest."""
    if name in known:
        return name
    near = get_close_matches(name, known, n=2, cutoff=0.5)
    mend = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise UserError(f"there is no {what} {name!r}", where=where, mend=mend)
