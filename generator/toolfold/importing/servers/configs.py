"""Reading the files in which MCP clients keep their servers, each layout as the same list."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolfold.disk import read_file
from toolfold.errors import UsageError

_MAX_BYTES: Final = 16 * 1024 * 1024
_MOST_SERVERS: Final = 1_000
# What the keys are called under which clients list their servers; VS Code also has them below `mcp`.
_LISTS: Final = ("mcpServers", "servers", "mcp_servers")
_OLD_TRANSPORTS: Final = frozenset({"sse", "ws", "websocket"})
# What no process can be given: a zero byte, half of a character.
_UNUSABLE: Final = re.compile("[\0\ud800-\udfff]")
# A string, kept as it is, or a comment.
_COMMENT: Final = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True)
class ClientServer:
    """A server as a client's file declares it; texts may hold the placeholders of that client."""

    name: str
    #: Where it was read, as the user would name it, and the folder that the client works in.
    origin: str
    workspace: Path
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    env_file: str | None = None
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Unusable:
    """An entry that is not a usable server, and why."""

    name: str
    origin: str
    reason: str
    #: Whether it is only switched off, which is not a mistake.
    is_off: bool = False


def read_config(file: Path) -> list[ClientServer | Unusable]:
    """Every server of a file, in its order; UsageError if the file does not list servers."""
    document = _document(file)
    listed = _servers(document)
    if listed is None:
        keys = ", ".join(f"`{key}`" for key in _LISTS)
        raise UsageError(f"{file}: lists no servers: there is none of {keys}")
    if len(listed) > _MOST_SERVERS:
        raise UsageError(f"{file}: more than {_MOST_SERVERS:,} servers")
    workspace = file.absolute().parent
    if workspace.name in (".vscode", ".cursor"):
        workspace = workspace.parent
    return [_server(name, entry, str(file), workspace) for name, entry in listed.items()]


def _document(file: Path) -> Any:
    try:
        data = read_file(file, _MAX_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > _MAX_BYTES:
        raise UsageError(f"{file}: more than {_MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
        return tomllib.loads(text) if file.suffix == ".toml" else _json_with_comments(text)
    except (ValueError, RecursionError) as error:
        # Both parsers say where they stopped, and quote no value.
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        kind = "TOML" if file.suffix == ".toml" else "JSON"
        raise UsageError(f"{file}: not {kind}: {reason}") from None


def _json_with_comments(text: str) -> Any:
    """The value of JSON text, also with comments and trailing commas as in editors' settings."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        # A comment leaves as many lines as it had, so that an error names the right one.
        bare = _COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), text)
        return json.loads(_LAST_COMMA.sub(lambda match: match[1] or "", bare))


def _servers(document: Any) -> Mapping[str, Any] | None:
    if not isinstance(document, dict):
        return None
    inner = document.get("mcp")
    for holder in (document, inner if isinstance(inner, dict) else {}):
        for key in _LISTS:
            if isinstance(holder.get(key), dict):
                servers: Mapping[str, Any] = holder[key]
                return servers
    return None


def _server(name: str, entry: Any, origin: str, workspace: Path) -> ClientServer | Unusable:
    if not isinstance(entry, dict):
        return Unusable(name, origin, "its entry is no object")
    if entry.get("disabled") is True or entry.get("enabled") is False:
        return Unusable(name, origin, "switched off", is_off=True)
    transport = str(entry.get("type") or entry.get("transport") or "").lower()
    if transport in _OLD_TRANSPORTS:
        reason = f'transport "{transport}" is not spoken; give the address of its streamable HTTP'
        return Unusable(name, origin, reason)
    try:
        return _read(name, entry, origin, workspace)
    except _InvalidEntryError as error:
        return Unusable(name, origin, str(error))


def _read(name: str, entry: dict[str, Any], origin: str, workspace: Path) -> ClientServer:
    url = entry.get("url") or entry.get("serverUrl") or entry.get("httpUrl")
    command = _command(entry)
    if bool(command) == bool(url):
        raise _InvalidEntryError(
            "it has neither a command nor a url" if not url else "command and url"
        )
    return ClientServer(
        name,
        origin,
        workspace,
        command,
        dict(_env(entry)),
        _text(entry.get("envFile"), "envFile") or None,
        _text(entry.get("cwd"), "cwd") or None,
        _text(url, "url") or None,
        dict(_headers(entry)),
    )


class _InvalidEntryError(Exception):
    """Why an entry is not a usable server; its values are not quoted, as they may be secret."""


def _command(entry: dict[str, Any]) -> tuple[str, ...]:
    command, arguments = entry.get("command"), entry.get("args")
    parts = command if isinstance(command, list) else [command] if command else []
    if not isinstance(arguments, list | None):
        raise _InvalidEntryError("args is no list")
    return tuple(_text(part, "command") for part in [*parts, *(arguments or [])])


def _env(entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _texts(entry.get("env"), "env")
    passed_on = entry.get("env_vars")  # of Codex: variables that it hands on
    for name in passed_on if isinstance(passed_on, list) else ():
        yield _text(name, "env_vars"), f"${{{_text(name, 'env_vars')}}}"


def _headers(entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("headers", "http_headers", "requestInit"):
        value = entry.get(key)
        yield from _texts(value.get("headers") if key == "requestInit" and value else value, key)
    # Of Codex: names of the variables that hold what is sent.
    for name, variable in _texts(entry.get("env_http_headers"), "env_http_headers"):
        yield name, f"${{{variable}}}"
    if entry.get("bearer_token_env_var"):
        variable = _text(entry["bearer_token_env_var"], "bearer_token_env_var")
        yield "Authorization", f"Bearer ${{{variable}}}"


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if not isinstance(value, dict):
        raise _InvalidEntryError(f"{key} is no object")
    for name, inner in value.items():
        yield name, _text(inner, key)


def _text(value: Any, key: str) -> str:
    """A value as text, as clients pass it on: `8080` is "8080", `true` is "true"."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str) or _UNUSABLE.search(value):
        raise _InvalidEntryError(f"a value in {key} is no text")
    return value
