"""Answers of a form, from servers that know structured output and from those that refuse it."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from evals.speed.endpoint import Reply, Request, Server, refuses, says, serving
from forge.errors import EndpointLost, UserError
from forge.llm.client import Client, Endpoint
from forge.llm.structured import Answer, Misfit, Structured, Unreadable, fitting, schema_of
from forge.types.data import Json


class Part(BaseModel):
    title: str
    size: int | None = None


class Plan(BaseModel):
    name: str
    parts: list[Part]


GOOD = '{"name": "a", "parts": [{"title": "b", "size": 2}]}'
PLAN = Plan(name="a", parts=[Part(title="b", size=2)])
WANTED: list[Json] = [{"role": "user", "content": "A plan, please."}]


def answered(
    answer: Sequence[Reply] | Reply, times: int = 1, body: Json = None
) -> tuple[list[Answer[Plan]], Server]:
    async def ask(url: str) -> list[Answer[Plan]]:
        client = Client(Endpoint("scripted", url, tries=2, pause=0.001))
        structured = Structured(client.name, client.complete)
        try:
            return [await structured.ask(WANTED, Plan, body or {}) for _ in range(times)]
        finally:
            await client.close()

    with serving(answer) as server:
        return asyncio.run(ask(server.url)), server


def without_structured_output(request: Request) -> Reply:
    if "response_format" in request.body:
        return refuses(400, "'response_format.type' must be one of 'text'")
    return says(f"Here it is:\n```json\n{GOOD}\n```\nI hope that this helps.")


def test_the_server_is_asked_to_hold_the_model_to_the_schema() -> None:
    (answer,), server = answered(says(GOOD), body={"temperature": 0.5})
    assert (answer.value, answer.repaired) == (PLAN, False)
    sent = server.asked[0].body
    assert sent["temperature"] == 0.5
    assert sent["messages"] == WANTED
    assert sent["response_format"]["type"] == "json_schema"
    assert sent["response_format"]["json_schema"]["schema"] == schema_of(Plan)


def test_the_schema_is_one_that_strict_servers_take() -> None:
    schema = schema_of(Plan)
    Draft202012Validator.check_schema(schema)
    objects = [schema, schema["$defs"]["Part"]]
    assert all(each["required"] == list(each["properties"]) for each in objects)
    assert all(each["additionalProperties"] is False for each in objects)
    assert "title" in schema["$defs"]["Part"]["properties"]
    assert '"default"' not in json.dumps(schema)


def test_a_server_that_refuses_structured_output_is_asked_in_words_from_then_on() -> None:
    with serving(without_structured_output) as server:

        async def ask() -> list[Plan]:
            client = Client(Endpoint("scripted", server.url, tries=2, pause=0.001))
            structured = Structured(client.name, client.complete)
            found = await asyncio.gather(*(structured.ask(WANTED, Plan, {}) for _ in range(3)))
            found.append(await structured.ask(WANTED, Plan, {}))
            await client.close()
            return [each.value for each in found]

        assert asyncio.run(ask()) == [PLAN] * 4
        assert "response_format" not in server.asked[-1].body
        assert sum("response_format" in each.body for each in server.asked) <= 3


def test_where_it_was_known_once_a_refusal_is_no_reason_to_do_without() -> None:
    refusal = refuses(500, "failed to parse grammar")
    with pytest.raises(EndpointLost, match="grammar"):
        answered([says(GOOD), refusal], times=2)


def test_what_does_not_fit_goes_back_once_with_what_is_wrong() -> None:
    wrong = '{"name": "a", "parts": [{"size": "many"}]}'
    (answer,), server = answered([says(wrong), says(GOOD)])
    assert (answer.value, answer.repaired) == (PLAN, True)
    *before, assistant, told = server.asked[1].body["messages"]
    assert before == WANTED
    assert assistant == {"role": "assistant", "content": wrong}
    assert "parts.0.title: Field required" in told["content"]
    assert "parts.0.size" in told["content"]


def test_what_fits_not_even_then_is_lost_and_says_why() -> None:
    with pytest.raises(Unreadable, match="no JSON object"):
        answered([says("Sure!"), says("Of course.")])


def test_what_the_user_can_mend_comes_as_it_is() -> None:
    with pytest.raises(UserError, match="revoked"):
        answered(refuses(401, "the key was revoked"))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! {GOOD} Anything else?",
        f'<think>{{"name": "no", "parts": []}}</think>{GOOD}',
        f'In the form {{"name": …}}: {GOOD}',
        f'{{"other": 1}} {GOOD}',
        "{'name': 'a', 'parts': [{'title': 'b', 'size': 2,},]}",
        f'{GOOD} or {{"name": "z", "parts": []}}',
    ],
)
def test_the_first_object_that_fits_is_read_whatever_is_around_it(text: str) -> None:
    assert fitting(text, Plan) == PLAN


@pytest.mark.parametrize("text", ["", "{" * 10_000, '{"name": "a", "parts": [', "[1, 2]", "null"])
def test_a_text_without_an_object_that_fits_says_so(text: str) -> None:
    with pytest.raises(Misfit):
        fitting(text, Plan)


@given(st.text(), st.text(), st.text(), st.integers() | st.none())
def test_any_object_is_found_between_any_texts_without_braces(before, after, title, size) -> None:
    whole = Plan(name="a", parts=[Part(title=title, size=size)])
    around = [text.replace("{", "").replace("</think", "") for text in (before, after)]
    assert fitting(around[0] + whole.model_dump_json() + around[1], Plan) == whole
