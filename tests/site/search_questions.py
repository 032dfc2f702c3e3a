"""What a large site is asked: its search names, and words out of summaries; its pages, parameters."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_SEED: Final = 20261116
_NUMBER: Final = 100
#: An item of a list of parameters: its name in code, in bold.
_FIELD: Final = re.compile(r"^- \*\*(`+) ?(.*?) ?\1\*\*", re.MULTILINE)
#: Words that nobody would type to find something.
_SMALL: Final = frozenset(
    [
        "this",
        "that",
        "with",
        "from",
        "into",
        "your",
        "will",
        "which",
        "than",
        "then",
        "have",
        "been",
        "their",
        "there",
        "when",
        "what",
        "also",
        "only",
        "such",
        "them",
        "they",
    ]
)


def tools_of(site: Path) -> list[dict[str, Any]]:
    """The tools of a site, from the file that it has for programs."""
    tools: list[dict[str, Any]] = json.loads((site / "catalog.json").read_text("utf-8"))["tools"]
    return tools


def lacking(site: Path) -> list[str]:
    """The tools whose pages do not have every parameter of theirs."""
    found = []
    for tool in tools_of(site):
        page = (site / tool["markdown"]).read_text(encoding="utf-8")
        listed = page.partition("\n## Parameters\n")[2].partition("\n## ")[0]
        named = {item[2] for item in _FIELD.finditer(listed)}
        if set(tool["inputSchema"].get("properties") or {}) - named:
            found.append(tool["name"])
    return found


def names_asked(site: Path) -> list[str]:
    """A hundred names of tools."""
    return random.Random(_SEED).sample([name for name, _ in _summaries(site)], _NUMBER)


def summaries_asked(site: Path) -> list[tuple[str, str]]:
    """Three words out of the summary of a tool, a hundred times, and the tool."""
    draw = random.Random(_SEED)
    enough = [
        (name, words) for name, summary in _summaries(site) if len(words := _words(summary)) > 2
    ]
    return [(" ".join(draw.sample(words, 3)), name) for name, words in draw.sample(enough, _NUMBER)]


def _summaries(site: Path) -> Iterator[tuple[str, str]]:
    """Name and summary of each tool, as search has them."""
    script = (site / "assets/search-index.js").read_text(encoding="utf-8")
    for row in json.loads(script[script.index("[") : script.rindex("]") + 1]):
        if row[1].startswith("tools/"):
            yield row[0], row[4]


def _words(summary: str) -> list[str]:
    return sorted(set(re.findall(r"[^\W_]{4,}", summary.lower())) - _SMALL)
