"""Pages of tools and categories: plain data, made from their sources alone."""

import json
from dataclasses import replace

from toolfold.manifest.schema import Example, Tool
from toolfold.plan.docs.category import CategoryPageSource, CategoryRow, category_page
from toolfold.plan.docs.fields import field_list
from toolfold.plan.docs.tool import ToolPageContext, ToolPageSource, tool_page

TOOL = Tool(
    category="files",
    effect="write",
    summary="Write a file",
    parameters={"path": {"$ref": "#/$defs/Path", "required": True}},
    examples=[Example(arguments={"path": "a.txt"})],
)
SOURCE = ToolPageSource(
    name="write_file",
    tool=TOOL,
    category_title="Files",
    signature="write_file(path: str)",
    tokens={"hit": 5, "summary": 10, "schema": 30, "full": 40, "listed": 35},
    uses=("Related: [`read_file`](../tools/read_file.md)",),
    arguments={"path": "a.txt"},
)
CONTEXT = ToolPageContext(
    exposure="progressive",
    runners={"read": "run_read", "write": "run_write", "destructive": "run_write"},
    meta_names={"schema": "tool_schema", "run_read": "run_read", "run_write": "run_write"},
    definitions={"Path": {"type": "string", "description": "Below the root"}},
)


def test_page_of_a_tool_is_plain_data() -> None:
    values = tool_page(SOURCE, CONTEXT)

    assert json.loads(json.dumps(values)) == values


def test_page_of_a_tool_shows_definitions_costs_and_the_call_through_its_runner() -> None:
    values = tool_page(SOURCE, CONTEXT)

    assert "Below the root" in str(values["parameters"])
    assert "tool_schema(tool)" in str(values["costs"])
    assert '"name": "run_write"' in str(values["calls"])


def test_page_of_a_tool_shows_a_direct_call_where_every_tool_is_listed() -> None:
    examples = str(tool_page(SOURCE, replace(CONTEXT, exposure="direct"))["calls"])

    assert '"name":"write_file"' in examples
    assert "run_write" not in examples


def test_page_of_a_category_counts_meta_tools_but_not_their_cost() -> None:
    tools = (
        CategoryRow("read_file", "Read", "read", 20),
        CategoryRow("write_file", "Write", "write", 35),
        CategoryRow("search_tools", "Find tools", "read", is_meta=True),
    )

    values = category_page(CategoryPageSource("Files", "", tools))

    assert values["summary"] == "2 tools, 55 tokens when listed. And 1 meta-tool."
    assert "search_tools" not in str(values["chart"])
    assert json.loads(json.dumps(values)) == values


def test_every_parameter_at_the_top_is_there_however_many_are_nested() -> None:
    nested = {f"n{number}": {"type": "string"} for number in range(90)}
    properties = {f"p{number}": {"type": "object", "properties": nested} for number in range(120)}
    shown = field_list({"type": "object", "properties": properties, "required": ["p119"]})

    assert [
        line[4:].partition("`")[2].partition("`")[0]
        for line in shown.split("\n")
        if line[:2] == "- "
    ] == list(properties)
    assert shown.count("    - **`n") == 120 * 40
    assert "**`p119`** `object` *required*" in shown
    assert "Some of its fields are left out here" in shown


def test_fields_of_alternatives_lists_and_definitions_are_shown() -> None:
    node = {"type": "object", "properties": {"id": {"type": "string", "description": "One\nTwo"}}}
    shown = field_list(
        {
            "$defs": {"Node": node},
            "type": "array",
            "items": {
                "properties": {"node": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}
            },
        },
        is_result=True,
    )

    assert (
        shown
        == "- **`node`** `object&#124;null`\n\n    - **`id`** `str`\n\n        One  \n        Two".replace(
            "`object&#124;null`", "<code>object&#124;null</code>"
        )
    )


def test_a_tool_without_an_example_shows_the_smallest_valid_call() -> None:
    tool = TOOL.model_copy(update={"examples": []})
    bare = replace(SOURCE, tool=tool, arguments={"path": "<path>"})
    calls = str(tool_page(bare, replace(CONTEXT, exposure="direct"))["calls"])

    assert '{"path":"<path>"}' in calls
    assert "what is in &lt;&#62; is a placeholder" in calls
