"""What can be read by its address: results of tools, generated pages and schemas."""

from typing import Final, NamedTuple

#: The scheme of the runtime's own resources.
SCHEME: Final = "toolfold:"
INVENTORY: Final = "toolfold://inventory"
HOME_PAGE: Final = "toolfold://docs"
AGENTS_PAGE: Final = "toolfold://docs/agents"
TOKENS_PAGE: Final = "toolfold://docs/tokens"
TOOL_PAGE: Final = "toolfold://tools/{tool}"
CATEGORY_PAGE: Final = "toolfold://categories/{category}"
SCHEMAS: Final = "toolfold://schemas/{tool}"
MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"
PLAIN: Final = "text/plain"


class Variable(NamedTuple):
    """A variable of an address, and the values that it can have where they are few."""

    name: str
    values: tuple[str, ...] = ()


class Resource(NamedTuple):
    """An address, or a template of addresses."""

    name: str
    #: An address, or a template where it has variables.
    uri: str
    description: str
    title: str | None = None
    mime_type: str | None = None
    #: The tool whose result is read; empty for what the runtime reads itself.
    tool: str = ""
    variables: tuple[Variable, ...] = ()


class Resources(NamedTuple):
    """`resources.json`: what the manifest declares, in its order."""

    resources: tuple[Resource, ...]


#: The runtime's own resources, which every server offers unless its manifest switches them off.
GENERATED: Final = (
    Resource("inventory", INVENTORY, "The tools of this server, as many as fit", "Inventory"),
    Resource("docs", HOME_PAGE, "What this server does, and how to use it", "Home page", MARKDOWN),
    Resource("agents", AGENTS_PAGE, "Meta-tools and errors in detail", "For agents", MARKDOWN),
    Resource("tokens", TOKENS_PAGE, "What everything costs in tokens", "Token report", MARKDOWN),
    Resource(
        "tool",
        TOOL_PAGE,
        "Everything about one tool, by its name, alias or id",
        "Page of a tool",
        MARKDOWN,
        variables=(Variable("tool"),),
    ),
    Resource(
        "category",
        CATEGORY_PAGE,
        "The tools of one category",
        "Page of a category",
        MARKDOWN,
        variables=(Variable("category"),),
    ),
    Resource(
        "schema",
        SCHEMAS,
        "The input and output schema of one tool, by its name, alias or id",
        "Schemas of a tool",
        JSON,
        variables=(Variable("tool"),),
    ),
)
