"""The upstream servers of a catalog, and the definitions of their tools that were imported."""

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.upstream import (
    ApiKeyAuth,
    BasicAuth,
    ClientCredentials,
    Pin,
    UpstreamAuth,
    UpstreamServer,
    UpstreamServers,
)
from toolfold_runtime.upstream.pins import pinned
from toolfold_runtime.upstream.secrets import literal

from toolfold.manifest.load import Loaded
from toolfold.manifest.schema import Manifest
from toolfold.manifest.upstream import Auth, Secret, Upstream
from toolfold.plan.catalog_files import catalog_text
from toolfold.plan.text.escape import json_text


def upstream_files(header: str, loaded: Loaded) -> dict[str, str]:
    """Path below `catalog/` to text: nothing where no server is declared."""
    if not loaded.manifest.servers:
        return {}
    pins = (
        json_text(encode(Pin(name, pinned(definition))))
        for name, definition in loaded.pins.items()
        if name in loaded.manifest.tools
    )
    servers = UpstreamServers(tuple(upstream_servers(loaded.manifest).values()))
    return {
        files.SERVERS: catalog_text(header, servers),
        files.PINS: catalog_text(header, list(pins)),
    }


def upstream_servers(manifest: Manifest) -> dict[str, UpstreamServer]:
    """Every declared server by its name, as the runtime reads it."""
    return {name: upstream_server(name, upstream) for name, upstream in manifest.servers.items()}


def upstream_server(name: str, upstream: Upstream) -> UpstreamServer:
    """A declared server as the runtime reads it."""
    server = UpstreamServer(
        name=name,
        command=tuple(upstream.command or ()),
        cwd=upstream.cwd,
        env=_texts(upstream.env),
        url=upstream.url,
        headers=_texts(upstream.headers),
        auth=None if upstream.auth is None else _auth(upstream.auth),
        timeout=upstream.timeout,
        concurrency=upstream.concurrency,
        per_caller=upstream.per_caller,
        pin=upstream.pin,
    )
    if upstream.is_http_api:
        retries = server.retries if upstream.retries is None else upstream.retries
        return server._replace(is_http_api=True, rate=upstream.rate, retries=retries)
    return server if upstream.idle is None else server._replace(idle=upstream.idle)


def _auth(auth: Auth) -> UpstreamAuth:
    """The authorization that the manifest declares."""
    if auth.bearer is not None:
        return UpstreamAuth(bearer=_text(auth.bearer))
    if basic := auth.basic:
        return UpstreamAuth(basic=BasicAuth(_text(basic.username), _text(basic.password)))
    if key := auth.api_key:
        return UpstreamAuth(api_key=ApiKeyAuth(key.name, _text(key.value), key.place))
    if client := auth.client_credentials:
        credentials = ClientCredentials(
            client.token_url,
            _text(client.client_id),
            _text(client.client_secret),
            tuple(client.scopes),
            _texts(client.parameters),
        )
        return UpstreamAuth(client_credentials=credentials)
    return UpstreamAuth()


def _texts(values: dict[str, str | Secret]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items()}


def _text(value: str | Secret) -> str:
    """A value with its `${VARIABLE}`s; a `plain` value is escaped, as it has none."""
    return literal(value.plain) if isinstance(value, Secret) else value
