"""Streamable HTTP: stateless, answers in JSON unless a stream is asked for, safe by default.

On loopback, foreign Host and Origin headers are refused. Elsewhere a server needs a verifier of
tokens (an OAuth resource server), or the option that opens it on purpose.
"""

import asyncio
import ipaddress
import logging
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from toolfold_runtime import server_log
from toolfold_runtime.asgi import Application
from toolfold_runtime.errors import StartError
from toolfold_runtime.running.backends.implementation import load_object
from toolfold_runtime.serving.hosts import Guard, allowed_host, allowed_origin
from toolfold_runtime.serving.options import ServeOptions

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.lowlevel import Server
    from starlette.routing import Route


@dataclass(frozen=True)
class Bounds:
    """The most connections, seconds and bytes of a server."""

    connections: int = 1_000
    #: Seconds for the head of a request, from the connection or its first byte, and for its body.
    head: float = 10.0
    body: float = 30.0
    #: Seconds between two requests of a connection.
    idle: int = 5
    #: Seconds in which a client must read a part of its answer.
    unread: float = 30.0
    #: Bytes of half-sent requests and of unread answers, each, of all connections together.
    pending: int = 128_000_000


@dataclass(frozen=True)
class Listener:
    """Options of listening: the address, the allowed hosts and origins, and the token verifier."""

    host: str
    port: int
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    verifier: "TokenVerifier | None" = None
    issuer: str = ""
    resource: str = ""
    scopes: tuple[str, ...] = ()
    #: The origins whose pages may call from a browser, and read the answers.
    cors_origins: tuple[str, ...] = ()
    #: For calls under way when it is time to stop.
    shutdown_seconds: float = 10.0
    bounds: Bounds = Bounds()


def check_address(options: ServeOptions) -> None:
    """Raise StartError where it would be unsafe to listen as the options say."""
    for host in options.allow_host:
        allowed_host(host)
    for origin in options.allow_origin:
        allowed_origin(origin)
    if not _is_loopback(options.host) and not options.verifier and not options.open:
        raise StartError(
            f"{options.host} is reachable from other machines: give a token verifier"
            " (--verifier, --issuer, --resource), or say --open"
        )
    if options.verifier and not (options.issuer and options.resource):
        raise StartError("--verifier goes with --issuer and --resource")
    if not options.verifier and (options.issuer or options.resource or options.scope):
        raise StartError("--issuer, --resource and --scope go with --verifier, which checks tokens")


def listener_for(options: ServeOptions, root: Path) -> Listener:
    """The address to listen on; StartError where that would be unsafe."""
    check_address(options)
    is_local = _is_loopback(options.host)
    local = ("127.0.0.1", "localhost", "[::1]") if is_local else ()
    given = (_bracketed(options.host), _bracketed(_host_of(options.resource)))
    names = [name for name in dict.fromkeys((*local, *given)) if name]
    hosts = (*(f"{name}:*" for name in names), *names, *options.allow_host)
    return Listener(
        host=options.host,
        port=options.port,
        # Open on purpose, to any name, unless names were given.
        hosts=hosts if not options.open or options.allow_host else (),
        origins=tuple(f"http://{name}:*" for name in names),
        verifier=_verifier(options.verifier, root) if options.verifier else None,
        issuer=options.issuer or "",
        resource=options.resource or "",
        scopes=tuple(options.scope),
        cors_origins=tuple(options.allow_origin),
        shutdown_seconds=options.shutdown_seconds,
    )


async def run_http(
    server: "Server[Any]",
    listener: Listener,
    stopping: asyncio.Event,
    shared: socket.socket | None = None,
    api: Application | None = None,
) -> None:
    """Serve until it is time to stop; requests under way are finished first.

    A socket that is shared with other processes was bound, and announced, by their parent.
    """
    bound = shared or bound_socket(listener.host, listener.port)
    if shared is None:
        server_log.notice(f"serving on {address_of(bound)}")
    web = http_server(server, listener, stopping, api)

    async def stop() -> None:
        await stopping.wait()
        web.should_exit = True

    stopper = asyncio.get_running_loop().create_task(stop())
    try:
        await web.serve(sockets=[bound])
    finally:
        stopper.cancel()


def http_server(
    server: "Server[Any]",
    listener: Listener,
    stopping: asyncio.Event | None = None,
    api: Application | None = None,
) -> "uvicorn.Server":
    """The server of HTTP, not yet listening; it counts as ready until `stopping` is set."""
    import uvicorn

    from toolfold_runtime.serving.connections import protocol_class
    from toolfold_runtime.serving.web_server import WebServer

    config = uvicorn.Config(
        http_app(server, listener, stopping or asyncio.Event(), api),
        http=protocol_class(listener.bounds),
        ws="none",
        log_config=None,  # its errors go to our log
        access_log=False,
        log_level="error",  # what it warns of is what clients send
        timeout_keep_alive=listener.bounds.idle,
        server_header=False,
    )
    return WebServer(config, listener.shutdown_seconds)


def http_app(
    server: "Server[Any]",
    listener: Listener,
    stopping: asyncio.Event,
    api: Application | None = None,
) -> Guard:
    """The ASGI application, with its checks of Host, Origin and tokens, for `api` as well."""
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.transport_security import TransportSecuritySettings

    from toolfold_runtime.serving.probes import Probes
    from toolfold_runtime.serving.streams import stream_where_asked

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
    application = server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        # The guard decides, and it alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        host=listener.host,
        auth=auth,
        token_verifier=listener.verifier,
        custom_starlette_routes=_api_routes(api, auth) if api else None,
    )
    stream_where_asked(server, application)
    # Both log a traceback where a client goes away early, or a call does not end with the server.
    for name in ("mcp.server.streamable_http", "uvicorn.error"):
        logging.getLogger(name).addFilter(_is_worth_a_look)
    probed = Probes(application, stopping)
    return Guard(probed, listener.hosts, listener.origins, listener.cors_origins)


def _api_routes(api: Application, auth: "AuthSettings | None") -> "list[Route]":
    """The route beside the endpoint: the SDK gives such ones no protection by itself."""
    from toolfold_runtime.serving.api_route import ApiRoute

    if auth is not None:
        from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
        from mcp.server.auth.routes import build_resource_metadata_url

        metadata = auth.resource_server_url and build_resource_metadata_url(
            auth.resource_server_url
        )
        api = RequireAuthMiddleware(api, auth.required_scopes or [], metadata)
    return [cast("Route", ApiRoute(api))]  # any route serves; the SDK only passes it on


def _verifier(path: str, root: Path) -> "TokenVerifier":
    verifier: TokenVerifier = load_object(path, root, "verifier")
    if isinstance(verifier, type) or not callable(getattr(verifier, "verify_token", None)):
        raise StartError(f"verifier {path}: no object with a method verify_token; name an instance")
    return verifier


def _is_worth_a_look(record: logging.LogRecord) -> bool:
    from starlette.requests import ClientDisconnect

    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, ClientDisconnect | asyncio.CancelledError)


def address_of(bound: socket.socket) -> str:
    """The address of the endpoint on a socket."""
    host, port = bound.getsockname()[:2]
    return f"http://{_bracketed(host)}:{port}/mcp"


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; StartError if the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP: asyncio sends at once only on sockets that say so.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()
    except OSError as error:
        reason = f"{error.strerror}; give another --port or --host"
        raise StartError(f"cannot listen on {host}:{port}: {reason}") from None
    return bound


def _bracketed(host: str) -> str:
    """A host as addresses have it."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _host_of(address: str | None) -> str:
    return urlsplit(address).hostname or "" if address else ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
