"""Whether what a policy learned carries over: a checkpoint before and after training, on tasks that
it has not seen, in the format and under the names that it was trained with, and in others.

    python evals/transfer/run.py RECIPE.yaml --out FOLDER

A recipe names flags of `forge rollout` and `forge bench` for the two checkpoints (`{policy:
local:PATH}`, or `{model: NAME, base-url: URL}`), the format of the training and another one, the
seed of other names, flags for all that is played, and the places: a data set's folder, or a
benchmark, with flags of their own. `small.yaml` beside this is one. A data set in Chinese (`forge
synth --lang zh`) is a place like others.

Each place is played in four cells by both checkpoints. Episodes are kept in FOLDER, and the same
command plays only what is missing; FOLDER/transfer.md holds the table. A gain is of the same tasks,
with a paired interval of 95%.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

from forge.dataset.files import parse_model, read_text
from forge.dataset.rates import Difference, Rate, difference_of, rate_of
from forge.dataset.trajectories import trajectories_in
from forge.errors import UserError

Flags = Mapping[str, str | int | float]
Tally = Mapping[str, tuple[int, int]]
"""Task -> how many of its scored episodes passed, and how many there are."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(Strict):
    """`data`: a data set's folder; `bench`: or a benchmark, as `forge bench` names it."""

    data: str | None = None
    bench: str | None = None
    flags: Flags = Field(default_factory=dict)


class Recipe(Strict):
    before: Flags
    after: Flags
    formats: tuple[str, str]
    rename_tools: int = Field(alias="rename-tools")
    flags: Flags = Field(default_factory=dict)
    places: Mapping[str, Place]


def words(flags: Flags) -> Iterator[str]:
    for name, value in flags.items():
        yield f"--{name}" if len(name) > 1 else f"-{name}"
        yield str(value)


def play(place: Place, flags: Flags, out: Path) -> Tally:
    """Plays what the file does not hold yet."""
    what = ["rollout", str(place.data)] if place.bench is None else ["bench", place.bench]
    command = [sys.executable, "-m", "forge", *what, *words({**flags, **place.flags})]
    print("+", *command[1:], flush=True)
    subprocess.run([*command, "--out", str(out)], check=True)
    found: dict[str, tuple[int, int]] = {}
    for each in trajectories_in(out):
        if each.reward is not None:
            passed, scored = found.get(each.task, (0, 0))
            found[each.task] = passed + each.reward, scored + 1
    return found


def cells(recipe: Recipe, place: Place, folder: Path) -> Iterator[Sequence[str]]:
    """A row of the table for each: format, names, before, after, gained, tasks."""
    same, _ = recipe.formats
    for format, renamed in product(recipe.formats, (False, True)):
        names: Flags = {"rename-tools": recipe.rename_tools} if renamed else {}
        tallies = [
            play(
                place,
                {**flags, "format": format, **names, **recipe.flags},
                folder / f"{which}-{format}{'-renamed' if renamed else ''}.jsonl",
            )
            for which, flags in (("before", recipe.before), ("after", recipe.after))
        ]
        before, after = tallies
        both = sorted(before.keys() & after.keys())
        yield (
            f"{format}, {'the same' if format == same else 'another'}",
            "others" if renamed else "the same",
            rate(rate_of(list(before.values()))),
            rate(rate_of(list(after.values()))),
            gain(difference_of([(before[task], after[task]) for task in both])),
            str(len(both)),
        )


def rate(each: Rate) -> str:
    return f"{each.value:.1%} ({each.low:.1%} to {each.high:.1%})"


def gain(each: Difference) -> str:
    return f"{each.value:+.1%} ({each.low:+.1%} to {each.high:+.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    try:
        recipe = parse_model(Recipe, yaml.safe_load(read_text(given.recipe)), str(given.recipe))
    except UserError as error:
        parser.exit(2, f"{error}\n")
    lines = ["| place | format | names | before | after | gained | tasks |"]
    lines += ["|---|---|---|---|---|---|--:|"]
    for number, (name, place) in enumerate(recipe.places.items(), start=1):
        folder = given.out / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        for row in cells(recipe, place, folder):
            lines.append(f"| {' | '.join((name, *row))} |")
            (given.out / "transfer.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
