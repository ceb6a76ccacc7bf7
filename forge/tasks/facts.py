"""Naming the facts: every value that the user will say gets a name, the same value the same one.

A fact's name is what a person would call it: "project name", "task due date". How it is said is
decided when the question is written (`forge/tasks/question.py`).
"""

from dataclasses import dataclass, field

from forge.tasks.columns import table_named
from forge.tasks.words import human, role
from forge.types.data import Json
from forge.types.state import StateSchema
from forge.types.task import Intent


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
                _selection(wish["what"]["of"], names)
    return Intent.model_validate(wishes)


def _selection(of: dict[str, Json], names: _Names) -> None:
    for condition in of["where"]:
        _value(condition["value"], of["table"], condition["column"], names)


def _value(value: dict[str, Json], table: str, column: str, names: _Names) -> None:
    match value["kind"]:
        case "plain" if value["fact"] == "":
            value["fact"] = names.name(table, column, value["value"])
        case "record":
            _selection(value["of"], names)
        case "computed":
            _selection(value["of"]["of"], names)
        case "add_item" | "remove_item":
            _value(value["item"], table, column, names)
