"""The data set's card: a `README.md` that the Hugging Face hub understands.

Always holds: text from documents is quoted as code, in one line, so that none of it becomes markup.
"""

from importlib.resources import files
from pathlib import Path

import yaml
from jinja2 import Environment, StrictUndefined

from forge.dataset.files import write_text
from forge.dataset.manifest import Manifest

LONGEST = 300

SIZES = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]


def write_card(path: Path, manifest: Manifest, *, example: str = "") -> None:
    """`example` is the question of one task."""
    write_text(path, _front_matter(manifest) + _body(manifest, example))


def _front_matter(manifest: Manifest) -> str:
    tasks = manifest.counts.tasks
    fields = {
        "pretty_name": "Tool-use environments and tasks made by forge",
        "language": sorted(manifest.counts.languages),
        "task_categories": ["text-generation"],
        "tags": ["tool-use", "agent", "reinforcement-learning", "synthetic"],
        "size_categories": [next((size for top, size in SIZES if tasks < top), "n>1M")],
        "configs": [{"config_name": "default", "data_files": "tasks.parquet"}],
    }
    return f"---\n{yaml.safe_dump(fields, sort_keys=False)}---\n"


def _body(manifest: Manifest, example: str) -> str:
    text = files("forge.dataset").joinpath("card.md.j2").read_text(encoding="utf-8")
    environment = Environment(
        finalize=quote, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return (
        environment.from_string(text).render(
            forge=manifest.forge,
            seed=manifest.seed,
            counts=manifest.counts,
            example=example,
            environments=sorted(manifest.environments.items()),
            kinds=sorted(manifest.counts.kinds.items()),
            sequences="sequence" in manifest.counts.kinds,
            bands=list(manifest.counts.bands.items()),
            held_out=", ".join(
                name for name, entry in sorted(manifest.environments.items()) if entry.held_out
            ),
            sources=sorted(manifest.sources.items()),
            overlaps=[
                (name, ", ".join(entry.overlaps))
                for name, entry in sorted(manifest.environments.items())
                if entry.overlaps
            ],
        )
        + "\n"
    )


def quote(value: str | int) -> str | int:
    """Text as Markdown code in one line; numbers as they are. Code is the only inline form in
    which nothing is markup; a bar would end the cell of a table even there."""
    if not isinstance(value, str):
        return value
    line = "".join(char if char.isprintable() else " " for char in value)
    short = " ".join(line.split())
    short = short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"
    safe = short.replace("`", "'").replace("|", "¦")
    return f"`{safe}`" if safe else ""
