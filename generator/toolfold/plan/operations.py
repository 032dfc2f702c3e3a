"""The operations of HTTP APIs that carry tools out: requests written out in full, and the schemas of answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import Json, encode
from toolfold_runtime.contract.http import (
    EXPLODED,
    OWN_HEADERS,
    STYLES,
    BodyPart,
    HttpBody,
    HttpDefinition,
    HttpOperation,
    HttpPages,
    HttpParameter,
    HttpSchema,
    ParameterPlace,
)

from toolfold.manifest.operation import Pagination, RequestBody, RequestParameter
from toolfold.manifest.schema import Backend, Manifest, Tool
from toolfold.plan.catalog_files import catalog_text
from toolfold.plan.findings import Findings
from toolfold.plan.model import ToolPlan
from toolfold.plan.schemas.keywords import properties_of
from toolfold.plan.schemas.served import reached_definitions
from toolfold.plan.schemas.validation_cost import DefinitionChecks
from toolfold.plan.text.escape import json_text

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
# RFC 9110, section 5.6.2.
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def operation_of(
    tool: Tool, arguments: Json, checks: DefinitionChecks, *, is_shown_whole: bool
) -> HttpOperation | None:
    """The operation behind a tool, by the schema of its arguments; None if it has no HTTP API.

    `is_shown_whole` is whether the listed schema is all of that.
    """
    backend = tool.backend
    if backend is None or backend.operation is None:
        return None
    method, path = backend.operation.split(" ", 1)
    answer = backend.answer
    schema = answer.schema_ if answer else None
    return HttpOperation(
        server=backend.server or "",
        method=method,
        path=path,
        parameters=tuple(_parameters(backend, path, arguments)),
        body=_body(backend, path, arguments),
        types=tuple(answer.types) if answer else (),
        errors=dict(answer.errors) if answer else {},
        pages=_pages(backend.pages) if backend.pages else None,
        may_repeat=_may_repeat(tool, method),
        has_input_schema=not is_shown_whole,
        has_answer_schema=schema is not None,
        answer_checks=checks.per_value(schema),
    )


def check_operation(name: str, tool: Tool, arguments: Json, findings: Findings) -> None:
    """Report declarations that cannot be made into a request."""
    backend = tool.backend
    if backend is None or backend.operation is None:
        return
    known = properties_of(arguments)
    path = backend.operation.split(" ", 1)[1]
    where = ("tools", name, "backend")
    for argument in _BRACES.findall(path):
        if argument not in known:
            fact = f"the path has {{{argument}}}, and no argument is called that"
            findings.error((*where, "operation"), fact, "declare it in `input_schema:`", "http")
    request = backend.request
    for argument, parameter in request.parameters.items() if request else ():
        at = (*where, "request", "parameters", argument)
        if argument not in known:
            hint = "it is never sent; declare it in `input_schema:`, or take it out"
            findings.warning(at, "no argument is called that", hint, "http", of_key=True)
        name_there = parameter.name or argument
        if parameter.place == "header" and name_there.lower() in OWN_HEADERS:
            fact = f"{name_there} is a header that a request has by itself"
            findings.error((*at, "in"), fact, "no argument can be one; take it out", "http")
        elif parameter.place in ("header", "cookie") and not _TOKEN.fullmatch(name_there):
            fact = f'"{name_there}" is no name of a {parameter.place}'
            findings.error((*at, "name"), fact, "letters, digits and -", "http")
        if parameter.style is not None and parameter.style not in STYLES[parameter.place]:
            hint = f"one of: {', '.join(STYLES[parameter.place])}"
            fact = f"a {parameter.place} parameter has no style {parameter.style}"
            findings.error((*at, "style"), fact, hint, "http")
        if (parameter.place == "path") != (f"{{{argument}}}" in path):
            fact = (
                "the path has no place for it" if parameter.place == "path" else "it is in the path"
            )
            findings.error((*at, "in"), fact, f"the path is {path}", "http")


def schema_files(header: str, manifest: Manifest, tools: Sequence[ToolPlan]) -> dict[str, str]:
    """The files of whole schemas of operations: arguments that are listed in part, and answers.

    The definitions that they share are a file of their own; nothing where there are no such schemas.
    """
    inputs = {
        tool.name: manifest.tools[tool.name].input_schema or {}
        for tool in tools
        if tool.has_input_schema
    }
    answers = {
        tool.name: schema
        for tool in tools
        if (schema := manifest.tools[tool.name].answer_schema) is not None
    }
    if not inputs and not answers:
        return {}
    all_schemas: Json = {"allOf": [*inputs.values(), *answers.values()]}
    reached = reached_definitions(all_schemas, manifest.defs)
    shared = (HttpDefinition(n, schema) for n, schema in manifest.defs.items() if n in reached)
    return {
        files.INPUTS: catalog_text(header, _schema_lines(inputs)),
        files.ANSWERS: catalog_text(header, _schema_lines(answers)),
        files.DEFINITIONS: catalog_text(
            header, [json_text(encode(definition)) for definition in shared]
        ),
    }


def _schema_lines(schemas: Mapping[str, Json]) -> list[str]:
    return [json_text(encode(HttpSchema(name, schema))) for name, schema in schemas.items()]


def _may_repeat(tool: Tool, method: str) -> bool:
    """Whether a request may be sent twice, by its method and the declared effect.

    An effect that was only guessed is not relied on.
    """
    if method in ("PUT", "DELETE"):
        return True
    return tool.effect == "read" and (method in ("GET", "HEAD") or "effect" not in tool.proposed)


def _parameters(backend: Backend, path: str, arguments: Json) -> Iterator[HttpParameter]:
    """Every argument that is no part of the body, in the order of the schema."""
    given = backend.request.parameters if backend.request else {}
    in_body = _in_body(backend, path, arguments)
    for argument in properties_of(arguments):
        if argument in in_body:
            continue
        default: ParameterPlace = "path" if f"{{{argument}}}" in path else "query"
        parameter = given.get(argument) or RequestParameter.model_validate({"in": default})
        style = parameter.style or STYLES[parameter.place][0]
        explode = style in EXPLODED if parameter.explode is None else parameter.explode
        yield HttpParameter(
            argument,
            parameter.name or argument,
            parameter.place,
            style,
            explode,
            parameter.content,
            parameter.reserved,
        )


def _in_body(backend: Backend, path: str, arguments: Json) -> list[str]:
    """The arguments that the body is made of."""
    body = backend.request.body if backend.request else None
    if backend.request is None or body is None:
        return []
    if body.argument is not None:
        return [body.argument]
    elsewhere = {*backend.request.parameters, *_BRACES.findall(path)}
    return [argument for argument in properties_of(arguments) if argument not in elsewhere]


def _body(backend: Backend, path: str, arguments: Json) -> HttpBody | None:
    body = backend.request.body if backend.request else None
    if body is None:
        return None
    names = (
        {}
        if body.argument
        else {
            argument: body.names.get(argument, argument)
            for argument in _in_body(backend, path, arguments)
        }
    )
    return HttpBody(
        media_type=body.type,
        argument=body.argument,
        properties=names,
        is_open=body.argument is None and arguments.get("additionalProperties") is not False,
        is_required=body.required,
        is_base64=body.base64,
        parts=_parts(body),
    )


def _parts(body: RequestBody) -> dict[str, BodyPart]:
    return {
        name: BodyPart(part.type, part.style, part.explode, part.file)
        for name, part in body.parts.items()
    }


def _pages(pages: Pagination) -> HttpPages:
    return HttpPages(
        pages.style,
        pages.argument or "",
        pages.next or "",
        pages.items or "",
        pages.more or "",
    )
