"""Names for foreign tools and categories: their own where legal and free."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from toolfold.importing.sources import ForeignTool
from toolfold.plan.disclosure.meta_tools import default_meta_names
from toolfold.plan.names.identifiers import tool_keys
from toolfold.plan.text.paths import file_stem

_LEGAL: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_MAX_LENGTH: Final = 64
_MIN_GROUP_SIZE: Final = 3


def tool_names(
    tools: Sequence[ForeignTool],
    before: Mapping[str, str] = MappingProxyType({}),
    others: Iterable[str] = (),
) -> dict[str, str]:
    """A manifest name for every tool's id; the same tools always get the same names.

    The name that it had `before`; else its own where it is legal and free, else `server_tool`, then
    that with a number. None is one of the `others`.
    """
    taken = {key for name in (*default_meta_names(), *others) for key in tool_keys(name)}
    names = {
        tool.id: before[tool.id]
        for tool in tools
        if _is_legal(before.get(tool.id, "")) and taken.isdisjoint(tool_keys(before[tool.id]))
    }
    taken.update(key for name in names.values() for key in tool_keys(name))
    added = [tool for tool in tools if tool.id not in names]
    # A derived name must never be one that a later tool has.
    legal = {key for tool in added if _is_legal(tool.name) for key in tool_keys(tool.name)}
    numbers: dict[str, int] = {}
    for tool in added:
        if _is_legal(tool.name) and taken.isdisjoint(tool_keys(tool.name)):
            names[tool.id] = tool.name
        else:
            names[tool.id] = _derived_name(tool, (taken, legal), numbers)
        taken.update(tool_keys(names[tool.id]))
    return {tool.id: names[tool.id] for tool in tools}


def categories(tools: Sequence[ForeignTool]) -> dict[str, tuple[str, str]]:
    """Each tool's category and title: one per server, or, for a single server, one per name prefix."""
    servers = list(dict.fromkeys(tool.server for tool in tools))
    if len(servers) > 1:
        slugs = slugs_for(servers)
        return {tool.id: (slugs[tool.server], tool.server) for tool in tools}
    groups = _prefix_groups([tool.name for tool in tools])
    if not groups:
        slug = slugs_for(servers)[servers[0]]
        return {tool.id: (slug, servers[0]) for tool in tools}
    by_id = {}
    for tool in tools:
        group = groups.get(tool.name, "other")
        by_id[tool.id] = (group, group.replace("_", " ").capitalize())
    return by_id


def _is_legal(name: str) -> bool:
    return _LEGAL.fullmatch(name) is not None


def _derived_name(tool: ForeignTool, taken: tuple[set[str], ...], numbers: dict[str, int]) -> str:
    """`server_tool`, with a number where that is taken too; each base counts on from its last."""
    base = name = _legal_name(f"{tool.server}_{tool.name}")
    while not all(keys.isdisjoint(tool_keys(name)) for keys in taken):
        numbers[base] = numbers.get(base, 1) + 1
        suffix = f"_{numbers[base]}"
        name = base[: _MAX_LENGTH - len(suffix)] + suffix
    return name


def _legal_name(text: str) -> str:
    """Text as a legal name; a long one is truncated and gets a short hash of the whole."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text).lstrip("-") or "tool"
    if len(name) <= _MAX_LENGTH:
        return name
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{name[: _MAX_LENGTH - 9]}_{digest}"


def slugs_for(servers: Sequence[str], others: Iterable[str] = ()) -> dict[str, str]:
    """Names of categories or files for servers, unlike each other and `others` in more than case."""
    slugs: dict[str, str] = {}
    taken = {file_stem(name).casefold() for name in others}
    for server in servers:
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", server).strip("-")[:56].strip("-") or "server"
        slug, number = base, 2
        while file_stem(slug).casefold() in taken:
            slug, number = f"{base}-{number}", number + 1
        taken.add(file_stem(slug).casefold())
        slugs[server] = slug
    return slugs


def _prefix_groups(names: list[str]) -> dict[str, str]:
    """Name to group by first word, where several groups hold most names; else nothing."""
    words = {name: [w.lower() for w in re.split(r"[^A-Za-z0-9]+", name) if w] for name in names}
    while len(names) > 1 and len({tuple(w[:1]) for w in words.values()}) == 1:
        if any(len(w) <= 1 for w in words.values()):
            return {}
        words = {name: w[1:] for name, w in words.items()}
    members: dict[str, list[str]] = {}
    for name, split in words.items():
        if len(split) > 1:
            members.setdefault(split[0], []).append(name)
    clear = {
        group: m for group, m in members.items() if len(m) >= _MIN_GROUP_SIZE and group != "other"
    }
    covered = sum(len(m) for m in clear.values())
    if len(clear) < 2 or covered < 0.7 * len(names):
        return {}
    return {name: group for group, m in clear.items() for name in m}
