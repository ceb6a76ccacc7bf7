"""The running example: projects, their members, and the tasks on them.

This is how tools read: plain functions over the table API (get, find, count, insert, update,
delete, save, given, page, me, now, today, fail). A record that is read is a copy; only insert,
update, save and delete change anything.
"""


def find_project(name: str) -> dict:
    """Find a project by its exact name."""
    found = find("projects", name=name)
    if not found:
        fail("not_found", f"there is no project named {name!r}")
    return found[0]


def list_projects(status: str | None = None, limit: int = 20, offset: int = 0) -> list:
    """List projects, by name, optionally only those with a status."""
    return find("projects", sort="name", limit=limit, offset=offset, **given(status=status))


def create_project(name: str, description: str | None = None) -> dict:
    """Set up a project. Whoever creates it becomes its first member, as admin."""
    project = insert("projects", **given(name=name, description=description))
    insert("members", project_id=project["project_id"], user_id=me(), role="admin")
    return project


def rename_project(project_id: str, name: str) -> dict:
    """Give a project another name."""
    return update("projects", project_id, name=name)


def archive_project(project_id: str) -> dict:
    """Archive a project. Fails while tasks on it are open."""
    project = get("projects", project_id)
    if project["status"] == "archived":
        fail("conflict", f"project {project_id} is archived already")
    still_open = count("tasks", project_id=project_id, status="open")
    if still_open:
        fail("conflict", f"{still_open} tasks on project {project_id} are still open")
    return update("projects", project_id, status="archived")


def delete_project(project_id: str) -> dict:
    """Delete a project with its tasks and memberships."""
    delete("projects", project_id)
    return {"deleted": project_id}


def find_users(name: str | None = None) -> list:
    """List people, optionally those whose name contains a text."""
    return find("users", sort="name", **given(name__icontains=name))


def list_members(project_id: str, role: str | None = None) -> list:
    """List who is on a project, optionally only those with a role."""
    get("projects", project_id)
    return find("members", project_id=project_id, **given(role=role))


def add_member(project_id: str, user_id: str, role: str = "editor") -> dict:
    """Put someone on a project."""
    return insert("members", project_id=project_id, user_id=user_id, role=role)


def set_role(project_id: str, user_id: str, role: str) -> dict:
    """Change what someone may do on a project."""
    return update("members", project_id, user_id, role=role)


def remove_member(project_id: str, user_id: str) -> dict:
    """Take someone off a project. Fails while they have open tasks on it."""
    get("members", project_id, user_id)
    theirs = count("tasks", project_id=project_id, assignee_id=user_id, status="open")
    if theirs:
        fail("conflict", f"user {user_id} still has {theirs} open tasks on project {project_id}")
    delete("members", project_id, user_id)
    return {"removed": user_id}


def list_tasks(
    project_id: str,
    status: str | None = None,
    assignee_id: str | None = None,
    due_before: str | None = None,
) -> list:
    """List the tasks on a project, oldest first, filtered by status, assignee or due date."""
    get("projects", project_id)
    return find(
        "tasks",
        sort="created_at",
        project_id=project_id,
        **given(status=status, assignee_id=assignee_id, due_date__lt=due_before),
    )


def my_tasks(status: str | None = None) -> list:
    """List the tasks assigned to the one who asks."""
    return find("tasks", sort="created_at", assignee_id=me(), **given(status=status))


def get_task(task_id: str) -> dict:
    """Read one task."""
    return get("tasks", task_id)


def create_task(
    project_id: str, title: str, due_date: str, assignee_id: str | None = None
) -> dict:
    """Add a task to a project. Only a member of the project can be its assignee."""
    get("projects", project_id)
    if assignee_id is not None and not find("members", project_id=project_id, user_id=assignee_id):
        fail("conflict", f"user {assignee_id} is not on project {project_id}")
    return insert(
        "tasks",
        **given(project_id=project_id, title=title, due_date=due_date, assignee_id=assignee_id),
    )


def update_task(task_id: str, title: str | None = None, due_date: str | None = None) -> dict:
    """Change the title or the due date of a task."""
    return update("tasks", task_id, **given(title=title, due_date=due_date))


def assign_task(task_id: str, user_id: str) -> dict:
    """Give a task to a member of its project."""
    task = get("tasks", task_id)
    if not find("members", project_id=task["project_id"], user_id=user_id):
        fail("conflict", f"user {user_id} is not on project {task['project_id']}")
    return update("tasks", task_id, assignee_id=user_id)


def close_task(task_id: str) -> dict:
    """Close a task. Fails if it is closed already."""
    task = get("tasks", task_id)
    if task["status"] == "closed":
        fail("conflict", f"task {task_id} is already closed")
    return update("tasks", task_id, status="closed", closed_at=now())


def reopen_task(task_id: str) -> dict:
    """Open a closed task again."""
    task = get("tasks", task_id)
    if task["status"] == "open":
        fail("conflict", f"task {task_id} is open")
    return update("tasks", task_id, status="open", closed_at=None)


def delete_task(task_id: str) -> dict:
    """Delete a task."""
    delete("tasks", task_id)
    return {"deleted": task_id}
