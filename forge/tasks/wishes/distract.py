"""Records laid on the base to make the careless way wrong, where the base has none that do.

A record with nearly the name that is said; one that comes first in rank but for the filter; one
that fits all conditions but one. They are made with a session's own store, so that they obey the
schema and their keys look like any other; what the task's wishes mean stays as it was.
"""

import random

from forge.authors.structural.values.fit import in_order
from forge.authors.structural.values.values import new_value
from forge.env.conditions import meets
from forge.env.identity import copied, same
from forge.env.store import Store
from forge.errors import ToolError
from forge.tasks.intents import forms
from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.intents.forms import FormError
from forge.tasks.intents.inside import selections
from forge.tasks.intents.intent import IntentError, evaluate, select
from forge.tasks.intents.likeness import akin, mistakable
from forge.tasks.intents.rivals import comes_before, is_name, rivals
from forge.tasks.speech.lexicon import PEOPLE
from forge.types.data import Json
from forge.types.intent import Insert, Intent, Pick, Plain, Refused, Selection
from forge.types.state import Column, Overlay, Record, Table

MOST = 3
NAME_TRIES = 200
_SECONDS = {
    **dict.fromkeys(
        ("project", "plan", "campaign", "list", "board", "folder", "document", "file", "playlist",
         "team", "channel", "template", "form", "report", "workspace", "repository", "page",
         "course", "catalogue", "budget", "group", "dashboard", "workflow", "portfolio", "program",
         "pipeline", "cluster", "database", "app", "network", "server", "label", "tag", "category"),
        ("{} 2", "{} II", "{} (old)", "{} copy"),
    ),
    **dict.fromkeys(("product", "item", "article", "good", "part"), ("{}, small", "{}, large")),
}  # fmt: skip
"""What a second one is called, by its noun, where nothing else is known that sounds alike."""


Invented = dict[str, list[str]]
"""Table -> names that its records might have, made once for an environment."""


def distract(intent: Intent, store: Store, rng: random.Random, invented: Invented) -> Overlay:
    """One to three such records, as an overlay; empty if none makes sense. `store` takes them,
    `invented` what names were made up for them."""
    different: list[Selection] = []
    for of, _ in selections(intent):
        if of not in different:
            different.append(of)
    before = [_meant(of, store) for of in different]
    needed = [of for of in different if not rivals(of, store) and not _is_one_of_one(of, store)]
    rng.shuffle(needed)
    for of in needed[: rng.randint(1, MOST)]:
        trial = store.fork()
        values = _decoy(of, store, rng, invented)
        if values is None or _is_called_like_missing(values, of.table, intent, store):
            continue
        try:
            trial.insert(of.table, **values)
        except ToolError:
            continue
        if [_meant(each, trial) for each in different] == before and rivals(of, trial):
            store.insert(of.table, **values)
    return store.overlay()


def _meant(of: Selection, store: Store) -> list[list[Record]] | None:
    """What the selection finds, before and after its pick."""
    try:
        return [select(each, store, {}) for each in (of, of.model_copy(update={"pick": None}))]
    except IntentError:
        return None


def _is_one_of_one(of: Selection, store: Store) -> bool:
    """Whether there is one such record in all, or one for each of others."""
    tables = store.schema.tables
    own = table_named(store.schema, of.table)
    held = [t.parent for t in tables if t.parent is not None and t.parent.each]
    alone = own.singleton or (own.parent is not None and own.parent.each)
    return alone or any(parent.table == of.table for parent in held)


def _is_called_like_missing(values: Record, table: str, intent: Intent, store: Store) -> bool:
    """Whether it could be what a wish names that is to be refused since there is none."""
    label = label_of(table_named(store.schema, table))
    called = str(values.get(label or ""))
    for wish in intent.wishes:
        if not isinstance(wish, Refused) or isinstance(wish.deed, Insert):
            continue
        if wish.why == "missing" and wish.deed.of.table == table:
            names = [c.value for c in wish.deed.of.where if is_name(c, label)]
            return any(isinstance(n, Plain) and mistakable(called, str(n.value)) for n in names)
    return False


