'Projects: the tools, made by forge from a document.'


def _show_projects(rows: list) -> list:
    'Each project as answers show it.'
    return [{name: row.get(name) for name in ('project_id',) if row.get(name) is not None} for row in rows]


def list_projects(
    status: str | None = None,
    limit: int = 20,
    offset: int = 0,
    sort: str | None = None,
) -> list:
    'Lists projects.'
    order = []
    if sort is not None:
        if sort not in ['name', '-name', 'due_date', '-due_date']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if limit is not None and limit < 1:
        fail('invalid', 'limit must be at least 1')
    if offset < 0:
        fail('invalid', 'offset must not be negative')
    rows = find('projects', sort=order, **given(status=status), limit=limit, offset=offset)
    return rows


def get_project(project_id: str) -> dict:
    'Shows one project.'
    row = get('projects', project_id)
    return row


def get_project_id_by_name(name: str) -> dict:
    'Finds the id of the project with exactly this name.'
    found = find('projects', name=name)
    if not found:
        fail('not_found', 'there is no project ' + repr(name))
    row = found[0]
    return _show_projects([row])[0]


def create_project(
    name: str,
    description: str | None = None,
    start_date: str | None = None,
    due_date: str | None = None,
    budget: float | None = None,
) -> dict:
    'Sets up a project.'
    row = insert('projects', name=name, **given(description=description, start_date=start_date, due_date=due_date, budget=budget))
    return row


def update_project(
    project_id: str,
    name: str | None = None,
    description: str | None = None,
    status: str | None = None,
    due_date: str | None = None,
    budget: float | None = None,
) -> dict:
    'Changes a project.'
    row = get('projects', project_id)
    row = update('projects', row['project_id'], **given(name=name, description=description, status=status, due_date=due_date, budget=budget))
    return row


def delete_project(project_id: str) -> None:
    'Deletes a project, with its members and tasks.'
    row = get('projects', project_id)
    delete('projects', row['project_id'])
    return None


def list_users(name: str | None = None, team: str | None = None) -> list:
    'Lists people.'
    rows = find('users', **given(name=name, team=team))
    return rows


def get_user(user_id: str) -> dict:
    'Shows one person.'
    row = get('users', user_id)
    return row


def list_members(project_id: str, role: str | None = None) -> list:
    'Lists the members of a project.'
    get('projects', project_id)
    rows = find('members', project_id=project_id, **given(role=role))
    return rows


def add_member(project_id: str, user_id: str, role: str) -> dict:
    'Makes a person a member of a project.'
    row = insert('members', project_id=project_id, user_id=user_id, role=role)
    return row


def change_member_role(project_id: str, user_id: str, role: str) -> dict:
    'Gives a member another role.'
    row = get('members', project_id, user_id)
    row = update('members', row['project_id'], row['user_id'], role=role)
    return row


def remove_member(project_id: str, user_id: str) -> None:
    'Takes a person off a project.'
    row = get('members', project_id, user_id)
    delete('members', row['project_id'], row['user_id'])
    return None


def list_tasks(
    project_id: str,
    status: str | None = None,
    assignee_id: str | None = None,
    priority: str | None = None,
    sort: str | None = None,
) -> list:
    'Lists the tasks of a project.'
    get('projects', project_id)
    order = []
    if sort is not None:
        if sort not in ['due_date', '-due_date', 'title']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    rows = find('tasks', sort=order, project_id=project_id, **given(status=status, assignee_id=assignee_id, priority=priority))
    return rows


def get_task(task_id: str) -> dict:
    'Shows one task.'
    row = get('tasks', task_id)
    return row


def create_task(
    project_id: str,
    title: str,
    due_date: str,
    notes: str | None = None,
    priority: str | None = None,
    assignee_id: str | None = None,
    estimate_hours: float | None = None,
) -> dict:
    'Adds a task to a project.'
    row = insert('tasks', project_id=project_id, title=title, due_date=due_date, **given(notes=notes, priority=priority, assignee_id=assignee_id, estimate_hours=estimate_hours))
    return row


def update_task(
    task_id: str,
    title: str | None = None,
    notes: str | None = None,
    priority: str | None = None,
    due_date: str | None = None,
    estimate_hours: float | None = None,
) -> dict:
    'Changes a task.'
    row = get('tasks', task_id)
    row = update('tasks', row['task_id'], **given(title=title, notes=notes, priority=priority, due_date=due_date, estimate_hours=estimate_hours))
    return row


def assign_task(task_id: str, assignee_id: str | None) -> dict:
    'Gives a task to a person.'
    row = get('tasks', task_id)
    row = update('tasks', row['task_id'], assignee_id=assignee_id)
    return row


def close_task(task_id: str) -> dict:
    'Closes a task.'
    row = get('tasks', task_id)
    if row.get('status') != 'open':
        fail('conflict', 'the status of the task is ' + repr(row.get('status')))
    row = update('tasks', row['task_id'], status='closed')
    return row


def reopen_task(task_id: str) -> dict:
    'Opens a closed task again.'
    row = get('tasks', task_id)
    if row.get('status') != 'closed':
        fail('conflict', 'the status of the task is ' + repr(row.get('status')))
    row = update('tasks', row['task_id'], status='open')
    return row


def delete_task(task_id: str) -> None:
    'Deletes a task.'
    row = get('tasks', task_id)
    delete('tasks', row['task_id'])
    return None
