"""A document with many operations as several environments of a size that an agent can hold.

Always holds: each plan is a part's own in exactly one part; besides, a part takes in the reads of
what its records refer to (people, workspaces), since nothing else finds those; no part has more
than `MOST` tools unless one entity alone has.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge.authors.structural.model.model import Model
from forge.authors.structural.parts.clusters import MOST, OWN, Unit, clusters_of
from forge.authors.structural.parts.groups import tags_of
from forge.authors.structural.plans.plans import Plan
from forge.authors.structural.source.tables import idle_sets
from forge.authors.structural.words import said, split
from forge.docs.names import product, snake
from forge.docs.text import line
from forge.types.doc import ApiDoc
from forge.types.environment import LeftOut

LONG = 3
"""A name with so many words more than one says too much for an environment's."""
READS = 3
"""How many reads of a table a part takes in that has no other tool for it."""


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
    units = _units(plans)
    clusters = clusters_of(units, _ties(model, {unit.table for unit in units}))
    order = {plan.reading.operation.name: n for n, plan in enumerate(plans)}
    by_table: dict[str, list[Plan]] = {}
    for plan in plans:
        by_table.setdefault(plan.sheet.name, []).append(plan)
    totals = Counter(unit.tag for unit in units for _ in units[unit])
    taken: set[str] = set()
    made = []
    for cluster in clusters:
        own = [plan for unit in cluster for plan in units[unit]]
        labels = _labels(cluster, totals, model)
        name = _free(doc.name, labels, taken)
        taken.add(name)
        title = f"{product(doc.title)}: {_listed([label.text for label in labels][:3])}"
        bundle = [*own, *_reads(model, own, by_table)[: max(0, MOST - len(own))]]
        bundle.sort(key=lambda p: order[p.reading.operation.name])
        made.append(Part(name, title, tuple(bundle)))
    return made


def left_out_of(
    doc: ApiDoc, parts: Sequence[Part], left: Mapping[str, LeftOut]
) -> list[tuple[LeftOut, ...]]:
    """For each part what was left out of it (by the names of operations): those of the tags that it
    has most of. What no part has a tag of is told by the first."""
    tags = tags_of(doc.operations)
    homes: dict[str, tuple[int, int]] = {}
    for number, part in enumerate(parts):
        counts = Counter(tags[plan.reading.operation.name] for plan in part.plans)
        for tag, count in counts.items():
            homes[tag] = max(homes.get(tag, (0, 0)), (count, -number))
    found: list[list[LeftOut]] = [[] for _ in parts]
    for name, one in left.items():
        found[-homes.get(tags[name], (0, 0))[1]].append(one)
    return [tuple(each) for each in found]


# ------------------------------------------------------------- what stays together


def _units(plans: Sequence[Plan]) -> dict[Unit, list[Plan]]:
    """The plans of each table, with the tag that most of them have; those of a table with more than
    a part may hold, by their tags and paths."""
    tags = tags_of([plan.reading.operation for plan in plans])
    by_table: dict[str, list[tuple[str, str, Plan]]] = {}
    for plan in plans:
        operation = plan.reading.operation
        one = (tags[operation.name], f"{operation.path} {operation.name}", plan)
        by_table.setdefault(plan.sheet.name, []).append(one)
    found: dict[Unit, list[Plan]] = {}
    for table, all_of_it in by_table.items():
        for together in _pieces(sorted(all_of_it, key=lambda one: one[:2])):
            counts = Counter(tag for tag, _, _ in together)
            tag = min(counts, key=lambda tag: (-counts[tag], tag))
            place = min(place for _, place, _ in together)
            found[Unit(place, table, tag, len(together))] = [plan for _, _, plan in together]
    return found


