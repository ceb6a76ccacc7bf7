"""The user that is a model, in whole rollouts against a server that answers as servers do."""

import json
from collections.abc import Sequence
from pathlib import Path

from evals.speed.endpoint import Answer, Reply, Request, Server, refuses, says, serving
from forge.dataset.folder import read_dataset
from forge.rollout.users.model import PATIENCE, TONES, prompt_for
from forge.tasks.speech.listing import wishes_of
from forge.types.data import Json
from forge.types.rollout import Trajectory
from forge.types.task import Task
from tests.places import HAND, ROOT
from tests.test_rollout_cli import refused, rolled

SAMPLE = ROOT / "generated" / "sample"


def user_says(message: str, served: Sequence[int] = (), stop: bool = False) -> Reply:
    return says(json.dumps({"served": list(served), "message": message, "stop": stop}))


def rolled_with(
    answer: Answer | Sequence[Reply], out: Path, *arguments: object, code: int = 0
) -> tuple[list[Trajectory], Server]:
    with serving(answer) as server:
        found = rolled(
            out,
            *("--user", "llm", "--user-model", "scripted", "--user-base-url", server.url),
            *("--sandbox", "native", "-n", 1, *arguments),
            code=code,
        )
    return found, server


def sent(server: Server, request: int = -1) -> list[Json]:
    found: list[Json] = server.asked[request].body["messages"]
    return found


BYE = user_says("Thank you, that was all.", [1], stop=True)


def test_the_agent_hears_the_message_and_never_the_count_or_the_stop(tmp_path):
    script = tmp_path / "turns.yaml"
    script.write_text('"*":\n  - say: Which one?\n  - say: It is done.\n')
    (found,), server = rolled_with(
        [user_says("The red one.", [1]), BYE], tmp_path / "u.jsonl", "--policy", f"script:{script}"
    )
    assert (found.user, found.outcome) == ("model:scripted", "done")
    assert [step.user for step in found.steps] == ["The red one.", "Thank you, that was all."]
    assert [step.served for step in found.steps] == [(1,), (1,)]
    assert [each["content"] for each in sent(server) if each["role"] == "user"] == [
        "Agent: Hello! What can I do for you?",
        "Agent: Which one?",
        "Agent: It is done.",
    ]


def test_it_opens_with_the_question_and_asks_for_one_completion_a_turn(tmp_path):
    (found,), server = rolled_with([BYE], tmp_path / "u.jsonl", "--policy", "noop")
    (task,) = [each for each in read_dataset(HAND).tasks() if each.id == found.task]
    assert found.question == task.question
    assert len(server.asked) == 1
    assert json.loads(sent(server)[2]["content"])["message"] == task.question


def test_a_user_that_stops_before_it_counts_all_wishes_served_has_given_up(tmp_path):
    left = user_says("Never mind.", [], stop=True)
    (found,), _ = rolled_with([left], tmp_path / "u.jsonl", "--policy", "noop")
    assert found.outcome == "gave_up"


def test_its_messages_only_grow_and_each_turn_has_a_seed_of_its_own(tmp_path):
    replies = [user_says("Well?"), user_says("And?"), BYE]
    _, server = rolled_with(replies, tmp_path / "u.jsonl", "--policy", "noop")
    for number in range(1, len(server.asked)):
        before = sent(server, number - 1)
        assert sent(server, number)[: len(before)] == before
    assert len({request.body["seed"] for request in server.asked}) == len(server.asked) == 3


def test_in_another_language_it_writes_the_opening_itself(tmp_path):
    replies = [user_says("请帮我完成这个任务。"), BYE]
    (found,), server = rolled_with(
        replies, tmp_path / "u.jsonl", "--policy", "noop", "--lang", "zh"
    )
    assert found.question == "请帮我完成这个任务。"
    assert found.settings["lang"] == "zh"
    assert "You write in Chinese" in sent(server, 0)[0]["content"]
    assert len(server.asked) == 2


def test_an_agent_that_is_a_model_reads_the_opening_that_the_user_wrote(tmp_path):
    def answer(request: Request) -> Reply:
        if "response_format" not in request.body:
            return says("Done.")
        return BYE if len(request.body["messages"]) > 3 else user_says("请帮我。")

    with serving(answer) as server:
        (found,) = rolled(
            tmp_path / "u.jsonl",
            *("--model", "scripted", "--base-url", server.url, "-n", 1, "--sandbox", "native"),
            *("--user", "llm", "--user-model", "scripted", "--lang", "zh"),
        )
    agent = next(r for r in server.asked if "response_format" not in r.body)
    assert agent.body["messages"][1] == {"role": "user", "content": "请帮我。"}
    assert found.outcome == "done"


def test_what_cannot_be_read_goes_back_once_and_leaves_no_trace_in_the_messages(tmp_path):
    replies = [says("I would like that."), user_says("The red one."), BYE]
    (found,), server = rolled_with(replies, tmp_path / "u.jsonl", "--policy", "noop")
    assert [step.user for step in found.steps] == ["The red one.", "Thank you, that was all."]
    assert not any("cannot be read" in each["content"] for each in sent(server))


