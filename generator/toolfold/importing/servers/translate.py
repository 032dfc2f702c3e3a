"""A client's server as an entry of a manifest: placeholders translated, secrets as variables."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from toolfold_runtime.contract.upstream import BasicAuth, UpstreamAuth, UpstreamServer
from toolfold_runtime.upstream.secrets import literal

from toolfold.disk import read_file
from toolfold.importing.servers.configs import ClientServer
from toolfold.importing.servers.literals import (
    SecretPart,
    is_harmless,
    secret_parts,
    secrets_in,
)
from toolfold.manifest.types import ENV_PATTERN

_PLACEHOLDER: Final = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE: Final = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-.*)?", re.DOTALL)
_INPUT: Final = re.compile(r"input:(.+)")
_SCHEME: Final = re.compile(r"(Bearer|Basic|Token) +(?=\S)", re.IGNORECASE)
_ENV_VALUE: Final = re.compile(ENV_PATTERN)
_ENV_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_LOGIN: Final = re.compile(r"(?P<scheme>https?://)(?P<login>[^/?#@\s]*)@")
_MAX_ENV_BYTES: Final = 1024 * 1024


class Export(NamedTuple):
    """A variable that must be set before the server can be used, and what it holds."""

    variable: str
    holds: str
    #: Whether it is this server's alone, and not what a person or the client says once.
    is_own: bool = False


@dataclass(frozen=True)
class Translated:
    """A server for a manifest, and as it can be reached now."""

    name: str
    #: What stands under `servers:`; it holds no secret.
    entry: dict[str, Any]
    #: The same with the values that the client's file has; never written.
    live: UpstreamServer
    exports: tuple[Export, ...]
    #: Notes about what could not be carried over.
    notes: tuple[str, ...]


class _Basic(NamedTuple):
    """A login as it is declared, and as it is used now."""

    declared: dict[str, Any]
    live: BasicAuth


class _Text(NamedTuple):
    """A text as it is declared, and as it is used now; both may name variables."""

    declared: str
    live: str


def translated(server: ClientServer, name: str, taken: Iterable[str] = ()) -> Translated:
    """The server as an entry under `name`; the variables that it proposes are not in `taken`."""
    return _Translation(server, name, set(taken)).result()


@dataclass
class _Translation:
    server: ClientServer
    name: str
    taken: set[str]
    exports: dict[str, Export] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def result(self) -> Translated:
        server = self.server
        env = self._values({**self._env_file(), **server.env}, "env")
        headers = self._values(server.headers, "headers")
        command = self._command()
        cwd = self._text(server.cwd, "cwd") if server.cwd else None
        address, login = _without_login(server.url or "")
        url = self._text(address, "url", secrets_in(address)) if address else None
        auth = self._basic(*login) if login else None
        entry = {
            "command": [part.declared for part in command],
            "cwd": cwd and cwd.declared,
            "env": {key: value for key, (value, _) in env.items()},
            "url": url and url.declared,
            "headers": {key: value for key, (value, _) in headers.items()},
            "auth": auth and {"basic": auth.declared},
        }
        live = UpstreamServer(
            name=self.name,
            command=tuple(part.live for part in command),
            cwd=cwd.live if cwd else None,
            env={key: text for key, (_, text) in env.items()},
            url=url.live if url else None,
            headers={key: text for key, (_, text) in headers.items()},
            auth=auth and UpstreamAuth(basic=auth.live),
        )
        declared = {key: value for key, value in entry.items() if value}
        exports = tuple(self.exports.values())
        return Translated(self.name, declared, live, exports, tuple(self.notes))

    def _values(self, values: Mapping[str, str], where: str) -> dict[str, tuple[Any, str]]:
        """Each variable or header as it is declared, and as it is used now."""
        return {key: self._value(key, value, f"{where}.{key}") for key, value in values.items()}

    def _value(self, key: str, value: str, where: str) -> tuple[Any, str]:
        before = dict(self.exports)
        text = self._text(value, where)
        if _ENV_VALUE.fullmatch(text.declared):
            return text.declared, text.live
        self.exports = before  # one variable holds it all
        if _PLACEHOLDER.search(value) is None and is_harmless(key, value):
            return {"plain": value}, literal(value)
        scheme = _SCHEME.match(value)
        hint = "token" if scheme or key.lower() == "authorization" else key
        variable = self._variable(hint, f"what {self.server.origin} has as {where}")
        prefix = scheme[0].split()[0] + " " if scheme else ""
        return f"{prefix}${{{variable}}}", text.live

    def _command(self) -> list[_Text]:
        parts: dict[int, list[SecretPart]] = {}
        for index, part in secret_parts(self.server.command):
            parts.setdefault(index, []).append(part)
        return [
            self._text(text, f"argument {index}", parts.get(index, ()))
            for index, text in enumerate(self.server.command)
        ]

    def _basic(self, user: str, password: str) -> "_Basic":
        """The login of an address, which a manifest keeps apart from it."""
        values = {
            "username": self._value("username", user, "the user in url"),
            "password": self._value("password", password, "the password in url"),
        }
        live = BasicAuth(values["username"][1], values["password"][1])
        return _Basic({key: declared for key, (declared, _) in values.items()}, live)

    def _text(self, text: str, where: str, secrets: Iterable[SecretPart] = ()) -> _Text:
        """A text with its placeholders translated and its secrets in variables."""
        declared = live = ""
        end = 0
        for start, stop, part in sorted(
            [*self._placeholders(text, where), *self._secrets(text, where, secrets)]
        ):
            if start >= end:  # a secret that holds a placeholder is one already
                declared += literal(text[end:start]) + part.declared
                live += literal(text[end:start]) + part.live
                end = stop
        return _Text(declared + literal(text[end:]), live + literal(text[end:]))

    def _placeholders(self, text: str, where: str) -> Iterable[tuple[int, int, _Text]]:
        for match in _PLACEHOLDER.finditer(text):
            yield match.start(), match.end(), self._placeholder(match[1], where)

    def _secrets(
        self, text: str, where: str, secrets: Iterable[SecretPart]
    ) -> Iterable[tuple[int, int, _Text]]:
        for start, end, hint in secrets:
            value = text[start:end]
            if _PLACEHOLDER.search(value) is None:
                variable = self._variable(hint, f"what {self.server.origin} has in its {where}")
                yield start, end, _Text(f"${{{variable}}}", literal(value))

    def _placeholder(self, inner: str, where: str) -> _Text:
        folder = self.server.workspace
        known: dict[str, Callable[[], _Text]] = {
            "workspaceFolder": lambda: self._folder("WORKSPACE_FOLDER", str(folder)),
            "workspaceFolderBasename": lambda: self._folder("WORKSPACE_NAME", folder.name),
            "userHome": lambda: _Text("${HOME}", "${HOME}"),
            "pathSeparator": lambda: _Text(os.sep, os.sep),
            "/": lambda: _Text(os.sep, os.sep),
        }
        if inner in known:
            return known[inner]()
        if prompted := _INPUT.fullmatch(inner):
            name = _upper(prompted[1])
            holds = f"what a person is asked for as {prompted[1]}"
            self.exports.setdefault(name, Export(name, holds))
            return _Text(f"${{{name}}}", f"${{{name}}}")
        if variable := _VARIABLE.fullmatch(inner):
            return self._with_default(variable[1], variable[2])
        self.notes[f"${{{inner}}} in {where} means nothing here, and is kept as it is"] = None
        return _Text(literal(f"${{{inner}}}"), literal(f"${{{inner}}}"))

    def _with_default(self, variable: str, default: str | None) -> _Text:
        reference = f"${{{variable}}}"
        if default is None:
            return _Text(reference, reference)
        self.notes[f"{variable} has a default, which is not kept: set the variable"] = None
        return _Text(reference, reference if variable in os.environ else literal(default[2:]))

    def _folder(self, variable: str, value: str) -> _Text:
        self.exports.setdefault(variable, Export(variable, "the folder that the client works in"))
        return _Text(f"${{{variable}}}", literal(value))

    def _variable(self, hint: str, holds: str) -> str:
        """The name of a new variable for a secret of this server, numbered if it is taken."""
        server, hinted = _upper(self.name), _upper(hint)
        base = hinted if hinted.startswith(server) else f"{server}_{hinted}"
        variable, number = base, 2
        while variable in self.taken or variable in self.exports:
            variable, number = f"{base}_{number}", number + 1
        self.exports[variable] = Export(variable, holds, is_own=True)
        return variable

    def _env_file(self) -> dict[str, str]:
        """The variables in the client's env file."""
        if self.server.env_file is None:
            return {}
        before = dict(self.exports)
        path = self._text(self.server.env_file, "envFile").live.replace("$${", "${")
        self.exports = before  # the manifest names no such file
        file = self.server.workspace / Path(path.replace("${HOME}", str(Path.home())))
        try:
            text = read_file(file, _MAX_ENV_BYTES).decode("utf-8", "replace")
        except OSError as error:
            self.notes[f"envFile {file} cannot be read: {error.strerror}"] = None
            return {}
        pairs = (_ENV_LINE.fullmatch(line.strip()) for line in text.splitlines())
        return {pair[1]: _unquoted(pair[2]) for pair in pairs if pair}


def _upper(text: str) -> str:
    """`github-mcp` becomes `GITHUB_MCP`: a name that a shell can export."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").upper() or "SERVER"
    return f"MCP_{name}" if name[0].isdigit() else name


def _without_login(url: str) -> tuple[str, tuple[str, str] | None]:
    """An address without the user and the password that it may hold, and those."""
    match = _LOGIN.match(url)
    if match is None:
        return url, None
    user, _, password = match["login"].partition(":")
    return match["scheme"] + url[match.end() :], (unquote(user), unquote(password))


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
