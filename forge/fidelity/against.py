"""`BENCHMARK:DOMAIN`: the references that are known, from a checkout."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from forge.bench.checkout import pick
from forge.errors import UserError
from forge.fidelity.acebench import ace_scenarios
from forge.fidelity.bfcl import bfcl_class
from forge.fidelity.reference import Reference
from forge.fidelity.taubench import tau_domain

REFERENCES: Mapping[str, Callable[[Path, str], AbstractContextManager[Reference]]] = {
    "tau-bench": tau_domain,
    "bfcl": bfcl_class,
    "acebench": ace_scenarios,
}
PARTS = {"tau-bench": "retail", "bfcl": "TicketAPI", "acebench": "en"}
"""One part of each, to be named as an example."""


def reference_at(against: str, root: Path) -> AbstractContextManager[Reference]:
    """UserError, at once or on entering, if there is none such."""
    name, _, domain = against.partition(":")
    pick("reference", name, list(REFERENCES), "--against")
    if not domain:
        mend = f"--against {name}:{PARTS[name]}, say"
        raise UserError(f"which part of {name} is not said", where="--against", mend=mend)
    return REFERENCES[name](root, domain)
