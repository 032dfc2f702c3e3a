"""Operations as entries under `tools:`: what agents read, what is validated, and how it is sent."""

import re
from collections.abc import Iterator
from typing import Any, Final

from toolfold_runtime.contract.codec import Json

from toolfold.importing.convert import first_sentence
from toolfold.importing.openapi.answers import answer_of
from toolfold.importing.openapi.arguments import Arguments, arguments_of
from toolfold.importing.openapi.bodies import Body, body_of
from toolfold.importing.openapi.effects import effect_of
from toolfold.importing.openapi.keywords import is_writable
from toolfold.importing.openapi.operations import Operation
from toolfold.importing.openapi.pages import pages_of
from toolfold.importing.openapi.references import References
from toolfold.importing.openapi.schemas import Schemas
from toolfold.importing.openapi.texts import cut_text, line_of, plain_text, without_links
from toolfold.importing.openapi.warnings import Warnings
from toolfold.plan.schemas.validation_cost import quick_validator

_SUMMARY: Final = 120
_DESCRIPTION: Final = 500
_LONGEST_EXAMPLE: Final = 2000
_MOST_TAGS: Final = 8
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"\\^`{|}]{1,2000}")


class Entries:
    """Makes the entry of each operation; what they share is in `schemas`."""

    def __init__(
        self,
        server: str,
        references: References,
        schemas: Schemas,
        hidden: frozenset[tuple[str, str]],
        warnings: Warnings,
    ) -> None:
        self._server = server
        self._references = references
        self._schemas = schemas
        self._hidden = hidden
        self._warnings = warnings

    def entry(self, operation: Operation, category: str) -> Json:
        """The entry of an operation, in the form of the manifest."""
        given, named = operation.given, operation.named
        where = f"{named.method} {named.path}"
        body = self._body(operation, where)
        arguments = arguments_of(
            where, given["parameters"], body, self._schemas, self._warnings, self._hidden
        )
        answer = answer_of(given, self._references, self._schemas)
        summary, description = _texts(operation)
        effect, is_proposed = effect_of(
            named.method.lower(), named.operation_id or named.path, summary
        )
        backend: Json = {
            "server": self._server,
            "operation": f"{named.method} {arguments.path}",
            "request": arguments.request,
            "answer": answer.entry,
        }
        if named.method in ("GET", "POST"):
            in_query = _names_sent(arguments, body)
            backend["pages"] = pages_of(in_query, answer.headers, answer.schema, self._schemas)
        entry = {
            "id": f"{self._server}::{named.unique_id}",
            "category": category,
            "effect": effect,
            "proposed": ["effect"] if is_proposed else None,
            "summary": summary,
            "description": description if description != summary else None,
            "tags": list(operation.tags[1:_MOST_TAGS]),
            "deprecated": given.get("deprecated") is True or None,
            "references": self._documentation(given),
            "examples": self._examples(operation, arguments, body),
            "input_schema": arguments.input_schema,
            "backend": {key: value for key, value in backend.items() if value},
        }
        return {key: value for key, value in entry.items() if value}

    def _body(self, operation: Operation, where: str) -> Body | None:
        given = operation.given.get("requestBody")
        if given is None:
            return None
        request_body = self._references.resolved(given)
        body = body_of(request_body, self._schemas, self._warnings, where)
        is_read = operation.named.method in ("GET", "HEAD")
        if body is None or not is_read:
            return body
        if body.properties or body.schema:
            fact = "bodies of methods that read are sent, which many servers do not expect"
            self._warnings.add(fact, where)
            return body
        return None

    def _documentation(self, given: Json) -> list[Json]:
        found = given.get("externalDocs")
        url = found.get("url") if isinstance(found, dict) else None
        if not isinstance(url, str) or not _ADDRESS.fullmatch(url):
            return []
        title = line_of(found.get("description"), _SUMMARY) if isinstance(found, dict) else ""
        return [{"title": title or "Documentation", "url": url}]

    def _examples(
        self, operation: Operation, arguments: Arguments, body: Body | None
    ) -> list[Json]:
        """The call that the document shows, if its schema accepts it.

        Names in angle brackets stand for texts that are required and have no example, 1 for numbers.
        """
        values = dict(arguments.examples)
        values |= self._body_example(operation, arguments, body)
        if not values:
            return []
        missing = (name for name in arguments.required if name not in values)
        values = {n: _placeholder(n, arguments.properties[n]) for n in missing} | values
        if not is_writable(values) or len(str(values)) > _LONGEST_EXAMPLE:
            return []
        return [{"arguments": values}] if self._accepts(arguments.input_schema, values) else []

    def _body_example(self, operation: Operation, arguments: Arguments, body: Body | None) -> Json:
        if body is None or arguments.body is None or body.is_base64:
            return {}
        given = self._references.resolved(operation.given.get("requestBody"))
        media = given.get("content", {}).get(body.media_type)
        example = self._example_in(media if isinstance(media, dict) else {})
        if example is None:
            return {}
        if body.properties is None:
            return {arguments.body["argument"]: example}
        if not isinstance(example, dict):
            return {}
        renamed: dict[str, str] = arguments.body.get("names", {})
        names = {theirs: argument for argument, theirs in renamed.items()}
        known = body.properties
        values = {str(name): value for name, value in example.items() if name in known}
        return {names.get(name, name): value for name, value in values.items()}

    def _example_in(self, media: Json) -> Any:
        if "example" in media:
            return media["example"]
        given = media.get("examples")
        first = next(iter(given.values()), None) if isinstance(given, dict) else None
        shown = self._references.resolved(first).get("value")
        return self._schemas.example_of(media.get("schema")) if shown is None else shown

    def _accepts(self, schema: Json, values: Json) -> bool:
        """Whether a schema accepts a call; no where finding out would take long."""
        validator = quick_validator({**schema, "$defs": self._schemas.reached(schema)})
        return validator is not None and validator.is_valid(values)


def _placeholder(name: str, schema: Json) -> Any:
    """What stands for a value that the document gives no example of; its schema decides whether it may."""
    if schema.get("contentEncoding") == "base64":
        return "YmFzZTY0"
    return schema.get("minimum", 1) if schema.get("type") == "integer" else f"<{name}>"


def _texts(operation: Operation) -> tuple[str, str]:
    """The summary and the description; each stands for the other where there is only one."""
    given, named = operation.given, operation.named
    description = without_links(plain_text(given.get("description")))
    stated = given.get("summary") or first_sentence(description.split("\n\n")[0])
    summary = line_of(stated, _SUMMARY).rstrip(".") or named.line[:_SUMMARY]
    return summary, cut_text(description, _DESCRIPTION) or summary


def _names_sent(arguments: Arguments, body: Body | None) -> dict[str, str]:
    """The arguments that may ask for another page, each with what the API calls it."""
    sent = {
        argument: parameter.get("name", argument)
        for argument, parameter in arguments.parameters.items()
        if parameter["in"] == "query"
    }
    if body is not None and body.properties is not None and arguments.body is not None:
        renamed = arguments.body.get("names", {})
        in_path = {name for name in arguments.properties if f"{{{name}}}" in arguments.path}
        in_body = arguments.properties.keys() - arguments.parameters.keys() - in_path
        sent |= {argument: renamed.get(argument, argument) for argument in in_body}
    return dict(_in_order(arguments, sent))


def _in_order(arguments: Arguments, sent: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((name, sent[name]) for name in arguments.properties if name in sent)
