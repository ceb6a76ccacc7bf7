"""A made-up shop of any size, to measure on: users, products with their items, and orders.

At `scale` 1 it holds what τ-bench's retail domain holds: 1,000 orders of three items on average,
500 users, 50 products with some 600 items; and 100 deliveries, as an example of plain flat records.
Nothing in it is from there. The same scale gives the same environment, always.
"""

import random

from forge.types.environment import Environment, Tool
from forge.types.state import Column, State, StateSchema, Table

NOW = "2026-03-02T09:00:00Z"
BASE = "shop"

ADDRESS = tuple(Column(name=name) for name in ("street", "flat", "city", "state", "zip", "country"))

SCHEMA = StateSchema(
    actors="users",
    tables=(
        Table(
            name="users",
            noun="user",
            key=("user_id",),
            label="name",
            columns=(
                Column(name="user_id", generated="id", prefix="usr_"),
                Column(name="name", required=True),
                Column(name="email", format="email"),
                Column(name="address", type="object", properties=ADDRESS),
            ),
        ),
        Table(
            name="products",
            noun="product",
            key=("product_id",),
            label="name",
            columns=(
                Column(name="product_id", generated="id", prefix="prd_"),
                Column(name="name", required=True),
            ),
        ),
        Table(
            name="items",
            noun="item",
            key=("item_id",),
            columns=(
                Column(name="item_id", generated="id", prefix="itm_"),
                Column(name="product_id", references="products", required=True),
                Column(name="price", type="number", minimum=0),
                Column(name="available", type="boolean"),
                Column(name="options", type="object", values=Column()),
            ),
        ),
        Table(
            name="orders",
            noun="order",
            key=("order_id",),
            columns=(
                Column(name="order_id", generated="id", prefix="ord_", spoken=True),
                Column(name="user_id", references="users", required=True),
                Column(name="status", enum=("pending", "processed", "delivered", "cancelled")),
                Column(name="address", type="object", properties=ADDRESS),
                Column(
                    name="lines",
                    type="array",
                    items=Column(
                        type="object",
                        properties=(
                            Column(name="name"),
                            Column(name="item_id", references="items"),
                            Column(name="price", type="number"),
                            Column(name="options", type="object", values=Column()),
                        ),
                    ),
                ),
                Column(
                    name="payments",
                    type="array",
                    items=Column(
                        type="object",
                        properties=(
                            Column(name="kind", enum=("payment", "refund")),
                            Column(name="amount", type="number"),
                            Column(name="method"),
                        ),
                    ),
                ),
                Column(name="note"),
            ),
        ),
        Table(
            name="deliveries",
            noun="delivery",
            key=("delivery_id",),
            columns=(
                Column(name="delivery_id", generated="id", prefix="dlv_"),
                Column(name="order_id", references="orders", required=True),
                Column(name="user_id", references="users", required=True),
                Column(name="status", enum=("waiting", "on the way", "arrived")),
                Column(name="carrier"),
                Column(name="due", format="date"),
                Column(name="parcels", type="integer", minimum=1),
                Column(name="signed", type="boolean"),
            ),
        ),
    ),
)

SOURCE = '''
def show_delivery(delivery_id: str, user_id: str) -> dict:
    """Show a delivery to its user: two reads."""
    delivery = get("deliveries", delivery_id)
    user = get("users", user_id)
    if delivery["user_id"] != user["user_id"]:
        fail("forbidden", f"{delivery_id} is not for {user_id}")
    return delivery


def set_carrier(delivery_id: str, carrier: str) -> dict:
    """Give a delivery that has not arrived another carrier: one read, one write."""
    delivery = get("deliveries", delivery_id)
    if delivery["status"] == "arrived":
        fail("conflict", f"delivery {delivery_id} has arrived")
    return update("deliveries", delivery_id, carrier=carrier)


def set_note(order_id: str, note: str) -> dict:
    """Write a note on an order that was not cancelled: one read, one write."""
    order = get("orders", order_id)
    if order["status"] == "cancelled":
        fail("conflict", f"order {order_id} was cancelled")
    return update("orders", order_id, note=note)


def place_order(user_id: str, item_id: str) -> dict:
    """Order one item."""
    item = get("items", item_id)
    line = {"name": "one item", "item_id": item_id, "price": item["price"], "options": {}}
    return insert("orders", user_id=user_id, status="pending", lines=[line], payments=[])
'''


def tool(name: str, *arguments: str) -> Tool:
    return Tool(
        name=name,
        description=name.replace("_", " "),
        kind="write",
        parameters={
            "type": "object",
            "properties": {argument: {"type": "string"} for argument in arguments},
            "required": list(arguments),
            "additionalProperties": False,
        },
    )


def shop(scale: int) -> Environment:
    return Environment(
        name="shop",
        title="Shop",
        state_schema=SCHEMA,
        tools=(
            tool("show_delivery", "delivery_id", "user_id"),
            tool("set_carrier", "delivery_id", "carrier"),
            tool("set_note", "order_id", "note"),
            tool("place_order", "user_id", "item_id"),
        ),
        source=SOURCE,
        bases={BASE: stock(scale)},
        nows={BASE: NOW},
    )


def stock(scale: int) -> State:
    rng = random.Random(scale)
    products = {
        f"prd_{number}": {"product_id": f"prd_{number}", "name": f"Product {number}"}
        for number in range(50 * scale)
    }
    items = {
        f"itm_{number}": {
            "item_id": f"itm_{number}",
            "product_id": f"prd_{number % len(products)}",
            "price": round(rng.uniform(5, 500), 2),
            "available": rng.random() < 0.8,
            "options": {name: rng.choice("abcdef") for name in ("colour", "size", "material")},
        }
        for number in range(600 * scale)
    }
    users = {
        f"usr_{number}": {
            "user_id": f"usr_{number}",
            "name": f"User {number}",
            "email": f"user{number}@example.com",
            "address": address(rng),
        }
        for number in range(500 * scale)
    }
    orders = {
        f"ord_{number}": order(number, rng, list(items.values()), f"usr_{number % len(users)}")
        for number in range(1000 * scale)
    }
    deliveries = {
        f"dlv_{number}": {
            "delivery_id": f"dlv_{number}",
            "order_id": f"ord_{number}",
            "user_id": orders[f"ord_{number}"]["user_id"],
            "status": "waiting",
            "carrier": "Swift",
            "due": "2026-03-09",
            "parcels": 1 + number % 3,
            "signed": False,
        }
        for number in range(100 * scale)
    }
    return {
        "users": users,
        "products": products,
        "items": items,
        "orders": orders,
        "deliveries": deliveries,
    }


def address(rng: random.Random) -> dict:
    return {
        "street": f"{rng.randrange(1, 999)} Station Road",
        "flat": f"Flat {rng.randrange(1, 99)}",
        "city": rng.choice(("Leeds", "York", "Hull")),
        "state": "Yorkshire",
        "zip": str(rng.randrange(10_000, 99_999)),
        "country": "UK",
    }


def order(number: int, rng: random.Random, items: list[dict], user: str) -> dict:
    chosen = rng.sample(items, rng.randrange(1, 6))
    return {
        "order_id": f"ord_{number}",
        "user_id": user,
        "status": rng.choice(("pending", "processed", "delivered")),
        "address": address(rng),
        "lines": [
            {
                "name": f"Product {item['product_id'][4:]}",
                **{name: item[name] for name in ("item_id", "price", "options")},
            }
            for item in chosen
        ],
        "payments": [
            {
                "kind": "payment",
                "amount": round(sum(item["price"] for item in chosen), 2),
                "method": "card",
            }
        ],
        "note": None,
    }
