"""What an agent may write down for later: a table of notes and two tools, beside an environment's
own.

In a sequence of tasks every dialogue is a new one, and the notes are all that an agent keeps of
those before. No environment has them but for the tasks of a sequence; how they end is outside the
comparison. Always holds: the same environment gets the same names, and none that it has already.
"""

from collections.abc import Container, Iterator

from forge.types.environment import Effect, Environment, Tool
from forge.types.state import Column, Table

_WORDS = ("note", "memo", "reminder")
_RULE = (
    "The user may come back another day, and you will remember nothing of this dialogue then. What "
    "you will need later, save it with {save}; when the user goes by something from before, look "
    "it up with {list}."
)
_SOURCE = '''

def {save}(text: str) -> dict:
    """Save a note for later, in your own words. Only you see your notes."""
    return insert("{table}", text=text)


def {list}() -> list:
    """All notes that you have saved, the oldest first."""
    return find("{table}", sort="saved_at")
'''


def with_notes(environment: Environment) -> Environment:
    """The environment as it is in a sequence of tasks."""
    word = _free(environment)
    table, save, listing = f"{word}s", f"save_{word}", f"list_{word}s"
    rule = _RULE.format(save=save, list=listing)
    schema = environment.state_schema
    return environment.model_copy(
        update={
            "rules": f"{environment.rules}\n\n{rule}".strip(),
            "state_schema": schema.model_copy(
                update={"tables": (*schema.tables, _table(table, word))}
            ),
            "tools": (*environment.tools, _saving(save, table), _listing(listing, table)),
            "source": environment.source.rstrip()
            + "\n"
            + _SOURCE.format(save=save, list=listing, table=table),
        }
    )


def notes_of(environment: Environment) -> tuple[str, Tool, Tool]:
    """Of an environment with notes: the table, what saves one, and what lists them."""
    table = next(each.name for each in environment.state_schema.tables if not each.compared)
    save, listing = (
        next(t for t in environment.tools if t.effect is not None and _is(t.effect, verb, table))
        for verb in ("create", "list")
    )
    return table, save, listing


def _is(effect: Effect, verb: str, table: str) -> bool:
    return effect.verb == verb and effect.table == table


def _free(environment: Environment) -> str:
    taken = {table.name for table in environment.state_schema.tables}
    taken |= {tool.name for tool in environment.tools}
    return next(word for word in _candidates() if _is_free(word, taken, environment.source))


def _candidates() -> Iterator[str]:
    yield from _WORDS
    number = 2
    while True:
        yield f"note{number}"
        number += 1


def _is_free(word: str, taken: Container[str], source: str) -> bool:
    """Whether no table, tool or function of the environment is named by it."""
    names = (f"{word}s", f"save_{word}", f"list_{word}s")
    return not any(name in taken or f"def {name}(" in source for name in names)


def _table(name: str, word: str) -> Table:
    return Table(
        name=name,
        noun="note" if word.startswith("note") else word,
        key=("id",),
        columns=(
            Column(name="id", required=True, nullable=False, generated="id", prefix=f"{word}_"),
            Column(name="text", required=True, nullable=False, min_length=1),
            Column(name="saved_at", format="date-time", generated="time"),
        ),
        compared=False,
    )


def _saving(name: str, table: str) -> Tool:
    text = {"type": "string", "minLength": 1, "description": "What to remember."}
    return Tool(
        name=name,
        description="Save a note for later, in your own words. Only you see your notes.",
        parameters=_parameters({"text": text}),
        kind="write",
        effect=Effect(verb="create", table=table, fields={"text": "text"}),
    )


def _listing(name: str, table: str) -> Tool:
    return Tool(
        name=name,
        description="All notes that you have saved, the oldest first.",
        parameters=_parameters({}),
        kind="read",
        effect=Effect(verb="list", table=table),
    )


def _parameters(properties: dict[str, dict[str, object]]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
