"""Where an API is, by what its document says."""

from typing import Final

import pytest
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.servers import location_of
from toolfold.importing.openapi.version import servers_of, version_of

from tests.importing.openapi.material import document
from tests.support.projects import Json


def _server(url: str, **variables: str) -> Json:
    return {
        "url": url,
        "variables": {name: {"default": value} for name, value in variables.items()},
    }


SERVERS: Final[dict[str, tuple[list[Json], str]]] = {
    "the first": (
        [_server("https://a.example/v1/"), _server("https://b.example")],
        "https://a.example/v1",
    ),
    "https before http": (
        [_server("http://a.example"), _server("https://a.example")],
        "https://a.example",
    ),
    "without a scheme": ([_server("//a.example/v1")], "https://a.example/v1"),
    "with a query": ([_server("https://a.example/v1?key=#top")], "https://a.example/v1"),
    "variables": (
        [_server("https://{host}/{base}", host="a.example:8443", base="api/v2")],
        "https://a.example:8443/api/v2",
    ),
    "a variable that is all of it": (
        [_server("{base}", base="https://a.example")],
        "https://a.example",
    ),
    "a variable without a value": (
        [_server("https://{region}.a.example")],
        "https://${SHOP_REGION}.a.example",
    ),
    "a value that would lead elsewhere": (
        [_server("https://{user}.a.example", user="me@evil.example")],
        "https://${SHOP_USER}.a.example",
    ),
    "a path alone": ([_server("/v1")], "https://${SHOP_HOST}/v1"),
    "nothing": ([], "https://${SHOP_HOST}"),
}


@pytest.mark.parametrize("case", SERVERS)
def test_the_address_is_what_the_document_says(case: str) -> None:
    servers, url = SERVERS[case]

    assert location_of(servers, "shop.json", "shop").url == url


def test_other_addresses_are_those_that_were_not_taken() -> None:
    servers = [_server("http://a.example"), _server("https://a.example")]

    assert location_of(servers, "shop.json", "shop").notes == (
        "the document names other addresses too: http://a.example",
    )


@pytest.mark.parametrize("host", ["a.example", "https://a.example"])
def test_the_host_of_swagger_2_may_have_a_scheme(host: str) -> None:
    given = Document("shop.json", document({}, "2.0", host=host, basePath="/v1"))

    assert servers_of(given.data, version_of(given)) == [{"url": "https://a.example/v1"}]
