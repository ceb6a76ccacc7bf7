"""What questions sound like: every kind of wish in plain English, said once and exactly."""

import random
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from forge.dataset.environments import read_environment
from forge.env.session import World
from forge.gates.grounded import says_value
from forge.gates.keep import Tally, kept_tasks
from forge.tasks.dags.graph import tool_graph
from forge.tasks.speech.asking import asked
from forge.tasks.speech.called import called, is_asked_for
from forge.tasks.speech.comparing import strung
from forge.tasks.speech.days import seen_from
from forge.tasks.speech.facts import name_facts
from forge.tasks.speech.links import is_link
from forge.tasks.speech.manner import MANNERS
from forge.tasks.speech.phrase import Speaker
from forge.tasks.speech.question import Saying, compose, write_question
from forge.tasks.speech.spoken import renderings
from forge.tasks.speech.words import a, noun_of, plural
from forge.types.intent import (
    Actor,
    AddItem,
    Aggregate,
    Answer,
    Branch,
    Change,
    Computed,
    Condition,
    Counted,
    Delete,
    Difference,
    Insert,
    Intent,
    MadeKey,
    Moved,
    Pick,
    Plain,
    Refused,
    RemoveItem,
    Selection,
    Wish,
)
from forge.types.intent import Test as IfSo
from forge.types.state import Column, Parent, StateSchema, Table
from forge.types.task import Fact
from tests.places import ROOT
from tests.said import (
    CLOSED,
    DESKS,
    HALL,
    KESTREL,
    LUMINA,
    NOW,
    ON_KESTREL,
    ON_LUMINA,
    OPEN,
    OPEN_TASKS,
    PRIYA,
    SCHEMA,
    ask,
    key_of,
    keys_of,
    measure,
    plain,
    said,
    some,
    ways,
    where,
)
from tests.worlds import hand_tasks

SECOND = Pick(column="due_on", which="min", nth=2)
FIRST_THREE = Pick(column="due_on", which="min", take=3)
BUSIEST = Pick(
    column="project_id", which="max", counted=Counted(of=some("tasks", OPEN), column="project_id")
)
CLOSEST = Pick(column="due_on", which="min", near=plain("2026-03-06"))
HIGH = where("priority", "high")
ALL_ON_LUMINA = some("tasks", ON_LUMINA)
ABOVE_AVERAGE = where(
    "estimate_hours", Computed(of=measure("average", ALL_ON_LUMINA, "estimate_hours")), "gt"
)
ARCHIVE = Change(of=LUMINA, change={"status": Plain(value="archived")})
NEW_TASK = Insert(
    table="tasks",
    values={
        "title": plain("Collect the old redirects"),
        "project_id": key_of(LUMINA),
        "due_on": plain("2026-03-06"),
    },
)


def put_off(days: int, *, less: bool = False) -> Change:
    return Change(of=DESKS, change={"due_on": Moved(by=plain(days), unit="days", less=less)})


def if_more_than(number: int, otherwise: Change | None = None) -> Branch:
    test = IfSo(measure=measure("count", OPEN_TASKS), op="gt", value=plain(number))
    return Branch(test=test, then=ARCHIVE, otherwise=otherwise)


def gap(left: str, one: object, other: object, column: str | None = None) -> Difference:
    return Difference.model_validate(
        {
            "left": {"op": left, "of": one, "column": column},
            "right": {"op": left, "of": other, "column": column},
        }
    )


def asked_gap(left: str, one: object, other: object, column: str | None = None) -> Wish:
    return Answer(what=gap(left, one, other, column))


