"""τ-bench, by its own environments, tools, user prompt and reward (sierra-research/tau-bench).

Always holds: the reward is that of `Env.step` at `done`; the data that it hashes are those that it
would have loaded. They are loaded once (`shared.py`) and written for the hash once a record, by the
benchmark's own functions. Its user is asked by forge, with its own prompt; `litellm`, which is used
for nothing else here, is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forge.bench.benchmark import Item, Score
from forge.bench.checkout import (
    Source,
    check_root,
    content_of,
    importing,
    module,
    source_of,
    stubbed,
)
from forge.bench.own import tau_results
from forge.bench.shared import Changes, Shared
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Trajectory

PACKAGE = "tau_bench"
MOST = 30
"""Actions, as its own agents take at most."""


@contextmanager
def tau_bench(root: Path) -> Iterator["TauBench"]:
    """The benchmark in a checkout. UserError if it is none that can be used."""
    root = root.resolve()
    check_root(root, TauBench.name)
    with importing(root, [PACKAGE]):
        with stubbed("litellm"):
            benchmark = TauBench(root)
        yield benchmark


class _Asks(Exception):
    """A model is to answer these messages."""

    def __init__(self, messages: list[Json]) -> None:
        self.messages = messages
        super().__init__("asks the user's model")


class _Told:
    """The user of an `Env`: says what it was told to."""

    def __init__(self) -> None:
        self.says = ""

    def reset(self, instruction: str | None = None) -> str:
        return self.says

    def step(self, content: str) -> str:
        return self.says

    def get_total_cost(self) -> float:
        return 0.0


class TauBench:
    name = "tau-bench"
    usual = "test"
    stubbed = ""
    writes = False

    def __init__(self, root: Path) -> None:
        self._root, self._envs = root, root / PACKAGE / "envs"
        base = module(f"{PACKAGE}.envs.base", root, "load_user", "to_hashable")
        users = module(f"{PACKAGE}.envs.user", root, "LLMUserSimulationEnv")
        types = module(f"{PACKAGE}.types", root, "Action", "RESPOND_ACTION_NAME")
        self._get_env = module(f"{PACKAGE}.envs", root, "get_env").get_env
        self.respond: str = types.RESPOND_ACTION_NAME
        self.action = types.Action
        self._asker: Any = type(
            "Asker", (users.LLMUserSimulationEnv,), {"generate_next_message": _ask}
        )
        self._its_user = ""
        config = vars(types).get("RunConfig")
        if config is not None:
            self._its_user = str(config.model_fields["user_model"].default)
        self._shared: dict[str, Shared] = {}
        self._tools: dict[str, dict[str, Tool]] = {}
        base.load_user = lambda *given, **named: _Told()
        write = base.to_hashable

        def written(item: Json) -> Json:
            book = vars(type(item)).get("book") and item.book
            return book.written(item, write) if book else write(item)

        base.to_hashable = written
        self.domains: Mapping[str, Sequence[str]] = {
            folder.name: sorted(
                file.stem.removeprefix("tasks_") for file in folder.glob("tasks_*.py")
            )
            for folder in sorted(self._envs.iterdir())
            if (folder / "env.py").is_file()
        }

    def items(self, domain: str, split: str) -> list[Item]:
        count = len(self.env(Item(domain, split, "0")).tasks)
        return [Item(domain, split, str(number)) for number in range(count)]

    def speaks(self, item: Item) -> bool:
        return True

    def source(self, domains: Sequence[str]) -> Source:
        files = [self._envs / "base.py", self._envs / "user.py"]
        for domain in domains:
            folder = self._envs / domain
            data = set((folder / "data").glob("*.json")) | set(_named_data(folder))
            files += [*data, *folder.glob("tasks_*.py"), *folder.glob("tools/*.py")]
            files += [folder / "wiki.md"] if (folder / "wiki.md").exists() else []
        return source_of(self._root, files)

    def gold(self, item: Item) -> Score:
        """Its actions, then its outputs said to a user who then leaves."""
        env = self.env(item)
        ending = set(env.terminate_tools)
        said = " ".join(env.task.outputs)
        last = None
        env.user.says = ""
        env.step(self._say(said))
        for action in env.task.actions:
            if action.name == self.respond:
                continue
            last = env.step(action)
            if action.name in ending:
                return score_of(last)
        env.user.says = STOP
        return score_of(env.step(self._say("")))

    def noop(self, item: Item) -> Score:
        env = self.env(item)
        env.user.says = STOP
        return score_of(env.step(self._say("")))

    def episode(self, item: Item) -> "TauEpisode":
        return TauEpisode(self, item)

    def own(self, found: Sequence[Trajectory]) -> str | None:
        domain, split, _ = found[0].task.split("/") if found else ("", "", "")
        wiki = self.env(Item(domain, split, "0")).wiki if found else ""
        return tau_results((wiki, each) for each in found)

    def cautions(self, user: str | None) -> list[str]:
        found = [
            "its runner counts an endpoint that fails as a 0; here such episodes are in no rate",
            f"its own agents make one call a turn and stop after {MOST} actions; here a turn may"
            " have several calls, and each is an action",
        ]
        if user is not None and self._its_user and user != self._its_user:
            found.append(
                f"its own user is {self._its_user}, here it is {user}: not comparable with scores"
                " that another user gave"
            )
        return found

    def env(self, item: Item) -> Any:
        """A fresh `Env` at the task; what is in the shared data is as it was loaded."""
        shared = self.shared(item.domain)
        shared.fresh()
        return self._get_env(
            item.domain,
            user_strategy="llm",
            user_model="",
            task_split=item.split,
            user_provider="",
            task_index=int(item.number),
        )

    def shared(self, domain: str) -> Shared:
        if domain not in self._shared:
            folder = self._envs / domain
            for file in _named_data(folder):
                content_of(file)
            env = module(f"{PACKAGE}.envs.{domain}.env", self._root, "load_data")
            self._shared[domain] = Shared(env.load_data())
            env.load_data = self._shared[domain].fresh
        return self._shared[domain]

    def tools(self, domain: str, env: Any) -> dict[str, Tool]:
        if domain not in self._tools:
            told = [each["function"] for each in env.tools_info]
            self._tools[domain] = {
                each["name"]: Tool(
                    name=each["name"],
                    description=each.get("description", ""),
                    parameters=each["parameters"],
                    kind="write",
                )
                for each in told
            }
        return self._tools[domain]

    def asker(self) -> Any:
        """The benchmark's user, who raises `_Asks` where it would ask a model."""
        made = self._asker.__new__(self._asker)
        made.messages, made.total_cost = [], 0.0
        return made

    def _say(self, text: str) -> Any:
        return self.action(name=self.respond, kwargs={"content": text})


