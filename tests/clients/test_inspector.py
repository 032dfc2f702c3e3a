"""The official Inspector's command line: it refuses unlisted tools and lints schemas."""

from pathlib import Path
from typing import Any, Final

import pytest
from tana_mcp.catalog import CATALOG

from tests.clients.inspector import calling, result_of, run_inspector
from tests.clients.tana import DIRECT, GENERATED, HOT, META, PACKAGE
from tests.support.servers import package_command, package_listening

Json = dict[str, Any]

pytestmark = pytest.mark.long

ASKED: Final = {"query": "onboarding"}


def inspect(home: Path, *target: str, method: str, options: tuple[str, ...] = ()) -> Json:
    """The result of one method; what the Inspector complains about fails the test."""
    done = run_inspector(
        *("-e", f"PYTHONPATH={GENERATED}"), *options, *target, method=method, home=home
    )
    assert (done.code, done.err) == (0, ""), done.out
    return result_of(done)


def stdio(exposure: str) -> list[str]:
    """The target; the Inspector hands on to it what follows the dashes."""
    return package_command(PACKAGE, "--", "--exposure", exposure)


@pytest.mark.parametrize(
    ("exposure", "names"),
    [
        ("direct", [*DIRECT, *CATALOG.names()]),
        ("progressive", META),
        ("hybrid", [*META, *HOT]),
    ],
    ids=["direct", "progressive", "hybrid"],
)
def test_the_list_is_portable_in_every_exposure(
    exposure: str, names: list[str], tmp_path: Path
) -> None:
    listed = inspect(tmp_path, *stdio(exposure), method="tools/list", options=("--strict",))

    assert [tool["name"] for tool in listed["tools"]] == names


@pytest.mark.parametrize(
    ("exposure", "tool", "arguments", "said"),
    [
        ("progressive", "tana_capabilities", {}, "tana_search"),
        ("progressive", "tana_run_read", {"tool": "tana_search", "arguments": ASKED}, "onboarding"),
        ("hybrid", "tana_search", ASKED, "onboarding"),
    ],
    ids=["inventory", "runner", "tool"],
)
def test_tools_and_meta_tools_can_be_called(
    exposure: str, tool: str, arguments: Json, said: str, tmp_path: Path
) -> None:
    options = calling(tool, arguments)

    answer = inspect(tmp_path, *stdio(exposure), method="tools/call", options=options)

    assert said in answer["content"][0]["text"]
    assert not answer.get("isError")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_tool_can_be_called_over_http_in_either_era(era: str, tmp_path: Path) -> None:
    options = ("--transport", "http", "--protocol-era", era, *calling("tana_search", ASKED))

    with package_listening(PACKAGE, GENERATED) as server:
        answer = inspect(tmp_path, server.url, method="tools/call", options=options)

    assert "onboarding" in answer["content"][0]["text"]
