"""Who makes a call: the identity that a verifier found in a token, and what the client says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import canonical

# Claims that name one token and not its holder (RFC 7519): they change whenever a client refreshes its
# token, and a result that belongs to the holder is still the same.
_OF_THE_TOKEN: Final = frozenset({"exp", "nbf", "iat", "jti"})


@dataclass(frozen=True)
class Caller:
    """The caller of a call; unknown fields are None."""

    # The verified identity: None over stdio, and over HTTP without a verifier.
    #: Who issued the token.
    issuer: str | None = None
    #: Whom the token was issued for; unique for one issuer only.
    subject: str | None = None
    #: The OAuth client that the token was issued to.
    client: str | None = None
    #: The scopes of the token.
    scopes: tuple[str, ...] | None = None
    #: All claims that the verifier gave.
    claims: Mapping[str, Any] | None = None
    # What the client says of itself, unverified.
    #: The client's name, as it says.
    client_name: str | None = None
    #: The client's version, as it says.
    client_version: str | None = None
    #: The client's own id of the request; not unique.
    request_id: str | int | None = None
    #: Whether the caller started this process, as over stdio and in `toolfold try`.
    is_local: bool = False

    @cached_property
    def key(self) -> str | None:
        """For the runtime: what results and cursors belong to; None where there is no identity.

        A method may answer by anything that it sees of the identity, so two callers are the same
        only if all of that is equal.
        """
        if self.client is None:
            return None
        import hashlib  # only for callers with an identity
        import secrets

        claims = {k: v for k, v in (self.claims or {}).items() if k not in _OF_THE_TOKEN}
        identity = [self.issuer, self.subject, self.client, sorted(self.scopes or ()), claims]
        try:
            text = canonical(identity)
        except (TypeError, ValueError) as error:
            # Nobody can tell whether two of them are the same, so nothing is shared.
            from toolfold_runtime import server_log  # rarely needed, and not at once

            hint = "let the verifier give claims that are JSON; until then nothing is cached"
            server_log.warning("claims of a token are not JSON", error=str(error), hint=hint)
            text = secrets.token_hex()
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


#: Whoever started this process.
LOCAL: Final = Caller(is_local=True)


def require_scopes(entry: ToolEntry, caller: Caller) -> None:
    """ToolError `forbidden` where the caller lacks scopes of the tool, naming them.

    Whoever started the process could run the tool's code without it, so a local caller needs none.
    """
    if not entry.scopes or caller.is_local:
        return
    if caller.scopes is None:
        text = f"{entry.name} needs {_named(entry.scopes)}, and this server checks no tokens."
        raise ToolError("forbidden", f"{text} Whoever runs it must give it a --verifier.")
    missing = [scope for scope in entry.scopes if scope not in caller.scopes]
    if missing:
        text = f"{entry.name} needs {_named(entry.scopes)}; the token lacks {', '.join(missing)}."
        raise ToolError("forbidden", f'{text} Get a token with "{" ".join(entry.scopes)}".')


def _named(scopes: tuple[str, ...]) -> str:
    return f"the scope{'s' if len(scopes) > 1 else ''} {', '.join(scopes)}"
