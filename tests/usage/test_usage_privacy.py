"""What a usage store holds of calls: the tool and its outcome, and nothing of what was said."""

import signal
from pathlib import Path
from typing import Final

import anyio
import pytest
from toolfold_runtime.usage.location import Location

from tests.support.clients import connected
from tests.support.projects import Json, Project, served_by
from tests.support.servers import listening
from tests.usage.material import counted

_TOOL: Final[Json] = {
    "category": "all",
    "effect": "read",
    "summary": "Do it",
    "parameters": {"text": {"type": "string", "required": True}},
}
_IMPLEMENTATION: Final = """
class Tools:
    def answer(self, params):
        return "the-result"

    def fail(self, params):
        raise ValueError("the-reason " + params.text)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    tools = {"answer": _TOOL, "fail": _TOOL}
    return served_by(tmp_path_factory.mktemp("privacy"), tools, _IMPLEMENTATION)


def test_nothing_of_arguments_results_or_callers_is_stored(made: Project, sqlite: Location) -> None:
    async def call(url: str) -> None:
        async with connected(url) as client:
            for name, arguments in (
                ("answer", {"text": "the-argument"}),
                ("fail", {"text": "the-argument"}),
                ("answer", {"wrong-name": "the-argument"}),
                ("the-unknown-tool", {}),
            ):
                await client.call_tool(name, arguments)

    with listening(made, TOOLFOLD_USAGE=sqlite.target) as server:
        anyio.run(call, server.url)
        server.tell_to_stop()
        assert server.end() in (0, -signal.SIGTERM)

    folder = Path(sqlite.target).parent
    stored = b"".join(path.read_bytes() for path in folder.glob("usage.db*"))
    assert counted(sqlite) == 3
    assert b"running::answer" in stored
    said = (b"the-argument", b"wrong-name", b"the-result", b"the-reason", b"the-unknown-tool")
    assert [text for text in (*said, b"127.0.0.1") if text in stored] == []
