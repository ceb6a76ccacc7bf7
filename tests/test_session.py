"""Worlds and sessions: calls as transactions, errors as results, many sessions at once."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

from forge.env.sandbox.limits import Limits
from forge.env.session import World
from forge.errors import SandboxLost, UserError
from forge.types.environment import Environment, Tool
from forge.types.state import TableOverlay
from tests.boxes import KINDS, NOW, SCHEMA, STATE

SOURCE = """
def read_note(id):
    return get("notes", id)


def add_note(title, stars=0, owner=None):
    return insert("notes", **given(title=title, stars=stars, owner=owner))


def star(id, stars):
    if stars > 5:
        fail("conflict", "at most 5 stars")
    return update("notes", id, stars=stars)


def three_steps(fails_at=0):
    _step(1, fails_at)
    update("notes", "n_1", title="Cream")
    _step(2, fails_at)
    made = insert("notes", title="New")
    _step(3, fails_at)
    delete("notes", "n_2")
    _step(4, fails_at)
    return made


def _step(number, fails_at):
    if number == fails_at:
        fail("conflict", "here")
    if number == -fails_at:
        raise ValueError("here")


def peek(title):
    update("notes", "n_1", title=title)
    return title


def odd(what):
    if what == "nan":
        return float("nan")
    if what == "set":
        return {1, 2}
    if what == "keys":
        return {1: "a"}
    if what == "huge":
        return 2**70
    if what == "long":
        return ["x" * 100_000] * 100
    if what == "tuple":
        return {"pair": (1, (2, 3))}
    if what == "key":
        return {}["x"]
    return find("notes", nope=1)


def spin(seconds=0):
    while True:
        pass
"""


def tool(name, kind, *required, **properties):
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }
    return Tool(name=name, description=name, parameters=parameters, kind=kind)


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
ENVIRONMENT = Environment(
    name="notes",
    title="Notes",
    state_schema=SCHEMA,
    tools=(
        tool("read_note", "read", "id", id=TEXT),
        tool("add_note", "write", "title", title=TEXT, stars=WHOLE, owner=TEXT),
        tool("star", "write", "id", "stars", id=TEXT, stars=WHOLE),
        tool("three_steps", "write", fails_at=WHOLE),
        tool("peek", "read", "title", title=TEXT),
        tool("odd", "read", "what", what=TEXT),
        tool("spin", "write", seconds=WHOLE),
    ),
    source=SOURCE,
    bases={"main": STATE},
    nows={"main": NOW},
)


@pytest.fixture(scope="module", params=KINDS)
def world(request):
    with World(ENVIRONMENT, sandbox=request.param) as opened:
        yield opened


@pytest.fixture
def session(world):
    return world.open("main", actor="ann")


def test_a_call_returns_json_and_changes_the_records(session):
    made = session.call("add_note", {"title": "Pay", "stars": "4"})
    assert made.failure is None
    assert made.value["stars"] == 4
    assert session.call("read_note", {"id": made.value["id"]}).value == made.value
    assert session.overlay() == {
        "notes": TableOverlay(made={made.value["id"]: made.value}),
    }


def test_what_a_call_returns_shares_nothing_with_the_records(session):
    session.call("read_note", {"id": "n_2"}).value["tags"].append("spoiled")
    assert session.call("read_note", {"id": "n_2"}).value["tags"] == ["home"]


def test_a_tool_that_does_not_exist_is_refused_with_the_closest_one(session):
    result = session.call("read_notes", {})
    assert (result.failure, result.value) == ("invalid", None)
    assert result.message == 'there is no tool "read_notes": did you mean "read_note"?'


def test_arguments_that_do_not_fit_are_refused_before_the_tool_runs(session):
    assert session.call("star", {"id": "n_1"}).message == "stars is required"
    assert session.call("star", {"id": "n_1", "stars": "x"}).failure == "invalid"
    assert session.call("star", "n_1").failure == "invalid"
    assert session.call(["star"], {}).failure == "invalid"


@pytest.mark.parametrize(
    ("name", "arguments", "failure", "message"),
    [
        ("read_note", {"id": "n_9"}, "not_found", 'there is no note "n_9"'),
        ("star", {"id": "n_1", "stars": 9}, "conflict", "at most 5 stars"),
        ("add_note", {"title": "x", "owner": "zoe"}, "invalid", None),
    ],
)
def test_a_refusal_is_a_result_for_the_agent(session, name, arguments, failure, message):
    result = session.call(name, arguments)
    assert (result.failure, result.bug) == (failure, "")
    assert result.message == message or (message is None and "zoe" in result.message)


@pytest.mark.parametrize(
    ("what", "bug"),
    [
        ("nan", "its result holds nan"),
        ("set", "its result holds a set"),
        ("keys", "its result has a name that is no text"),
        ("huge", "its result holds a whole number of more than 64 bits"),
        ("long", "its result is longer than"),
        ("key", "KeyError"),
        ("column", "nope"),
    ],
)
def test_a_bug_of_a_tool_is_an_internal_error_with_a_reason_for_its_author(session, what, bug):
    result = session.call("odd", {"what": what})
    assert (result.failure, result.message, result.value) == ("internal", "internal error", None)
    assert bug in result.bug


def test_a_tuple_comes_back_as_a_list(session):
    assert session.call("odd", {"what": "tuple"}).value == {"pair": [1, [2, 3]]}


def test_a_read_that_writes_is_a_bug_and_leaves_nothing(session):
    result = session.call("peek", {"title": "Hm"})
    assert (result.failure, result.bug) == ("internal", "it is a read, and it writes")
    assert (session.overlay(), session.store.now()) == ({}, NOW)


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4, -1, -2, -3, -4])
def test_a_failure_at_any_point_leaves_no_trace(world, fails_at):
    session, twin = world.open("main"), world.open("main")
    result = session.call("three_steps", {"fails_at": fails_at})
    assert result.failure == ("conflict" if fails_at > 0 else "internal")
    assert (session.overlay(), session.store.now()) == ({}, NOW)
    assert session.call("three_steps", {}) == twin.call("three_steps", {})
    assert session.state() == twin.state()


def test_a_fork_starts_as_its_original_is_and_goes_its_own_way(session):
    session.call("star", {"id": "n_1", "stars": 5})
    fork = session.fork()
    fork.call("star", {"id": "n_1", "stars": 0})
    assert session.state()["notes"]["n_1"]["stars"] == 5
    assert fork.state()["notes"]["n_1"]["stars"] == 0


def test_a_session_starts_from_its_setup_actor_and_clock(world):
    setup = {"notes": TableOverlay(deleted=("n_1",))}
    session = world.open("main", actor="bob", now="2030-01-01T00:00:00Z", setup=setup)
    assert session.call("read_note", {"id": "n_1"}).failure == "not_found"
    assert (session.store.me(), session.store.today()) == ("bob", "2030-01-01")
    assert session.overlay() == {}


def test_a_base_that_does_not_exist_is_an_error_for_the_user(world):
    with pytest.raises(UserError, match='no base "mian": did you mean "main"'):
        world.open("mian")


def test_a_tool_whose_function_takes_other_parameters_is_an_error_for_the_user():
    wrong = ENVIRONMENT.model_copy(update={"tools": (tool("read_note", "read", key=TEXT),)})
    with pytest.raises(UserError, match="read_note has no parameter 'key'"):
        World(wrong, sandbox="native")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nows": {}}, 'base "main" has no `now`'),
        ({"tools": ENVIRONMENT.tools[:1] * 2}, "two tools of notes have the same name"),
        ({"bases": {"main": {"notes": {"n_1": {"id": "n_1"}}}}}, "title is required"),
    ],
)
def test_an_environment_that_is_not_whole_is_an_error_for_the_user(change, message):
    with pytest.raises(UserError, match=message):
        World(ENVIRONMENT.model_copy(update=change), sandbox="native")


def test_source_that_breaks_the_rules_is_an_error_for_the_user():
    wrong = ENVIRONMENT.model_copy(update={"source": SOURCE + "\nKEPT = []\n"})
    for kind in KINDS:
        with pytest.raises(UserError, match=r"tools.py: line \d+: only immutable constants"):
            World(wrong, sandbox=kind)


# ------------------------------------------------------------------------- workers and threads


def workers():
    """The processes that this process started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at /proc")


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@linux
def test_a_worker_that_died_is_replaced_and_the_call_is_run_again():
    before = set(workers())
    with World(ENVIRONMENT, workers=1) as world:
        session = world.open("main")
        kill(set(workers()) - before)
        assert session.call("star", {"id": "n_1", "stars": 5}).failure is None
        assert session.overlay()["notes"].changed["n_1"]["stars"] == 5


