"""Runs that share what they have in common see what each would see alone."""

from hypothesis import given, settings
from hypothesis import strategies as st

from forge.env.rehearsal import Rehearsal
from tests.wished import shop

CALLS = (
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
