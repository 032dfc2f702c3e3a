"""The page of a tool: what it is for, how to call it, what it answers and what it costs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.summary import Measured
from toolfold_runtime.contract.upstream import UpstreamTool
from toolfold_runtime.contract.vocabulary import (
    EFFECTS,
    ArgumentsForm,
    Confirmation,
    ContentKind,
    Effect,
)

from toolfold.manifest.schema import Example, Tool
from toolfold.plan.disclosure.measured import sentence
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.disclosure.signature import type_name
from toolfold.plan.docs.calls import agent_call, call_blocks, readable
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.fields import field_list
from toolfold.plan.docs.links import category_link, tool_link, tool_page_path
from toolfold.plan.schemas.served import input_schema, output_schema
from toolfold.plan.schemas.smallest import example_result
from toolfold.plan.text.escape import (
    json_text,
    markdown,
    markdown_block,
    markdown_code,
    markdown_fence,
    url,
)

_ROOT: Final = "../"
_SENTENCE_END: Final = re.compile(r"[.!]\s+|\s*\n\s*|[.!]?\s*$")
_CONFIRMATIONS: Final[dict[Confirmation, str]] = {
    "ask": "The client asks its user first; one that cannot goes on.",
    "require": "The client asks its user first; one that cannot is refused.",
}
_CONTENT: Final[dict[ContentKind, str]] = {
    "image": "a picture",
    "audio": "sound",
    "file": "a file",
    "link": "a link to a resource",
    "mixed": "texts, pictures, sound, files and links, as many as there are",
}
_MAX_LINKS: Final = 8  # tools named in one line


@dataclass(frozen=True)
class ToolPageSource:
    """What the page of a tool is made from, besides what all of them share."""

    name: str
    tool: Tool
    category_title: str
    signature: str
    #: Its cost at each level of detail, as `ToolPlan.tokens`.
    tokens: Mapping[str, int]
    #: When to use it: finished lines of Markdown, because they name other tools.
    uses: tuple[str, ...]
    #: The arguments of a valid call, where the manifest has no example.
    arguments: Json | None
    #: What to use instead of it and why, as finished Markdown; empty where it is not deprecated.
    deprecated: str = ""
    #: The tool of another server that carries it out, and whether a change there stops calls.
    upstream: UpstreamTool | None = None
    is_held: bool = False
    #: What usage says of it, if it is ranked by usage.
    measured: Measured | None = None


@dataclass(frozen=True)
class ToolPageContext:
    """What the pages of all tools share."""

    exposure: str
    #: Effect to the served name of the meta-tool that runs such tools; empty where there is none.
    runners: Mapping[Effect, str]
    #: The served names of meta-tools by role.
    meta_names: Mapping[str, str]
    #: The manifest's `$defs`.
    definitions: Mapping[str, Json]
    #: How runners take arguments.
    arguments: ArgumentsForm = "object"


def tool_page_sources(facts: CatalogFacts) -> dict[str, ToolPageSource]:
    """The source of each tool's page, by output path, in the manifest's order."""
    titles = {category.name: category.title for category in facts.categories}
    return {
        f"docs/{tool_page_path(planned.name)}": ToolPageSource(
            name=planned.name,
            tool=facts.manifest.tools[planned.name],
            category_title=titles[planned.category],
            signature=planned.signature,
            tokens=planned.tokens,
            uses=tuple(_uses(planned.name, facts)),
            arguments=planned.arguments,
            deprecated=facts.deprecation(planned.name, _ROOT, with_reason=True),
            upstream=facts.manifest.upstream_of(planned.name),
            is_held=_is_held(planned.name, facts),
            measured=planned.measured,
        )
        for planned in facts.tools
    }


def tool_page_context(facts: CatalogFacts) -> ToolPageContext:
    """What the pages of this catalog's tools share."""
    runners = {effect: runner_of(facts.manifest, effect) for effect in EFFECTS}
    manifest = facts.manifest
    form = manifest.disclosure.arguments
    return ToolPageContext(facts.exposure, runners, facts.meta_names, manifest.defs, form)


