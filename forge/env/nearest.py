"""A pairing of made records for two end states that are not equal: it shows how they differ.

Nothing here decides whether states are equal. Always holds: both ways of writing a reference to a
made record are the actual side's node, so that forms under a pairing can be laid side by side.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable

from forge.env.form import Form
from forge.env.pairing import Graph, Node, Pairing

Forms = tuple[dict[Node, Form], dict[Node, Form]]
"""Of the expected and of the actual side."""

ROUNDS = 4
PRODUCT_LIMIT = 250_000
"""More pairs than this in one table are not weighed: all its made records stay alone."""


def nearest(expected: Graph, actual: Graph) -> Pairing:
    """A pairing of made records under which the sides differ little: in every table the pairs
    that agree in most columns first. What has no partner that agrees in half its columns stays
    alone. References agree if their targets were paired the round before."""
    graphs = (expected, actual)
    pairs = _paired(forms_of(*graphs, None), graphs, {})
    best = (_cost(graphs, pairs), pairs)
    for _ in range(ROUNDS):
        before, pairs = pairs, _paired(forms_of(*graphs, pairs), graphs, pairs)
        if pairs == before:
            break
        best = min(best, (_cost(graphs, pairs), pairs), key=lambda each: each[0])
    return best[1]


def forms_of(expected: Graph, actual: Graph, pairs: Pairing | None) -> Forms:
    """The forms of all records, references to made records written as the actual side's record;
    without `pairs` any two made records of a table have the same name."""

    def partner(node: Node) -> Hashable:
        return node[0] if pairs is None else pairs.get(node, ("alone", node))

    def own(node: Node) -> Hashable:
        return node[0] if pairs is None else node

    return (
        {node: expected.form(node, partner) for node in expected.side.records},
        {node: actual.form(node, own) for node in actual.side.records},
    )


def _cost(graphs: tuple[Graph, Graph], pairs: Pairing) -> int:
    """How many lines it takes to tell the difference between the made records."""
    forms = forms_of(*graphs, pairs)
    alone = sum(len(graph.side.made) for graph in graphs) - 2 * len(pairs)
    return alone + sum(
        len(differing(forms[0][node], forms[1][partner])) for node, partner in pairs.items()
    )


def differing(expected: Form, actual: Form) -> list[str]:
    """The columns in which two forms of one table differ."""
    missing = object()
    return [
        name
        for name in {**expected, **actual}
        if expected.get(name, missing) != actual.get(name, missing)
    ]


def _paired(forms: Forms, graphs: tuple[Graph, Graph], before: Pairing) -> Pairing:
    pairs: Pairing = {}
    taken: set[Node] = set()
    nodes, others = (_by_table(graph.side.made.values()) for graph in graphs)
    for table, group in nodes.items():
        rest = others.get(table, [])
        if len(group) * len(rest) > PRODUCT_LIMIT:
            continue
        choices = []
        for node in group:
            referrers = {before.get(source, source) for source in graphs[0].links.get(node, ())}
            for other in rest:
                apart = len(differing(forms[0][node], forms[1][other]))
                if 2 * apart <= len(forms[0][node]):
                    shared = len(referrers.intersection(graphs[1].links.get(other, ())))
                    choices.append((apart - shared, before.get(node) != other, node, other))
        for *_, node, other in sorted(choices):
            if node not in pairs and other not in taken:
                pairs[node] = other
                taken.add(other)
    return pairs


def _by_table(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node[0]].append(node)
    return groups
