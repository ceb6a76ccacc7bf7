"""From drafts to environments."""

from dataclasses import replace
from datetime import datetime

import pytest

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.docs.read import read
from forge.env.session import World
from forge.synth.build import build
from forge.types.environment import Effect, Match, Tool
from tests.places import CASES, CORPUS, ROOT

AUTHOR = StructuralAuthor()


def draft_of(path) -> Draft:
    return AUTHOR.draft(read([path])[0])[0]


SHOP = draft_of(ROOT / "docs_in/shop.json")


def small() -> Draft:
    """The shop with three tools, to be quick."""
    kept = ("get_product", "list_customers", "get_customer")
    tools = tuple(tool for tool in SHOP.tools if tool.name in kept)
    assert len(tools) == 3
    return replace(SHOP, tools=tools)


@pytest.mark.parametrize("name", ["hotel.yaml", "library.yaml", "shop.json", "projects.md"])
def test_every_tool_of_the_sample_documents_is_checked(name):
    draft = draft_of(ROOT / "docs_in" / name)
    environment, checks = build(draft, AUTHOR, seed=1)
    assert [tool.name for tool in environment.tools] == [tool.name for tool in draft.tools]
    assert all(check.killed for check in checks.values())
    assert all("both sandboxes" in check.checks for check in checks.values())


@pytest.mark.parametrize(
    "path",
    [
        CORPUS / "openapi-examples/3.0/petstore.yaml",
        CORPUS / "openapi-xero-assets/openapi.json",
        CASES / "001-self-ref-required/spec.yaml",
        CASES / "010-enum-and-property-identifiers",
        CASES / "014-ref-as-property-name/spec.json",
    ],
    ids=lambda path: path.parent.name if path.suffix else path.name,
)
def test_documents_of_strangers_become_environments_that_open(path):
    environment, _ = build(draft_of(path), AUTHOR, seed=1)
    assert environment.tools
    with World(environment, sandbox="monty", workers=1) as world:
        for base in environment.bases:
            assert world.open(base).overlay() == {}


def test_no_record_holds_the_key_of_a_reference():
    environment, _ = build(draft_of(CASES / "001-self-ref-required/spec.yaml"), AUTHOR, seed=1)
    assert '"$ref"' not in environment.model_dump_json(include={"bases"})


def test_the_same_draft_and_seed_give_the_same_environment():
    assert build(small(), AUTHOR, seed=3) == build(small(), AUTHOR, seed=3)


def test_bases_share_no_ids_and_start_on_weekday_mornings():
    environment, _ = build(small(), AUTHOR, seed=3)
    assert list(environment.bases) == ["b1", "b2", "b3"]
    one, two, three = (set(state["customers"]) for state in environment.bases.values())
    assert not one & two
    assert not one & three
    assert not two & three
    for now in environment.nows.values():
        moment = datetime.fromisoformat(now)
        assert moment.weekday() < 5
        assert 8 <= moment.hour <= 10
        assert (moment.year, moment.month) == (2026, 3)


def test_a_tool_that_fails_its_checks_is_left_out_with_the_reason():
    draft = small()
    sources = {**draft.sources, "get_customer": (
        "def get_customer(customer_id: str) -> dict:\n    return find('customers')[0]\n"
    )}  # fmt: skip
    environment, checks = build(replace(draft, sources=sources), AUTHOR, seed=1)
    assert [tool.name for tool in environment.tools] == ["get_product", "list_customers"]
    assert not checks["get_customer"].passed
    left = next(each for each in environment.left_out if each.operation.startswith("get_customer"))
    assert "check" in left.reason
    assert "def get_customer" not in environment.source


def test_tables_that_no_tool_is_left_for_are_dropped():
    environment, _ = build(small(), AUTHOR, seed=1)
    assert {table.name for table in environment.state_schema.tables} == {"products", "customers"}
    assert set(environment.bases["b1"]) == {"products", "customers"}


@pytest.mark.parametrize(
    "source",
    [
        "def get_product(sku: str) -> dict:\n    return get('products', sku)\n\n\n"
        "def get_customer(customer_id: str) -> dict:\n    return {}\n",
        "def get_product(sku: str) -> dict:\n    return (\n",
        "import os\n\n\ndef get_product(sku: str) -> dict:\n    return os.environ\n",
        "get_product = 1\n",
        "",
    ],
)
def test_a_source_that_is_not_the_one_function_is_left_out(source):
    draft = small()
    environment, checks = build(
        replace(draft, sources={**draft.sources, "get_product": source}), AUTHOR, seed=1
    )
    assert [tool.name for tool in environment.tools] == ["list_customers", "get_customer"]
    assert set(checks["get_product"].checks) == {"loads"}


def test_a_draft_of_which_nothing_works_gives_an_environment_without_tools():
    draft = small()
    sources = dict.fromkeys(draft.sources, "nonsense(")
    environment, checks = build(replace(draft, sources=sources), AUTHOR, seed=1)
    assert environment.tools == ()
    assert environment.bases == {}
    assert len(environment.left_out) >= len(checks) == 3


def test_a_hostile_title_stays_a_text():
    title = '"""\nimport os\nos.system("x")\n\'\'\' \\N{BULLET} \ud800'
    environment, _ = build(replace(small(), title=title), AUTHOR, seed=1)
    assert len(environment.tools) == 3
    assert "\nimport os" not in environment.source


def test_a_draft_that_is_not_all_of_rules_is_checked_in_monty():
    tool = Tool(
        name="loop",
        description="Never ends.",
        parameters={"type": "object", "properties": {}, "required": []},
        kind="read",
        effect=Effect(verb="get", table="products", match={"sku": Match(column="sku")}),
    )
    draft = replace(
        small(),
        tools=(tool,),
        sources={"": "", "loop": "def loop() -> dict:\n    while True:\n        pass\n"},
        author="llm",
    )
    environment, checks = build(draft, AUTHOR, seed=1)
    assert environment.tools == ()
    assert "stop" in checks["loop"].checks["runs"] or "time" in checks["loop"].checks["runs"]
