"""docs/how-to/resources.md is true: its manifest and class work together, and answer as it shows."""

import re
from typing import Any, Final

import pytest
from mcp import Client

from tests.resources_prompts.material import ask, prompt, refused, text
from tests.support.checker import strictly_checked
from tests.support.clients import over_stdio
from tests.support.commands import toolfold
from tests.support.documents import fenced_blocks
from tests.support.projects import ROOT, Project, import_path
from tests.support.servers import package_command

PAGE: Final = (ROOT / "docs/how-to/resources.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return fenced_blocks(PAGE, language)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("documented")
    (manifest,), (code,) = blocks("yaml"), blocks("python")
    (folder / "tools.yaml").write_text(manifest, encoding="utf-8")
    (folder / "orders.py").write_text(code, encoding="utf-8")
    assert toolfold(folder, "generate").code == 0
    checked = toolfold(folder, "check")
    assert (checked.code, checked.err) == (0, "")
    return Project(folder, "orders_mcp")


@pytest.fixture(scope="module")
def server(orders: Project) -> Any:
    return over_stdio(package_command(orders.package), **import_path(orders.output))


def test_the_prompt_of_a_workflow_reads_as_shown(server: Any) -> None:
    shown = blocks("text")[0]

    assert prompt(server, "cancel_an_order", state="open") == [shown.removesuffix("\n")]


def test_addresses_answer_as_shown(server: Any) -> None:
    for line in blocks("text")[1].splitlines():
        address, answer = re.split(r"  +", line, maxsplit=1)
        if answer.startswith("error"):
            error = refused(server, address)
            assert f"error {error.code}: {error.message}".startswith(answer)
        else:
            assert text(server, address) == answer


def test_every_address_in_the_table_can_be_read(server: Any) -> None:
    table = re.findall(r"`(toolfold://[^`]+)`", PAGE)
    values = {"{tool}": "orders::find_order", "{category}": "orders"}
    for variable, value in values.items():
        table = [address.replace(variable, value) for address in table]

    async def texts(client: Client) -> list[str]:
        answers = [await client.read_resource(address) for address in set(table)]
        return [getattr(content, "text", "") for answer in answers for content in answer.contents]

    assert len(set(table)) == 7
    assert len(found := ask(server, texts)) == 7
    assert all(found)


def test_the_prompts_of_the_manifest_are_there(server: Any) -> None:
    names = [one.name for one in ask(server, lambda client: client.list_prompts()).prompts]

    assert names == ["apology", "describe", "cancel_an_order"]
    assert prompt(server, "describe", id="2") == ['{"id":2,"state":"sent"}']
    assert prompt(server, "apology", name="Ada", tone="formal") == [
        "Write a letter to Ada, whose order is late. Tone: formal"
    ]


@pytest.mark.long
def test_the_code_passes_strict_type_checking(orders: Project) -> None:
    done = strictly_checked(orders.folder, "orders.py", path=str(orders.output))

    assert done.code == 0, done.text
