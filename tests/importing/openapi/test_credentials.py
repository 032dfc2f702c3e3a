"""How requests are authorized, by what a document says: `auth:` and `headers:` with names of variables."""

from pathlib import Path
from typing import Any, Final

import pytest
from toolfold.importing.openapi.security import Proposal, auth_of

from tests.importing.openapi.material import document, import_openapi, write
from tests.support.commands import toolfold
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


@pytest.mark.parametrize("address", ["https://a.example/${HOME}", "https://{tenant}.a.example"])
def test_no_text_of_a_document_is_a_variable_of_the_environment(address: str) -> None:
    flow = {"clientCredentials": {"tokenUrl": address}}

    assert proposed({"it": {"type": "oauth2", "flows": flow}}).auth == {"bearer": "${SHOP_TOKEN}"}


@pytest.mark.parametrize("name", ["Host", "Content-Length", "X-${HOME}", "X\r\nY"])
def test_no_key_is_a_header_that_leads_or_frames_a_request(name: str) -> None:
    assert proposed({"it": _key(name)}).auth is None


@pytest.mark.parametrize("case", SCHEMES)
def test_each_kind_of_credential_is_proposed(case: str) -> None:
    scheme, auth = SCHEMES[case]

    assert proposed({"it": scheme}).auth == auth


def test_the_author_is_told_where_a_secret_would_be_sent() -> None:
    (note,) = proposed({"it": _CLIENT}).notes

    assert "https://a.example/token" in note


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


def test_one_token_is_enough_for_two_schemes_of_oauth() -> None:
    person = {"type": "oauth2", "flows": {"implicit": {}}}
    together: Json = {"one": [], "other": []}

    assert proposed({"one": person, "other": person}, [together]) == proposed({"one": person})


def test_of_two_keys_in_the_query_one_is_part_of_the_address(tmp_path: Path) -> None:
    schemes = {"key": _key("key", "query"), "token": _key("token", "query")}
    given = document(
        {"/a": {"get": {"operationId": "look"}}},
        servers=[{"url": "https://a.example/v1"}],
        components={"securitySchemes": schemes},
        security=[{"key": [], "token": []}],
    )
    assert import_openapi(tmp_path, write(tmp_path, given), "--name", "shop").code == 0
    assert toolfold(tmp_path, "generate", "--quiet").code == 0

    done = toolfold(tmp_path, "try", "shop_look", "{}", "--dry-run")

    assert '--url "https://a.example/v1/a?token=${SHOP_TOKEN}"' in done.out
    assert '--url-query "key=${SHOP_KEY}"' in done.out


def test_what_cannot_be_sent_beside_another_is_named() -> None:
    schemes = {"key": _key("key", "cookie"), "token": _BEARER}

    found = proposed(schemes, [{"key": [], "token": []}])

    assert found.auth == {"bearer": "${SHOP_TOKEN}"}
    assert found.notes == ("key is asked for as well, and cannot be sent with it",)


def test_what_cannot_be_sent_is_not_proposed() -> None:
    signed = {**_key("Authorization"), "x-amazon-apigateway-authtype": "awsSigv4"}

    found = proposed({"hmac": signed, "certificate": {"type": "mutualTLS"}})

    assert found.auth is None
    assert found.notes == ("credentials of these kinds cannot be sent: hmac, certificate",)
