"""What to change in an environment that gives no tasks, or too few: from the reasons to few lines.

Always holds: advice is about kinds of reasons, most frequent first, each said once.
"""

from collections import Counter
from collections.abc import Mapping

LONGEST = 4
"""Pieces of advice, and reasons."""

_CHECK = "run forge check on it: a tool does not do what its effect declares"
_NAMES = "give tables a label (a column by which people tell records apart) with different values"
_RECORDS = "add records to the base states, with values that differ"
_READS = "add read tools that find records by what people say of them, and show their keys"

_OF_GATE = {
    "replay": _CHECK,
    "deterministic": "let no tool's result depend on chance or on the order of a set",
    "meaning": "declare all that a write does in its effect: sets, cascades",
    "changes": "let writes change columns that are compared (not compare: ignore)",
    "grounded": _NAMES,
    "unambiguous": _NAMES,
    "necessary": "let each write leave something that no other write does",
    "sensitive": _RECORDS,
    "order_free": "let writes of one task not depend on each other's order",
    "solvable": "describe what users know in words that they can be asked for",
    "unguessable": "add records and tools, so that no task is one call that comes first to mind",
    "unique": "add records, base states or tools: what can be asked is asked already",
}
_OF_WORDS = {
    "effect is not declared": "declare the effects of the tools in environment.json",
    "no tool with an effect": "declare the effects of the tools in environment.json",
    "too few records": _RECORDS,
    "no record of": _RECORDS,
    "no natural way": _NAMES,
    "bookkeeping": "add tables of things that people talk about",
    "no value for": "give columns a format, an enum or examples, so that a value can be made",
    "no item for": _RECORDS,
    "enough of the kind": "add tools and tables: no more than a share of the tasks may be alike",
    "golden call failed": _CHECK,
    "records refuse": _CHECK,
    "worth asking": "add columns with numbers, dates and names that differ from record to record",
    "another kind": "ask for another --kind",
    "another difficulty": "ask for another --difficulty",
    "tool": _READS,
}


def reasons(unfit: Mapping[str, int], refused: Mapping[str, int]) -> list[tuple[str, int]]:
    """Why proposals came to nothing, most first: a gate by its name, the others in words."""
    found = Counter({f"refused by {gate}": count for gate, count in refused.items()})
    found.update(unfit)
    return sorted(found.items(), key=lambda each: (-each[1], each[0]))[:LONGEST]


def advice(unfit: Mapping[str, int], refused: Mapping[str, int]) -> list[str]:
    """What to change, for the reasons that weigh most."""
    weights: Counter[str] = Counter()
    for gate, count in refused.items():
        weights[_OF_GATE[gate]] += count
    for reason, count in unfit.items():
        words = next((words for words in _OF_WORDS if words in reason), None)
        if words is not None:
            weights[_OF_WORDS[words]] += count
    return [text for text, _ in sorted(weights.items(), key=lambda each: (-each[1], each[0]))][
        :LONGEST
    ]
