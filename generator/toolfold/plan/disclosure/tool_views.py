"""Views of one tool: a line, what a correct call needs, and everything there is to know."""

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.summary import Measured
from toolfold_runtime.contract.tool import ToolViews
from toolfold_runtime.contract.vocabulary import Format

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.deprecation import marked, replacement_of, since_and_reason
from toolfold.plan.disclosure.measured import figures_json
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.disclosure.view_definitions import ViewSchemas, view_schemas
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.text.escape import json_text, one_line


def tool_views(
    name: str, tool: Tool, parameters: Json, returns: Json | None, form: Format
) -> ToolViews:
    """The views of one tool, with the definitions of its schemas beside them."""
    schemas = view_schemas(parameters, returns)
    return views_of(name, tool, parameters, schemas, form)


def views_of(
    name: str,
    tool: Tool,
    parameters: Json,
    schemas: ViewSchemas,
    form: Format,
    rest: str = "",
    request: str = "",
) -> ToolViews:
    """The views of one tool by schemas that are ready to be shown.

    `rest` says how what they leave out can be had; `request` is what the full view says of the
    request that carries the tool out.
    """
    if form == "text":
        return _text_views(name, tool, parameters, schemas, rest, request)
    short, long = _descriptions(tool)
    summary: Json = {"name": name, "description": short, "category": tool.category}
    summary |= {"tags": tool.tags} if tool.tags else {}
    schema: Json = {
        "name": name,
        "description": long,
        "category": tool.category,
        "effect": tool.shown_effect,
        **_conditions(tool),
        "parameters": schemas.parameters,
    }
    if schemas.returns is not None:
        schema["returns"] = schemas.returns
    if tool.content:
        schema["content"] = tool.content
    if rest:
        schema["more"] = rest
    return ToolViews(
        summary=json_text(summary | {"effect": tool.shown_effect}),
        schema=json_text(schema),
        more=json_text(_more(tool, request)),
        definitions=schemas.definitions,
    )


def _conditions(tool: Tool) -> Json:
    """The conditions of a call: scopes and confirmation."""
    conditions: Json = {"scopes": tool.scopes} if tool.scopes else {}
    return conditions | ({"confirm": tool.confirm} if tool.confirm else {})


def _descriptions(tool: Tool) -> tuple[str, str]:
    """The summary and the description, marked where the tool is deprecated."""
    replacement = replacement_of(tool)
    return marked(tool.summary, replacement), marked(tool.full_description, replacement)


def _more(tool: Tool, request: str) -> Json:
    more: Json = {"request": request} if request else {}
    if deprecated := since_and_reason(tool):
        more["deprecated"] = deprecated
    if tool.backend and tool.backend.operation:
        more["operation"] = tool.backend.operation
    if tool.examples:
        more["examples"] = [
            {"description": e.description, "arguments": e.arguments}
            if e.description
            else {"arguments": e.arguments}
            for e in tool.examples
        ]
    for key in ("errors", "notes", "related", "generates", "consumes"):
        if value := getattr(tool, key):
            more[key] = value
    if tool.references:
        more["references"] = [{"title": r.title, "url": r.url} for r in tool.references]
    if tool.performance or tool.measured:
        stated = tool.performance.model_dump(exclude_none=True) if tool.performance else {}
        measured = figures_json(Measured(**tool.measured.model_dump())) if tool.measured else None
        more["performance"] = stated | ({"measured": measured} if measured else {})
    return more


def _text_views(
    name: str, tool: Tool, parameters: Json, schemas: ViewSchemas, rest: str, request: str
) -> ToolViews:
    head = f"{name} [{tool.category}, {tool.shown_effect}]"
    tags = f" ({', '.join(tool.tags)})" if tool.tags else ""
    short, long = _descriptions(tool)
    lines = [head, long]
    lines += [f"scopes: {' '.join(tool.scopes)}"] if tool.scopes else []
    lines += [f"confirm: {tool.confirm}"] if tool.confirm else []
    lines.append("parameters:")
    required = required_of(parameters)
    for key, schema in properties_of(parameters).items():
        lines.append(f"  {_parameter(key, schema, parameters, key in required)}")
    if schemas.returns is not None:
        is_text = isinstance(schemas.returns, str)
        lines.append(f"returns: {schemas.returns if is_text else json_text(schemas.returns)}")
    lines += [f"content: {tool.content}"] if tool.content else []
    lines += [f"more: {rest}"] if rest else []
    more = [
        f"{key}: {value if isinstance(value, str) else json_text(value)}"
        for key, value in _more(tool, request).items()
    ]
    return ToolViews(
        summary=f"{head}: {short}{tags}",
        schema="\n".join(lines),
        more="\n".join(more),
        definitions=schemas.definitions,
    )


def _parameter(name: str, schema: object, document: Json, is_required: bool) -> str:
    described = schema.get("description") if isinstance(schema, dict) else None
    text = f"{name}: {type_name(schema, document, is_named=True)}{' (required)' if is_required else ''}"
    if isinstance(schema, dict) and "default" in schema:
        text += f" = {json_text(schema['default'])}"
    return f"{text} - {one_line(described)}" if isinstance(described, str) else text
