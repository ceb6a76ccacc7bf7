"""The rules for the source of tools: what each finding says, and what is no finding."""

import pytest

from forge.env.sandbox.source import check_source, python_name, signature_findings
from forge.env.sandbox.stubs import type_findings
from forge.types.environment import Tool
from tests.idioms import IDIOMS
from tests.places import HAND

GOOD = (HAND / "envs" / "projects" / "tools.py").read_text()


def findings(body, *tools):
    return check_source(body, tools)


def test_the_hand_written_environment_keeps_every_rule():
    assert findings(GOOD, "find_project", "close_task") == []
    assert type_findings(GOOD) == []


@pytest.mark.parametrize("name", IDIOMS)
def test_an_ordinary_idiom_is_no_finding(name):
    assert findings(IDIOMS[name][0], "tool") == []


def test_a_finding_names_its_line_and_the_way_out():
    source = "def a(x):\n    del x['y']\n    return '{}'.format(x)\n"
    assert findings(source, "a") == [
        'line 2: `del` does not run here; write record.pop("name")',
        "line 3: use an f-string instead of .format()",
    ]


def test_a_tool_without_a_function_is_a_finding():
    assert findings("def a():\n    return 1\n", "a", "b") == [
        "line 1: there is no function 'b' for the tool of that name"
    ]


def test_a_function_that_is_defined_twice_is_a_finding():
    assert findings("def a():\n    pass\n\ndef a():\n    pass\n", "a") == [
        "line 4: 'a' is defined twice"
    ]


def test_a_syntax_error_is_a_finding_with_its_line():
    assert findings("def a():\n    return (\n", "a")[0].startswith("line 2: ")


@pytest.mark.parametrize(
    "source",
    ["x = 1\0", "-" * 100_000 + "1", "(" * 5_000, "x" * 3_000_000, "def a():\n    break", "\ud800"],
)
def test_source_that_cannot_be_read_is_a_finding_not_an_error(source):
    assert len(findings(source)) == 1


def test_a_name_that_is_not_known_is_found_in_its_own_scope():
    source = "def a(vars):\n    return vars\n\ndef b():\n    return vars\n"
    assert findings(source, "a") == ["line 5: the name 'vars' is not known here"]


def test_arguments_may_have_the_names_of_builtins():
    source = (
        "def a(id, type=None, open=False, format='x', hash=None):\n    return [id, type, open]\n"
    )
    assert findings(source, "a") == []


def test_constants_may_be_texts_numbers_tuples_and_frozensets():
    source = 'A = "x"\nB: int = -3\nC = (1, ("a", None))\nD = frozenset({"a", "b"})\n'
    assert findings(source + "def a(x=C, y=-1, z=()):\n    return A in D\n", "a") == []


@pytest.mark.parametrize(
    "use",
    [
        "[x for x in D]",
        "list(D)",
        "','.join({t for t in ts})",
        "[*set(ts)]",
        "list(set(ts) - D)",
        "list(mine)",
        "mine.pop()",
        "f'{mine}'",
        "sorted(mine, key=len)",
    ],
)
def test_the_order_of_a_set_must_not_show(use):
    source = f"D = frozenset({{'a', 'b'}})\ndef a(ts):\n    mine = set(ts)\n    return {use}\n"
    assert findings(source, "a") == [
        "line 4: the order of a set is not fixed; write sorted(…) around it"
    ]


@pytest.mark.parametrize("use", ["sorted(mine)", "len(mine)", "[t for t in ts if t in mine]"])
def test_a_set_may_be_asked_what_has_no_order(use):
    assert findings(f"def a(ts):\n    mine = set(ts)\n    return {use}\n", "a") == []


@pytest.mark.parametrize(
    "body",
    [
        "t = get('tasks', x)\n    t['done'] = True\n    return t",
        "t = get('tasks', x)\n    t['tags'].append('a')\n    return t",
        "t = find('tasks', id=x)[0]\n    t.update(done=True)\n    return t",
        "rows = find('tasks')\n    for t in rows:\n        t['n'] += 1\n    return rows",
        "for t in find('tasks'):\n        t.pop('n')",
        "rows = find('tasks')\n    t = rows[0]\n    t['a']['b'] = 1\n    return t",
    ],
)
def test_a_record_that_is_changed_and_never_saved_is_a_finding(body):
    assert "is a copy of a record" in findings(f"def a(x):\n    {body}\n", "a")[0]


@pytest.mark.parametrize(
    "body",
    [
        "t = get('tasks', x)\n    t['done'] = True\n    return save('tasks', t)",
        "t = get('tasks', x)\n    t['a'].append(1)\n    return update('tasks', x, a=t['a'])",
        "t = get('tasks', x)\n    t.pop('id')\n    return insert('tasks', **t)",
        "t = get('tasks', x)\n    t['done'] = True\n    return _write(t)",
        "t = get('tasks', x)\n    return {**t, 'late': True}",
        "rows = find('tasks')\n    rows.append({'id': x})\n    return rows",
    ],
)
def test_a_record_that_is_saved_or_copied_is_no_finding(body):
    source = f"def a(x):\n    {body}\n\ndef _write(t):\n    return save('tasks', t)\n"
    assert findings(source, "a") == []


def tool(name, properties, required=()):
    parameters = {
        "type": "object",
        "properties": {key: {} for key in properties},
        "required": [*required],
    }
    return Tool(name=name, description="", parameters=parameters, kind="read")


def test_parameters_that_differ_from_what_the_agent_sees_are_found():
    source = "def a(x, y, z=1, *, w):\n    return [x, y, z, w]\n"
    assert signature_findings(source, [tool("a", ["x", "w", "q"], ["x"])]) == [
        "line 1: a has no parameter 'q'",
        "line 1: a: parameter 'y' is not among the tool's parameters",
        "line 1: a: parameter 'z' is not among the tool's parameters",
        "line 1: a: parameter 'w' is optional for the agent but has no default",
    ]


def test_a_parameter_named_like_the_table_api_is_matched_with_its_underscore():
    source = "def a(page_, x):\n    return [page_, x]\n"
    assert signature_findings(source, [tool("a", ["page", "x"], ["page", "x"])]) == []
    assert (python_name("find"), python_name("finds")) == ("find_", "finds")


def test_the_type_checker_finds_what_no_rule_can():
    source = (
        "def a(x: str | None = None) -> dict:\n    if x.startswith('a'):\n"
        "        fail('teapot', 'x')\n    return _b()\n\n"
        "def _b(n: int) -> dict:\n    return get('t', n)\n"
    )
    lines = [finding.split(":")[0] for finding in type_findings(source)]
    assert lines == ["line 2", "line 3", "line 4"]
