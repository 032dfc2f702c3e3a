"""Every client's file is read, its placeholders become the manifest's, and no secret is written."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.importing.servers.material import (
    config,
    entry,
    import_mcp,
    imported,
    manifest,
    publish,
    tool,
)
from tests.support.commands import toolfold
from tests.support.projects import Json, Project, snapshot
from tests.support.servers import listening

SECRET = "ghp_aB3dE5fG7hJ9kL1mN3pQ"


def command(folder: Path) -> list[str]:
    return publish(folder, "shop", tool("find"))


def declared(folder: Path) -> Json:
    """The entry of the server `shop` in the manifest."""
    return manifest(folder).servers["shop"].model_dump(exclude_unset=True)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (".mcp.json", "mcpServers"),
        ("claude_desktop_config.json", "mcpServers"),
        (".cursor/mcp.json", "mcpServers"),
        (".vscode/mcp.json", "servers"),
    ],
)
def test_files_in_json_are_read(tmp_path: Path, name: str, key: str) -> None:
    imported(tmp_path, "--config", config(tmp_path, {"shop": entry(command(tmp_path))}, name, key))
    assert declared(tmp_path) == {"command": command(tmp_path)}


def test_settings_of_vs_code_with_comments_are_read(tmp_path: Path) -> None:
    shop_entry = json.dumps(entry(command(tmp_path)))
    text = (
        '{ // mine\n "mcp": {"servers": {\n /* the "shop": */ "shop": ' + shop_entry + ",\n}, },\n}"
    )
    (tmp_path / "settings.json").write_text(text, encoding="utf-8")
    imported(tmp_path, "--config", "settings.json")

    assert declared(tmp_path) == {"command": command(tmp_path)}


def test_the_file_of_codex_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "x")
    program, *arguments = command(tmp_path)
    (tmp_path / "config.toml").write_text(
        'model = "x"\n[mcp_servers.shop]\n'
        f"command = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"
        'env_vars = ["SHOP_TOKEN"]\n[mcp_servers.shop.env]\nDEBUG = "true"\n'
        "[mcp_servers.off]\ncommand = 'x'\nenabled = false\n",
        encoding="utf-8",
    )
    done = imported(tmp_path, "--config", "config.toml")

    assert declared(tmp_path) == {
        "command": command(tmp_path),
        "env": {"DEBUG": {"plain": "true"}, "SHOP_TOKEN": "${SHOP_TOKEN}"},
    }
    assert "notice: off: left out: switched off in config.toml" in done.err


def test_several_files_are_imported_at_once_and_the_same_server_only_once(tmp_path: Path) -> None:
    first = config(tmp_path, {"shop": entry(command(tmp_path))}, "a.json")
    second = config(
        tmp_path,
        {"shop": entry(command(tmp_path)), "mail": entry(publish(tmp_path, "m", tool("send")))},
        "b.json",
        "servers",
    )
    done = imported(tmp_path, "--config", first, second)

    assert done.out.count(": written: 1 tool") == 2
    assert [*manifest(tmp_path).servers] == ["shop", "mail"]


def test_two_servers_of_one_name_are_not_taken_for_each_other(tmp_path: Path) -> None:
    first = config(tmp_path, {"shop": entry(command(tmp_path))}, "a.json")
    second = config(tmp_path, {"shop": entry(command(tmp_path), env={"A": "1"})}, "b.json")
    done = import_mcp(tmp_path, "--config", first, second)

    assert done.code == 1
    assert "shop: b.json: a.json has another server of that name; rename one of them" in done.err
    assert declared(tmp_path) == {"command": command(tmp_path)}


def test_placeholders_become_the_manifests_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOKEN", "WORD"):
        monkeypatch.setenv(name, "x")
    env = {
        "TOKEN": "${TOKEN}",
        "OTHER": "${env:WORD}",
        "DEFAULT": "${ABSENT:-some default}",
        "HOME_OF": "${userHome}",
    }
    given = entry([*command(tmp_path), "${workspaceFolder}/data"], env=env)
    done = imported(tmp_path, "--config", config(tmp_path, {"shop": given}, ".vscode/mcp.json"))

    assert declared(tmp_path) == {
        "command": [*command(tmp_path), "${WORKSPACE_FOLDER}/data"],
        "env": {
            "TOKEN": "${TOKEN}",
            "OTHER": "${WORD}",
            "DEFAULT": "${ABSENT}",
            "HOME_OF": "${HOME}",
        },
    }
    assert "shop: ABSENT has a default, which is not kept" in done.err
    assert "export WORKSPACE_FOLDER" in done.err


def test_an_input_that_a_person_is_asked_for_becomes_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {"PUBLISHED_NEEDS": "KEY", "KEY": "${input:api-key}"}
    file = config(tmp_path, {"shop": entry(command(tmp_path), env=env)}, "mcp.json", "servers")
    refused = import_mcp(tmp_path, "--config", file)
    assert refused.code == 1
    assert "shop: the environment variable API_KEY is not set" in refused.err
    assert "notice: shop: export API_KEY: what a person is asked for as api-key" in refused.err

    monkeypatch.setenv("API_KEY", "typed")
    done = imported(tmp_path, "--config", file)
    assert declared(tmp_path)["env"]["KEY"] == "${API_KEY}"
    assert "notice: shop: export API_KEY: what a person is asked for as api-key" in done.err


def test_the_file_of_variables_is_handed_on_by_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        f"# mine\nexport KEY='{SECRET}'\nLOG_LEVEL=debug\nbroken line\n", encoding="utf-8"
    )
    given = entry(
        command(tmp_path), envFile="${workspaceFolder}/.env", env={"PUBLISHED_NEEDS": "KEY"}
    )
    file = config(tmp_path, {"shop": given}, ".vscode/mcp.json", "servers")
    done = imported(tmp_path, "--config", file)

    assert "WORKSPACE_FOLDER" not in done.err  # which only the client needs
    env = declared(tmp_path)["env"]
    assert env["KEY"] == "${SHOP_KEY}"
    assert env["LOG_LEVEL"] == {"plain": "debug"}


def test_a_file_of_variables_that_is_not_there_is_named(tmp_path: Path) -> None:
    given = entry(command(tmp_path), envFile="secrets/.env")
    done = imported(tmp_path, "--config", config(tmp_path, {"shop": given}))

    file = tmp_path / "secrets" / ".env"
    assert f"notice: shop: envFile {file} cannot be read: No such file" in done.err


@pytest.mark.parametrize(
    ("given", "expected", "variable"),
    [
        ({"env": {"GITHUB_TOKEN": SECRET}}, {"env": {"GITHUB_TOKEN": "${SHOP_GITHUB_TOKEN}"}}, "SHOP_GITHUB_TOKEN"),
        ({"env": {"SHOP_KEY": "hunter2"}}, {"env": {"SHOP_KEY": "${SHOP_KEY}"}}, "SHOP_KEY"),
        ({"env": {"DATABASE_URL": "postgres://ada:pw@host/db"}}, {"env": {"DATABASE_URL": "${SHOP_DATABASE_URL}"}}, "SHOP_DATABASE_URL"),
        ({"env": {"PIN": "1234"}}, {"env": {"PIN": "${SHOP_PIN}"}}, "SHOP_PIN"),
        ({"env": {"X": "${HOME}/x"}}, {"env": {"X": "${SHOP_X}"}}, "SHOP_X"),
        ({"args": ["--api-key", "abc"]}, {"args": ["--api-key", "${SHOP_API_KEY}"]}, "SHOP_API_KEY"),
        ({"args": ["--token=abc"]}, {"args": ["--token=${SHOP_TOKEN}"]}, "SHOP_TOKEN"),
        ({"args": [SECRET]}, {"args": ["${SHOP_TOKEN}"]}, "SHOP_TOKEN"),
        ({"args": ["postgres://ada:pw@host/db"]}, {"args": ["postgres://${SHOP_LOGIN}@host/db"]}, "SHOP_LOGIN"),
        ({"args": ["--header", f"Authorization: Bearer {SECRET}"]}, {"args": ["--header", "Authorization: Bearer ${SHOP_TOKEN}"]}, "SHOP_TOKEN"),
        ({"args": [f"https://h/{SECRET}/mcp?key=abc"]}, {"args": ["https://h/${SHOP_TOKEN}/mcp?key=${SHOP_KEY}"]}, "SHOP_KEY"),
    ],
)  # fmt: skip
def test_a_secret_is_used_and_never_written(
    tmp_path: Path, given: Json, expected: Json, variable: str
) -> None:
    shop_entry = entry(command(tmp_path))
    shop_entry |= {
        "args": [*shop_entry["args"], *given.get("args", [])],
        "env": given.get("env", {}),
    }
    done = imported(tmp_path, "--config", config(tmp_path, {"shop": shop_entry}))

    assert declared(tmp_path).get("env", {}) == expected.get("env", {})
    assert declared(tmp_path)["command"] == [*command(tmp_path), *expected.get("args", [])]
    assert f"export {variable}: " in done.err
    written = b"".join(
        content
        for name, content in snapshot(tmp_path).items()
        if isinstance(content, bytes) and name != "mcp.json"
    )
    for secret in (SECRET, "hunter2", "ada:pw", "--token=abc", '"abc"', "1234"):
        assert secret.encode() not in written
        assert secret not in done.text


@pytest.mark.parametrize(
    "value",
    ["true", "8080", "info", "eu-central-1", "https://api.example.com/v1", "/data/files", ""],
)
def test_what_is_clearly_no_secret_stays_readable(tmp_path: Path, value: str) -> None:
    shop_entry = entry(command(tmp_path), env={"MODE": value})
    done = imported(tmp_path, "--config", config(tmp_path, {"shop": shop_entry}))

    assert declared(tmp_path)["env"] == {"MODE": {"plain": value}}
    assert "export" not in done.err


def test_two_servers_with_one_kind_of_secret_get_a_variable_each(tmp_path: Path) -> None:
    shop_entry = entry(command(tmp_path), env={"API_KEY": SECRET})
    imported(tmp_path, "--config", config(tmp_path, {"my-shop": shop_entry, "my_shop": shop_entry}))

    used = [server.env["API_KEY"] for server in manifest(tmp_path).servers.values()]
    assert used == ["${MY_SHOP_API_KEY}", "${MY_SHOP_API_KEY_2}"]


def test_an_address_is_declared_without_what_is_secret_in_it(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    imported(inner, "--name", "shop", "--", *command(inner))
    assert toolfold(inner, "generate", "--quiet").code == 0
    with listening(Project(inner, "inner_mcp")) as server:
        given = server.url.replace("://", "://ada:pw%21@") + f"?api_key={SECRET}"
        headers = {"Authorization": f"Bearer {SECRET}", "X-Team": "ops", "X-Version": "2"}
        outer = tmp_path / "outer"
        file = config(outer, {"shop": {"type": "http", "url": given, "headers": headers}})
        done = imported(outer, "--config", file)

    assert declared(outer) == {
        "url": f"{server.url}?api_key=${{SHOP_API_KEY}}",
        "headers": {
            "Authorization": "Bearer ${SHOP_TOKEN}",
            "X-Team": "${SHOP_X_TEAM}",
            "X-Version": {"plain": "2"},
        },
        "auth": {"basic": {"username": "${SHOP_USERNAME}", "password": "${SHOP_PASSWORD}"}},
    }
    assert SECRET not in done.text
    assert "pw!" not in done.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "lists no servers"),
        ('{"mcpServers": []}', "lists no servers"),
        ('{"other": {}}', "lists no servers"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mcp.json").write_text(text, encoding="utf-8")
    done = import_mcp(tmp_path, "--config", "mcp.json")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("toolfold: mcp.json: ")
    assert said in done.err


@pytest.mark.parametrize(
    ("bad_entry", "reason"),
    [
        ("text", "its entry is no object"),
        ({}, "it has neither a command nor a url"),
        ({"command": "x", "url": "http://x"}, "command and url"),
        ({"command": "x", "args": "-y"}, "args is no list"),
        ({"command": "x", "env": ["A=1"]}, "env is no object"),
        ({"command": "x", "env": {"A": {}}}, "a value in env is no text"),
        ({"command": "x\0"}, "a value in command is no text"),
        ({"type": "sse", "url": "http://x"}, 'transport "sse" is not spoken'),
        ({"url": "ftp://x"}, "no manifest can declare it: url is not valid"),
        ({"url": "http://x", "headers": {"a b": "1"}}, "no manifest can declare it: headers.a b"),
        ({"command": "x", "env": {"A=B": "1"}}, "no manifest can declare it: env.A=B"),
    ],
)
def test_an_entry_that_is_none_is_named_and_the_others_go_on(
    tmp_path: Path, bad_entry: Any, reason: str
) -> None:
    file = config(tmp_path, {"bad": bad_entry, "shop": entry(command(tmp_path))})
    done = import_mcp(tmp_path, "--config", file)

    assert done.code == 1
    assert f"bad: mcp.json: {reason}" in done.err
    assert [*manifest(tmp_path).servers] == ["shop"]


def test_a_name_chooses_one_server_of_a_file(tmp_path: Path) -> None:
    servers = {name: entry(publish(tmp_path, name, tool("find"))) for name in ("a", "b")}
    file = config(tmp_path, servers)
    imported(tmp_path, "--name", "b", "--config", file)
    assert [*manifest(tmp_path).servers] == ["b"]

    done = import_mcp(tmp_path, "--name", "c", "--config", file)
    assert done.code == 2
    assert 'no server "c" in there; there are: a, b' in done.err


def test_a_file_that_lists_no_server_is_named(tmp_path: Path) -> None:
    done = import_mcp(tmp_path, "--config", config(tmp_path, {}))
    assert (done.code, done.err) == (2, "toolfold: mcp.json: no servers are listed there\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no servers are declared"),
        (("--name", "x"), 'no server "x" is declared'),
        (("--config", "absent.json"), "absent.json: cannot be read"),
        (("--config", "a.json", "--", "x"), "not both"),
        (("--name", "../x", "--", sys.executable), "--name ../x"),
        (("--timeout", "never"), "no number of seconds"),
    ],
)
def test_wrong_use_is_said(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = import_mcp(tmp_path, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
