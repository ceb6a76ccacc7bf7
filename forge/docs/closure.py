"""Which definitions a definition needs, by any number of steps.

Definitions that need each other in a ring need the same, so a ring is gone through once (Tarjan's
strongly connected components) and the time is that of the references, not of their square.
"""

from collections.abc import Callable, Iterable, Iterator


class Closures:
    """`direct(name)`: what a definition refers to itself. Answers are remembered."""

    def __init__(self, direct: Callable[[str], Iterable[str]]) -> None:
        self._direct = direct
        self._closures: dict[str, frozenset[str]] = {}

    def of(self, names: Iterable[str]) -> frozenset[str]:
        """These and all that they need."""
        found: frozenset[str] = frozenset()
        for name in names:
            if name not in found:
                if name not in self._closures:
                    self._visit(name)
                closure = self._closures[name]
                found = closure if found <= closure else found | closure
        return found

    def _visit(self, start: str) -> None:
        """Finds the closures of `start` and of all it reaches. No recursion: rings are long."""
        order: dict[str, int] = {}
        low: dict[str, int] = {}
        waiting: list[str] = []
        path: list[tuple[str, Iterator[str]]] = []

        def enter(name: str) -> None:
            order[name] = low[name] = len(order)
            waiting.append(name)
            path.append((name, iter(self._direct(name))))

        enter(start)
        while path:
            name, rest = path[-1]
            following = next((one for one in rest if one not in self._closures), None)
            if following is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == order[name]:
                    self._close(waiting, name)
            elif following in order:
                low[name] = min(low[name], order[following])
            else:
                enter(following)

    def _close(self, waiting: list[str], first: str) -> None:
        """Takes the ring that begins with `first` off the stack and says what it needs."""
        ring = [waiting.pop()]
        while ring[-1] != first:
            ring.append(waiting.pop())
        members = set(ring)
        needed = set(ring)
        for name in ring:
            for target in self._direct(name):
                if target not in members and target not in needed:
                    needed |= self._closures[target]
        closure = frozenset(needed)
        for name in ring:
            self._closures[name] = closure
