"""A domain of τ-bench as a reference, by the checkout's own tools and data.

Always holds: a scenario is a task of any split, with its gold actions; all start from the loaded
data. Tools are called as `Env.step` calls them, without the reward that it gives where one ends the
dialogue.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forge.bench.benchmark import Item
from forge.bench.checkout import Source, pick
from forge.bench.taubench import TauBench, tau_bench
from forge.fidelity.reference import Answer, Scenario, as_json
from forge.types.call import Call
from forge.types.data import Json

REFUSAL = "Error"
"""How what its tools say begins where they refuse."""


@contextmanager
def tau_domain(root: Path, name: str) -> Iterator["TauDomain"]:
    """UserError if the checkout cannot be used, or has no such domain."""
    with tau_bench(root) as bench:
        yield TauDomain(bench, pick("domain", name, list(bench.domains), "tau-bench"))


class TauDomain:
    def __init__(self, bench: TauBench, domain: str) -> None:
        self.name = f"tau-bench:{domain}"
        self._bench, self._domain = bench, domain
        self._items = {
            item.id: item for split in bench.domains[domain] for item in bench.items(domain, split)
        }
        first = bench.env(next(iter(self._items.values())))
        self.tools: Mapping[str, Sequence[str]] = {
            name: list(tool.parameters["properties"])
            for name, tool in bench.tools(domain, first).items()
        }
        self.scenarios: Sequence[Scenario] = [
            Scenario(id, tuple(self._calls(item))) for id, item in self._items.items()
        ]

    def source(self) -> Source:
        return self._bench.source([self._domain])

    def open(self, scenario: Scenario) -> "Data":
        return Data(self._bench.env(self._items[scenario.name]))

    def _calls(self, item: Item) -> Iterator[Call]:
        for action in self._bench.env(item).task.actions:
            if action.name in self.tools:
                yield Call(tool=action.name, arguments=as_json(action.kwargs))


class Data:
    """What an `Env` holds, as its tools change it. One runs at a time: the next that is opened has
    the same data as they were."""

    def __init__(self, env: Any) -> None:
        self._data, self._tools = env.data, env.tools_map
        self.tools = frozenset(env.tools_map)

    def call(self, tool: str, arguments: dict[str, Json]) -> Answer:
        try:
            said = self._tools[tool].invoke(data=self._data, **arguments)
        except Exception as error:
            return Answer(f"{REFUSAL}: {error}", refused=True)
        if isinstance(said, str) and said.startswith(REFUSAL):
            return Answer(said, refused=True)
        return Answer(_read(said))

    def state(self) -> dict[str, Json]:
        found = as_json(self._data)
        return found if isinstance(found, dict) else {}


def _read(said: Json) -> Json:
    """Its tools write JSON, or a text."""
    try:
        return json.loads(said) if isinstance(said, str) else as_json(said)
    except ValueError:
        return said
