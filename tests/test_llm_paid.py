"""A model that costs something: its price, a budget that is never passed, answers that are kept."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.speed.endpoint import Reply, Server, completion, says, serving
from forge.errors import BudgetSpent, UserError
from forge.llm.budget import Budget, Purse, budget_of
from forge.llm.cache import Cache, key_of
from forge.llm.client import Client, Endpoint
from forge.llm.model import Model
from forge.llm.prices import Tariff, tariff_of
from forge.types.data import Json

HELLO: dict[str, Json] = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 10}


def asking(
    server: Server, times: int, budget: Budget, cache: Cache | None = None, **body: Json
) -> tuple[list[str], Model]:
    """So many samples of one request, asked at once; "" for one that the budget stopped."""

    async def ask() -> tuple[list[str], Model]:
        client = Client(Endpoint("scripted", base_url=server.url, pause=0.001))
        model = Model(client, Purse(budget, None), cache=cache, concurrency=4)

        async def one(sample: int) -> str:
            try:
                found = await model.complete({**HELLO, **body}, use="hello", sample=sample)
            except BudgetSpent:
                return ""
            return found.message.text

        try:
            return await asyncio.gather(*map(one, range(times))), model
        finally:
            await model.close()

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("5usd", Budget(usd=5)),
        ("0.25 USD", Budget(usd=0.25)),
        ("200ktok", Budget(tokens=200_000)),
        ("1.5mtok", Budget(tokens=1_500_000)),
        ("900tokens", Budget(tokens=900)),
    ],
)
def test_a_budget_is_in_dollars_or_tokens(text: str, budget: Budget) -> None:
    assert budget_of(text) == budget


@pytest.mark.parametrize("text", ["", "5", "usd", "-1usd", "5eur", "1e3tok"])
def test_what_is_no_budget_is_said(text: str) -> None:
    with pytest.raises(UserError, match="is no budget"):
        budget_of(text)


def test_a_known_model_has_a_price_and_an_unknown_one_or_a_server_of_ones_own_has_none() -> None:
    known = tariff_of("gpt-4o-mini", None)
    assert known is not None
    assert known.cost(1_000_000, 0) < known.cost(0, 1_000_000)
    assert known.cost(2000, 200) == pytest.approx(2 * known.cost(1000, 100))
    assert tariff_of("no-such-model", None) is None
    assert tariff_of("gpt-4o-mini", "http://127.0.0.1:8000/v1") is None


def test_dollars_are_no_budget_where_there_is_no_price() -> None:
    with pytest.raises(UserError, match="nobody says what this model costs"):
        Purse(Budget(usd=1), None)


def test_dollars_are_counted_by_the_price() -> None:
    tariff = tariff_of("gpt-4o-mini", None)
    assert isinstance(tariff, Tariff)
    purse = Purse(Budget(usd=1), tariff)
    assert purse.pay(1000, 100).usd == pytest.approx(tariff.cost(1000, 100))
    assert purse.spent.usd == pytest.approx(tariff.cost(1000, 100))


def test_a_budget_stops_before_it_is_passed_and_what_was_answered_is_kept() -> None:
    with serving(says("Hi.")) as server:
        told, model = asking(server, 10, Budget(tokens=100))
    assert model.purse.spent.tokens <= 100
    assert 0 < told.count("Hi.") == model.tallies["hello"].asked < 10
    assert len(server.asked) == told.count("Hi.")


@given(
    st.integers(0, 400),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1)), max_size=12),
)
def test_no_order_of_requests_passes_the_budget(
    most: int, requests: list[tuple[int, int, float]]
) -> None:
    async def spend() -> tuple[Purse, int]:
        purse = Purse(Budget(tokens=most), None)
        refused = 0

        async def one(prompt: int, answer: int, share: float) -> None:
            nonlocal refused
            try:
                async with purse.holding(prompt, answer):
                    await asyncio.sleep(0)
                    purse.pay(prompt, int(answer * share))
            except BudgetSpent:
                refused += 1

        await asyncio.gather(*(one(*each) for each in requests))
        return purse, refused

    purse, refused = asyncio.run(spend())
    assert purse.spent.tokens <= most
    assert refused == 0 or sum(prompt + answer for prompt, answer, _ in requests) > most


def test_what_was_answered_before_is_not_asked_again(tmp_path: Path) -> None:
    with serving(says("Hi.")) as server:
        with closing(Cache(tmp_path / "c.db")) as cache:
            asking(server, 3, Budget(), cache)
        with closing(Cache(tmp_path / "c.db")) as cache:
            told, model = asking(server, 4, Budget(), cache)
    assert told == ["Hi."] * 4
    assert (model.tallies["hello"].cached, model.tallies["hello"].asked) == (3, 1)
    assert len(server.asked) == 4


def test_samples_requests_models_and_servers_are_told_apart() -> None:
    keys = {
        key_of("m", "u", HELLO, 0),
        key_of("m", "u", HELLO, 1),
        key_of("n", "u", HELLO, 0),
        key_of("m", "v", HELLO, 0),
        key_of("m", "u", {**HELLO, "temperature": 1}, 0),
    }
    assert len(keys) == 5
    assert key_of("m", "u", dict(reversed(HELLO.items())), 0) == key_of("m", "u", HELLO, 0)


def test_answers_of_requests_that_overlap_are_each_their_own(tmp_path: Path) -> None:
    replies = [Reply(completion({"content": f"{n}"}), seconds=0.05 - n / 200) for n in range(8)]
    with serving(replies) as server, closing(Cache(tmp_path / "c.db")) as cache:
        told, _ = asking(server, 8, Budget(), cache)
        again, _ = asking(server, 8, Budget(), cache)
    assert sorted(told) == [str(n) for n in range(8)]
    assert again == told


def test_several_processes_may_use_one_cache(tmp_path: Path) -> None:
    def write(start: int) -> None:
        with closing(Cache(tmp_path / "c.db")) as cache:
            for number in range(start, start + 50):
                cache.put(str(number), answer)

    with serving(says("Hi.")) as server:

        async def ask():
            client = Client(Endpoint("scripted", base_url=server.url))
            try:
                return await client.complete(HELLO)
            finally:
                await client.close()

        answer = asyncio.run(ask())
    threads = [threading.Thread(target=write, args=(50 * n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(Cache(tmp_path / "c.db")) as cache:
        assert all(cache.get(str(number)) == answer for number in range(150))


def test_a_file_that_is_no_cache_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are notes, and no database." * 40)
    with pytest.raises(UserError, match=r"notes.txt: no cache of answers"):
        Cache(path)
    assert path.read_text().startswith("These are notes")


def test_the_key_of_the_endpoint_is_not_in_the_cache(tmp_path: Path) -> None:
    with serving(says("Hi.")) as server, closing(Cache(tmp_path / "c.db")) as cache:

        async def ask() -> None:
            client = Client(Endpoint("scripted", base_url=server.url, key="sk-not-to-be-seen"))
            model = Model(client, Purse(Budget(), None), cache=cache)
            await model.complete(HELLO, use="hello")
            await model.close()

        asyncio.run(ask())
    with sqlite3.connect(tmp_path / "c.db") as file:
        assert "sk-not" not in "\n".join(file.iterdump())
