"""Naming the facts: every value that the user will say gets a name, the same value the same one.

A fact's name is what a person would call it: "project name", "task due date". How it is said is
decided when the question is written (`forge/tasks/speech/question.py`).
"""

from dataclasses import dataclass, field

from forge.tasks.intents.columns import table_named
from forge.tasks.speech.words import human, role
from forge.types.data import Json
from forge.types.intent import Intent
from forge.types.state import StateSchema


@dataclass(slots=True)
class _Names:
    schema: StateSchema
    given: dict[str, tuple[str, str, Json]] = field(default_factory=dict)

    def name(self, table: str, column: str, value: Json) -> str:
        noun = table_named(self.schema, table).noun
        stem = f"{noun} {role(column, noun) or human(column)}"
        number = 1
        while True:
            name = stem if number == 1 else f"{stem} {number}"
            holder = self.given.setdefault(name, (table, column, value))
            if holder[:2] == (table, column) and holder[2] == value:
                return name
            number += 1


def name_facts(intent: Intent, schema: StateSchema) -> Intent:
    """The intent with every empty fact name filled in."""
    names = _Names(schema)
    wishes = intent.model_dump()
    for wish in wishes["wishes"]:
        _wish(wish, names)
    return Intent.model_validate(wishes)


def _wish(wish: dict[str, Json], names: _Names) -> None:
    match wish["verb"]:
        case "insert":
            for column, value in wish["values"].items():
                _value(value, wish["table"], column, names)
        case "change":
            _selection(wish["of"], names)
            for column, value in wish["change"].items():
                _value(value, wish["of"]["table"], column, names)
        case "delete":
            _selection(wish["of"], names)
        case "answer":
            _measure(wish["what"], names)
        case "branch":
            test = wish["test"]
            table, column = _measure(test["measure"], names)
            _value(test["value"], table, column, names)
            _wish(wish["then"], names)
            if wish["otherwise"] is not None:
                _wish(wish["otherwise"], names)
        case "refused":
            _wish(wish["deed"], names)


def _measure(what: dict[str, Json], names: _Names) -> tuple[str, str]:
    """Names what is inside; the table and the column (or what else it is) that it measures."""
    if what["op"] == "difference":
        if what["right"] is not None:
            _measure(what["right"], names)
        table, column = _measure(what["left"], names)
        return table, f"{column} difference"
    _selection(what["of"], names)
    return what["of"]["table"], what["column"] or what["op"]


def _selection(of: dict[str, Json], names: _Names) -> None:
    for condition in of["where"]:
        _value(condition["value"], of["table"], condition["column"], names)
    pick = of["pick"]
    if pick is not None:
        if pick["near"] is not None:
            _value(pick["near"], of["table"], pick["column"], names)
        if pick["counted"] is not None:
            _selection(pick["counted"]["of"], names)


def _value(value: dict[str, Json], table: str, column: str, names: _Names) -> None:
    match value["kind"]:
        case "plain" if value["fact"] == "":
            value["fact"] = names.name(table, column, value["value"])
        case "record" | "keys":
            _selection(value["of"], names)
        case "computed":
            _measure(value["of"], names)
        case "moved":
            _value(value["by"], table, f"{column} {value['unit']}", names)
        case "add_item" | "remove_item":
            _value(value["item"], table, column, names)
