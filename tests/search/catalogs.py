"""A small catalog of several servers and languages, and ways to ask it."""

from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.vocabulary import Strategy
from toolfold_runtime.search.find import Finder, finder_for

from tests.disclosure.catalogs import planned
from tests.support.projects import Json

NEXT: Final = "next: tool_schema(tool)"


def tool(summary: str, **more: Any) -> Json:
    return {"category": "all", "effect": "read", "summary": summary} | more


def manifest(tools: Json, **disclosure: Any) -> Json:
    """A manifest of these tools, all in one category unless they say otherwise."""
    categories: Json = {one["category"]: {} for one in tools.values()}
    return {
        "toolfold": 1,
        "server": {"name": "town", "version": "1"},
        "disclosure": {"exposure": "progressive"} | disclosure,
        "categories": categories | {"maps": {"title": "Maps and Routes"}},
        "tools": tools,
    }


TOOLS: Final[Json] = {
    "createIssue": tool(
        "Open a new issue in a repository",
        category="code",
        effect="write",
        id="github::createIssue",
        tags=["bugs", "Issue Tracker"],
        aliases=["file_bug"],
        parameters={
            "title": {"type": "string", "required": True},
            "body": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "assignees": {"type": "array", "items": {"type": "string"}},
            "milestone": {"type": "integer"},
        },
    ),
    "delete_repository": tool(
        "Delete a repository for ever",
        category="code",
        effect="destructive",
        id="github::delete_repository",
    ),
    "search_videos": tool(
        "Search YouTube for videos",
        category="media",
        id="youtube::search_videos",
        tags=["video"],
        parameters={"query": {"type": "string", "required": True}},
        returns={"type": "array", "items": {"type": "string"}},
    ),
    "append_row": tool(
        "Append a row to a spreadsheet",
        category="office",
        effect="write",
        id="sheets::append_row",
    ),
    "send_mail": tool(
        "Send an e-mail message to somebody", category="office", effect="write", id="mail::send"
    ),
    "plan_route": tool(
        "Directions between two places", category="maps", id="osm::plan_route", tags=["travel"]
    ),
    "translate_text": tool("Translate a text into another language", category="office"),
    "help": tool("", category="code") | {"summary": "Manual pages"},
    "maps_regeocode": tool("将一个高德经纬度坐标转换为行政区划地址信息", category="maps"),
    "weread_rank": tool("获取微信读书排行榜，包含热门小说", category="media"),
    "tenki": tool("東京の天気予報を調べる", category="media"),
    "nalssi": tool("서울의 날씨를 알려줍니다", category="media"),
    "akat": tool("พยากรณ์อากาศวันพรุ่งนี้", category="media"),
    "taqs": tool("توقعات الطقس ليوم غد", category="media"),
    "mausam": tool("मौसम की जानकारी", category="media"),
    "pogoda": tool("Прогноз погоды на завтра", category="media"),
    "find_cafe": tool("Find a café nearby", category="maps"),
}
TOWN: Final[Json] = manifest(TOOLS)


def finder(folder: Path, given: Json, strategy: Strategy = "lexical") -> Finder:
    """The search of a manifest, as a server would make it from the planned data."""
    data = planned(folder, given).data
    return finder_for(lambda path: data[path].encode(), strategy)


def found(search: Finder, query: str, limit: int = 5) -> list[str]:
    """The names of the tools found, best first."""
    return [search.index.tools[one.tool].name for one in search.find(query, limit).tools]
