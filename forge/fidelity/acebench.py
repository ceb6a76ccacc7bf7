"""ACEBench's agent tasks in one language as a reference, by the checkout's own scenario classes.

Always holds: a scenario is a task of `agent_multi_turn` or `agent_multi_step` with the calls of its
milestones (of several ways, the first), made on each class of the scenario that has them, as its
own runs do. Its data are the attributes of all its classes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from forge.bench.acebench import AceBench, ace_bench
from forge.bench.aceplay import listed, vars_of
from forge.bench.benchmark import Item
from forge.bench.checkout import Source, pick
from forge.bench.pycalls import Unreadable, calls_in
from forge.fidelity.reference import Answer, Scenario, as_json
from forge.types.call import Call
from forge.types.data import Json

SPLITS = ("agent_multi_step", "agent_multi_turn")
REFUSED = ("status", False)
"""What an answer holds where it refuses."""


@contextmanager
def ace_scenarios(root: Path, lang: str) -> Iterator["AceScenarios"]:
    """UserError if the checkout cannot be used, or has no such language."""
    with ace_bench(root) as bench:
        yield AceScenarios(bench, pick("language", lang, list(bench.domains), "acebench"))


class AceScenarios:
    def __init__(self, bench: AceBench, lang: str) -> None:
        self.name = f"acebench:{lang}"
        self._bench, self._lang = bench, lang
        self._items = {
            item.id: item
            for split in SPLITS
            if split in bench.domains[lang]
            for item in bench.items(lang, split)
        }
        told = [
            each
            for item in self._items.values()
            for each in listed(bench.case(item)[0]["function"])
        ]
        self.tools: Mapping[str, Sequence[str]] = {
            each["name"]: list(each["parameters"]["properties"]) for each in told
        }
        self.scenarios: Sequence[Scenario] = [
            Scenario(id, tuple(self._calls(item))) for id, item in self._items.items()
        ]

    def source(self) -> Source:
        return self._bench.source([self._lang])

    def open(self, scenario: Scenario) -> "Classes":
        return Classes(self._bench.instances(self._items[scenario.name]))

    def _calls(self, item: Item) -> Iterator[Call]:
        tools = Classes(self._bench.instances(item)).tools & self.tools.keys()
        stones = self._bench.case(item)[1]["mile_stone"]
        way = stones[0] if stones and isinstance(stones[0], list) else stones
        for text in way:
            try:
                calls = calls_in(text)
            except Unreadable:
                continue
            yield from (
                Call(tool=call.name, arguments=call.arguments)
                for call in calls
                if call.name in tools
            )


class Classes:
    """Instances of the classes of one scenario."""

    def __init__(self, instances: Mapping[str, Any]) -> None:
        self._instances = list(instances.values())
        self.tools = frozenset(name for one in self._instances for name in vars_of(one))

    def call(self, tool: str, arguments: dict[str, Json]) -> Answer:
        able = [one for one in self._instances if tool in vars_of(one)]
        try:
            answers = [vars_of(one)[tool](one, **deepcopy(arguments)) for one in able]
        except Exception as error:  # the reference's own, which its runner tells the agent
            return Answer(f"{type(error).__name__}: {error}", refused=True)
        value = as_json(answers[-1])
        name, no = REFUSED
        return Answer(value, refused=isinstance(value, dict) and value.get(name) is no)

    def state(self) -> dict[str, Json]:
        return {name: value for one in self._instances for name, value in as_json(one).items()}
