"""Examples of every public name, as an author writes them; a type checker holds them to it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolfold.testing import assert_current
from toolfold_runtime import (
    Anything,
    Audio,
    Caller,
    Catalog,
    Content,
    File,
    Handler,
    Image,
    Link,
    MaybeAwaitable,
    MixedContent,
    Text,
    ToolError,
    ToolResult,
    UnansweredError,
    ask,
    ask_blocking,
    caller,
    is_cancelled,
    log,
    progress,
    results_cache,
    serve,
)

REASON = {"type": "object", "properties": {"why": {"type": "string"}}, "required": ["why"]}


async def return_order(order: str) -> str:
    try:
        answer = await ask(f"Why do you return {order}?", REASON)
    except UnansweredError as error:
        return f"{order} is kept: {error.reason}"
    return f"{order} is returned: {answer['why']}" if answer else f"{order} is kept"


def return_order_blocking(order: str) -> str:
    answer = ask_blocking(f"Why do you return {order}?", REASON, name="reason")
    return f"{order} is returned" if answer else f"{order} is kept"


def my_orders(orders: dict[str, list[str]]) -> list[str]:
    who: Caller = caller()
    if who.is_local:
        return [order for owned in orders.values() for order in owned]
    return orders.get(who.subject or "", [])


async def import_rows(rows: Sequence[str]) -> int:
    for at, _row in enumerate(rows, start=1):
        await asyncio.sleep(0)
        progress(at, len(rows), "reading")
    log.info("imported", rows=len(rows))
    return len(rows)


def count_slowly(most: int) -> int:
    for number in range(most):
        if is_cancelled():
            log.warning("nobody waits any more", at=number)
            return number
    log.debug("counted", most=most)
    return most


def find_order(number: int, orders: dict[int, str]) -> str:
    if number not in orders:
        log.error("no such order", number=number)
        raise ToolError("not_found", f"no order {number}; list_orders gives the ids")
    return orders[number]


def reload_prices() -> None:
    cache = results_cache()
    if cache is not None:
        cache.clear()


def draw_chart() -> Image:
    return Image.from_file("chart.png")


def read_aloud() -> Audio:
    return Audio.from_file("letter.mp3")


def export_sales() -> File:
    return File("month;sales\nMay;7\n", "sales://2026/05.csv", "text/csv")


def figures() -> Link:
    return Link("https://example.com/sales", "sales", title="All figures")


def write_report() -> MixedContent:
    blocks: list[Content] = ["Sales rose in May.", Image.from_file("chart.png")]
    return [*blocks, Text("For people only.", annotations={"audience": ["user"]})]


def compare_charts() -> ToolResult[dict[str, float]]:
    return ToolResult({"score": 0.5}, [Image.from_file("chart.png")])


def dump_settings() -> Anything:
    return {"theme": "dark", "limits": [1, 2]}


def test_toolfold_is_current() -> None:
    assert_current(Path(__file__).parents[1] / "tools.yaml")


def run_server(folder: Path, capabilities: Handler) -> int:
    catalog = Catalog(folder / "catalog", "shop_mcp")
    return serve(catalog, {"capabilities": capabilities}, folder.parent)


def length(params: Any) -> MaybeAwaitable[int]:
    return len(params.text)
