"""One call made on both from the same state: whether refusal, result and change are the same.

*Refusal*: both refuse, or neither; what they say then is not compared. *Result*: where neither
refuses, see `alike.py`. *Change*: the end states are the same by the comparison that the reward
uses, over the tables that are mapped: keys of new records up to renaming, columns that forge
generates left out. A call that changes nothing there, and in the reference something that no table
is like, does not have the same change; where it does both, what else it changes is listed beside.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from forge.env.base import Base
from forge.env.compare import compare, describe
from forge.env.identity import same
from forge.env.keys import parse_key
from forge.fidelity.alike import Context, Likeness, likeness, renamings, texts_in
from forge.fidelity.mapping import SchemaMapping, written
from forge.fidelity.places import changes, is_of
from forge.fidelity.reference import Answer
from forge.fidelity.report import Differing, Part, Verdict
from forge.fidelity.source import tables_of, texts_of
from forge.fidelity.states import Loaded, acting, load, overlay_of
from forge.types.call import Call, ToolResult
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.state import Overlay, Record


@dataclass(frozen=True, slots=True)
class Made:
    """`before`, `after`: the reference's data; `start`, `end`: they as states, the same one where
    nothing changed; `overlay`: what the environment's session changed."""

    call: Call
    theirs: Answer
    ours: ToolResult
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    start: Loaded
    end: Loaded
    overlay: Overlay


class Judge:
    def __init__(self, environment: Environment, mapping: SchemaMapping) -> None:
        self._environment, self._mapping = environment, mapping
        self._mapped = [home.table for home in mapping.homes]

    def load(self, data: Mapping[str, Json]) -> Loaded:
        return load(self._environment, self._mapping.homes, data, acting(data, self._mapping.actor))

    def touched(self, tool: str, loaded: Loaded) -> str:
        """Why the records that a tool touches did not load; "" if they did."""
        tables = tables_of(self._environment.source, tool)
        return next((loaded.failed[table] for table in tables if table in loaded.failed), "")

    def actor(self, data: Mapping[str, Json], base: Base) -> str | int | None:
        """Who acts, if there is a record of them."""
        found, table = acting(data, self._mapping.actor), base.schema.actors
        known = found is not None and table is not None and base.record(table, (found,)) is not None
        return found if known else None

    def verdict(self, made: Made) -> tuple[Verdict, str]:
        """And why the first part that differs does, in a line."""
        end, moved = made.end, made.end is not made.start
        tables = [each for each in self._mapped if each not in {*made.start.failed, *end.failed}]
        own = {name: each for name, each in made.overlay.items() if name in tables}
        reached = overlay_of(made.start.base, end.base, tables) if moved else {}
        beside = self._beside(made) if moved else ()
        refusal = made.theirs.refused == (made.ours.failure is not None)
        result: Likeness | None = None
        where = ""
        if not made.theirs.refused and made.ours.failure is None:
            result, where = self._result(made, reached, own)
        unfit = self.touched(made.call.tool, end)
        change, why = (
            (False, f"what the reference has then does not load: {unfit}")
            if unfit
            else self._change(made.start.base, reached, own, beside)
        )
        verdict = Verdict(refusal, result, change, beside, made.ours.failure == "internal")
        if not refusal:
            who = "the reference" if made.theirs.refused else "the environment"
            return verdict, f"{who} alone refuses"
        return verdict, f"at {where}" if result == "differs" else why

    def _change(
        self, base: Base, reached: Overlay, own: Overlay, beside: tuple[str, ...]
    ) -> tuple[bool, str]:
        tables = {table.name: table for table in base.schema.tables}

        def initial(table: str, text: str) -> Record | None:
            return base.record(table, parse_key(tables[table], text))

        if beside and not reached and not own:
            return False, f"the reference changes {', '.join(beside)}"
        found = compare(base.schema, initial, reached, own)
        return found.equal, describe(found).partition("\n")[0]

    def _result(self, made: Made, reached: Overlay, own: Overlay) -> tuple[Likeness, str]:
        if same(made.theirs.value, made.ours.value):
            return "same", ""
        context = Context(
            renamings(made.start.base.schema, reached, own),
            {*texts_in(dict(made.before)), *texts_in(dict(made.after))}
            | {*texts_in(made.call.arguments)},
            texts_of(self._environment.source, made.call.tool),
        )
        return likeness(made.theirs.value, made.ours.value, context)

    def _beside(self, made: Made) -> tuple[str, ...]:
        """What the reference changed and no mapped table has, by the names of the places."""
        found = set()
        for path in changes(dict(made.before), dict(made.after)):
            homes = [home for home in self._mapping.homes if is_of(path, home.place)]
            if any(
                len(path) <= len(home.place) or path[len(home.place)] in home.fields
                for home in homes
            ):
                continue
            inner = [
                f"{written(home.place)}.{path[len(home.place)]}" for home in homes if home.place
            ]
            found.add(inner[0] if inner else path[0])
        return tuple(sorted(found))


def differing(made: Made, scenario: str, drawn: bool, verdict: Verdict, why: str) -> Differing:
    ours: Json = made.ours.value
    if made.ours.failure is not None:
        ours = {made.ours.failure: made.ours.bug or made.ours.message}
    part: Part = "result" if verdict.result == "differs" else "change"
    if not verdict.refusal:
        part = "refusal"
    return Differing(
        scenario,
        drawn,
        made.call.arguments,
        part,
        why,
        made.theirs.value,
        ours,
    )
