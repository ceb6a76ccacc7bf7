"""Whole rollouts that keep their tokens, by a script and by servers that tell them as vLLM does."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from evals.speed.endpoint import Reply, Request, Server, says, serving, tells
from forge.errors import UserError
from forge.llm.client import Client, Endpoint
from forge.rollout.loop import rollout, run_here
from forge.rollout.policies.chat import Chat
from forge.rollout.policies.context import WHOLE, Context
from forge.rollout.policies.engine import Engine
from forge.rollout.policies.formats import Format
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.policies.shown import Shown
from forge.rollout.tokens.rows import Row, rows_of, sampled_in
from forge.rollout.tokens.served import Completions, Told
from forge.rollout.tokens.talk import TokenEngine
from forge.rollout.tokens.template import at
from forge.rollout.users.scripted import Scripted
from forge.rollout.users.user import Reply as Said
from forge.types.rollout import Trajectory
from forge.types.task import Task
from tests.tokenizers import needs_tokenizers, template, tokenizer
from tests.worlds import hand_tasks, hand_world

pytestmark = needs_tokenizers

TASKS = hand_tasks()[:12]
FORMATS: list[tuple[str, Format]] = [
    ("qwen2.5", "native"),
    ("qwen3", "native"),
    ("llama3.1", "native"),
    ("llama3", "hermes"),
    ("smollm2", "hermes"),
    ("qwen2.5", "react"),
    ("qwen3", "json"),
]


def by_oracle(model: str, task: Task, context: Context, format: Format) -> Trajectory:
    policy = Shown(Oracle(), context, format, template(model))
    return run_here(_rollout(policy, task))


async def _rollout(policy: Policy, task: Task) -> Trajectory:
    player, speaker = policy.seat(hand_world(), task, 1), Scripted().speaker(task, 1)
    return await rollout(
        hand_world(), task, player, speaker, policy=policy.name, user="scripted", seed=1
    )


def sampled(trajectory: Trajectory) -> int:
    return sum(len(each.response) for each in sampled_in(trajectory))


@pytest.mark.parametrize(("model", "format"), FORMATS)
def test_a_rollout_that_reads_all_of_the_dialogue_is_one_row(model: str, format: Format) -> None:
    for task in TASKS:
        trajectory = by_oracle(model, task, WHOLE, format)
        assert trajectory.reward == 1
        (row,) = rows_of(trajectory)
        assert row.drifted == 0
        assert sum(row.trained) == sampled(trajectory)
        last = trajectory.steps[-1].turn
        assert last.tokens is not None
        assert last.prompt_tokens + last.completion_tokens == len(row.ids)
        assert tokenizer(model).decode(row.ids).count(task.question.strip()) == 1


@pytest.mark.parametrize("strategy", ["window", "summary"])
def test_every_id_is_trained_once_whatever_is_read(strategy: str) -> None:
    context = Context("window") if strategy == "window" else Context("summary", 1, 1800)
    found = 0
    for task in TASKS:
        trajectory = by_oracle("qwen2.5", task, context, "native")
        assert trajectory.reward == 1
        rows = rows_of(trajectory)
        assert sum(sum(row.trained) + row.drifted for row in rows) == sampled(trajectory)
        found += len(rows)
    assert found > len(TASKS)


def test_a_policy_of_texts_keeps_no_tokens() -> None:
    trajectory = run_here(_rollout(Oracle(), TASKS[0]))
    assert all(step.turn.tokens is None for step in trajectory.steps)
    assert rows_of(trajectory) == ()


def test_a_template_that_does_not_write_calls_is_said() -> None:
    with pytest.raises(UserError, match=r"does not tell of tools.*--format hermes"):
        by_oracle("smollm2", TASKS[0], WHOLE, "native")


# ----------------------------------------------------------------------- servers

NOW = TASKS[0].now


class Brief:
    """A user who says three things, and is then done."""

    def __init__(self) -> None:
        self.said = iter(["Go on.", "And then?"])

    async def opening(self) -> str:
        return TASKS[0].question

    async def reply(self, heard: str) -> Said:
        said = next(self.said, None)
        return Said("Thanks.", "done") if said is None else Said(said)


def served(
    answer: Callable[[Request], Reply], engine_of: Callable[[Client], Engine]
) -> tuple[Trajectory, Server]:
    async def play(url: str) -> Trajectory:
        policy = Chat(engine_of(Client(Endpoint("scripted", base_url=url, tries=2, pause=0.001))))
        try:
            player = policy.seat(hand_world(), TASKS[0], 1)
            return await rollout(
                hand_world(), TASKS[0], player, Brief(), policy=policy.name, user="brief", seed=1
            )
        finally:
            await policy.close()

    with serving(answer) as server:
        return asyncio.run(play(server.url)), server


def told(model: str, texts: Sequence[str]) -> Callable[[Request], Reply]:
    """A server that writes prompts by the model's template, and says these."""
    left = list(texts)

    def answer(request: Request) -> Reply:
        body = request.body
        assert (body["return_token_ids"], body["logprobs"]) == (True, True)
        prompt = template(model).prompt(body["messages"], body["tools"], at(NOW))
        text = left.pop(0)
        return tells(prompt, tokenizer(model).encode(f"{text}<|im_end|>"), text)

    return answer


