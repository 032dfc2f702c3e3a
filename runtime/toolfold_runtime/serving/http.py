"""Streamable HTTP: stateless, JSON answers, safe by default.

On loopback, foreign Host and Origin headers are refused. Elsewhere a server wants a verifier of
tokens (an OAuth resource server), or to be told that it is open on purpose.
"""

import argparse
import ipaddress
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolfold_runtime.running.backends.implementation import ImplementationError, load_object


@dataclass(frozen=True)
class Listening:
    """Where to listen, whom to answer, and who checks tokens."""

    host: str
    port: int
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    verifier: Any = None
    issuer: str = ""
    resource: str = ""
    scopes: tuple[str, ...] = ()


def listening_on(options: argparse.Namespace, root: Path) -> Listening:
    """The address that was asked for; ImplementationError where it would be unsafe."""
    is_local = _is_loopback(options.host)
    if not is_local and not options.verifier and not options.open:
        raise ImplementationError(
            f"{options.host} is reachable from other machines: give a token verifier"
            " (--verifier, --issuer, --resource), or say --open"
        )
    if options.verifier and not (options.issuer and options.resource):
        raise ImplementationError("--verifier goes with --issuer and --resource")
    names = ["127.0.0.1", "localhost", "[::1]"] if is_local else []
    names += [name for name in (options.host, _host_of(options.resource)) if name not in names]
    hosts = [f"{name}:*" for name in names if name] + [n for n in names if n] + options.allow_host
    origins = [f"http://{name}:*" for name in names if name] + options.allow_origin
    return Listening(
        host=options.host,
        port=options.port,
        # Open on purpose, to any name, unless names were given.
        hosts=tuple(hosts) if not options.open or options.allow_host else (),
        origins=tuple(origins),
        verifier=load_object(options.verifier, root, "verifier") if options.verifier else None,
        issuer=options.issuer or "",
        resource=options.resource or "",
        scopes=tuple(options.scope),
    )


async def run_http(server: Any, listening: Listening) -> None:
    """Serve until a signal asks to stop; requests under way are finished first."""
    import uvicorn

    bound = _bound(listening)
    host, port = bound.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    print(f"serving on http://{host}:{port}/mcp", file=sys.stderr)  # noqa: T201 - the log

    config = uvicorn.Config(
        http_app(server, listening),
        log_level="warning",
        timeout_graceful_shutdown=10,
        server_header=False,
    )
    await uvicorn.Server(config).serve(sockets=[bound])


def http_app(server: Any, listening: Listening) -> Any:
    """The ASGI application, with its checks of Host, Origin and tokens."""
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.transport_security import TransportSecuritySettings

    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(listening.hosts),
        allowed_hosts=list(listening.hosts),
        allowed_origins=list(listening.origins),
    )
    auth = None
    if listening.verifier is not None:
        auth = AuthSettings.model_validate(
            {
                "issuer_url": listening.issuer,
                "resource_server_url": listening.resource,
                "required_scopes": list(listening.scopes) or None,
                "validate_token_resource": True,
            }
        )
    return server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=security,
        host=listening.host,
        auth=auth,
        token_verifier=listening.verifier,
    )


def _bound(listening: Listening) -> socket.socket:
    try:
        family = socket.getaddrinfo(listening.host, listening.port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP: asyncio sends at once only on sockets that say so.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((listening.host, listening.port))
        bound.listen()
    except OSError as error:
        address = f"{listening.host}:{listening.port}"
        raise ImplementationError(f"cannot listen on {address}: {error.strerror}") from None
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
