"""From a session's view to the overlay that says what became of the records, and back.

`lay_on` of what `changes_of` gave, on a fresh view of the same base and setup, gives the same
records; and nothing that the schema forbids can be laid on.
"""

from collections.abc import Callable

from forge.env.base import whole_record
from forge.env.identity import copied_record, frozen, same
from forge.env.integrity import Place, check_bonds, named
from forge.env.keys import key_text, parse_key
from forge.env.layout import Layout
from forge.env.values import suggestion
from forge.env.view import View
from forge.errors import ToolError, UserError
from forge.types.state import Key, Overlay, Record, TableOverlay

Before = Callable[[str, Key], Record | None]


def changes_of(view: View, before: Before) -> Overlay:
    """What was written, against the records as they were; canonical: sorted, no empty tables, no
    record that is as it was."""
    overlay: Overlay = {}
    for table in sorted(view.written):
        made: dict[str, Record] = {}
        changed: dict[str, Record] = {}
        deleted: list[str] = []
        for key, record in view.written[table].items():
            old, text = before(table, key), key_text(key)
            if record is None:
                if old is not None:
                    deleted.append(text)
            elif old is None:
                made[text] = copied_record(record)
            elif (table, key) in view.again:
                deleted.append(text)
                made[text] = copied_record(record)
            elif not same(record, old):
                changed[text] = copied_record(record)
        if made or changed or deleted:
            overlay[table] = TableOverlay.model_construct(
                made=dict(sorted(made.items())),
                changed=dict(sorted(changed.items())),
                deleted=tuple(sorted(deleted)),
            )
    return overlay


def lay_on(view: View, overlay: Overlay) -> None:
    """Writes an overlay into a view. UserError that names table and key if it does not fit; the
    caller then undoes what was written."""
    put: dict[Place, Record | None] = {}
    for table, rows in overlay.items():
        layout = view.layouts.get(table)
        if layout is None:
            raise UserError(f"no table {table!r}: {suggestion(table, view.layouts)}")
        if layout.table.singleton and (rows.made or rows.deleted):
            raise UserError("its one record can only be changed", where=table)
        for text in rows.deleted:
            key = _key(layout, text)
            _lay(view, layout, key, None, there=True)
            put[table, key] = None
        for records, there in ((rows.made, False), (rows.changed, True)):
            for text, given in records.items():
                key, record = whole_record(layout, text, given)
                _lay(view, layout, key, record, there=there)
                put[table, key] = record
    for (table, key), after in put.items():
        _check(view, view.layouts[table], key, after)


def _lay(view: View, layout: Layout, key: Key, record: Record | None, *, there: bool) -> None:
    name = layout.table.name
    if (view.record(name, key) is not None) is not there:
        state = "is not there" if there else "is there already"
        raise UserError(f"{named(layout.table, key)} {state}", where=f"{name} {key_text(key)}")
    view.put(name, key, record)


def _check(view: View, layout: Layout, key: Key, record: Record | None) -> None:
    where = f"{layout.table.name} {key_text(key)}"
    if record is not None:
        try:
            check_bonds(view, layout, key, record, layout.columns)
        except ToolError as error:
            raise UserError(error.message, where=where) from error
        return
    bucket = tuple(frozen(part) for part in key)
    for incoming in layout.incoming:
        for holder in view.holders(incoming.table, incoming.path, incoming.within, bucket):
            other = named(view.layouts[incoming.table].table, holder)
            raise UserError(f"it is deleted, and {other} depends on it", where=where)


def _key(layout: Layout, text: str) -> Key:
    try:
        return parse_key(layout.table, text)
    except ValueError as error:
        raise UserError(str(error), where=layout.table.name) from error
