"""Views of one tool: a line, what a correct call needs, and everything there is to know."""

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolViews
from toolfold_runtime.contract.vocabulary import Format

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.deprecation import marked, replacement_of
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.text.escape import json_text, one_line


def tool_views(
    name: str, tool: Tool, parameters: Json, returns: Json | None, form: Format, runner: str
) -> ToolViews:
    """The views of one tool; a schema ends with the runner that runs the tool, if there is one."""
    if form == "text":
        return _text_views(name, tool, parameters, returns, runner)
    short, long = _descriptions(tool)
    summary: Json = {"name": name, "description": short, "category": tool.category}
    summary |= {"tags": tool.tags} if tool.tags else {}
    schema: Json = {
        "name": name,
        "description": long,
        "category": tool.category,
        "effect": tool.shown_effect,
        **_conditions(tool),
        **_schemas(tool, parameters, returns),
        **({"content": tool.content} if tool.content else {}),
    }
    if runner:
        schema["next"] = runner
    return ToolViews(
        summary=json_text(summary | {"effect": tool.shown_effect}),
        schema=json_text(schema),
        more=json_text(_more(tool)),
    )


def _conditions(tool: Tool) -> Json:
    """What a call needs besides its arguments."""
    conditions: Json = {"scopes": tool.scopes} if tool.scopes else {}
    return conditions | ({"confirm": tool.confirm} if tool.confirm else {})


def _schemas(tool: Tool, parameters: Json, returns: Json | None) -> Json:
    """Both schemas; the manifest's definitions that both refer to stand beside them, once."""
    schemas: Json = {"parameters": parameters}
    if returns is None:
        return schemas
    schemas["returns"] = returns
    is_shared = tool.input_schema is None and tool.output_schema is None
    if not is_shared or not parameters.get("$defs", {}).keys() & returns.get("$defs", {}).keys():
        return schemas
    own = {
        name: {key: value for key, value in schema.items() if key != "$defs"}
        for name, schema in schemas.items()
    }
    return own | {"$defs": returns["$defs"] | parameters["$defs"]}


def _descriptions(tool: Tool) -> tuple[str, str]:
    """The summary and the description, marked where the tool is deprecated."""
    replacement = replacement_of(tool)
    return marked(tool.summary, replacement), marked(tool.full_description, replacement)


def _more(tool: Tool) -> Json:
    more: Json = {}
    if tool.deprecation and tool.deprecation.reason:
        more["deprecated"] = tool.deprecation.reason
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
    if tool.performance:
        more["performance"] = tool.performance.model_dump(exclude_none=True)
    return more


def _text_views(
    name: str, tool: Tool, parameters: Json, returns: Json | None, runner: str
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
    if returns is not None:
        lines.append(f"returns: {json_text(returns)}")
    lines += [f"content: {tool.content}"] if tool.content else []
    if runner:
        lines.append(f"next: {runner}")
    more = [
        f"{key}: {value if isinstance(value, str) else json_text(value)}"
        for key, value in _more(tool).items()
    ]
    return ToolViews(
        summary=f"{head}: {short}{tags}", schema="\n".join(lines), more="\n".join(more)
    )


def _parameter(name: str, schema: object, document: Json, is_required: bool) -> str:
    described = schema.get("description") if isinstance(schema, dict) else None
    text = f"{name}: {type_name(schema, document)}{' (required)' if is_required else ''}"
    if isinstance(schema, dict) and "default" in schema:
        text += f" = {json_text(schema['default'])}"
    return f"{text} - {one_line(described)}" if isinstance(described, str) else text
