# ruff: noqa: E501
"""Ordinary tools, by name: the source of `tool`, and what comes of it in either back end."""

IDIOMS: dict[str, tuple[str, tuple[object, ...]]] = {
    # ------------------------------------------------------------------------ the table API
    "read": (
        """
def tool():
    return get('notes', 'n_1')['title']
""",
        ("value", "Milk"),
    ),
    "read_missing": (
        """
def tool():
    return get('notes', 'n_9')
""",
        ("refused", "not_found", 'there is no note "n_9"'),
    ),
    "filter_and_sort": (
        """
def tool():
    return [n['id'] for n in find('notes', owner='ann', sort='-stars')]
""",
        ("value", ["n_1", "n_3"]),
    ),
    "filter_by_operator": (
        """
def tool():
    return [n['id'] for n in find('notes', stars__ge=2, done=False)]
""",
        ("value", ["n_1"]),
    ),
    "count": (
        """
def tool():
    return count('notes', owner='ann')
""",
        ("value", 2),
    ),
    "given_drops_what_was_not_passed": (
        """
def tool(owner=None, done=True):
    return [n['id'] for n in find('notes', **given(owner=owner, done=done))]
""",
        ("value", ["n_3"]),
    ),
    "first_or_fail": (
        """
def tool():
    found = find('notes', title='Nope')
    if not found:
        fail('not_found', f"no note {'Nope'!r}")
    return found[0]
""",
        ("refused", "not_found", "no note 'Nope'"),
    ),
    "insert_with_clock": (
        """
def tool():
    n = insert('notes', title='New', due=today(), owner=me())
    return [n['title'], n['due'], n['owner'], n['stars'], n['tags'], now()]
""",
        ("value", ["New", "2026-03-02", "ann", 0, [], "2026-03-02T09:00:01Z"]),
    ),
    "read_change_save": (
        """
def tool():
    n = get('notes', 'n_2')
    n['tags'].append('rent')
    n['stars'] += 4
    save('notes', n)
    return get('notes', 'n_2')['tags']
""",
        ("value", ["home", "rent"]),
    ),
    "update_each": (
        """
def tool():
    for n in find('notes', done=False):
        update('notes', n['id'], done=True)
    return count('notes', done=True)
""",
        ("value", 3),
    ),
    "delete": (
        """
def tool():
    delete('notes', 'n_1')
    return count('notes')
""",
        ("value", 2),
    ),
    "invalid_write": (
        """
def tool():
    return update('notes', 'n_1', stars='many')
""",
        ("refused", "invalid", 'stars must be a whole number, not "many"'),
    ),
    "catch_a_refusal": (
        """
def tool():
    try:
        get('notes', 'n_9')
    except Exception as e:
        return str(e)
""",
        ("value", 'not_found: there is no note "n_9"'),
    ),
    "a_refusal_is_no_key_error": (
        """
def tool():
    try:
        return get('notes', 'n_9')
    except (KeyError, ValueError, RuntimeError):
        return 'hidden'
""",
        ("refused", "not_found", 'there is no note "n_9"'),
    ),
    "catch_and_refuse_otherwise": (
        """
def tool():
    try:
        get('notes', 'n_9')
    except Exception:
        fail('conflict', 'gone')
""",
        ("refused", "conflict", "gone"),
    ),
    "catch_and_raise_again": (
        """
def tool():
    try:
        get('notes', 'n_9')
    except Exception:
        raise
""",
        ("refused", "not_found", 'there is no note "n_9"'),
    ),
    "all_or_nothing": (
        """
def tool():
    delete('notes', 'n_1')
    insert('notes', title='x')
    fail('forbidden', 'no')
""",
        ("refused", "forbidden", "no"),
    ),
    "a_page_and_the_next": (
        """
def tool():
    rows = [n['id'] for n in find('notes')]
    one = page(rows, 2, None)
    two = page(rows, 2, one['next_cursor'])
    return [one['items'], two]
""",
        ("value", [["n_1", "n_2"], {"items": ["n_3"], "next_cursor": None}]),
    ),
    "a_cursor_made_up": (
        """
def tool():
    return page([1, 2], 1, 'abc')
""",
        ("refused", "invalid", "cursor 'abc' is not one that was given out"),
    ),
    # ------------------------------------------------------------------------- plain Python
    "wrong_key": (
        """
def tool():
    return {}['x']
""",
        ("bug", "KeyError"),
    ),
    "wrong_number": (
        """
def tool():
    return int('z')
""",
        ("bug", "ValueError"),
    ),
    "wrong_call": (
        """
def tool():
    return get()
""",
        ("bug", "TypeError"),
    ),
    "wrong_place": (
        """
def tool():
    return [][0]
""",
        ("bug", "IndexError"),
    ),
    "wrong_types": (
        """
def tool():
    return 1 + 'a'
""",
        ("bug", "TypeError"),
    ),
    "division": (
        """
def tool():
    return 1 / 0
""",
        ("bug", "ZeroDivisionError"),
    ),
    "failed_assert": (
        """
def tool():
    assert 1 == 2
""",
        ("bug", "AssertionError"),
    ),
    "own_error": (
        """
def tool():
    raise ValueError('x')
""",
        ("bug", "ValueError"),
    ),
    "helper_and_constant": (
        """
LEVELS = ('low', 'high')
HALF = 0.5
def _level(n):
    return LEVELS[n]
def tool():
    return [_level(1), HALF * 3, list(LEVELS)]
""",
        ("value", ["high", 1.5, ["low", "high"]]),
    ),
    "comprehensions": (
        """
def tool():
    d = {n['id']: n['stars'] for n in find('notes')}
    return [sum(d.values()), sorted({v % 2 for v in d.values()}), max(d, key=lambda k: d[k]), round(2.5), round(1234, -2), round(7.0)]
""",
        ("value", [6, [0, 1], "n_1", 2, 1200, 7]),
    ),
    "sort_by_two": (
        """
def tool():
    rows = find('notes')
    rows.sort(key=lambda n: (n['owner'], -n['stars']))
    return [n['id'] for n in rows]
""",
        ("value", ["n_1", "n_3", "n_2"]),
    ),
    "group": (
        """
from collections import defaultdict
def tool():
    by = defaultdict(list)
    for n in find('notes'):
        by[n['owner']].append(n['id'])
    return dict(by)
""",
        ("value", {"ann": ["n_1", "n_3"], "bob": ["n_2"]}),
    ),
    "tally": (
        """
from collections import Counter
def tool():
    return Counter(n['owner'] for n in find('notes')).most_common(1)[0][0]
""",
        ("value", "ann"),
    ),
    "texts": (
        """
def tool():
    t = '  Ärger, Tax & Co. '
    return [t.strip().lower(), t.split(','), 'Tax' in t, t.title().strip(), '-'.join('abc'), 'x'.zfill(3), 'a=b'.partition('='), 'Zoë'[::-1], 'ab' * 2, t.find('Tax')]
""",
        (
            "value",
            [
                "ärger, tax & co.",
                ["  Ärger", " Tax & Co. "],
                True,
                "Ärger, Tax & Co.",
                "a-b-c",
                "00x",
                ["a", "=", "b"],
                "ëoZ",
                "abab",
                9,
            ],
        ),
    ),
    "formats": (
        """
def tool():
    n = 1234.5
    return [f'{n:,.2f}', f'{7:03d}', f'{0.256:.1%}', f'{"a":>3}', '%s is %d' % ('x', 3), f'{[1, "b"]!r}', str(1.0), str(True), repr('a\\'b')]
""",
        (
            "value",
            ["1,234.50", "007", "25.6%", "  a", "x is 3", "[1, 'b']", "1.0", "True", '"a\'b"'],
        ),
    ),
    "numbers": (
        """
import math
def tool():
    return [7 // 2, -7 // 2, -7 % 3, round(2.5), round(2.675, 2), divmod(9, 4), abs(-3), 2 ** 10, math.ceil(1.2), math.isclose(0.1 + 0.2, 0.3), 0.1 + 0.2, min(3, 1), sum([0.1] * 3), int('12'), float('1.5'), bool([])]
""",
        (
            "value",
            [
                3,
                -4,
                2,
                2,
                2.67,
                [2, 1],
                3,
                1024,
                2,
                True,
                0.30000000000000004,
                1,
                0.30000000000000004,
                12,
                1.5,
                False,
            ],
        ),
    ),
    "dates": (
        """
from datetime import date, datetime, timedelta
def tool():
    d = date.fromisoformat(get('notes', 'n_1')['due'])
    t = datetime.strptime(now(), '%Y-%m-%dT%H:%M:%SZ')
    return [(d + timedelta(days=30)).isoformat(), d.weekday(), (d - t.date()).days, t.strftime('%d %b %Y %H:%M'), d.replace(day=1).isoformat(), d.year, (t + timedelta(hours=15, minutes=30)).isoformat()]
""",
        (
            "value",
            ["2026-04-04", 3, 3, "02 Mar 2026 09:00", "2026-03-01", 2026, "2026-03-03T00:30:00"],
        ),
    ),
    "money": (
        """
from decimal import Decimal, ROUND_HALF_UP
def tool():
    x = Decimal('10.25') * 3
    return [str(x), str(x.quantize(Decimal('0.1'), rounding=ROUND_HALF_UP)), float(x)]
""",
        ("value", ["30.75", "30.8", 30.75]),
    ),
    "patterns": (
        """
import re
def tool():
    m = re.match(r'(?P<word>[a-z]+)_(\\d+)', 'note_42x')
    return [m.group('word'), m.group(2), re.sub(r'\\s+', ' ', 'a  b\\n c'), re.findall(r'\\d+', 'a1b22'), bool(re.fullmatch('[a-c]+', 'abcd')), re.split(r'[,;] ?', 'a, b;c')]
""",
        ("value", ["note", "42", "a b c", ["1", "22"], False, ["a", "b", "c"]]),
    ),
    "json": (
        """
import json
def tool():
    return [json.loads('{"a": [1, null]}'), json.dumps({'b': True})]
""",
        ("value", [{"a": [1, None]}, '{"b": true}']),
    ),
    "bad_json": (
        """
import json
def tool():
    return json.loads('{')
""",
        ("bug", "JSONDecodeError"),
    ),
    "copies": (
        """
from copy import deepcopy
def tool():
    a = {'x': [1]}
    b = deepcopy(a)
    b['x'].append(2)
    return [a, b, {**a, 'y': 1}, dict(a, z=2), [*a['x'], 9]]
""",
        ("value", [{"x": [1]}, {"x": [1, 2]}, {"x": [1], "y": 1}, {"x": [1], "z": 2}, [1, 9]]),
    ),
    "dicts": (
        """
def tool():
    d = {'b': 1, 'a': 2}
    d.pop('b')
    d.setdefault('c', []).append(1)
    d.update(e=5)
    return [d, list(d), d.get('q', 0), 'a' in d, sorted(d.items(), key=str)]
""",
        (
            "value",
            [
                {"a": 2, "c": [1], "e": 5},
                ["a", "c", "e"],
                0,
                True,
                [["a", 2], ["c", [1]], ["e", 5]],
            ],
        ),
    ),
    "lists": (
        """
def tool():
    x = [3, 1, 2]
    x.insert(0, 9)
    x.remove(1)
    x.extend([7, 7])
    a, *rest = x
    return [x, a, rest, x[1:3], x[-1], x.index(7), x.count(7), x[::-1], list(zip(x, 'ab')), list(enumerate('ab', 1)), list(reversed(x)), list(map(str, x[:2]))]
""",
        (
            "value",
            [
                [9, 3, 2, 7, 7],
                9,
                [3, 2, 7, 7],
                [3, 2],
                7,
                3,
                2,
                [7, 7, 2, 3, 9],
                [[9, "a"], [3, "b"]],
                [[1, "a"], [2, "b"]],
                [7, 7, 2, 3, 9],
                ["9", "3"],
            ],
        ),
    ),
    "sets": (
        """
def tool():
    a = {1, 2, 3}
    b = set([2, 9])
    return [sorted(a & b), sorted(a | b), sorted(a - b), 2 in a, len(a), a.isdisjoint({7})]
""",
        ("value", [[2], [1, 2, 3, 9], [1, 3], True, 3, True]),
    ),
    "loops": (
        """
def tool():
    out = []
    n = 0
    while True:
        n += 1
        if n == 2:
            continue
        if n > 4:
            break
        out.append(n)
    for i in range(3, 0, -1):
        out.append(i)
    else:
        out.append('end')
    return out
""",
        ("value", [1, 3, 4, 3, 2, 1, "end"]),
    ),
    "choices": (
        """
def _word(x):
    match x:
        case 0:
            return 'none'
        case 1 | 2:
            return 'few'
        case {'n': n}:
            return n
        case [a, *_]:
            return a
        case _:
            return 'many'
def tool():
    return [_word(0), _word(2), _word({'n': 5}), _word(['q', 1]), _word(7)]
""",
        ("value", ["none", "few", 5, "q", "many"]),
    ),
    "try_else_finally": (
        """
def tool():
    out = []
    try:
        int('5')
    except ValueError:
        out.append('bad')
    else:
        out.append('good')
    finally:
        out.append('done')
    return out
""",
        ("value", ["good", "done"]),
    ),
    "nested_function": (
        """
def tool():
    limit = 1
    def enough(n):
        return n['stars'] > limit
    return [n['id'] for n in filter(enough, find('notes'))]
""",
        ("value", ["n_1", "n_3"]),
    ),
    "any_all_default": (
        """
def tool():
    rows = find('notes')
    return [any(n['done'] for n in rows), all(n['done'] for n in rows), max([], default=None), min(n['stars'] for n in rows)]
""",
        ("value", [True, False, None, 1]),
    ),
    "chained_comparison": (
        """
def tool():
    x = 3
    return [1 < x < 5, x is not None, 'a' if x else 'b', x and 0, not x]
""",
        ("value", [True, True, "a", 0, False]),
    ),
    "walrus": (
        """
def tool():
    if (n := len(find('notes'))) > 2:
        return n
    return 0
""",
        ("value", 3),
    ),
    "printing_goes_nowhere": (
        """
def tool():
    print('hello', 3)
    return None
""",
        ("value", None),
    ),
    "nothing_returned": (
        """
def tool():
    x = 1
""",
        ("value", None),
    ),
}
