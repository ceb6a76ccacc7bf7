"""The part of the table API that needs no host: source text that both back ends run as it is.

It is loaded before the tools, so a call of one of these costs no round trip to the host.
"""

PRELUDE = '''\
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
'''
