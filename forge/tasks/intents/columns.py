"""What a column is: the thing it denotes, so that two columns can be seen to hold the same."""

from forge.types.state import Column, StateSchema, Table


def table_named(schema: StateSchema, name: str) -> Table:
    for table in schema.tables:  # a loop, for this is asked more often than anything else
        if table.name == name:
            return table
    raise KeyError(name)


def column_named(table: Table, name: str) -> Column:
    for column in table.columns:
        if column.name == name:
            return column
    raise KeyError(name)


def denotes(schema: StateSchema, table: str, column: str) -> str:
    """`table.column` of the key that this column holds, followed through references and parents
    to where the key is at home; of a plain column, itself."""
    home = table_named(schema, table)
    found = column_named(home, column)
    if found.references is not None:
        other = table_named(schema, found.references)
        return denotes(schema, other.name, other.key[0])
    items = found.items
    if items is not None and items.references is not None:
        other = table_named(schema, items.references)
        return denotes(schema, other.name, other.key[0])
    if home.parent is not None and column in home.parent.columns:
        at = home.parent.columns.index(column)
        return denotes(schema, home.parent.table, table_named(schema, home.parent.table).key[at])
    return f"{table}.{column}"


def is_key(schema: StateSchema, denoted: str) -> bool:
    """Whether what a column denotes is (part of) the key of a table."""
    table, _, column = denoted.partition(".")
    return column in table_named(schema, table).key


def is_internal(schema: StateSchema, table: str, column: str) -> bool:
    """Whether the column holds a key that people do not know: never said by a user."""
    home, _, name = denotes(schema, table, column).partition(".")
    owner = table_named(schema, home)
    found = column_named(owner, name)
    return name in owner.key and not found.spoken and found.generated is not None


def target_of(schema: StateSchema, table: str, column: str) -> str | None:
    """The table whose whole key the column holds, if any."""
    found = column_named(table_named(schema, table), column)
    if found.references is not None:
        return found.references
    parent = table_named(schema, table).parent
    if parent is not None and parent.columns == (column,):
        return parent.table
    return None


def label_of(table: Table) -> str | None:
    """The column by which people tell the table's records apart: its label, or a spoken key."""
    if table.label is not None:
        return table.label
    if len(table.key) == 1 and column_named(table, table.key[0]).spoken:
        return table.key[0]
    return None
