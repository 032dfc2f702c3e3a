"""The shape of `tools.yaml`, as Pydantic models; `toolfold schema` prints it for editors."""

from collections.abc import Collection
from typing import Annotated, Final, Literal

from pydantic import Field
from toolfold_runtime.contract.upstream import UpstreamTool

from toolfold.manifest.disclosure import BUDGETS, Budgets, CodeMode, Disclosure, MetaTool
from toolfold.manifest.resources_prompts import Prompt, PromptArgument, Resource
from toolfold.manifest.server import Execution, Server
from toolfold.manifest.site import Site
from toolfold.manifest.tool import Tool
from toolfold.manifest.tool_parts import Backend, Deprecation, Example, Icon
from toolfold.manifest.types import (
    PATTERN_DESCRIPTIONS,
    CategoryName,
    Identifier,
    JsonSchema,
    Line,
    ManifestModel,
    PromptName,
    ResourceName,
    ServerName,
    Text,
    ToolName,
    ToolReference,
)
from toolfold.manifest.upstream import Secret, Upstream
from toolfold.manifest.usage import Measured, Tiers, UsageEntry, UsageFile

__all__ = [
    "BUDGETS",
    "ENTRY_SECTIONS",
    "PATTERN_DESCRIPTIONS",
    "Backend",
    "Budgets",
    "Category",
    "CodeMode",
    "Deprecation",
    "Disclosure",
    "Example",
    "Execution",
    "Icon",
    "Manifest",
    "Measured",
    "MetaTool",
    "Prompt",
    "PromptArgument",
    "Resource",
    "Secret",
    "Server",
    "Site",
    "Tiers",
    "Tool",
    "Upstream",
    "UsageFile",
    "Workflow",
]

#: The sections of independent entries: an included file may add some, and one that is wrong is
#: reported without the others.
ENTRY_SECTIONS: Final = (
    "categories",
    "tools",
    "workflows",
    "prompts",
    "resources",
    "servers",
    "$defs",
)


class Category(ManifestModel):
    """A group of tools."""

    title: Line | None = Field(
        default=None,
        description="The category's name for people; default: its name.",
        examples=["Orders"],
    )
    description: Text | None = Field(
        default=None,
        description="What its tools are for, in the inventory and the docs.",
        examples=["Find and cancel orders"],
    )


class Workflow(ManifestModel):
    """A named chain of tools."""

    name: Line = Field(description="What the chain achieves.", examples=["Cancel an order"])
    description: Line | None = Field(
        default=None,
        description="More about it, in one line.",
        examples=["For a customer who calls"],
    )
    steps: Annotated[list[ToolReference], Field(min_length=1)] = Field(
        description="Names of tools, in order.", examples=[["find_order", "cancel_order"]]
    )


