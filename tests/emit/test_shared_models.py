"""One class per definition: shared by every tool, imported on demand, with values of its own types."""

import ast
import datetime as dt
import importlib
from collections import Counter
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, Final
from uuid import UUID

import pytest
from toolfold.compile import compile_manifest
from toolfold.errors import ManifestError
from toolfold_runtime import ToolError

from tests.running.material import Json, Served, tool
from tests.support.checker import strictly_checked
from tests.support.commands import python
from tests.support.projects import write_manifest

DEFINITIONS: Final[dict[str, Json]] = {
    "Status": {"type": "string", "enum": ["open", "paid"]},
    "Money": {
        "type": "object",
        "properties": {"amount": {"type": "number"}, "currency": {"default": "EUR"}},
        "required": ["amount"],
    },
    "Address": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
        "required": ["city"],
    },
    "Product": {
        "type": "object",
        "properties": {
            "sku": {"type": "string"},
            "price": {"$ref": "#/$defs/Money"},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Product"}},
        },
        "required": ["sku"],
    },
    "Line": {"type": "object", "properties": {"product": {"$ref": "#/$defs/Product"}}},
    "Customer": {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "date": {"type": "string", "format": "date"},
            "nick": {"type": ["string", "null"]},
            "address": {"$ref": "#/$defs/Address"},
            "orders": {"type": "array", "items": {"$ref": "#/$defs/Order"}},
        },
    },
    "Order": {
        "type": "object",
        "properties": {
            "placed": {"type": "string", "format": "date-time"},
            "customer": {"$ref": "#/$defs/Customer"},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
            "payment": {"$ref": "#/$defs/Payment"},
            "photo": {"type": "string", "contentEncoding": "base64"},
        },
    },
    "Card": {
        "type": "object",
        "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
        "required": ["kind"],
    },
    "Invoice": {
        "type": "object",
        "properties": {"kind": {"const": "invoice"}, "due": {"type": "string", "format": "date"}},
        "required": ["kind"],
    },
    "Payment": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Invoice"}]},
    "Tree": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Tree"}}]},
    "Page": {
        "type": "object",
        "properties": {"orders": {"type": "array", "items": {"$ref": "#/$defs/Order"}}},
    },
}


def _parameters(number: int) -> Json:
    names = list(DEFINITIONS)
    first, second = names[number % 12], names[(number * 5 + 1) % 12]
    return {
        "single": {"$ref": f"#/$defs/{first}"},
        "several": {"type": "array", "items": {"$ref": f"#/$defs/{second}"}},
        "either": {"anyOf": [{"$ref": f"#/$defs/{second}"}, {"type": "null"}]},
        "box": {"type": "object", "properties": {"w": {"$ref": f"#/$defs/{first}"}}},
    }


TOOLS: Final = {
    f"tool_{number}": tool(
        parameters=_parameters(number),
        returns={"$ref": f"#/$defs/{list(DEFINITIONS)[number % 12]}"},
    )
    for number in range(28)
} | {
    "echo": tool(
        parameters={
            "order": {"$ref": "#/$defs/Order", "default": {"lines": [{"product": {"sku": "a"}}]}},
            "status": {
                "type": "array",
                "items": {"$ref": "#/$defs/Status"},
                "default": ["open"],
            },
            "day": {"type": "string", "format": "date", "default": "2020-01-02"},
            "at": {"type": "string", "format": "date-time", "default": "2020-01-02T03:04:05+02:00"},
            "id": {"type": "string", "format": "uuid", "default": str(UUID(int=7))},
            "data": {"type": "string", "contentEncoding": "base64", "default": "AP8="},
            "tree": {"$ref": "#/$defs/Tree"},
            "query": {"type": "string"},
        },
        returns={"$ref": "#/$defs/Order"},
    ),
    "list": tool(returns={"type": "array", "items": {"$ref": "#/$defs/Customer"}}),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("shop"), TOOLS, **{"$defs": DEFINITIONS})


def models(shop: Served, name: str) -> ModuleType:
    return importlib.import_module(f"{shop.project.package}.models.{name}")


