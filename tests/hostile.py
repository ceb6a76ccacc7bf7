"""Tools that mean harm, by name: each is the body of a module whose function `attack` does it.

`AGAINST_THE_RULES` are refused before they are loaded, in both back ends. `WITHIN_THE_RULES` are
legal Python that runs away; Monty stops each, and says so by the text given here.
`NATIVE_DOES_NOT_STOP` is the honest list of what the native back end lets happen.
"""

AGAINST_THE_RULES = {
    # ------------------------------------------------------------- files, network, processes
    "read_a_file": """
def attack():
    return open('/etc/passwd').read()
""",
    "write_a_file": """
def attack():
    open('/tmp/forge_hostile', 'w').write('x')
""",
    "a_path": """
from pathlib import Path
def attack():
    return Path('/etc/passwd').read_text()
""",
    "with_open": """
def attack():
    with open('/etc/passwd') as f:
        return f.read()
""",
    "a_socket": """
def attack():
    import socket
    return socket.create_connection(('1.1.1.1', 80))
""",
    "a_download": """
from urllib.request import urlopen
def attack():
    return urlopen('http://x').read()
""",
    "a_process": """
import subprocess
def attack():
    return subprocess.run(['id'])
""",
    "the_shell": """
import os
def attack():
    return os.system('id')
""",
    "the_environment": """
import os
def attack():
    return dict(os.environ)
""",
    "leave": """
def attack():
    raise SystemExit(3)
""",
    "interrupt": """
def attack():
    raise KeyboardInterrupt()
""",
    "exit_quietly": """
def attack():
    exit()
""",
    "sleep": """
import time
def attack():
    time.sleep(60)
""",
    "the_wall_clock": """
from datetime import datetime
def attack():
    return str(datetime.now())
""",
    "the_wall_date": """
import datetime
def attack():
    return str(datetime.date.today())
""",
    "chance": """
import random
def attack():
    return random.random()
""",
    # ---------------------------------------------------------------------- import tricks
    "import_by_name": """
def attack():
    return __import__('os').getcwd()
""",
    "importlib": """
import importlib
def attack():
    return importlib.import_module('os').getcwd()
""",
    "builtins": """
import builtins
def attack():
    return builtins.open('/etc/passwd').read()
""",
    "through_a_module": """
import re
def attack():
    return re.enum.sys.modules['os'].getcwd()
""",
    "a_module_s_module": """
from json import decoder
def attack():
    return decoder.scanner
""",
    "a_submodule": """
import json.decoder
def attack():
    return json.decoder.scanner
""",
    "a_relative_import": """
from . import store
def attack():
    return store
""",
    "a_module_as_value": """
import json
def attack():
    x = json
    return x.codecs.open('/etc/passwd')
""",
    "star_import": """
from math import *
def attack():
    return pi
""",
    # ------------------------------------------------------------ attribute and frame walks
    "subclasses": """
def attack():
    return ().__class__.__base__.__subclasses__()
""",
    "globals_of_a_function": """
def attack():
    return attack.__globals__['__builtins__']
""",
    "code_of_a_function": """
def attack():
    return attack.__code__.co_consts
""",
    "frame_of_an_error": """
def attack():
    try:
        1 / 0
    except Exception as e:
        return e.__traceback__.tb_frame.f_back.f_globals
""",
    "frame_of_a_generator": """
def attack():
    return (x for x in [1]).gi_frame.f_builtins
""",
    "format_walk": """
def attack():
    return '{0.__class__.__mro__}'.format(1)
""",
    "format_map_walk": """
def attack():
    return '{x.__class__}'.format_map({'x': 1})
""",
    "getattr_walk": """
def attack():
    return getattr((), '__cla' + 'ss__')
""",
    "table_api_walk": """
def attack():
    return get.__closure__[0].cell_contents
""",
    "a_new_class": """
def attack():
    return type('A', (), {'__del__': print})()
""",
    "a_class": """
class A:
    kept = []
def attack():
    A.kept.append(1)
    return A.kept
""",
    "a_decorator": """
@print
def attack():
    return 1
""",
    "a_default_that_runs": """
def attack(x=print('loaded')):
    return 1
""",
    "an_annotation_that_runs": """
def attack(x: print('loaded') = 1):
    return 1
""",
    "a_constant_that_runs": """
X = print('loaded')
def attack():
    return 1
""",
    # ---------------------------------------------------------------------- code from text
    "eval": """
def attack():
    return eval('1 + 1')
""",
    "exec": """
def attack():
    exec('x = 1')
""",
    "compile": """
def attack():
    return compile('1', 'x', 'eval')
""",
    "eval_bound_nearby": """
def attack():
    [eval for eval in [1]]
    return eval('1 + 1')
""",
    "exec_by_annotation": """
def attack():
    exec: int
    exec('KEPT = 1')
""",
    "eval_passed_on": """
def attack():
    return list(map(eval, ['1 + 1']))
""",
    "globals": """
def attack():
    globals()['get'] = 1
""",
    "vars": """
def attack():
    return vars()
""",
    "breakpoint": """
def attack():
    breakpoint()
""",
    "input": """
def attack():
    return input()
""",
    # ----------------------------------------------------------- keeping state between calls
    "global": """
kept = 0
def attack():
    global kept
    kept += 1
    return kept
""",
    "nonlocal": """
def attack():
    n = 0
    def more():
        nonlocal n
        n += 1
    more()
    return n
""",
    "a_mutable_constant": """
KEPT = []
def attack():
    KEPT.append(1)
    return KEPT
""",
    "a_mutable_dict": """
KEPT = {'n': 0}
def attack():
    KEPT['n'] += 1
    return KEPT
""",
    "a_constant_that_holds_a_list": """
KEPT = ([],)
def attack():
    KEPT[0].append(1)
""",
    "a_mutable_default": """
def attack(kept=[]):
    kept.append(1)
    return kept
""",
    "a_function_attribute": """
def attack():
    attack.kept = 1
""",
    "a_module_attribute": """
import math
def attack():
    math.pi = 3
""",
    "the_decimal_context": """
import decimal
def attack():
    decimal.setcontext(decimal.Context(prec=1))
""",
    "a_cache": """
from functools import cache
@cache
def attack():
    return []
""",
    "a_returned_function": """
def attack():
    def kept():
        return 1
    return kept
""",
    "a_stored_function": """
def attack():
    x = {}
    def f():
        return x
    x['f'] = f
""",
    "a_stored_lambda": """
def attack():
    x = [lambda: 1]
    return x[0]()
""",
    "the_last_arguments": """
def attack():
    return _passed
""",
    "delete_a_function": """
def attack():
    del attack
""",
    "a_generator": """
def attack():
    yield 1
""",
    "a_coroutine": """
async def attack():
    return 1
""",
    # ------------------------------------------------------------- rebinding the table API
    "rebind_by_assignment": """
def attack():
    get = print
    get('notes', 'n_1')
""",
    "rebind_at_the_top": """
get = 1
def attack():
    return 1
""",
    "rebind_by_def": """
def get(*a):
    return {}
def attack():
    return get('notes', 'n_1')
""",
    "rebind_by_nested_def": """
def attack():
    def get(*a):
        return {}
    return get()
""",
    "rebind_by_parameter": """
def attack(get):
    return get
""",
    "rebind_by_keyword_only": """
def attack(*, find=1):
    return find
""",
    "rebind_by_lambda": """
def attack():
    return sorted([1], key=lambda save: save)
""",
    "rebind_by_import": """
import math as update
def attack():
    return update.pi
""",
    "rebind_by_loop": """
def attack():
    for now in [1]:
        pass
""",
    "rebind_by_comprehension": """
def attack():
    return [me for me in [1]]
""",
    "rebind_by_except": """
def attack():
    try:
        1 / 0
    except Exception as fail:
        pass
""",
    "rebind_by_walrus": """
def attack():
    return (count := 3)
""",
    "rebind_by_match": """
def attack():
    match 1:
        case delete:
            return delete
""",
    "rebind_by_star": """
def attack():
    a, *insert = [1, 2]
    return insert
""",
    "take_the_table_api": """
def attack():
    mine = get
    return mine('notes', 'n_1')
""",
    "swallow_everything": """
def attack():
    while True:
        try:
            1 / 0
        except:
            pass
""",
}

