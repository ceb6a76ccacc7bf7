"""`forge bench tau2-bench` end to end, on a small look-alike in `tests/benches`."""

import json
import shutil

from evals.speed.endpoint import Reply, Request, calls, completion, says, serving
from tests.places import ROOT
from tests.test_bench import found, lines, refused

TAU2 = ROOT / "tests" / "benches" / "tau2"
STOP = says("###STOP###")


def played(agent, user, out, *arguments, judge=(), domain="mock"):
    with serving(agent) as one, serving(user, models=["scripted", "judge"]) as other:
        report = found(
            *("tau2-bench", "--root", TAU2, "--domain", domain),
            *("--model", "scripted", "--base-url", one.url),
            *("--user-model", "scripted", "--user-base-url", other.url, "--out", out, *judge),
            *arguments,
        )
    return report, lines(out), one, other


def test_gold_passes_with_a_judge_who_finds_all_that_it_is_asked_and_that_is_said():
    report = found("tau2-bench", "--root", TAU2, "--gold", "--domain", "mock")
    (group,) = report["groups"]
    assert (group["name"], group["gold"], group["noop"], group["tasks"]) == ("mock base", 3, 1, 3)
    assert report["stubbed"].startswith("a judge who")
    assert group["measures"] == {"COMMUNICATE": 1.0, "DB": 1.0, "NL_ASSERTION": 1.0}


def test_the_benchmarks_loop_asks_forges_agent_and_its_own_user_who_has_tools(tmp_path):
    agent = [calls(("sell", {"item": "sofa"}), ("sell", {"item": "lamp"})), says("Please pay.")]
    user = [says("A lamp."), calls(("pay", {})), STOP]
    report, (episode,), one, other = played(agent, user, tmp_path / "t.jsonl", "-n", 1)
    assert (report["groups"][0]["passed"], report["user"]) == (1, "model:scripted")
    assert (episode.question, episode.outcome) == ("A lamp.", "done")
    assert [each.text for each in episode.steps[0].results] == ["Error: no", "sold"]
    assert one.asked[0].body["messages"][0]["content"] == "Help. Policy: Be fair."
    assert [each["function"]["name"] for each in one.asked[0].body["tools"]] == ["sell"]
    assert [each["function"]["name"] for each in other.asked[0].body["tools"]] == ["pay"]
    assert other.asked[0].body["messages"] == [
        {"role": "system", "content": "Your wish: A lamp."},
        {"role": "user", "content": "Hi!"},
    ]


def wishes(request: Request) -> Reply:
    wish = request.body["messages"][0]["content"]
    return says(wish) if len(request.body["messages"]) == 2 else STOP


def test_a_task_that_needs_a_judge_has_no_score_without_one(tmp_path):
    report, episodes, _, _ = played(says("There is a chair."), wishes, tmp_path / "t.jsonl")
    assert {each.task: each.reward for each in episodes} == {
        "mock/base/0": 0,
        "mock/base/1": 1,
        "mock/base/2": None,
    }
    assert report["unscored"] == {"unscored: no judge is configured, --judge-model": 1}
    assert report["groups"][0]["scored"] == 2


def judges(verdict: str):
    def answer(request: Request) -> Reply:
        return says(verdict) if request.body["model"] == "judge" else wishes(request)

    return answer


def test_a_judge_is_asked_with_the_benchmarks_own_question(tmp_path):
    for met, out in ((True, "a"), (False, "b")):
        verdict = f"Well: {json.dumps({'results': [{'met': met}]})}"
        report, episodes, _, other = played(
            says("Dear customer!"),
            judges(verdict),
            tmp_path / out,
            judge=("--judge-model", "judge"),
        )
        assert episodes[2].reward == met
        assert report["judge"] == "model:judge"
        (asked,) = [each.body for each in other.asked if each.body["model"] == "judge"]
        assert asked["messages"][0]["content"].startswith("Is it so? ['is kind'] Hi!")


