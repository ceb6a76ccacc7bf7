"""JSON Lines: a value a line, read as the list of them. A line that is broken is left out with its
number, and takes no other along."""

from forge.docs import yaml
from forge.errors import UserError
from forge.types.data import Json
from forge.types.doc import Skipped

ENDINGS = (".jsonl", ".ndjson")


def is_lines(file: str, text: str) -> bool:
    """By the file's ending; or a `.json` whose first lines are an object each."""
    if file.lower().endswith(ENDINGS):
        return True
    lines = [line for line in text[:200_000].splitlines() if line.strip()][:2]
    return (
        file.lower().endswith(".json")
        and len(lines) == 2
        and all(line.startswith("{") for line in lines)
        and lines[0].rstrip().endswith("}")
    )


def load(text: str, where: str) -> tuple[Json, list[Skipped]]:
    """Raises UserError where no line can be read."""
    values: list[Json] = []
    skipped: list[Skipped] = []
    broken: UserError | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value, twice = yaml.load(line, where, is_json=True)
        except UserError as error:
            broken = broken or UserError(error.what, where=f"{where}:{number}", mend=error.mend)
            skipped.append(Skipped(f"{where}:{number}", f"a line that {error.what}"))
        else:
            values.append(value)
            skipped += [Skipped(f"{where}:{number}", one.reason) for one in twice]
    if broken is not None and not values:
        raise broken
    return values, skipped