PHRASES: list[tuple[Wish, str]] = [
    (ask("value", some("tasks", ON_LUMINA, OPEN, pick=SECOND), "title"),
     "which open task on Lumina is due second"),
    (ask("value", some("projects", pick=BUSIEST), "name"), "which project has the most open tasks"),
    (ask("value", some("tasks", ON_LUMINA, pick=CLOSEST), "title"),
     "which task on Lumina has the due date closest to "),
    (Change(of=some("tasks", OPEN, pick=FIRST_THREE), change={"priority": plain("low")}, each=True),
     "priority of the three open tasks that are due first to low"),
    (asked_gap("count", OPEN_TASKS, some("tasks", ON_LUMINA, CLOSED)),
     "how many more open than closed tasks"),
    (asked_gap("count", OPEN_TASKS, some("tasks", ON_KESTREL, OPEN)), "on Lumina than on Kestrel"),
    (asked_gap("value", some("products", where("name", "Oak bench")),
               some("products", where("name", "Ash stool")), "price"),
     "than the product Ash stool"),
    (asked_gap("value", HALL, DESKS, "due_on"), "how many days"),
    (ask("count", some("projects", where("project_id", keys_of(some("tasks", OPEN), "project_id"),
                                         "in", negated=True))), "projects have no open tasks"),
    (ask("count", some("tasks", OPEN, where("project_id", keys_of(some(
        "projects", where("status", "archived"))), "in"))), "open tasks"),
    (ask("count", some("tasks", ON_LUMINA, where("due_on", None))), "with no due date"),
    (ask("count", some("tasks", ON_LUMINA, where("assignee_id", key_of(PRIYA), "ne"))),
     "not assigned to Priya Nair"),
    (ask("count", some("tasks", ON_LUMINA, ABOVE_AVERAGE)), "is above the average"),
    (ask("distinct", OPEN_TASKS, "assignee_id"), "how many different assignees"),
    (ask("max", OPEN_TASKS, "due_on"), "the latest due date among all open tasks on Lumina"),
    (ask("median", some("products", where("category", "toys")), "price"),
     "the median price of all products in the toys category"),
    (ask("value", some("products", pick=Pick(column="price", which="max")), "name"),
     "which product costs the most"),
    (Refused(deed=Change(of=DESKS, change={"status": Plain(value="open")}), why="state"),
     'reopen the task "Order desks" on Lumina'),
    (Delete(of=some("tasks", ON_LUMINA, HIGH), each=True),
     "all tasks on Lumina with high priority"),
]  # fmt: skip


@pytest.mark.parametrize(("wish", "phrase"), PHRASES, ids=[p for _, p in PHRASES])
def test_a_wish_is_said_in_plain_english(wish: Wish, phrase: str):
    for question in ways(wish, count=12):
        assert phrase.lower() in question.lower(), question


def test_what_is_said_shortest_comes_first_lest_it_be_taken_for_a_part_of_the_other():
    latest = some("projects", OPEN, pick=Pick(column="due_on", which="max"))
    of = some("tasks", where("project_id", key_of(latest)), where("assignee_id", key_of(PRIYA)))
    for question in ways(ask("value", of, "notes"), count=12):
        assert "assigned to Priya Nair on the " in question
    values = {"title": plain("Sand the floor"), "project_id": key_of(latest)}
    made = Insert(table="tasks", values=values | {"assignee_id": key_of(PRIYA)})
    for question in ways(made, count=12):
        assert "assigned to Priya Nair on the " in question


def test_what_each_record_has_one_of_is_spoken_of_by_that_record():
    key = tuple(Column(name=name, references="repos") for name in ("owner", "repo"))
    parent = Parent(table="repos", columns=("owner", "repo"), on_delete="cascade")
    policy = Table(name="policies", noun="policy", key=("owner", "repo"), columns=key)
    assert not is_link(policy.model_copy(update={"parent": parent}))
    assert is_link(policy)


def test_a_date_is_put_off_or_brought_forward():
    later, earlier = ways(put_off(3)), ways(put_off(1, less=True))
    assert any("back by 3 days" in q for q in later) and any("three days later" in q for q in later)
    assert any("forward by 1 day" in q for q in earlier)
    assert not any("1 days" in q or "one days" in q for q in earlier)


def test_a_condition_comes_before_what_hangs_on_it_and_its_project_is_it():
    for question in ways(if_more_than(3)):
        assert re.search(r"more than (3|three) open tasks on Lumina", question)
        assert question.index("open tasks") < question.index("archive it")


def test_what_else_is_to_be_done_is_said_of_the_same_record():
    other = Change(of=LUMINA, change={"due_on": plain("2026-03-13")})
    for question in ways(if_more_than(3, other)):
        assert " its due date to " in question, question


def test_one_is_said_in_the_singular():
    assert all(re.search(r"there is more than (1|one) open task on", q)
               for q in ways(if_more_than(1)))  # fmt: skip


