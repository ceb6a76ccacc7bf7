"""ACEBench, by its own data, prompts, scenario classes and checkers (chenchen0103/ACEBench).

Always holds: the reward is what its `eval_main` gives for the one task; beside it stands a stricter
check (`strict.py`), since the published one looks at no number. What an agent writes is read from
the syntax tree; what its checker would evaluate beyond arithmetic is a wrong answer.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from forge.bench.aceplay import AceAnswer, AceDialogue, Client, Stage, listed
from forge.bench.benchmark import STRICT, Item, Score
from forge.bench.checkout import (
    Source,
    check_root,
    content_of,
    importing,
    module,
    source_of,
    stubbed,
)
from forge.bench.pycalls import Unreadable, calls_in, harmless
from forge.bench.strict import same_calls, same_state
from forge.errors import UserError
from forge.llm.completion import clip
from forge.types.data import Json
from forge.types.rollout import Trajectory

DATA = "data_all"
UNUSED = ("openai", "tqdm", "dotenv", "wcwidth", "pandas", "openpyxl", "openpyxl.styles")
NAMES = {"multi_turn": "multi_turn.multi_turn_utils", "multi_step": "multi_step.multi_step_utils"}

TURNS = "normal_multi_turn"
"""Splits whose tasks are the turns of conversations."""


@contextmanager
def ace_bench(root: Path) -> Iterator["AceBench"]:
    """The benchmark in a checkout. UserError if it is none that can be used."""
    root = root.resolve()
    check_root(root, AceBench.name)
    with importing(root, ["model_inference", "model_eval", "eval_main", "category"]):
        with stubbed(*UNUSED):
            benchmark = AceBench(root)
        yield benchmark


class AceBench:
    name = "acebench"
    usual = "all"
    stubbed = ""
    writes = True

    def __init__(self, root: Path) -> None:
        self._root, self._data = root, root / DATA
        self._eval = module("eval_main", root, "agent_eval", "normal_single_turn_eval")
        self._saved: Mapping[str, Sequence[str]] = module(
            "model_inference.apimodel_inference", root, "SAVED_CLASS"
        ).SAVED_CLASS
        self.words: dict[str, str] = {}
        for place in ("prompt_en", "prompt_zh", "multi_turn.APIModel_agent"):
            self.words |= _texts(module(f"model_inference.{place}", root))
        self.steps = _texts(module("model_inference.multi_step.APIModel_agent", root))
        self._user = module("model_inference.multi_turn.APIModel_user", root, "APIUSER").APIUSER
        self._places = {
            (way, lang): vars(module(f"model_inference.{place}", root))[
                f"CLASS_FILE_PATH_MAPPING_{lang.upper()}"
            ]
            for way, place in NAMES.items()
            for lang in ("en", "zh")
        }
        decode = self._eval.decode_ast

        def decoded(name: str, text: str) -> Json:
            if not harmless(text):
                raise ValueError("forge does not evaluate this")
            return decode(name, text)

        # What it would write to disk is not wanted.
        self._eval.decode_ast, self._eval.OUTPUT_PATH = decoded, ""
        self._eval.save_score_as_json, self._eval.convert_result_to_excel = self._keep, _nothing
        self._eval.open = _nowhere
        self.domains: Mapping[str, Sequence[str]] = {
            folder.name.removeprefix("data_"): sorted(
                file.stem.removeprefix("data_") for file in folder.glob("data_*.json")
            )
            for folder in sorted(self._data.glob("data_*"))
        }
        self._cases: dict[tuple[str, str], dict[str, tuple[Json, Json]]] = {}
        self._complaints: list[Json] = []

    def items(self, domain: str, split: str) -> list[Item]:
        turns = split.startswith(TURNS)
        return [
            Item(domain, split, number, number.rpartition("_")[0] if turns else "")
            for number in self._read(domain, split)
        ]

    def case(self, item: Item) -> tuple[Json, Json]:
        """The task and its answer."""
        return self._read(item.domain, item.split)[item.number]

    def speaks(self, item: Item) -> bool:
        return item.split == "agent_multi_turn"

    def source(self, domains: Sequence[str]) -> Source:
        files = [*self._root.glob("model_eval/*.py"), self._root / "eval_main.py"]
        files += self._root.glob("model_inference/prompt_*.py")
        files += self._root.glob("model_inference/multi_*/**/*.py")
        for domain in domains:
            files += (self._data / f"data_{domain}").glob("**/data_*.json")
        return source_of(self._root, files)

    def gold(self, item: Item) -> Score:
        """Its answer as an agent would write it; of a dialogue, its milestones one after the
        other."""
        _, answer = self.case(item)
        if not item.split.startswith("agent"):
            return self.score(item, _gold_text(item.split, answer["ground_truth"]))
        stones = answer["mile_stone"]
        ways = stones if stones and isinstance(stones[0], list) else [stones]
        return max((self._played(item, way) for way in ways), key=lambda score: score.reward)

    def noop(self, item: Item) -> Score:
        return self._played(item, []) if item.split.startswith("agent") else self.score(item, "")

    def episode(self, item: Item) -> "AceDialogue | AceAnswer":
        return AceDialogue(self, item) if item.split.startswith("agent") else AceAnswer(self, item)

    def own(self, found: Sequence[Trajectory]) -> str | None:
        return None

    def cautions(self, user: str | None) -> list[str]:
        return [
            "its published check looks at no number and takes texts that contain the right one;"
            f" `{STRICT}` is forge's, which does not",
            f"its table counts a conversation of {TURNS} where all its turns are right, as"
            " `conversations` does; here each turn is a task",
            "its own agents get the dialogue as one text, and in agent_multi_step always in"
            " Chinese; here it is a chat in the language of the task",
        ]

    def _played(self, item: Item, stones: Sequence[str]) -> Score:
        stage = Stage(self, item)
        for stone in stones:
            stage.run(stone)
        return stage.score()

    def score(self, item: Item, text: str) -> Score:
        """Of the one answer to a task without a dialogue."""
        task, answer = self.case(item)
        task = {**task, "function": listed(task["function"])}
        lists = [{"id": task["id"], "result": text}], [task], [deepcopy(answer)]
        if item.split.startswith("special"):
            return self._score(self._eval.special_eval(*lists, item.split, "forge", {}), {})
        if item.split.startswith(TURNS):
            check = self._eval.normal_multi_turn_eval
        else:
            check = self._eval.normal_single_turn_eval
        share = check(*lists, item.split, "forge", {})
        strict = share == 1 and same_calls(_calls(text), _answers(answer["ground_truth"]))
        return self._score(share, {STRICT: float(strict)})

    def score_state(self, item: Item, state: Json, process: Sequence[str]) -> Score:
        """Of the attributes that a dialogue leaves, and the calls that were written in it."""
        task, answer = self.case(item)
        self._eval.language = item.domain
        result = {"id": task["id"], "result": state, "process": list(process)}
        share, way = self._eval.agent_eval(
            [result], [task], [deepcopy(answer)], item.split, "forge"
        )
        strict = share == 1 and same_state(state, answer["ground_truth"])
        return self._score(share, {"process": float(way), STRICT: float(strict)})

    def instances(self, item: Item) -> dict[str, Any]:
        """Of the classes that a dialogue involves, at its start."""
        task, _ = self.case(item)
        places = self._places[item.split.removeprefix("agent_"), item.domain]
        start = task["initial_config"]
        made = {}
        for name in task["involved_classes"]:
            instance = vars(import_module(places[name]))[name]()
            for part in (name, "BaseApi"):
                instance._load_scenario(deepcopy(start.get(part, {})), long_context=False)
            made[name] = instance
        return made

    def state(self, instances: Mapping[str, Any]) -> Json:
        """As it reads results, which lie in files of JSON in between."""
        found = [
            {name: {at: value for at, value in vars(one).items() if at in self._saved[name]}}
            for name, one in instances.items()
        ]
        return json.loads(json.dumps(found, default=str))

    def user(self, item: Item) -> Any:
        """Its user, who raises `Asks` where it would ask a model."""
        task, _ = self.case(item)
        made = self._user.__new__(self._user)
        vars(made).update(
            model_name="", temperature=None, top_p=None, max_tokens=None, messages=[],
            client=Client(), involved_class=task["involved_classes"], language=item.domain,
        )  # fmt: skip
        return made

    def _score(self, share: float, measures: Mapping[str, float]) -> Score:
        if share == 1:
            return Score(1, measures=measures)
        said = [each["error"] for each in self._complaints if each.get("error")]
        return Score(0, clip(str(said[0])) if said else "not as its checker has it", measures)

    def _keep(self, name: str, lines: list[Json], folder: str) -> None:
        """What it would write to a file: its errors, behind a head."""
        self._complaints = lines[1:]

    def _read(self, domain: str, split: str) -> dict[str, tuple[Json, Json]]:
        if (domain, split) not in self._cases:
            folder = self._data / f"data_{domain}"
            tasks, answers = (
                {each["id"]: each for each in _lines(place / f"data_{split}.json")}
                for place in (folder, folder / "possible_answer")
            )
            self._cases[domain, split] = {
                id.removeprefix(f"{split}_"): (task, answers[id])
                for id, task in tasks.items()
                if id in answers
            }
        return self._cases[domain, split]


def _gold_text(split: str, truth: Json) -> str:
    if split.startswith("special_incomplete"):
        parts = [f"({', '.join(names)}) for the api ({api})" for api, names in truth.items()]
        return f"Missing necessary parameters {' and '.join(parts)}"
    if split.startswith("special_error"):
        parts = [f"({', '.join(map(str, found))}) for ({name})" for name, found in truth.items()]
        return f"There is incorrect value {' and '.join(parts)}"
    if split.startswith("special"):
        return "Due to the limitations of the function it cannot be done."
    (first, *_) = _answers(truth)
    calls = (f"{name}({_arguments(given)})" for name, given in first)
    return f"[{', '.join(calls)}]"


def _arguments(given: Mapping[str, Json]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())


def _answers(truth: Json) -> list[list[tuple[str, dict[str, Json]]]]:
    """Each right answer, as calls; a call that is there twice is numbered."""
    return [
        [(re.sub(r"_\d+$", "", name), given) for name, given in each.items()]
        for each in (truth if isinstance(truth, list) else [truth])
    ]


def _calls(text: str) -> list[tuple[str, dict[str, Json]]]:
    try:
        return [(call.name, call.arguments) for call in calls_in(text[text.find("[") :])]
    except Unreadable:
        return []


def _texts(found: Any) -> dict[str, str]:
    return {name: value for name, value in vars(found).items() if isinstance(value, str)}


def _lines(file: Path) -> list[Json]:
    try:
        return [json.loads(line) for line in content_of(file).decode().splitlines() if line.strip()]
    except ValueError:
        raise UserError(
            "is no JSON Lines", where=str(file), mend="the checkout is not whole"
        ) from None


def _nothing(*given: object, **named: object) -> None:
    pass


def _nowhere(*given: object, **named: object) -> StringIO:
    return StringIO()
