"""Hostile texts, and manifests with one in every position."""

import json
import re
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, Final

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from toolfold.compile import compile_manifest
from toolfold.plan.text.escape import without_hidden

Json = dict[str, Any]
Files = Mapping[PurePosixPath, str]
Draw = Callable[[], str]

CANARY: Final = "__import__('pathlib').Path('canary').touch()"
NASTY: Final = (
    '"""',
    "'''",
    '"',
    "'",
    "\\",
    '"\\',
    "ends with a backslash\\",
    'ends with a quote"',
    f'"""\n{CANARY}\n"""',
    f"'''\n{CANARY}\n'''",
    f'"); {CANARY}; ("',
    f"'); {CANARY}; ('",
    f'\\"""); {CANARY} #',
    f'"\n{CANARY}\n#',
    f"\n\n{CANARY}\n\nclass X: pass",
    f"{{{CANARY}}}",
    f"{{{{ {CANARY} }}}}",
    f"{{% set x = {CANARY} %}}",
    "{{ plan.__class__.__mro__ }}{# comment #}{% raw %}",
    "${HOME} $(touch canary) `touch canary`",
    "%s %(name)s {0} {name!r}",
    "\\N{BULLET} \\x41 \\u0041 \\U00000041 \\101 \\n",
    "\\N{",
    "# not a comment",
    "# type: ignore[misc]  # noqa",
    "# -*- coding: utf-7 -*-",
    "# fmt: off",
    "from os import system",
    "__import__('os').system('touch canary')",
    "<script>alert(1)</script>",
    "<script>",
    "</script>",
    "<SCRIPT SRC=//x></SCRIPT>",
    '<img src=x onerror="alert(1)">',
    "<a href='javascript:alert(1)'>x</a>",
    "<div markdown='1'>*x*</div>",
    "<details open ontoggle=alert(1)>",
    "<svg/onload=alert(1)>",
    "<!-- comment -->",
    "<!-- open",
    "-->",
    "<![CDATA[ x ]]>",
    "]]>",
    "<?php x ?>",
    "<!DOCTYPE html>",
    "</td></tr></table>",
    "&lt;script&gt; &amp; &#60;b&#62; &copy;",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "![x](javascript:alert(1))",
    "[x]: javascript:alert(1)",
    "[x][y] [^1] [TOC]",
    "[^1]: a note",
    "*[HTML]: abbreviation",
    "<https://example.com> https://example.com www.example.com a@example.com",
    "a | b | c",
    "\\|",
    "| --- | --- |",
    "--- | ---",
    "`",
    "``` text",
    "```\n<script>\n```",
    "x\n```\n<script>alert(1)</script>\n",
    "x\n````\n<b>bold</b>\n```\n",
    "~~~",
    "a ` b `` c ``` d ```` e",
    "*a* **b** ***c*** _d_ __e__ ~~f~~ ==g== ^^h^^ ~i~",
    "snake_case __dunder__ _edge_ a_b_c",
    "{: onclick=alert(1) }",
    "text {: #id .class onmouseover=alert(1) }",
    "text {#id onclick=alert(1)}",
    "{ #x }",
    ": definition",
    "term\n:   definition",
    "!!! danger",
    "???+ note",
    "=== tab",
    "///",
    "# heading",
    "trailing hashes ##",
    "trailing # {#id}",
    "> quote",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "1) item",
    "    indented code",
    "\tindented code",
    "---",
    "===",
    "***",
    "text\n---",
    "text\n===",
    "text  \nbreak",
    "a\n\n\n\nb",
    "one\r\ntwo\rthree",
    "\u2028line\u2029paragraph\u0085next",
    "\u202eabc\u202c \u2066def\u2069 \u200f",
    "zero\u200bwidth\u200d\ufeff\u2060",
    "tag characters \U000e0041\U000e0042\U000e007f",
    "variation \u2764\ufe0f",
    "emoji 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "ﬁeld ｆｕｌｌ ℌ Ⅷ",
    "combining a\u0301\u0302",
    "null",
    "true",
    "0x10",
    "1e3",
    "~",
    "*alias",
    "&anchor",
    "!!python/object/apply:os.system [touch canary]",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\Windows",
    "con",
    "wzxhzdk:0 klzzwxh:0000 amp",
    "long " * 2000,
    "x" * 9000,
)
_LINE_ENDS: Final = re.compile(r"[\r\n]+")
_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_FOR_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def line_of(text: str) -> str:
    return _LINE_ENDS.sub(" ", text)


def collapsed(text: str) -> str:
    return _BLANK.sub(" ", text).strip()


def printable(text: str) -> str:
    """What a reader of source code is shown: the rest is blank there."""
    return collapsed("".join(c if c.isprintable() else " " for c in without_hidden(text)))


