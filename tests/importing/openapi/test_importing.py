"""`toolfold import openapi`: files written, declared, imported again, compared, curated."""

import json
import sys
from pathlib import Path
from typing import Final

import pytest
import yaml
from toolfold.manifest.load import load

from tests.importing.openapi.answering import Answer, answering
from tests.importing.openapi.material import (
    ID,
    document,
    import_openapi,
    imported,
    write,
)
from tests.support.commands import python, toolfold
from tests.support.projects import Json, snapshot

ORDER: Final[Json] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "parts": {"$ref": "#/components/schemas/Orders"}},
}
SHOP: Final[Json] = document(
    {
        "/orders": {
            "get": {
                "operationId": "listOrders",
                "tags": ["orders"],
                "summary": "List orders",
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "cursor", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Orders"}}
                        }
                    }
                },
            },
            "post": {
                "operationId": "createOrder",
                "tags": ["orders"],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    },
                },
            },
        },
        "/customers/{id}": {
            "parameters": [ID],
            "delete": {"operationId": "deleteCustomer", "tags": ["customers"]},
        },
    },
    servers=[{"url": "https://shop.example.com/v1"}],
    components={
        "schemas": {"Order": ORDER, "Orders": {"type": "array", "items": ORDER}},
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
)


def test_a_document_becomes_a_file_that_is_declared_and_included(tmp_path: Path) -> None:
    done = imported(tmp_path, SHOP)

    assert (
        done.out == "servers/shop.yaml: written: 3 tools\ntools.yaml: added to: include, servers\n"
    )
    assert "notice: shop: export SHOP_TOKEN: a token\n" in done.err
    declared = yaml.safe_load((tmp_path / "tools.yaml").read_text(encoding="utf-8"))
    assert declared["include"] == ["servers/*.yaml"]
    assert declared["servers"] == {
        "shop": {
            "openapi": "shop.json",
            "url": "https://shop.example.com/v1",
            "auth": {"bearer": "${SHOP_TOKEN}"},
        }
    }
    tools = load(tmp_path / "tools.yaml").manifest.tools
    assert {name: (tool.id, tool.category, tool.effect) for name, tool in tools.items()} == {
        "shop_list_orders": ("shop::listOrders", "shop-orders", "read"),
        "shop_create_order": ("shop::createOrder", "shop-orders", "write"),
        "shop_delete_customer": ("shop::deleteCustomer", "shop-customers", "destructive"),
    }


def test_what_is_imported_is_generated_without_models_and_listed(tmp_path: Path) -> None:
    imported(tmp_path, SHOP)
    done = toolfold(tmp_path, "generate")

    assert done.code == 0, done.text
    package = next(tmp_path.glob("generated/*_mcp"))
    assert [path.name for path in (package / "models").iterdir()] == ["__init__.py"]
    program = f"import {package.name}.server, {package.name}.handlers"
    assert python(tmp_path / "generated", "-c", program).code == 0
    assert toolfold(tmp_path, "check").code == 0


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    imported(tmp_path, SHOP)
    before = snapshot(tmp_path)

    assert imported(tmp_path, SHOP).out == "servers/shop.yaml: unchanged: 3 tools\n"
    assert import_openapi(tmp_path).out == "servers/shop.yaml: unchanged: 3 tools\n"
    assert snapshot(tmp_path) == before


def test_a_changed_document_is_told_by_what_changed(tmp_path: Path) -> None:
    imported(tmp_path, SHOP)
    changed = json.loads(json.dumps(SHOP))
    changed["paths"]["/orders"]["get"]["parameters"][0]["schema"]["maximum"] = 50
    changed["components"]["schemas"]["Order"]["properties"]["note"] = {"type": "string"}
    del changed["paths"]["/customers/{id}"]

    done = imported(tmp_path, changed)

    assert done.out.splitlines() == [
        "servers/shop.yaml: 3 changed, 1 removed; 2 tools in all",
        "  - deleteCustomer",
        "  ~ listOrders",
        "      inputSchema.properties.limit.maximum: added 50",
        "  ~ createOrder",
        '      inputSchema.properties.note: added {"type":"string"}',
        "  ~ $defs shop_Order",
        '      inputSchema.properties.note: added {"type":"string"}',
    ]


def test_names_stay_when_the_document_grows(tmp_path: Path) -> None:
    given = document({"/a": {"get": {"operationId": "get-thing"}}})
    imported(tmp_path, given)
    given["paths"] = {"/b": {"get": {"operationId": "getThing"}}, **given["paths"]}
    imported(tmp_path, given)

    tools = load(tmp_path / "tools.yaml").manifest.tools
    by_id = {tool.id: name for name, tool in tools.items()}

    assert by_id["shop::get-thing"] == "shop_get_thing"
    assert by_id["shop::getThing"].startswith("shop_get_thing_")


