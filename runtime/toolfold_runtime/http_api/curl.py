"""A request as a command of curl: one that can be run as it is, and in which no secret stands.

Variables of the environment stay variables, which the shell fills in. What an agent wrote is quoted,
and left out where credentials stand in its place, as when the request is sent.
"""

from base64 import b64encode
from collections.abc import Iterator
from shlex import quote
from typing import Final
from urllib.parse import unquote_plus

from toolfold_runtime.contract.upstream import UpstreamAuth, UpstreamServer
from toolfold_runtime.http_api.request import ApiRequest
from toolfold_runtime.upstream.secrets import literal, pieces

#: Within double quotes; an interactive shell takes `!` for its history there.
_ESCAPED: Final = str.maketrans(
    {**{character: f"\\{character}" for character in '\\"$`'}, "!": "\"'!'\""}
)
#: What curl takes for patterns in an address.
_GLOBS: Final = frozenset("[]{}")


def curl_of(server: UpstreamServer, request: ApiRequest) -> str:
    """The command; the address of the request begins with that of the server, as it is declared."""
    content = _content(request.body)
    before = (
        "" if content is None or content[0] else f"printf %s {quote(content[1])} | base64 -d | "
    )
    first = "curl --head" if request.method == "HEAD" else f"curl --request {request.method}"
    url = _url(server, request)
    if _GLOBS & set("".join(piece for piece, _ in pieces(url))):
        first += " --globoff"
    lines = [f"{before}{first}", f"--url {_shell(url)}", *_headers(server, request)]
    lines += _other_credentials(server)
    if content is not None:
        # `--data-raw`, because the other takes a text that begins with @ for the name of a file.
        lines.append(f"--data-raw {quote(content[1])}" if content[0] else "--data-binary @-")
    return " \\\n  ".join(lines)


def _url(server: UpstreamServer, request: ApiRequest) -> str:
    """The address, without what has the name of a key in the query."""
    key = server.auth.api_key if server.auth else None
    path, mark, query = request.url.partition("?")
    if not mark or key is None or key.place != "query":
        return request.url
    pairs = [pair for pair in query.split("&") if unquote_plus(pair.partition("=")[0]) != key.name]
    return f"{path}?{'&'.join(pairs)}" if pairs else path


def _headers(server: UpstreamServer, request: ApiRequest) -> Iterator[str]:
    """The headers of a request, in whose place those of its server stand, and in theirs what authorizes it."""
    auth = server.auth or UpstreamAuth()
    headers = {name: (name, literal(value)) for name, value in request.headers.items()}
    headers |= {name.lower(): (name, value) for name, value in server.headers.items()}
    _, cookie = headers.pop("cookie", ("", ""))
    if (key := auth.api_key) and key.place == "cookie":
        pairs = (pair.strip() for pair in cookie.split(";"))
        others = [pair for pair in pairs if pair and pair.partition("=")[0] != key.name]
        cookie = "; ".join([*others, f"{key.name}={key.value}"])
    if cookie:
        headers["cookie"] = ("cookie", cookie)
    if key and key.place == "header":
        headers[key.name.lower()] = (key.name, key.value)
    if auth.bearer is not None:
        headers["authorization"] = ("authorization", f"Bearer {auth.bearer}")
    if auth.basic is not None:
        headers.pop("authorization", None)
    if auth.client_credentials is not None:
        whose = literal(f"Bearer <token from {auth.client_credentials.token_url}>")
        headers["authorization"] = ("authorization", whose)
    for name, value in headers.values():
        # Without a value, a colon takes a header away.
        yield f"--header {_shell(f'{name}: {value}' if value else f'{name};')}"


def _other_credentials(server: UpstreamServer) -> Iterator[str]:
    """What authorizes a request beside its headers."""
    auth = server.auth or UpstreamAuth()
    if auth.api_key and auth.api_key.place == "query":
        yield f"--url-query {_shell(f'{auth.api_key.name}={auth.api_key.value}')}"
    if auth.basic is not None:
        yield f"--user {_shell(f'{auth.basic.username}:{auth.basic.password}')}"


def _content(body: bytes | None) -> tuple[bool, str] | None:
    """The body as text, and whether it is the body itself or base64 of it; None without one."""
    if body is None:
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False, b64encode(body).decode()
    is_plain = all(character.isprintable() or character in "\r\n\t" for character in text)
    return (True, text) if is_plain else (False, b64encode(body).decode())


def _shell(text: str) -> str:
    """A text of a manifest as one word of a shell, in which its variables are the shell's."""
    parts = [f"${{{name}}}" if name else piece.translate(_ESCAPED) for piece, name in pieces(text)]
    has_variable = any(name for _, name in pieces(text))
    return f'"{"".join(parts)}"' if has_variable else quote("".join(p for p, _ in pieces(text)))
