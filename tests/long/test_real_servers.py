"""Servers by the dozen: real ones imported twice, 39 real catalogs behind one gateway, 20,000 tools."""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from toolfold.importing.effects import declared_effect, proposed_effect
from toolfold.importing.servers.listing import list_servers
from toolfold.importing.servers.project import Project
from toolfold.plan.disclosure.tokens import count

from tests.importing.servers.material import config, entry, imported, names, publish, tool
from tests.long.test_sweep import CATALOGS, TOOLS, source_of
from tests.support.commands import must, toolfold
from tests.support.projects import Json, snapshot
from tests.support.real_servers import SERVERS, installed

EIGHT: Final = ("time", "git", "fetch", "excel", "word", "filesystem", "memory", "everything")
MOST_TOKENS: Final = 1_000

pytestmark = pytest.mark.long


def budget(folder: Path) -> dict[str, int]:
    costs: Json = json.loads(toolfold(folder, "budget", "--format", "json").out)
    return {
        "listed": costs["direct"],
        "gateway": costs["progressive"],
        **{cost["name"]: cost["tokens"] for cost in costs["costs"]},
    }


def real_config(folder: Path, *chosen: str) -> str:
    """A client's file with real servers, which work in a folder of their own."""
    work = folder / "work"
    work.mkdir()
    must(work, "git", "init", "-q")
    servers = {server.name: entry(server.command(work)) for server in installed(chosen)}
    return config(folder, servers)


def published_catalog(folder: Path, name: str) -> str:
    """A client's file with the servers of a real catalog, each a program that publishes its tools."""
    by_server: dict[str, list[Json]] = {}
    for source_tool in source_of(name).values():
        described = {key: value for key, value in source_tool.items() if key != "server"}
        by_server.setdefault(source_tool["server"], []).append(described)
    folder.mkdir()
    commands = {
        server: entry(publish(folder, re.sub(r"[^A-Za-z0-9._-]", "-", server), *tools))
        for server, tools in by_server.items()
    }
    return config(folder, commands)


def test_twelve_real_servers_are_imported_twice_and_the_second_time_nothing_changes(
    tmp_path: Path,
) -> None:
    file = real_config(tmp_path)
    first = imported(tmp_path, "--timeout", "240", "--config", file)
    before = snapshot(tmp_path)
    second = imported(tmp_path, "--timeout", "240")

    assert first.out.count(": written: ") == len(SERVERS) == 12
    assert second.out.count(": unchanged: ") == 12
    assert {
        name: content for name, content in snapshot(tmp_path).items() if "work/" not in name
    } == {name: content for name, content in before.items() if "work/" not in name}
    assert len(names(tmp_path)) == sum(server.tools for server in SERVERS)
    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    done = toolfold(tmp_path, "check", "--live", "--timeout", "240")
    assert done.code == 0, done.text


def test_eight_real_servers_cost_a_few_hundred_tokens(tmp_path: Path) -> None:
    imported(tmp_path, "--timeout", "240", "--config", real_config(tmp_path, *EIGHT))
    project = Project(tmp_path / "tools.yaml")
    listings = list_servers([project.upstream(name) for name in project.servers()], tmp_path, 240)
    published = [tool_ for listing in listings if listing.live for tool_ in listing.live.tools]
    costs = budget(tmp_path)

    whole = count(json.dumps(published, separators=(",", ":"), ensure_ascii=False))
    print(f"eight real servers, {len(published)} tools: tools/list as published {whole:,} tokens")
    print(f"  of that names, descriptions, input schemas: {costs['listed']:,}")
    print(f"  meta-tools and inventory of the gateway: {costs['gateway']:,}")
    assert len(names(tmp_path)) == 151
    assert costs["gateway"] <= MOST_TOKENS
    documented = f"| 151 | {costs['listed']:,} | {costs['gateway']:,} |"
    page = Path(__file__).parents[2] / "docs/how-to/gateway.md"
    assert documented in page.read_text(encoding="utf-8")


