"""Values that a record is put with and no answer shows: the encrypted value of a secret.

Always holds: only what the document's first words say a record is put with is taken so.
"""

import re
from dataclasses import replace

from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.needs import sentences
from forge.authors.structural.plans.parts import field_use
from forge.authors.structural.plans.plans import Use
from forge.authors.structural.reading.reading import Argument, Reading
from forge.authors.structural.words import a

MAKES = re.compile(
    r"\b(create|add)s? (a new |an? )?(or|and) (update|replace|edit|set|overwrite)s?\b"
    r"|\bcreates? [^.]{1,60}\bor (updates?|replaces?|overwrites?)\b"
    r"|\b(updates?|replaces?) [^.]{1,60}\bor creates?\b|\bif it does not exist\b"
    r"|\bcreated if it\b",
    re.IGNORECASE,
)
"""Of a PUT: it makes what is not there."""


def unseen_use(model: Model, reading: Reading, sheet: Sheet, argument: Argument) -> Use | None:
    """An argument that need not be given, as such a value: "creates or updates a secret with an
    encrypted value"."""
    told = " ".join(sentences(reading)[:2]).lower()
    named = len(argument.words) > 1 and f"with {a(argument.words)}" in told
    if argument.required or not named or not MAKES.search(told):
        return None
    made = field_use(model, sheet, replace(argument, required=True), create=False)
    return replace(made, argument=argument, required=False) if made is not None else None
