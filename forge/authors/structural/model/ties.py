"""Which records are tied to which by operations alone: lists that no answer shows.

`PUT /teams/{id}/members/{username}`, `POST /tasks/{id}/addDependencies` and the lists beside them
show that a team has members and a task dependencies, which no property of theirs tells.

Always holds: a tie is kept in one place, whichever of its two ends an operation names; where a
column shows it already, it is that column; a tie that is only listed is one to people.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from forge.authors.structural.model.model import Model, Tie
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.reading.reading import Argument, Reading, Step
from forge.authors.structural.reading.routes import MINE, PEOPLE
from forge.authors.structural.words import Words, many, one, snake, split
from forge.types.state import Column

_MIRRORS: dict[Words, Words] = {
    ("dependent",): ("dependency",),
    ("follower",): ("following",),
    ("block",): ("dependency",),
    ("blocking",): ("blocked", "by"),
}
"""The other end's word for a tie between records of one table: the tie is kept at that end."""

_OTHER_ENDS: dict[Words, Words] = {
    ("starred",): ("stargazer",),
    ("subscription",): ("subscriber",),
    ("watched",): ("watcher",),
}
"""What a person's own list of what they are in is called -> what they are called there."""

_PATHS = {"PUT": "put", "POST": "put", "DELETE": "take", "GET": "ask"}


@dataclass(frozen=True)
class Touch:
    """How an operation's path speaks of a tie."""

    holder: Words
    words: Words
    """What the path calls the set, singular."""
    does: str
    """list, put, take, ask, or what is done with a list in the body: add, remove, set, clear."""
    step: Step
    """The step that picks the holder."""
    item: Argument | None = None
    outer: tuple[Argument, ...] = ()
    """The arguments before it that pick the item with it: `/user/starred/{owner}/{repo}`."""
    under: tuple[str, ...] = ()
    """What the path says between the two: `/orgs/{org}/actions/permissions/repositories`."""


@dataclass
class _Seen:
    does: set[str] = field(default_factory=set)
    items: set[Words] = field(default_factory=set)
    answers: set[Words] = field(default_factory=set)
    """What answers of putting in are records of."""
    under: bool = False


def touch_of(reading: Reading) -> Touch | None:
    """None where the path is not one of a holder and a set."""
    if len(reading.steps) < 2 or reading.odd:
        return None
    place = next((n for n, s in reversed([*enumerate(reading.steps[:-1])]) if s.arguments), -1)
    under = tuple(step.text for step in reading.steps[place + 1 : -1])
    if place < 0 or not under or _is_mine(reading.steps[-2]):
        return _touch(reading, reading.steps[-2])
    touch = _touch(reading, reading.steps[place])
    if touch is None or touch.does in ("add", "remove", "clear"):
        return None
    between = tuple(word for text in under for word in split(text))
    return replace(touch, words=(*between, *touch.words), under=under)


def _touch(reading: Reading, before: Step) -> Touch | None:
    last = reading.steps[-1]
    if not (before.arguments or _is_mine(before)) or not last.words:
        return None
    method, words = reading.operation.method, last.words
    body = reading.taken("body")
    if not last.arguments and words[0] in ("add", "remove") and len(words) > 1:
        if method not in ("POST", "PUT", "DELETE"):
            return None
        return Touch(before.noun, one(words[1:]), words[0], before, _named(body, one(words[1:])))
    if last.arguments:
        *outer, item = last.arguments
        free = method in ("GET", "DELETE") or (method == "PUT" and _may_be_bare(reading))
        does = _PATHS.get(method) if free else None
        touch = Touch(before.noun, one(words), does or "", before, item, tuple(outer))
        return touch if does else None
    if one(words) == words and not _is_going_on(words):
        return None
    if method == "GET":
        return Touch(before.noun, one(words), "list", before)
    does = {"POST": "add", "PUT": "set", "DELETE": "remove"}.get(method)
    if does == "remove" and not body:
        return Touch(before.noun, one(words), "clear", before)
    listed = [a for a in body if a.shape.type == "array"]
    if does is None or len(listed) != 1 or any(a.required and a not in listed for a in body):
        return None
    return Touch(before.noun, one(words), does, before, listed[0])


def _may_be_bare(reading: Reading) -> bool:
    """Whether nothing need be said beside the path, and nothing is answered."""
    body = reading.taken("body")
    return not body or (reading.answer.kind == "none" and not any(a.required for a in body))


def _is_mine(step: Step) -> bool:
    return not step.arguments and step.words in MINE


def _is_going_on(words: Words) -> bool:
    """`following`, `starred`: a set called by what is done to its items."""
    return words[-1].endswith(("ing", "ed")) and len(words[-1]) > 5


def _named(body: Iterable[Argument], words: Words) -> Argument | None:
    """The one argument that says which item, or which items."""
    found = [a for a in body if _kind(a) in ("string", "integer")]
    needed = [a for a in found if a.required] or found
    own = [
        a for a in needed if one(a.words)[: len(words)] == words or one(a.words)[-1:] == words[-1:]
    ]
    chosen = own if len(own) == 1 else needed
    return chosen[0] if len(chosen) == 1 else None


