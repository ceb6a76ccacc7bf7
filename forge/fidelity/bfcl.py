"""A class of BFCL's multi-turn tasks as a reference, by the package's own code.

Always holds: a scenario is a task of the split `base` that the class takes part in, with those of
its calls that are the class's; they are made on an instance of its own, loaded as the package's
runner loads it. A class that no such task takes part in has one scenario without calls.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from forge.bench.benchmark import Item
from forge.bench.bfcl import DOMAIN, Bfcl, bfcl
from forge.bench.checkout import Source, pick
from forge.bench.pycalls import Unreadable, call_in
from forge.fidelity.reference import Answer, Scenario, as_json
from forge.types.call import Call
from forge.types.data import Json

SPLIT = "base"
NEW = "as it is made"
REFUSAL = "error"
"""The one property of what its classes return where they refuse."""


@contextmanager
def bfcl_class(root: Path, name: str) -> Iterator["BfclClass"]:
    """UserError if the checkout cannot be used, or has no such class."""
    with bfcl(root) as bench:
        yield BfclClass(bench, pick("class", name, bench.classes, "bfcl"))


class BfclClass:
    def __init__(self, bench: Bfcl, own: str) -> None:
        self.name = f"bfcl:{own}"
        self._bench, self._class = bench, own
        self.tools: Mapping[str, Sequence[str]] = {
            name: list(tool.parameters["properties"])
            for name, tool in bench.documented(own).items()
        }
        self._starts: dict[str, Json] = {}
        self.scenarios: Sequence[Scenario] = list(self._read())

    def source(self) -> Source:
        return self._bench.source([DOMAIN])

    def open(self, scenario: Scenario) -> "Instance":
        return Instance(self._bench.instance(self._class, deepcopy(self._starts[scenario.name])))

    def _read(self) -> Iterator[Scenario]:
        for item in self._bench.items(DOMAIN, SPLIT):
            task, turns = self._bench.case(item)
            if self._class in task["involved_classes"]:
                self._starts[item.id] = task["initial_config"].get(self._class, {})
                yield Scenario(item.id, tuple(self._calls(item, turns)))
        if not self._starts:
            self._starts[NEW] = None
            yield Scenario(NEW, ())

    def _calls(self, item: Item, turns: Sequence[Sequence[str]]) -> Iterator[Call]:
        """What is no plain call with constants is left out."""
        for text in (call for turn in turns for call in turn):
            try:
                call = call_in(text)
            except Unreadable:
                continue
            if call.name in self.tools:
                unnamed = dict(zip(self.tools[call.name], call.unnamed, strict=False))
                yield Call(tool=call.name, arguments={**unnamed, **call.arguments})


class Instance:
    """One of the package's class."""

    def __init__(self, instance: Any) -> None:
        self._methods = dict(inspect.getmembers(instance, inspect.ismethod))
        self._instance, self.tools = instance, frozenset(self._methods)

    def call(self, tool: str, arguments: dict[str, Json]) -> Answer:
        """What it raises is a refusal: the package's runner tells the agent so."""
        try:
            value = as_json(self._methods[tool](**arguments))
        except Exception as error:
            return Answer(f"{type(error).__name__}: {error}", refused=True)
        whole = value[0] if isinstance(value, list) and len(value) == 1 else value
        return Answer(value, refused=isinstance(whole, dict) and list(whole) == [REFUSAL])

    def state(self) -> dict[str, Json]:
        found = as_json(self._instance)
        return found if isinstance(found, dict) else {}