def test_what_was_made_is_it_or_the_new_one_in_the_next_wish():
    made = Insert(table="projects", values={"name": plain("Auro")})
    link = {"project_id": MadeKey(wish=0), "user_id": key_of(PRIYA), "role": plain("editor")}
    questions = ways(made, Insert(table="members", values=link))
    assert any("Priya Nair to it as an editor" in q for q in questions)
    assert any("Priya Nair on the new project as an editor" in q for q in questions)


def test_the_record_of_the_last_wish_is_it():
    hand = Change(of=DESKS, change={"assignee_id": key_of(PRIYA)})
    for question in ways(hand, Change(of=DESKS, change={"due_on": plain("2026-03-13")})):
        assert question.count("Order desks") == 1 and " its due date to " in question, question


def test_a_person_is_them_and_never_it():
    email = Change(of=PRIYA, change={"email": plain("priya@example.com")})
    for question in ways(email, Delete(of=PRIYA)):
        assert re.search(r"(delete|remove|get rid of) them", question), question


def test_the_only_project_spoken_of_may_be_the_same_project():
    questions = ways(Delete(of=DESKS), NEW_TASK)
    assert any("on the same project" in q for q in questions)
    assert all(q.count("Lumina") + q.count("the same project") + q.count("that project") == 2
               for q in questions)  # fmt: skip


def test_one_of_two_projects_is_never_the_same_project():
    two = (Delete(of=some("tasks", where("title", "Order lamps"), ON_KESTREL)), Delete(of=DESKS))
    for question in ways(*two, Change(of=KESTREL, change={"status": Plain(value="archived")})):
        assert "same project" not in question and "that project" not in question, question


@pytest.mark.parametrize("part", [AddItem, RemoveItem])
def test_the_first_of_two_on_a_project_names_it(part: type[AddItem] | type[RemoveItem]) -> None:
    questions = ways(Change(of=DESKS, change={"blockers": part(item=key_of(HALL))}))
    assert any("the same project" in question for question in questions)
    for question in questions:
        named = question.index("Lumina")
        again = re.search("(the same|that) project", question)
        assert again is None or named < again.start(), question


def test_a_value_told_late_is_not_in_the_question():
    for seed in range(20):
        question, facts = said(NEW_TASK, seed=seed, told=("task due on",))
        late = next(f for f in facts if f.told)
        assert late.text not in question and "due" not in question
        assert late.about == "the due date of the new task"


def test_a_hundred_questions_of_one_wish_hardly_repeat():
    assert len(ways(NEW_TASK, count=100)) > 90


def test_every_manner_makes_whole_sentences():
    sayings = [
        Saying("add", 'add a task called "Call Bo."'),
        Saying("change", "change the price of the lamp to 4"),
        Saying("if", "there are no open tasks", "archive it", "close it"),
        Saying("ask", "when is it due", "when it is due"),
    ]
    assert len(MANNERS) > 3
    for seed in range(300):
        rng = random.Random(seed)
        picked = rng.sample(sayings, rng.randint(1, 4))
        question = compose(picked, rng.random() < 0.2, rng)
        assert is_well_formed(question), question
        for saying in picked:
            assert saying.kind == "ask" or saying.text.lower() in question.lower()


def is_well_formed(question: str) -> bool:
    sentences = re.split(r'(?<=[.?!])"? (?=["A-Z])', re.sub(r'"[^"]*"', '"Q"', question))
    return (
        question[0].isupper()
        and question[-1] in '.?!"'
        and question.count('"') % 2 == 0
        and not re.search(r"  |\b(\w+) \1\b|[.,?!]{2}| [.,?!]|\{|\}", question)
        and not re.search(r"\b[aA] [aeio]\w|\ban [bcdgjkpqtvwyz]\w", re.sub('".*?"', "", question))
        and all(s[0] in '"0123456789' or s[0].isupper() for s in sentences)
    )


def test_questions_of_made_tasks_are_well_formed():
    for task in hand_tasks():
        assert is_well_formed(task.question), task.question


SAMPLE = sorted(p.parent for p in (ROOT / "generated" / "sample").glob("envs/*/environment.json"))


