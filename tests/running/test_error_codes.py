"""Errors of a tool's own: the code that is sent, and what the author is told about it."""

import logging
from collections.abc import Iterator
from enum import Enum, StrEnum
from typing import Any, Final

import pytest
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Served, tool

_UNDECLARED: Final = "a tool raises an error code that it does not declare"
_NO_CODE: Final = "a tool raises what is no error code"


class OldEnum(str, Enum):  # noqa: UP042  # which authors write
    NOT_FOUND = "not_found"


class NewEnum(StrEnum):
    NOT_FOUND = "not_found"


class Raises:
    """Every tool raises the same code."""

    def __init__(self, code: Any) -> None:
        self.code = code

    def find(self, params: object) -> str:
        raise ToolError(self.code, "no order has this id.")

    async def plain(self, params: object) -> str:
        raise ToolError(self.code, "nothing here.")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Served:
    declared = {"not_found": "No order has this id"}
    tools = {"find": tool(errors=declared), "plain": tool()}
    return Served(tmp_path_factory.mktemp("shop"), tools)


@pytest.fixture
def warnings() -> Iterator[list[tuple[str, str, str]]]:
    """Event, tool and code of each warning in the server's log."""
    seen: list[tuple[str, str, str]] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            facts = record.__dict__["facts"]
            seen.append((record.getMessage(), facts["tool"], facts["code"]))

    logger, collector = logging.getLogger("toolfold"), Collector()
    logger.addHandler(collector)
    yield seen
    logger.removeHandler(collector)


def raised(shop: Served, code: Any, *names: str) -> list[str]:
    """What agents read from these calls of one server, one after the other."""

    async def calls(door: Dispatcher) -> list[str]:
        texts = []
        for name in names:
            with pytest.raises(ToolError) as caught:
                await door.call(name, {})
            texts.append(str(caught.value))
        return texts

    return shop.run(Raises(code), calls)


@pytest.mark.parametrize("code", ["not_found", OldEnum.NOT_FOUND, NewEnum.NOT_FOUND])
def test_a_declared_code_reaches_the_agent_and_nobody_is_warned(
    code: str, shop: Served, warnings: list[tuple[str, str, str]]
) -> None:
    assert raised(shop, code, "find") == ["not_found: no order has this id."]
    assert warnings == []


@pytest.mark.parametrize("code", ["timeout", "invalid_arguments"])
def test_the_runtimes_own_codes_need_no_declaration(
    code: str, shop: Served, warnings: list[tuple[str, str, str]]
) -> None:
    assert raised(shop, code, "find", "plain") == [
        f"{code}: no order has this id.",
        f"{code}: nothing here.",
    ]
    assert warnings == []


def test_an_undeclared_code_is_sent_and_warned_of_once_for_each_tool(
    shop: Served, warnings: list[tuple[str, str, str]]
) -> None:
    texts = raised(shop, "sold_out", "find", "plain", "find", "plain")

    assert texts[0] == texts[2] == "sold_out: no order has this id."
    assert warnings == [(_UNDECLARED, "find", "sold_out"), (_UNDECLARED, "plain", "sold_out")]


@pytest.mark.parametrize("code", ["Not Found", "not-found", "not_found\n", "", "x" * 65, 404, None])
def test_what_is_no_code_is_warned_of_and_hides_no_text(
    code: Any, shop: Served, warnings: list[tuple[str, str, str]]
) -> None:
    assert raised(shop, code, "find", "find") == ["backend_failed: no order has this id."] * 2
    assert warnings == [(_NO_CODE, "find", repr(code)[:80])]


def test_codes_that_never_repeat_do_not_fill_the_log(
    shop: Served, warnings: list[tuple[str, str, str]]
) -> None:
    author = Raises("")

    async def calls(door: Dispatcher) -> None:
        for number in range(1_200):
            author.code = f"order_{number}"
            with pytest.raises(ToolError):
                await door.call("plain", {})

    shop.run(author, calls)

    assert len(warnings) == 1_000
