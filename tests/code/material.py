"""Tools that programs call, and what a program was answered."""

from typing import Any, Final

from tests.support.projects import Json

ORDER: Final = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "total": {"type": "number"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["id", "state", "total"],
    "additionalProperties": False,
}
ORDERS: Final = {"type": "array", "items": {"$ref": "#/$defs/Order"}}
ORDER_TAGS: Final = {"type": "array", "items": {"type": "string"}}
LINES: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["sku"],
        "additionalProperties": False,
    },
}


def tool(effect: str = "read", **fields: Any) -> Json:
    return {"category": "all", "effect": effect, "summary": "One", **fields}


def required(kind: str, **more: Any) -> Json:
    return {"type": kind, "required": True, **more}


TOOLS: Final = {
    "find_orders": tool(
        summary="Find orders.",
        parameters={
            "state": {"type": "string", "enum": ["open", "closed"]},
            "limit": {"type": "integer", "default": 20, "minimum": 1},
        },
        returns=ORDERS,
    ),
    "get-order": tool(
        summary="One order.",
        parameters={"order-id": required("string"), "from": {"type": "string"}},
        returns={"$ref": "#/$defs/Order"},
        errors={"not_found": "No order has this id"},
    ),
    "add_order": tool(
        "write",
        summary="Add an order.",
        parameters={"lines": LINES | {"required": True}, "note": {"type": "string"}},
        returns={"$ref": "#/$defs/Order"},
    ),
    "price": tool(
        parameters={"lines": LINES | {"required": True}, "ship_to": {"$ref": "#/$defs/Address"}},
        returns={"type": "number"},
    ),
    "label": tool(
        parameters={
            "numbers": {"type": "array", "items": {"type": "number"}},
            "states": {"type": "array", "items": {"enum": ["open", "closed"]}},
            "tags": {"type": "object", "additionalProperties": ORDER_TAGS},
            "since": {"type": "string", "format": "date"},
            "address": {"$ref": "#/$defs/Address"},
        },
        returns={"type": "integer"},
    ),
    "cancel_order": tool(
        "destructive",
        title="Cancel an order",
        confirm="require",
        parameters={"id": required("string")},
        returns={"type": "string"},
    ),
    "erase_order": tool(
        "destructive",
        title="Erase an order",
        confirm="ask",
        parameters={"id": required("string")},
        returns={"type": "string"},
    ),
    "name_order": tool("write", parameters={"id": required("string")}, returns={"type": "string"}),
    "wait": tool(
        parameters={"seconds": required("number")}, timeout=600, returns={"type": "string"}
    ),
    "fails": tool(),
    "cancels": tool(),
    "fails_in_half": tool(errors={"odd": "It is odd"}),
    "breaks_its_promise": tool(returns={"type": "integer"}),
    "mine": tool(cache={"ttl": 60}, parameters={"n": required("integer")}),
    "payroll": tool(scopes=["payroll:read"], returns={"type": "string"}),
    "echo": tool(parameters={"value": {}}, returns={}),
    "many": tool(parameters={"count": required("integer")}, returns={"type": "array"}),
    "picture": tool(content="image"),
    "list": tool(returns={"type": "integer"}),
    "made": tool(parameters={"of": required("string")}, returns={"type": "integer"}),
    "cut_short": tool(returns={"type": "integer"}),
}
ADDRESS: Final = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zip-code": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
MANIFEST: Final[Json] = {
    "disclosure": {"exposure": "progressive", "code": "write"},
    "execution": {"code": {"seconds": 5, "calls": 50, "output": 800}},
    "$defs": {"Order": ORDER, "Address": ADDRESS},
}
IMPLEMENTATION: Final = """
import asyncio, base64
from collections import Counter

from toolfold_runtime import Image, ToolError, ask, caller

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ORDERS = [
    {"id": f"A-{n}", "state": "open" if n % 2 else "closed", "total": n * 1.5} for n in range(40)
]


class Tools:
    def __init__(self):
        self.made_of = Counter()
        self.cut = 0

    def find_orders(self, params):
        self.made_of["find_orders"] += 1
        wanted = [own for own in ORDERS if params.state in (None, own["state"])]
        return wanted[: params.limit]

    def get_order(self, params):
        self.made_of["get_order"] += 1
        for own in ORDERS:
            if own["id"] == params.order_id:
                return own
        raise ToolError("not_found", "no order has this id.")

    def add_order(self, params):
        self.made_of["add_order"] += 1
        return {"id": "A-40", "state": "open", "total": float(len(params.lines)), "note": params.note}

    def price(self, params):
        return float(sum(line.count or 1 for line in params.lines))

    def label(self, params):
        return len(params.model_fields_set)

    def cancel_order(self, params):
        self.made_of[f"cancel {params.id}"] += 1
        return f"cancelled {params.id}"

    def erase_order(self, params):
        self.made_of[f"erase {params.id}"] += 1
        return f"erased {params.id}"

    async def name_order(self, params):
        self.made_of[f"name {params.id}"] += 1
        said = await ask(f"What shall {params.id} be called?", NAME, name="name")
        return f"{params.id} is {said['name']}" if said else "no name"

    async def wait(self, params):
        self.made_of["wait"] += 1
        try:
            await asyncio.sleep(params.seconds)
        except asyncio.CancelledError:
            self.cut += 1
            raise
        return "waited"

    def fails(self, params):
        raise OSError("/home/me/secret")

    async def cancels(self, params):
        raise asyncio.CancelledError

    def fails_in_half(self, params):
        raise ToolError("odd", "half a \\ud800")

    def breaks_its_promise(self, params):
        return "seven"

    def mine(self, params):
        self.made_of["mine"] += 1
        return {"subject": caller().subject, "count": self.made_of["mine"]}

    def payroll(self, params):
        return "a secret"

    def echo(self, params):
        return params.value

    def many(self, params):
        return [f"item {n}" for n in range(params.count)]

    def picture(self, params):
        return Image(PIXEL, "image/png")

    def list(self, params):
        return 7

    def made(self, params):
        return self.made_of[params.of]

    def cut_short(self, params):
        return self.cut
"""
