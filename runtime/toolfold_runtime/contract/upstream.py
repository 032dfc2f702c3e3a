"""`servers.json`: the upstream servers and HTTP APIs of a catalog, and the tools of them.

Every text of a server but its name may hold `${VARIABLE}`, which stands for an environment variable and is
expanded when a server is first connected to; `$${` stands for `${`. No value of a secret is ever in a catalog.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from toolfold_runtime.contract.codec import Json

#: What happens to a call of a tool whose live definition differs from the pinned one.
PinPolicy: TypeAlias = Literal["refuse", "warn", "off"]
KeyPlace: TypeAlias = Literal["header", "query", "cookie"]
#: How often a request that may be repeated is retried.
RETRIES: Final = 2


class BasicAuth(NamedTuple):
    """A user name and a password."""

    username: str
    password: str


class ApiKeyAuth(NamedTuple):
    """A key that is sent as a header, as a cookie or in the query of the address."""

    name: str
    value: str
    place: KeyPlace = "header"


class ClientCredentials(NamedTuple):
    """A token that is fetched for this client, and again when it expires (OAuth 2.0, RFC 6749, 4.4)."""

    token_url: str
    client_id: str
    client_secret: str
    scopes: tuple[str, ...] = ()
    #: Parameters of the request for a token beside those of the standard, such as `audience`.
    parameters: dict[str, str] = {}  # noqa: RUF012 - a named tuple's default; never changed


class UpstreamAuth(NamedTuple):
    """How requests to a server over HTTP are authorized: exactly one of these."""

    bearer: str | None = None
    basic: BasicAuth | None = None
    api_key: ApiKeyAuth | None = None
    client_credentials: ClientCredentials | None = None


class UpstreamServer(NamedTuple):
    """A server that carries out tools: MCP by a command or at an address, or an HTTP API."""

    name: str
    command: tuple[str, ...] = ()
    #: The working directory of the command, from the manifest's folder.
    cwd: str | None = None
    env: dict[str, str] = {}  # noqa: RUF012
    url: str | None = None
    headers: dict[str, str] = {}  # noqa: RUF012
    auth: UpstreamAuth | None = None
    #: Seconds that a call may take, where its tool says nothing; None for the limit of all tools.
    timeout: float | None = None
    #: Calls that run at once; None for as many as may run of all tools.
    concurrency: int | None = None
    #: Seconds without a call after which a connection is closed.
    idle: float = 300.0
    #: Whether each caller with an identity gets a connection of its own.
    per_caller: bool = False
    pin: PinPolicy = "refuse"
    #: Whether it is an HTTP API whose operations are tools, and no MCP server.
    is_http_api: bool = False
    #: Of an HTTP API: requests a second, None for no limit; and how often one is tried again.
    rate: float | None = None
    retries: int = RETRIES


class UpstreamServers(NamedTuple):
    """`servers.json`: all servers that the manifest declares."""

    servers: tuple[UpstreamServer, ...]


class UpstreamTool(NamedTuple):
    """The server that carries a tool out, and the tool's name there."""

    server: str
    tool: str


class Pin(NamedTuple):
    """A line of `pins.jsonl`: a tool's definition when it was imported, as `upstream.pins.pinned` makes it."""

    tool: str
    definition: Json
