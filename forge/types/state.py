"""The key-value state space: tables of records, and overlays that say what changed.

A state is JSON: `{table: {key text: record}}`. A record holds its key columns, so its key is
always the tuple of their values (int 1 and "1" are different keys); the key text is that tuple
written for people and for JSON (see `forge/env/keys.py`).
"""

from typing import Literal

from pydantic import Field

from forge.types.data import Data, Json

Key = tuple[str | int, ...]
Record = dict[str, Json]
State = dict[str, dict[str, Record]]

ColumnType = Literal["string", "integer", "number", "boolean", "object", "array", "any"]
Generated = Literal["id", "counter", "time", "token", "derived"]
OnDelete = Literal["restrict", "cascade", "clear"]


class Column(Data):
    """A column of a table, or (nested) a property, item or map value of one."""

    name: str = ""
    """Empty for `items` and `values`. Any string: "1Q", "$ref" and "class" are legal names."""
    type: ColumnType = "string"
    format: Literal["date", "date-time", "time", "email", "uri", "uuid", "unix-time"] | None = None
    """`date` and `date-time` are checked and normalised on write; `unix-time` is of integers, the
    seconds since 1970, and a date and time is written as such."""
    required: bool = False
    """Must be present and, unless nullable, not null."""
    nullable: bool = True
    default: Json = None
    """Put in on insert where the column is absent. Null and absent are the same only for an
    optional column whose default is null."""
    enum: tuple[Json, ...] | None = None
    references: str | None = None
    """The table whose (single-column) key this value is. Checked on write."""
    among: tuple[str, ...] = ()
    """Tables with such a key, any of which the value may be of: whose repository, a user's or an
    organization's. Bases choose from them; it is not checked on write."""
    on_delete: OnDelete = "restrict"
    """What deleting the referenced record does: refuse, delete this record too, or put null here
    (in an array: take the item out)."""
    unique: bool = False
    within: tuple[str, ...] = ()
    """For `unique` and `generated == "counter"`: the columns they are counted within."""
    generated: Generated | None = None
    """Made by the store on insert where absent. `time` is the clock; `token` a random-looking
    string; `derived` fills `template`. Out of the comparison of end states, but for references."""
    template: str | None = None
    """For `derived`: a `str.format` template over the record's columns, e.g. "#{number}"."""
    on_update: bool = False
    """For `generated == "time"`: set again at every update."""
    prefix: str = ""
    """For `generated == "id"` of strings: "prj_" gives prj_8f3a2c1d."""
    spoken: bool = False
    """For key columns: people know it and say it (order number, login, slug)."""
    compare: Literal["exact", "unordered", "ignore", "text"] = "exact"
    """`unordered`: arrays as multisets; `text`: case, space and end punctuation do not matter."""
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    properties: tuple["Column", ...] = ()
    """Of an object with known properties. An object without any (and no `values`) is free-form."""
    values: "Column | None" = None
    """Of an object used as a map: what each value is."""
    items: "Column | None" = None
    """Of an array."""
    description: str = ""
    examples: tuple[Json, ...] = ()
    words: tuple[str, ...] = ()
    """What people of this domain write here, as a model told it: what bases hold, and what wishes
    give, is taken from them first."""


class Parent(Data):
    """The record this one belongs to: `columns` of the child hold the parent's key, in order."""

    table: str
    columns: tuple[str, ...]
    on_delete: Literal["cascade", "restrict"] = "cascade"
    each: bool = False
    """Every parent has exactly one such record."""


class Table(Data):
    name: str
    noun: str
    """One record of it, as a person says it: "project", "line item"."""
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    singleton: bool = False
    """Has exactly one record; it is never inserted or deleted."""
    parent: Parent | None = None
    label: str | None = None
    """The column by which people tell records apart (name, title, login), where there is one."""
    description: str = ""
    compared: bool = True
    """Whether it counts how its records end; not so of what an agent notes for itself."""


class StateSchema(Data):
    tables: tuple[Table, ...]
    actors: str | None = None
    """The table of those who may act; its key is a single column."""


class TableOverlay(Data):
    """What became of one table. A base record deleted and made again is in both."""

    made: dict[str, Record] = Field(default_factory=dict)
    changed: dict[str, Record] = Field(default_factory=dict)
    """Whole records as they are now."""
    deleted: tuple[str, ...] = ()


Overlay = dict[str, TableOverlay]
"""Only tables with something in them; keys are key texts, sorted."""
