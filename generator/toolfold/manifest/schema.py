"""The shape of `tools.yaml`, as Pydantic models; `toolfold schema` prints it for editors."""

from typing import Annotated, Final, Literal

from pydantic import Field

from toolfold.manifest.resources_prompts import Prompt, PromptArgument, Resource
from toolfold.manifest.server import (
    BUDGETS,
    Budgets,
    Disclosure,
    Execution,
    MetaTool,
    Secret,
    Server,
    Upstream,
)
from toolfold.manifest.tool import Deprecation, Example, Icon, Tool
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

__all__ = [
    "BUDGETS",
    "ENTRY_SECTIONS",
    "PATTERN_DESCRIPTIONS",
    "Budgets",
    "Category",
    "Deprecation",
    "Disclosure",
    "Example",
    "Execution",
    "Icon",
    "Manifest",
    "MetaTool",
    "Prompt",
    "PromptArgument",
    "Resource",
    "Secret",
    "Server",
    "Tool",
    "Upstream",
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
        default=None, description="The category's name for people; default: its name."
    )
    description: Text | None = Field(
        default=None, description="What its tools are for, in the inventory and the docs."
    )


class Workflow(ManifestModel):
    """A named chain of tools."""

    name: Line = Field(description="What the chain achieves.")
    description: Line | None = Field(default=None, description="More about it, in one line.")
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
        description="Upstream MCP servers, by name.",
        examples=[{"orders": {"url": "https://example.com/mcp"}}],
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

    def is_carried_out_here(self, tool: str) -> bool:
        """Whether the implementation has a method for a tool; an upstream server carries out others."""
        return (
            self.tools[tool].backend is not None
            or self.id_of(tool).partition("::")[0] not in self.servers
        )

    def has_models(self, tool: str) -> bool:
        """Whether models are generated for a tool."""
        return self.server.models == "all" or self.is_carried_out_here(tool)
