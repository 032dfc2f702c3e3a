"""How requests are authorized, by what a document says: `auth:` and `headers:` with names of variables."""

from typing import Any, Final

import pytest
from toolfold.importing.openapi.security import Proposal, auth_of

from tests.support.projects import Json

_BEARER: Final = {"type": "http", "scheme": "bearer"}
_BASIC: Final = {"type": "http", "scheme": "Basic"}
_CLIENT: Final = {
    "type": "oauth2",
    "flows": {"clientCredentials": {"tokenUrl": "https://a.example/token"}},
}


def _key(name: str, place: str = "header") -> Json:
    return {"type": "apiKey", "name": name, "in": place}


def proposed(schemes: Json, *requirements: Any) -> Proposal:
    """What is proposed for operations with these requirements."""
    return auth_of(schemes, requirements, "shop")


SCHEMES: Final[dict[str, tuple[Json, Json]]] = {
    "bearer": (_BEARER, {"bearer": "${SHOP_TOKEN}"}),
    "basic": (
        _BASIC,
        {"basic": {"username": "${SHOP_USERNAME}", "password": "${SHOP_PASSWORD}"}},
    ),
    "a header": (_key("X-Key"), {"api_key": {"name": "X-Key", "value": "${SHOP_KEY}"}}),
    "a cookie": (
        _key("sid", "cookie"),
        {"api_key": {"name": "sid", "value": "${SHOP_KEY}", "place": "cookie"}},
    ),
    "Authorization": (_key("Authorization"), {"bearer": "${SHOP_TOKEN}"}),
    "a client": (
        _CLIENT,
        {
            "client_credentials": {
                "token_url": "https://a.example/token",
                "client_id": "${SHOP_CLIENT_ID}",
                "client_secret": "${SHOP_CLIENT_SECRET}",
            }
        },
    ),
    "a person": ({"type": "oauth2", "flows": {"implicit": {}}}, {"bearer": "${SHOP_TOKEN}"}),
}


@pytest.mark.parametrize("case", SCHEMES)
def test_each_kind_of_credential_is_proposed(case: str) -> None:
    scheme, auth = SCHEMES[case]

    assert proposed({"it": scheme}).auth == auth


def test_what_most_operations_accept_is_proposed() -> None:
    schemes = {"client": _CLIENT, "bot": _BEARER}
    most: list[Json] = [{"bot": []}]

    found = proposed(schemes, most, most, [{"client": []}])

    assert found.auth == {"bearer": "${SHOP_TOKEN}"}
    assert found.notes == ("1 operation asks for other credentials than the proposed ones",)


def test_of_alternatives_a_token_is_proposed() -> None:
    schemes = {"basic": _BASIC, "bearer": _BEARER}
    requirement: list[Json] = [{}, {"basic": []}, {"bearer": []}]

    assert proposed(schemes, requirement, requirement, []) == proposed({"bearer": _BEARER})


def test_keys_that_are_asked_for_together_are_sent_together() -> None:
    schemes = {"id": _key("Shop-Client"), "secret": _key("X-Secret")}

    found = proposed(schemes, [{"id": [], "secret": []}])

    assert found.auth == {"api_key": {"name": "Shop-Client", "value": "${SHOP_CLIENT}"}}
    assert found.headers == {"X-Secret": "${SHOP_X_SECRET}"}
    assert list(found.variables) == ["SHOP_CLIENT", "SHOP_X_SECRET"]


def test_a_key_beside_a_token_is_a_header() -> None:
    schemes = {"key": _key("X-Key"), "token": _BEARER}

    found = proposed(schemes, [{"key": [], "token": []}])

    assert found.auth == {"bearer": "${SHOP_TOKEN}"}
    assert found.headers == {"X-Key": "${SHOP_X_KEY}"}


def test_what_cannot_be_sent_beside_another_is_named() -> None:
    schemes = {"key": _key("key", "query"), "token": _BEARER}

    found = proposed(schemes, [{"key": [], "token": []}])

    assert found.auth == {"bearer": "${SHOP_TOKEN}"}
    assert found.notes == ("key is asked for as well, and cannot be sent with it",)


def test_what_cannot_be_sent_is_not_proposed() -> None:
    signed = {**_key("Authorization"), "x-amazon-apigateway-authtype": "awsSigv4"}

    found = proposed({"hmac": signed, "certificate": {"type": "mutualTLS"}})

    assert found.auth is None
    assert found.notes == ("credentials of these kinds cannot be sent: hmac, certificate",)
