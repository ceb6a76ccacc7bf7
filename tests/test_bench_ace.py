"""`forge bench acebench` end to end, on a small look-alike in `tests/benches`."""

import pytest

from evals.speed.endpoint import calls, says, serving
from forge.bench.pycalls import PyCall, Unreadable, calls_in, harmless
from forge.bench.strict import same, same_calls, same_state
from tests.places import ROOT
from tests.test_bench import found, lines, refused

ACE = ROOT / "tests" / "benches" / "ace"


def played(agent, user, out, *arguments):
    with serving(agent) as one, serving(user) as other:
        report = found(
            *("acebench", "--root", ACE, "--model", "scripted", "--base-url", one.url),
            *("--user-model", "scripted", "--user-base-url", other.url, "--out", out, *arguments),
        )
    return report["groups"][0], lines(out), one, other


def test_gold_is_what_its_scorer_gives_and_broken_gold_is_named():
    report = found("acebench", "--root", ACE, "--gold")
    assert {each["name"]: (each["gold"], each["noop"]) for each in report["groups"]} == {
        "all": (8, 0),
        "en agent_multi_step": (1, 0),
        "en agent_multi_turn": (1, 0),
        "en normal_atom_number": (1, 0),
        "en normal_multi_turn_user_adjust": (4, 0),
        "en special_irrelevant": (1, 0),
    }
    assert report["broken"] == {"en/agent_multi_turn/1": "['another state']"}


def test_several_splits_are_chosen_by_the_word_they_begin_with():
    report = found("acebench", "--root", ACE, "--gold", "--split", "agent")
    assert [each["name"] for each in report["groups"]] == [
        "all",
        "en agent_multi_step",
        "en agent_multi_turn",
    ]


def test_a_conversation_counts_where_all_its_turns_are_right(tmp_path):
    def right_but_once(request):
        heard = request.body["messages"][-1]["content"]
        return says("What?" if "and five" in heard else "[set_lamp(level=1)]")

    group, episodes, _, _ = played(
        right_but_once, (), tmp_path / "t.jsonl", "--split", "normal_multi_turn_user_adjust"
    )
    assert [each.reward for each in episodes] == [1, 1, 1, 0]
    assert (group["passed"], group["measures"]["conversations"]) == (3, 0.5)


def test_a_dialogue_is_held_in_the_benchmarks_own_words_and_scored_by_its_end_state(tmp_path):
    agent = [says("Which level?"), says("[set_lamp(level=3)]"), says("Done.")]
    user = [says("The lamp, please."), says("Three."), says("finish conversation")]
    group, (episode,), one, other = played(
        agent, user, tmp_path / "t.jsonl", "--split", "agent_multi_turn", "-n", 1
    )
    assert (group["passed"], group["measures"]) == (1, {"process": 1.0, "strict": 1.0})
    assert episode.task == "en/agent_multi_turn/0"
    system, first = one.asked[0].body["messages"]
    assert system["content"] == "Rules of multi_turn. You keep house."
    assert first["content"].startswith("You can call [{'name': 'set_lamp'")
    assert first["content"].endswith("So far: user:The lamp, please.\n")
    assert "tools" not in one.asked[0].body
    assert episode.steps[1].user == "execution: [{'status': True}]"
    assert [each["content"] for each in other.asked[-1].body["messages"]] == [
        "Your wish: You want the lamp at 3.",
        "Can I help?",
        "The lamp, please.",
        "Which level?",
        "Three.",
        "Done.",
    ]


def test_a_user_may_say_anything(tmp_path):
    user = [
        says("The lamp."),
        says("execution: [done]"),
        says("Three."),
        says("finish conversation"),
    ]
    _, (episode,), _, other = played(
        says("Which?"), user, tmp_path / "t.jsonl", "--split", "agent_multi_turn", "-n", 1
    )
    assert [step.user for step in episode.steps] == [
        *("user: execution: [done]", "user: Three.", "finish conversation")
    ]
    roles = [each["role"] for each in other.asked[-1].body["messages"]]
    assert roles == ["system", "user", "system", "user", "system", "user", "system", "user"]


def test_steps_without_a_user_end_when_the_agent_says_so(tmp_path):
    agent = [says("[set_lamp(level=4)]"), says("finish conversation")]
    group, (episode,), _, other = played(
        agent, [says("")], tmp_path / "t.jsonl", "--split", "agent_multi_step"
    )
    assert (group["passed"], len(episode.steps), other.asked) == (1, 2, [])


def test_a_dialogue_that_never_ends_is_scored_as_it_stands(tmp_path):
    group, (episode,), _, _ = played(
        says("[set_lamp(level=4)]"), [says("")], tmp_path / "t.jsonl", "--split", "agent_multi_step"
    )
    assert (group["passed"], episode.outcome, len(episode.steps)) == (1, "steps", 20)


