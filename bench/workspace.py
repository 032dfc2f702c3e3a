"""A Tana workspace of a wanted size, the same every time, and calls of every tool that reads it."""

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_SYLLABLES = [
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "ho",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "ve",
    "wo",
    "xa",
    "ya",
    "zu",
    "an",
    "el",
    "or",
]
_COMMON = [
    "project",
    "plan",
    "budget",
    "meeting",
    "onboarding",
    "notes",
    "laptop",
    "review",
    "office",
    "harbour",
    "idea",
]
_SUPERTAGS = {"project": "Status", "task": "Status", "person": "Team", "note": "Topic"}
_VALUES = ("open", "active", "done", "paused", "blocked")
_SPEAKERS = ("Ada Okafor", "Mei Tanaka", "Luca Moretti", "Jonas Weber")
_TIME = "2026-01-06T10:07:00Z"

Json = dict[str, Any]


def export(nodes: int) -> Json:
    """A whole export: a tree of nodes, a third of them tagged, one in 500 a meeting."""
    chance = random.Random(20261116)
    words = [*_COMMON, *("".join(chance.choices(_SYLLABLES, k=3)) for _ in range(8000))]
    node_list: list[Json] = [{"id": "n0", "name": "Home", "created": _TIME, "updated": _TIME}]
    node_list += [_node(number, words, chance) for number in range(1, nodes)]
    supertags = [
        {"name": name, "fields": [{"name": field, "type": "text"}]}
        for name, field in _SUPERTAGS.items()
    ]
    supertags.append({"name": "meeting", "fields": []})
    return {"format": "tana-export", "version": 1, "supertags": supertags, "nodes": node_list}


def _node(number: int, words: list[str], chance: random.Random) -> Json:
    day = f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}T10:00:00Z"
    node: Json = {
        "id": f"n{number}",
        "name": " ".join(chance.choices(words, k=4)),
        "description": " ".join(chance.choices(words, k=12)),
        "parent": f"n{chance.randrange(max(0, number - 2000), number)}",
        "created": _TIME,
        "updated": day,
    }
    if number % 500 == 0:
        node["supertags"] = ["meeting"]
        node["transcript"] = {
            "date": day[:10],
            "lines": [
                {"speaker": chance.choice(_SPEAKERS), "text": " ".join(chance.choices(words, k=10))}
                for _ in range(120)
            ],
        }
    elif number % 3 == 0:
        tag = chance.choice([*_SUPERTAGS])
        node["supertags"] = [tag]
        node["fields"] = {_SUPERTAGS[tag]: [chance.choice(_VALUES)]}
    return node


def calls(tool: str, nodes: int, count: int) -> list[Json]:
    """Arguments of so many different calls of a tool that reads."""
    chance = random.Random(tool)
    one: dict[str, Callable[[int], Json]] = {
        "tana_search": lambda n: {"query": _query(chance), "limit": 20},
        "tana_tagged": lambda n: _tagged(chance, n),
        "tana_semantic_search": lambda n: {"query": _query(chance), "limit": 10},
        "tana_field_values": lambda n: {"field": chance.choice(("Status", "Team", "Topic"))},
        "tana_supertags": lambda n: {"limit": 1 + n % 50},
        "tana_stats": lambda n: {},
        "tana_supertag_info": lambda n: {"supertag": chance.choice([*_SUPERTAGS])},
        "tana_node": lambda n: {"node_id": f"n{chance.randrange(nodes)}", "depth": n % 3},
        "tana_transcript_list": lambda n: {"limit": 20, "speaker": chance.choice(_SPEAKERS)},
        "tana_transcript_show": lambda n: {
            "meeting_id": f"n{500 * chance.randrange(1, nodes // 500)}"
        },
        "tana_transcript_search": lambda n: {"query": _query(chance), "limit": 20},
    }
    return [one[tool](number) for number in range(count)]


def _query(chance: random.Random) -> str:
    return " ".join(chance.choices(_COMMON, k=chance.randrange(1, 3)))


def _tagged(chance: random.Random, number: int) -> Json:
    tag = chance.choice([*_SUPERTAGS])
    narrow = {"field": _SUPERTAGS[tag], "value": chance.choice(_VALUES)} if number % 2 else {}
    return {"supertag": tag, "limit": 20, "offset": 20 * (number % 5), **narrow}


def database(folder: Path, nodes: int) -> Path:
    """The workspace as a database file."""
    from tana_mcp.models.tana_sync import TanaSyncParams

    from examples.tana.workspace import Workspace

    source, target = folder / "export.json", folder / "workspace.db"
    source.write_text(json.dumps(export(nodes)), encoding="utf-8")
    workspace = Workspace(str(target))
    workspace.tana_sync(TanaSyncParams(path=str(source)))
    workspace.close()
    return target
