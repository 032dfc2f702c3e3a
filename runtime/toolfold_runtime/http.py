"""Streamable HTTP: stateless, JSON answers, safe by default.

On loopback, foreign Host and Origin headers are refused. Elsewhere a server wants a verifier of
tokens (an OAuth resource server), or to be told that it is open on purpose.
"""

import argparse
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolfold_runtime.implementation import ImplementationError, load_object


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
    hosts = [f"{name}:*" for name in names] + names + options.allow_host
    origins = [f"http://{name}:*" for name in names] + options.allow_origin
    return Listening(
        host=options.host,
        port=options.port,
        hosts=tuple(hosts) or ((options.host, f"{options.host}:*") if not options.open else ()),
        origins=tuple(origins),
        verifier=load_object(options.verifier, root) if options.verifier else None,
        issuer=options.issuer or "",
        resource=options.resource or "",
        scopes=tuple(options.scope),
    )


async def run_http(server: Any, listening: Listening) -> None:
    """Serve until a signal asks to stop; requests under way are finished first."""
    import uvicorn

    config = uvicorn.Config(
        http_app(server, listening),
        host=listening.host,
        port=listening.port,
        log_level="warning",
        timeout_graceful_shutdown=10,
        server_header=False,
    )
    await uvicorn.Server(config).serve()


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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