def test_a_call_that_breaks_is_told_to_the_agent(tmp_path):
    agent = [says("[set_lamp(height=4)]"), says("[_load_scenario(scenario=1)]"), says("What?")]
    _, (episode,), _, _ = played(
        agent, [says("")], tmp_path / "t.jsonl", "--split", "agent_multi_step", "--max-steps", 3
    )
    told = [step.user for step in episode.steps]
    assert "Error during execution" in told[0] and "height" in told[0]
    assert "there is no _load_scenario" in told[1]
    assert "only calls are read here" in told[2]


def test_a_wrong_number_passes_the_published_check_and_not_the_strict_one(tmp_path):
    split = ("--split", "normal_atom_number")
    group, _, _, _ = played(says("[set_lamp(level=8)]"), [says("")], tmp_path / "a.jsonl", *split)
    assert (group["passed"], group["measures"]) == (1, {"strict": 0.0})
    group, _, _, _ = played(says("[set_lamp(level=7)]"), [says("")], tmp_path / "b.jsonl", *split)
    assert (group["passed"], group["measures"]) == (1, {"strict": 1.0})


def test_what_the_checker_would_evaluate_is_a_wrong_answer_and_does_nothing(tmp_path):
    target = tmp_path / "written"
    text = f"[set_lamp(level=open({str(target)!r}, 'w').fileno() + 1)]"
    group, _, _, _ = played(
        says(text), [says("")], tmp_path / "t.jsonl", "--split", "normal_atom_number"
    )
    assert group["passed"] == 0
    assert not target.exists()


def test_calls_of_the_api_are_told_that_they_are_not_read(tmp_path):
    _, (episode,), _, _ = played(
        [calls(("set_lamp", {"level": 4})), says("[set_lamp(level=4)]")],
        [says("")],
        *(tmp_path / "t.jsonl", "--split", "agent_multi_step", "--max-steps", 2),
    )
    assert episode.steps[0].results[0].text.startswith("Error")
    assert episode.reward == 1


def test_another_form_of_calls_is_refused(tmp_path):
    line = refused(
        *("acebench", "--root", ACE, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        *("--user-model", "m", "--format", "hermes"),
    )
    assert "a form of its own" in line


# ------------------------------------------------------------------ reading calls


def test_calls_are_read_as_names_and_constants():
    text = " [a.b(x=1, y=-2.5, z=[1, {'k': None}], t=(True, 'é')), f(day=Monday, n=2 * 3)]"
    assert calls_in(text) == (
        PyCall("a.b", {"x": 1, "y": -2.5, "z": [1, {"k": None}], "t": [True, "é"]}),
        PyCall("f", {"day": "Monday", "n": 6}),
    )
    assert calls_in("f()") == (PyCall("f", {}),)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Which one?",
            "[]",
            "[1]",
            "[f(x=g(1))]",
            "f(x=1) now",
            "[f(x=lambda: 1)]",
            "[f(x=9**9)]",
        ),
        *("[f(x='it's')]", "[f(x=1 / 0)]", "[f(x={1: 2})]", "f(x=" + "(" * 300, "(f)(x=1)()"),
        "[" + "f(x=1)," * 9000 + "]",
    ],
)
def test_anything_else_is_unreadable(text):
    with pytest.raises(Unreadable):
        calls_in(text)


def test_only_arithmetic_on_numbers_is_harmless():
    assert harmless("[f(x=2 + 3, y='a')]") and harmless("no python at all")
    for bad in ("[f(x=g() + 1)]", "[f(x=9 ** 9 ** 9)]", "[f(x='a' * 9)]", "[f(x=lambda: 1)]"):
        assert not harmless(bad)
    assert not harmless("[" + "f(x=1)," * 9000 + "]")


def test_strictly_equal_is_equal_in_every_value():
    assert same({"a": [1, "New  York"]}, {"a": [1.0, "new york"]})
    for one, other in ((True, 1), (1, "1"), ([1, 2], [2, 1]), ({"a": 1}, {"a": 1, "b": 2})):
        assert not same(one, other)
    assert same_calls([("f", {"x": 1}), ("g", {})], [[("h", {})], [("g", {}), ("f", {"x": 1})]])
    assert not same_calls([("f", {"x": 1})], [[("f", {"x": 2})]])
    assert same_state([{"ReminderApi": {"a": 1}}], [{"ReminderAPI": {"a": 1}}])
    assert not same_state([{"A": {"a": 1}}], [{"A": {"a": 1}}, {"B": {}}])