def _pieces(plans: list[tuple[str, str, Plan]]) -> Iterator[list[tuple[str, str, Plan]]]:
    """One piece if it fits into a part, else one a tag, each cut where it is too long."""
    if len(plans) <= OWN:
        yield plans
        return
    by_tag: dict[str, list[tuple[str, str, Plan]]] = {}
    for one in plans:
        by_tag.setdefault(one[0], []).append(one)
    for piece in by_tag.values():
        count = -(-len(piece) // OWN)
        for number in range(count):
            start, end = (len(piece) * n // count for n in (number, number + 1))
            yield piece[start:end]


def _ties(model: Model, tables: set[str]) -> dict[tuple[str, str], float]:
    """How close two tables are: a record's own parts closest, and what few refer to closer than
    what everything refers to."""
    pointing: dict[str, list[str]] = {}
    found: dict[tuple[str, str], float] = {}
    for sheet in model.sheets.values():
        for target in sorted(_referred(model, sheet.name)):
            pointing.setdefault(target, []).append(sheet.name)
    for target, sources in pointing.items():
        for source in sources:
            if target in tables and source in tables and source != target:
                pair = (min(source, target), max(source, target))
                parent = model.of_table(source).table.parent
                own = 1.0 if parent is not None and parent.table == target else 0.0
                found[pair] = found.get(pair, 0.0) + own + 1 / len(sources)
    return found


def _referred(model: Model, table: str, idle: Collection[str] = ()) -> set[str]:
    """The tables that one refers to, but for columns that are `idle`."""
    found = set()
    for column in model.of_table(table).table.columns:
        if column.name in idle:
            continue
        target = column.references or (column.items.references if column.items else None)
        if target is not None:
            found.add(target)
    return found


# ------------------------------------------------------------------ what is read too


def _reads(model: Model, own: list[Plan], by_table: dict[str, list[Plan]]) -> list[Plan]:
    """The lists and gets of other tables that records of these refer to, what is referred to most
    first; lists before gets, since they need less to be known."""
    tables = {plan.sheet.name for plan in own}
    known = {plan.reading.operation.name for plan in own}
    counts: Counter[str] = Counter()
    idle = idle_sets(model, tuple(own))
    for name in tables:
        counts.update(_referred(model, name, idle.get(name, ())))
    wanted = sorted(counts, key=lambda t: (-counts[t], t))
    chosen = {table: _best_reads(by_table.get(table, ())) for table in wanted}
    return [
        plan
        for verb in ("list", "get")
        for table in wanted
        for plan in chosen[table]
        if plan.verb == verb and plan.reading.operation.name not in known
    ]


def _best_reads(plans: Sequence[Plan]) -> list[Plan]:
    """Those that need the fewest arguments."""
    reads = [p for p in plans if p.verb in ("list", "get") and p.through is None]
    reads = [p for p in reads if not any(guard.values for guard in p.guards)]

    def needs(plan: Plan) -> tuple[int, str]:
        return sum(use.required for use in plan.uses), plan.reading.operation.name

    gets = sorted((p for p in reads if p.verb == "get"), key=needs)
    lists = sorted((p for p in reads if p.verb == "list"), key=needs)
    return [*lists[: READS - 1], *gets[:1]]


# ------------------------------------------------------------------------- names


@dataclass(frozen=True, order=True)
class _Label:
    """What a part is about, as a name and as text."""

    name: str
    text: str


def _labels(cluster: Sequence[Unit], totals: Counter[str], model: Model) -> dict[_Label, int]:
    """The tags that are in a part whole, else its main tables; with how many plans. Most first, but
    names as long as phrases last."""
    here: Counter[str] = Counter()
    for unit in cluster:
        here[unit.tag] += unit.size
    tables = {unit.table for unit in cluster}
    counts: Counter[_Label] = Counter()
    for unit in cluster:
        name = snake(unit.tag)
        if name and here[unit.tag] == totals[unit.tag]:
            label = _Label(name, line(unit.tag.replace("_", " ").replace("-", " "), 40))
        else:
            words = split(_head(unit.table, tables, model))
            label = _Label("_".join(words), said(words))
        counts[label] += unit.size

    def rank(label: _Label) -> tuple[bool, int, _Label]:
        return label.name.count("_") >= LONG, -counts[label], label

    return {label: counts[label] for label in sorted(counts, key=rank)}


def _head(table: str, tables: set[str], model: Model) -> str:
    """The one of these tables that this is, or whose part's part it is."""
    seen: set[str] = set()
    head = table
    while table not in seen:
        seen.add(table)
        parent = model.of_table(table).table.parent
        if parent is None:
            break
        table = parent.table
        head = table if table in tables else head
    return head


def _free(document: str, labels: dict[_Label, int], taken: set[str]) -> str:
    """`github_issues`; with the second, too, where the first is not half of it."""
    names = ["_".join(label.name.split("_")[: LONG + 1]) for label in labels]
    first, *_ = labels.values()
    alone = 2 * first >= sum(labels.values()) or len(names) == 1
    for count in range(1 if alone else 2, len(names) + 1):
        name = f"{document}_{'_and_'.join(names[:count])}"
        if name not in taken:
            return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
