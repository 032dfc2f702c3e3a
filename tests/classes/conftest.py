"""A project that is generated once, for classes that are only read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.classes.material import Shop, hide_implementations
from tests.support.commands import toolfold

MANIFEST: Final = """\
toolfold: 1
server: {name: shop, version: "1", package: shop_mcp, implementation: "implementation:Tools"}
categories: {all: {}}
tools:
  find:
    {category: all, effect: read, summary: Find, parameters: {query: {type: string, required: true}},
     returns: {type: object, properties: {count: {type: integer}}, required: [count]}}
  drop:
    {category: all, effect: write, summary: Drop, returns: {type: object, properties: {id: {type: string}}}}
  names: {category: all, effect: read, summary: Names, returns: {type: array, items: {type: string}}}
  ping: {category: all, effect: read, summary: Ping}
"""


@pytest.fixture(scope="session")
def generated_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    assert toolfold(folder, "generate", "-q").code == 0
    return folder


@pytest.fixture
def shop(generated_shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """The project without any code of its author's."""
    hide_implementations(monkeypatch)
    yield Shop(generated_shop)
    for path in generated_shop.glob("*.py"):
        path.unlink()
