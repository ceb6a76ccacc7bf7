"""A data set written out again, without what is not wanted of it: to be given away or trained on.

Always holds: what is kept is kept byte for byte, a sequence whole or not at all; marks stay where
they were made; the new folder is there when all of it is.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from forge.dataset.choose import Chosen, NoneSuch, Wanted, choose
from forge.dataset.files import writing
from forge.dataset.folder import Dataset, environment_folder, lines
from forge.dataset.marks import Without, left_out
from forge.dataset.write import write_lines
from forge.errors import UserError

PARTS = ("environment.json", "tools.py", "graph.json", "checks.json", "made.json")
"""Files of an environment, beside its base states."""


def export(dataset: Dataset, out: Path, without: Without | None) -> Dataset:
    """Writes the data set into `out`, which must not be there yet, or be empty. UserError if it is
    not, or no task is left."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UserError("is there already", where=str(out), mend="choose another --out")
    try:
        chosen = choose(dataset, Wanted(without=left_out(dataset.folder, without)))
    except NoneSuch:
        raise UserError("no task is left", where=str(dataset.folder), mend="no --without") from None
    manifest = dataset.manifest
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as near:
            home = Path(near) / out.name
            for name in dataset.names():
                _copy(environment_folder(dataset.folder, name), environment_folder(home, name))
            written = write_lines(
                home,
                _kept(chosen),
                into=home,
                seed=manifest.seed,
                models=manifest.models,
                sources=manifest.sources,
                added=manifest.added,
            )
            home.rename(out)
    return Dataset(out, written)


def _kept(chosen: Chosen) -> Iterator[bytes]:
    kept = {id for group in chosen.groups for id in group}
    places = lines(chosen.dataset.folder / "tasks.jsonl")
    for id, (_, line) in zip(chosen.order, places, strict=False):
        if id in kept:
            yield line.encode()


def _copy(source: Path, target: Path) -> None:
    (target / "bases").mkdir(parents=True)
    bases = [f"bases/{file.name}" for file in sorted(source.glob("bases/*.json"))]
    for name in (*PARTS, *bases):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
