"""A document with many operations as several environments of a size that an agent can hold.

Always holds: each plan is in exactly one part; no part has more than `MOST` tools unless one
entity alone has.
"""

from dataclasses import dataclass

from forge.authors.structural.model import Model
from forge.authors.structural.plans import Plan
from forge.authors.structural.words import snake, split
from forge.types.doc import ApiDoc

MOST = 60


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
        fitting = [b for b in bundles if len(b[1]) + len(groups[table]) <= MOST]
        best = max(fitting, key=lambda b: len(near & set(b[0])), default=None)
        if best is None:
            bundles.append(([table], list(groups[table])))
        else:
            best[0].append(table)
            best[1].extend(groups[table])
    order = {plan.reading.operation.name: n for n, plan in enumerate(plans)}
    made = []
    for tables, bundle in bundles:
        first = max(tables, key=lambda t: (len(groups[t]), t))
        bundle.sort(key=lambda p: order[p.reading.operation.name])
        title = f"{doc.title}: {' '.join(split(first))}"
        made.append(Part(f"{doc.name}_{snake(split(first))}", title, tuple(bundle)))
    return made


def _near(model: Model, table: str) -> set[str]:
    """The tables that one refers to, and those that refer to it."""
    found: set[str] = set()
    for sheet in model.sheets.values():
        for column in sheet.table.columns:
            target = column.references or (column.items.references if column.items else None)
            if target == table:
                found.add(sheet.name)
            elif target is not None and sheet.name == table:
                found.add(target)
    return found
