"""How calls are drawn for the checks: what a tool looks for itself, and what it may be passed."""

from typing import Any

from forge.synth.check import ToolCheck, check_tools
from forge.types.environment import Effect, Environment, Match, Tool
from forge.types.state import Column, Parent, StateSchema, Table

SURE: dict[str, Any] = {"required": True, "nullable": False}
STATES = ("new", "open", "shut", "void")

SCHEMA = StateSchema(
    tables=(
        Table(name="clubs", noun="club", key=("id",), columns=(Column(name="id", **SURE),)),
        Table(
            name="crews",
            noun="crew",
            key=("id",),
            columns=(
                Column(name="id", **SURE),
                Column(name="club", references="clubs", on_delete="cascade", **SURE),
                Column(name="slug", spoken=True, **SURE),
                Column(name="motto", examples=("onward",)),
                Column(name="state", enum=STATES),
            ),
            parent=Parent(table="clubs", columns=("club",)),
        ),
    )
)
CREWS = [
    {
        "id": f"crew-{n}",
        "club": f"club-{n % 13}",
        "slug": f"slug-{n}",
        "motto": f"motto {n}",
        "state": STATES[n % 4],
    }
    for n in range(40)
]
BASE = {
    "clubs": {f"club-{n}": {"id": f"club-{n}"} for n in range(26)},
    "crews": {row["id"]: row for row in CREWS},
}
TEXT: dict[str, Any] = {"type": "string"}


def checked(source: str, properties: dict[str, Any], required: list[str], **more: Any) -> ToolCheck:
    name = source.split("def ", 1)[1].split("(", 1)[0]
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    tool = Tool(name=name, description=name, parameters=parameters, **{"kind": "read", **more})
    environment = Environment(
        name="clubs",
        title="Clubs",
        state_schema=SCHEMA,
        tools=(tool,),
        source=source,
        bases={"one": BASE},
        nows={"one": "2026-03-02T09:00:00Z"},
    )
    return check_tools(environment)[name]


def test_a_record_that_is_looked_for_by_what_people_call_it_is_found():
    check = checked(
        """
def show_crew(club: str, crew_name: str) -> dict:
    found = find("crews", club=club, slug=crew_name)
    if not found:
        fail("not_found", "there is no such crew")
    return found[0]
""",
        {"club": TEXT, "crew_name": TEXT},
        ["club", "crew_name"],
        operation="GET /clubs/{club}/crews/{crew_name}",
    )
    assert check.passed, check.checks


def test_a_name_in_the_path_that_nothing_has_must_be_refused():
    check = checked(
        """
def show_crews(club: str, crew_name: str) -> list:
    get("clubs", club)
    return find("crews", club=club, slug=crew_name)
""",
        {"club": TEXT, "crew_name": TEXT},
        ["club", "crew_name"],
        operation="GET /clubs/{club}/crews/{crew_name}",
    )
    assert "should not be found" in check.checks["unknown"]


PUT = """
def put_crew(club: str, crew_name: str, motto: str) -> dict:
    get("clubs", club)
    found = find("crews", club=club, slug=crew_name)
    row = found[0] if found else {"club": club, "slug": crew_name, "id": club + crew_name}
    row["motto"] = motto
    return KEPT if found else insert("crews", **row)
"""


def put(kept: str) -> ToolCheck:
    properties = {"club": TEXT, "crew_name": TEXT, "motto": TEXT}
    return checked(PUT.replace("KEPT", kept), properties, list(properties), kind="write")


def test_what_is_made_or_changed_holds_what_was_passed():
    check = put('save("crews", row)')
    assert check.passed, check.checks


def test_a_change_that_is_not_kept_is_noticed_though_what_is_new_is():
    assert "leaves no crew with that motto" in put("row").checks["keeps"]


LIST = """
def list_crews(club: str, state: str | None = None) -> list:
    get("clubs", club)
    return find("crews", club=club, **given(state=state))
"""


def test_a_filter_that_admits_fewer_values_than_records_have_is_not_called_with_the_others():
    check = checked(
        LIST,
        {"club": TEXT, "state": {"type": "string", "enum": list(STATES[:3])}},
        ["club"],
        effect=Effect(
            verb="list",
            table="crews",
            match={"club": Match(column="club"), "state": Match(column="state")},
            result=(),
        ),
    )
    assert check.passed, check.checks


def test_an_argument_that_can_have_but_one_value_need_not_matter():
    check = checked(
        """
def list_all(club: str, sort: str = "slug") -> list:
    get("clubs", club)
    return find("crews", sort=[sort], club=club)
""",
        {"club": TEXT, "sort": {"type": "string", "enum": ["slug"], "default": "slug"}},
        ["club"],
    )
    assert check.passed, check.checks


def test_a_text_of_which_the_document_shows_one_example_is_seen_to_matter():
    fields = ("id", "club", "slug", "motto")
    check = checked(
        """
def make_crew(id: str, club: str, slug: str, motto: str) -> dict:
    get("clubs", club)
    return insert("crews", id=id, club=club, slug=slug, motto=motto)
""",
        dict.fromkeys(fields, TEXT),
        list(fields),
        kind="write",
        effect=Effect(
            verb="create", table="crews", fields={name: name for name in fields}, result=()
        ),
    )
    assert check.passed, check.checks
