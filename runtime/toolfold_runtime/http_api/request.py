"""Arguments to a request: nothing is sent, and no credential is in it."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import HttpOperation, HttpParameter
from toolfold_runtime.http_api.address import Base, address, filled_path
from toolfold_runtime.http_api.body import body_of
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.http_api.serialize import cookie_text, header_text, path_text, query_text

_ANY: Final = "*/*"
_JSON: Final = "application/json"


class ApiRequest(NamedTuple):
    """A request without its credentials."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None


def request_of(base: Base, operation: HttpOperation, arguments: Json) -> ApiRequest:
    """The request that carries an operation out with these arguments; ArgumentError where there is none."""
    try:
        return _request(base, operation, arguments)
    except UnicodeEncodeError:
        raise ArgumentError("an argument", "holds half of a surrogate pair") from None
    except RecursionError:
        raise ArgumentError("an argument", "is nested too deep") from None


def _request(base: Base, operation: HttpOperation, arguments: Json) -> ApiRequest:
    _refuse_unknown(operation, arguments)
    given = {
        parameter: arguments[parameter.argument]
        for parameter in operation.parameters
        if parameter.argument in arguments
    }
    # What a document has behind a `#` only tells its operations apart.
    path, _, fixed = operation.path.partition("#")[0].partition("?")
    texts = {
        parameter.argument: _in_path(parameter, value)
        for parameter, value in _at("path", given).items()
    }
    parts = [
        fixed,
        *(query_text(parameter, value) for parameter, value in _at("query", given).items()),
    ]
    url = address(base, filled_path(path, texts), "&".join(part for part in parts if part))
    headers = {"accept": _accepted(operation)}
    for parameter, value in _at("header", given).items():
        if value not in (None, [], {}):
            headers[parameter.name.lower()] = header_text(parameter, value)
    cookies = [cookie_text(parameter, value) for parameter, value in _at("cookie", given).items()]
    if any(cookies):
        headers["cookie"] = "; ".join(cookie for cookie in cookies if cookie)
    if operation.body is None:
        return ApiRequest(operation.method, url, headers)
    body = body_of(
        operation.body, arguments, {parameter.argument for parameter in operation.parameters}
    )
    if body is not None:
        headers["content-type"] = body.content_type
    return ApiRequest(operation.method, url, headers, body.content if body else None)


def _refuse_unknown(operation: HttpOperation, arguments: Json) -> None:
    """ArgumentError for an argument that nobody declared: nothing says where it would go."""
    if operation.body is not None and operation.body.is_open:
        return
    known = {parameter.argument for parameter in operation.parameters}
    if operation.body is not None:
        known |= {operation.body.argument or "", *operation.body.properties}
    for argument in arguments:
        if argument not in known:
            raise ArgumentError(argument, "the API has no such parameter")


def _at(place: str, given: Mapping[HttpParameter, Any]) -> dict[HttpParameter, Any]:
    return {parameter: value for parameter, value in given.items() if parameter.place == place}


def _in_path(parameter: HttpParameter, value: Any) -> str:
    text = path_text(parameter, value)
    if not text:
        raise ArgumentError(parameter.argument, "is sent in the path, and must not be empty there")
    return text


def _accepted(operation: HttpOperation) -> str:
    types = list(operation.types) or [_JSON]
    return ", ".join(types if _ANY in types else [*types, f"{_ANY};q=0.1"])
