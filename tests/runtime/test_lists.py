"""`tools/list`: one page up to a size in bytes, beyond that pages that miss and repeat nothing."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import MCPError
from mcp_types import INVALID_PARAMS
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.jsontext import byte_size
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.serving.paging import page_of
from toolfold_runtime.serving.protocol import build_server

from tests.disclosure.catalogs import Baked, sized
from tests.support.clients import ERAS, Era, connected, listed, pages

META: Final = ["capabilities", "tool_schema"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Baked(tmp_path_factory.mktemp("many"), sized(1, 450)).catalog


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Ten tools of which three fill a page, as far as the catalog knows."""
    catalog = Baked(tmp_path_factory.mktemp("large"), sized(1, 10)).catalog
    (file,) = (catalog.folder / "categories").iterdir()
    text = re.sub(r'"listed_bytes":\d+', '"listed_bytes":2500000', file.read_text("utf-8"))
    file.write_text(text, encoding="utf-8")
    return catalog


def server_of(catalog: Catalog) -> Any:
    executor = Executor(catalog, backend_of(catalog, None))
    return build_server(Dispatcher(catalog, {}, executor, "direct"))


@pytest.mark.parametrize("era", ERAS)
def test_hundreds_of_tools_are_listed_on_one_page(era: Era, many: Catalog) -> None:
    (page,) = pages(server_of(many), era)

    assert [tool.name for tool in page] == [*META, *many.names()]


@pytest.mark.parametrize("era", ERAS)
def test_a_list_beyond_the_limit_comes_in_pages_that_miss_and_repeat_nothing(
    era: Era, large: Catalog
) -> None:
    shown = pages(server_of(large), era)

    assert [len(page) for page in shown] == [len(META) + 3, 3, 3, 1]
    assert [tool.name for page in shown for tool in page] == [*META, *large.names()]


@pytest.mark.parametrize("cursor", ["0", "3", "x", "-1", "999999", "5.0", "²", " 5", "9" * 5000])
def test_a_cursor_that_was_never_given_is_refused_and_breaks_nothing(
    large: Catalog, cursor: str
) -> None:
    async def ask() -> tuple[int, int]:
        async with connected(server_of(large)) as client:
            with pytest.raises(MCPError, match="list again without one") as caught:
                await client.list_tools(cursor=cursor)
            return caught.value.error.code, len((await client.list_tools()).tools)

    assert anyio.run(ask) == (INVALID_PARAMS, 5)


def test_the_size_of_a_listed_tool_is_baked(many: Catalog) -> None:
    entries = map(many.entry, many.names())

    assert [e.name for e in entries if e.listed_bytes != byte_size(e.definition.listed())] == []


def test_wrapped_results_say_so_to_the_client_that_unwraps_them(tmp_path: Path) -> None:
    manifest = sized(1, 3)
    for tool, returns in zip(manifest["tools"].values(), ("array", "object"), strict=False):
        tool["returns"] = {"type": returns}
    server = server_of(Baked(tmp_path, manifest).catalog)

    schemas = [tool.output_schema for tool in listed(server)[len(META) :]]

    assert schemas == [
        {
            "type": "object",
            "properties": {"result": {"type": "array"}},
            "required": ["result"],
            "x-fastmcp-wrap-result": True,
        },
        {"type": "object"},
        None,
    ]


# Any list


def walked(sizes: list[int], most: int) -> Iterator[list[int]]:
    """The pages of items that are their own sizes."""
    cursor = None
    while True:
        page = page_of(sizes, lambda size: size, cursor, most)
        yield list(page.items)
        if not page.end:
            return
        cursor = page.end["nextCursor"]


@given(st.lists(st.integers(1, 50)), st.integers(1, 120))
def test_pages_hold_every_item_once_in_order_and_no_more_than_their_bytes(
    sizes: list[int], most: int
) -> None:
    shown = list(walked(sizes, most))

    assert [size for page in shown for size in page] == sizes
    assert [page for page in shown if sum(page) > most and len(page) > 1] == []
    assert [page for page, after in pairwise(shown) if sum(page) + after[0] <= most] == []
