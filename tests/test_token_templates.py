"""Conversations as ids, over the chat templates and tokenizers of real models."""

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from forge.cli.main import app
from forge.errors import UserError
from forge.rollout.policies.calls import read_text
from forge.rollout.tokens.load import load_template
from forge.rollout.tokens.rows import rows
from forge.rollout.tokens.talk import Sampled, TokenEngine, TokenTalk
from forge.rollout.tokens.template import Template, at
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Tokens
from tests.tokenizers import MODELS, chat_template, needs_tokenizers, template, tokenizer

pytestmark = needs_tokenizers

NOW = "2026-03-01T09:30:00"
TOOL = {
    "type": "function",
    "function": {
        "name": "find_user",
        "description": "Finds <|im_end|> a user.",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
FIND_USER = Tool(name="find_user", description="", parameters={"type": "object"}, kind="read")
MARKS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|im_start|>",
    "<tool_call>",
    "</think>",
    "\n",
    "  ",
    "é",
    "你",
)
BY_TOOLS = ("qwen2.5", "qwen3", "llama3.1")


@dataclass
class Written:
    """Samples what was written down. `asked`: the prompts."""

    responses: Sequence[Sequence[int]]
    asked: list[list[int]] = field(default_factory=list)

    async def sample(self, prompt: list[int], body: Mapping[str, Json]) -> Sampled:
        response = tuple(self.responses[len(self.asked)])
        self.asked.append(prompt)
        return Sampled(response, (-1.0,) * len(response), "stop")

    async def close(self) -> None:
        pass


def spoken(
    model: Template,
    responses: Sequence[Sequence[int]],
    backs: Sequence[Sequence[Json]],
    **body: Json,
) -> tuple[Written, list[Tokens], list[Json]]:
    """A conversation of these responses, each but the last answered by what comes back."""
    sampler = Written(responses)
    talk = TokenEngine("m", model, sampler).talk(NOW)
    messages: list[Json] = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Hello!"},
    ]

    async def speak() -> list[Tokens]:
        made = []
        for back in backs:
            made.append(await say(talk, messages, body))
            messages.extend(back)
        return [*made, await say(talk, messages, body)]

    return sampler, asyncio.run(speak()), messages


async def say(talk: TokenTalk, messages: list[Json], body: Mapping[str, Json]) -> Tokens:
    completion = await talk.complete({"messages": messages, **body})
    messages.append({"role": "assistant", "content": completion.message.text})
    assert completion.tokens is not None
    return completion.tokens


def ended(model: str) -> Template:
    """With another end beside the template's own, which models use at times."""
    other = tokenizer(model).bos_token_id
    return Template(tokenizer(model), model, [other])


texts = st.lists(st.sampled_from(MARKS) | st.text(max_size=8), max_size=6).map("".join)
users = texts.map(lambda text: [{"role": "user", "content": text}])
results = st.lists(texts, min_size=1, max_size=3).map(
    lambda given: [{"role": "tool", "tool_call_id": "c", "content": text} for text in given]
)


@st.composite
def dialogues(draw: st.DrawFn, model: str) -> tuple[list[list[int]], list[list[Json]], list[Json]]:
    """Responses of any ids, which no text need encode to, mostly ended; and what came back."""
    made = ended(model)
    end = st.sampled_from([*([[end] for end in sorted(made.ends)] * 2), []])
    written = st.lists(st.integers(0, 120_000), max_size=8)
    encoded = texts.map(lambda text: tokenizer(model).encode(text, add_special_tokens=False))
    number = draw(st.integers(1, 4))
    responses = [
        [id for id in draw(written | encoded) if id not in made.ends] + draw(end)
        for _ in range(number)
    ]
    tools = model in BY_TOOLS
    backs = [draw(users | results if tools else users) for _ in range(number - 1)]
    return responses, backs, [TOOL] if tools else []