def test_a_judge_who_answers_in_no_form_gives_no_score(tmp_path):
    _, episodes, _, _ = played(
        says("Hi."), judges("I like it."), tmp_path / "t.jsonl", judge=("--judge-model", "judge")
    )
    assert (episodes[2].reward, episodes[2].outcome) == (None, "unscored")


def test_an_agent_that_writes_nothing_or_never_ends_has_a_zero(tmp_path):
    _, (silent,), _, _ = played(says(""), wishes, tmp_path / "a.jsonl", "-n", 1)
    assert (silent.reward, silent.verdict.why) == (0, "the agent wrote nothing")
    _, (endless,), _, _ = played(
        calls(("sell", {"item": "sofa"})), wishes, tmp_path / "b.jsonl", "-n", 1, "--max-steps", 9
    )
    assert (endless.reward, endless.outcome, endless.reason) == (0, "steps", "max_steps")


def test_calls_that_cannot_be_read_are_told_to_the_agent_and_not_made(tmp_path):
    agent = [calls(("sell", "a lamp")), says("I cannot.")]
    _, (episode,), one, _ = played(agent, wishes, tmp_path / "t.jsonl", "-n", 1)
    assert episode.steps[0].results[0].text.startswith("Error: nothing was called")
    assert one.asked[1].body["messages"][-1]["role"] == "tool"


def test_a_user_that_is_lost_is_no_zero(tmp_path):
    _, (episode,), _, _ = played(
        says("Hi."), Reply(completion({"content": ""})), tmp_path / "t.jsonl", "-n", 1
    )
    assert (episode.reward, episode.outcome) == (None, "lost")


def test_many_conversations_side_by_side_are_each_their_own(tmp_path):
    report, _, _, _ = played(
        says("There is a chair."),
        wishes,
        tmp_path / "t.jsonl",
        "--split",
        "test",
        "-k",
        24,
        "-c",
        12,
    )
    (group,) = report["groups"]
    assert (group["episodes"], group["passed"]) == (24, 24)


def banking(out, *arguments):
    agent = [calls(("sell", {"item": "lamp"})), says("Sold.")]
    return played(agent, wishes, out, *arguments, domain="banking_knowledge")


def test_documents_are_searched_in_the_way_that_is_named(tmp_path):
    report, (episode,), one, _ = banking(tmp_path / "a.jsonl", "--retrieval", "full_kb")
    assert episode.reward == 1
    assert one.asked[0].body["messages"][0]["content"] == "Help. Policy: The rules (full_kb)."
    assert any("banking_knowledge is searched by full_kb" in each for each in report["cautions"])


def test_documents_that_belong_to_a_task_are_those_of_that_task(tmp_path):
    _, _, one, _ = banking(tmp_path / "a.jsonl", "--retrieval", "golden_retrieval")
    assert "A lamp of the bank. (golden_retrieval)" in one.asked[0].body["messages"][0]["content"]


def test_a_file_of_another_way_to_search_is_not_gone_on_with(tmp_path):
    out = tmp_path / "a.jsonl"
    banking(out, "--retrieval", "full_kb")
    with serving([says("Hi.")]) as one:
        line = refused(
            *("tau2-bench", "--root", TAU2, "--domain", "banking_knowledge", "--out", out),
            *("--model", "scripted", "--user-model", "scripted", "--base-url", one.url),
            *("--retrieval", "golden_retrieval"),
        )
    assert "--retrieval" in line


def test_an_unknown_way_to_search_names_the_nearest():
    where = ("tau2-bench", "--root", TAU2, "--domain", "banking_knowledge", "--gold")
    assert "did you mean full_kb?" in refused(*where, "--retrieval", "ful_kb")


def test_a_benchmark_without_documents_has_no_way_to_search_them():
    where = ("tau-bench", "--root", ROOT / "tests" / "benches" / "tau", "--gold")
    assert "leave out --retrieval" in refused(*where, "--retrieval", "bm25")


def test_a_file_of_data_that_is_missing_is_one_line(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU2, root)
    (root / "data" / "tau2" / "domains" / "mock" / "db.json").unlink()
    assert "db.json: is missing" in refused(
        "tau2-bench", "--root", root, "--gold", "--domain", "mock"
    )
