"""The shape of what a manifest says about upstream servers: where they are, and how they are called."""

from typing import Annotated, Final

from pydantic import ConfigDict, Discriminator, Field
from toolfold_runtime.contract.upstream import RETRIES, KeyPlace, PinPolicy

from toolfold.manifest.types import (
    MAPPING,
    WORD,
    Count,
    EnvName,
    HeaderName,
    HttpAddress,
    Line,
    ManifestModel,
    Scope,
    Seconds,
    Variable,
    word_or_mapping,
)

#: The keys of an entry that hold secrets: neither messages nor excerpts show their values.
SECRET_KEYS: Final = frozenset({"env", "headers", "auth"})


class Secret(ManifestModel):
    """A value that is written in the open on purpose."""

    plain: str = Field(description="The value itself.", examples=["test"])


EnvValue = Annotated[
    Annotated[Variable, WORD] | Annotated[Secret, MAPPING],
    Discriminator(word_or_mapping),
]


class Basic(ManifestModel):
    """A user and a password, sent with every request."""

    username: EnvValue = Field(description="The user.", examples=["${SHOP_USER}"])
    password: EnvValue = Field(description="The password.", examples=["${SHOP_PASSWORD}"])


class ApiKey(ManifestModel):
    """A key that is sent as a header, as a cookie, or in the query of the address."""

    name: HeaderName = Field(
        default="X-API-Key", description="The header, cookie or parameter that carries it."
    )
    value: EnvValue = Field(description="The key.", examples=["${SHOP_KEY}"])
    place: KeyPlace = Field(
        default="header", description="Where it is sent: header, query or cookie."
    )


class ClientCredentials(ManifestModel):
    """OAuth without a person: this server gets tokens in its own name."""

    token_url: HttpAddress = Field(
        description="Where tokens are given out.", examples=["https://example.com/oauth/token"]
    )
    client_id: EnvValue = Field(description="The client's id.", examples=["${SHOP_CLIENT}"])
    client_secret: EnvValue = Field(description="Its secret.", examples=["${SHOP_SECRET}"])
    scopes: list[Scope] = Field(
        default=[], description="The scopes to ask for.", examples=[["orders:read"]]
    )
    parameters: dict[str, EnvValue] = Field(
        default={},
        description="More parameters of the request for a token.",
        examples=[{"audience": {"plain": "https://example.com/orders"}}],
    )


class Auth(ManifestModel):
    """How requests to an address are authorized: one of these."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [key]} for key in ("bearer", "basic", "api_key", "client_credentials")
            ]
        }
    )

    bearer: EnvValue | None = Field(
        default=None, description="A token, sent as `Authorization: Bearer`.", examples=["${TOKEN}"]
    )
    basic: Basic | None = Field(
        default=None,
        description="A user and a password.",
        examples=[{"username": "${SHOP_USER}", "password": "${SHOP_PASSWORD}"}],
    )
    api_key: ApiKey | None = Field(
        default=None,
        description="A key, sent as a header, as a cookie or in the query.",
        examples=[{"name": "X-API-Key", "value": "${SHOP_KEY}"}],
    )
    client_credentials: ClientCredentials | None = Field(
        default=None,
        description="OAuth without a person: tokens for a client's id and secret.",
        examples=[
            {
                "token_url": "https://example.com/oauth/token",
                "client_id": "${SHOP_CLIENT}",
                "client_secret": "${SHOP_SECRET}",
            }
        ],
    )


class Upstream(ManifestModel):
    """A server that carries tools out: MCP by a command or at an address, or an HTTP API."""

    openapi: Line | None = Field(
        default=None,
        description=(
            "The document of an HTTP API, a file or an address, from which its tools were imported."
        ),
        examples=["shop.json"],
    )
    include: list[Line] = Field(
        default=[],
        description="Tags and paths of the operations to import from the document; default: all.",
        examples=[["orders", "/customers"]],
    )
    exclude: list[Line] = Field(
        default=[],
        description="Tags and paths of operations that are left out all the same.",
        examples=[["/orders/{id}/debug"]],
    )
    command: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None,
        description="The program to start, and its arguments.",
        examples=[["npx", "-y", "some-server"]],
    )
    cwd: Line | None = Field(
        default=None,
        description="The folder that it is started in; default: the manifest's.",
        examples=["data"],
    )
    env: dict[EnvName, EnvValue] = Field(
        default={},
        description="Environment variables of the program; secrets by the name of a variable.",
        examples=[{"TOKEN": "${SHOP_TOKEN}", "MODE": {"plain": "test"}}],
    )
    url: HttpAddress | None = Field(
        default=None,
        description="The address of a server that runs elsewhere; of an HTTP API, origin and base path.",
        examples=["https://example.com/mcp"],
    )
    headers: dict[HeaderName, EnvValue] = Field(
        default={},
        description="Headers of every request; secrets by the name of a variable.",
        examples=[{"Authorization": "Bearer ${SHOP_TOKEN}"}],
    )
    auth: Auth | None = Field(
        default=None,
        description="How requests are authorized: bearer, basic, api_key or client_credentials.",
        examples=[{"bearer": "${SHOP_TOKEN}"}],
    )
    timeout: Seconds | None = Field(
        default=None,
        description="Seconds that a call may take, where its tool says nothing; default: `execution.timeout`.",
        examples=[30],
    )
    concurrency: Count | None = Field(
        default=None,
        description="Calls of all its tools that run at once; default: `execution.concurrency`.",
        examples=[8],
    )
    rate: Annotated[float, Field(gt=0, le=100_000)] | None = Field(
        default=None,
        description="Requests a second to an HTTP API; default: no limit.",
        examples=[10],
    )
    retries: Annotated[int, Field(ge=0, le=10)] | None = Field(
        default=None,
        description="How often a request to an HTTP API that may be repeated is tried again.",
        json_schema_extra={"default": RETRIES},
    )
    idle: Seconds | None = Field(
        default=None,
        description="Seconds without a call after which the connection is closed; default: 300.",
        examples=[600],
    )
    per_caller: bool = Field(
        default=False,
        description="Whether each caller gets a connection of its own; for servers that keep state.",
    )
    pin: PinPolicy = Field(
        default="refuse",
        description=(
            "What becomes of calls of a tool that is no longer what was imported:"
            " refused, logged (warn), or nothing (off)."
        ),
    )

    @property
    def is_http_api(self) -> bool:
        """Whether its tools are operations of an HTTP API."""
        return self.openapi is not None