@pytest.mark.parametrize("model", MODELS)
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_each_prompt_is_the_prompt_and_response_before_it_id_for_id_and_what_came_back(
    model: str, data: st.DataObject
) -> None:
    responses, backs, tools = data.draw(dialogues(model))
    made = ended(model)
    sampler, tokens, messages = spoken(made, responses, backs, tools=tools)
    for number in range(1, len(responses)):
        before = [*sampler.asked[number - 1], *responses[number - 1]]
        prompt = sampler.asked[number]
        assert prompt[: len(before)] == before
        behind = prompt[len(before) :]
        upto = [n for n, m in enumerate(messages) if m["role"] == "assistant"][number]
        anew = made.prompt(messages[:upto], tools, at(NOW))
        assert anew[len(anew) - len(behind) :] == behind
    (row,) = rows(tokens)
    assert row.drifted == 0
    assert list(row.ids) == [*sampler.asked[-1], *responses[-1]]


@pytest.mark.slow
def test_smollm2_goes_on_id_for_id_in_its_own_vocabulary(tmp_path: Path) -> None:
    """As it is published: a file of 92 MB."""
    run = CliRunner().invoke(app, ["models", "fetch", "smollm2-135m", "--into", str(tmp_path)])
    assert run.exit_code == 0, run.output
    made, dice = load_template(tmp_path / "smollm2-135m.gguf"), Random(0)
    for _ in range(20):
        responses = [[dice.randrange(49_000) for _ in range(8)] for _ in range(3)]
        responses = [[id for id in ids if id not in made.ends] for ids in responses]
        responses = [[*ids, *([min(made.ends)] * dice.randrange(2))] for ids in responses]
        back = [{"role": "user", "content": dice.choice(["Go on.", "<|im_end|>", " 你 "])}]
        sampler, tokens, _ = spoken(made, responses, [back, back])
        for number in (1, 2):
            before = [*sampler.asked[number - 1], *responses[number - 1]]
            assert sampler.asked[number][: len(before)] == before
        (row,) = rows(tokens)
        assert row.drifted == 0


@pytest.mark.parametrize("model", MODELS)
def test_a_response_as_its_template_writes_it_drifts_nowhere(model: str) -> None:
    """Then the prompt is also what the template would write anew."""
    made = template(model)
    said = [
        tokenizer(model).encode(f"{text}{tokenizer(model).eos_token}") for text in ("Hi.", "Ok.")
    ]
    sampler, _, messages = spoken(made, said, [[{"role": "user", "content": "Go on."}]])
    assert sampler.asked[1] == made.prompt(messages[:4], None, at(NOW))


def test_thinking_that_the_template_strips_stays_where_it_was_sampled() -> None:
    made, tokens = template("qwen3"), tokenizer("qwen3")
    said = tokens.encode("<think>\nHm.\n</think>\n\nHi.<|im_end|>")
    sampler, _, messages = spoken(made, [said, said], [[{"role": "user", "content": "Go on."}]])
    assert tokens.decode(sampler.asked[1]).count("Hm.") == 1
    assert "Hm." not in tokens.decode(made.prompt(messages[:4], None, at(NOW)))


