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
        Table(
            name="notes",
            noun="note",
            key=("id",),
            columns=(
                Column(name="id", required=True, nullable=False),
                Column(name="owner", required=True, nullable=False),
                Column(name="repo", required=True, nullable=False),
            ),
        ),
        Table(
            name="files",
            noun="file",
            key=("id",),
            columns=(
                Column(name="id", required=True, nullable=False),
                Column(name="note_id", references="notes", required=True, nullable=False),
                Column(name="title"),
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
    "notes": {
        f"note-{n}": {"id": f"note-{n}", "owner": REPOS[n % 12][0], "repo": REPOS[n % 12][1]}
        for n in range(90)
    },
    "files": {
        f"file-{n}": {"id": f"file-{n}", "note_id": f"note-{n * 7 % 30}", "title": f"File {n}"}
        for n in range(60)
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
    "is_starred": """
def is_starred(username: str, owner: str, repo: str) -> None:
    get("users", username)
    row = get("repos", owner, repo)
    if username not in row["stargazers"]:
        fail("not_found", "not starred")
    return None
""",
    "change_file": """
def change_file(owner: str, repo: str, note_id: str, file_id: str, title: str) -> dict:
    holder = get("notes", note_id)
    if holder.get("owner") != owner:
        fail("not_found", "there is no such note there")
    if holder.get("repo") != repo:
        fail("not_found", "there is no such note there")
    row = get("files", file_id)
    if row.get("note_id") != note_id:
        fail("not_found", "there is no such file there")
    return update("files", file_id, title=title)
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
        ("is_starred", "read"),
        ("change_file", "write"),
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
