"""Views as source: the private functions that render records as answers show them.

Always holds: one function a view; it asks for each table that it embeds once, however many rows.
"""

from collections.abc import Sequence

from forge.authors.structural.model.model import Model
from forge.authors.structural.plans.views import View
from forge.authors.structural.source.syntax import ROW, where


class Shared:
    """The private functions of one environment: one for each view that is not the record."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._names: dict[View, str] = {}
        self.sources: list[str] = []

    def shown(self, view: View, row: str) -> str:
        """The expression for one record by a view."""
        return row if view.whole else f"{self._name(view)}([{row}])[0]"

    def shown_all(self, view: View, rows: str) -> str:
        if view.bare:
            return f"[{ROW}[{view.columns[0]!r}] for {ROW} in {rows}]"
        return rows if view.whole else f"{self._name(view)}({rows})"

    def _name(self, view: View) -> str:
        if view not in self._names:
            number = sum(1 for v in self._names if v.table == view.table)
            self._names[view] = f"_show_{view.table}" + (f"_{number + 1}" if number else "")
            self.sources.append(self._source(self._names[view], view))
        return self._names[view]

    def _source(self, name: str, view: View) -> str:
        embeds = dict(view.embeds)
        lines = [f"def {name}(rows: list) -> list:"]
        noun = self.model.of_table(view.table).table.noun
        lines.append(f"    {f'Each {noun} as answers show it.'!r}")
        tables: dict[str, list[tuple[str, bool]]] = {}
        for column, embed in view.embeds:
            if not embed.table:
                continue
            tables.setdefault(embed.table, []).append((column, embed.many))
        found: dict[str, str] = {}
        for place, (table, columns) in enumerate(tables.items()):
            key = self.model.of_table(table).table.key[0]
            lines.append(f"    keys_{place} = []")
            lines.append("    for row in rows:")
            for column, many in columns:
                if many:
                    lines.append(f"        keys_{place} += row.get({column!r}) or []")
                else:
                    lines.append(f"        keys_{place}.append(row.get({column!r}))")
            fitting = where(key, "in", f"[key for key in keys_{place} if key is not None]")
            lines.append(f"    found_{place} = {{}}")
            lines.append(f"    for other in find({table!r}, {fitting}):")
            lines.append(f"        found_{place}[other[{key!r}]] = other")
            found[table] = f"found_{place}"
        plain = [c for c in view.columns if c not in embeds]
        nulls = [c for c in plain if c in view.nulls]
        kept = "row.get(name) is not None" + (f" or name in {_names(nulls)}" if nulls else "")
        part = f"{{name: row.get(name) for name in {_names(plain)} if {kept}}}"
        if not embeds:
            lines.append(f"    return [{part} for row in rows]")
            return "\n".join(lines) + "\n"
        lines += ["    shown = []", "    for row in rows:", f"        item: dict = {part}"]
        for column in view.columns:
            seen = embeds.get(column)
            if seen is not None and not seen.table:
                lines.append(f"        if row.get({column!r}) is not None:")
                lines.append(f"            item[{column!r}] = {{{seen.key!r}: row[{column!r}]}}")
            elif seen is not None:
                lines += self._embed_lines(
                    column, found[seen.table], seen.columns, seen.many, column in view.nulls
                )
        lines += ["        shown.append(item)", "    return shown"]
        return "\n".join(lines) + "\n"

    def _embed_lines(
        self, column: str, found: str, columns: tuple[str, ...], many: bool, null: bool
    ) -> list[str]:
        part = f"{{name: other[name] for name in {_names(columns)} if other.get(name) is not None}}"
        if many:
            return [
                f"        item[{column!r}] = []",
                f"        for key in row.get({column!r}) or []:",
                f"            other = {found}[key]",
                f"            item[{column!r}].append({part})",
            ]
        lines = [
            f"        if row.get({column!r}) is not None:",
            f"            other = {found}[row[{column!r}]]",
            f"            item[{column!r}] = {part}",
        ]
        if null:
            lines += ["        else:", f"            item[{column!r}] = None"]
        return lines


def _names(columns: Sequence[str]) -> str:
    """A tuple of texts, as source."""
    return "(" + "".join(f"{c!r}, " for c in columns).rstrip() + ")"
