"""The caller of a request, as the MCP SDK identifies it."""

from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import ServerRequestContext

from toolfold_runtime.running.caller import Caller


class Callers:
    """Makes the caller of each request of one server."""

    def __init__(self, issuer: str = "", *, is_local: bool = False) -> None:
        self._issuer = issuer
        self._is_local = is_local

    def caller_of(self, context: ServerRequestContext[Any]) -> Caller:
        """The caller of a request; without an identity where no verifier has looked at a token."""
        params = context.session.client_params
        info = params.client_info if params is not None else None
        name, version = (info.name, info.version) if info is not None else (None, None)
        token = None if self._is_local else get_access_token()
        if token is None:
            return Caller(
                client_name=name,
                client_version=version,
                request_id=context.request_id,
                is_local=self._is_local,
            )
        claims = token.claims or {}
        issuer = claims.get("iss") or self._issuer
        return Caller(
            issuer=str(issuer),
            subject=token.subject,
            client=token.client_id,
            scopes=tuple(token.scopes),
            claims=dict(claims),  # a verifier may answer with the same object again
            client_name=name,
            client_version=version,
            request_id=context.request_id,
        )
