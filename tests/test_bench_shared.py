"""Data that many episodes share: each sees its own changes, at the cost of what it touched."""

import copy
import json
from random import Random
from typing import Any

from forge.bench.shared import Changes, Shared

LOADED = {
    "users": {"u1": {"name": "Ann", "cards": [{"id": "c1", "amount": 5}]}, "u2": {"name": "Bo"}},
    "orders": {"o1": {"items": ["a", "b"], "by": "u1"}, "o2": {"items": [], "by": "u2"}},
}


def shared() -> Shared:
    return Shared(copy.deepcopy(LOADED))


def test_what_is_read_is_what_was_loaded():
    data = shared().data
    assert data == LOADED
    assert json.dumps(data) == json.dumps(LOADED)
    assert isinstance(data["users"], dict) and isinstance(data["orders"]["o1"]["items"], list)


def test_fresh_data_have_no_changes():
    book = shared()
    book.data["users"]["u1"]["cards"][0]["amount"] -= 5
    del book.data["orders"]["o1"]
    book.data["orders"]["o3"] = {"items": []}
    assert book.fresh() == LOADED


def test_the_order_of_names_is_put_back_too():
    book = shared()
    book.data["users"]["u1"] = book.data["users"].pop("u1")
    assert list(book.data["users"]) == ["u2", "u1"]
    assert list(book.fresh()["users"]) == ["u1", "u2"]


def test_two_episodes_see_each_their_own_changes():
    book = shared()
    one: Changes = {}
    other: Changes = {}
    with book.entered(one):
        book.data["users"]["u3"] = {"name": "Cy"}
    with book.entered(other):
        assert "u3" not in book.data["users"]
        book.data["users"]["u1"]["name"] = "Anna"
    with book.entered(one):
        assert book.data["users"]["u1"]["name"] == "Ann"
        book.data["users"]["u3"]["name"] += "!"
    with book.entered(one):
        assert book.data["users"]["u3"] == {"name": "Cy!"}
    assert book.data == LOADED


def test_copies_are_plain_and_change_nothing():
    book = shared()
    copied, deep = book.data["users"].copy(), copy.deepcopy(book.data)
    copied.clear()
    deep["users"]["u1"]["cards"].append(1)
    assert book.data == LOADED
    assert type(deep["users"]) is dict and type(copy.copy(book.data["users"])) is dict


def plain(item: Any) -> Any:
    if isinstance(item, dict):
        return tuple((name, plain(item[name])) for name in sorted(item))
    return tuple(plain(each) for each in item) if isinstance(item, list) else item


def test_what_is_written_is_what_would_be_written_of_plain_data_whatever_is_done_to_them():
    """Random changes, in episodes that take turns, beside the same on plain copies."""
    draw = Random(5)
    book = shared()

    def write(item: Any) -> Any:
        if isinstance(item, dict):
            return tuple((name, written(item[name])) for name in sorted(item))
        return tuple(written(each) for each in item) if isinstance(item, list) else item

    def written(item: Any) -> Any:
        return book.written(item, write) if isinstance(item, dict | list) else item

    def change(data: Any, seed: int) -> None:
        choice = Random(seed)
        table = data[choice.choice(sorted(data))]
        match choice.randrange(7):
            case 0:
                table[f"n{seed}"] = {"items": [seed]}
            case 1 if table:
                del table[choice.choice(sorted(table))]
            case 2 if table:
                table[choice.choice(sorted(table))].update(name=seed, items=[1])
            case 3 if table:
                table[choice.choice(sorted(table))].setdefault("items", []).append(seed)
            case 4 if table:
                items = table[choice.choice(sorted(table))].setdefault("items", [])
                items.extend([3, 1])
                items.sort(key=str)
                items.reverse()
            case 5 if table:
                record = table[choice.choice(sorted(table))]
                record |= {"x": 1}
                record.setdefault("items", []).insert(0, "z")
                record["items"] += ["y"]
            case _ if table:
                table[choice.choice(sorted(table))].pop("name", None)

    episodes: list[tuple[Changes, Any]] = [({}, copy.deepcopy(LOADED)) for _ in range(4)]
    for seed in range(400):
        changes, data = draw.choice(episodes)
        with book.entered(changes):
            change(book.data, seed)
            change(data, seed)
            assert book.data == data
            assert str(written(book.data)) == str(plain(data))
    assert str(written(book.fresh())) == str(plain(LOADED))
