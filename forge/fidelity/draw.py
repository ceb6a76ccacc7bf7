"""Random valid calls of a tool: with arguments that its parameters allow, mostly of records that
are there.

Always holds: the same seed and number give the same call over the same records.
"""

from itertools import islice
from random import Random

from forge.synth.arguments import argument_sets, unknown_key
from forge.synth.bench import Bench
from forge.synth.homes import known_keys
from forge.types.data import Json

STRANGERS = 5
"""One call in so many names a record that is not there, where the tool takes a key."""
LOOKED_AT = 4
"""Sets of arguments that are tried for one call: not every record can be picked."""


def draw(bench: Bench, seed: str, number: int) -> dict[str, Json] | None:
    """The call of that number. None if there is no record to be called with."""
    dice = Random(f"{seed}/{bench.name}/{number}")
    sets = argument_sets(bench, dice, number + LOOKED_AT)
    found = next((made for made, _ in islice(sets, number, None)), None)
    if found is None or number % STRANGERS != STRANGERS - 1:
        return found
    strangers = {
        name: unknown_key(row.get(column.name) for row in bench.all_records(table.name))
        for name, (table, column) in known_keys(bench).items()
        if name in found
    }
    return found | strangers
