"""The page of a tool: what it is for, how to call it, what it answers and what it costs."""

from collections.abc import Iterator
from typing import Any, Final

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.fields import table
from toolfold.plan.docs.links import category_link, tool_link, tool_page
from toolfold.plan.model import Json, PagePlan, ToolPlan
from toolfold.plan.schemas.served import input_origin, output_origin
from toolfold.plan.text.escape import (
    json_text,
    markdown,
    markdown_block,
    markdown_code,
    markdown_fence,
    python_value,
    url,
)

_ROOT: Final = "../"
_LINE: Final = 80  # a call that fits is shown on one line
_MOST: Final = 8  # tools named in one line


def tool_page_of(planned: ToolPlan, facts: Documented) -> PagePlan:
    """The page of one tool; besides the tool it depends on what leads to it and on the exposure."""
    uses = list(_uses(planned, facts))
    seen = None
    path = f"docs/{tool_page(planned.name)}"
    return PagePlan(path, "docs/tool.md.jinja", lambda: _values(planned, uses, facts), seen)


def _values(planned: ToolPlan, uses: list[str], facts: Documented) -> dict[str, Any]:
    name, manifest = planned.name, facts.manifest
    tool = manifest.tools[name]
    title = manifest.categories[tool.category].title or tool.category
    given = input_origin(name, tool, manifest.defs).schema
    returned = output_origin(name, tool, manifest.defs)
    result = returned.schema if returned else {}
    return {
        "name": markdown_code(name),
        "title": markdown(tool.title or tool.summary),
        # Without either, the summary stands above as the title already.
        "description": markdown_block(tool.description or (tool.summary if tool.title else "")),
        "category": category_link(tool.category, title, _ROOT),
        "effect": tool.effect,
        "tier": tool.tier or "",
        "signature": markdown_fence(planned.signature, "text"),
        "uses": uses,
        "parameters": table(given),
        "return_type": markdown_code(type_name(result, result)) if result else "",
        "returns": table(result, is_result=True),
        "examples": [
            _example(name, tool, e.description, e.arguments, facts) for e in tool.examples
        ],
        "notes": markdown_block(tool.notes) if tool.notes else "",
        "costs": _costs(planned, facts),
        "performance": _performance(tool),
        "errors": _errors(tool, returned is not None, facts),
        "tags": ", ".join(markdown_code(tag) for tag in tool.tags),
        "references": [f"[{markdown(r.title)}]({url(r.url)})" for r in tool.references],
    }


def _uses(tool: ToolPlan, facts: Documented) -> Iterator[str]:
    """When to reach for it: what people ask, what leads here, and where it leads."""
    name = tool.name
    if tool.example:
        yield f"Asked for like: “{markdown(tool.example)}”"
    if labels := facts.quick_actions.get(name):
        yield "Quick action: " + ", ".join(markdown(label) for label in labels)
    for workflow in facts.workflows.get(name, ()):
        at = workflow.steps.index(name) + 1
        yield (
            f"Step {at} of {len(workflow.steps)} in the workflow"
            f" [{markdown(workflow.name)}]({_ROOT}index.md#workflows)"
        )
    for thing in tool.consumes:
        yield f"Takes {markdown_code(thing)}{_from('given by', facts.makers.get(thing, ()), name)}"
    for thing in tool.generates:
        yield f"Gives {markdown_code(thing)}{_from('taken by', facts.takers.get(thing, ()), name)}"
    if tool.related:
        yield "Related: " + ", ".join(tool_link(related, _ROOT) for related in tool.related)


def _from(words: str, tools: Any, name: str) -> str:
    others = [tool for tool in tools if tool != name]
    if not others:
        return ""
    shown = ", ".join(tool_link(tool, _ROOT) for tool in others[:_MOST])
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    return f", {words} {shown}{more}"


def _example(
    name: str, tool: Tool, description: str | None, arguments: Json, facts: Documented
) -> dict[str, str]:
    """One call as an agent makes it and as a Python client does."""
    called, given = name, arguments
    if facts.exposure == "progressive" and (runner := runner_of(facts.manifest, tool.effect)):
        called, given = runner, {"tool": name, "arguments": arguments}
    request = {"name": called, "arguments": given}
    line = json_text(request)
    code = f"await client.call_tool({python_value(called)}, {python_value(given)})"
    if len(code) > _LINE:
        # As formatters lay it out, so that theirs and ours never differ.
        code = (
            f"await client.call_tool(\n    {python_value(called)},\n"
            f"    {python_value(given, deep=1)},\n)"
        )
    return {
        "description": markdown(description or "Example"),
        "call": markdown_fence(
            line if len(line) <= _LINE else json_text(request, indent=2), "json"
        ),
        "python": markdown_fence(code, "python"),
    }


def _costs(planned: ToolPlan, facts: Documented) -> list[dict[str, str]]:
    """What it costs in tokens to know the tool at each level of detail."""
    tokens, names = planned.tokens, facts.meta_names
    levels: list[tuple[str, str, int]] = []
    if "search" in names:
        levels.append(("a search hit", f"{names['search']}(query)", tokens["hit"]))
    if asked := names.get("schema"):
        levels += [
            ("summary", f'{asked}(tool, "summary")', tokens["summary"]),
            ("schema", f"{asked}(tool)", tokens["schema"]),
            ("everything", f'{asked}(tool, "full")', tokens["full"]),
        ]
    levels.append(("listed", "tools/list", tokens["listed"]))
    return [
        {"level": level, "call": markdown_code(call), "tokens": f"{tokens:,}"}
        for level, call, tokens in levels
    ]


def _performance(tool: Tool) -> str:
    """What to expect of a call: its speed, the size of its answer, and the limits it is held to."""
    known = tool.performance
    parts = [
        f"A call is {known.speed}." if known and known.speed else "",
        f"It answers with about {known.tokens:,} tokens." if known and known.tokens else "",
        f"It is given up after {tool.timeout:g} seconds." if tool.timeout else "",
        f"Its answer may be given again for {tool.cache.ttl:g} seconds." if tool.cache else "",
        f"An answer beyond {tool.budget:,} tokens is cut, to be read on." if tool.budget else "",
    ]
    return " ".join(part for part in parts if part)


def _errors(tool: Tool, has_result: bool, facts: Documented) -> str:
    """The codes that a call of this tool can be answered with."""
    codes = ["invalid_arguments"]
    if tool.effect != "read" and "run_read" in facts.meta_names:
        codes.append("effect_refused")
    if has_result:
        codes.append("invalid_result")
    codes += ["backend_failed", "timeout"]
    return ", ".join(f"[`{code}`]({_ROOT}agents.md#{code})" for code in codes)
