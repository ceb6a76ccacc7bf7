"""A model in the process: what it writes, side by side, as if each conversation were alone."""

import asyncio
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from forge.errors import ContextFull, UserError
from forge.types.data import Json

if not (find_spec("torch") and find_spec("transformers")):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)

import torch
from transformers import AutoModelForCausalLM

from forge.rollout.tokens import local
from forge.rollout.tokens.decode import Draw, pick
from forge.rollout.tokens.load import load_template
from forge.rollout.tokens.talk import Sampled
from tests.tiny import tiny_model

GREEDY = {"temperature": 0, "max_tokens": 12, "seed": 1}
DRAWN = {"temperature": 1, "max_tokens": 12}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny"))


def local_at(folder: Path) -> local.Local:
    template = load_template(folder)
    return local.local_at(folder, template.ends, template.text)


def sampled(
    folder: Path, asked: Sequence[tuple[list[int], Mapping[str, Json]]], together: bool = True
) -> list[Sampled]:
    """All at once, or one after the other."""

    async def sample() -> list[Sampled]:
        local = local_at(folder)
        try:
            waiting = [local.sample(prompt, body) for prompt, body in asked]
            if together:
                return await asyncio.gather(*waiting)
            return [await each for each in waiting]
        finally:
            await local.close()

    return asyncio.run(sample())


def prompts(number: int) -> list[list[int]]:
    """Of different lengths; some begin as others do."""
    return [[(7 * at + n % 3) % 250 for at in range(3 + 5 * n)] for n in range(number)]


@pytest.mark.parametrize("together", [True, False])
def test_the_likeliest_ids_are_those_that_transformers_writes(folder: Path, together: bool) -> None:
    model = AutoModelForCausalLM.from_pretrained(folder)
    found = sampled(folder, [(prompt, GREEDY) for prompt in prompts(7)], together)
    for prompt, each in zip(prompts(7), found, strict=True):
        wanted = model.generate(
            torch.tensor([prompt]), do_sample=False, max_new_tokens=12, eos_token_id=257
        )[0, len(prompt) :]
        assert list(each.ids) == wanted.tolist()


