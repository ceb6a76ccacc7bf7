"""Runs that share what they have in common see what each would see alone."""

from hypothesis import given, settings
from hypothesis import strategies as st

from forge.env.rehearsal import Reads, Rehearsal
from tests.wished import shop

CALLS = (
    ("list_customers", {}),
    ("list_orders", {"status": "open"}),
    ("list_orders", {"status": "cancelled"}),
    ("cancel_order", {"order_id": "ord_00"}),
    ("ship_order", {"order_id": "ord_00"}),
    ("update_order", {"order_id": "ord_03", "price": 1}),
    ("update_order", {"order_id": "ord_03", "price": 1.0}),
    ("update_order", {"order_id": "nowhere"}),
    ("nothing", {}),
)
SHARED = Rehearsal(shop().open("main"))
READS = Reads()


def _setups() -> list[dict]:
    """Nothing, an order that is otherwise, a customer more."""
    changed, added = shop().open("main"), shop().open("main")
    changed.call("cancel_order", {"order_id": "ord_00"})
    added.store.insert("customers", name="Zoe Ibarra")
    return [{}, changed.overlay(), added.overlay()]


SETUPS = _setups()


@given(st.lists(st.sampled_from(CALLS), max_size=6))
@settings(deadline=None)
def test_a_run_sees_what_a_session_of_its_own_sees(calls: list[tuple[str, dict]]):
    run, session = SHARED.run(), shop().open("main")
    for tool, arguments in calls:
        assert repr(run.call(tool, arguments)) == repr(session.call(tool, arguments))
        assert run.store.now() == session.store.now()
    assert run.overlay() == session.overlay()
    assert run.store.state() == session.state()


def test_a_run_starts_anew_whatever_others_did():
    rehearsal = Rehearsal(shop().open("main"))
    first = rehearsal.run()
    first.call("cancel_order", {"order_id": "ord_00"})
    assert rehearsal.run().overlay() == {}
    assert first.overlay() != {}


@given(st.sampled_from(SETUPS), st.lists(st.sampled_from(CALLS), max_size=6))
@settings(deadline=None)
def test_what_was_read_elsewhere_on_the_base_is_what_would_be_read_here(
    setup: dict, calls: list[tuple[str, dict]]
):
    run = Rehearsal(shop().open("main", setup=setup), READS).run()
    session = shop().open("main", setup=setup)
    for tool, arguments in calls:
        assert repr(run.call(tool, arguments)) == repr(session.call(tool, arguments))


def test_a_read_is_not_made_again_where_what_it_looks_at_is_the_same():
    reads = Reads()
    untouched, order_cancelled, customer_added = SETUPS
    lists = [
        Rehearsal(shop().open("main", setup=setup), reads).run().call("list_customers", {})
        for setup in (untouched, order_cancelled, customer_added)
    ]
    assert lists[0] is lists[1]
    assert len(lists[2].value) == len(lists[0].value) + 1
