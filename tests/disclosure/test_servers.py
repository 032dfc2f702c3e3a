"""The overview counts tools by server where there are several and categories do not tell."""

import json
from pathlib import Path

from tests.support.projects import Json, project


def manifest(*tools: tuple[str, str]) -> Json:
    """Tools of servers, each (server, category)."""
    return {
        "toolfold": 1,
        "server": {"name": "gate", "version": "1"},
        "categories": {category: {} for _, category in tools},
        "tools": {
            f"tool_{number}": {
                "id": f"{server}::tool_{number}",
                "category": category,
                "effect": "read",
                "summary": f"Does {number}",
            }
            for number, (server, category) in enumerate(tools)
        },
    }


def overview(folder: Path, content: Json, form: str = "json") -> str:
    return project(folder, content).catalog.inventory(detail="overview", format=form)


def test_servers_are_counted_beside_categories(tmp_path: Path) -> None:
    tools = manifest(("shop", "sales"), ("mail", "sales"), ("shop", "help"))
    view = json.loads(overview(tmp_path, tools))

    assert view["categories"] == {"sales": "2 tools, 2 servers", "help": 1}
    assert view["servers"] == {"mail": 1, "shop": 2}
    assert "servers: mail 1, shop 2" in overview(tmp_path / "text", tools, "text").splitlines()


def test_servers_are_not_counted_where_each_has_a_category_of_its_own(tmp_path: Path) -> None:
    tools = manifest(("shop", "shop"), ("mail", "mail"), ("shop", "shop"))
    assert "servers" not in overview(tmp_path, tools)


def test_one_server_is_not_counted(tmp_path: Path) -> None:
    assert "servers" not in overview(tmp_path, manifest(("shop", "a"), ("shop", "b")))


def test_counts_that_do_not_fit_are_left_out_and_said_so(tmp_path: Path) -> None:
    tools = manifest(*((f"a-rather-long-name-of-server-{n}", "all") for n in range(40)))
    view = json.loads(overview(tmp_path, tools))

    assert "servers" not in view
    assert view["leftOut"] == "servers"