WITHIN_THE_RULES: dict[str, tuple[str, str | None]] = {
    "endless_loop": (
        """
def attack():
    while True:
        pass
""",
        "TimeoutError",
    ),
    "endless_loop_that_catches": (
        """
def attack():
    while True:
        try:
            while True:
                pass
        except Exception:
            pass
""",
        "TimeoutError",
    ),
    "a_long_range": (
        """
def attack():
    return sum(x for x in range(10**12))
""",
        None,
    ),
    "endless_recursion": (
        """
def attack():
    return attack()
""",
        "RecursionError",
    ),
    "two_that_call_each_other": (
        """
def attack():
    return _other()
def _other():
    return attack()
""",
        "RecursionError",
    ),
    "doubling_text": (
        """
def attack():
    x = 'ab'
    while True:
        x += x
""",
        "MemoryError",
    ),
    "long_text": (
        """
def attack():
    return len('ab' * 10**10)
""",
        "MemoryError",
    ),
    "padded_text": (
        """
def attack():
    return len('a'.ljust(10**10))
""",
        "MemoryError",
    ),
    "padded_by_format": (
        """
def attack():
    return len(f'{1:>{10**10}}')
""",
        None,
    ),
    "growing_list": (
        """
def attack():
    x = []
    while True:
        x.append([1] * 999)
""",
        "MemoryError",
    ),
    "growing_dict": (
        """
def attack():
    x = {}
    while True:
        x[len(x)] = 'x' * 999
""",
        "MemoryError",
    ),
    "a_list_of_all": (
        """
def attack():
    return len(list(range(10**10)))
""",
        "MemoryError",
    ),
    "a_huge_power": (
        """
def attack():
    return 10 ** (10 ** 9) > 1
""",
        "MemoryError",
    ),
    "endless_squaring": (
        """
def attack():
    x = 3
    while True:
        x = x * x
""",
        None,
    ),
    "a_huge_factorial": (
        """
import math
def attack():
    return math.factorial(10**9) > 1
""",
        None,
    ),
    "a_huge_shift": (
        """
def attack():
    return 1 << (10 ** 12) > 1
""",
        None,
    ),
    "catastrophic_backreference": (
        """
import re
def attack():
    return bool(re.match(r'(a|aa)+\\1$', 'a' * 60 + 'b'))
""",
        "backtracking",
    ),
    "a_flood_of_output": (
        """
def attack():
    while True:
        print('x' * 10_000)
""",
        "TimeoutError",
    ),
    "a_flood_of_reads": (
        """
def attack():
    while True:
        get('notes', 'n_1')
""",
        "more than 200 calls",
    ),
    "a_flood_of_writes": (
        """
def attack():
    while True:
        insert('notes', title='x')
""",
        "more than 200 calls",
    ),
    "a_flood_into_the_records": (
        """
def attack():
    while True:
        update('notes', 'n_1', title='x' * 100_000)
""",
        "more than 1000000 characters",
    ),
    "a_huge_key": (
        """
def attack():
    return get('notes', 10 ** 5000)
""",
        None,
    ),
    "a_deep_value": (
        """
def attack():
    x = []
    for _ in range(100_000):
        x = [x]
    return update('notes', 'n_1', tags=x)
""",
        None,
    ),
    "a_function_as_value": (
        """
def attack():
    return insert('notes', title=str(len), tags=[len])
""",
        None,
    ),
}
"""Source, and what stops it: a part of the reason, or None where the reason may vary."""

NATIVE_DOES_NOT_STOP = frozenset(
    {
        "endless_loop",
        "endless_loop_that_catches",
        "a_long_range",
        "doubling_text",
        "long_text",
        "padded_text",
        "padded_by_format",
        "growing_list",
        "growing_dict",
        "a_list_of_all",
        "a_huge_power",
        "endless_squaring",
        "a_huge_factorial",
        "a_huge_shift",
        "catastrophic_backreference",
        "a_flood_of_output",
        "a_flood_of_reads",
        "a_flood_of_writes",
        "a_flood_into_the_records",
    }
)
