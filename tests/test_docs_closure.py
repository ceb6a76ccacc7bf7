"""What a definition needs, against the plain way of finding it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from forge.docs.closure import Closures

graphs = st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=10, max_size=10)


def reached(graph: dict[str, list[str]], names: list[str]) -> frozenset[str]:
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += graph[name]
    return frozenset(found)


@settings(max_examples=200, deadline=None)
@given(graphs, st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=1, max_size=6))
def test_closures_are_what_can_be_reached(edges, asked):
    graph = {str(name): [str(one) for one in targets] for name, targets in enumerate(edges)}
    closures = Closures(graph.__getitem__)
    for names in asked:
        wanted = [str(name) for name in names]
        assert closures.of(wanted) == reached(graph, wanted)


def test_a_ring_of_many_thousands_needs_no_recursion():
    ring = {str(i): [str((i + 1) % 20_000)] for i in range(20_000)}
    closures = Closures(ring.__getitem__)
    assert len(closures.of(["7"])) == 20_000
    assert closures.of(["8"]) is closures.of(["9"])
