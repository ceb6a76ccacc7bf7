"""Which record of one end state is which record of the other.

Records made in a session carry keys that mean nothing, so two end states are equal if the made
records can be paired one to one such that, every key written as its partner's, all records have
equal forms. This is graph isomorphism with references as edges: colour refinement tells nearly
all records apart, backtracking the rest, and a step limit bounds it. Always holds: a pairing is
returned only if it is exact, None only if there is none, whatever order records were made in.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from forge.env.form import Form, form_of
from forge.errors import ComparisonLimit
from forge.types.state import Key, Record, Table

Node = tuple[str, str]
"""A record: its table and its key's text."""

Pairing = dict[Node, Node]
"""Made record of the expected state -> made record of the actual one."""

Links = Mapping[Node, list[Node]]
"""Made record -> the records that refer to it, once for every reference."""

Colours = dict[Node, Hashable]


@dataclass(frozen=True, slots=True)
class Side:
    """One end state: `records` are those made in the session, and those that were there before
    and changed in either end state; `made` finds the made ones by table and key."""

    tables: Mapping[str, Table]
    records: Mapping[Node, Record]
    made: Mapping[tuple[str, Key], Node]

    def form(self, node: Node, name: Callable[[Node], Hashable]) -> Form:
        """The record's form, references to a made record written as `name` of it."""

        def rename(table: str, key: Key) -> Hashable:
            target = self.made.get((table, key))
            return None if target is None else name(target)

        return form_of(self.tables[node[0]], self.records[node], rename)


@dataclass(frozen=True, slots=True)
class Graph:
    """A side, and which of its records refer to made ones. `forms`: of those that do not;
    `shapes`: the same as numbers common to both sides."""

    side: Side
    forms: dict[Node, Form]
    shapes: dict[Node, int]
    links: Links

    def form(self, node: Node, name: Callable[[Node], Hashable]) -> Form:
        return self.forms.get(node) or self.side.form(node, name)

    def signature(self, node: Node, colours: Colours) -> Hashable:
        shape: Hashable = self.shapes.get(node)
        if shape is None:
            shape = tuple(self.side.form(node, colours.__getitem__).items())
        links = Counter([colours[source] for source in self.links.get(node, ())])
        return (colours[node], shape, frozenset(links.items()))


def graphs_of(expected: Side, actual: Side) -> tuple[Graph, Graph]:
    numbers: dict[Hashable, int] = {}
    return _graph(expected, numbers), _graph(actual, numbers)


def match(expected: Graph, actual: Graph, step_limit: int) -> Pairing | None:
    """A pairing under which both sides are equal, or None if there is none.

    Raises ComparisonLimit when more than `step_limit` records had to be looked at.
    """
    start = (_start(expected.side), _start(actual.side))
    found = _search((expected, actual), start, _Steps(step_limit))
    return None if found is None else {node: found[node] for node in expected.side.made.values()}


def _start(side: Side) -> Colours:
    made = set(side.made.values())
    return {node: node[0] if node in made else node for node in side.records}


class _Steps:
    """How many records may still be looked at."""

    def __init__(self, limit: int) -> None:
        self.limit, self.left = limit, limit

    def take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise ComparisonLimit(
                f"the end states were not told apart after looking at {self.limit} records"
            )


def _graph(side: Side, numbers: dict[Hashable, int]) -> Graph:
    forms: dict[Node, Form] = {}
    shapes: dict[Node, int] = {}
    links: defaultdict[Node, list[Node]] = defaultdict(list)
    for node in side.records:
        targets: list[Node] = []

        def seen(target: Node, targets: list[Node] = targets) -> bool:
            targets.append(target)
            return True

        form = side.form(node, seen)
        if targets:
            for target in targets:
                links[target].append(node)
        else:
            forms[node] = form
            shapes[node] = numbers.setdefault(tuple(form.items()), len(numbers))
    return Graph(side, forms, shapes, links)


def _search(
    graphs: tuple[Graph, Graph], colours: tuple[Colours, Colours], steps: _Steps
) -> Pairing | None:
    refined = _refine(graphs, colours, steps)
    if refined is None:
        return None
    classes = [_classes(each) for each in refined]
    # Only records that are referred to need a choice: once those are settled, the others in a
    # class have equal forms and are interchangeable.
    undecided = [
        (len(nodes), min(nodes), colour)
        for colour, nodes in classes[0].items()
        if len(nodes) > 1 and any(node in graphs[0].links for node in nodes)
    ]
    if not undecided:
        return {
            node: partner
            for colour, nodes in classes[0].items()
            for node, partner in zip(sorted(nodes), sorted(classes[1][colour]), strict=True)
        }
    _, chosen, colour = min(undecided, key=lambda each: each[:2])
    for candidate in sorted(classes[1][colour]):
        found = _search(
            graphs, ({**refined[0], chosen: "chosen"}, {**refined[1], candidate: "chosen"}), steps
        )
        if found is not None:
            return found
    return None


def _refine(
    graphs: tuple[Graph, Graph], colours: tuple[Colours, Colours], steps: _Steps
) -> tuple[Colours, Colours] | None:
    """Splits colours by the colours of what records refer to, and of what refers to them, until
    nothing splits. None as soon as the sides differ in how many records have a colour."""
    found = len(set(colours[0].values()))
    while True:
        steps.take(len(colours[0]) + len(colours[1]))
        palette: dict[Hashable, int] = {}
        new: list[Colours] = [
            {
                node: palette.setdefault(graph.signature(node, old), len(palette))
                for node in graph.side.records
            }
            for graph, old in zip(graphs, colours, strict=True)
        ]
        if Counter(new[0].values()) != Counter(new[1].values()):
            return None
        colours = (new[0], new[1])
        if len(palette) == found:
            return colours
        found = len(palette)


def _classes(colours: Colours) -> dict[Hashable, list[Node]]:
    classes: defaultdict[Hashable, list[Node]] = defaultdict(list)
    for node, colour in colours.items():
        classes[colour].append(node)
    return classes