def _kind(argument: Argument) -> str:
    shape = argument.shape
    item = shape.items() if shape.type == "array" else shape
    return item.type if item is not None else ""


def with_ties(model: Model, readings: tuple[Reading, ...], unclear: Collection[str]) -> Model:
    """The model with the ties that explain operations that are otherwise unclear, and the columns
    that keep them."""
    seen: dict[tuple[Words, Words], _Seen] = {}
    wanted: set[tuple[Words, Words]] = set()
    owned: set[tuple[Words, Words]] = set()
    for reading in readings:
        touch = touch_of(reading)
        if touch is None:
            owned |= _owned(model, reading)
            continue
        touch = of_me(model, touch)
        if touch.holder not in model.sheets:
            continue
        at = (touch.holder, touch.words)
        each = seen.setdefault(at, _Seen())
        each.does.add(touch.does)
        each.under = bool(touch.under)
        if touch.does == "list":
            if reading.answer.kind != "list":
                each.does.discard("list")
            else:
                each.items.add(_listed(model, reading, touch))
        elif touch.does in ("put", "ask", "add") and reading.answer.kind == "record":
            each.answers.add(_answered(model, reading))
        if reading.operation.name in unclear:
            wanted.add(at)
    ties: dict[tuple[Words, Words], Tie] = {}
    columns: dict[Words, list[Column]] = {}
    for at in sorted(wanted, key=lambda at: _last_kept(model, at)):
        found = (
            _other_end(at, _items(model, at[1], seen[at]), seen[at], ties)
            if at in owned
            else _tie(model, at, seen, ties, columns)
        )
        if found is not None:
            ties[at] = found
    sheets = {
        noun: _with_columns(sheet, columns.get(noun, [])) for noun, sheet in model.sheets.items()
    }
    for at, tie in ties.items():
        if seen[at].does - {"list", "ask"}:
            for noun in (tie.holder, tie.items):
                sheets[noun] = _without_counts(sheets[noun], at[1])
    return replace(model, sheets=sheets, ties=ties)


def _without_counts(sheet: Sheet, words: Words) -> Sheet:
    """With the numbers of what is in a set that tools change unseen, where answers may lack them:
    `stars_count` of what has stargazers."""
    always = {name for shape in sheet.entity.shown for name in shape.required()}
    counts = {
        c.name
        for c in sheet.table.columns
        if c.type == "integer" and c.name not in always and _counts(split(c.name), words)
    }
    return replace(sheet, hidden=sheet.hidden | counts)


def _counts(name: Words, words: Words) -> bool:
    alike = one(name[:1])[0][:_STEM] == words[-1][:_STEM]
    return len(name) == 2 and name[1] in ("count", "counter") and alike


_STEM = 4
"""Letters that two words of the same thing have in common: stars and stargazers."""


def _last_kept(model: Model, at: tuple[Words, Words]) -> tuple[bool, bool, bool, Words, Words]:
    """The order in which ends of ties are looked at: the one that keeps the tie first."""
    items = model.sheets.get(at[1])
    several = items is not None and len(items.table.key) > 1
    return (at[1] in _MIRRORS, at[0] in PEOPLE, several, *at)


def of_me(model: Model, touch: Touch) -> Touch:
    """With the people as the holders, where it is about the one who asks."""
    if not _is_mine(touch.step) or model.actors is None:
        return touch
    return replace(touch, holder=model.of_table(model.actors).entity.noun)


def _listed(model: Model, reading: Reading, touch: Touch) -> Words:
    """What a list is of: the records that its schema is known for, where its path has no other."""
    about = model.entities.about.get(reading.operation.name, ())
    known = _answered(model, reading)
    if touch.under:
        return known if known in model.sheets else ()
    named = known in model.sheets and about == reading.steps[-1].noun
    return known if named else about


def _owned(model: Model, reading: Reading) -> set[tuple[Words, Words]]:
    """What is in a holder, and made or changed there: records of its own, no ties to others."""
    if len(reading.steps) < 2 or not reading.taken("body"):
        return set()
    last, before, method = reading.steps[-1], reading.steps[-2], reading.operation.method
    holder = before.noun
    if _is_mine(before) and model.actors is not None:
        holder = model.of_table(model.actors).entity.noun
    elif not before.arguments:
        return set()
    makes = method == "POST" if not last.arguments else method in ("POST", "PUT", "PATCH")
    return {(holder, one(last.words))} if makes else set()


def _answered(model: Model, reading: Reading) -> Words:
    entity = model.entities.of_shape(reading.answer.shape)
    return entity.noun if entity is not None else ()


