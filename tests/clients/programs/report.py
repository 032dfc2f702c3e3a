"""How a program of this folder is asked, and how it reports what its client saw: JSON in, JSON out.

Asked on standard input, by a name for each session: `{"target": {"command", "args", "env"} or
{"url"}, "calls": {label: [tool, arguments]}}`. Reported on standard output, by the same names:
`{"tools": {name: the schema that a model is shown}, "strict": {name: the same in a strict mode, where
there is one}, "answers": {label: an answer}}`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

Tool = TypeVar("Tool")
Json = dict[str, Any]
#: By label, the name of a tool and its arguments.
Calls = dict[str, tuple[str, Json]]
Session = Callable[[Json, Calls], Coroutine[Any, Any, Json]]


def main(session: Session) -> None:
    """Hold every session that is asked for, one after the other."""
    # Standard output is for the report alone: what libraries print goes aside.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    report = {
        name: asyncio.run(session(one["target"], one["calls"])) for name, one in asked.items()
    }
    with out:
        json.dump(report, out)


async def seen(
    tools: Mapping[str, Tool],
    shown: Callable[[Tool], Any],
    called: Callable[[Tool, Json], Awaitable[Json]],
    calls: Calls,
    strict: Callable[[Tool], Any] | None = None,
) -> Json:
    """What a client saw of its tools by name: their schemas, and what each call was answered."""
    return {
        "tools": {name: shown(tool) for name, tool in tools.items()},
        "strict": {name: strict(tool) for name, tool in tools.items()} if strict else {},
        "answers": {
            label: await called(tools[name], arguments)
            for label, (name, arguments) in calls.items()
        },
    }


def answer(blocks: Iterable[Mapping[str, Any]], *, is_error: bool, structured: Any = None) -> Json:
    """An answer made of content blocks as the protocol has them."""
    blocks = list(blocks)
    return {
        "text": "\n".join(block["text"] for block in blocks if block["type"] == "text"),
        "is_error": is_error,
        "structured": structured,
        "images": [
            [block["mimeType"], block["data"]] for block in blocks if block["type"] == "image"
        ],
    }


def text(words: str, *, is_error: bool = False, structured: Any = None) -> Json:
    """An answer of text alone."""
    return answer([{"type": "text", "text": words}], is_error=is_error, structured=structured)


def image(mime_type: str, data: str) -> Json:
    """A block of content with an image in base64."""
    return {"type": "image", "mimeType": mime_type, "data": data}


def dumped(content: Iterable[Any]) -> list[Json]:
    """Content blocks of the Python SDK, of either major version, as the protocol has them."""
    return [block.model_dump(by_alias=True, exclude_none=True) for block in content]