@pytest.mark.parametrize("home", SAMPLE, ids=[p.name for p in SAMPLE])
def test_questions_of_a_sample_environment_are_well_formed_and_name_no_identifier(home: Path):
    environment = read_environment(home)
    names = {t.name for t in environment.tools} | {
        c.name for t in environment.state_schema.tables for c in t.columns
    }
    identifiers = {n for n in names if "_" in n}
    with World(environment, sandbox="native") as world:
        graph = tool_graph(environment)
        for task in kept_tasks(world, graph, count=10, seed=5, tally=Tally()):
            assert is_well_formed(task.question), task.question
            assert not identifiers & set(re.findall(r"\w+", task.question)), task.question


def test_an_order_is_said_where_a_condition_comes_second():
    sayings = [
        Saying("add", "add a task"),
        Saying("if", "there are no open tasks", "archive it", "close it"),
        Saying("change", "rename the project to Auro"),
    ]
    for seed in range(60):
        question = compose(sayings, True, random.Random(seed)).lower()
        assert re.search(r"first add a task\. (after that,|then|once that is done,)", question)
        assert re.search(r"(finally,|and then|at the end,) please rename", question), question


def test_an_issue_is_told_by_its_number_on_the_project():
    twelfth = some("issues", where("number", 12), ON_LUMINA)
    for question in ways(Change(of=twelfth, change={"title": plain("Fix the door")}), count=8):
        assert "issue 12 on Lumina" in question, question
        assert question.count("12") == 1, question


def test_what_is_said_behind_a_noun_is_strung_together():
    assert strung(["with high priority", "with no due date", "due on 4 May"]) == (
        " with high priority and no due date due on 4 May"
    )


def test_the_first_and_last_of_a_group_are_asked_for_by_what_was_done():
    joined = some("members", pick=None)
    for question in ways(ask("max", joined, "joined_on"), count=8):
        assert re.search(r"when (did )?the last of all members join", question.lower()), question


def test_who_speaks_is_the_owner_or_gives_the_name():
    columns = {"title": plain("Fix the door"), "creator_id": Actor()}
    for question in ways(Insert(table="tasks", values=columns), count=8):
        assert "in my name" in question and " by me" not in question, question


def test_what_belongs_to_who_speaks_is_theirs():
    """Keys are told apart by whose they are, in paths like /user/keys."""
    keys = Table(
        name="keys",
        noun="key",
        key=("user_id", "id"),
        label="title",
        parent=Parent(table="users", columns=("user_id",), on_delete="cascade"),
        columns=(
            Column(name="user_id", references="users", required=True, nullable=False),
            Column(name="id", required=True, nullable=False, generated="id"),
            Column(name="title"),
        ),
    )
    schema = SCHEMA.model_copy(update={"tables": (*SCHEMA.tables, keys)})
    speaker = Speaker(schema, random.Random(1), set(), NOW)
    mine = Condition(column="user_id", op="eq", value=Actor())
    laptop = Condition(column="title", op="eq", value=plain("Laptop"))
    assert speaker.thing(Selection(table="keys", where=(mine, laptop))) == 'my key "Laptop"'
    assert speaker.everything(Selection(table="keys", where=(mine,))) == "all my keys"
    friend = Condition(column="title", op="eq", value=plain("A friend of mine"))
    assert speaker.thing(Selection(table="keys", where=(friend,))) == 'the key "A friend of mine"'
    count = Aggregate(op="count", of=Selection(table="keys", where=(mine,)))
    assert asked(count, speaker).direct == "how many keys do I have"


def test_a_number_of_things_is_called_by_the_things_however_it_is_abbreviated():
    checks = Table(
        name="checks",
        noun="check",
        key=("id",),
        columns=tuple(
            Column(name=name, type="integer") for name in ("id", "n_pings", "nb_flips", "num_runs")
        ),
    )
    found = [called(column, checks) for column in checks.columns[1:]]
    assert found == ["number of pings", "number of flips", "number of runs"]


def test_who_did_a_thing_is_not_asked_for_as_a_noun():
    """Nobody asks for "the created by of" a record; "the needed-by date" is one."""
    lists = Table(
        name="lists",
        noun="list",
        key=("id",),
        columns=(
            Column(name="id", required=True, nullable=False, generated="id"),
            Column(name="created_by"),
            Column(name="needed_by", format="date"),
        ),
    )
    assert [c.name for c in lists.columns if is_asked_for(c, lists)] == ["needed_by"]


