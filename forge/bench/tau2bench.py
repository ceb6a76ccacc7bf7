"""τ²-bench (v1.0), by its own orchestrator, environments, user and evaluators (sierra-research).

Always holds: an episode is a run of its `Orchestrator` and scored by its `evaluate_simulation`; its
user and its judge keep their prompts and are asked by forge; a task that needs a judge has no score
where there is none.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from forge.bench.benchmark import Asks, Held, Item, Score
from forge.bench.checkout import (
    Source,
    check_root,
    importing,
    module,
    pick,
    source_of,
    stubbed,
)
from forge.bench.tau2voices import Silent, Voices
from forge.errors import UserError
from forge.llm.completion import clip
from forge.types.environment import Tool
from forge.types.rollout import Trajectory

PACKAGE = "tau2"
MOST = 200
"""Steps, as its own runs have them: messages of agent, user and tools."""
STOP = "###STOP###"
DOMAINS = ("airline", "retail", "telecom", "banking_knowledge", "mock")
SEARCHED = "banking_knowledge"
"""The domain whose documents an agent searches, in one of several ways."""
RETRIEVAL = "bm25"
"""The way that needs neither a key nor a network."""
BASE = "base"


@contextmanager
def tau2_bench(root: Path, retrieval: str = RETRIEVAL) -> Iterator["Tau2Bench"]:
    """The benchmark in a checkout. `retrieval`: as its own `--retrieval-config` has it.
    UserError if it is none that can be used."""
    root = root.resolve()
    check_root(root, Tau2Bench.name)
    before = os.environ.get("TAU2_DATA_DIR")
    os.environ["TAU2_DATA_DIR"] = str(root / "data")
    try:
        with importing(root / "src", [PACKAGE]):
            with stubbed("litellm", "litellm.caching", "litellm.caching.caching", "litellm.main"):
                benchmark = Tau2Bench(root, retrieval)
            yield benchmark
    finally:
        del os.environ["TAU2_DATA_DIR"]
        if before is not None:
            os.environ["TAU2_DATA_DIR"] = before


class Tau2Bench:
    name = "tau2-bench"
    usual = BASE
    writes = False
    stubbed = "a judge who finds all that a task asks of what is said"

    def __init__(self, root: Path, retrieval: str) -> None:
        self._root, self._data = root, root / "data" / PACKAGE
        self._retrieval = retrieval
        if find_spec("loguru") is not None:  # it would tell stderr of every step
            module("loguru", root).logger.disable(PACKAGE)
        self.registry = module(f"{PACKAGE}.registry", root, "registry").registry
        self.messages = module(f"{PACKAGE}.data_model.message", root, "AssistantMessage")
        self.simulation = module(f"{PACKAGE}.data_model.simulation", root, "SimulationRun")
        self._evaluator = module(f"{PACKAGE}.evaluator.evaluator", root, "evaluate_simulation")
        self._written = module(f"{PACKAGE}.utils.llm_utils", root, "to_litellm_messages")
        self._llm = module(f"{PACKAGE}.agent.llm_agent", root, "LLMAgent")
        self._build = module(f"{PACKAGE}.runner.build", root, "build_user")
        self._loop = module(f"{PACKAGE}.orchestrator.orchestrator", root, "Orchestrator")
        self._config = module(f"{PACKAGE}.config", root, "DEFAULT_LLM_USER")
        self._voices = Voices(self.messages, self._written.to_litellm_messages)
        user = module(f"{PACKAGE}.user.user_simulator", root, "generate")
        judge = module(f"{PACKAGE}.evaluator.evaluator_nl_assertions", root, "generate")
        user.generate, judge.generate = self._voices.user, self._voices.judge
        self._agent = type(
            "Agent", (self._llm.LLMAgent,), {"_generate_next_message": self._voices.agent}
        )
        self._tasks: dict[tuple[str, str], dict[str, Any]] = {}
        known = self.registry.get_domains()
        self.domains: Mapping[str, Sequence[str]] = {
            name: self._splits(name) for name in DOMAINS if name in known
        }

    def items(self, domain: str, split: str) -> list[Item]:
        if domain == SEARCHED:
            self._check_retrieval()
        return [Item(domain, split, id) for id in self._of(domain, split)]

    def task(self, item: Item) -> Any:
        return self._of(item.domain, item.split)[item.number]

    def speaks(self, item: Item) -> bool:
        return True

    def source(self, domains: Sequence[str]) -> Source:
        code = self._root / "src" / PACKAGE
        files = [*code.glob("evaluator/*.py"), *code.glob("orchestrator/*.py")]
        files += (self._data / "user_simulator").glob("*.md")
        for domain in domains:
            files += code.glob(f"domains/{domain}/*.py")
            folder = self._data / "domains" / domain
            files += [file for file in folder.iterdir() if file.suffix in DATA]
            files += [*folder.glob("tasks/*.json"), *folder.glob("documents/*.json")]
        return source_of(self._root, files)

    def gold(self, item: Item) -> Score:
        """Its actions, and what is to be told said to a user who then leaves."""
        task, kinds = self.task(item), self.messages
        criteria = task.evaluation_criteria
        environment = self.environment(item)
        self._start(environment, task)
        said = [kinds.UserMessage(role="user", content="Hello.")]
        for number, action in enumerate((criteria and criteria.actions) or ()):
            call = kinds.ToolCall(
                id=f"{number}",
                name=action.name,
                arguments=action.arguments,
                requestor=action.requestor,
            )
            speaker = (
                kinds.AssistantMessage if action.requestor == "assistant" else kinds.UserMessage
            )
            said.append(speaker(role=action.requestor, content=None, tool_calls=[call]))
            said.append(environment.get_response(call))
        told = " ".join((criteria and criteria.communicate_info) or ()) or "It is done."
        said.append(kinds.AssistantMessage(role="assistant", content=told))
        return self._fixed(item, said)

    def noop(self, item: Item) -> Score:
        hello = self.messages.AssistantMessage(role="assistant", content="Hello.")
        return self._fixed(item, [hello])

    def episode(self, item: Item) -> "Tau2Conversation":
        return Tau2Conversation(self, item)

    def own(self, found: Sequence[Trajectory]) -> str | None:
        return None

    def cautions(self, user: str | None) -> list[str]:
        found = [
            "published scores are of v1.0 or later or of before: tasks and scores were mended in"
            " between, so that they are not comparable",
            "its first message of the agent, a greeting, is not shown to the agent here",
        ]
        if any(domain == SEARCHED for domain, _ in self._tasks):
            found.append(
                f"{SEARCHED} is searched by {self._retrieval}: its scores hang on that, and"
                " published ones name theirs"
            )
        its_own = str(self._config.DEFAULT_LLM_USER)
        if user is not None and user != its_own:
            found.append(
                f"its own user is {its_own}, here it is {user}: not comparable with scores that"
                " another user gave"
            )
        return found

    def environment(self, item: Item) -> Any:
        try:
            return self.registry.get_env_constructor(item.domain)(**self._given(item))
        except FileNotFoundError as error:
            raise _missing(error) from None

    def _given(self, item: Item) -> dict[str, Any]:
        """What an environment is made with, as its own runs have it."""
        if item.domain != SEARCHED:
            return {}
        config = SimpleNamespace(domain=item.domain, retrieval_config=self._retrieval)
        given: dict[str, Any] = self._build._build_env_kwargs(config, self.task(item))
        return given

    def converse(self, item: Item, environment: Any, asks: Asks, most: int) -> Held:
        """A run of its orchestrator, on this thread."""
        task = self.task(item)
        self._voices.ask(asks)
        agent = self._agent(tools=environment.get_tools(), domain_policy=environment.policy, llm="")
        user = self._build.build_user("user_simulator", environment, task, llm="", llm_args={})
        run = self._loop.Orchestrator(
            domain=item.domain,
            agent=agent,
            user=user,
            environment=environment,
            task=task,
            max_steps=most,
        )
        try:
            ended = run.run()
        except Silent:
            return Held("done", Score(0, "the agent wrote nothing"))
        why = str(ended.termination_reason.value)
        if why not in ("user_stop", "agent_stop"):
            return Held("steps", Score(0, why), why)
        if not asks.judged and _is_judged(task):
            return Held("unscored", None, "no judge is configured, --judge-model")
        try:
            return Held("done", self._score(item, ended))
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            return Held("unscored", None, f"the judge's answer cannot be read: {clip(str(error))}")

    def system(self, policy: str) -> str:
        """What its own agent is told."""
        text: str = self._llm.SYSTEM_PROMPT.format(
            domain_policy=policy, agent_instruction=self._llm.AGENT_INSTRUCTION
        )
        return text

    def _fixed(self, item: Item, said: Sequence[Any]) -> Score:
        """Of messages behind which the user leaves, by a judge who finds all that it is asked."""
        task = self.task(item)
        before = list((task.initial_state and task.initial_state.message_history) or ())
        leaves = self.messages.UserMessage(role="user", content=STOP)
        self._voices.ask(None)
        return self._score(
            item,
            self.simulation.SimulationRun(
                id="fixed",
                task_id=task.id,
                start_time="",
                end_time="",
                duration=0.0,
                termination_reason="user_stop",
                messages=[*before, *said, leaves],
            ),
        )

    def _score(self, item: Item, run: Any) -> Score:
        found = self._evaluator.evaluate_simulation(
            simulation=run,
            task=self.task(item),
            evaluation_type=self._evaluator.EvaluationType.ALL,
            solo_mode=False,
            domain=item.domain,
            **({"env_kwargs": given} if (given := self._given(item)) else {}),
        )
        parts = {kind.value: float(part) for kind, part in (found.reward_breakdown or {}).items()}
        if found.reward >= 1 - 1e-6:
            return Score(1, measures=parts)
        return Score(0, f"not met: {', '.join(n for n, part in parts.items() if part < 1)}", parts)

    def _start(self, environment: Any, task: Any) -> None:
        state = task.initial_state
        environment.set_state(
            initialization_data=state and state.initialization_data,
            initialization_actions=state and state.initialization_actions,
            message_history=(state and state.message_history) or [],
        )

    def _check_retrieval(self) -> None:
        """UserError if the documents of that domain cannot be searched in this way."""
        name = f"{PACKAGE}.domains.{SEARCHED}.retrieval"
        ways = module(name, self._root, "get_all_variant_names").get_all_variant_names()
        pick("way to search", self._retrieval, ways, "--retrieval")
        module(f"{PACKAGE}.runner.build", self._root, "_build_env_kwargs")
        if self._retrieval.startswith(RETRIEVAL) and find_spec("rank_bm25") is None:
            raise UserError(
                f"{self._retrieval} needs the package rank-bm25", mend="pip install rank-bm25"
            )

    def _splits(self, domain: str) -> list[str]:
        load = self.registry.get_task_splits_loader(domain)
        if load is None:
            return [BASE]
        try:
            return sorted(load())
        except FileNotFoundError:
            return [BASE]

    def _of(self, domain: str, split: str) -> dict[str, Any]:
        if (domain, split) not in self._tasks:
            load = self.registry.get_tasks_loader(domain)
            plain = self.registry.get_task_splits_loader(domain) is None
            try:
                found = load(None) if plain else load(split)
            except FileNotFoundError as error:
                raise _missing(error) from None
            self._tasks[domain, split] = {task.id: task for task in found}
        return self._tasks[domain, split]


DATA = (".json", ".toml", ".md")


class Tau2Conversation:
    def __init__(self, bench: Tau2Bench, item: Item) -> None:
        self._bench, self._item = bench, item
        self._environment = bench.environment(item)
        self.system = bench.system(self._environment.policy)
        schemas = [tool.openai_schema["function"] for tool in self._environment.get_tools()]
        self.tools = {
            each["name"]: Tool(
                name=each["name"],
                description=each["description"],
                parameters=each["parameters"],
                kind="write",
            )
            for each in schemas
        }

    def hold(self, asks: Asks, most: int | None) -> Held:
        state = self._bench.task(self._item).initial_state
        if state is not None and state.message_history:
            return Held("unscored", None, "it begins in the middle of a dialogue")
        return self._bench.converse(self._item, self._environment, asks, most or MOST)


def _is_judged(task: Any) -> bool:
    criteria = task.evaluation_criteria
    return (
        criteria is not None
        and any(basis.value == "NL_ASSERTION" for basis in criteria.reward_basis)
        and bool(criteria.nl_assertions)
    )


def _missing(error: FileNotFoundError) -> UserError:
    return UserError(
        "is missing", where=str(error.filename), mend="a whole checkout, or another --domain"
    )
