"""The way of a task as a picture: calls and reasoning, with the origin of every argument."""

from collections.abc import Iterable, Mapping

from forge.browse.drawing import Box, Drawing, Entry, draw
from forge.dataset.states import path_text
from forge.types.dag import (
    CallNode,
    ComputeNode,
    Default,
    Listed,
    Node,
    Noted,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    Told,
)
from forge.types.task import Fact, Task


def trace(task: Task) -> Drawing:
    facts = {fact.name: fact for fact in task.facts}
    boxes = [_box(node, facts) for node in task.dag.nodes]
    known = {box.name for box in boxes}
    arrows: dict[tuple[str, str], str] = {}
    for node in task.dag.nodes:
        for argument, source in _sources(node):
            if source in known and (source, node.id) not in arrows:
                arrows[source, node.id] = argument
    for one, other in task.dag.orders:
        if {one, other} <= known:
            arrows.setdefault((one, other), "comes first")
    return draw("The way through the tools, with the origin of every argument", boxes, arrows)


def _box(node: Node, facts: Mapping[str, Fact]) -> Box:
    match node:
        case CallNode():
            entries = [
                Entry(f"{name} ← {origin_text(origin, facts)}", origin.kind)
                for name, origin in node.arguments.items()
            ]
            if node.each:
                entries.append(Entry(f"for each of {node.each}", "soft"))
            if node.when:
                entries.append(Entry(f"if {node.when}", "soft"))
            if node.refused:
                entries.append(Entry("is refused", "told"))
            kind = "writes" if node.writes or node.refused else "reads"
            return Box(node.id, f"{node.id}: {node.tool}", tuple(entries), kind)
        case ReasonNode():
            return Box(node.id, f"{node.id}: {_form(node)}", tuple(_reasons(node, facts)), "thinks")
        case ComputeNode():
            op = f" {node.op}" if node.form == "holds" else ""
            told = [Entry(origin_text(value, facts), value.kind) for value in node.values]
            if node.each:
                told.append(Entry(f"for each of {node.each}", "soft"))
            return Box(node.id, f"{node.id}: {node.form}{op}", tuple(told), "thinks")


def _form(node: ReasonNode) -> str:
    place = f" number {node.nth}" if node.nth > 1 else f" {node.take}" if node.take > 1 else ""
    return f"{node.form}{place}"


def _reasons(node: ReasonNode, facts: Mapping[str, Fact]) -> Iterable[Entry]:
    yield Entry(f"over {origin_text(node.over, facts)}", "output")
    for test in node.tests:
        words = f"{'not ' if test.negated else ''}{path_text(test.path)} {test.op}"
        yield Entry(f"where {words} {origin_text(test.value, facts)}", test.value.kind)
    if node.by:
        times = f" times {path_text(node.times)}" if node.times else ""
        yield Entry(f"by {path_text(node.by)}{times}")
    if node.to is not None:
        yield Entry(f"to {origin_text(node.to, facts)}", node.to.kind)


def origin_text(origin: Origin, facts: Mapping[str, Fact]) -> str:
    """With what the user says, where they say it."""
    match origin:
        case Said() | Told():
            fact = facts.get(origin.fact)
            return f"{origin.kind} {fact.text if fact else origin.fact}"
        case Noted():
            return f"noted {origin.words}"
        case Output() | Reasoned():
            return f"{origin.node}{path_text(origin.path)}"
        case Listed():
            return f"[{', '.join(origin_text(item, facts) for item in origin.items)}]"
        case Default():
            return f"always {origin.value!r}"


def _sources(node: Node) -> Iterable[tuple[str, str]]:
    """What is taken from which node."""
    match node:
        case CallNode():
            for name, origin in node.arguments.items():
                yield from ((name, source) for source in _nodes(origin))
            yield from (("for each", node.each),) if node.each else ()
            yield from (("if", node.when),) if node.when else ()
        case ReasonNode():
            yield "over", node.over.node
            for test in node.tests:
                yield from (("where", source) for source in _nodes(test.value))
            if node.to is not None:
                yield from (("to", source) for source in _nodes(node.to))
        case ComputeNode():
            for value in node.values:
                yield from (("of", source) for source in _nodes(value))
            yield from (("for each", node.each),) if node.each else ()


def _nodes(origin: Origin) -> Iterable[str]:
    match origin:
        case Output() | Reasoned() | Noted():
            yield origin.node
        case Listed():
            for item in origin.items:
                yield from _nodes(item)
        case _:
            return
