"""Streamable HTTP: stateless, JSON answers, safe by default.

On loopback, foreign Host and Origin headers are refused. Elsewhere a server needs a verifier of
tokens (an OAuth resource server), or the option that opens it on purpose.
"""

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolfold_runtime import log
from toolfold_runtime.errors import StartError
from toolfold_runtime.running.backends.implementation import load_object
from toolfold_runtime.serving.options import ServeOptions

if TYPE_CHECKING:
    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette


@dataclass(frozen=True)
class Listener:
    """Where to listen, whom to answer, and who checks tokens."""

    host: str
    port: int
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    verifier: "TokenVerifier | None" = None
    issuer: str = ""
    resource: str = ""
    scopes: tuple[str, ...] = ()


def listener_for(options: ServeOptions, root: Path) -> Listener:
    """The address to listen on; StartError where that would be unsafe."""
    is_local = _is_loopback(options.host)
    if not is_local and not options.verifier and not options.open:
        raise StartError(
            f"{options.host} is reachable from other machines: give a token verifier"
            " (--verifier, --issuer, --resource), or say --open"
        )
    if options.verifier and not (options.issuer and options.resource):
        raise StartError("--verifier goes with --issuer and --resource")
    local = ("127.0.0.1", "localhost", "[::1]") if is_local else ()
    given = (options.host, _host_of(options.resource))
    names = [name for name in dict.fromkeys((*local, *given)) if name]
    hosts = (*(f"{name}:*" for name in names), *names, *options.allow_host)
    return Listener(
        host=options.host,
        port=options.port,
        # Open on purpose, to any name, unless names were given.
        hosts=hosts if not options.open or options.allow_host else (),
        origins=(*(f"http://{name}:*" for name in names), *options.allow_origin),
        verifier=load_object(options.verifier, root, "verifier") if options.verifier else None,
        issuer=options.issuer or "",
        resource=options.resource or "",
        scopes=tuple(options.scope),
    )


async def run_http(server: "Server[Any]", listener: Listener) -> None:
    """Serve until a signal asks to stop; requests under way are finished first."""
    import uvicorn

    bound = _bound_socket(listener)
    host, port = bound.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    log.notice(f"serving on http://{host}:{port}/mcp")

    config = uvicorn.Config(
        http_app(server, listener),
        log_level="warning",
        timeout_graceful_shutdown=10,
        server_header=False,
    )
    await uvicorn.Server(config).serve(sockets=[bound])


def http_app(server: "Server[Any]", listener: Listener) -> "Starlette":
    """The ASGI application, with its checks of Host, Origin and tokens."""
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.transport_security import TransportSecuritySettings

    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(listener.hosts),
        allowed_hosts=list(listener.hosts),
        allowed_origins=list(listener.origins),
    )
    auth = None
    if listener.verifier is not None:
        auth = AuthSettings.model_validate(
            {
                "issuer_url": listener.issuer,
                "resource_server_url": listener.resource,
                "required_scopes": list(listener.scopes) or None,
                "validate_token_resource": True,
            }
        )
    return server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=security,
        host=listener.host,
        auth=auth,
        token_verifier=listener.verifier,
    )


def _bound_socket(listener: Listener) -> socket.socket:
    try:
        family = socket.getaddrinfo(listener.host, listener.port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP: asyncio sends at once only on sockets that say so.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((listener.host, listener.port))
        bound.listen()
    except OSError as error:
        address = f"{listener.host}:{listener.port}"
        raise StartError(f"cannot listen on {address}: {error.strerror}") from None
    return bound


def _host_of(address: str | None) -> str:
    return urlsplit(address).hostname or "" if address else ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
