"""A new value told from the old one: a date put off by a week, a price raised by a tenth."""

from datetime import date, timedelta

from forge.env.conditions import is_number
from forge.tasks.intents.forms import FormError, moved
from forge.tasks.speech.called import bare, is_count, is_unsayable, lies_ahead, sensible_totals
from forge.tasks.speech.lexicon import PRICES
from forge.tasks.wishes.scene import Scene
from forge.types.data import Json
from forge.types.intent import Moved, Plain
from forge.types.state import Column, Table

_DAYS = (1, 2, 3, 5, 7, 10, 14)
_PERCENT = (5, 10, 15, 20, 25)
_AMOUNTS = (1, 2, 3, 5, 10, 20)


def moved_value(table: Table, column: Column, value: Json, scene: Scene) -> Moved | None:
    """How a person would move this value, or None if nobody would."""
    if value is None or column.enum is not None or column.references or is_unsayable(column):
        return None
    if column.format == "date" and lies_ahead(column, table):
        return _days(value, scene)
    if not is_number(value) or value <= 0:
        return None
    is_price = bool(set(bare(column, table).split()) & PRICES)
    if is_price and scene.rng.random() < 0.6:
        return _percent(value, column, scene)
    if is_price or is_count(column, table) or sensible_totals(column, table):
        amount = scene.rng.choice([n for n in _AMOUNTS if n <= max(value, 1)])
        less = amount < value and scene.rng.random() < 0.4
        return Moved(by=Plain(value=amount, fact=""), unit="amount", less=less)
    return None


def _days(value: Json, scene: Scene) -> Moved | None:
    if not isinstance(value, str):
        return None
    by = scene.rng.choice(_DAYS)
    earlier = date.fromisoformat(value) - timedelta(days=by)
    less = earlier.isoformat() > scene.store.today() and scene.rng.random() < 0.3
    return Moved(by=Plain(value=by, fact=""), unit="days", less=less)


def _percent(value: Json, column: Column, scene: Scene) -> Moved | None:
    """By a share that leaves whole cents, and a whole number where the column is one."""
    less = scene.rng.random() < 0.5
    for by in scene.rng.sample(_PERCENT, len(_PERCENT)):
        try:
            new = moved(value, by, "percent", less=less)
        except FormError:
            continue
        if not is_number(new) or not is_number(value):
            continue
        exact = value * (100 - by if less else 100 + by) / 100
        if abs(exact - new) < 1e-9 and (column.type == "number" or new == int(new)):
            return Moved(by=Plain(value=by, fact=""), unit="percent", less=less)
    return None