def _tie(
    model: Model,
    at: tuple[Words, Words],
    seen: dict[tuple[Words, Words], _Seen],
    ties: dict[tuple[Words, Words], Tie],
    columns: dict[Words, list[Column]],
) -> Tie | None:
    holder, words = at
    own = seen[at]
    items = _items(model, words, own)
    sheet, target = model.sheets[holder], model.sheets.get(items)
    if target is None or sheet.table.singleton:
        return None
    other_end = _other_end(at, items, own, ties)
    if other_end is not None:
        return other_end
    changes = own.does & {"put", "take", "add", "remove", "set"}
    if own.under and not {"list", "put", "take"} <= own.does:
        return None
    if not (("list" in own.does and changes) or len(changes) > 1 or "list" in own.does):
        return None
    if changes <= {"take", "remove"} and changes and words == items:
        return None  # what is deleted there may be the record itself
    named = _may_be_named(target)
    link = _link(model, sheet, target, own) if named else None
    if link is not None:
        return link
    mirror = _mirror(at, items, seen, ties)
    if mirror is not None and (named or not mirror.turned):
        return replace(mirror, holder=holder, items=items, turned=not mirror.turned)
    if not named:
        return None
    shown = _shown(sheet, target, words)
    if shown is not None:
        return Tie(holder, items, shown)
    turned = [
        c
        for c in target.table.columns
        if c.items is not None and c.items.references == sheet.name and not _is_role(c, sheet)
    ]
    if len(turned) == 1 and target is not sheet:
        return Tie(holder, items, turned[0].name, turned=True)
    if not changes and items not in PEOPLE:
        return None
    inside = any(
        c.references == sheet.name and split(c.name) != ("parent",) for c in target.table.columns
    )
    if inside and items != holder:
        return None  # each of them is in one of these
    if not sheet.table.key or (sheet.key is not None and sheet.key.hidden):
        return None
    name = snake(words if _is_going_on(words) else many(words))
    taken = {c.name for c in (*sheet.table.columns, *columns.get(holder, []))}
    name = f"{name}_{target.name}" if name in taken else name
    if name in taken:
        return None
    columns.setdefault(holder, []).append(_column(name, target))
    return Tie(holder, items, name)


def _items(model: Model, words: Words, seen: _Seen) -> Words:
    """The noun of what is in the set: as lists answer it, else as it is called."""
    listed = seen.items - {()}
    if listed:
        return next(iter(listed)) if len(listed) == 1 else ()
    if "list" in seen.does:
        return ()
    return words if words in model.sheets else ()


def _may_be_named(sheet: Sheet) -> bool:
    return len(sheet.table.key) == 1 and sheet.key is not None and not sheet.key.hidden


def _link(model: Model, holder: Sheet, items: Sheet, seen: _Seen) -> Tie | None:
    """The table whose records tie the two, where putting one in answers such a record."""
    for noun in sorted(seen.answers - {holder.entity.noun, items.entity.noun, ()}):
        link = model.sheets.get(noun)
        if link is None:
            continue
        to_holder = [c.name for c in link.table.columns if c.references == holder.name]
        to_items = [c.name for c in link.table.columns if c.references == items.name]
        if len(to_holder) == len(to_items) == 1 and holder is not items:
            tie = Tie(holder.entity.noun, items.entity.noun, to_items[0])
            return replace(tie, link=noun, other=to_holder[0])
    return None


def _other_end(
    at: tuple[Words, Words], items: Words, seen: _Seen, ties: dict[tuple[Words, Words], Tie]
) -> Tie | None:
    """What a person is in: the list of the teams that someone is a member of."""
    holder, words = at
    known = _OTHER_ENDS.get(words) or (("member",) if words == items else ())
    told = ties.get((items, known))
    if seen.does != {"list"} and words not in _OTHER_ENDS:
        return None
    if told is None or told.items != holder or told.turned or told.link:
        return None
    return replace(told, holder=holder, items=items, turned=True)


def _mirror(
    at: tuple[Words, Words],
    items: Words,
    seen: dict[tuple[Words, Words], _Seen],
    ties: dict[tuple[Words, Words], Tie],
) -> Tie | None:
    """The same tie from its other end, where it is kept."""
    holder, words = at
    if items == holder:
        return ties.get((holder, _MIRRORS.get(words, ())))
    other = ties.get((items, holder))
    if words == items and other is not None and other.items == holder:
        return other if not other.link else replace(other, column=other.other, other=other.column)
    return None


def _shown(holder: Sheet, items: Sheet, words: Words) -> str | None:
    for column in holder.table.columns:
        refers = column.items is not None and column.items.references == items.name
        if refers and one(split(column.name)) in (words, (*words, "id"), (*words, "gid")):
            return column.name
    return None


def _is_role(column: Column, holder: Sheet) -> bool:
    """Whether items name holders as something else than what they are in."""
    return one(split(column.name)) not in (holder.entity.noun, (*holder.entity.noun, "id"))


def _column(name: str, items: Sheet) -> Column:
    key = items.column(items.table.key[0])
    assert key is not None
    inner = Column(type=key.type, references=items.name, nullable=False, on_delete="clear")
    return Column(
        name=name,
        type="array",
        items=inner,
        required=True,
        nullable=False,
        default=[],
        compare="unordered",
    )


def _with_columns(sheet: Sheet, columns: list[Column]) -> Sheet:
    if not columns:
        return sheet
    table = sheet.table.model_copy(update={"columns": (*sheet.table.columns, *columns)})
    return replace(sheet, table=table, hidden=sheet.hidden | {c.name for c in columns})