STOP = "###STOP###"


class TauEpisode:
    most = MOST

    def __init__(self, bench: TauBench, item: Item) -> None:
        self._bench, self._number = bench, int(item.number)
        self._shared = bench.shared(item.domain)
        self._changes: Changes = {}
        self._env = bench.env(item)
        self._asker = bench.asker()
        self.system: str = self._env.wiki
        self.tools = bench.tools(item.domain, self._env)

    def asked(self, heard: str | None) -> list[Json] | str:
        try:
            if heard is None:
                self._asker.reset(instruction=self._env.task.instruction)
            else:
                self._asker.step(heard)
        except _Asks as asks:
            return list(asks.messages)
        raise RuntimeError("the benchmark's user asks no model")

    def hear(self, heard: str | None, reply: str) -> tuple[str, Score | None]:
        self._asker.messages.append({"role": "assistant", "content": reply})
        self._env.user.says = reply
        with self._shared.entered(self._changes):
            if heard is None:
                self._env.reset(self._number)
                return reply, None
            return reply, _ended(self._env.step(self._bench._say(heard)))

    def call(self, tool: str, arguments: dict[str, Json]) -> tuple[str, Score | None]:
        if tool == self._bench.respond:
            return f"Unknown action {tool}", None
        with self._shared.entered(self._changes):
            response = self._env.step(self._bench.action(name=tool, kwargs=arguments))
        return response.observation, _ended(response)

    def cut(self) -> Score:
        return Score(0, "not done within its limit")


def _ask(self: Any, messages: list[Json]) -> str:
    raise _Asks(messages)


def _ended(response: Any) -> Score | None:
    return score_of(response) if response.done else None


def score_of(response: Any) -> Score:
    """Of the response with which an `Env` is done."""
    if response.reward >= 1 - 1e-6:
        return Score(1)
    outputs = dict(response.info.reward_info.info).get("outputs") or {}
    unsaid = [output for output, said in outputs.items() if not said]
    if unsaid:
        return Score(0, f"not said: {', '.join(unsaid)}")
    return Score(0, "the data are not as the gold actions leave them")


def _named_data(folder: Path) -> list[Path]:
    """The files that its loader names."""
    loader = folder / "data" / "__init__.py"
    if not loader.is_file():
        return []
    words = loader.read_text(encoding="utf-8").replace("'", '"').split('"')
    return [folder / "data" / word for word in words if word.endswith(".json")]
