"""`forge bench` end to end, on a small look-alike of τ-bench in `tests/benches`."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evals.speed.endpoint import Answer, Reply, Request, Server, calls, refuses, says, serving
from forge.cli.main import app
from forge.types.rollout import Trajectory
from tests.places import ROOT

TAU = ROOT / "tests" / "benches" / "tau"
LEND = ("lend_book", {"book": "b1", "to": "bob"})
STOP = says("###STOP###")


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def found(*arguments: object, code: int = 0) -> Any:
    result = forge(*arguments, "--json")
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


def refused(*arguments: object) -> str:
    result = forge(*arguments)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    return line


def lines(out: Path) -> list[Trajectory]:
    return [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]


@contextmanager
def playing(
    agent: Answer | Sequence[Reply], user: Answer | Sequence[Reply], root: Path = TAU
) -> Iterator[tuple[list[object], Server, Server]]:
    """The arguments for a model and a user at two addresses, and their servers."""
    with serving(agent) as one, serving(user, models=["the-usual-user"]) as other:
        yield (
            [
                *("tau-bench", "--root", root, "--model", "scripted", "--base-url", one.url),
                *("--user-model", "the-usual-user", "--user-base-url", other.url),
            ],
            one,
            other,
        )


def asked_of(request: Request) -> str:
    """What the user of this request wants."""
    told: str = request.body["messages"][0]["content"]
    return told


# -------------------------------------------------------------- without a model


def test_gold_and_doing_nothing_earn_what_the_benchmark_gives_them():
    whole = found("tau-bench", "--root", TAU, "--gold", "--split", "all")["groups"]
    assert [(each["name"], each["gold"], each["noop"], each["tasks"]) for each in whole] == [
        ("all", 5, 2, 5),
        ("library dev", 1, 0, 1),
        ("library test", 4, 2, 4),
    ]
    report = found("tau-bench", "--root", TAU, "--noop")
    (group,) = report["groups"]
    assert (group["name"], group["passed"], group["powers"]["1"]["value"]) == (
        "library test",
        2,
        0.5,
    )


def test_a_score_stands_beside_all_that_must_be_known_of_it():
    result = forge("tau-bench", "--root", TAU, "--noop")
    assert "2 of 4" in result.stdout and "4 of 4" in result.stdout
    assert "agent noop, user none, judge none, 1 trial a task" in result.stdout
    assert "commit unknown" in result.stdout
    assert "files of code and data with hash" in result.stdout


def test_the_commit_of_a_checkout_is_told_and_whether_its_files_were_changed(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root, ignore=shutil.ignore_patterns("__pycache__"))

    def git(*what: str) -> str:
        name = ["-c", "user.name=n", "-c", "user.email=e"]
        done = subprocess.run(
            ["git", "-C", str(root), *name, *what], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "all")
    source = found("tau-bench", "--root", root, "--noop")["source"]
    assert (source["commit"], source["changed"]) == (git("rev-parse", "HEAD"), False)
    books = root / "tau_bench" / "envs" / "library" / "data" / "books.json"
    books.write_text(books.read_text().replace("Emma", "Emmma"))
    other = found("tau-bench", "--root", root, "--noop")["source"]
    assert other["changed"]
    assert other["digest"] != source["digest"]


def test_a_task_whose_gold_is_broken_is_named_with_the_reason(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root)
    tools = root / "tau_bench" / "envs" / "library" / "tools" / "__init__.py"
    tools.write_text(
        tools.read_text().replace(
            '        data["books"][book]["notes"].append',
            '        load["n"] += 1\n        data["books"][book]["notes"].append(load["n"])\n'
            '        data["books"][book]["notes"].append',
        )
        + '\nload = {"n": 0}\n'
    )
    report = found("tau-bench", "--root", root, "--gold")
    assert report["broken"] == {"library/test/0": "the data are not as the gold actions leave them"}


def test_nothing_of_the_checkout_stays_behind():
    before = list(sys.path)
    forge("tau-bench", "--root", TAU, "--noop")
    assert sys.path == before
    assert not [name for name in sys.modules if name.startswith(("tau_bench", "litellm"))]


def test_the_first_tasks_can_be_chosen():
    (group,) = found("tau-bench", "--root", TAU, "--noop", "-n", 1)["groups"]
    assert group["tasks"] == 1


# ----------------------------------------------------------------- with a model


def test_a_model_plays_a_task_with_the_benchmarks_own_user_and_is_scored_by_it(tmp_path):
    out = tmp_path / "t.jsonl"
    agent = [calls(("find_book", {"title": "Emma"})), calls(LEND), says("It is lent.")]
    with playing(agent, [says("Emma, for bob."), STOP]) as (arguments, one, other):
        report = found(*arguments, "-n", 1, "--out", out)
    (group,) = report["groups"]
    assert (group["passed"], group["scored"], group["noop"], group["gold"]) == (1, 1, 0, 1)
    assert (report["policy"], report["user"]) == ("model:scripted", "model:the-usual-user")
    (played,) = lines(out)
    assert (played.task, played.env, played.reward) == ("library/test/0", "tau-bench:library", 1)
    assert played.question == "Emma, for bob."
    assert json.loads(played.steps[0].results[0].text)[0]["id"] == "b1"
    system, first = one.asked[0].body["messages"]
    assert (system["content"], first["content"]) == ("The rules of the library.", "Emma, for bob.")
    assert other.asked[1].body["messages"] == [
        {"role": "system", "content": "You want this: Emma is for bob."},
        {"role": "user", "content": "Good day!"},
        {"role": "assistant", "content": "Emma, for bob."},
        {"role": "user", "content": "It is lent."},
    ]


def test_what_the_user_thought_is_not_said(tmp_path):
    out = tmp_path / "t.jsonl"
    user = [says("<think>I want Emma.</think>Hello."), STOP]
    with playing([says("Hello?")], user) as (arguments, _, other):
        found(*arguments, "-n", 1, "--out", out)
    assert lines(out)[0].question == "Hello."
    assert other.asked[1].body["messages"][2]["content"] == "Hello."


def test_a_user_may_say_only_so_much_at_once(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing([says("Hello?")], [says("Hello."), STOP]) as (arguments, one, other):
        found(*arguments, "-n", 1, "--user-tokens", 99, "--out", out)
    assert [each.body["max_tokens"] for each in other.asked] == [99, 99]
    assert "max_tokens" not in one.asked[0].body
    assert lines(out)[0].settings["user-tokens"] == 99


def test_a_tool_that_ends_the_task_ends_it_and_the_calls_after_it_are_not_made(tmp_path):
    out = tmp_path / "t.jsonl"
    agent = [calls(("call_the_librarian", {}), LEND)]
    with playing(agent, [says("A person, please.")]) as (arguments, _, _):
        found(*arguments, "--out", out)
    rewards = {each.task: each.reward for each in lines(out)}
    assert rewards["library/test/3"] == 1
    assert lines(out)[3].steps[0].results[1].text == "Error: not called"


def lends(request: Request) -> Reply:
    """Lends Emma to bob if that was asked for, and says that ann has Dune if that was."""
    messages = request.body["messages"]
    wish = messages[1]["content"]
    if "Emma" in wish and messages[-1]["role"] == "user":
        return calls(LEND)
    return says("ann" if "Dune" in wish else "Done.")


def wishes(request: Request) -> Reply:
    return says(asked_of(request)) if len(request.body["messages"]) == 2 else STOP


def test_episodes_side_by_side_do_not_see_each_others_changes(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing(lends, wishes) as (arguments, _, _):
        report = found(*arguments, "-k", 8, "-c", 32, "--out", out)
    (group,) = report["groups"]
    assert (group["tasks"], group["episodes"], group["passed"]) == (4, 32, 32)
    assert sorted(group["powers"]) == ["1", "2", "3", "4", "5", "8"]
    assert group["powers"]["8"]["value"] == 1
    assert 0 < group["powers"]["8"]["low"] < 1
    assert [(each.task, each.attempt) for each in lines(out)] == [
        (f"library/test/{number}", trial) for number in range(4) for trial in range(8)
    ]


def test_pass_k_is_of_all_trials_of_a_task(tmp_path):
    turns = iter(range(100))

    def now_and_then(request: Request) -> Reply:
        asks = "Dune" in request.body["messages"][1]["content"]
        return says("ann" if asks and next(turns) % 2 else "I do not know.")

    with playing(now_and_then, wishes) as (arguments, _, _):
        report = found(*arguments, "-n", 2, "-k", 4, "-c", 1, "--out", tmp_path / "t.jsonl")
    (group,) = report["groups"]
    assert group["powers"]["1"]["value"] == pytest.approx(2 / 8)
    assert group["powers"]["2"]["value"] == pytest.approx(1 / 6 / 2)
    assert group["powers"]["4"]["value"] == 0


def test_an_endpoint_that_is_lost_is_no_zero(tmp_path):
    out = tmp_path / "t.jsonl"

    def falls_silent(request: Request) -> Reply:
        return says("") if "Dune" in asked_of(request) else wishes(request)

    with playing(lends, falls_silent) as (arguments, _, _):
        report = found(*arguments, "--out", out)
    (group,) = report["groups"]
    assert (group["episodes"], group["scored"], group["passed"]) == (4, 3, 3)
    assert group["powers"]["1"]["value"] == 1
    assert report["unscored"] == {"lost: the user's model wrote nothing": 1}
    assert [each.reward for each in lines(out)] == [1, None, 1, 1]


def test_an_agent_that_never_comes_to_an_end_gets_what_the_benchmark_gives_then(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing([calls(("find_book", {"title": "Emma"}))], wishes) as (arguments, _, _):
        found(*arguments, "-n", 1, "--out", out)
    (played,) = lines(out)
    assert (played.outcome, played.reward, len(played.steps)) == ("steps", 0, 30)


def test_after_a_kill_the_same_command_plays_only_what_is_missing(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing(lends, wishes) as (arguments, one, other):
        slow = lambda request: Reply(lends(request).body, seconds=0.2)  # noqa: E731
        one.answer = slow
        whole = [*map(str, arguments), "--out", str(out), "-k", "5", "-c", "1"]
        with subprocess.Popen([sys.executable, "-m", "forge", "bench", *whole], cwd=ROOT) as run:
            while not out.exists() or out.read_bytes().count(b"\n") < 3:
                time.sleep(0.02)
            run.kill()
        made = out.read_bytes().count(b"\n")
        one.answer = lends
        before = len(other.asked)
        (group,) = found(*whole)["groups"]
    assert (group["episodes"], group["passed"]) == (20, 20)
    assert len(other.asked) - before <= 2 * (20 - made)


def test_fewer_tasks_than_a_file_holds_are_reported_alone_and_lose_nothing(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing(lends, wishes) as (arguments, one, _):
        found(*arguments, "--out", out)
        asked = len(one.asked)
        (group,) = found(*arguments, "-n", 2, "--out", out)["groups"]
        assert len(one.asked) == asked
    assert (group["tasks"], group["episodes"]) == (2, 2)
    assert len(lines(out)) == 4


def test_results_are_written_as_the_benchmarks_own_tools_read_them(tmp_path):
    own = tmp_path / "own.json"
    agent = [calls(LEND), says("It is lent.")]
    with playing(agent, [says("Emma, for bob."), STOP]) as (arguments, _, _):
        found(*arguments, "-n", 1, "--out", tmp_path / "t.jsonl", "--own", own)
    (result,) = json.loads(own.read_text())
    assert (result["task_id"], result["trial"], result["reward"]) == (0, 0, 1.0)
    assert [each["role"] for each in result["traj"]] == [
        *("system", "user", "assistant", "tool", "assistant", "user")
    ]
    assert result["traj"][0]["content"] == "The rules of the library."
    assert result["traj"][2]["tool_calls"][0]["function"]["name"] == "lend_book"


def lends_renamed(request: Request) -> Reply:
    """Calls the second tool, whatever it and its arguments are called."""
    told = request.body["tools"][1]["function"]
    if request.body["messages"][-1]["role"] != "user":
        return says("Lent.")
    arguments = zip(told["parameters"]["properties"], ("b1", "bob"), strict=True)
    return calls((told["name"], dict(arguments)))


def test_an_agent_that_sees_other_names_is_scored_in_the_true_ones(tmp_path):
    out = tmp_path / "t.jsonl"
    with playing(lends_renamed, [says("Emma, for bob."), STOP]) as (arguments, one, _):
        report = found(*arguments, "-n", 1, "--rename-tools", 3, "--out", out)
    assert report["groups"][0]["passed"] == 1
    told = json.dumps(one.asked[0].body["tools"])
    assert "lend_book" not in told and '"book"' not in told
    (played,) = lines(out)
    (call,) = played.steps[0].turn.calls
    assert (call.tool, call.arguments) == ("lend_book", {"book": "b1", "to": "bob"})
    assert (played.steps[0].results[0].text, played.settings["rename-tools"]) == ("lent", 3)


def test_a_call_that_cannot_be_made_is_told_in_the_names_that_the_agent_sees(tmp_path):
    agent = [calls(("lend_book", "no object")), says("I cannot.")]
    with playing(agent, [says("Emma, for bob."), STOP]) as (arguments, one, _):
        found(*arguments, "-n", 1, "--rename-tools", 3, "--out", tmp_path / "t.jsonl")
    assert one.asked[1].body["messages"][-1]["content"].startswith("Error: ")


def test_a_file_of_another_version_of_the_data_is_not_gone_on_with(tmp_path):
    out = tmp_path / "t.jsonl"
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root)
    with playing(lends, wishes, root) as (arguments, _, _):
        found(*arguments, "-n", 1, "--out", out)
        books = root / "tau_bench" / "envs" / "library" / "data" / "books.json"
        books.write_text(books.read_text() + " ")
        assert "--data" in refused(*arguments, "-n", 1, "--out", out)


def test_another_user_than_the_benchmarks_own_is_warned_of(tmp_path):
    with playing(lends, wishes) as (arguments, _, other):
        other.models = ["another"]
        mine = [each if each != "the-usual-user" else "another" for each in arguments]
        report = found(*mine, "-n", 1, "--out", tmp_path / "t.jsonl")
    assert any("its own user is the-usual-user" in each for each in report["cautions"])


def test_a_data_set_with_the_benchmarks_tools_is_told_beside_the_score(tmp_path):
    sample = tmp_path / "sample"
    shutil.copytree(ROOT / "tests" / "hand", sample)
    manifest = json.loads((sample / "dataset.json").read_text())
    name = next(iter(manifest["environments"]))
    manifest["environments"][name]["overlaps"] = ["tau-bench retail", "BFCL math api"]
    (sample / "dataset.json").write_text(json.dumps(manifest))
    (told,) = found("tau-bench", "--root", TAU, "--noop", "--trained-on", sample)["overlaps"]
    assert told.startswith(f"{name} in {sample} has the tools of tau-bench retail")


# -------------------------------------------------------------------- bad input


def test_a_folder_that_is_no_checkout_says_what_was_found_and_what_is_needed(tmp_path):
    line = refused("tau-bench", "--root", tmp_path, "--gold")
    assert "there is no tau_bench/envs/base.py" in line
    (tmp_path / "src" / "tau2" / "domains").mkdir(parents=True)
    line = refused("tau-bench", "--root", tmp_path, "--gold")
    assert "it is one of tau2-bench" in line


def test_an_older_checkout_says_what_it_lacks(tmp_path):
    root = tmp_path / "old"
    shutil.copytree(TAU, root)
    user = root / "tau_bench" / "envs" / "user.py"
    user.write_text(user.read_text().replace("LLMUserSimulationEnv", "UserSimulator"))
    line = refused("tau-bench", "--root", root, "--gold")
    assert "tau_bench.envs.user has no LLMUserSimulationEnv" in line


def test_a_file_of_data_that_is_missing_is_named(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root)
    (root / "tau_bench" / "envs" / "library" / "data" / "books.json").unlink()
    assert "books.json: cannot be read" in refused("tau-bench", "--root", root, "--gold")


def test_a_file_that_git_lfs_has_not_fetched_is_named(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root)
    books = root / "tau_bench" / "envs" / "library" / "data" / "books.json"
    books.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    assert "git lfs pull" in refused("tau-bench", "--root", root, "--gold")


def test_a_package_that_the_code_wants_is_named(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(TAU, root)
    base = root / "tau_bench" / "envs" / "base.py"
    base.write_text(f"import a_package_of_nobody\n{base.read_text()}")
    assert "pip install a_package_of_nobody" in refused("tau-bench", "--root", root, "--gold")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--gold", "--domain", "libary"), "did you mean library?"),
        (("--gold", "--split", "tests"), "did you mean test?"),
        (("--gold", "--noop"), "give --model, --policy, --gold or --noop"),
        ((), "give --model, --policy, --gold or --noop"),
        (("--policy", "oracle", "--user-model", "u"), "--policy local:PATH"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9/v1"), "--user-model NAME"),
    ],
)
def test_what_cannot_be_meant_is_one_line(arguments, told):
    assert told in refused("tau-bench", "--root", TAU, *arguments)


def test_a_server_that_refuses_the_model_is_one_line(tmp_path):
    with playing([refuses(404, "no such model")], wishes) as (arguments, _, _):
        line = refused(*arguments, "--out", tmp_path / "t.jsonl")
    assert "no such model" in line
