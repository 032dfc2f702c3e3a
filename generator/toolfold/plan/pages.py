"""Markdown pages: what each place in a template will show, escaped and ready."""

from collections.abc import Iterator, Sequence
from typing import Any

from toolfold.manifest.schema import Manifest, Tool, Workflow
from toolfold.plan.escape import (
    file_stem,
    json_text,
    markdown,
    markdown_block,
    markdown_code,
    markdown_fence,
    url,
)
from toolfold.plan.model import CategoryPlan, Json, MetaToolPlan, PagePlan, ToolPlan
from toolfold.plan.signature import type_name


def pages(
    manifest: Manifest,
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
    tools: Sequence[ToolPlan],
) -> Iterator[PagePlan]:
    """The index, a page per category and a page per tool, in that order."""
    lines: dict[str, tuple[str, str, str | None]]
    lines = {m.name: (m.name, m.summary, None) for m in meta}
    lines |= {name: (name, tool.summary, _tool_page(name)) for name, tool in manifest.tools.items()}
    yield _index(manifest, categories)
    for category in categories:
        yield _category(category, [_row(*lines[name], prefix="../") for name in category.tools])
    for tool in tools:
        yield _tool(tool, manifest.tools[tool.name], manifest)


def _index(manifest: Manifest, categories: Sequence[CategoryPlan]) -> PagePlan:
    server = manifest.server
    rows = [
        {
            "link": f"[{markdown(c.title)}]({_category_page(c.name)})",
            "description": markdown(c.description),
            "count": str(len(c.tools)),
        }
        for c in categories
    ]
    values = {
        "title": markdown(server.title or server.name),
        "description": markdown_block(server.description or ""),
        "version": markdown(server.version),
        "count": _counted(len(manifest.tools), "tool"),
        "categories": rows,
        "workflows": [_workflow(w) for w in manifest.workflows],
        "quick_actions": [
            f"{markdown(label)}: {_tool_link(name, 'tools/')}"
            for label, name in manifest.disclosure.quick_actions.items()
        ],
    }
    return PagePlan("docs/index.md", "docs/index.md.jinja", values)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _workflow(workflow: Workflow) -> str:
    steps = " → ".join(_tool_link(step, "tools/") for step in workflow.steps)
    note = f" — {markdown(workflow.description)}" if workflow.description else ""
    return f"{markdown(workflow.name)}: {steps}{note}"


def _category(category: CategoryPlan, rows: list[dict[str, str]]) -> PagePlan:
    values = {
        "title": markdown(category.title),
        "description": markdown_block(category.description),
        "tools": rows,
    }
    path = f"docs/{_category_page(category.name)}"
    return PagePlan(path, "docs/category.md.jinja", values)


def _row(name: str, summary: str, page: str | None, prefix: str) -> dict[str, str]:
    code = markdown_code(name)
    link = f"[{code}]({prefix}{page})" if page else code
    return {"link": link, "summary": markdown(summary)}


def _tool(planned: ToolPlan, tool: Tool, manifest: Manifest) -> PagePlan:
    name, entry = planned.name, planned.entry
    returns = planned.returns
    category = manifest.categories[tool.category].title or tool.category
    values: dict[str, Any] = {
        "name": markdown_code(name),
        "title": markdown(tool.title or tool.summary),
        "description": markdown_block(tool.description or tool.summary),
        "category": f"[{markdown(category)}](../{_category_page(tool.category)})",
        "effect": tool.effect,
        "signature": markdown_fence(entry["signature"], "text"),
        "parameters": _parameters(entry["definition"]["inputSchema"]),
        "returns": markdown_fence(json_text(returns, indent=2), "json") if returns else "",
        "facts": list(_facts(tool)),
        "examples": [_example(e.description, e.arguments) for e in tool.examples],
        "prompt": markdown(tool.example) if tool.example else "",
        "notes": markdown_block(tool.notes) if tool.notes else "",
    }
    return PagePlan(f"docs/{_tool_page(name)}", "docs/tool.md.jinja", values)


def _facts(tool: Tool) -> Iterator[str]:
    """One line for each thing worth knowing besides the schema."""
    if tool.performance:
        speed, tokens = tool.performance.speed, tool.performance.tokens
        parts = [speed or "", f"about {tokens} tokens" if tokens else ""]
        yield "Cost: " + ", ".join(part for part in parts if part)
    if tool.generates:
        yield "Generates: " + ", ".join(markdown_code(made) for made in tool.generates)
    if tool.consumes:
        yield "Consumes: " + ", ".join(markdown_code(used) for used in tool.consumes)
    if tool.related:
        yield "Related: " + ", ".join(_tool_link(related, "") for related in tool.related)
    if tool.tags:
        yield "Tags: " + ", ".join(markdown_code(tag) for tag in tool.tags)
    for reference in tool.references:
        yield f"[{markdown(reference.title)}]({url(reference.url)})"


def _parameters(schema: Json) -> list[dict[str, str]]:
    properties = schema.get("properties")
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    rows = []
    for name, parameter in (properties if isinstance(properties, dict) else {}).items():
        parameter = parameter if isinstance(parameter, dict) else {}
        has_default = "default" in parameter
        rows.append(
            {
                "name": markdown_code(name),
                "type": markdown_code(type_name(parameter, schema)),
                "required": "yes" if name in required else "no",
                "default": markdown_code(json_text(parameter["default"])) if has_default else "",
                "description": markdown(str(parameter.get("description", ""))),
            }
        )
    return rows


def _example(description: str | None, arguments: Json) -> dict[str, str]:
    return {
        "description": markdown(description or "Example"),
        "arguments": markdown_fence(json_text(arguments, indent=2), "json"),
    }


def _tool_link(name: str, folder: str) -> str:
    return f"[{markdown_code(name)}]({folder}{file_stem(name)}.md)"


def _tool_page(name: str) -> str:
    return f"tools/{file_stem(name)}.md"


def _category_page(name: str) -> str:
    return f"categories/{file_stem(name)}.md"
