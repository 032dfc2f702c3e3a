"""Markdown and YAML of the reference: the few forms that its pages are made of."""

import re
from collections.abc import Iterable
from typing import Any, Final

import yaml
from toolfold.manifest.hints import flow

#: The first line of every page that is written here.
HEADER: Final = "<!-- Written by `python -m manual` from the source; do not edit. -->"
_LONGEST_LINE: Final = 76
# Quoted for YAML 1.1; in a manifest they are words.
_SWITCH: Final = re.compile(r"""["'](on|off)["']""")


def page(title: str, *parts: str) -> str:
    """A page: its header, its title, and parts with an empty line between them."""
    return "\n\n".join([HEADER, f"# {title}", *filter(None, parts)]) + "\n"


def block(language: str, code: str) -> str:
    """A fenced block of code."""
    return f"```{language}\n{code.rstrip()}\n```"


def code(text: str) -> str:
    """A span of code; with longer marks where the text has marks of its own."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fields(entries: Iterable[tuple[str, *tuple[str, ...]]]) -> str:
    """A list of names, each with paragraphs about it; sites show such lists as references."""
    lines = []
    for name, *paragraphs in entries:
        lines.append(f"- **{code(name)}**")
        lines += [f"  {paragraph}" for paragraph in paragraphs]
    return "\n\n".join(lines)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table; a `|` in a cell is no border."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def in_yaml(value: Any) -> str:
    """A value as YAML: on one line while that is short, else one entry per line."""
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        line = f"{name}: {flow(inner)}"
        if len(line) <= _LONGEST_LINE:
            return _SWITCH.sub(r"\1", line)
    dumped: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=_LONGEST_LINE)
    return _SWITCH.sub(r"\1", dumped.rstrip())
