"""A request as a command of curl: one that can be run as it is, and in which no secret stands.

Variables of the environment stay variables, which the shell fills in. What an agent wrote is quoted.
"""

from base64 import b64encode
from collections.abc import Iterator
from shlex import quote
from typing import Final

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.http_api.request import ApiRequest
from toolfold_runtime.upstream.secrets import literal, pieces

_ESCAPED: Final = str.maketrans({character: f"\\{character}" for character in '\\"$`'})


def curl_of(server: UpstreamServer, request: ApiRequest) -> str:
    """The command; the address of the request begins with that of the server, as it is declared."""
    content = _content(request.body)
    before = (
        "" if content is None or content[0] else f"printf %s {quote(content[1])} | base64 -d | "
    )
    first = "curl --head" if request.method == "HEAD" else f"curl --request {request.method}"
    lines = [f"{before}{first}", f"--url {_shell(request.url)}", *_credentials(server, request)]
    if content is not None:
        lines.append(f"--data-binary {quote(content[1])}" if content[0] else "--data-binary @-")
    return " \\\n  ".join(lines)


def _credentials(server: UpstreamServer, request: ApiRequest) -> Iterator[str]:
    """The headers of a request, those of its server, and what authorizes it."""
    auth = server.auth
    key = auth.api_key if auth else None
    cookie = literal(request.headers.get("cookie", ""))
    for name, value in request.headers.items():
        if name != "cookie":
            yield f"--header {quote(f'{name}: {value}')}"
    for name, value in server.headers.items():
        yield f"--header {_shell(f'{name}: {value}')}"
    if key and key.place == "cookie":
        cookie = f"{cookie}; {key.name}={key.value}" if cookie else f"{key.name}={key.value}"
    if cookie:
        yield f"--header {_shell(f'cookie: {cookie}')}"
    if key and key.place == "header":
        yield f"--header {_shell(f'{key.name}: {key.value}')}"
    if key and key.place == "query":
        yield f"--url-query {_shell(f'{key.name}={key.value}')}"
    if auth and auth.bearer is not None:
        yield f"--header {_shell(f'authorization: Bearer {auth.bearer}')}"
    if auth and auth.basic is not None:
        yield f"--user {_shell(f'{auth.basic.username}:{auth.basic.password}')}"
    if auth and auth.client_credentials is not None:
        whose = literal(f"authorization: Bearer <token from {auth.client_credentials.token_url}>")
        yield f"--header {_shell(whose)}"


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
