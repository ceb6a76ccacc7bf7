"""Making tasks: graph, walks, plans, plays, intents, questions."""

import contextlib
import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.gates.keep import Tally, kept_tasks, shape_of
from forge.tasks.dags.graph import as_network, tool_graph
from forge.tasks.dags.play import before, play, random_orders
from forge.tasks.dags.reason import ReasonError, reason
from forge.tasks.dags.walk import neighbours, walk
from forge.tasks.intents.intent import IntentError, carry_out
from forge.tasks.make import Proposer, random_of
from forge.tasks.speech.called import bare, called, is_unsayable, is_yes_no_noun
from forge.tasks.speech.spoken import listed, renderings
from forge.tasks.speech.words import a, human, plural, role, split
from forge.tasks.wishes.scene import Unfit
from forge.tasks.wishes.wish import months
from forge.types.dag import Default, Filter, Output, ReasonNode
from forge.types.intent import (
    Aggregate,
    Answer,
    Change,
    Condition,
    Insert,
    Intent,
    Pick,
    Plain,
    Selection,
)
from forge.types.state import Column, Table
from tests.worlds import hand_environment, hand_tasks, hand_world


def test_what_one_tool_shows_can_be_the_argument_of_another():
    edges = tool_graph(hand_environment()).edges
    found = {(e.source, e.output, e.target, e.argument) for e in edges}
    assert ("find_project", ("project_id",), "list_tasks", "project_id") in found
    assert ("list_tasks", ("assignee_id",), "assign_task", "user_id") in found
    assert ("find_users", ("user_id",), "add_member", "user_id") in found


def test_an_edge_never_joins_keys_of_different_things():
    for edge in tool_graph(hand_environment()).edges:
        assert edge.output[-1].removeprefix("assignee").lstrip("_") in (
            edge.argument,
            edge.argument.removeprefix("assignee_"),
            "id",
            "user_id",
        )


def test_a_tool_without_an_effect_has_no_edges():
    assert not [e for e in tool_graph(hand_environment()).edges if e.source == "create_project"]


def test_a_walk_follows_edges_and_repeats_nothing():
    environment = hand_environment()
    network = as_network(tool_graph(environment), environment)
    for seed in range(30):
        met = walk(neighbours(network), environment, random.Random(seed), 6)
        assert len(met) == len(set(met)) <= 6
        for number, tool in enumerate(met[1:], 1):
            beside = set(network.successors(tool)) | set(network.predecessors(tool))
            assert beside & set(met[:number])


def test_where_few_wishes_are_asked_for_there_is_one_but_beside_what_is_refused():
    proposer = Proposer(hand_world(), tool_graph(hand_environment()), seed=3)
    found = []
    for number in range(60):
        with contextlib.suppress(Unfit):
            found.append(proposer.proposal(number, few=True).task)
    assert {len(task.intent.wishes) for task in found if task.kind != "refuse"} == {1}
    assert {"change", "answer"} <= {task.kind for task in found}


def test_a_proposal_depends_on_its_number_alone():
    graph = tool_graph(hand_environment())
    one = Proposer(hand_world(), graph, seed=3)
    two = Proposer(hand_world(), graph, seed=3)

    def proposed(proposer, number):
        try:
            return proposer.propose(number).model_dump_json()
        except Unfit as unfit:
            return str(unfit)

    forward = [proposed(one, n) for n in range(12)]
    backward = [proposed(two, n) for n in reversed(range(12))]
    assert forward == backward[::-1]
    assert len(set(forward)) > 6


def test_another_seed_gives_other_tasks():
    graph = tool_graph(hand_environment())
    one = {t.hash for t in kept_tasks(hand_world(), graph, count=8, seed=1, tally=Tally())}
    two = {t.hash for t in kept_tasks(hand_world(), graph, count=8, seed=2, tally=Tally())}
    assert one != two


def test_kept_tasks_are_of_several_kinds_and_lengths():
    tasks = hand_tasks()
    assert {t.kind for t in tasks} == {"change", "answer", "mixed", "refuse"}
    assert any(f.told for t in tasks for f in t.facts)
    assert any(t.difficulty["calls"] >= 5 for t in tasks)
    assert any(t.difficulty["reasoning"] for t in tasks)


def test_equal_lookups_are_one_call_unless_one_looks_again_after_the_changes():
    for task in hand_tasks():
        if any(wish.verb == "answer" and wish.after for wish in task.intent.wishes):
            continue
        reads = [
            (n.tool, repr(n.arguments)) for n in task.dag.nodes if n.kind == "call" and not n.writes
        ]
        assert len(reads) == len(set(reads))


