"""What needs no host: source text that both back ends load before the tools.

`given` and `page` are of the table API; a call of them costs no round trip. `round` and `sum` take
the place of the builtins, whose last digit is not the same everywhere: Monty rounds 2.675 up, and
Python adds floats in another way from 3.12 on.
"""

PRELUDE = '''\
_round = round


def given(**arguments):
    """The arguments that were passed: those that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def page(rows, limit=None, cursor=None):
    """One page of `rows` and the cursor of the next one, or None at the end."""
    start = 0
    if cursor is not None:
        digits = cursor[2:] if isinstance(cursor, str) and cursor[:2] == "p_" else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            fail("invalid", f"cursor {cursor!r} is not one that was given out")
        start = int(digits)
    if limit is None:
        limit = len(rows)
    elif limit < 1:
        fail("invalid", f"limit must be at least 1, not {limit}")
    end = start + limit
    return {"items": rows[start:end], "next_cursor": f"p_{end}" if end < len(rows) else None}


def round(number, ndigits=None):
    """As Python rounds: the digits of the exact value."""
    if isinstance(number, float) and isinstance(ndigits, int) and 0 <= ndigits <= 20:
        return float(f"{number:.{ndigits}f}")
    return _round(number, ndigits)


def sum(values, start=0):
    """One after the other."""
    total = start
    for value in values:
        total = total + value
    return total
'''