def test_log_probs_are_those_of_the_whole_read_at_once(folder: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(folder)
    asked = [(prompt, {**DRAWN, "seed": n}) for n, prompt in enumerate(prompts(6))]
    for (prompt, _), each in zip(asked, sampled(folder, asked), strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([[*prompt, *each.ids]])).logits[0, len(prompt) - 1 : -1]
        wanted = logits.log_softmax(-1).gather(1, torch.tensor(each.ids)[:, None])[:, 0]
        assert each.logprobs == pytest.approx(wanted.tolist(), abs=1e-4)


def test_a_response_follows_from_its_seed_and_not_from_what_is_written_beside_it(
    folder: Path,
) -> None:
    asked = [(prompt, {**DRAWN, "seed": 3}) for prompt in prompts(6)]
    together = sampled(folder, asked)
    assert [each.ids for each in together] == [each.ids for each in sampled(folder, asked, False)]
    (other,) = sampled(folder, [(prompts(6)[5], {**DRAWN, "seed": 4})])
    assert other.ids != together[5].ids


def test_what_follows_an_earlier_response_is_as_if_it_was_read_anew(folder: Path) -> None:
    """Keys and values of what was read before are kept."""

    async def sample() -> tuple[Sampled, Sampled]:
        local = local_at(folder)
        before = await local.sample(prompts(6)[5], GREEDY)
        on = [*prompts(6)[5], *before.ids, 5, 6, 7]
        again = await local.sample(on, GREEDY)
        await local.close()
        return again, sampled_alone(on)

    def sampled_alone(prompt: list[int]) -> list[int]:
        model = AutoModelForCausalLM.from_pretrained(folder)
        made = model.generate(
            torch.tensor([prompt]), do_sample=False, max_new_tokens=12, eos_token_id=257
        )
        return made[0, len(prompt) :].tolist()

    again, alone = asyncio.run(sample())
    assert list(again.ids) == alone


def test_a_response_ends_at_an_end_or_where_it_is_cut(folder: Path) -> None:
    asked = [([n], {**DRAWN, "max_tokens": 400, "seed": n}) for n in range(20)]
    for each in sampled(folder, asked):
        ended = each.ids[-1] == 257
        assert 257 not in each.ids[:-1]
        assert each.finish == ("stop" if ended else "length")
        assert ended or len(each.ids) == 400


def test_a_response_ends_behind_the_text_that_stops_it(folder: Path) -> None:
    text = load_template(folder).text
    body = {**DRAWN, "max_tokens": 200, "seed": 1}
    (free,) = sampled(folder, [([1, 2], body)])
    stop = text(free.ids)[5:7]
    (stopped,) = sampled(folder, [([1, 2], {**body, "stop": [stop]})])
    assert stopped.ids == free.ids[: len(stopped.ids)]
    assert stopped.finish == "stop"
    assert text(stopped.ids).find(stop) >= 0
    assert text(stopped.ids[:-1]).find(stop) < 0


def test_a_conversation_longer_than_the_model_reads_is_full(tmp_path: Path) -> None:
    small = tiny_model(tmp_path, context=32)
    (last,) = sampled(small, [([1] * 30, {**DRAWN, "seed": 1})])
    assert len(last.ids) <= 2
    with pytest.raises(ContextFull, match="32"):
        sampled(small, [([1] * 32, {**DRAWN, "seed": 1})])


def test_a_request_that_is_given_up_holds_no_other_up(folder: Path) -> None:
    async def sample() -> Sampled:
        local = local_at(folder)
        endless = {**DRAWN, "max_tokens": 4000, "seed": 2}
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.gather(*(local.sample([n, n], endless) for n in range(4)))
        found = await local.sample([1, 2], GREEDY)
        await local.close()
        return found

    assert asyncio.run(sample()).ids


@pytest.mark.parametrize(
    ("body", "mend"),
    [({"response_format": {}}, "--format hermes"), ({"min_p": 0.1}, "--extra")],
)
def test_what_a_local_model_cannot_do_is_said(
    folder: Path, body: Mapping[str, Json], mend: str
) -> None:
    with pytest.raises(UserError, match=mend):
        sampled(folder, [([1], {**GREEDY, **body})])


@pytest.mark.parametrize(
    ("name", "reason"), [("nothing", "is not there"), ("empty", "there is no"), ("a.txt", "gguf")]
)
def test_what_is_no_model_is_said_in_a_line(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(UserError, match=reason) as error:
        load_template(tmp_path / name)
    assert "\n" not in str(error.value)


# ------------------------------------------------------------------------------ drawing

LOGITS = torch.tensor([[0.0, 2.0, 1.0, -1.0]])


def test_ids_are_drawn_as_often_as_they_are_likely() -> None:
    number = 2000
    at = [(n + 0.5) / number for n in range(number)]
    ids, logprobs = pick(LOGITS.expand(number, -1), [Draw(0)] * number, at)
    for id, likely in enumerate(LOGITS[0].softmax(-1).tolist()):
        assert ids.count(id) / number == pytest.approx(likely, abs=2 / number)
    wanted = LOGITS[0].log_softmax(-1).tolist()
    assert logprobs == pytest.approx([wanted[id] for id in ids], abs=1e-6)


@pytest.mark.parametrize(
    ("draw", "support"),
    [
        (Draw(0, top_k=2), {1, 2}),
        (Draw(0, top_p=0.5), {1}),
        (Draw(0, top_p=0.7), {1, 2}),
        (Draw(0, temperature=0.05), {1}),
        (Draw(0, temperature=0), {1}),
    ],
)
def test_what_may_be_drawn_and_the_log_prob_it_had_among_that(
    draw: Draw, support: set[int]
) -> None:
    at = [(n + 0.5) / 100 for n in range(100)]
    ids, logprobs = pick(LOGITS.expand(100, -1), [draw] * 100, at)
    assert set(ids) == support
    whole = sum(torch.tensor(sorted({*logprobs})).exp().tolist())
    if draw.temperature:
        assert whole == pytest.approx(1, abs=1e-5)
    else:
        assert logprobs[0] == pytest.approx(LOGITS[0].log_softmax(-1)[1].item(), abs=1e-6)
