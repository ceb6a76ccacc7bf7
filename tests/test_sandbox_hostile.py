"""Hostile tools against both back ends: refused by the rules, or stopped while they run."""

from pathlib import Path
from time import sleep

import pytest

from forge.env.base import Base
from forge.env.sandbox.limits import Limits
from forge.env.sandbox.monty import MontySandbox
from forge.env.sandbox.source import check_source
from forge.env.store import Store
from forge.errors import ToolBug, ToolError, UserError
from tests.boxes import BASE, KINDS, NOW, PATIENT, SCHEMA, SHORT, STATE, new_store, opened
from tests.hostile import AGAINST_THE_RULES, NATIVE_DOES_NOT_STOP, WITHIN_THE_RULES

ALIVE = "\n\ndef alive():\n    return get('notes', 'n_1')['title']\n"


@pytest.mark.parametrize("name", AGAINST_THE_RULES)
def test_the_rules_refuse_it_before_it_is_loaded(name):
    source = AGAINST_THE_RULES[name]
    assert check_source(source, ["attack"])
    for kind in KINDS:
        with pytest.raises(UserError, match=r"line \d+: "):
            opened(source, kind)


@pytest.mark.parametrize("name", AGAINST_THE_RULES)
def test_without_the_rules_monty_still_lets_nothing_out(name, capfd):
    """The rules are no wall; Monty is. What it lets a tool do is compute."""
    store = new_store()
    before = store.state()
    try:
        box = MontySandbox(AGAINST_THE_RULES[name] + ALIVE, 1, SHORT)
    except UserError:
        return
    with box:
        try:
            value = box.run("attack", {}, store)
        except (ToolBug, ToolError):
            value = None
        assert not any(secret in repr(value) for secret in ("root:", "site-packages", "uid="))
        assert store.state() == before
    assert not Path("/tmp/forge_hostile").exists()
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("name", WITHIN_THE_RULES)
def test_monty_stops_what_runs_away_and_serves_the_next_call(name):
    source, reason = WITHIN_THE_RULES[name]
    assert check_source(source, ["attack"]) == []
    store = new_store()
    before = store.state(), store.now()
    limits = SHORT if reason in (None, "TimeoutError") else PATIENT
    with opened(source + ALIVE, "monty", limits) as box:
        with pytest.raises((ToolBug, ToolError), match=reason), store.transaction():
            box.run("attack", {}, store)
        assert (store.state(), store.now()) == before
        assert box.run("alive", {}, store) == "Milk"


@pytest.mark.parametrize("name", sorted(WITHIN_THE_RULES.keys() - NATIVE_DOES_NOT_STOP))
def test_native_refuses_what_it_claims_to(name):
    source, _ = WITHIN_THE_RULES[name]
    store = new_store()
    before = store.state(), store.now()
    with opened(source + ALIVE, "native") as box:
        with pytest.raises((ToolBug, ToolError)), store.transaction():
            box.run("attack", {}, store)
        assert (store.state(), store.now()) == before
        assert box.run("alive", {}, store) == "Milk"


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_holds_itself_ends_the_call_not_the_host(kind):
    source = (
        "def attack():\n    x = []\n    x.append(x)\n    return insert('notes', title='x', tags=x)"
    )
    store = new_store()
    with opened(source + ALIVE, kind) as box:
        try:
            assert len(str(box.run("attack", {}, store))) < 1000
        except (ToolBug, ToolError):
            assert store.overlay() == {}
        assert box.run("alive", {}, store) == "Milk"


def test_memory_that_one_call_leaves_behind_is_not_missed_by_another():
    source = """
def litter():
    x = ["y" * 1000 for _ in range(4000)]
    x.append(x)
    insert("notes", title="litter")
    return len(x)
"""
    store = new_store()
    with opened(source, "monty") as box:
        assert [box.run("litter", {}, store) for _ in range(9)] == [4001] * 9
    assert store.count("notes") == 12


def test_monty_stops_a_tool_that_keeps_the_host_busy():
    notes = {f"n_{i}": {"id": f"n_{i}", "title": f"note {i * 7919 % 3000}"} for i in range(3000)}
    store = Store(Base(SCHEMA, {"people": STATE["people"], "notes": notes}), now=NOW)
    source = """
def attack():
    while True:
        find('notes', sort=('title', '-stars', 'due'), limit=1)
"""
    limits = Limits(seconds=0.05, calls=100_000)
    with (
        opened(source, "monty", limits) as box,
        pytest.raises(ToolBug, match="keeps the table API busy"),
    ):
        box.run("attack", {}, store)


def test_a_tool_is_not_blamed_for_what_its_thread_waits_for():
    """With many sessions at once, a thread waits for the others while it answers."""

    class Waiting(Store):
        def _layout(self, table):
            sleep(0.5)
            return super()._layout(table)

    store = Waiting(BASE, now=NOW, actor="ann")
    # not what it asks first, which is answered before it runs
    source = "def patient():\n    return [get('notes', key)['title'] for key in ['n_1']]\n"
    with opened(source, "monty", Limits(seconds=0.2)) as box:
        assert box.run("patient", {}, store) == ["Milk"]


def test_what_native_does_not_stop_is_among_the_snippets():
    assert WITHIN_THE_RULES.keys() >= NATIVE_DOES_NOT_STOP
