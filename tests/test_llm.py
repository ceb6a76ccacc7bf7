"""The client, against a real server that does what servers do wrong."""

import asyncio
from collections.abc import Sequence

import pytest

from evals.speed.endpoint import Reply, Server, completion, refuses, says, serving
from forge.errors import ContextFull, EndpointLost, UserError
from forge.llm.client import Client, Endpoint
from forge.llm.completion import Completion
from forge.types.data import Json

HELLO: dict[str, Json] = {"messages": [{"role": "user", "content": "Hello"}]}
SECRET = "sk-not-to-be-seen"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def endpoint(server: Server, **options: Json) -> Endpoint:
    given: dict[str, Json] = {"model": "scripted", "pause": 0.001, "longest": 0.01, "tries": 4}
    return Endpoint(base_url=server.url, **{**given, **options})


async def chat(client: Client, times: int = 1) -> list[Completion]:
    try:
        return [await client.complete(HELLO) for _ in range(times)]
    finally:
        await client.close()


def asked(
    replies: Reply | Sequence[Reply], times: int = 1, **options: Json
) -> tuple[list[Completion], Client, Server]:
    with serving(replies) as server:
        client = Client(endpoint(server, **options))
        return asyncio.run(chat(client, times)), client, server


def test_an_answer_comes_with_its_text_and_the_tokens_it_took() -> None:
    (got,), _, server = asked(says("Hello."))
    assert (got.message.text, got.prompt_tokens, got.completion_tokens) == ("Hello.", 7, 5)
    assert server.asked[0].body == {"model": "scripted", **HELLO}


def test_tokens_that_the_server_does_not_count_are_0() -> None:
    body = completion({"content": "Hello."})
    del body["usage"]
    (got,), _, _ = asked(Reply(body))
    assert (got.prompt_tokens, got.completion_tokens) == (0, 0)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuses(429, "slow down", headers={"Retry-After": "0"}), "429"),
        (refuses(429, "slow down"), "429"),
        (refuses(500, "oh"), "500"),
        (Reply(b"<html>bad gateway</html>", status=502), "502"),
        (refuses(503, "Loading model"), "503"),
        (Reply(completion({"content": "Hello."}), cut=20), "connection"),
        (Reply({**completion({}), "choices": []}), "unusable"),
        (Reply({"id": "c"}), "unusable"),
        (Reply(b'{"choices": [{'), "unusable"),
        (Reply(b"[" * 100_000), "unusable"),
        (Reply(b""), "unusable"),
        (Reply({"error": {"message": "upstream is gone"}}), "unusable"),
        (Reply({**completion({}), "choices": [{"message": None}]}), "unusable"),
    ],
)
def test_what_passes_is_asked_again(reply: Reply, kind: str) -> None:
    (got,), client, server = asked([reply, reply, says("Hello.")])
    assert got.message.text == "Hello."
    assert client.troubles == {kind: 2}
    assert [each.body for each in server.asked] == [{"model": "scripted", **HELLO}] * 3


@pytest.mark.parametrize(
    "slow",
    [
        Reply(completion({"content": "Hello."}), seconds=30),
        Reply(completion({"content": "Hello."}), drip=0.05),
    ],
)
def test_an_answer_that_takes_too_long_is_asked_for_again(slow: Reply) -> None:
    (got,), client, _ = asked([slow, says("Hello.")], seconds=0.5)
    assert got.message.text == "Hello."
    assert client.troubles == {"timeout": 1}


def test_the_tries_are_bounded_and_the_last_trouble_is_told_in_a_line() -> None:
    with serving(Reply(b"<html>\nbad gateway\n</html>", status=502)) as server:
        with pytest.raises(EndpointLost) as lost:
            asyncio.run(chat(Client(endpoint(server))))
        assert len(server.asked) == 4
    assert str(lost.value) == f"{server.url}: HTTP 502, <html> bad gateway </html> (4 tries)"


def test_the_pause_that_the_server_asks_for_is_kept_in_place_of_a_longer_one() -> None:
    """With the pauses it would choose itself, this would take hours."""
    wait = refuses(429, "slow down", headers={"Retry-After": "0"})
    (got,), client, _ = asked([wait, wait, says("Hello.")], pause=3600, longest=3600)
    assert got.message.text == "Hello."
    assert client.troubles == {"429": 2}


def test_a_pause_until_a_date_that_is_past_is_none() -> None:
    wait = refuses(503, "later", headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})
    (got,), client, _ = asked([wait, says("Hello.")], pause=3600, longest=3600)
    assert got.message.text == "Hello."
    assert client.troubles == {"503": 1}


def failing(reply: Reply | Sequence[Reply], times: int = 1, **options: Json) -> UserError:
    with pytest.raises(UserError) as error:
        asked(reply, times, **options)
    assert "\n" not in str(error.value)
    return error.value


def test_a_wrong_name_of_the_model_tells_those_there_are() -> None:
    with serving(says("Hello."), models=["qwen-coder", "qwen-plain", "other"]) as server:
        client = Client(endpoint(server, model="qwen-codr"))
        with pytest.raises(UserError) as error:
            asyncio.run(chat(client))
        assert len(server.asked) == 1
    assert str(error.value) == (
        f"{server.url} has no model 'qwen-codr' (--model qwen-coder or qwen-plain)"
    )