def test_39_servers_are_disclosed_as_their_imported_tools_are(tmp_path: Path) -> None:
    gateway, plain = tmp_path / "gateway", tmp_path / "plain"
    file = published_catalog(gateway, "mcp-servers")
    done = imported(gateway, "--config", file)
    plain.mkdir()
    assert toolfold(plain, "import", "tools", str(CATALOGS / "mcp-servers.json")).code == 0
    for folder in (gateway, plain):
        assert toolfold(folder, "generate", "--quiet").code == 0
    ours, theirs = budget(gateway), budget(plain)

    assert done.out.count(": written: ") == 39
    assert {*names(gateway)} == {*names(plain)} == {*source_of("mcp-servers")}
    print(f"39 upstreams: {ours['gateway']} tokens, as imported tools: {theirs['gateway']}")
    assert ours["listed"] == theirs["listed"]
    assert ours["gateway"] <= 1.05 * theirs["gateway"]
    page = Path(__file__).parents[2] / "docs/how-to/gateway.md"
    assert f"| 1,641 | {ours['listed']:,} | {ours['gateway']:,} |" in page.read_text(
        encoding="utf-8"
    )
    by_id = names(plain)
    for identity, name in names(gateway).items():
        if name == by_id[identity]:
            assert ours[name] == pytest.approx(theirs[name], abs=6)  # the words for its effect
    assert imported(gateway).out.count(": unchanged: ") == 39


def test_search_over_servers_finds_what_it_finds_in_imported_tools(tmp_path: Path) -> None:
    gateway, plain = tmp_path / "gateway", tmp_path / "plain"
    imported(gateway, "--config", published_catalog(gateway, "livemcpbench"))
    plain.mkdir()
    assert toolfold(plain, "import", "tools", str(CATALOGS / "livemcpbench.json")).code == 0
    queries = str(CATALOGS.parent / "queries/livemcpbench.jsonl")
    ours, theirs = (
        json.loads(toolfold(folder, "eval", queries, "--json").out) for folder in (gateway, plain)
    )

    print(f"livemcpbench: hit@1 {ours['hit@1']:.3f}, as imported tools {theirs['hit@1']:.3f}")
    assert ours["hit@1"] >= theirs["hit@1"] - 0.01


def test_none_of_9715_real_tools_is_taken_for_an_attack(tmp_path: Path) -> None:
    tools = [source_tool for name in TOOLS for source_tool in source_of(name).values()]
    numbered = [
        {**source_tool, "name": f"t{n}", "server": None} for n, source_tool in enumerate(tools)
    ]
    done = imported(
        tmp_path, "--format", "json", "--config", _one_server(tmp_path, [*map(_bare, numbered)])
    )
    codes = [problem["code"] for problem in json.loads(done.out)]

    assert "aimed-text" not in codes
    assert codes.count("hidden-characters") <= 1


def test_effects_are_rarely_proposed_otherwise_than_declared() -> None:
    tools = [*source_of("mcp-servers").values(), *source_of("github-mcp-server").values()]
    told = [
        source_tool
        for source_tool in tools
        if "readOnlyHint" in (source_tool.get("annotations") or {})
    ]
    wrong = [
        source_tool["name"]
        for source_tool in told
        if proposed_effect(source_tool["name"], source_tool.get("description") or "") == "read"
        and declared_effect(source_tool["annotations"]) != "read"
    ]

    assert len(told) == 1_263
    assert wrong == []


def test_20000_tools_of_one_server_are_imported(tmp_path: Path) -> None:
    file = _one_server(
        tmp_path, [tool(f"tool_{n}", description=f"Does {n}") for n in range(20_000)]
    )
    assert imported(tmp_path, "--config", file).out.startswith(
        "servers/one.yaml: written: 20000 tools\n"
    )
    assert imported(tmp_path).out == "servers/one.yaml: unchanged: 20000 tools\n"


def _one_server(folder: Path, tools: list[Json]) -> str:
    return config(folder, {"one": entry(publish(folder, "one", *tools))})


def _bare(source_tool: Json) -> Json:
    return {key: value for key, value in source_tool.items() if key != "server"}