def test_an_overlay_survives_and_decides_what_agents_see(tmp_path: Path) -> None:
    imported(tmp_path, SHOP, "--curate")
    overlay = tmp_path / "curation" / "shop.yaml"
    text = "tools:\n  shop_list_orders: {summary: Find orders, tier: hot}\n"
    overlay.write_text(text, encoding="utf-8")

    imported(tmp_path, SHOP, "--curate")

    assert overlay.read_text(encoding="utf-8") == text
    tool = load(tmp_path / "tools.yaml").manifest.tools["shop_list_orders"]
    assert (tool.summary, tool.tier) == ("Find orders", "hot")


def test_what_is_chosen_is_declared_and_chosen_again(tmp_path: Path) -> None:
    imported(tmp_path, SHOP, "--include", "orders", "/customers", "--exclude", "/orders")
    imported(tmp_path, SHOP, "--name", "some", "--include", "orders")

    assert import_openapi(tmp_path).out.splitlines() == [
        "servers/shop.yaml: unchanged: 1 tool",
        "servers/some.yaml: unchanged: 2 tools",
    ]


def test_what_is_chosen_is_changed_in_the_manifest_only(tmp_path: Path) -> None:
    imported(tmp_path, SHOP, "--include", "orders")
    done = import_openapi(tmp_path, "shop.json", "--include", "customers")

    assert done.code == 2
    assert "change `include:` and `exclude:` there" in done.err


REFUSED: Final = {
    "a tag that no operation has": (("--include", "order"), "tags are: orders"),
    "everything": (("--exclude", "/*"), "everything that is included is excluded again"),
    "a name that is none": (("--name", "a b"), "letters, digits"),
    "an address that is none": (("--url", "ftp://example.com"), "no manifest can declare it: url"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_carried_out_is_refused_and_nothing_is_written(
    case: str, tmp_path: Path
) -> None:
    options, message = REFUSED[case]
    write(tmp_path, SHOP)
    before = snapshot(tmp_path)
    done = import_openapi(tmp_path, "shop.json", *options)

    assert (done.code, message in done.err) == (2, True), done.text
    assert snapshot(tmp_path) == before


def test_a_file_that_is_somebody_elses_is_kept(tmp_path: Path) -> None:
    (tmp_path / "servers").mkdir()
    mine = tmp_path / "servers" / "shop.yaml"
    mine.write_text("tools: {}\n", encoding="utf-8")
    done = import_openapi(tmp_path, write(tmp_path, SHOP))

    assert done.code == 2
    assert "servers/shop.yaml: not imported by toolfold, so it is kept; move it away" in done.err
    assert mine.read_text(encoding="utf-8") == "tools: {}\n"


def test_another_place_is_found_again(tmp_path: Path) -> None:
    imported(tmp_path, SHOP, "-o", "apis/the_shop.yaml")

    assert load(tmp_path / "tools.yaml").manifest.include == ["apis/*.yaml"]
    assert import_openapi(tmp_path).out == "apis/the_shop.yaml: unchanged: 3 tools\n"


def test_a_document_is_fetched_from_an_address(tmp_path: Path) -> None:
    with answering({"/shop.json": Answer(json.dumps(SHOP).encode())}) as address:
        source = f"{address}/shop.json"
        done = import_openapi(tmp_path, source)

    assert done.code == 0, done.text
    assert load(tmp_path / "tools.yaml").manifest.servers["shop"].openapi == source


def test_check_live_tells_what_the_document_says_now(tmp_path: Path) -> None:
    imported(tmp_path, SHOP)
    toolfold(tmp_path, "generate")
    assert toolfold(tmp_path, "check", "--live").code == 0

    changed = json.loads(json.dumps(SHOP))
    del changed["paths"]["/customers/{id}"]
    write(tmp_path, changed)
    done = toolfold(tmp_path, "check", "--live")

    assert done.code == 1
    assert "servers.shop: not what was imported any more" in done.err
    assert "- deleteCustomer" in done.out
    assert "1 removed" in toolfold(tmp_path, "servers").out


def test_two_interpreters_write_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        write(folder, SHOP)
        program = (
            "import sys; from toolfold.cli.main import main;"
            "sys.exit(main(['import', 'openapi', 'shop.json']))"
        )
        done = python(folder, "-c", program, environment={"PYTHONHASHSEED": seed})
        assert done.code == 0, done.text
        texts.append((folder / "servers" / "shop.yaml").read_bytes())

    assert texts[0] == texts[1]
    assert sys.executable not in texts[0].decode()