def compiled(folder: Path, tools: dict[str, Json], definitions: Json, **server: Any) -> Json:
    manifest = {
        "toolfold": 1,
        "server": {"name": "shop", "version": "1", **server.pop("server", {})},
        "categories": {"all": {}},
        "tools": tools,
        "$defs": definitions,
        **server,
    }
    files = compile_manifest(write_manifest(folder, manifest)).files
    return {path: text for path, text in files.items() if "/models/" in path}


def test_twelve_definitions_of_thirty_tools_are_twelve_types_and_none_exists_twice(
    tmp_path: Path,
) -> None:
    files = compiled(tmp_path, TOOLS, DEFINITIONS)

    types = Counter(name for text in files.values() for name in _declared(text))
    assert [name for name, count in types.items() if count > 1] == []
    shared = {
        name
        for path, text in files.items()
        if PurePosixPath(path).parent.name == "definitions"
        for name in _declared(text)
    }
    assert shared == set(DEFINITIONS)
    unshared = set(types) - shared
    assert unshared == {
        *(f"Tool{n}Params" for n in range(28)),
        *(f"Tool{n}ParamsBox" for n in range(28)),
        *("EchoParams", "ListParams", "ListResult"),
    }


def _declared(text: str) -> list[str]:
    names = []
    for node in ast.parse(text).body:
        match node:
            case ast.ClassDef(name=name):
                names.append(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]) if name != "__all__":
                names.append(name)
    return names


def test_every_type_has_a_docstring(tmp_path: Path) -> None:
    for path, text in compiled(tmp_path, TOOLS, DEFINITIONS).items():
        module = ast.parse(text)
        assert ast.get_docstring(module), path
        for node, after in zip(module.body, [*module.body[1:], None], strict=True):
            if isinstance(node, ast.ClassDef):
                assert ast.get_docstring(node), f"{path}: {node.name}"
            elif isinstance(node, ast.AnnAssign):
                assert isinstance(after, ast.Expr), f"{path}: {ast.unparse(node)}"


def test_a_member_of_a_cycle_is_imported_from_its_own_module(shop: Served) -> None:
    order = models(shop, "definitions.order").Order
    customer = models(shop, "definitions.customer").Customer

    made = customer(orders=[order(customer=customer(nick="n"))])
    assert made.orders[0].customer.nick == "n"
    assert models(shop, "tool_6").Tool6Params(single=made.orders[0]).single is made.orders[0]


def test_only_the_definitions_that_a_tool_needs_are_imported(shop: Served) -> None:
    package = f"{shop.project.package}.models"
    program = (
        f"import sys, {package}.tool_0; "
        f"print([n for n in sorted(sys.modules) if n.startswith('{package}.definitions.')])"
    )

    done = python(shop.project.folder / "generated", "-c", program)

    assert done.out.strip() == repr([f"{package}.definitions.{n}" for n in ("money", "status")])


def test_an_edit_of_one_definition_leaves_other_modules_alone(tmp_path: Path) -> None:
    before = compiled(tmp_path, TOOLS, DEFINITIONS)
    edited = DEFINITIONS | {
        "Address": {
            "type": "object",
            "properties": {
                "date": {"type": "string", "format": "date"},
                "Field": {"type": "string"},
                "Line": {"type": "object", "properties": {"x": {}}},
            },
        }
    }

    after = compiled(tmp_path, TOOLS, edited)

    changed = [path for path in before | after if before.get(path) != after.get(path)]
    assert changed == ["shop_mcp/models/definitions/address.py"]


def test_defaults_of_every_kind_are_the_models_own(shop: Served) -> None:
    params = models(shop, "echo").EchoParams()

    assert params.status == ["open"]
    assert params.day == dt.date(2020, 1, 2)
    assert params.at == dt.datetime(2020, 1, 2, 1, 4, 5, tzinfo=dt.UTC)
    assert params.id == UUID(int=7)
    assert params.data == b"\x00\xff"
    assert params.order.lines[0].product.sku == "a"
    assert params.query is None
    assert params.model_fields_set == set()
    params.status.append("paid")
    assert models(shop, "echo").EchoParams().status == ["open"]


