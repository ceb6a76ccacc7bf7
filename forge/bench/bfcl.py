"""BFCL multi-turn, by the classes, documents and checker of the package `bfcl_eval` (gorilla).

Always holds: the reward is its `multi_turn_checker`'s for the calls of each step of each turn; a
call reaches its `eval` only as the name of a tool that the task has, with constants; each use of
its classes has instances of its own, which are dropped afterwards.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from forge.bench.benchmark import Item, Score
from forge.bench.checkout import Source, check_root, content_of, importing, module, source_of
from forge.bench.own import bfcl_results
from forge.errors import UserError
from forge.llm.completion import clip
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Trajectory

PACKAGE = "bfcl_eval"
DOMAIN = "multi_turn"
PREFIX = "BFCL_v4_multi_turn_"


@contextmanager
def bfcl(root: Path) -> Iterator["Bfcl"]:
    """The benchmark in a folder that has the package. UserError if it is none that can be used."""
    root = root.resolve()
    check_root(root, Bfcl.name)
    with importing(root, [PACKAGE]):
        yield Bfcl(root)


class Bfcl:
    name = "bfcl"
    usual = "all"
    stubbed = ""
    writes = False

    def __init__(self, root: Path) -> None:
        self._root, self._data = root, root / PACKAGE / "data"
        place = f"{PACKAGE}.eval_checker.multi_turn_eval"
        self._checker = module(f"{place}.multi_turn_checker", root, "multi_turn_checker")
        self._code = module(f"{place}.multi_turn_utils", root, "execute_multi_turn_func_call")
        backend = module(f"{PACKAGE}.constants.executable_backend_config", root)
        self._documents = vars(backend)["MULTI_TURN_FUNC_DOC_FILE_MAPPING"]
        self._modules = vars(backend).get("CLASS_FILE_PATH_MAPPING", {})
        types = module(f"{PACKAGE}.constants.type_mappings", root, "GORILLA_TO_OPENAPI")
        self._types: Mapping[str, str] = types.GORILLA_TO_OPENAPI
        prompts = module(
            f"{PACKAGE}.constants.default_prompts",
            root,
            "MAXIMUM_STEP_LIMIT",
            "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC",
        )
        self.most: int = prompts.MAXIMUM_STEP_LIMIT
        self.more: str = prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
        files = sorted(self._data.glob(f"{PREFIX}*.json"))
        if not files:
            raise UserError(
                "another version than forge knows",
                where=str(self._data),
                mend=f"bfcl-eval with {PREFIX}*.json",
            )
        self.domains: Mapping[str, Sequence[str]] = {
            DOMAIN: [file.stem.removeprefix(PREFIX) for file in files]
        }
        self._numbers = count()
        self._cases: dict[str, dict[str, tuple[Json, Json]]] = {}
        self._tools: dict[str, dict[str, Tool]] = {}
        self._sets: dict[tuple[str, ...], dict[str, Tool]] = {}
        """By their names: those that tasks share."""

    def items(self, domain: str, split: str) -> list[Item]:
        return [Item(domain, split, number) for number in self._read(split)]

    def case(self, item: Item) -> tuple[Json, list[list[str]]]:
        """The task, and the calls of each of its turns."""
        return self._read(item.split)[item.number]

    def speaks(self, item: Item) -> bool:
        return False

    def source(self, domains: Sequence[str]) -> Source:
        code = self._root / PACKAGE / "eval_checker" / "multi_turn_eval"
        files = [*code.glob("**/*.py"), *self._data.glob(f"{PREFIX}*.json")]
        files += self._data.glob(f"possible_answer/{PREFIX}*.json")
        files += self._data.glob("multi_turn_func_doc/*.json")
        return source_of(self._root, files)

    def gold(self, item: Item) -> Score:
        _, turns = self.case(item)
        return self.score(item, [[turn] if turn else [] for turn in turns])

    def noop(self, item: Item) -> Score:
        _, turns = self.case(item)
        return self.score(item, [[] for _ in turns])

    def episode(self, item: Item) -> "BfclEpisode":
        return BfclEpisode(self, item)

    def own(self, found: Sequence[Trajectory]) -> str | None:
        return bfcl_results((each.task.replace("/", "_"), each) for each in found)

    def cautions(self, user: str | None) -> list[str]:
        return [
            "tools are in the request, as its own runs of models that can call; calls in texts are"
            " read by forge, not by its handlers",
            "its own scores are by the version of bfcl-eval; those of other versions are not"
            " comparable",
        ]

    def score(self, item: Item, turns: Sequence[Sequence[Sequence[str]]]) -> Score:
        """Of the calls of each step of each turn."""
        task, answer = self.case(item)
        name = self.fresh()
        try:
            found = self._checker.multi_turn_checker(turns, answer, task, item.split, name)
        finally:
            self.drop(name)
        if found["valid"]:
            return Score(1)
        return Score(0, clip(str(found.get("error_message", "not as its checker has it"))))

    def run(self, item: Item, name: str, calls: Sequence[str]) -> list[str]:
        """What its classes give, in the instances of that name."""
        task, _ = self.case(item)
        results, _ = self._code.execute_multi_turn_func_call(
            list(calls),
            task["initial_config"],
            task["involved_classes"],
            name,
            task["id"],
            long_context="long_context" in item.split,
        )
        return [str(result) for result in results]

    def fresh(self) -> str:
        """A name that no instances have."""
        return f"forge{next(self._numbers)}x"

    def drop(self, name: str) -> None:
        """Its classes' instances are kept in a module, under names that begin so."""
        kept = vars(self._code)
        for each in [one for one in kept if one.startswith(name)]:
            del kept[each]

    def tools(self, item: Item, turn: int) -> dict[str, Tool]:
        """Those that an agent has in a turn."""
        task, _ = self.case(item)
        missed = task.get("missed_function", {})
        later = {name for at, names in missed.items() if int(at) > turn for name in names}
        left_out = later | set(task.get("excluded_function", ()))
        found = {
            name: tool
            for each in task["involved_classes"]
            for name, tool in self.documented(each).items()
            if name not in left_out
        }
        return self._sets.setdefault(tuple(found), found)

    @property
    def classes(self) -> list[str]:
        """Those that have documents, of its other tasks too."""
        return sorted(self._documents)

    def instance(self, name: str, config: Json) -> Any:
        """A new one of a class, loaded as its runner does it; `config` is the instance's now. None:
        as the class makes it. Its code is loaded anew: some of its functions keep what an instance
        did in a default of theirs."""
        sys.modules.pop(self._modules[name], None)
        made = vars(module(self._modules[name], self._root, name))[name]()
        if config is not None and "_load_scenario" in vars(type(made)):
            made._load_scenario(config)
        return made

    def documented(self, name: str) -> dict[str, Tool]:
        """The tools of a class."""
        if name not in self._tools:
            lines = _lines(self._data / "multi_turn_func_doc" / self._documents[name])
            self._tools[name] = {
                each["name"]: Tool(
                    name=each["name"],
                    description=each["description"],
                    parameters=self._schema(each["parameters"]),
                    kind="write",
                )
                for each in lines
            }
        return self._tools[name]

    def _schema(self, told: Json) -> Json:
        """As JSON Schema: its types have other names."""
        if isinstance(told, list):
            return [self._schema(each) for each in told]
        if not isinstance(told, dict):
            return told
        found: dict[str, Json] = {
            name: {each: self._schema(one) for each, one in value.items()}
            if name == "properties"
            else self._schema(value)
            for name, value in told.items()
        }
        kind = found.get("type")
        if isinstance(kind, str):
            found["type"] = self._types.get(kind, kind)
        return found

    def _read(self, split: str) -> dict[str, tuple[Json, Json]]:
        if split not in self._cases:
            name = f"{PREFIX}{split}.json"
            tasks = _lines(self._data / name)
            answers = _lines(self._data / "possible_answer" / name)
            right = {each["id"]: each["ground_truth"] for each in answers}
            self._cases[split] = {
                each["id"].removeprefix(f"multi_turn_{split}_"): (each, right[each["id"]])
                for each in tasks
                if each["id"] in right
            }
        return self._cases[split]


