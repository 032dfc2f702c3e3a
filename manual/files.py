"""The reference of generated files: what each is, and whether to read, import or publish it."""

from typing import Final, NamedTuple

from manual.text import fields, page


class Kind(NamedTuple):
    """Generated files of one kind."""

    #: A pattern below the output folder; `<package>` stands for the package's name.
    pattern: str
    purpose: str


KINDS: Final = (
    Kind(
        "<package>/__init__.py",
        "Makes the folder a package; it imports nothing that you do not use.",
    ),
    Kind("<package>/py.typed", "Tells type checkers that the package is typed."),
    Kind("<package>/handlers.py", "The protocol that your class satisfies: one method per tool."),
    Kind("<package>/server.py", "The server: `python -m <package>.server` is `toolfold serve`."),
    Kind("<package>/capabilities.py", "The meta-tool that answers with the inventory."),
    Kind("<package>/tool_schema.py", "The meta-tool that answers with schemas."),
    Kind("<package>/search_tools.py", "The meta-tool that finds tools."),
    Kind("<package>/models/__init__.py", "Nothing: models are imported from their own modules."),
    Kind("<package>/models/*.py", "Pydantic models of one tool: its parameters and its result."),
    Kind(
        "<package>/models/definitions/*.py",
        "The class of an entry of `$defs`, shared by all tools.",
    ),
    Kind("<package>/catalog/__init__.py", "Finds the data beside it."),
    Kind("<package>/catalog/server.json", "The server's facts, limits and budgets."),
    Kind("<package>/catalog/names.json", "Names, aliases and ids of tools, and the categories."),
    Kind("<package>/catalog/inventory.jsonl", "Ready pages of the whole catalog, one per line."),
    Kind("<package>/catalog/categories/*.jsonl", "Ready pages and entries of one category."),
    Kind("<package>/catalog/summaries.jsonl", "What lists and the catalog API say of each tool."),
    Kind("<package>/catalog/resources.json", "The resources that the manifest declares."),
    Kind("<package>/catalog/prompts.json", "Prompts: declared ones and those of workflows."),
    Kind("<package>/catalog/servers.json", "Upstream servers and HTTP APIs: how they are reached."),
    Kind("<package>/catalog/pins.jsonl", "Tools of upstream servers as they were imported."),
    Kind("<package>/catalog/inputs.jsonl", "Whole schemas of the arguments of HTTP operations."),
    Kind("<package>/catalog/answers.jsonl", "Whole schemas of what HTTP operations answer."),
    Kind("<package>/catalog/definitions.jsonl", "Definitions that schemas of operations share."),
    Kind("<package>/catalog/stubs/*.jsonl", "Tools as the typed functions that programs call."),
    Kind("<package>/catalog/search/*", "The index of search, as sorted lines."),
    Kind("docs/index.md", "The home page of the docs: what the server does, and how to connect."),
    Kind("docs/agents.md", "How an agent uses the server, and every error."),
    Kind("docs/tokens.md", "What every view, category and tool costs."),
    Kind("docs/categories/*.md", "A page per category."),
    Kind("docs/tools/*.md", "A page per tool."),
    Kind("docs/llms.txt", "An index of the pages for agents."),
    Kind("site.json", "What `docs build` is told: title, address, pages, categories."),
    Kind("manifest.schema.json", "The manifest's schema, for the first line of `tools.yaml`."),
)


def files_page() -> str:
    """The page of generated files."""
    return page(
        "Generated files",
        "`toolfold generate` writes these below `generated/`, or below `-o`. The first line of each says that"
        " toolfold generated it; `generate` replaces and removes such files, touches no other, and"
        " `toolfold check` says which are missing, changed or left over. Commit them: a reviewer then sees what"
        " a change of the manifest means, and a machine that serves needs no generator.",
        fields(KINDS),
        "`toolfold docs build` writes a site into `site/`, which it owns as a whole and which git ignores.",
    )
