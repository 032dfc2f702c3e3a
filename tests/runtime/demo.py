"""A small server of every kind of tool, generated where a test wants it."""

from pathlib import Path
from typing import Any, Final

from tests.support.commands import toolfold
from tests.support.projects import Json, write_manifest

PACKAGE: Final = "runtime_demo"


def _tool(summary: str, **fields: Any) -> Json:
    return {"category": "all", "effect": "read", "summary": summary, **fields}


MANIFEST: Final[Json] = {
    "toolfold": 1,
    "server": {
        "name": "demo",
        "package": PACKAGE,
        "version": "1.2.3",
        "title": "Demo server",
        "instructions": "Add things.",
        "implementation": "implementation:Tools",
    },
    "categories": {"all": {"description": "Everything"}, "none": {}},
    "tools": {
        "add": _tool(
            "Add two numbers",
            parameters={
                "a": {"type": "integer", "required": True, "description": "First"},
                "b": {"type": "integer", "default": 2, "maximum": 10},
            },
            returns={"type": "integer"},
            examples=[{"arguments": {"a": 1, "b": 2}}],
            aliases=["plus"],
        ),
        "shout": _tool(
            "Answer later, in capitals",
            parameters={"text": {"type": "string", "default": "hello"}},
            returns={
                "type": "object",
                "properties": {"text": {"type": "string"}, "next-page": {"type": "string"}},
                "required": ["text"],
            },
        ),
        "later": _tool("A plain method that returns an awaitable", returns={"type": "string"}),
        "odd": _tool(
            "Properties that are no Python names",
            parameters={
                "class": {"type": "string"},
                "a-b": {"type": "string", "default": "dash"},
                "model_config": {"type": "string"},
            },
        ),
        "absent": _tool("Which are absent?", parameters={"note": {"type": "string"}, "n": {}}),
        "several": _tool(
            "A list of models",
            returns={
                "type": "array",
                "items": {"type": "object", "properties": {"in": {"type": "integer"}}},
            },
        ),
        "words": _tool("Plain text"),
        "crash": _tool("Raises", effect="write"),
        "leave": _tool("Leaves the process"),
        "refuse": _tool("Says no in its own words"),
        "broken": _tool("Breaks its promise", returns={"type": "integer"}),
        "unspeakable": _tool(
            "Returns what is no JSON", returns={"type": "object", "properties": {"it": {}}}
        ),
        "noisy": _tool("Prints"),
        "missing": _tool("Has no method"),
    },
}

IMPLEMENTATION: Final = """
import os
import subprocess
import sys

from toolfold_runtime import ToolError

from runtime_demo.models.several import SeveralResultItem
from runtime_demo.models.shout import ShoutResult


class Tools:
    def add(self, params):
        return params.a + params.b

    async def shout(self, params):
        return ShoutResult(text=params.text.upper())

    def later(self, params):
        async def answer():
            return "later"
        return answer()

    def odd(self, params):
        return [params.class_, params.a_b, params.model_config_]

    def absent(self, params):
        return [params.note is None, params.n is None, sorted(params.model_fields_set)]

    def several(self, params):
        return [SeveralResultItem(in_=1), {"in": 2}]

    def words(self, params):
        return "just words"

    def crash(self, params):
        raise ValueError("password at /etc/shadow")

    def leave(self, params):
        sys.exit("password at /etc/shadow")

    def refuse(self, params):
        raise ToolError("backend_failed", "come back on Monday")

    def broken(self, params):
        return "three"

    def unspeakable(self, params):
        return {"it": object()}

    def noisy(self, params):
        print("flushed", flush=True)
        print("printed")
        os.write(1, b"raw\\n")
        sys.__stdout__.write("behind the back\\n")
        subprocess.run([sys.executable, "-c", "print('child')"], check=True)
        return "done"
"""


def generate(folder: Path, manifest: Json, implementation: str = IMPLEMENTATION) -> Path:
    """The project in `folder`, generated; the folder of the output."""
    write_manifest(folder, manifest)
    (folder / "implementation.py").write_text(implementation, encoding="utf-8")
    done = toolfold(folder, "generate", "--quiet")
    assert done.code == 0, done.err
    return folder / "generated"


def changed(**server: Any) -> Json:
    """The manifest with other facts about the server."""
    return MANIFEST | {"server": {**MANIFEST["server"], **server}}
