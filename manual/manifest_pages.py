"""The reference of the manifest: a page of all keys, and pages of the large sections."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from manual.keys import Key, keyword_keys, manifest_keys, shown
from manual.text import block, code, fields, in_yaml, page, table

#: Sections with a page of their own; all others are on the first page.
OWN_PAGES: Final = ("disclosure", "tools", "servers")
#: A key of each tool that has a page of its own too.
BACKEND: Final = ("tools", "<tool>", "backend")
_KEYWORDS: Final = "manifest-schemas.md"
_INTRODUCTIONS: Final = {
    "disclosure": "What agents see of the tools, and how much of it at once. [Budgets](../how-to/budgets.md) and [disclosure](../explanation/disclosure.md) say when to change what.",
    "tools": "Each entry under `tools:` is a tool; the examples stand under its name:"
    "\n\n```yaml\ntools:\n  find_order:\n    category: orders\n    effect: read\n"
    "    summary: Find an order\n```\n\nParameters and results are [JSON Schemas](manifest-schemas.md).",
    "backend": "What carries out a call of one tool: the examples stand under its name. Most tools need none:"
    " the default is the method of the tool's name. Imports of [servers](../how-to/gateway.md) and"
    " [HTTP APIs](../how-to/openapi.md) write it for you; [how calls of an HTTP API are made]"
    "(../how-to/http-apis.md) says what `request`, `answer` and `pages` do.",
    "servers": "Each entry under `servers:` says where tools live that are no methods of the"
    " implementation; the examples stand under its name. [A gateway before many servers]"
    "(../how-to/gateway.md) leads through it.",
}
# What stands for a name that the author chooses.
_NAMES: Final = {
    "<category>": "orders",
    "<tool>": "find_order",
    "<prompt>": "apology",
    "<argument>": "code",
    "<parameter>": "status",
    "<part>": "photo",
    "<resource>": "order",
    "<server>": "orders",
    "<variable>": "MODE",
}


class _Form(NamedTuple):
    """How the keys of a page are written."""

    #: The level of their headings.
    level: int
    #: How many steps of a path the title of the page says already, and its introduction.
    titled: int
    introduced: int


_FIRST_PAGE: Final = _Form(3, 0, 0)


def manifest_pages() -> dict[str, str]:
    """The pages by name."""
    sections = {
        section: list(keys) for section, keys in groupby(manifest_keys(), lambda key: key.path[0])
    }
    pages = {"manifest.md": _first_page(sections)}
    for section in OWN_PAGES:
        _, *below = sections[section]
        has_entries = below[0].path[1].startswith("<")
        form = _Form(2, 2, 2) if has_entries else _Form(2, 1, 0)
        section_keys = [key for key in below if not _is_below_backend(key)]
        pages[_page_of(section)] = _own_page(section, section_keys, form)
    backend = [key for key in sections["tools"] if _is_below_backend(key)]
    pages[_page_of("backend")] = _own_page("backend", backend, _Form(2, 3, 2))
    pages[_KEYWORDS] = _keywords_page()
    return pages


def _own_page(section: str, keys: Sequence[Key], form: _Form) -> str:
    """The page of a section: a table of its keys, then each with the keys below it."""
    rows = [
        [f"[`{key.path[-1]}`](#{key.path[-1]})", _line(key)]
        for key in keys
        if len(key.path) == form.titled + 1
    ]
    return page(
        f"The manifest: {section}",
        _INTRODUCTIONS[section],
        table(["Key", "What it is for"], rows),
        *_described(keys, form),
    )


def _line(key: Key) -> str:
    """What a table of keys says of one; a column more would not fit a phone."""
    return f"{key.meaning} Required." if key.is_required else key.meaning


def _is_below_backend(key: Key) -> bool:
    return len(key.path) > len(BACKEND) and key.path[: len(BACKEND)] == BACKEND


def _first_page(sections: dict[str, list[Key]]) -> str:
    rows = [[f"[`{name}`]({_address(name)})", _line(top)] for name, (top, *_) in sections.items()]
    parts = [
        "Every key of `tools.yaml`, as `toolfold schema` has it: what it means, what may stand there, its"
        " default, and an example. An editor that reads the schema shows the same while you write.",
        "A file is YAML 1.2: `no` is a text. No text may be empty. Unknown keys are errors, with the nearest known one.",
        table(["Key", "What it is for"], rows),
    ]
    for name, (top, *below) in sections.items():
        if name not in OWN_PAGES:
            parts += [f"## {code(name)}", *_facts(top, _FIRST_PAGE)]
            parts += _described(below, _FIRST_PAGE)
    return page("The manifest", *parts)


def _keywords_page() -> str:
    return page(
        "Schemas in a manifest",
        "What `parameters`, `returns` and `$defs` may say: JSON Schema 2020-12, with `required: true` on a"
        " parameter itself. [Arguments and results](../how-to/arguments.md) says how they are held to it,"
        " which formats are asserted, and what each is in Python.",
        "Each keyword with what it means, the type of its value, and an example:",
        fields((key.name, key.meaning, _type_and_example(key)) for key in keyword_keys()),
    )


def _type_and_example(key: Key) -> str:
    example = in_yaml({key.name: key.example}).replace("\n", " ")
    return f"Type: {key.type}. Example: {code(example)}"


def _described(keys: Iterable[Key], form: _Form) -> Iterator[str]:
    """A heading and the facts of each key."""
    for key in keys:
        yield f"{'#' * form.level} {code(shown(key.path[form.titled :]))}"
        yield from _facts(key, form)


def _facts(key: Key, form: _Form) -> Iterator[str]:
    yield key.meaning
    facts = [f"Type: {key.type}"]
    facts += ["Required"] if key.is_required else []
    facts += [f"Default: {code(key.default)}"] if key.default else []
    if key.path == BACKEND:
        facts.append(f"Keys: on [a page of their own]({_page_of('backend')})")
    if key.described_at:
        facts.append(f"Keys: those of {code(shown(key.described_at[form.titled :]))}")
    yield "\n".join(f"- {fact}" for fact in facts)
    yield block("yaml", in_yaml(_nested(key.path[form.introduced :], key.example)))


def _nested(path: Sequence[str], example: Any) -> Any:
    """The example below the keys that lead to it."""
    for step in reversed(path):
        example = [example] if step == "[]" else {_NAMES.get(step, step): example}
    return example


def _page_of(section: str) -> str:
    return f"manifest-{section}.md"


def _address(section: str) -> str:
    return _page_of(section) if section in OWN_PAGES else f"#{section.strip('$')}"
