"""Values made to fit: nested ones built up, enums chosen, lengths kept, nothing given twice."""

from collections.abc import Callable, Collection
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta

from forge.authors.structural.values.dates import STAGES, moment_in, stage_of, twin_of, written
from forge.authors.structural.values.invent import invent
from forge.authors.structural.values.kinship import fits, is_kind
from forge.authors.structural.values.life import agrees, happened, is_status, says_done
from forge.authors.structural.values.meaning import meaning, words_of
from forge.authors.structural.values.numbers import is_part
from forge.authors.structural.values.places import SPOTS
from forge.authors.structural.values.scene import Scene
from forge.authors.structural.words import singular, split
from forge.types.data import Json
from forge.types.state import Column

ReferTo = Callable[[Column, Scene], Json]
"""The key of a record that the column may refer to, or None where there is none."""

_TRIES = 60
_FREE_FORM: tuple[dict[str, Json], ...] = (
    {"source": "import"}, {"channel": "phone"}, {"region": "north"}, {"cost_centre": "4100"},
    {"campaign": "spring"}, {},
)  # fmt: skip


def make(column: Column, scene: Scene, refer: ReferTo, taken: Collection[Json] = ()) -> Json:
    """A value of the column, at any depth, never null, that is not in `taken` if that can be."""
    if column.references is not None:
        return refer(column, scene)
    if column.enum is not None:
        return _chosen(column, scene, taken)
    if column.type == "array":
        return _array(column, scene, refer)
    if column.type == "object":
        return _object(column, scene, refer)
    return _scalar(column, scene, taken)


def in_order(columns: Collection[Column], noun: str) -> list[Column]:
    """Columns in the order in which values are made, so that each can agree with those before:
    kinds, names, places, states, then dates from the first to the last."""

    def rank(column: Column) -> int:
        kind = meaning(column, noun)
        if kind in ("date", "date-time", "epoch"):
            return 10 + STAGES.index(stage_of(column.name, noun))
        if kind in ("first_name", "last_name"):
            return 0
        if column.enum is not None and is_kind(noun, column.enum):
            return 1
        if kind in ("name", "person", "city"):
            return 2
        if column.enum is not None:
            return 3
        if column.type == "boolean":
            return 4
        if kind in ("email", "username", "slug", "url") or split(column.name)[:1] == ("html",):
            return 7
        return 6 if kind == "price" and is_part(words_of(column, noun)) else 5

    return sorted(columns, key=rank)


def left_null(column: Column, scene: Scene) -> bool:
    """Whether this record leaves an optional column empty."""
    rng = scene.rng
    timed = meaning(column, scene.noun) in ("date", "date-time", "epoch")
    free = not column.required and column.default is None
    optional = free or (column.nullable and column.default is None)
    if (free or column.nullable) and column.type != "boolean":
        done = happened(column, scene.columns, scene.near)
        if done is not None:
            return not done
    if optional and _is_technical(column, scene):
        return True
    if optional and timed and column.format == "date-time" and twin_of(column.name, scene.near):
        return rng.random() < 0.6
    if not column.nullable and (column.required or column.default is not None):
        return False
    if column.required or column.default is not None or column.type == "boolean":
        return False
    if meaning(column, scene.noun) == "text":
        return rng.random() < 0.3
    if column.references is not None and meaning(column, scene.noun) != "person":
        return rng.random() < 0.06
    return rng.random() < 0.15


def may_have(column: Column, scene: Scene) -> bool:
    """Whether an optional column has something to tell in this record."""
    if happened(column, scene.columns, scene.near) is False and column.type != "boolean":
        return False
    return not _is_technical(column, scene)


def _is_technical(column: Column, scene: Scene) -> bool:
    """What only the record's history or a machine would fill: `old_name`, HTML without its text,
    the sizes of a picture."""
    words = split(column.name)
    if words[:1] in (("old",), ("new",), ("previous",)) and len(words) > 1:
        return True
    if words[:1] == ("html",):
        plain = [c for c in scene.columns if split(c.name) == words[1:]]
        return not any(scene.near.get(c.name) for c in plain)
    links = [p for p in column.properties if p.format == "uri"]
    return column.type == "object" and len(links) > 1 and len(links) == len(column.properties)


def _chosen(column: Column, scene: Scene, taken: Collection[Json]) -> Json:
    options = [o for o in column.enum or () if o is not None]
    kinds = is_kind(scene.noun, options)
    options = [o for o in options if _may_be(column, o, scene, kinds=kinds)] or options
    free = [o for o in options if o not in taken]
    return scene.rng.choice(free or options) if options else None


def _may_be(column: Column, option: Json, scene: Scene, *, kinds: bool) -> bool:
    """Whether a choice agrees with the record's name and flags. `kinds`: the choices are kinds of
    thing."""
    if isinstance(option, str) and kinds:
        return fits(scene.noun, scene.label, option)
    return agrees(column, option, scene.columns, scene.near)


