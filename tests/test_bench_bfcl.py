"""`forge bench bfcl` end to end, on a small look-alike in `tests/benches`."""

import json

from evals.speed.endpoint import Reply, Request, calls, says, serving
from tests.places import ROOT
from tests.test_bench import found, lines, refused

BFCL = ROOT / "tests" / "benches" / "bfcl"


def played(agent, out, *arguments):
    with serving(agent) as one:
        report = found(
            *("bfcl", "--root", BFCL, "--model", "scripted", "--base-url", one.url, "--out", out),
            *arguments,
        )
    return report["groups"][0], lines(out), one


def test_gold_passes_its_checker_and_doing_nothing_does_not():
    report = found("bfcl", "--root", BFCL, "--gold")
    assert {each["name"]: (each["gold"], each["noop"]) for each in report["groups"]} == {
        "all": (2, 0),
        "multi_turn base": (1, 0),
        "multi_turn miss_func": (1, 0),
    }


def test_turns_are_given_and_the_calls_of_each_are_checked(tmp_path):
    agent = [calls(("add", {"item": "tea"})), says("Added."), calls(("add", {"item": "milk"}))]
    group, (episode,), one = played(
        [*agent, says("Done.")], tmp_path / "t.jsonl", "--split", "base"
    )
    assert (group["passed"], episode.outcome) == (1, "done")
    assert episode.question == "I need tea."
    assert [step.user for step in episode.steps] == [None, "And milk.", None, ""]
    assert episode.steps[2].results[0].text == '{"items": ["tea", "milk"]}'
    assert one.asked[0].body["messages"] == [{"role": "user", "content": "I need tea."}]
    (tool,) = [each["function"] for each in one.asked[0].body["tools"]]
    assert tool["parameters"] == {
        "type": "object",
        "properties": {"item": {"type": "string"}, "count": {"type": "number"}},
        "required": ["item"],
    }


def test_results_are_written_as_the_benchmarks_own_tools_read_them(tmp_path):
    own = tmp_path / "own.json"
    agent = [calls(("add", {"item": "tea"})), says("Added.")]
    where = ("--split", "base", "--own", own)
    played([*agent, says("No.")], tmp_path / "t.jsonl", *where)
    assert json.loads(own.read_text()) == {
        "id": "multi_turn_base_0",
        "result": [[[{"add": '{"item": "tea"}'}], "Added."], ["No."]],
    }


def test_one_file_of_its_own_shape_is_of_one_split():
    line = refused(
        *("bfcl", "--root", BFCL, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        *("--own", "own.json"),
    )
    assert "--domain and --split" in line


def test_a_turn_without_the_calls_it_needs_is_a_zero_with_the_reason(tmp_path):
    _, (episode,), _ = played(says("Added."), tmp_path / "t.jsonl", "--split", "base")
    assert (episode.reward, episode.verdict.why) == (0, "nothing was called in turn 0")


def clears(request: Request) -> Reply:
    """Calls what is there as soon as it is."""
    names = [each["function"]["name"] for each in request.body["tools"]]
    if "clear" in names and request.body["messages"][-1]["role"] == "user":
        return calls(("clear", {}))
    return says("I cannot.")


def test_a_tool_that_was_held_back_is_there_from_its_turn_on(tmp_path):
    group, (episode,), one = played(clears, tmp_path / "t.jsonl", "--split", "miss_func")
    assert group["passed"] == 1
    tools = [[each["function"]["name"] for each in asked.body["tools"]] for asked in one.asked]
    assert tools == [["add"], ["add", "clear"], ["add", "clear"]]
    assert episode.steps[0].user == "There are more functions now."


def test_calls_of_tools_that_are_not_there_never_reach_the_evaluation(tmp_path):
    target = tmp_path / "written"
    bad = f"open({str(target)!r}, 'w') or add"
    agent = [calls((bad, {"item": "tea"}), ("add", {"item=open": "x"})), says("Done.")]
    _, (episode,), _ = played(agent, tmp_path / "t.jsonl", "--split", "base")
    assert not target.exists()
    assert all(each.text.startswith("Error") for each in episode.steps[0].results)


def test_more_steps_in_a_turn_than_are_granted_end_it(tmp_path):
    _, (episode,), _ = played(
        calls(("add", {"item": "tea"})), tmp_path / "t.jsonl", "--split", "base"
    )
    assert (episode.reward, len(episode.steps)) == (0, 4)
    assert episode.verdict.why == "more than 3 steps in a turn"


def test_episodes_side_by_side_have_instances_of_their_own(tmp_path):
    group, _, _ = played(clears, tmp_path / "t.jsonl", "--split", "miss_func", "-k", 20, "-c", 20)
    assert (group["episodes"], group["passed"]) == (20, 20)


def test_another_version_is_one_line(tmp_path):
    (tmp_path / "bfcl_eval" / "eval_checker").mkdir(parents=True)
    assert "there is no module" in refused("bfcl", "--root", tmp_path, "--gold")


def test_tools_that_come_and_go_keep_their_names():
    where = ("bfcl", "--root", BFCL, "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert "leave out --rename-tools" in refused(*where, "--rename-tools", 1)