def test_values_arrive_as_python_types_and_leave_as_their_formats(shop: Served) -> None:
    class Shop:
        def echo(self, params: Any) -> Any:
            order = params.order
            assert order.placed.utcoffset() == dt.timedelta(0)
            assert isinstance(order.customer.id, UUID)
            assert order.customer.date == dt.date(2026, 2, 3)
            assert order.photo == b"\xfb\xff"
            assert params.tree == ["a", ["b"]]
            return order

    customer = {"id": str(UUID(int=1)), "date": "2026-02-03"}
    sent: Json = {
        "placed": "2026-01-02T03:04:05Z",
        "customer": customer,
        "payment": {"kind": "invoice", "due": "2026-03-01"},
        "photo": "+/8=",
    }
    reply = shop.call(Shop(), "echo", {"order": sent, "tree": ["a", ["b"]]})

    assert reply.structured == sent | {"customer": {**customer, "nick": None}}


def test_none_is_sent_only_where_null_is_a_value(shop: Served) -> None:
    customer = models(shop, "definitions.customer").Customer
    made = customer(date=None, nick=None, address=None, orders=[{"placed": None}])

    class Shop:
        def list(self, params: Any) -> Any:
            return [made]

    assert shop.call(Shop(), "list").structured == {"result": [{"nick": None, "orders": [{}]}]}
    assert made.model_dump()["address"] is None  # for authors, a model is Pydantic's as ever


def test_what_was_given_is_told_from_defaults_at_every_depth(shop: Served) -> None:
    class Shop:
        def tool_1(self, params: Any) -> Any:
            return {
                "amount": len(params.single.model_fields_set),
                "currency": params.single.currency,
            }

    reply = shop.call(Shop(), "tool_1", {"single": {"amount": 3}})

    assert reply.structured == {"amount": 1, "currency": "EUR"}


@pytest.mark.parametrize("value", ["2016-12-31T23:59:60Z", "1998-12-31T15:59:60-08:00"])
def test_a_leap_second_is_refused_by_name(value: str, shop: Served) -> None:
    class Shop:
        def echo(self, params: Any) -> Any:
            return params.order

    with pytest.raises(ToolError) as caught:
        shop.call(Shop(), "echo", {"order": {"placed": value}})
    assert caught.value.code == "invalid_arguments"
    assert "order.placed" in caught.value.text
    assert "valid call: echo({" in caught.value.text


def test_a_result_that_is_a_definition_of_an_object_is_not_wrapped(shop: Served) -> None:
    entry = shop.project.catalog.entry("echo")

    assert entry.wraps_result is False
    assert entry.definition.output_schema is not None
    assert entry.definition.output_schema["type"] == "object"
    assert "placed" in entry.definition.output_schema["properties"]
    assert shop.project.catalog.entry("tool_0").wraps_result is True


def test_a_tool_that_another_server_carries_out_has_no_models(tmp_path: Path) -> None:
    tools = {"here": tool(), "there": tool(id="github::there")}
    servers = {"github": {"command": ["gh"]}}

    files = compiled(tmp_path, tools, {}, servers=servers)
    assert "shop_mcp/models/here.py" in files
    assert "shop_mcp/models/there.py" not in files

    files = compiled(tmp_path, tools, {}, servers=servers, server={"models": "all"})
    assert "shop_mcp/models/there.py" in files


@pytest.mark.parametrize(
    ("definitions", "fact"),
    [
        (["user", "User"], "would share the class User"),
        (["User", "USER"], "would share the module user"),
        (["OrderLine", "order_line"], "would share the class OrderLine"),
        (["ListParams"], 'would share the class ListParams with the tool "list"'),
    ],
)
def test_definitions_that_would_share_a_class_are_refused(
    definitions: list[str], fact: str, tmp_path: Path
) -> None:
    with pytest.raises(ManifestError) as caught:
        compiled(tmp_path, {"list": tool()}, {name: {"type": "string"} for name in definitions})

    assert [fact in problem.fact for problem in caught.value.problems] == [True]


@pytest.mark.long
def test_thirty_tools_and_their_definitions_pass_strict_type_checking(shop: Served) -> None:
    done = strictly_checked(shop.project.folder / "generated", shop.project.package)

    assert done.code == 0, done.text
