"""docs/how-to/api.md is true: its addresses answer, and its request is answered as it shows."""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import must
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT
from tests.support.servers import Listening, free_port, once_open

PAGE: Final = (ROOT / "docs/how-to/api.md").read_text(encoding="utf-8")
START, REQUEST = fenced_blocks(PAGE, "console")
_EXAMPLES: Final = {
    "{name}": "query",
    "{server}/{tool}": "tana/tana_search",
    "q=…": "q=notes",
}


@pytest.fixture(scope="module")
def tana(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """The server of this repository, started as the page says."""
    program, *arguments = shlex.split(START.removeprefix("$ "))
    port, store = free_port(), tmp_path_factory.mktemp("tana") / "usage.db"
    command = [sys.executable, "-m", program, *arguments, "--port", str(port)]
    command += ["-m", str(ROOT / "tools.yaml")]
    server = Listening(command, port, TOOLFOLD_USAGE=str(store))
    with once_open(server) as server:
        yield server


def test_every_address_of_the_page_answers(tana: Listening) -> None:
    (table,) = re.findall(r"^\| address.*\n\| --- .*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    addresses = re.findall(r"^\| `(?:GET )?([^`]+)`", table, re.MULTILINE)
    statuses = {}
    for address in addresses:
        asked = address
        for part, example in _EXAMPLES.items():
            asked = asked.replace(part, example)
        statuses[address] = tana.get(asked).status

    assert len(addresses) == 10
    assert statuses == dict.fromkeys(addresses, 200)


def test_a_request_is_answered_as_the_page_shows(tana: Listening, tmp_path: Path) -> None:
    command, _, shown = REQUEST.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    asked = [argument.replace("127.0.0.1:8000", f"127.0.0.1:{tana.port}") for argument in arguments]
    answer = json.loads(must(tmp_path, program, *asked))
    # What is left out of a tool is marked on the page.
    expected = json.loads("".join(shown.splitlines()).replace(",…", ""))

    assert answer["tools"][0].items() >= expected["tools"][0].items()
    del answer["tools"], expected["tools"]
    assert answer == expected


def test_a_mistake_is_answered_as_the_page_shows(tana: Listening) -> None:
    shown = re.findall(r'`?(\{"error":.*?\}\})', PAGE.replace("\n", ""))[0]
    found = tana.get("/api/v1/tools/category/qery")
    expected = json.loads(shown)["error"]

    assert found.status == 404
    assert found.json["error"]["code"] == expected["code"]
    assert found.json["error"]["message"].startswith(expected["message"].removesuffix("…").strip())