class Manifest(ManifestModel):
    """A manifest, whole."""

    toolfold: Literal[1] = Field(description="Version of the manifest's format.")
    server: Server = Field(
        description="What the server is called, at least name and version.",
        examples=[{"name": "shop", "version": "1.0.0", "implementation": "shop.tools:Shop"}],
    )
    disclosure: Disclosure = Field(
        default=Disclosure(),
        description="What agents see of the tools, and how much at once.",
        examples=[{"exposure": "progressive", "budgets": {"capabilities": 800}}],
    )
    execution: Execution = Field(
        default=Execution(),
        description="How tools are run, where a tool says nothing else.",
        examples=[{"timeout": 20, "concurrency": 32}],
    )
    usage: UsageEntry | None = Field(
        default=None,
        description=(
            "Where calls are counted: `off` for nowhere, or a file;"
            " default: a file in the data folder of the user who serves."
        ),
        examples=["off", {"file": "usage.db"}],
    )
    tiers: Tiers = Field(
        default=Tiers(),
        description="The weights and thresholds by which usage decides about tiers.",
        examples=[{"thresholds": {"hot": 0.75}, "least_calls": 50}],
    )
    categories: dict[CategoryName, Category] = Field(
        description="Groups of tools, by name.",
        examples=[{"orders": {"description": "Find and cancel orders"}, "other": {}}],
    )
    tools: dict[ToolName, Tool] = Field(
        description="The tools, by name.",
        examples=[
            {"find_order": {"category": "orders", "effect": "read", "summary": "Find an order"}}
        ],
    )
    workflows: list[Workflow] = Field(
        default=[],
        description="Chains of tools that belong together.",
        examples=[[{"name": "Cancel an order", "steps": ["find_order", "cancel_order"]}]],
    )
    prompts: dict[PromptName, Prompt] = Field(
        default={},
        description="Prompts by name, beside those that workflows become.",
        examples=[
            {
                "apology": {
                    "summary": "Apologize for a late order",
                    "arguments": {"id": {"required": True}},
                    "text": "Write an apology for order {id}.",
                }
            }
        ],
    )
    resources: dict[ResourceName, Resource] = Field(
        default={},
        description="Addresses under which results of tools can be read, by name.",
        examples=[
            {"order": {"uri": "orders://{id}", "tool": "find_order", "summary": "One order"}}
        ],
    )
    include: list[Line] = Field(
        default=[],
        description="Patterns of files whose entries are added to this manifest's.",
        examples=[["servers/*.yaml"]],
    )
    overlays: list[Line] = Field(
        default=[],
        description="Patterns of files with changes, which are laid over tools by name.",
        examples=[["curation.yaml"]],
    )
    servers: dict[ServerName, Upstream] = Field(
        default={},
        description="Upstream MCP servers and HTTP APIs, by name.",
        examples=[
            {"orders": {"url": "https://example.com/mcp"}},
            {"shop": {"openapi": "shop.json", "url": "https://example.com/v1"}},
        ],
    )
    site: Site = Field(
        default=Site(),
        description="The site of the docs: its address, its looks, and pages of your own.",
        examples=[{"url": "https://example.com/docs/", "pages": ["docs/guides"]}],
    )
    defs: dict[Identifier, JsonSchema] = Field(
        default={},
        alias="$defs",
        description="JSON Schemas that all tools share, referred to as `#/$defs/Name`.",
        examples=[{"Order": {"type": "object", "properties": {"id": {"type": "string"}}}}],
    )

    def id_of(self, tool: str) -> str:
        """A tool's id: where it came from, or this server and its name."""
        return self.tools[tool].id or f"{self.server.name}::{tool}"

    def upstream_of(self, tool: str) -> UpstreamTool | None:
        """The tool of an upstream server that carries a tool out; None where a method does."""
        declared = self.tools[tool]
        if declared.backend is not None:
            return declared.upstream
        server, _, name = (declared.id or "").partition("::")
        is_mcp = server in self.servers and not self.servers[server].is_http_api
        return UpstreamTool(server, name) if is_mcp else None

    def server_of(self, tool: str) -> str | None:
        """The upstream server or HTTP API that carries a tool out; None where a method does."""
        backend, upstream = self.tools[tool].backend, self.upstream_of(tool)
        if backend is not None and backend.operation is not None:
            return backend.server
        return upstream.server if upstream is not None else None

    def without_hidden(self, included: Collection[str]) -> "Manifest":
        """The manifest as if the tools that it hides were not declared.

        Nor are those of the `included` categories that no tool is left in.
        """
        tools = {name: tool for name, tool in self.tools.items() if not tool.hidden}
        used = {tool.category for tool in tools.values()}
        categories = {
            n: category for n, category in self.categories.items() if n in used or n not in included
        }
        if (len(tools), len(categories)) == (len(self.tools), len(self.categories)):
            return self
        return self.model_copy(update={"tools": tools, "categories": categories})

    def has_models(self, tool: str) -> bool:
        """Whether models are generated for a tool."""
        return self.server.models == "all" or self.server_of(tool) is None