@linux
def test_a_worker_that_dies_twice_is_infrastructure_lost_and_leaves_no_trace():
    before, done = set(workers()), Event()

    def assassin():
        while not done.wait(0.05):
            kill(set(workers()) - before)

    with World(ENVIRONMENT, workers=1, limits=Limits(seconds=20)) as world:
        session = world.open("main")
        thread = Thread(target=assassin)
        thread.start()
        try:
            with pytest.raises(SandboxLost):
                session.call("spin", {})
        finally:
            done.set()
            thread.join()
        assert session.overlay() == {}
        assert session.call("read_note", {"id": "n_1"}).value["title"] == "Milk"


@linux
def test_closing_a_world_ends_its_workers():
    before = set(workers())
    with World(ENVIRONMENT, workers=2) as world:
        world.open("main").call("read_note", {"id": "n_1"})
        assert set(workers()) - before
    assert not set(workers()) - before
    with pytest.raises(SandboxLost, match="closed"):
        world.open("main").call("read_note", {"id": "n_1"})


def play(session, number):
    """What one honest session does, and all that came of it, as text."""
    results = []
    for step in range(4):
        made = session.call("add_note", {"title": f"note {number}.{step}", "stars": step})
        results += [made, session.call("read_note", {"id": made.value["id"]})]
        results.append(session.call("star", {"id": "n_1", "stars": (number + step) % 7}))
        results.append(session.call("three_steps", {"fails_at": 3 - step}))
    return json.dumps([repr(results), session.state(), session.store.now()])


def misbehave(session, name):
    """What a hostile session does, as long as the others may need."""
    return [session.call(name, {"title": "x"} if name == "peek" else {}) for _ in range(3)]


def test_of_64_sessions_at_once_the_62_honest_ones_end_as_if_alone():
    with World(ENVIRONMENT, workers=4) as world:
        alone = [play(world.open("main", actor="ann", seed=n), n) for n in range(62)]
        with ThreadPoolExecutor(64) as pool:
            looping = pool.submit(misbehave, world.open("main"), "spin")
            hostile = pool.submit(misbehave, world.open("main"), "peek")
            sessions = [world.open("main", actor="ann", seed=n) for n in range(62)]
            together = list(pool.map(play, sessions, range(62)))
            assert {result.failure for result in looping.result()} == {"internal"}
            assert {result.failure for result in hostile.result()} == {"internal"}
    assert together == alone