def test_every_node_of_a_task_is_used():
    for task in hand_tasks():
        needed = {n for needs in before(task.dag).values() for n in needs}
        needed |= {d.origin.node for d in task.dues if hasattr(d.origin, "node")}
        for node in task.dag.nodes:
            acts = node.kind == "call" and (node.writes or node.refused)
            finds_none = node.kind == "reason" and node.form == "none"
            assert node.id in needed or acts or finds_none, task.question


def test_a_random_order_keeps_every_edge():
    for task in hand_tasks():
        needs = before(task.dag)
        (order,) = random_orders(task.dag, random.Random(5), 1)
        for position, node in enumerate(order):
            assert needs[node] <= set(order[:position])


def test_playing_a_task_again_makes_its_golden_calls():
    for task in hand_tasks():
        session = hand_world().open(task.base, actor=task.actor, now=task.now, setup=task.setup)
        played = play(session, task.dag, {f.name: f.value for f in task.facts}, task.dues)
        assert tuple(played.calls) == task.golden_calls
        assert played.answers == [d.value for d in task.dues]


def test_questions_name_no_tool_no_field_and_no_internal_key():
    keys = re.compile(r"\b(?:prj|usr|tsk)_[0-9a-f]+")
    names = {t.name for t in hand_environment().tools}
    for task in hand_tasks():
        assert not keys.search(task.question)
        assert not names & set(re.findall(r"\w+_\w+", task.question))
        assert not re.search(r"\b\d{4}-\d{2}-\d{2}\b", task.question)


def test_questions_are_sentences():
    for task in hand_tasks():
        assert task.question[0].isupper() or task.question[0] in '"0123456789'
        assert task.question[-1] in ".?!"
        assert "  " not in task.question and " ," not in task.question
        assert "None" not in task.question and "{" not in task.question


def test_no_wish_is_about_what_an_earlier_one_deleted():
    for task in hand_tasks():
        gone = {k for table in task.golden.values() for k in table.deleted}
        kept = [c for c in task.golden_calls if not c.tool.startswith(("delete", "remove", "list"))]
        kept = [c for c in kept if not c.tool.startswith(("find", "get"))]
        for call in kept:
            assert not gone & {str(v) for v in call.arguments.values()}, task.question


def test_no_kind_of_wish_fills_a_set():
    tasks = hand_tasks()
    most = Counter(shape_of(t.intent) for t in tasks).most_common(1)[0][1]
    assert most <= 0.15 * len(tasks)


def test_a_user_gives_few_values_that_need_not_be_given():
    tools = {t.name: t for t in hand_environment().tools}
    for task in hand_tasks():
        for call in task.golden_calls:
            tool = tools[call.tool]
            if tool.effect is not None and tool.effect.verb == "create":
                extra = set(call.arguments) - set(tool.parameters["required"])
                assert len(extra - {"project_id", "assignee_id"}) <= 2


def test_what_is_over_gets_nothing_new():
    base = hand_world().bases["main"]
    for task in hand_tasks():
        for call in task.golden_calls:
            if call.tool in ("create_task", "add_member"):
                project = base.record("projects", (call.arguments["project_id"],))
                assert project is None or project["status"] != "archived", task.question


@pytest.mark.parametrize(
    ("name", "format", "said"),
    [
        ("due_on", "date", "due date"),
        ("email", "email", "email address"),
        ("lent_on", "date", "date it was lent"),
        ("estimate_hours", None, "estimate in hours"),
        ("departure", "date", "departure date"),
    ],
)
def test_a_column_is_called_by_a_noun(name, format, said):
    table = Table(name="things", noun="thing", key=("id",), columns=())
    assert called(Column(name=name, format=format), table) == said


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("is_archived", False),
        ("completed", False),
        ("breakfast", True),
        ("public", False),
        ("parking", True),
    ],
)
def test_a_yes_or_no_is_of_a_thing_or_of_how_something_is(name, about):
    table = Table(name="things", noun="thing", key=("id",), columns=())
    assert is_yes_no_noun(bare(Column(name=name, type="boolean"), table)) is about


def test_nobody_says_markup_secrets_or_addresses_of_pages():
    for name in ("html_notes", "api_token", "photo_url", "password", "resource_subtype"):
        assert is_unsayable(Column(name=name)), name
    for name in ("notes", "title", "price"):
        assert not is_unsayable(Column(name=name)), name


# ---------------------------------------------------------------------- intent


def _store():
    return hand_world().open("main", actor="usr_a6f0682c").store


def test_a_tie_in_a_choice_has_no_exact_meaning():
    store = _store()
    first, second = store.find("tasks", status="open", limit=2)
    for task in (first, second):
        store.update("tasks", task["task_id"], due_date="2020-01-01")
    choice = Selection(table="tasks", pick=Pick(column="due_date", which="min"))
    wish = Answer(what=Aggregate(of=choice, op="value", column="title"))
    with pytest.raises(IntentError, match="tie"):
        carry_out(Intent(wishes=(wish,)), store)


