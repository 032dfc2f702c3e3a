"""Where pages are, and links to them; a tool's address depends on its name alone."""

from toolfold_runtime.contract import pages

from toolfold.plan.text.escape import markdown, markdown_code
from toolfold.plan.text.paths import file_stem


def tool_page_path(name: str) -> str:
    """The path of a tool's page, from the root of the docs."""
    return pages.tool_page(file_stem(name))


def tool_page_html(name: str) -> str:
    """The path of the same page in a site."""
    return tool_page_path(name).removesuffix(".md") + ".html"


def category_page_path(name: str) -> str:
    """The path of a category's page, from the root of the docs."""
    return pages.category_page(file_stem(name))


def tool_link(name: str, root: str = "") -> str:
    """A link to a tool; `root` leads to the root of the docs."""
    return f"[{markdown_code(name)}]({root}{tool_page_path(name)})"


def category_link(name: str, title: str, root: str = "") -> str:
    """A link to a category by its title; `root` leads to the root of the docs."""
    return f"[{markdown(title)}]({root}{category_page_path(name)})"


def plural(number: int, noun: str) -> str:
    """`1 tool`, `2 tools`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
