"""Addresses: what a template matches, and that no address leads anywhere else."""

import os
import shutil
import time
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolfold_runtime.contract.address import encoded_value, parse_template

from tests.resources_prompts.material import refused, text
from tests.support.clients import ERAS, Era
from tests.support.projects import Project, project, small_manifest
from tests.support.servers import Stdio, listening

HOSTILE: Final = (
    "",
    "toolfold:",
    "toolfold://",
    "toolfold:///etc/passwd",
    "toolfold://tools/",
    "toolfold://tools/..",
    "toolfold://tools/../../../etc/passwd",
    "toolfold://tools/..%2f",
    "toolfold://tools/..%2F..%2F..%2Fetc%2Fpasswd",
    "toolfold://tools/%2e%2e/%2e%2e/agents",
    "toolfold://tools/%2e%2e%2fagents",
    "toolfold://tools/..%5c..%5cagents",
    "toolfold://tools/one.md",
    "toolfold://tools/one%00",
    "toolfold://tools/one\0",
    "toolfold://tools/%ff%fe",
    "toolfold://tools/%zz",
    "toolfold://tools/%",
    "toolfold://tools/one?x=1",
    "toolfold://tools/{tool}",
    "toolfold://categories/../tools/one",
    "toolfold://schemas/__class__",
    "toolfold://docs/../docs",
    "toolfold://docs/index",
    "TOOLFOLD://docs",
    "toolfold://tools/" + "a" * 1_000_000,
    "toolfold://tools/" + "%41" * 300_000,
    "{" * 1_000_000,
    "file:///etc/passwd",
    "\u202edaolfloot",
)

#: A transport may refuse what is no text before anything else sees it.
REFUSED: Final = (-32700, -32600, -32602, -32002)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("plain"), small_manifest("one"))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("address", HOSTILE, ids=lambda address: repr(address[:40]))
def test_a_hostile_address_is_not_there(plain: Project, address: str, era: Era) -> None:
    before = time.process_time()
    error = refused(plain.server(), address, era)

    assert error.code in (-32602, -32002)
    assert error.message.startswith("no ")
    assert len(error.message) < 1_000
    assert len(str(error.data)) < 10_000
    assert time.process_time() - before < 2


def test_half_of_a_character_is_answered_over_both_transports(plain: Project) -> None:
    message = {"id": 1, "method": "resources/read", "params": {"uri": "toolfold://tools/\ud800"}}

    with Stdio.of(plain) as server:
        server.send(message)
        (answer,) = server.wait(1)
        following = server.request(2, "resources/read", uri="toolfold://tools/one")
    with listening(plain) as web:
        over_http = web.post({"jsonrpc": "2.0"} | message).json

    assert answer["error"]["code"] in REFUSED
    assert following["contents"]
    assert over_http["error"]["code"] in REFUSED


def planted(path: Path, kind: str, elsewhere: Path) -> None:
    """Something else in the place of a page."""
    path.unlink()
    match kind:
        case "link":
            path.symlink_to(elsewhere)
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "file":
            path.write_text("secret", encoding="utf-8")
        case "large":
            with path.open("wb") as file:
                file.truncate(20_000_000)
        case "bytes":
            path.write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "file", "large", "bytes"])
def test_nothing_but_a_page_is_read(tmp_path: Path, kind: str) -> None:
    made = project(tmp_path / "project", small_manifest("one"))
    page = made.output / "docs/tools/one.md"
    secret = tmp_path / "secret"
    # With the right first line, which a link to a page of another folder would have.
    shutil.copy(page, secret)
    planted(page, kind, secret)

    assert text(made.server(), "toolfold://tools/one").startswith('{"name":"one"')


# Templates


@pytest.mark.parametrize(
    ("template", "address", "values"),
    [
        ("a://{x}", "a://1", {"x": "1"}),
        ("a://{x}", "a://", None),
        ("a://{x}", "a://1/2", None),
        ("a://{x}", "a://1?y", None),
        ("a://{x}", "a://1#y", None),
        ("a://{x}", "a://a%2Fb%20c", {"x": "a/b c"}),
        ("a://{x}", "a://caf%C3%A9", {"x": "café"}),
        ("a://{x}", "a://%25", {"x": "%"}),
        ("a://{x}", "a://%ff", None),
        ("a://{x}.json", "a://1.2.json", {"x": "1.2"}),
        ("a://{x}.json", "a://.json", None),
        ("a://{x}/{y}", "a://1/2", {"x": "1", "y": "2"}),
        ("a://{x}/{y}", "a://1//2", None),
        ("a://{x}-{y}", "a://1-2-3", {"x": "1", "y": "2-3"}),
        ("a://b", "a://b", {}),
        ("aa{x}aa", "aaa", None),
        ("a?q={x}&r={y}", "a?q=1&r=2", {"x": "1", "y": "2"}),
    ],
)
def test_a_template_matches(template: str, address: str, values: dict[str, str] | None) -> None:
    parsed = parse_template(template)
    matched = parsed.match(address) if parsed.names else {} if address == template else None

    assert matched == values


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_value_comes_back_out_of_an_address(value: str) -> None:
    address = f"orders://by/{encoded_value(value)}/{encoded_value(value)}.txt"

    assert parse_template("orders://by/{a}/{b}.txt").match(address) == {"a": value, "b": value}


@given(st.text(), st.text(alphabet="ab/{}%-."))
def test_no_address_breaks_a_template(address: str, other: str) -> None:
    for template in ("a://{x}", "{x}-{y}.{z}", "a{x}b{y}", "%{x}%"):
        values = parse_template(template).match(f"{address}{other}")
        assert values is None or all(isinstance(value, str) for value in values.values())


def test_matching_takes_no_longer_than_the_address_is_long() -> None:
    template = parse_template("-".join(f"{{v{n}}}" for n in range(50)))
    before = time.process_time()
    for _ in range(20):
        template.match("-a" * 100_000)
        template.match("a" * 200_000)

    assert time.process_time() - before < 1


def test_an_address_with_half_of_a_character_matches_nothing() -> None:
    assert parse_template("a://{x}").match("a://\ud800") is None


def test_results_of_tools_have_hostile_addresses_too(server: Any) -> None:
    for address in ("orders://all/", "orders://all/../../etc/passwd", "greet:" + "a" * 5_000):
        assert refused(server, address).code == -32602
    assert text(server, "orders://all/..%2f..%2fetc") == '{"id":"../../etc"}'
