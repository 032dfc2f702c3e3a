"""A small manifest and what tests of the command line do with it."""

from collections.abc import Callable
from pathlib import Path

from tests.support.commands import Result

MANIFEST = """\
toolfold: 1
server: {name: demo, version: "1"}
categories: {all: {description: Everything}}
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters:
      query: {type: string, required: true, description: Words to look for, minLength: 1}
      limit: {type: integer, default: 20, minimum: 1, maximum: 100}
"""
FILES = 29  # that it generates
FOREIGN = "  far: {category: all, effect: read, summary: Far, input_schema: {properties: {}}}\n"
NOTICE = "notice: no `implementation` is declared: the tools are described and cannot be called\n"

Run = Callable[..., Result]


def add(project: Path, text: str) -> None:
    manifest = project / "tools.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + text, encoding="utf-8")
