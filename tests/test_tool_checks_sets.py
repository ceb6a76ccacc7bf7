"""Checks of tools on sets, which declare no effect: they are called with what belongs together."""

import pytest

from forge.synth.check import ToolCheck, check_tools
from forge.types.environment import Environment, Tool
from forge.types.state import Column, StateSchema, Table

PEOPLE = tuple(f"user-{n}" for n in range(30))
REPOS = tuple((f"user-{n % 3}", f"repo-{n}") for n in range(12))

SCHEMA = StateSchema(
    actors="users",
    tables=(
        Table(
            name="users",
            noun="user",
            key=("login",),
            columns=(
                Column(name="login", required=True, nullable=False, spoken=True),
                Column(
                    name="following",
                    type="array",
                    items=Column(references="users", on_delete="clear"),
                    default=[],
                ),
            ),
        ),
        Table(
            name="repos",
            noun="repo",
            key=("owner", "name"),
            columns=(
                Column(name="owner", references="users", required=True, nullable=False),
                Column(name="name", required=True, nullable=False, spoken=True),
                Column(
                    name="stargazers",
                    type="array",
                    items=Column(references="users", on_delete="clear"),
                    default=[],
                ),
            ),
        ),
    ),
)

BASE = {
    "users": {
        name: {"login": name, "following": list(PEOPLE[n + 1 : n + 3]) if n % 2 else []}
        for n, name in enumerate(PEOPLE)
    },
    "repos": {
        f"{owner}/{name}": {
            "owner": owner,
            "name": name,
            "stargazers": list(PEOPLE[n : n + 2]),
        }
        for n, (owner, name) in enumerate(REPOS)
    },
}

SOURCE = {
    "list_stargazers": """
def list_stargazers(owner: str, repo: str) -> list:
    row = get("repos", owner, repo)
    return find("users", login__in=row["stargazers"])
""",
    "list_stargazers_of_any": """
def list_stargazers_of_any(owner: str, name: str) -> list:
    rows = find("repos", name=name)
    if not rows:
        fail("not_found", "there is no such repo")
    return find("users", login__in=rows[0]["stargazers"])
""",
    "is_stargazer": """
def is_stargazer(owner: str, repo: str, username: str) -> None:
    row = get("repos", owner, repo)
    get("users", username)
    if username not in row["stargazers"]:
        fail("not_found", "no stargazer")
    return None
""",
    "unfollow": """
def unfollow(username: str) -> None:
    mine = get("users", me())
    get("users", username)
    if username in mine["following"]:
        update("users", me(), following=[each for each in mine["following"] if each != username])
    return None
""",
    "list_following": """
def list_following(limit: int | None = None) -> list:
    mine = get("users", me())
    return find("users", login__in=mine["following"], limit=20 if limit is None else limit)
""",
}


def checked(name: str, *, kind: str = "read", operation: str = "") -> ToolCheck:
    source = SOURCE[name]
    declared = source.split("(", 2)[1].split(")")[0]
    names = [part.split(":")[0].strip() for part in declared.split(",")]
    properties = {
        each: {"type": "integer", "minimum": 1} if each == "limit" else {"type": "string"}
        for each in names
    }
    tool = Tool(
        name=name,
        description=name,
        kind=kind,
        operation=operation,
        parameters={
            "type": "object",
            "properties": properties,
            "required": [each for each in names if each != "limit"],
            "additionalProperties": False,
        },
    )
    environment = Environment(
        name="sets",
        title="Sets",
        state_schema=SCHEMA,
        tools=(tool,),
        source=source,
        bases={"one": BASE},
        nows={"one": "2026-03-02T09:00:00Z"},
    )
    return check_tools(environment)[name]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("list_stargazers", "read"),
        ("is_stargazer", "read"),
        ("unfollow", "write"),
        ("list_following", "read"),
    ],
)
def test_a_tool_on_a_set_passes_as_it_is_called_with_what_is_in_it(name, kind):
    check = checked(name, kind=kind)
    assert check.passed, check.checks


def test_a_part_of_a_key_that_is_ignored_is_noticed():
    check = checked("list_stargazers_of_any")
    assert not check.passed
    assert any("owner" in reason for reason in check.checks.values())