def without_placeholders(text: str) -> str:
    """A text as that of a prompt, which says every brace."""
    return text.replace("{", "{{").replace("}", "}}")


# --- manifests with a draw at every position ---------------------------------------------------


def hostile_tool(text: Draw) -> Json:
    """A tool whose every free text is drawn; only names are plain."""

    def line() -> str:
        return line_of(text())

    choice, fixed, returned = text(), text(), text()
    return {
        "category": "one",
        "effect": "read",
        "summary": line(),
        "title": line(),
        "description": text(),
        "example": line(),
        "tags": [line(), line()],
        "generates": [line()],
        "consumes": [line()],
        "notes": text(),
        "references": [{"title": line(), "url": "https://example.com/a_b?c=(d)&e=*f*"}],
        "parameters": {
            "plain": {
                "type": "string",
                "title": text(),
                "description": text(),
                "default": text(),
                "examples": [text()],
                "$comment": text(),
            },
            "choice": {"enum": [choice, choice * 2, choice * 3], "default": choice},
            "fixed": {"const": fixed, "description": text()},
            "many": {
                "type": "array",
                "items": {"type": "string", "description": text()},
                "default": [text(), text()],
            },
            "nested": {
                "type": "object",
                "title": text(),
                "description": text(),
                "properties": {
                    "inner": {"type": "string", "description": text(), "default": text()}
                },
            },
            "shared": {"$ref": "#/$defs/Shared"},
        },
        "returns": {
            "type": "object",
            "title": text(),
            "description": text(),
            "properties": {"out": {"enum": [returned, returned * 2], "description": text()}},
        },
        "examples": [{"description": line(), "arguments": {"plain": text(), "many": [text()]}}],
        "annotations": {"title": text()},
        "meta": {text()[:100]: text()},
    }


def hostile_manifest(text: Draw, tools: Mapping[str, Json], package: str = "hostile") -> Json:
    def line() -> str:
        return line_of(text())

    return {
        "toolfold": 1,
        "server": {
            "name": "hostile",
            "package": package,
            "version": text(),
            "title": line(),
            "description": text(),
            "instructions": text(),
        },
        "disclosure": {
            "quick_actions": {line()[:100]: next(iter(tools))},
            "meta": {"capabilities": {"category": "one", "summary": line(), "example": line()}},
        },
        "categories": {"one": {"title": line(), "description": text()}},
        "tools": dict(tools),
        "workflows": [{"name": line(), "description": line(), "steps": [next(iter(tools))]}],
        "prompts": {
            "hostile_prompt": {
                "summary": line(),
                "title": line(),
                "arguments": {"words": {"description": line(), "values": [line()]}},
                "text": f"{without_placeholders(text())}{{words}}",
            }
        },
        "resources": {
            "hostile": {
                "uri": "hostile://all",
                "tool": next(iter(tools)),
                "summary": line(),
                "title": line(),
            }
        },
        "$defs": {
            "Shared": {
                "type": "object",
                "title": text(),
                "description": text(),
                "properties": {"deep": {"type": "string", "description": text()}},
            }
        },
    }


def one_tool_manifest(text: Draw, package: str = "hostile") -> Json:
    return hostile_manifest(text, {"tool": hostile_tool(text)}, package)


def as_yaml(data: Json) -> str:
    """JSON is YAML, once the characters that YAML reads otherwise are escaped."""
    text = json.dumps(data, ensure_ascii=False)
    return _FOR_YAML.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def compiled(manifest: Json, folder: Path) -> Files:
    file = folder / "tools.yaml"
    file.write_text(as_yaml(manifest), encoding="utf-8", newline="\n")
    return {PurePosixPath(path): text for path, text in compile_manifest(file).files.items()}


def number_of_texts(build: Callable[[Draw], Json]) -> int:
    numbers = count()
    build(lambda: f"word{next(numbers)}")
    return next(numbers)


# --- what to draw ------------------------------------------------------------------------------

pieces = st.sampled_from(NASTY) | st.text(max_size=12)
hostile_texts = st.lists(pieces, min_size=1, max_size=3).map("".join).map(lambda t: t[:12_000])
#: Accepted in any position: not blank, and without what YAML itself refuses.
acceptable = hostile_texts.map(
    lambda text: re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]", "", text)
).filter(lambda text: bool(printable(text)))


def examples(number: int) -> settings:
    """That many examples, each as slow as a compiler run is."""
    phases = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=number, phases=phases, suppress_health_check=checks)


@st.composite
def manifests(draw: st.DrawFn) -> Json:
    pool = draw(st.lists(acceptable, min_size=8, max_size=8))
    numbers = draw(st.randoms(use_true_random=False))
    return one_tool_manifest(lambda: numbers.choice(pool))
