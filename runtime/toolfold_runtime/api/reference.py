"""The page to read the catalog API by: one operation after the other, without a script."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from toolfold_runtime.api.answers import ROOT
from toolfold_runtime.api.openapi import DOCUMENT, OPERATIONS, REASONS, Operation, types_of_answers
from toolfold_runtime.api.page import page, section, table

_WORDS: Final = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "object": "object",
    "null": "nothing",
}


def reference_page(title: str) -> bytes:
    """The page, as HTML."""
    introduction = (
        f"<p>What can be asked of the tools of {escape(title)}. Every answer is JSON;"
        f' <a href="{DOCUMENT}">the OpenAPI document</a> says the same for programs.'
        ' Fields that have their default are left out. <a href="/">Figures of this server</a>.</p>'
    )
    parts = [introduction, *map(_operation, OPERATIONS), *_types()]
    return page(f"{title}: catalog API", "".join(parts))


def _operation(operation: Operation) -> str:
    rows = [
        (f"<code>{escape(name)}</code>", place, escape(_form(schema)))
        for place, name, schema in operation.parameters
    ]
    given = table(("parameter", "in", "form"), rows) if rows else ""
    mistakes = "; ".join(f"{status}: {escape(REASONS[status])}" for status in operation.statuses)
    path = ROOT + operation.path
    is_whole = all(place == "query" and name != "q" for place, name, _ in operation.parameters)
    link = f' <a href="{path}">Look at it</a>.' if is_whole else ""
    return section(
        f"<code>GET {escape(path)}</code>",
        f"<p>{_text(operation.summary)}. Answers with {_link(operation.answer.__name__)}.{link}</p>"
        f'{given}<p class="soft">Else with {_link("ErrorAnswer")}. {mistakes}.</p>',
    )


def _types() -> Iterator[str]:
    for name, type_schema in types_of_answers().items():
        rows = [
            (f"<code>{escape(field)}</code>", _type(schema), _text(schema.get("description", "")))
            for field, schema in type_schema["properties"].items()
        ]
        described = f"<p>{_text(type_schema.get('description', ''))}</p>"
        yield section(
            f'<span id="{escape(name)}">{escape(name)}</span>',
            described + table(("field", "type", ""), rows),
        )


def _text(text: str) -> str:
    """A text as HTML; what is in backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def _link(name: str) -> str:
    return f'<a href="#{escape(name)}">{escape(name)}</a>'


def _type(schema: Mapping[str, Any]) -> str:
    """The type of a field in words, as HTML."""
    if "$ref" in schema:
        return _link(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_type(variant) for variant in schema["anyOf"])
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if "enum" in schema:
        return ", ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        return f"text to {_type(values)}"
    return _WORDS.get(schema.get("type", ""), "anything")


def _form(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "integer":
        return f"{schema['minimum']} to {schema['maximum']:,}; default {schema['default']:,}"
    return "text"
