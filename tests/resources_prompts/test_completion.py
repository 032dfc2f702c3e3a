"""Completion: of names of tools and categories, and of what arguments can be."""

import time
from pathlib import Path
from typing import Any, Final

import mcp_types as types
import pytest
from mcp import Client

from tests.disclosure.catalogs import sized
from tests.resources_prompts.material import ask, refusal
from tests.support.clients import ERAS, MODERN, Era
from tests.support.projects import project

TOOL: Final = "toolfold://tools/{tool}"


def reference(name: str) -> Any:
    if ":" in name:
        return types.ResourceTemplateReference(uri=name)
    return types.PromptReference(name=name)


async def complete(client: Client, name: str, argument: str, value: str) -> types.Completion:
    answer = await client.complete(reference(name), {"name": argument, "value": value})
    return answer.completion


def values(server: Any, name: str, argument: str, value: str, era: Era = MODERN) -> list[str]:
    completion = ask(server, lambda client: complete(client, name, argument, value), era)
    assert (completion.total, completion.has_more) == (len(completion.values), False)
    return completion.values


@pytest.mark.parametrize("era", ERAS)
def test_names_that_begin_so_come_before_those_that_contain_it(server: Any, era: Era) -> None:
    assert values(server, TOOL, "tool", "l", era)[:2] == ["list_orders", "long"]
    assert values(server, TOOL, "tool", "ORDER", era) == [
        "find_order",
        "list_orders",
        "cancel_order",
    ]
    assert values(server, TOOL, "tool", "fnid_order", era)[0] == "find_order"
    assert values(server, "toolfold://schemas/{tool}", "tool", "find", era) == ["find_order"]
    assert values(server, "toolfold://categories/{category}", "category", "", era) == ["all"]


def test_aliases_and_ids_are_never_shown(server: Any) -> None:
    assert "get_order" not in values(server, TOOL, "tool", "get_order")
    assert values(server, TOOL, "tool", "running::") == []


@pytest.mark.parametrize(
    ("name", "argument", "value", "completed"),
    [
        ("review", "style", "lo", ["long", "longer"]),
        ("review", "style", "", ["short", "long", "longer"]),
        ("review", "code", "x", []),
        ("listing", "state", "o", ["open"]),
        ("listing", "all", "t", ["true"]),
        ("listing", "limit", "1", []),
        ("cancel_it", "state", "s", ["sent"]),
        ("orders://by/{state}/{limit}.json?all={all}", "all", "f", ["false"]),
        ("orders://by/{state}/{limit}.json?all={all}", "state", "", ["open", "sent"]),
        ("orders://all/{id}", "id", "1", []),
    ],
)
def test_what_an_argument_can_be_is_completed(
    server: Any, name: str, argument: str, value: str, completed: list[str]
) -> None:
    assert values(server, name, argument, value) == completed


@pytest.mark.parametrize(
    ("name", "argument", "words"),
    [
        ("reviw", "code", 'no prompt "reviw". Nearest: review.'),
        ("review", "cod", 'no argument "cod". Nearest: code.'),
        ("toolfold://tool/{tool}", "tool", "Nearest: toolfold://tools/{tool}"),
        (TOOL, "tol", 'no argument "tol". Nearest: tool.'),
        ("toolfold://docs", "x", 'no argument "x".'),
    ],
)
def test_what_is_unknown_is_refused_with_the_nearest_names(
    server: Any, name: str, argument: str, words: str
) -> None:
    error = refusal(server, lambda client: complete(client, name, argument, "a"))

    assert error.code == -32602
    assert words in error.message


@pytest.mark.long
def test_completing_is_quick_and_short_among_5000_tools(tmp_path: Path) -> None:
    made = project(tmp_path, sized(50, 100))

    async def measured(client: Client) -> list[tuple[int, int | None, bool | None, float]]:
        await complete(client, TOOL, "tool", "tool")
        answers = []
        for value in ("", "tool_4", "x99", "tool_49x99", "nothing_like_it", "a" * 1_000_000):
            before = time.process_time()
            completion = await complete(client, TOOL, "tool", value)
            spent = time.process_time() - before
            answers.append((len(completion.values), completion.total, completion.has_more, spent))
        return answers

    *lengths, _ = zip(*ask(made.server(), measured), strict=True)
    times = [answer[3] for answer in ask(made.server(), measured)]

    assert lengths[:3] == [
        (100, 100, 50, 1, lengths[0][4], 0),
        (5_000, 1_100, 50, 1, lengths[0][4], 0),
        (True, True, False, False, False, False),
    ]
    assert lengths[0][4] <= 3
    assert max(times) < 0.5