def tool_page(source: ToolPageSource, context: ToolPageContext) -> dict[str, object]:
    """The values that the template of a tool's page places."""
    name, tool = source.name, source.tool
    arguments = input_schema(tool, context.definitions)
    returned = output_schema(tool, context.definitions)
    result = returned or {}
    return {
        "name": markdown_code(name),
        "title": markdown(tool.display_title) if tool.display_title != name else "",
        "description": markdown_block(_description(tool)),
        "facts": " · ".join(_facts(source)),
        "deprecated": source.deprecated,
        "signature": markdown_fence(source.signature, "text"),
        "uses": list(source.uses),
        "parameters": field_list(arguments),
        "has_result": bool(result or tool.content),
        "return_type": markdown_code(type_name(result, result)) if result else "",
        "content": _content(tool, has_value=bool(result)),
        "returns": field_list(result, is_result=True),
        "example_result": _example_result(result),
        "calls": _calls(source, context),
        "more_calls": [_more_call(source, context, example) for example in tool.examples[1:]],
        "conditions": list(_conditions(source)),
        "notes": markdown_block(tool.notes) if tool.notes else "",
        "costs": _costs(source, context),
        "performance": _performance(tool),
        "measured": sentence(source.measured) if source.measured else "",
        "own_errors": [
            f"{markdown_code(code)}: {markdown(meaning)}" for code, meaning in tool.errors.items()
        ],
        "errors": _errors(source, context, is_checked=bool(returned is not None or tool.content)),
        "references": [f"[{markdown(r.title)}]({url(r.url)})" for r in tool.references],
    }


def _description(tool: Tool) -> str:
    """The description without the title, which already stands above, where that begins it."""
    text, title = tool.full_description, tool.display_title
    end = _SENTENCE_END.match(text, len(title)) if text.startswith(title) else None
    return text[end.end() :] if end else text


def _facts(source: ToolPageSource) -> Iterator[str]:
    """What stands below the title: effect, tier, category, tags."""
    tool = source.tool
    yield markdown_code(tool.shown_effect)
    if tool.tier:
        yield markdown_code(tool.tier)
    yield category_link(tool.category, source.category_title, _ROOT)
    if tool.tags:
        yield f"tags: {', '.join(map(markdown, tool.tags))}"


def _example_result(schema: Json) -> str:
    """An answer that the schema allows; empty where nothing is known of it."""
    value = example_result(schema) if schema else None
    if value is None or value in ({}, []):
        return ""
    return f"**An answer, with placeholders**\n\n{markdown_fence(readable(value), 'json')}"


def _calls(source: ToolPageSource, context: ToolPageContext) -> dict[str, object]:
    """The first example in every way to call it; the smallest valid call where there is none."""
    tool = source.tool
    if tool.examples:
        arguments, words = tool.examples[0].arguments, tool.examples[0].description or ""
    elif source.arguments is None:
        return {"words": "", "blocks": []}
    else:
        arguments = source.arguments
        words = "The smallest call that is valid"
        words += "; what is in <> is a placeholder." if "<" in json_text(arguments) else "."
    callee, given = _sent(source, context, arguments)
    return {
        "words": markdown(words),
        "blocks": call_blocks(source.name, arguments, callee, given),
    }


def _more_call(
    source: ToolPageSource, context: ToolPageContext, example: Example
) -> dict[str, str]:
    callee, given = _sent(source, context, example.arguments)
    return {
        "description": markdown(example.description or "Another call"),
        "call": markdown_fence(agent_call(callee, given), "json"),
    }


def _sent(source: ToolPageSource, context: ToolPageContext, arguments: Json) -> tuple[str, Json]:
    """Name and arguments as clients send them: through a runner where the tool is not listed."""
    runner = context.runners[source.tool.effect]
    if context.exposure != "progressive" or not runner:
        return source.name, arguments
    given = json_text(arguments) if context.arguments == "json" else arguments
    return runner, {"tool": source.name, "arguments": given}


def _is_held(name: str, facts: CatalogFacts) -> bool:
    """Whether calls are refused where the server's definition is not the imported one any more."""
    manifest = facts.manifest
    upstream = manifest.upstream_of(name)
    if upstream is None or manifest.tools[name].backend is not None:
        return False
    return manifest.servers[upstream.server].pin == "refuse"