def test_an_address_without_completions_says_how_addresses_end() -> None:
    with serving(says("Hello."), models=[]) as server:
        client = Client(Endpoint("scripted", base_url=server.url.removesuffix("/v1")))
        with pytest.raises(UserError) as error:
            asyncio.run(chat(client))
    assert error.value.mend == "--base-url, which mostly ends in /v1"


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_named_and_never_shown(status: int) -> None:
    error = failing(refuses(status, "Incorrect API key"), key=SECRET)
    assert error.mend == "OPENAI_API_KEY"
    assert SECRET not in str(error)


def test_the_key_is_sent_and_is_in_no_text_about_the_client() -> None:
    with serving(says("Hello.")) as server:
        given = endpoint(server, key=SECRET)
        asyncio.run(chat(Client(given)))
    assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(given)


def test_a_server_of_ones_own_needs_no_key() -> None:
    _, _, server = asked(says("Hello."))
    assert server.asked[0].headers["authorization"] == "Bearer none"


def test_an_exhausted_quota_is_not_waited_for() -> None:
    error = failing(refuses(429, "You exceeded your current quota", code="insufficient_quota"))
    assert "quota" in error.what


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        (500, "tools param requires --jinja flag"),
        (400, "registry/gemma does not support tools"),
        (400, "'response_format.type' must be one of 'text'"),
    ],
)
def test_a_server_without_that_format_names_the_others(status: int, message: str) -> None:
    error = failing(refuses(status, message))
    assert message.split(maxsplit=1)[0] in error.what
    assert "--format json" in error.mend


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "This model's maximum context length is 4096 tokens. However, you requested", ""),
        (400, "the request exceeds the available context size", "exceed_context_size_error"),
        (400, "Please reduce the length of the messages.", "context_length_exceeded"),
        (413, "Payload too large", ""),
    ],
)
def test_a_conversation_that_no_longer_fits_is_no_error_of_the_endpoint(
    status: int, message: str, code: str
) -> None:
    with serving(refuses(status, message, code)) as server:
        with pytest.raises(ContextFull, match=message.split(maxsplit=1)[0]):
            asyncio.run(chat(Client(endpoint(server))))
        assert len(server.asked) == 1


def test_a_setting_that_the_server_refuses_is_the_users_to_mend() -> None:
    error = failing(refuses(400, "temperature must be at most 2"))
    assert error.what.endswith("temperature must be at most 2")


@pytest.mark.parametrize(
    "later",
    [
        refuses(400, "the prompt was flagged"),
        refuses(429, "You exceeded your quota", code="insufficient_quota"),
        refuses(401, "the key was revoked"),
    ],
)
def test_what_is_refused_where_others_passed_ends_no_run(later: Reply) -> None:
    with pytest.raises(EndpointLost, match=r"flagged|quota|revoked"):
        asked([says("Hello."), later], times=2)


def test_where_nothing_listens_it_is_said_at_once() -> None:
    with serving(says("Hello.")) as server:
        gone = server.url
    with pytest.raises(UserError) as error:
        asyncio.run(chat(Client(Endpoint("scripted", base_url=gone))))
    assert str(error.value) == f"no server answers at {gone} (start it, or --base-url)"


def test_a_server_that_goes_away_later_is_lost_and_no_error_of_the_user() -> None:
    async def play() -> None:
        with serving(says("Hello.")) as server:
            client = Client(endpoint(server))
            await client.complete(HELLO)
        with pytest.raises(EndpointLost, match="4 tries"):
            await client.complete(HELLO)
        await client.close()

    asyncio.run(play())


def test_without_an_address_and_a_key_it_says_what_to_give() -> None:
    with pytest.raises(UserError, match="--base-url"):
        Client(Endpoint("scripted"))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match="localhost:8000' is not the address"):
        Client(Endpoint("scripted", base_url="localhost:8000"))


def test_64_callers_have_64_requests_open() -> None:
    async def play(server: Server) -> list[Completion]:
        client = Client(endpoint(server, seconds=60))
        try:
            return await asyncio.gather(*[client.complete(HELLO) for _ in range(64)])
        finally:
            await client.close()

    with serving(Reply(completion({"content": "Hello."}), seconds=1), slots=64) as server:
        got = asyncio.run(play(server))
    assert [each.message.text for each in got] == ["Hello."] * 64
    assert max(busy for _, busy in server.usage) == 64


def test_half_a_character_at_the_end_of_an_answer_can_be_written() -> None:
    body = b'{"choices": [{"message": {"content": "caf\xc3\xa9 \\ud83d"}}]}'
    (got,), _, _ = asked(Reply(body))
    assert got.message.text == "café \N{REPLACEMENT CHARACTER}"


def test_an_answer_in_parts_is_one_text() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo."}]
    (got,), _, _ = asked(Reply(completion({"content": parts})))
    assert got.message.text == "Hello."


def test_a_slow_model_of_ones_own_is_not_asked_for_the_same_again() -> None:
    slow = Reply(says("late").body, seconds=5)
    with serving(slow) as server:
        client = Client(endpoint(server, held="local:m.gguf 1", seconds=0.2))
        with pytest.raises(EndpointLost, match=r"no answer in 0\.2 s, --timeout \(1 try\)"):
            asyncio.run(chat(client))
        assert len(server.asked) == 1