def _array(column: Column, scene: Scene, refer: ReferTo) -> list[Json]:
    items = column.items or Column()
    if items.name == "":
        items = items.model_copy(update={"name": singular_name(column.name)})
    low = column.min_length or 0
    high = min(column.max_length if column.max_length is not None else 4, max(4, low))
    wanted = max(low, min(high, scene.rng.choice((0, 1, 1, 2, 2, 3))))
    made: list[Json] = []
    for _ in range(wanted * 4):
        if len(made) == wanted:
            break
        value = make(items, scene, refer, made)
        if value is not None and value not in made:
            made.append(value)
    return made


def singular_name(name: str) -> str:
    words = split(name)
    return "_".join([*words[:-1], singular(words[-1])]) if words else name


def _object(column: Column, scene: Scene, refer: ReferTo) -> dict[str, Json]:
    if not column.properties:
        if column.values is None:
            shown = [example for example in column.examples if isinstance(example, dict)]
            return deepcopy(scene.rng.choice((*shown, *_FREE_FORM)))
        values = column.values
        if values == Column(name=values.name, description=values.description):
            return deepcopy(scene.rng.choice(_FREE_FORM))  # texts of any kind
        names = scene.rng.sample(("north", "south", "east", "west", "centre"), 2)
        return {name: make(values, scene, refer) for name in names}
    noun = " ".join((*scene.noun.split(), *split(singular_name(column.name)))) or scene.noun
    near: dict[str, Json] = {}
    inner = Scene(scene.rng, noun, near, scene.now, columns=column.properties, outer=scene)
    for part in in_order(column.properties, noun):
        named = part.type == "string" and part.format is None and not near
        if part.generated == "derived":
            continue
        empty = left_null(part, inner) and not named
        value = None if empty else make(part, inner, refer)
        if value is not None:
            near[part.name] = value
        elif part.required and part.nullable:
            near[part.name] = None
    return {part.name: near[part.name] for part in column.properties if part.name in near}


def _scalar(column: Column, scene: Scene, taken: Collection[Json]) -> Json:
    value: Json = None
    free = [word for word in column.words if word not in taken]
    if free:
        return scene.rng.choice(free)
    if column.type == "boolean" and says_done(column) and any(map(is_status, scene.columns)):
        fitting = [v for v in (True, False) if agrees(column, v, scene.columns, scene.near)]
        if len(fitting) == 1 and fitting[0] not in taken:
            return fitting[0]
    for tried in range(_TRIES):
        fresh = scene if tried == 0 else replace(scene)
        value = _sized(column, invent(column, fresh))
        if value not in taken and _fits(column, value):
            return value
    return _varied(column, value, scene, taken)


def _fits(column: Column, value: Json) -> bool:
    if not isinstance(value, str):
        return True
    return (column.min_length or 0) <= len(value) and (
        column.max_length is None or len(value) <= column.max_length
    )


def _sized(column: Column, value: Json) -> Json:
    """A text cut at a word where it is too long, drawn out where it is too short."""
    if not isinstance(value, str):
        return value
    if column.max_length is not None and len(value) > column.max_length:
        cut = value[: column.max_length + 1]
        value = (cut.rsplit(" ", 1)[0] if " " in cut else cut)[: column.max_length].rstrip(" ,.:;")
    short = (column.min_length or 0) - len(value)
    if short > 0:
        value = f"{value} {'and so on ' * (short // 10 + 1)}".strip()
        value = value[: max(column.min_length or 0, len(value) if column.max_length is None else
                            column.max_length)]  # fmt: skip
    return value


def _varied(column: Column, value: Json, scene: Scene, taken: Collection[Json]) -> Json:
    """A neighbour of `value` that is not taken; `value` itself where limits leave none."""
    for step in range(1, 400):
        other: Json = value
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            for near in (value + step, value - step):
                if (column.minimum is None or near >= column.minimum) and (
                    column.maximum is None or near <= column.maximum
                ):
                    other = round(near, 2)
                    if other not in taken:
                        return other
            continue
        moment = moment_in(value)
        if isinstance(value, str) and moment is not None:
            other = written(
                moment + timedelta(days=step), "date" if len(value) == 10 else "date-time"
            )
        elif isinstance(value, str):
            name, at, host = value.partition("@")
            room = None if column.max_length is None else column.max_length - len(f"{at}{host}")
            kind = meaning(column, scene.noun)
            joined = bool(at) or kind in ("username", "token", "code", "hash", "url", "path")
            where = SPOTS[(step - 1) % len(SPOTS)].city
            named = kind in ("name", "thing", "field") and step <= len(SPOTS) and "." not in value
            end = (
                f", {where}"
                if named and value[:1].isupper() and value != value.upper()
                else f"{'' if joined else _joint(value)}{step + 1}"
            )
            stem = name if room is None else name[: max(0, room - len(end))]
            other = f"{stem}{end}{at}{host}"
        if other not in taken and _fits(column, other):
            return other
    return value


def _joint(text: str) -> str:
    """What stands before a number at the end of a name, in its way of writing."""
    if " " in text:
        return " "
    return "_" if "_" in text else "-" if text == text.lower() else " "