def _uses(name: str, facts: CatalogFacts) -> Iterator[str]:
    """When to use a tool: its example prompt, and the workflows and tools around it."""
    tool = facts.manifest.tools[name]
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
        yield f"Takes {markdown_code(thing)}{_others(', given by', facts.producers.get(thing, ()), name)}"
    for thing in tool.generates:
        yield f"Gives {markdown_code(thing)}{_others(', taken by', facts.consumers.get(thing, ()), name)}"
    if tool.related:
        yield "Related: " + ", ".join(tool_link(related, _ROOT) for related in tool.related)


def _others(words: str, tools: Sequence[str], name: str) -> str:
    """Links to the tools but the named one, after `words`; empty where there are none."""
    count = len(tools) - tools.count(name)
    if not count:
        return ""
    named = islice((tool for tool in tools if tool != name), _MAX_LINKS)
    links = ", ".join(tool_link(tool, _ROOT) for tool in named)
    more = f" and {count - _MAX_LINKS} more" if count > _MAX_LINKS else ""
    return f"{words} {links}{more}"


def _conditions(source: ToolPageSource) -> Iterator[str]:
    """What a call needs besides its arguments."""
    tool = source.tool
    if source.upstream:
        server, name = map(markdown_code, source.upstream)
        yield f"Carried out by the server {server}, as its tool {name}."
    if tool.backend and tool.backend.operation:
        server, operation = markdown_code(tool.backend.server or ""), tool.backend.operation
        yield f"Carried out by the HTTP API {server}, as {markdown_code(operation)}."
    if tool.scopes:
        scopes = ", ".join(markdown_code(scope) for scope in tool.scopes)
        yield f"Over HTTP the caller's token needs the scope{'s' if len(tool.scopes) > 1 else ''} {scopes}."
    if tool.confirm:
        yield _CONFIRMATIONS[tool.confirm]


def _content(tool: Tool, *, has_value: bool) -> str:
    """What a result has besides JSON, as a sentence; empty where nothing is declared."""
    if tool.content is None:
        return ""
    words = _CONTENT[tool.content]
    return f"Beside that: {words}." if has_value else f"{words[0].upper()}{words[1:]}."


def _costs(source: ToolPageSource, context: ToolPageContext) -> list[dict[str, str]]:
    """What a tool costs in tokens at each level of detail, and the call that shows it."""
    tokens, names = source.tokens, context.meta_names
    levels: list[tuple[str, str, int]] = []
    if "search" in names:
        levels.append(("a search hit", f"{names['search']}(query)", tokens["hit"]))
    if schema := names.get("schema"):
        levels += [
            ("summary", f'{schema}(tool, "summary")', tokens["summary"]),
            ("schema", f"{schema}(tool)", tokens["schema"]),
            ("everything", f'{schema}(tool, "full")', tokens["full"]),
        ]
    levels.append(("listed", "tools/list", tokens["listed"]))
    return [
        {"level": level, "call": markdown_code(call), "tokens": f"{cost:,}"}
        for level, call, cost in levels
    ]


def _performance(tool: Tool) -> str:
    """What a call costs, as the author declared it, and the limits that it has."""
    performance = tool.performance
    parts = [
        f"A call is {performance.speed}." if performance and performance.speed else "",
        f"It answers with about {performance.tokens:,} tokens."
        if performance and performance.tokens
        else "",
        f"It is given up after {tool.timeout:g} seconds." if tool.timeout else "",
        _cached(tool),
        f"An answer beyond {tool.budget:,} tokens is cut, to be read on." if tool.budget else "",
    ]
    return " ".join(part for part in parts if part)


def _cached(tool: Tool) -> str:
    if tool.cache is None:
        return ""
    to_whom = ", to every caller" if tool.cache.shared else ""
    return f"Its answer may be given again for {tool.cache.ttl:g} seconds{to_whom}."


def _errors(source: ToolPageSource, context: ToolPageContext, *, is_checked: bool) -> str:
    """The runtime's own error codes that a call of this tool can return, as links."""
    codes = ["invalid_arguments"]
    if source.tool.effect != "read" and "run_read" in context.meta_names:
        codes.append("effect_refused")
    codes += ["forbidden"] if source.tool.scopes else []
    codes += ["unconfirmed"] if source.tool.confirm else []
    if is_checked:
        codes.append("invalid_result")
    codes += ["definition_changed"] if source.is_held else []
    codes += ["backend_failed", "timeout"]
    return ", ".join(f"[`{code}`]({_ROOT}agents.md#{code})" for code in codes)
