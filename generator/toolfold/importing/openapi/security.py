"""How requests are authorized, as a proposal for `auth:`: credentials by the names of variables."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import OWN_HEADERS

from toolfold.importing.openapi.texts import line_of

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# Without braces: a document's own text must not be read as a variable of the environment.
_ADDRESS: Final = re.compile(r"https?://[^\s/@{}]+(/[^\s{}]*)?")


class Proposal(NamedTuple):
    """The `auth:` and `headers:` of a server, the variables that they need, and what to tell the author."""

    auth: Json | None
    #: Variable to what it holds.
    variables: dict[str, str]
    notes: tuple[str, ...] = ()
    #: Keys that are asked for together with what `auth` says, in headers and in the query.
    headers: Mapping[str, str] = MappingProxyType({})
    query: Mapping[str, str] = MappingProxyType({})


#: Names of schemes that are asked for together.
_Together: TypeAlias = tuple[str, ...]


def auth_of(schemes: Json, requirements: Sequence[Any], server: str) -> Proposal:
    """The proposal for a document's security schemes; None of one that cannot be sent.

    `requirements` are those of each operation. What most operations accept is proposed.
    """
    if not schemes:
        text = (
            "the document declares no credentials; if it needs some, add `auth:` under the server"
        )
        return Proposal(None, {}, (text,))
    prefix = _variable_of(server) or "API"
    accepted = [
        _alternatives(schemes, operation_requirements) for operation_requirements in requirements
    ]
    for together in _wanted(schemes, accepted):
        found = _proposal_of(together, schemes, prefix)
        if found is not None:
            others = sum(
                1
                for alternatives in accepted
                if alternatives and not _is_enough(together, alternatives)
            )
            return found if not others else found._replace(notes=(*found.notes, _of_others(others)))
    named = ", ".join(line_of(name, 40) for name in schemes)
    return Proposal(None, {}, (f"credentials of these kinds cannot be sent: {named}",))


def hidden_parameters(schemes: Json) -> frozenset[tuple[str, str]]:
    """The parameters, by place and name in lower case, that credentials are sent as."""
    return frozenset(
        (str(scheme.get("in")), str(scheme.get("name")).lower())
        for scheme in schemes.values()
        if isinstance(scheme, dict) and scheme.get("type") == "apiKey"
    )


def _alternatives(schemes: Json, requirements: Any) -> list[_Together]:
    """The sets of schemes that an operation accepts; empty where it needs no credentials."""
    given = requirements if isinstance(requirements, list) else ()
    named = (requirement for requirement in given if isinstance(requirement, dict))
    return [
        tuple(requirement)
        for requirement in named
        if requirement and requirement.keys() <= schemes.keys()
    ]


def _is_enough(together: _Together, accepted: list[_Together]) -> bool:
    return any({*alternative} <= {*together} for alternative in accepted)


def _wanted(schemes: Json, accepted: Iterable[list[_Together]]) -> list[_Together]:
    """What to propose, the best first: what most operations accept, then each of the other schemes."""
    counted = Counter(
        together for alternatives in accepted for together in dict.fromkeys(alternatives)
    )

    def rank(together: _Together) -> tuple[int, int]:
        return -counted[together], min(_preference(schemes[name]) for name in together)

    return sorted(dict.fromkeys([*counted, *((name,) for name in schemes)]), key=rank)


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


def _proposal_of(together: _Together, schemes: Json, prefix: str) -> Proposal | None:
    """One of the schemes as `auth:`, and keys beside it as headers; None where none can be sent."""
    # A key in a header can be sent beside anything else.
    names = sorted(
        together, key=lambda n: (_place_of(schemes[n]) == "header", _preference(schemes[n]))
    )
    is_alone = len(names) == 1
    proposals = {name: _proposal(schemes[name], prefix, is_alone) for name in names}
    found = next((proposal for proposal in proposals.values() if proposal is not None), None)
    if found is None:
        return None
    keys: dict[str, dict[str, str]] = {"header": {}, "query": {}}
    variables, notes = dict(found.variables), list(found.notes)
    for name, proposal in proposals.items():
        place = _place_of(schemes[name])
        if proposal is not None and proposal.auth == found.auth:
            continue  # one token is enough for both
        if place in keys:
            sent_as = schemes[name]["name"]
            variable = _variable_of(sent_as, prefix)
            keys[place][sent_as] = f"${{{variable}}}"
            variables[variable] = f"what is sent as {sent_as}"
        else:
            notes.append(f"{line_of(name, 40)} is asked for as well, and cannot be sent with it")
    return Proposal(found.auth, variables, tuple(notes), keys["header"], keys["query"])


def _place_of(scheme: Any) -> str:
    """Where a key is sent; empty for what is no key that can be sent."""
    if not isinstance(scheme, dict) or scheme.get("type") != "apiKey" or scheme.keys() & _SIGNED:
        return ""
    name, place = scheme.get("name"), str(scheme.get("in"))
    if not isinstance(name, str) or not _HEADER.fullmatch(name):
        return ""
    is_own = place == "header" and name.lower() in OWN_HEADERS - {"authorization", "cookie"}
    return "" if is_own else place


def _variable_of(text: str, prefix: str = "") -> str:
    """A name as that of a variable, which begins with a prefix."""
    variable = re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_")
    return variable if not prefix or variable.startswith(f"{prefix}_") else f"{prefix}_{variable}"


def _of_others(number: int) -> str:
    operations = "1 operation asks" if number == 1 else f"{number:,} operations ask"
    return f"{operations} for other credentials than the proposed ones"


def _proposal(scheme: Any, prefix: str, is_alone: bool) -> Proposal | None:
    if not isinstance(scheme, dict):
        return None
    kind, name = scheme.get("type"), str(scheme.get("scheme", "")).lower()
    token = f"{prefix}_TOKEN"
    if kind == "http" and name == "basic":
        user, password = f"{prefix}_USERNAME", f"{prefix}_PASSWORD"
        auth = {"basic": {"username": f"${{{user}}}", "password": f"${{{password}}}"}}
        return Proposal(auth, {user: "the user", password: "the password"})
    if kind == "http" and name == "bearer":
        return Proposal({"bearer": f"${{{token}}}"}, {token: "a token"})
    if _place_of(scheme) in ("header", "query", "cookie"):
        return _api_key(scheme, prefix, is_alone)
    if kind in ("oauth2", "openIdConnect"):
        return _oauth(scheme, prefix)
    return None


def _api_key(scheme: Json, prefix: str, is_alone: bool) -> Proposal:
    name, place = scheme["name"], _place_of(scheme)
    if place == "header" and name.lower() == "authorization":
        token = f"{prefix}_TOKEN"
        other = f'`api_key: {{name: {name}, value: "Token ${{{token}}}"}}`'
        text = f"the document names the header {name}; a bearer token is proposed for it"
        text += f"; where the API wants another word: {other}"
        return Proposal({"bearer": f"${{{token}}}"}, {token: "a token"}, (text,))
    key = f"{prefix}_KEY" if is_alone else _variable_of(name, prefix)
    api_key = {"name": name, "value": f"${{{key}}}"}
    api_key |= {"place": place} if place != "header" else {}
    return Proposal({"api_key": api_key}, {key: f"the key that is sent as {name}"})


# Signatures of whole requests, which are more than a key.
_SIGNED: Final = frozenset({"x-amazon-apigateway-authtype"})


def _oauth(scheme: Json, prefix: str) -> Proposal:
    flows = scheme.get("flows")
    flow = flows.get("clientCredentials") if isinstance(flows, dict) else None
    address = flow.get("tokenUrl") if isinstance(flow, dict) else None
    if isinstance(address, str) and _ADDRESS.fullmatch(address):
        client, secret = f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET"
        credentials = {
            "token_url": address,
            "client_id": f"${{{client}}}",
            "client_secret": f"${{{secret}}}",
        }
        variables = {client: "the client's id", secret: "its secret"}
        text = f"id and secret are sent to {line_of(address, 200)}, which the document names:"
        text += " make sure that it is the API's own"
        return Proposal({"client_credentials": credentials}, variables, (text,))
    token = f"{prefix}_TOKEN"
    text = "OAuth with a person is not done here: get a token elsewhere, for this server's own use"
    return Proposal({"bearer": f"${{{token}}}"}, {token: "an access token"}, (text,))