def _decoy(of: Selection, store: Store, rng: random.Random, invented: Invented) -> Record | None:
    """What such a record would hold, or None."""
    try:
        meant = select(of, store, {})
        wanted = [(c, evaluate(c.value, store, {})) for c in of.where]
    except IntentError:
        return None
    if not meant:
        return None
    table = table_named(store.schema, of.table)
    label = label_of(table)
    named = [(c, w) for c, w in wanted if is_name(c, label)]
    others = [r for r in store.rows(table.name) if r not in meant]
    if named:
        ((condition, name), *_) = named
        alike = _like(table, str(name), store, rng, invented)
        if alike is None:
            return None
        template = meant[0]  # of the same kind, so that nothing but the name tells them apart
        fixed: Record = {condition.column: alike}
    else:
        open_to = [(c, w) for c, w in wanted if of.pick is not None or len(wanted) > 1]
        options = [
            (c, record)
            for c, w in open_to
            for record in others
            if meets(record.get(c.column), c.op, w) == c.negated
        ]
        if not options:
            return None
        condition, template = rng.choice(options)
        fixed = {}
    for other, value in wanted:
        if other is condition:
            continue
        if other.op != "eq" or other.negated:
            if meets(template.get(other.column), other.op, value) == other.negated:
                return None
            fixed[other.column] = template.get(other.column)
        else:
            fixed[other.column] = value
    if of.pick is not None:
        better = _better(of.pick, meant[-1], table, rng)
        if better is None:
            return None
        fixed[of.pick.column] = better
    if condition.column not in fixed:
        fixed[condition.column] = template.get(condition.column)
    return _filled(table, template, fixed, store, rng)


def _like(
    table: Table, name: str, store: Store, rng: random.Random, invented: Invented
) -> str | None:
    """A name that a hasty reader takes for this one, and that none has."""
    label = label_of(table)
    assert label is not None
    column = column_named(table, label)
    there = [str(r.get(label)) for r in store.rows(table.name)]
    folded = {other.casefold() for other in there}
    plain = all(c.isalpha() or c in " -'" for c in name)
    if column.type != "string" or column.enum or not plain:
        return None
    first, _, last = name.rpartition(" ")
    if table.noun in PEOPLE:
        if not first or label in table.key:
            return None
        ways = [f"{first} {other.rpartition(' ')[2]}" for other in there if " " in other]
        ways += [f"{other.rpartition(' ')[0]} {last}" for other in there if " " in other]
    else:
        if table.name not in invented:
            own = random.Random(table.name)
            made = (new_value(table, column, own, now=store.now()) for _ in range(NAME_TRIES))
            invented[table.name] = [m for m in made if isinstance(m, str)]
        ways = invented[table.name]
    alike = sorted({w for w in ways if akin(w, name) and w.casefold() not in folded})
    if alike:
        return rng.choice(alike)
    seconds = _SECONDS.get(table.noun.split()[-1])
    if seconds is None or label in table.key or len(name.split()) > 2:
        return None
    return rng.choice(seconds).format(name)


def _better(pick: Pick, picked: Record, table: Table, rng: random.Random) -> Json:
    """A value that comes before the picked record's."""
    if pick.counted is not None or pick.near is not None:
        return None
    value, less = picked.get(pick.column), pick.which == "min"
    step = rng.randint(2, 9)
    try:
        if isinstance(value, str):
            return forms.moved(value, step, "days", less=less)
        better = forms.moved(value, step, "percent", less=less)
    except FormError:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        better = value + (-1 if less else 1) * max(1, round(abs(value) * step / 100))
    column = column_named(table, pick.column)
    if better <= 0 or (column.minimum is not None and better < column.minimum):
        return None
    wanted = {pick.column: better}
    return better if comes_before(wanted, picked, pick) else None


def _filled(
    table: Table, template: Record, fixed: Record, store: Store, rng: random.Random
) -> Record | None:
    """A new record: `fixed`, kinds and ties as the template has them, the rest made anew."""
    values = dict(fixed)

    def look(other: Column, key: Json) -> Record:
        if other.references is None or key is None:
            return {}
        return store.get(other.references, key)

    made: list[Column] = []
    for column in table.columns:
        if column.name in fixed or column.generated in ("id", "counter", "token", "derived"):
            continue
        present = template.get(column.name)
        if column.name == table.label or column.unique or column.name in table.key:
            made.append(column)
        elif column.name in template:
            if present is None or column.enum or _is_tie_or_part(column):
                values[column.name] = copied(present)
            else:
                made.append(column)
    for column in in_order(made, table.noun):
        alone = column.unique or column.name == table.label or column.name in table.key
        if column.references is not None:
            return None
        taken = [r.get(column.name) for r in store.rows(table.name)] if alone else []
        value = new_value(table, column, rng, near=values, taken=taken, now=store.now(), look=look)
        if value is None or (alone and any(same(value, other) for other in taken)):
            return None
        values[column.name] = value
    return values


def _is_tie_or_part(column: Column) -> bool:
    return column.references is not None or column.type in ("boolean", "object", "array", "any")