class BfclEpisode:
    """Its turns are given; the agent's turn ends when it calls nothing."""

    system = ""

    def __init__(self, bench: Bfcl, item: Item) -> None:
        self._bench, self._item = bench, item
        task, answer = bench.case(item)
        self._questions: list[list[Json]] = task["question"]
        self._turns: list[list[list[str]]] = [[]]
        self._name = bench.fresh()
        self.tools: Mapping[str, Tool] = bench.tools(item, 0)
        self.most = (bench.most + 1) * len(answer) * 8
        """Its limit is of steps in a turn."""
        first = self._questions[0] if self._questions else []
        self.system = "\n".join(each["content"] for each in first if each["role"] == "system")

    def asked(self, heard: str | None) -> list[Json] | str:
        turn = len(self._turns) - (heard is None)
        if turn >= len(self._questions):
            return ""
        said = [each["content"] for each in self._questions[turn] if each["role"] == "user"]
        return "\n".join(said) or self._bench.more

    def hear(self, heard: str | None, reply: str) -> tuple[str, Score | None]:
        if heard is None:
            return reply, None
        if len(self._turns) == len(self._questions):
            return "", self._end()
        self._turns.append([])
        self.tools = self._bench.tools(self._item, len(self._turns) - 1)
        return reply, None

    def call(self, tool: str, arguments: dict[str, Json]) -> tuple[str, Score | None]:
        if tool not in self.tools or not all(name.isidentifier() for name in arguments):
            return f"Error: there is no tool {tool!r} with such arguments", None
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        call = f"{tool}({given})"
        steps = self._turns[-1]
        steps.append([call])
        (result,) = self._bench.run(self._item, self._name, [call])
        if len(steps) > self._bench.most:
            self._bench.drop(self._name)
            return result, Score(0, f"more than {self._bench.most} steps in a turn")
        return result, None

    def cut(self) -> Score:
        self._bench.drop(self._name)
        return Score(0, "not done within its limit")

    def _end(self) -> Score:
        self._bench.drop(self._name)
        return self._bench.score(self._item, self._turns)


def _lines(file: Path) -> list[Json]:
    try:
        return [json.loads(line) for line in content_of(file).decode().splitlines() if line.strip()]
    except ValueError:
        raise UserError("is no JSON Lines", where=str(file)) from None