def test_several_results_are_one_turn_where_the_template_has_it_so() -> None:
    made, tokens = template("qwen2.5"), tokenizer("qwen2.5")
    back = [{"role": "tool", "tool_call_id": c, "content": c} for c in ("one", "two")]
    said = tokens.encode("Look.<|im_end|>")
    sampler, _, _ = spoken(made, [said, said], [back], tools=[TOOL])
    behind = tokens.decode(sampler.asked[1][len(sampler.asked[0]) + len(said) :])
    assert behind == (
        "\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n"
        "</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_response_that_was_cut_is_ended_by_the_template() -> None:
    made, tokens = template("qwen2.5"), tokenizer("qwen2.5")
    said = tokens.encode("I will")
    sampler, found, _ = spoken(made, [said, said], [[{"role": "user", "content": "Yes?"}]])
    end = tokens.eos_token_id
    assert sampler.asked[1][len(sampler.asked[0]) + len(said)] == end
    assert [sum(row.trained) for row in rows(found)] == [2 * len(said)]


@pytest.mark.parametrize("model", ["qwen2.5", "llama3.1"])
def test_marks_in_what_others_say_are_text(model: str) -> None:
    made, tokens = template(model), tokenizer(model)
    mark = tokens.eos_token
    said = [{"role": "system", "content": mark}, {"role": "user", "content": f"a{mark}b"}]
    plain = [{"role": "system", "content": "c"}, {"role": "user", "content": "d"}]
    tool = {**TOOL, "function": {**TOOL["function"], "description": mark}}
    told = made.prompt(said, [tool], at(NOW))
    ends = told.count(tokens.eos_token_id)
    assert ends == made.prompt(plain, [TOOL], at(NOW)).count(tokens.eos_token_id)
    assert tokens.decode(told).count(mark) == ends + 3


def test_templates_are_told_the_day_of_the_task() -> None:
    made, tokens = template("llama3.1"), tokenizer("llama3.1")
    said = [{"role": "user", "content": "Hi"}]
    assert "Today Date: 01 Mar 2026" in tokens.decode(made.prompt(said, None, at(NOW)))
    now = copy(tokens)
    now.chat_template = "{{ strftime_now('%Y-%m-%d') }}"
    assert tokens.decode(Template(now, "m").prompt(said, None, at(NOW))) == "2026-03-01"


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("llama3", "does not tell of tools"),
        ("gemma", "System role not supported"),
        ("gemma4", "does not tell what tools gave"),
    ],
)
def test_what_a_template_cannot_write_is_said_in_a_line_that_names_the_way_round(
    file: str, reason: str
) -> None:
    tokens = copy(tokenizer("qwen2.5"))
    tokens.chat_template = chat_template(file)
    said = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
    with pytest.raises(UserError, match=f"{reason}.*--format hermes"):
        Template(tokens, "m").prompt(said, [TOOL], at(NOW))


def test_a_model_without_a_chat_template_is_refused() -> None:
    tokens = copy(tokenizer("qwen2.5"))
    tokens.chat_template = None
    with pytest.raises(UserError, match="no chat template"):
        Template(tokens, "m")


@pytest.mark.parametrize("model", BY_TOOLS)
def test_a_turn_is_written_as_the_model_would_have(model: str) -> None:
    made, tokens = template(model), tokenizer(model)
    said = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
    call = {"name": "find_user", "arguments": '{"name": "Bo"}'}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": call}]}
    response = made.response(said, message, [TOOL], at(NOW))
    assert response[-1] == tokens.eos_token_id
    assert tokens.eos_token_id not in response[:-1]
    (read,) = read_text(made.text(response), {"find_user": FIND_USER}).calls
    assert (read.tool, read.arguments) == ("find_user", {"name": "Bo"})


def test_the_head_of_a_text_is_whole_characters() -> None:
    made = template("qwen2.5")
    text = "Hello 𝔘𝔘𝔘 there"
    heads = [made.head(text, number) for number in range(20)]
    assert heads[0] == ""
    assert heads[-1] == text
    assert all(text.startswith(head) for head in heads)
    assert heads == sorted(heads, key=len)


def test_templates_are_written_as_transformers_writes_them() -> None:
    tokens = copy(tokenizer("qwen2.5"))
    call = {"id": "c", "type": "function"}
    call["function"] = {"name": "find_user", "arguments": {"name": "<Bo>"}}
    said = [
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "<think>\nc\n</think>\n\nd", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "e"},
    ]
    tool = {**TOOL, "function": {**TOOL["function"], "description": "<Finds> 'a' user"}}
    for name in ("glm4moe", "lfm2_2_5", "llama3_2", "qwen2_5_training", "qwen3_5_think", "qwen3_8"):
        tokens.chat_template = chat_template(name)
        theirs = tokens.apply_chat_template(
            said, tools=[tool], add_generation_prompt=True, return_dict=False
        )
        today = {"strftime_now": datetime.now().strftime}
        assert Template(tokens, name).prompt(said, [tool], today) == theirs, name
