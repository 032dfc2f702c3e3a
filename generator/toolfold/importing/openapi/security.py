"""How requests are authorized, as a proposal for `auth:`: credentials by the names of variables."""

import re
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.texts import line_of

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_ADDRESS: Final = re.compile(r"https?://[^\s/@]+(/[^\s]*)?")


class Proposal(NamedTuple):
    """The `auth:` of a server, the variables that it needs, and what to tell the author."""

    auth: Json | None
    #: Variable to what it holds.
    variables: dict[str, str]
    notes: tuple[str, ...] = ()


def auth_of(schemes: Json, requirements: Any, server: str) -> Proposal:
    """The proposal for a document's security schemes; None of one that cannot be sent."""
    if not schemes:
        text = (
            "the document declares no credentials; if it needs some, add `auth:` under the server"
        )
        return Proposal(None, {}, (text,))
    prefix = re.sub(r"[^A-Z0-9]+", "_", server.upper()).strip("_") or "API"
    proposals = [
        proposal
        for name in _wanted(schemes, requirements)
        if isinstance(schemes[name], dict)
        and (proposal := _proposal(schemes[name], prefix)) is not None
    ]
    if not proposals:
        named = ", ".join(line_of(name, 40) for name in schemes)
        return Proposal(None, {}, (f"credentials of these kinds cannot be sent: {named}",))
    return proposals[0]


def hidden_parameters(schemes: Json) -> frozenset[tuple[str, str]]:
    """The parameters, by place and name in lower case, that credentials are sent as."""
    return frozenset(
        (str(own.get("in")), str(own.get("name")).lower())
        for own in schemes.values()
        if isinstance(own, dict) and own.get("type") == "apiKey"
    )


def _wanted(schemes: Json, requirements: Any) -> list[str]:
    """The schemes in the order in which the document asks for them, then the others."""
    asked = [
        name
        for requirement in (requirements if isinstance(requirements, list) else ())
        if isinstance(requirement, dict)
        for name in requirement
        if name in schemes
    ]
    names = list(dict.fromkeys([*asked, *schemes]))
    return sorted(names, key=lambda name: (name not in asked, _preference(schemes[name])))


def _preference(scheme: Any) -> int:
    """A token before a key, before a user with a password."""
    if not isinstance(scheme, dict):
        return 9
    kind, name = scheme.get("type"), str(scheme.get("scheme", "")).lower()
    order = (
        kind == "http" and name == "bearer",
        kind == "oauth2",
        kind == "apiKey",
        kind == "http" and name == "basic",
        True,
    )
    return order.index(True)


def _proposal(scheme: Json, prefix: str) -> Proposal | None:
    kind, name = scheme.get("type"), str(scheme.get("scheme", "")).lower()
    token = f"{prefix}_TOKEN"
    if kind == "http" and name == "basic":
        user, password = f"{prefix}_USERNAME", f"{prefix}_PASSWORD"
        auth = {"basic": {"username": f"${{{user}}}", "password": f"${{{password}}}"}}
        return Proposal(auth, {user: "the user", password: "the password"})
    if kind == "http" and name == "bearer":
        return Proposal({"bearer": f"${{{token}}}"}, {token: "a token"})
    if kind == "apiKey":
        return _api_key(scheme, prefix)
    if kind in ("oauth2", "openIdConnect"):
        return _oauth(scheme, prefix)
    return None


def _api_key(scheme: Json, prefix: str) -> Proposal | None:
    name, place = scheme.get("name"), scheme.get("in")
    if not isinstance(name, str) or not _HEADER.fullmatch(name) or scheme.keys() & _SIGNED:
        return None
    if place not in ("header", "query", "cookie"):
        return None
    if place == "header" and name.lower() == "authorization":
        token = f"{prefix}_TOKEN"
        text = "the document names the header Authorization; a bearer token is proposed for it"
        return Proposal({"bearer": f"${{{token}}}"}, {token: "a token"}, (text,))
    key = f"{prefix}_KEY"
    own = {"name": name, "value": f"${{{key}}}"}
    own |= {"place": place} if place != "header" else {}
    return Proposal({"api_key": own}, {key: f"the key that is sent as {name}"})


# Signatures of whole requests, which are more than a key.
_SIGNED: Final = frozenset({"x-amazon-apigateway-authtype"})


def _oauth(scheme: Json, prefix: str) -> Proposal:
    flows = scheme.get("flows")
    flow = flows.get("clientCredentials") if isinstance(flows, dict) else None
    address = flow.get("tokenUrl") if isinstance(flow, dict) else None
    if isinstance(address, str) and _ADDRESS.fullmatch(address):
        client, secret = f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET"
        own = {
            "token_url": address,
            "client_id": f"${{{client}}}",
            "client_secret": f"${{{secret}}}",
        }
        variables = {client: "the client's id", secret: "its secret"}
        return Proposal({"client_credentials": own}, variables)
    token = f"{prefix}_TOKEN"
    text = "OAuth with a person is not done here: get a token elsewhere, for this server's own use"
    return Proposal({"bearer": f"${{{token}}}"}, {token: "an access token"}, (text,))
