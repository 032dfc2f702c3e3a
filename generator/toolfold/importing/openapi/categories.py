"""Categories of operations: their first tag, else the part of the path in which paths differ first."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.names import slug_of
from toolfold.importing.openapi.texts import line_of, without_accents

_LONGEST: Final = 64
_DIGEST: Final = 6
_LONGEST_DESCRIPTION: Final = 160
# Parts of a path that say nothing about what it is for: versions and the like.
_EMPTY_PARTS: Final = re.compile(r"v?\d[\w.-]*|api|apis|rest|latest|\{.*\}|", re.IGNORECASE)
_ENDING: Final = re.compile(r"\.(json|xml|yaml)$")
_SHARED: Final = 0.8


class Categories(NamedTuple):
    """The category of each operation, in their order; and of each category what is said of it."""

    names: list[str]
    entries: dict[str, Json]


def categories_of(
    server: str,
    operations: Sequence[tuple[str, str]],
    tags: Sequence[Any],
    before: Sequence[str | None],
    others: Collection[str],
) -> Categories:
    """Categories that carry the server's name, and are none of the `others`.

    `operations` are tags and paths. One keeps the category that it had `before`.
    """
    described = _descriptions(tags)
    groups = _groups(operations)
    base = slug_of(server).replace("_", "-") or "api"
    taken = {name.casefold() for name in others}
    names, entries, known = [], dict[str, Json](), dict[str, str]()
    for group, earlier in zip(groups, before, strict=True):
        name = earlier if earlier and earlier.casefold() not in taken else known.get(group)
        if name is None:
            name = _free(f"{base}-{_slug(group)}" if group else base, taken)
        known.setdefault(group, name)
        names.append(name)
        if name not in entries:
            title = f"{server}: {' '.join(group.split())[:60]}" if group else server
            entry = {"title": title, "description": described.get(group)}
            entries[name] = {key: value for key, value in entry.items() if value}
    return Categories(names, entries)


def _slug(group: str) -> str:
    """The words of a group, and a digest where these leave out letters that tell it from others."""
    words = slug_of(group).replace("_", "-")
    if all(character.isascii() or not character.isalpha() for character in without_accents(group)):
        return words
    return f"{words[:40]}-{hashlib.sha256(group.encode()).hexdigest()[:_DIGEST]}".strip("-")


def _descriptions(tags: Sequence[Any]) -> dict[str, str]:
    return {
        tag["name"]: line_of(tag["description"], _LONGEST_DESCRIPTION)
        for tag in tags
        if isinstance(tag, dict)
        and isinstance(tag.get("name"), str)
        and isinstance(tag.get("description"), str)
    }


def _groups(operations: Sequence[tuple[str, str]]) -> list[str]:
    """The tag of each operation, else a part of its path."""
    parts = {path: _telling_parts(path) for tag, path in operations if not tag}
    _drop_shared(parts)
    return [tag or (parts[path][0] if parts[path] else "") for tag, path in operations]


def _telling_parts(path: str) -> list[str]:
    parts = path.split("#")[0].split("?")[0].split("/")
    return [_ENDING.sub("", part) for part in parts if not _EMPTY_PARTS.fullmatch(part)]


def _drop_shared(parts: Mapping[str, list[str]]) -> None:
    """Take away first parts that nearly all paths share, where others follow."""
    while len(parts) > 4:
        first, number = Counter(
            path_parts[0] if path_parts else "" for path_parts in parts.values()
        ).most_common(1)[0]
        longer = [
            path_parts
            for path_parts in parts.values()
            if path_parts[:1] == [first] and len(path_parts) > 1
        ]
        if not first or len(longer) < _SHARED * len(parts) or number < _SHARED * len(parts):
            return
        for path_parts in longer:
            del path_parts[0]


def _free(name: str, taken: Collection[str]) -> str:
    base = name[:_LONGEST].strip("-") or "api"
    candidate, number = base, 2
    while candidate.casefold() in taken:
        candidate, number = f"{base[: _LONGEST - 4]}-{number}", number + 1
    return candidate
