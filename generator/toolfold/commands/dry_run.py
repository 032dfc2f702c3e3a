"""The request that a call of an HTTP API would send, without sending it."""

from pathlib import Path

from toolfold_runtime import ToolError

from toolfold.commands.call import Answer, load_server, parsed_arguments
from toolfold.errors import UsageError


def dry_run(manifest: Path, output: Path | None, tool: str, arguments: str) -> Answer:
    """The request as a command of curl; UsageError where the tool is no operation of an HTTP API."""
    from toolfold_runtime.http_api.address import base_of
    from toolfold_runtime.http_api.curl import curl_of
    from toolfold_runtime.http_api.errors import ArgumentError
    from toolfold_runtime.http_api.request import request_of
    from toolfold_runtime.running.arguments import Arguments
    from toolfold_runtime.running.validators import SchemaValidators

    catalog = load_server(manifest, output).catalog
    values = parsed_arguments(arguments)
    execution = catalog.facts.execution
    try:
        entry = catalog.entry(tool)
        operation = entry.http
        if operation is None:
            fact = f"{entry.name} is no operation of an HTTP API"
            raise UsageError(f"{fact}: there is no request to show")
        tool_setting = entry.limits.coerce_strings
        coerces = execution.coerce_strings if tool_setting is None else tool_setting
        valid = Arguments(SchemaValidators(execution.timeout)).validated(
            entry, values, coerce_strings=coerces
        )
    except ToolError as error:
        return Answer(str(error), is_error=True)
    server = catalog.upstream_servers[operation.server]
    try:
        base = base_of(server.url or "")
    except ValueError as error:
        raise UsageError(f"{manifest}: servers.{operation.server}.url: {error}") from None
    try:
        request = request_of(base, operation, valid.sent)
    except ArgumentError as error:
        return Answer(f"invalid_arguments: {error}", is_error=True)
    return Answer(curl_of(server, request), is_error=False)
