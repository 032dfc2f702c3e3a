"""The page to read the catalog API by: one operation after the other, without a script."""

from html import escape

from toolfold_runtime.api.answers import ROOT
from toolfold_runtime.api.openapi import DOCUMENT, OPERATIONS
from toolfold_runtime.api.page import page


def reference_page(title: str) -> bytes:
    """The page, as HTML."""
    parts = [
        f"<p>What can be asked of the tools of {escape(title)}. Every answer is JSON;"
        f' <a href="{DOCUMENT}">the OpenAPI document</a> has their types. <a href="/">Figures</a>.</p>'
    ]
    for path, summary, answer, parameters, statuses in OPERATIONS:
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code><td>{place}<td>{escape(_form(schema))}"
            for place, name, schema in parameters
        )
        table = f"<table><tr><th>parameter<th>in<th>form{rows}</table>" if rows else ""
        fields = ", ".join(f"<code>{escape(name)}</code>" for name in answer.model_fields)
        errors = ", ".join(map(str, statuses))
        parts.append(
            f"<section><h2><code>GET {escape(ROOT + path)}</code></h2><p>{escape(summary)}.</p>"
            f"{table}<p>Answers with {fields}; else {errors} with <code>error</code>.</p></section>"
        )
    return page(f"{title}: catalog API", "".join(parts))


def _form(schema: dict[str, object]) -> str:
    if schema["type"] == "integer":
        return f"{schema['minimum']} to {schema['maximum']:,}; default {schema['default']:,}"
    return "text"
