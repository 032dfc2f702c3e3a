"""The mistakes that a new author makes: each is answered with its place, the fact and a way out."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.commands import toolfold, toolfold_process

MANIFEST: Final = """\
toolfold: 1
server: {name: shop, version: "1", implementation: "implementation:Shop"}
categories:
  orders: {title: Orders, description: What was bought}
tools:
  get_order:
    category: orders
    effect: read
    summary: Get an order
    example: what was in my first order
    parameters:
      id: {type: integer, required: true}
      since: {type: string, format: date}
    returns:
      type: object
      properties: {total: {type: number}}
      required: [total]
    examples:
      - {description: The first, arguments: {id: 1, since: "2024-05-01"}}
"""
CLASS: Final = """\
from shop_mcp.handlers import Handlers
from shop_mcp.models.get_order import GetOrderParams, GetOrderResult


class Shop(Handlers):
    def get_order(self, params: GetOrderParams) -> GetOrderResult:
        return GetOrderResult(total=9.5)
"""
SECOND: Final = "  drop_order: {category: orders, effect: write, summary: Drop an order}\n"


@pytest.fixture(scope="module")
def generated_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "implementation.py").write_text(CLASS, encoding="utf-8")
    done = toolfold(folder, "generate", "-q")
    assert (done.code, done.text) == (0, "")
    return folder


@pytest.fixture
def shop(generated_shop: Path, tmp_path: Path) -> Path:
    """A small project without a mistake."""
    folder = tmp_path / "shop"
    shutil.copytree(generated_shop, folder)
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems(folder: Path) -> list[dict[str, Any]]:
    """What `check` finds, after `generate` where the manifest is accepted."""
    toolfold(folder, "generate", "-q")
    done = toolfold(folder, "check", "--format", "json")
    assert done.code == 1, done.text
    records: list[dict[str, Any]] = json.loads(done.out)
    return records


def place_of(problem: dict[str, Any]) -> str:
    return f"{problem['file']}:{problem['line']}:{problem['column']}"


@pytest.mark.parametrize(
    ("old", "new", "place", "fact", "way_out"),
    [
        pytest.param(
            "example: what", "exmaple: what",
            "tools.yaml:10:5", 'unknown key "exmaple"', 'did you mean "example"?',
            id="misspelt key",
        ),
        pytest.param(
            "summary: Get", "sumary: Get",
            "tools.yaml:9:5", 'unknown key "sumary"', 'did you mean "summary"?',
            id="misspelt key that is required",
        ),
        pytest.param(
            "type: integer", "type: int",
            "tools.yaml:12:18", 'unknown type "int"', 'did you mean "integer"?',
            id="wrong type word",
        ),
        pytest.param(
            "    category: orders\n", "",
            "tools.yaml:6:3", 'missing key "category"', "One of the names under `categories:`",
            id="no category",
        ),
        pytest.param(
            "category: orders", "category: order",
            "tools.yaml:7:15", 'unknown category "order"', 'did you mean "orders"?',
            id="unknown category",
        ),
        pytest.param(
            "    summary:", "   summary:",
            "tools.yaml:9:4", "not YAML", "check the quotes and the indentation here",
            id="bad indentation",
        ),
        pytest.param(
            "tools:\n", "tools:\n  get_order: {category: orders, effect: read, summary: Again}\n",
            "tools.yaml:7:3", 'duplicate key "get_order"', "first on line 6",
            id="duplicate tool",
        ),
        pytest.param(
            "arguments: {id: 1", "arguments: {id: one",
            "tools.yaml:19:50", '"one" is not of type "integer"', "change the value, or the schema that it breaks",
            id="wrong example",
        ),
        pytest.param(
            "2024-05-01", "2024-13-01",
            "tools.yaml:19:60", '"2024-13-01" is not a date', "change the value, or the schema that it breaks",
            id="wrong date in an example",
        ),
    ],
)  # fmt: skip
def test_a_mistake_in_the_manifest(
    shop: Path, old: str, new: str, place: str, fact: str, way_out: str
) -> None:
    edit(shop / "tools.yaml", old, new)

    (problem,) = problems(shop)

    assert place_of(problem) == place
    assert fact in problem["fact"]
    assert way_out in problem["hint"]


def test_a_missing_method(shop: Path) -> None:
    edit(shop / "tools.yaml", "tools:\n", f"tools:\n{SECOND}")

    (problem,) = problems(shop)

    assert place_of(problem) == "implementation.py:5:1"
    assert problem["fact"] == 'no method "drop_order" for the tool "drop_order"'
    assert "def drop_order(self, params: DropOrderParams) -> Anything:" in problem["hint"]


def test_a_wrong_signature(shop: Path) -> None:
    edit(shop / "implementation.py", "params: GetOrderParams", "id: int, since: str | None")

    (problem,) = problems(shop)

    assert place_of(problem) == "implementation.py:6:5"
    assert problem["fact"].startswith('needs 2 parameters ("id", "since"); the server passes one')
    assert problem["hint"] == (
        "write `def get_order(self, params: GetOrderParams) -> GetOrderResult:`"
    )


def test_a_renamed_tool(shop: Path) -> None:
    edit(shop / "tools.yaml", "  get_order:", "  read_order:")

    import_, method = problems(shop)

    assert place_of(import_) == "implementation.py:2:1"
    assert import_["fact"] == 'no module "shop_mcp.models.get_order" is generated'
    assert import_["hint"] == (
        "write `from shop_mcp.models.read_order import ReadOrderParams, ReadOrderResult`"
    )
    assert place_of(method) == "implementation.py:6:5"
    assert method["fact"] == 'belongs to no tool, while a tool has no method "read_order"'
    new = "def read_order(self, params: ReadOrderParams) -> ReadOrderResult:"
    assert f"`def get_order` → `{new}`" in method["hint"]
    assert "`aliases: [get_order]` under the tool" in method["hint"]


def test_output_that_was_edited_by_hand(shop: Path) -> None:
    edit(shop / "generated" / "shop_mcp" / "models" / "get_order.py", "total: float", "total: int")

    checked = toolfold(shop, "check")
    mended = toolfold(shop, "generate")

    assert checked.code == 1
    assert checked.out == "generated/shop_mcp/models/get_order.py: out of date (+1 -1)\n"
    assert checked.err == "run `toolfold generate` and commit the result\n"
    assert (mended.code, mended.out.splitlines()[0].split(",")[0]) == (0, "generated/: 1 written")


def test_a_wrong_result(shop: Path) -> None:
    edit(shop / "implementation.py", "return GetOrderResult(total=9.5)", 'return {"total": "nine"}')

    said = toolfold_process(shop, "try", "get_order", '{"id": 1}')

    assert said.code == 1
    assert said.out.startswith("invalid_result: get_order ")
    assert "tool=get_order at=total" in said.err
    assert "expected number, got string" in said.err
    assert '"nine"' in said.err


def test_a_wrong_date_among_the_arguments(shop: Path) -> None:
    said = toolfold_process(shop, "try", "get_order", '{"id": 1, "since": "2024-13-01"}')

    assert said.code == 1
    assert said.out.startswith("invalid_arguments: ")
    assert 'since: "2024-13-01" is not a date' in said.out
    assert '{"id":1,"since":"2024-05-01"}' in said.out