def test_a_wish_for_one_record_that_fits_two_has_no_exact_meaning():
    where = (Condition(column="status", value=Plain(value="open")),)
    wish = Change(
        of=Selection(table="tasks", where=where), change={"status": Plain(value="closed")}
    )
    with pytest.raises(IntentError, match="where one must"):
        carry_out(Intent(wishes=(wish,)), _store())


def test_counts_are_of_the_records_that_fit():
    store = _store()
    where = (Condition(column="status", value=Plain(value="open")),)
    wish = Answer(what=Aggregate(of=Selection(table="tasks", where=where), op="count"))
    assert carry_out(Intent(wishes=(wish,)), store) == [store.count("tasks", status="open")]


# ------------------------------------------------------------------- reasoning

CANDIDATES = [
    {"name": "a", "price": 12.5, "open": True},
    {"name": "b", "price": 3, "open": False},
    {"name": "c", "price": 7, "open": True},
    {"name": "d", "price": None, "open": True},
]


def _node(form, by=(), tests=()):
    return ReasonNode(id="r", form=form, over=Output(node="x", path=()), by=by, tests=tests)


@pytest.mark.parametrize(
    ("form", "expected"),
    [("argmin", CANDIDATES[2]), ("argmax", CANDIDATES[0]), ("count", 3), ("sum", 19.5)],
)
def test_reasoning_computes_over_the_candidates_that_are_left(form, expected):
    only_open = (Filter(path=("open",), value=Default(value=True)),)
    by = () if form == "count" else ("price",)
    assert reason(_node(form, by, only_open), CANDIDATES, [True]) == expected


def test_an_average_is_rounded_to_two_decimals():
    assert reason(_node("average", ("price",)), CANDIDATES, []) == 7.5


def test_a_match_of_two_is_an_error():
    with pytest.raises(ReasonError, match="3 candidates"):
        only_open = (Filter(path=("open",), value=Default(value=True)),)
        reason(_node("match", (), only_open), CANDIDATES, [True])


# ----------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("dueDate", ["due", "date"]),
        ("due_date", ["due", "date"]),
        ("HTTPStatus", ["http", "status"]),
        ("line-items", ["line", "items"]),
        ("1Q", ["1", "q"]),
        ("$ref", ["ref"]),
    ],
)
def test_identifiers_split_into_words(identifier, words):
    assert split(identifier) == words


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("task", "tasks"),
        ("category", "categories"),
        ("person", "people"),
        ("box", "boxes"),
        ("day", "days"),
        ("line item", "line items"),
        ("staff member", "staff members"),
        ("code scanning analysis", "code scanning analyses"),
        ("movie", "movies"),
    ],
)
def test_plurals(noun, many):
    assert plural(noun) == many


@pytest.mark.parametrize(
    ("noun", "said"), [("order", "an order"), ("user", "a user"), ("hour", "an hour")]
)
def test_articles(noun, said):
    assert a(noun) == said


@pytest.mark.parametrize(
    ("column", "noun", "called"),
    [
        ("assignee_id", "task", "assignee"),
        ("taskTitle", "task", "title"),
        ("due_date", "task", "due date"),
        ("pet_id", "order", "pet"),
    ],
)
def test_columns_are_called_as_people_call_them(column, noun, called):
    assert role(column, noun) == called


def test_a_date_is_said_in_words_and_only_as_itself():
    ways = renderings("2030-05-12")
    assert "12 May 2030" in ways and "May 12, 2030" in ways and "Sunday 12 May 2030" in ways
    assert not set(ways) & set(renderings("2030-05-22"))


def test_a_code_is_said_without_underscores():
    assert renderings("in_progress")[0] == "in progress"
    assert renderings("StraightLine")[0] == "straight line"
    assert renderings("SO-1042")[0] == "SO-1042"
    assert human("due_date") == "due date"


def test_lists_are_said_with_and():
    assert listed(["a", "b", "c"]) == "a, b and c"


@given(st.dates(), st.dates())
def test_two_days_are_never_said_alike(one, other):
    if one != other:
        assert not set(renderings(one.isoformat())) & set(renderings(other.isoformat()))


@given(st.text(), st.text())
def test_a_generator_depends_on_its_parts_alone(one, other):
    assert random_of(one, other).random() == random_of(one, other).random()


def test_the_texts_of_a_new_record_name_no_different_months():
    for task in hand_tasks():
        for wish in task.intent.wishes:
            if isinstance(wish, Insert):
                texts = [v.value for v in wish.values.values() if isinstance(v, Plain)]
                named = [found for found in map(months, texts) if found]
                assert all(one & other for one in named for other in named)


def test_months_are_found_in_what_a_text_says():
    assert months("On hold until May, we go on in December.") == {"May", "December"}
    assert months("2026-05-04") == months(5) == set()
