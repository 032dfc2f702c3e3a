"""The changelog of tools: two manifests compared, by tool and by parameter, and what it breaks."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.docs.links import tool_link
from toolfold.plan.docs.schema_changes import Change, schema_changes
from toolfold.plan.schemas.served import input_schema, output_schema
from toolfold.plan.text.escape import json_text, markdown, markdown_code

_WORDED: Final = ("summary", "title", "description", "example", "notes")
_LISTED: Final = ("tags", "related", "generates", "consumes", "scopes", "aliases")
_GREATNESS: Final = {"read": 0, "write": 1, "destructive": 2}
_LONGEST: Final = 160


def changes_page(before: Manifest, after: Manifest, since: str, header: str) -> str:
    """A page in Markdown: what breaks callers first, then everything by tool."""
    renamed = _renamed(before, after)
    added = [n for n in after.tools if n not in before.tools and n not in renamed]
    removed = [n for n in before.tools if n not in after.tools and n not in renamed.values()]
    changed = {
        name: changes
        for name in after.tools
        if (old := renamed.get(name, name)) in before.tools
        and (changes := list(_changes(old, before, name, after)))
    }
    breaking = [_removed(name, before) for name in removed]
    breaking += [
        f"{tool_link(name)}: {one.words}"
        for name, changes in changed.items()
        for one in changes
        if one.breaks
    ]
    parts = [f"<!-- {header} -->", "", "# Changes", "", f"Since {markdown_code(since)}."]
    parts += _section("Breaking", breaking)
    parts += _section("Added", [_added(name, after.tools[name]) for name in added])
    parts += _section("Removed", [_line(name, before.tools[name]) for name in removed])
    parts += _section(
        "Renamed",
        [
            f"{markdown_code(old)} is now {tool_link(new)}, and is still accepted"
            for new, old in renamed.items()
        ],
    )
    if changed:
        parts += ["", "## Changed"]
    for name, changes in changed.items():
        parts += ["", f"### {tool_link(name)}", ""]
        parts += [f"- {'**Breaking:** ' if one.breaks else ''}{one.words}" for one in changes]
    if not (added or removed or renamed or changed):
        parts += ["", "No tool was added, removed or changed."]
    elif not breaking:
        parts[5:5] = ["", "Nothing of it breaks a call that worked, or a result that was read."]
    return "\n".join(parts) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {line}" for line in lines)] if lines else []


def _added(name: str, tool: Tool) -> str:
    return f"{tool_link(name)}: {markdown(tool.summary)}"


def _line(name: str, tool: Tool) -> str:
    return f"{markdown_code(name)}: {markdown(tool.summary)}"


def _removed(name: str, before: Manifest) -> str:
    deprecation = before.tools[name].deprecation
    instead = f"; use {markdown_code(deprecation.use)}" if deprecation and deprecation.use else ""
    return f"{markdown_code(name)}: removed{instead}"


def _renamed(before: Manifest, after: Manifest) -> dict[str, str]:
    """New name to old, where an added tool has the name of a removed one as an alias."""
    gone = [name for name in before.tools if name not in after.tools]
    return {
        name: old
        for name, tool in after.tools.items()
        if name not in before.tools
        for old in gone
        if old in tool.aliases
    }


def _changes(old: str, before: Manifest, new: str, after: Manifest) -> Iterator[Change]:
    was, now = before.tools[old], after.tools[new]
    yield from _effect(was, now)
    for name in ("category", "tier", "content"):
        yield from _value(name, getattr(was, name), getattr(now, name), breaks=name == "content")
    yield from _value("deprecated", _deprecated(was), _deprecated(now))
    inputs = input_schema(was, before.defs), input_schema(now, after.defs)
    yield from schema_changes(*inputs, is_result=False)
    yield from _returns(output_schema(was, before.defs), output_schema(now, after.defs))
    yield from _scopes_and_confirmation(was, now)
    for name in _WORDED:
        yield from _value(name, getattr(was, name), getattr(now, name))
    for name in _LISTED:
        if name != "scopes":
            yield from _list(name, getattr(was, name), getattr(now, name))
    yield from _list("error codes", list(was.errors), list(now.errors))
    yield from _list("references", [r.url for r in was.references], [r.url for r in now.references])
    yield from _value("examples", _plain(was.examples), _plain(now.examples))
    yield from _value("performance", _plain(was.performance), _plain(now.performance))
    yield from _value("cache", _plain(was.cache), _plain(now.cache))


def _effect(was: Tool, now: Tool) -> Iterator[Change]:
    """What a tool may do; where it may do more, approvals and `run_read` refuse it."""
    if was.effect != now.effect:
        breaks = _GREATNESS[now.effect] > _GREATNESS[was.effect]
        words = f"effect: {markdown_code(was.effect)} → {markdown_code(now.effect)}"
        yield Change(words, breaks=breaks)


def _returns(was: Json | None, now: Json | None) -> Iterator[Change]:
    if was is None and now is not None:
        yield Change("results: now have a schema")
    elif was is not None and now is None:
        yield Change("results: no longer have a schema", breaks=True)
    elif was is not None and now is not None:
        yield from schema_changes(was, now, is_result=True)


def _scopes_and_confirmation(was: Tool, now: Tool) -> Iterator[Change]:
    more = [scope for scope in now.scopes if scope not in was.scopes]
    if more:
        yield Change(f"scopes: {', '.join(map(markdown_code, more))} needed as well", breaks=True)
    less = [scope for scope in was.scopes if scope not in now.scopes]
    if less:
        yield Change(f"scopes: {', '.join(map(markdown_code, less))} no longer needed")
    if was.confirm != now.confirm:
        words = f"confirm: {_code(was.confirm)} → {_code(now.confirm)}"
        yield Change(words, breaks=now.confirm == "require")


def _value(name: str, was: object, now: object, *, breaks: bool = False) -> Iterator[Change]:
    if was != now:
        yield Change(f"{name}: {_code(was)} → {_code(now)}", breaks=breaks)


def _list(name: str, was: list[str], now: list[str]) -> Iterator[Change]:
    more = [one for one in now if one not in was]
    less = [one for one in was if one not in now]
    if more:
        yield Change(f"{name}: added {', '.join(map(markdown_code, more))}")
    if less:
        yield Change(f"{name}: removed {', '.join(map(markdown_code, less))}")
    if not more and not less and was != now:
        yield Change(f"{name}: in another order")


def _deprecated(tool: Tool) -> str | None:
    deprecation = tool.deprecation
    if deprecation is None:
        return None
    return f"use {deprecation.use}" if deprecation.use else "yes"


def _plain(value: object) -> str | None:
    """Anything of a manifest as JSON; None where there is nothing."""
    if isinstance(value, list):
        return json_text([one.model_dump(exclude_none=True) for one in value]) if value else None
    dump = getattr(value, "model_dump", None)
    return json_text(dump(exclude_none=True)) if dump else None


def _code(value: object) -> str:
    if value is None or value == "":
        return "none"
    text = str(value)
    return markdown_code(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
