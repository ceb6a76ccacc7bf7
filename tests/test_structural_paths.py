"""Resources are told apart by their paths, and picked by keys of several columns."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.env.base import Base
from forge.types.state import Parent, StateSchema
from tests.documents import answer, doc_of, spec
from tests.places import CORPUS
from tests.structural import draft_of, drafts, session_of, table, value

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def record(*needed: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(needed)}


def ops(path: str, **methods: dict[str, Any]) -> dict[str, Any]:
    """The operations of one path, which all take its arguments: those called ids are integers."""
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    given = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": NUMBER if name.endswith(("id", "number")) else TEXT,
        }
        for name in names
    ]
    return {path: {"parameters": given, **methods}}


def reads(name: str, schema: str) -> dict[str, Any]:
    return {"operationId": name, "responses": answer(ref(schema))}


def lists(name: str, schema: str) -> dict[str, Any]:
    return {"operationId": name, "responses": answer({"type": "array", "items": ref(schema)})}


def makes(operation: str, shown: str, **fields: Any) -> dict[str, Any]:
    body = {"type": "object", "properties": fields, "required": list(fields)}
    return {
        **reads(operation, shown),
        "requestBody": {"content": {"application/json": {"schema": body}}},
    }


def removes(name: str) -> dict[str, Any]:
    return {"operationId": name, "responses": {"204": {"description": "gone"}}}


def hub_document() -> dict[str, Any]:
    """Accounts, organizations, their repositories, issues in these, hooks of both."""
    paths: dict[str, Any] = {}
    for each in (
        ops("/users", get=lists("list_users", "User")),
        ops("/users/{username}", get=reads("get_user", "User")),
        ops("/users/{username}/repos", get=lists("list_user_repos", "Repository")),
        ops("/orgs", post=makes("create_org", "Org", username=TEXT)),
        ops("/orgs/{org}", get=reads("get_org", "Org")),
        ops(
            "/orgs/{org}/repos",
            get=lists("list_org_repos", "Repository"),
            post=makes("create_repo", "Repository", name=TEXT),
        ),
        ops(
            "/repos/{owner}/{repo}",
            get=reads("get_repo", "Repository"),
            delete=removes("delete_repo"),
        ),
        ops(
            "/repos/{owner}/{repo}/issues",
            get=lists("list_issues", "Issue"),
            post=makes("create_issue", "Issue", title=TEXT),
        ),
        ops(
            "/repos/{owner}/{repo}/issues/{issue_number}",
            get=reads("get_issue", "Issue"),
            patch=makes("update_issue", "Issue", title=TEXT),
        ),
        ops(
            "/repos/{owner}/{repo}/issues/{issue_number}/comments",
            get=lists("list_comments", "Comment"),
            post=makes("create_comment", "Comment", body=TEXT),
        ),
        ops("/repos/{owner}/{repo}/issues/comments/{id}", get=reads("get_comment", "Comment")),
        ops(
            "/orgs/{org}/hooks",
            get=lists("list_org_hooks", "Hook"),
            post=makes("create_org_hook", "Hook", url=TEXT),
        ),
        ops("/orgs/{org}/hooks/{id}", get=reads("get_org_hook", "Hook")),
        ops(
            "/repos/{owner}/{repo}/hooks",
            get=lists("list_hooks", "Hook"),
            post=makes("create_hook", "Hook", url=TEXT),
        ),
        ops(
            "/repos/{owner}/{repo}/hooks/{id}",
            get=reads("get_hook", "Hook"),
            delete=removes("delete_hook"),
        ),
        ops(
            "/orgs/{org}/teams",
            get=lists("list_teams", "Team"),
            post=makes("create_team", "Team", slug=TEXT),
        ),
        ops("/orgs/{org}/teams/{team_slug}", get=reads("get_team_by_slug", "Team")),
        ops("/teams/{team_id}", get=reads("get_team", "Team")),
        ops(
            "/orgs/{org}/actions/secrets",
            get=lists("list_secrets", "Secret"),
            post=makes("create_secret", "Secret", name=TEXT),
        ),
        ops("/orgs/{org}/actions/secrets/{name}", get=reads("get_secret", "Secret")),
    ):
        paths |= each
    schemas = {
        "User": record("id", "login", id=NUMBER, login=TEXT),
        "Org": record("id", "name", id=NUMBER, name=TEXT),
        "Repository": record("id", "name", id=NUMBER, name=TEXT, owner=ref("User")),
        "Issue": record("id", "number", "title", id=NUMBER, number=NUMBER, title=TEXT),
        "Comment": record("id", "body", id=NUMBER, body=TEXT),
        "Hook": record("id", "url", id=NUMBER, url=TEXT),
        "Team": record("id", "slug", id=NUMBER, slug=TEXT),
        "Secret": record("name", name=TEXT),
    }
    return spec(paths, components={"schemas": schemas})


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    return draft_of(doc_of(tmp_path_factory.mktemp("hub"), hub_document()))


@pytest.fixture(scope="module")
def schema(hub: Draft) -> StateSchema:
    return hub.state_schema


def test_everything_of_the_small_document_is_a_tool(hub: Draft) -> None:
    assert not hub.left_out


def test_several_arguments_after_one_part_are_a_key_of_as_many_columns(schema: StateSchema) -> None:
    assert table(schema, "repos").key == ("owner", "name")


def test_what_people_pick_by_is_the_key_and_the_id_is_made_by_the_server(
    schema: StateSchema,
) -> None:
    users = table(schema, "users")
    made = {column.name: column.generated for column in users.columns}
    assert users.key == ("login",)
    assert made["id"] == "id"


def test_a_child_holds_the_whole_key_of_its_parent(schema: StateSchema) -> None:
    assert table(schema, "issues").parent == Parent(table="repos", columns=("owner", "repo"))


def test_a_number_is_counted_and_a_key_within_the_parent(schema: StateSchema) -> None:
    issues = table(schema, "issues")
    number = next(column for column in issues.columns if column.name == "number")
    assert issues.key == ("owner", "repo", "number")
    assert (number.generated, number.within) == ("counter", ("owner", "repo"))


def test_a_thing_three_levels_down_is_in_the_thing_it_is_made_in(schema: StateSchema) -> None:
    parent = Parent(table="issues", columns=("owner", "repo", "issue_number"))
    assert table(schema, "comments").parent == parent


def test_hooks_of_two_kinds_of_things_are_two_tables(schema: StateSchema) -> None:
    assert table(schema, "hooks").parent == Parent(table="repos", columns=("owner", "repo"))
    assert table(schema, "org_hooks").parent == Parent(table="orgs", columns=("org",))
    assert table(schema, "org_hooks").noun == "org hook"


def test_a_slug_is_unique_within_the_parent_where_another_path_picks_by_id(
    schema: StateSchema,
) -> None:
    teams = table(schema, "teams")
    slug = next(column for column in teams.columns if column.name == "slug")
    assert teams.key == ("id",)
    assert (slug.unique, slug.within) == (True, ("org",))


def test_words_that_only_group_are_nothing_to_belong_to(schema: StateSchema) -> None:
    secrets = table(schema, "secrets")
    assert secrets.parent == Parent(table="orgs", columns=("org",))
    assert secrets.key == ("org", "name")


@pytest.fixture
def state() -> dict[str, Any]:
    return {
        "users": {"kim": {"login": "kim", "id": 1000001}},
        "orgs": {"acme": {"name": "acme", "id": 1000002}},
        "repos": {
            "kim/tools": {"owner": "kim", "name": "tools", "id": 1000003},
            "acme/tools": {"owner": "acme", "name": "tools", "id": 1000004},
        },
    }


def test_records_of_one_name_are_told_apart_by_the_rest_of_their_key(
    hub: Draft, state: Any
) -> None:
    session = session_of(hub, state)
    mine = value(session.call("get_repo", {"owner": "acme", "repo": "tools"}))
    assert mine == {"id": 1000004, "name": "tools", "owner": {"login": "acme"}}


def test_lists_under_either_kind_of_owner_have_only_its_own(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    [one] = value(session.call("list_user_repos", {"username": "kim"}))
    [other] = value(session.call("list_org_repos", {"org": "acme"}))
    assert (one["id"], other["id"]) == (1000003, 1000004)


def test_a_list_under_an_owner_that_is_not_there_is_refused(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    assert session.call("list_org_repos", {"org": "kim"}).failure == "not_found"


def test_numbers_begin_anew_in_each_parent(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    for owner in ("kim", "kim", "acme"):
        made = value(
            session.call("create_issue", {"owner": owner, "repo": "tools", "title": "It leaks"})
        )
    assert made["number"] == 1


def test_a_record_is_not_found_under_another_parent(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    hook = value(
        session.call("create_hook", {"owner": "kim", "repo": "tools", "url": "https://x.example"})
    )
    elsewhere = {"owner": "acme", "repo": "tools", "hook_id": hook["id"]}
    assert session.call("get_hook", elsewhere).failure == "not_found"
    assert session.call("delete_hook", {**elsewhere, "owner": "kim"}).failure is None


def test_a_comment_is_found_by_the_shorter_path_too(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    place = {"owner": "kim", "repo": "tools"}
    value(session.call("create_issue", {**place, "title": "It leaks"}))
    made = value(session.call("create_comment", {**place, "issue_number": 1, "body": "Yes"}))
    assert value(session.call("get_comment", {**place, "comment_id": made["id"]})) == made
    other = {"owner": "acme", "repo": "tools", "comment_id": made["id"]}
    assert session.call("get_comment", other).failure == "not_found"


def test_what_is_in_a_record_goes_with_it(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    place = {"owner": "kim", "repo": "tools"}
    value(session.call("create_issue", {**place, "title": "It leaks"}))
    assert session.call("delete_repo", place).failure is None
    assert session.call("get_issue", {**place, "issue_number": 1}).failure == "not_found"


def test_a_new_thing_may_be_given_its_name_under_another_word(hub: Draft, state: Any) -> None:
    session = session_of(hub, state)
    value(session.call("create_org", {"username": "globex"}))
    assert value(session.call("get_org", {"org": "globex"}))["name"] == "globex"


def test_a_base_has_owners_of_both_kinds_and_real_parents(schema: StateSchema) -> None:
    base = StructuralAuthor().base(schema, 3)
    Base(schema, base)
    owners = {row["owner"] for row in base["repos"].values()}
    assert owners & set(base["users"]) and owners & set(base["orgs"])


def test_a_path_without_the_parent_is_the_same_resource(tmp_path: Path) -> None:
    short, long = "/labels/{id}", "/projects/{project_id}/labels"
    paths = {
        **ops("/projects", post=makes("create_project", "Project", name=TEXT)),
        **ops("/projects/{project_id}", get=reads("get_project", "Project")),
        **ops(long, get=lists("list_labels", "Label"), post=makes("add_label", "Label", name=TEXT)),
        **ops(short, get=reads("get_label", "Label"), delete=removes("delete_label")),
    }
    schemas = {
        "Project": record("id", "name", id=NUMBER, name=TEXT),
        "Label": record("id", "name", id=NUMBER, name=TEXT),
    }
    draft = draft_of(doc_of(tmp_path, spec(paths, components={"schemas": schemas})))
    assert not draft.left_out
    assert [t.name for t in draft.state_schema.tables] == ["projects", "labels"]


def test_a_thing_that_refers_to_what_is_in_it_is_still_the_parent(tmp_path: Path) -> None:
    document = hub_document()
    issue = document["components"]["schemas"]["Issue"]
    issue["properties"]["pinned_comment"] = ref("Comment")
    draft = draft_of(doc_of(tmp_path, document))
    base = StructuralAuthor().base(draft.state_schema, 3)
    Base(draft.state_schema, base)
    numbers = {row["number"] for row in base["issues"].values()}
    assert {row["issue_number"] for row in base["comments"].values()} <= numbers


# ----------------------------------------------------------------------- the corpus


def _gitea(name: str) -> Draft:
    return next(d for d in drafts(CORPUS / "openapi-gitea") if name in d.sources)


@pytest.mark.parametrize(
    ("operation", "table_name", "key"),
    [
        ("repo_get", "repos", ("owner", "name")),
        ("issue_get_issue", "issues", ("owner", "repo", "number")),
        ("repo_get_hook", "hooks", ("owner", "repo", "id")),
        ("org_get_hook", "org_hooks", ("id",)),
        ("org_get_label", "org_labels", ("id",)),
        ("issue_get_comment", "comments", ("id",)),
        ("repo_create_branch", "branches", ("owner", "repo", "name")),
        ("org_get", "orgs", ("username",)),
    ],
)
def test_operations_of_gitea_work_on_the_records_of_their_path(
    operation: str, table_name: str, key: tuple[str, ...]
) -> None:
    draft = _gitea(operation)
    used = next(t for t in draft.tools if t.name == operation).effect
    assert used is not None and used.table == table_name
    assert table(draft.state_schema, table_name).key == key


def test_a_list_of_gitea_asks_for_the_parent_by_its_whole_key() -> None:
    assert (
        "get('issues', owner, repo, index)"
        in _gitea("issue_get_comments").sources["issue_get_comments"]
    )
