"""What the search of a site knows of a tool."""

import json
from typing import Any

from toolfold.site.search_index import search_index
from toolfold.site.tools import SiteTool


def tool(name: str, summary: str, description: str) -> SiteTool:
    return SiteTool(name, f"tools/{name}.md", "all", "read", summary, description, (), {}, None)


def rows(*tools: SiteTool) -> list[Any]:
    script = search_index(tools, {"all": "All"}, {})
    found: list[Any] = json.loads(script.removeprefix("toolfoldIndex(").rstrip().removesuffix(");"))
    return found


def test_what_many_tools_begin_with_gives_way_to_what_each_says() -> None:
    many = [tool(f"t{n}", "This is the API", f"This is the API. Do {n}.") for n in range(6)]

    assert [row[4] for row in rows(*many)] == [f"Do {n}." for n in range(6)]
    assert [row[4] for row in rows(*many[:5])] == ["This is the API"] * 5


def test_a_shared_summary_stays_where_nothing_follows_it() -> None:
    many = [tool(f"t{n}", "This is the API", "This is the API.") for n in range(6)]

    assert {row[4] for row in rows(*many)} == {"This is the API"}