def test_a_user_that_can_never_be_read_is_lost_with_the_reason_and_earns_no_0(tmp_path):
    (found,), server = rolled_with([says("Sure.")], tmp_path / "u.jsonl", "--policy", "oracle")
    assert (found.outcome, found.reward, found.retries) == ("lost", None, 0)
    assert "wrote nothing that can be read" in found.reason
    assert len(server.asked) == 2


def test_a_server_without_structured_output_is_asked_in_words(tmp_path):
    def answer(request: Request) -> Reply:
        if "response_format" in request.body:
            return refuses(400, "response_format is not supported")
        return says(f"```json\n{json.dumps({'served': [1], 'message': 'Bye.', 'stop': True})}\n```")

    (found,), server = rolled_with(answer, tmp_path / "u.jsonl", "--policy", "noop")
    assert found.steps[-1].user == "Bye."
    assert len(server.asked) == 2


def test_an_empty_message_is_none_unless_the_user_stops(tmp_path):
    replies = [user_says(" "), user_says("Hm?"), user_says("", stop=True)]
    (found,), _ = rolled_with(replies, tmp_path / "u.jsonl", "--policy", "noop")
    assert [step.user for step in found.steps] == ["Hm?", ""]


def test_temperature_and_more_of_the_body_go_into_the_request_and_the_settings(tmp_path):
    options = ("--user-temperature", 0.3, "--user-extra", '{"top_k": 5, "max_tokens": null}')
    (found,), server = rolled_with([BYE], tmp_path / "u.jsonl", "--policy", "noop", *options)
    body = server.asked[0].body
    assert (body["temperature"], body["top_k"], "max_tokens" in body) == (0.3, 5, False)
    assert found.settings == {"user-temperature": 0.3, "user-extra": options[3]}


# ------------------------------------------------------------------ user errors


def test_what_is_missing_or_given_in_vain_is_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    start = (SAMPLE, "--policy", "noop")
    assert "--user-model NAME" in refused(*start, "--user", "llm")
    assert "--user llm" in refused(*start, "--user-model", "x")
    assert "--user llm" in refused(*start, "--lang", "zh")
    assert "--user-base-url" in refused(*start, "--user", "llm", "--user-model", "x")
    assert "scripted, llm" in refused(*start, "--user", "nobody")


def test_a_model_that_the_users_server_does_not_know_is_the_option_of_the_user(tmp_path):
    with serving([BYE], models=("scripted",)) as server:
        line = refused(
            *(HAND, "--policy", "noop", "--user", "llm", "--user-model", "scriptd"),
            *("--user-base-url", server.url, "--out", tmp_path / "u.jsonl"),
        )
    assert "--user-model scripted" in line


# ---------------------------------------------------------------------- prompt


def prompts() -> list[tuple[Task, str]]:
    dataset = read_dataset(SAMPLE)
    schemas = {name: dataset.environment(name).state_schema for name in dataset.names()}
    return [(task, prompt_for(task, schemas[task.env], "en", 7)) for task in dataset.tasks()]


def test_the_prompt_has_every_fact_and_those_told_late_only_as_such():
    for task, prompt in prompts():
        wishes, _, late = prompt.partition("tell when asked:\n")
        for fact in task.facts:
            assert fact.text in (late if fact.told else wishes)
            if fact.told:
                assert f"{fact.about}: {fact.text}" in late


def test_the_prompt_holds_no_key_that_people_do_not_know():
    seen = 0
    for task, prompt in prompts():
        said = " ".join([*(fact.text for fact in task.facts), task.question])
        for call in task.golden_calls:
            for name, value in call.arguments.items():
                if name.endswith("id") and isinstance(value, str) and value not in said:
                    assert value not in prompt
                    seen += 1
    assert seen > 10


def test_the_same_seed_is_the_same_person_and_seeds_differ():
    dataset = read_dataset(SAMPLE)
    task = next(dataset.tasks())
    schema = dataset.environment(task.env).state_schema
    made = {seed: prompt_for(task, schema, "en", seed) for seed in range(40)}
    assert made == {seed: prompt_for(task, schema, "en", seed) for seed in range(40)}
    assert all(any(each in prompt for prompt in made.values()) for each in TONES + PATIENCE)


def test_each_wish_is_in_words_of_its_own():
    dataset = read_dataset(SAMPLE)
    for task in dataset.tasks():
        wishes = wishes_of(task, dataset.environment(task.env).state_schema)
        assert len(wishes) == len(task.intent.wishes)
        for fact in task.facts:
            assert fact.told or any(fact.text in wish for wish in wishes)


def test_what_passes_at_the_users_server_is_no_end_of_the_rollout(tmp_path):
    replies = [refuses(429, "slow down", headers={"Retry-After": "0"}), BYE]
    (found,), _ = rolled_with(replies, tmp_path / "u.jsonl", "--policy", "noop")
    assert found.outcome == "done"