def test_what_is_known_by_its_own_noun_is_named_once():
    """No "enterprise with enterprise Stonegate Group"."""
    schema = StateSchema.model_validate(
        {
            "tables": [
                {
                    "name": "enterprises",
                    "noun": "enterprise",
                    "key": ["enterprise"],
                    "label": "enterprise",
                    "columns": [
                        {"name": "enterprise", "required": True, "nullable": False},
                        {"name": "size", "type": "integer"},
                    ],
                }
            ]
        }
    )
    one = some("enterprises", where("enterprise", "Stonegate Group"))
    intent = name_facts(Intent(wishes=(ask("value", one, "size"),)), schema)
    for seed in range(20):
        question, _ = write_question(intent, schema, set(), random.Random(seed), NOW)
        assert "enterprise Stonegate Group" in question
        assert question.lower().count("enterprise") == 1, question


def test_the_day_of_a_birth_is_no_number_to_rank_by():
    people = Table(
        name="people",
        noun="person",
        key=("id",),
        columns=(
            Column(name="id", required=True, nullable=False, generated="id"),
            Column(name="dayOfBirth", type="integer"),
            Column(name="month_of_birth", type="integer"),
            Column(name="yearOfBirth", type="integer"),
        ),
    )
    assert [c.name for c in people.columns if is_asked_for(c, people)] == ["yearOfBirth"]


# ---------------------------------------------------------------- days


def test_a_day_is_named_as_it_lies_from_today():
    monday = date(2026, 3, 2)
    assert seen_from(monday, monday)[0] == "today"
    assert seen_from(monday + timedelta(days=1), monday)[0] == "tomorrow"
    assert seen_from(date(2026, 3, 6), monday)[0] == "this Friday"
    assert seen_from(date(2026, 3, 13), monday)[0] == "Friday next week"
    assert "two weeks from today" in seen_from(date(2026, 3, 16), monday)
    assert "the last day of this month" in seen_from(date(2026, 3, 31), monday)


def test_no_words_name_two_days():
    for start in range(0, 400, 13):
        today = date(2026, 1, 1) + timedelta(days=start)
        named: dict[str, date] = {}
        for ahead in range(-250, 250):
            day = today + timedelta(days=ahead)
            for text in seen_from(day, today):
                assert named.setdefault(text, day) == day, text


def test_next_friday_is_never_said_nor_a_sunday_by_its_week():
    for ahead in range(21):
        for start in range(7):
            today = date(2026, 3, 2) + timedelta(days=start)
            for text in seen_from(today + timedelta(days=ahead), today):
                assert not text.startswith("next ")
                assert "Sunday next week" not in text and "this Sunday" not in text


def test_words_for_a_day_say_that_day_only_as_seen_from_now():
    fact = Fact(name="due", value="2026-03-03", text="tomorrow")
    assert says_value(fact, NOW) and not says_value(fact, "2026-03-03T09:00:00Z")


def test_a_moment_is_said_by_day_and_clock():
    assert "tomorrow at 3 pm" in renderings("2026-03-03T15:00:00Z", NOW)
    assert "15 June 2026 at 13:00" in renderings("2026-06-15 13:00")


def test_days_come_without_a_second_preposition():
    for question in ways(Change(of=DESKS, change={"due_on": plain("2026-03-03")}), NEW_TASK):
        assert not re.search(r"\bon (today|tomorrow|this|\w+day next)", question), question


# ---------------------------------------------------------------- nouns


def test_nouns_are_english():
    assert [noun_of(n) for n in ("db", "ssh key", "vpc", "repo", "org label", "staff")] == [
        "database",
        "SSH key",
        "VPC",
        "repository",
        "organization label",
        "staff member",
    ]
    assert [noun_of(n) for n in ("me ticket", "nullable simple user", "pull")] == [
        "ticket", "user", "pull request",
    ]  # fmt: skip
    assert [a(n) for n in ("SSH key", "VPC", "URL", "hourly rate", "settings", "SKU")] == [
        "an SSH key", "a VPC", "a URL", "an hourly rate", "settings", "a SKU",
    ]  # fmt: skip
    assert [plural(n) for n in ("hook deliveries", "settings", "bus", "news", "series")] == [
        "hook deliveries", "settings", "buses", "news", "series",
    ]  # fmt: skip
