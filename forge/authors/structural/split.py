"""A document with many operations as several environments of a size that an agent can hold.

Always holds: each plan is a part's own in exactly one part; besides, a part takes in the reads of
what its records refer to (people, workspaces), since nothing else finds those; no part has more
than `MOST` tools unless one entity alone has.
"""

from dataclasses import dataclass

from forge.authors.structural.model import Model
from forge.authors.structural.plans import Plan
from forge.authors.structural.words import snake, split
from forge.types.doc import ApiDoc

MOST = 60
OWN = 48
"""The rest is room for the reads of what the records refer to."""


@dataclass(frozen=True)
class Part:
    name: str
    title: str
    plans: tuple[Plan, ...]


def parts_of(doc: ApiDoc, model: Model, plans: list[Plan]) -> list[Part]:
    if not plans:
        return []
    if len(plans) <= MOST:
        return [Part(doc.name, doc.title, tuple(plans))]
    groups: dict[str, list[Plan]] = {}
    for plan in plans:
        groups.setdefault(plan.sheet.name, []).append(plan)
    bundles: list[tuple[list[str], list[Plan]]] = []
    for table in sorted(groups, key=lambda t: (-len(groups[t]), t)):
        near = _near(model, table)
        fitting = [b for b in bundles if len(b[1]) + len(groups[table]) <= OWN]
        best = max(fitting, key=lambda b: len(near & set(b[0])), default=None)
        if best is None:
            bundles.append(([table], list(groups[table])))
        else:
            best[0].append(table)
            best[1].extend(groups[table])
    order = {plan.reading.operation.name: n for n, plan in enumerate(plans)}
    made = []
    for tables, own in bundles:
        first = max(tables, key=lambda t: (len(groups[t]), t))
        bundle = [*own, *_reads(model, tables, groups)[: max(0, MOST - len(own))]]
        bundle.sort(key=lambda p: order[p.reading.operation.name])
        title = f"{doc.title}: {' '.join(split(first))}"
        made.append(Part(f"{doc.name}_{snake(split(first))}", title, tuple(bundle)))
    return made


def _reads(model: Model, tables: list[str], groups: dict[str, list[Plan]]) -> list[Plan]:
    """The lists and gets of other tables that records of these refer to, what is referred to most
    first; lists before gets, since they need less to be known."""
    counts: dict[str, int] = {}
    for name in tables:
        for target in _referred(model, name):
            if target not in tables and target in groups:
                counts[target] = counts.get(target, 0) + 1
    wanted = sorted(counts, key=lambda t: (-counts[t], t))
    return [
        plan
        for verb in ("list", "get")
        for table in wanted
        for plan in groups[table]
        if plan.verb == verb and plan.through is None
    ]


def _referred(model: Model, table: str) -> set[str]:
    """The tables that one refers to."""
    found = set()
    for column in model.of_table(table).table.columns:
        target = column.references or (column.items.references if column.items else None)
        if target is not None:
            found.add(target)
    return found


def _near(model: Model, table: str) -> set[str]:
    """The tables that one refers to, and those that refer to it."""
    return _referred(model, table) | {
        s.name for s in model.sheets.values() if table in _referred(model, s.name)
    }
