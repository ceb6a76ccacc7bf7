"""`BENCHMARK:DOMAIN`: the references that are known, from a checkout."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from forge.bench.checkout import pick
from forge.errors import UserError
from forge.fidelity.bfcl import bfcl_class
from forge.fidelity.reference import Reference
from forge.fidelity.taubench import tau_domain

REFERENCES: Mapping[str, Callable[[Path, str], AbstractContextManager[Reference]]] = {
    "tau-bench": tau_domain,
    "bfcl": bfcl_class,
}


def reference_at(against: str, root: Path) -> AbstractContextManager[Reference]:
    """UserError, at once or on entering, if there is none such."""
    name, _, domain = against.partition(":")
    pick("reference", name, list(REFERENCES), "--against")
    if not domain:
        mend = f"--against {name}:{'retail' if name == 'tau-bench' else 'TicketAPI'}, say"
        raise UserError(f"which part of {name} is not said", where="--against", mend=mend)
    return REFERENCES[name](root, domain)