def rows_of_told(model: str, *texts: str) -> tuple[Row, ...]:
    trajectory, _ = served(told(model, texts), Told)
    assert sampled(trajectory) == sum(
        map(len, tokenizer(model)([f"{t}<|im_end|>" for t in texts])["input_ids"])
    )
    return rows_of(trajectory)


def test_ids_that_a_server_tells_are_one_row_where_it_writes_what_was_sampled() -> None:
    texts = ("Hi.", "So be it.", "Bye.")
    (row,) = rows_of_told("qwen2.5", *texts)
    assert row.drifted == 0
    written = [n for n, trained in zip(row.logprobs, row.trained, strict=True) if trained]
    lengths = [len(tokenizer("qwen2.5").encode(f"{text}<|im_end|>")) for text in texts]
    assert written == [-number for length in lengths for number in range(1, length + 1)]


def test_what_a_server_writes_otherwise_drifts() -> None:
    """Qwen3's template strips the thinking of turns before the last question."""
    rows = rows_of_told(
        "qwen3", "<think>\nHm.\n</think>\n\nHi.", "<think>\n\n</think>\n\nBye.", "Bye."
    )
    assert len(rows) == 3
    assert sum(row.drifted for row in rows) == 0


@pytest.mark.parametrize("engine", [Told, lambda client: TokenEngine(
    "m", template("qwen2.5"), Completions(client, frozenset())
)])  # fmt: skip
def test_a_server_that_tells_no_ids_is_said_to_be_none_of_vllm(
    engine: Callable[[Client], Engine],
) -> None:
    with pytest.raises(UserError, match="vLLM"):
        served(lambda request: says("Hi."), engine)


def test_prompts_sent_as_ids_hold_what_was_sampled_however_it_would_be_encoded() -> None:
    model, tokens = template("qwen3"), tokenizer("qwen3")
    h, i = tokens.encode("H"), tokens.encode("i")
    think = tokens.encode("<think>\nHm.\n</think>\n\n")
    assert [*h, *i] != tokens.encode("Hi")
    said = [[*think, *h, *i], [*h, *i, tokens.eos_token_id], [*h, *i, tokens.eos_token_id]]
    left = list(said)

    def answer(request: Request) -> Reply:
        body = request.body
        assert request.path.endswith("/v1/completions")
        assert (body["return_token_ids"], body["logprobs"], body["max_tokens"]) == (True, 0, None)
        assert body["stop_token_ids"] == [tokens.eos_token_id]
        assert "messages" not in body
        return tells(body["prompt"], left.pop(0), "ignored", chat=False)

    trajectory, server = served(
        answer, lambda client: TokenEngine("m", model, Completions(client, model.ends))
    )
    assert [step.turn.text for step in trajectory.steps] == ["Hi", "Hi", "Hi"]
    assert trajectory.steps[0].turn.thinking == "Hm."
    prompts = [request.body["prompt"] for request in server.asked]
    for number in (1, 2):
        before = [*prompts[number - 1], *said[number - 1]]
        assert prompts[number][: len(before)] == before
    (row,) = rows_of(trajectory)
    assert (row.drifted, sum(row.trained)) == (0, sum(map(len, said)))


def test_log_probs_that_are_too_few_are_asked_for_again() -> None:
    tokens = tokenizer("qwen2.5")
    whole = told("qwen2.5", ["Hi.", "Hi.", "Hi.", "Hi."])
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        reply = whole(request)
        if len(asked) == 1:
            reply.body["choices"][0]["logprobs"]["content"].pop()
        return reply

    trajectory, server = served(answer, Told)
    assert len(server.asked) == len(trajectory.steps) + 1
    assert sampled(trajectory) == 3 * len(tokens.encode("Hi.<|im_end|>"))
