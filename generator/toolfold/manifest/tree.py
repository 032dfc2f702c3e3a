"""Mappings and lists that know the place of each key and item in the manifest."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from toolfold.errors import Place

#: The keys and indexes that lead from the root of a manifest to a value.
ManifestPath: TypeAlias = tuple[str | int, ...]

_KINDS: Final[dict[type, str]] = {
    dict: "a mapping",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


class PlacedMapping(dict[str, Any]):
    """A mapping read from a manifest, with the places of its keys and values."""

    __slots__ = ("at", "keys_at", "values_at")

    def __init__(self, at: Place) -> None:
        super().__init__()
        self.at = at
        self.keys_at: dict[str, Place] = {}
        self.values_at: dict[str, Place] = {}

    def put(self, key: str, value: Any, key_at: Place, value_at: Place) -> None:
        """Set a key together with both of its places."""
        self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at


class PlacedList(list[Any]):
    """A list read from a manifest, with the places of its items."""

    __slots__ = ("at", "items_at")

    def __init__(self, at: Place) -> None:
        super().__init__()
        self.at = at
        self.items_at: list[Place] = []


def place_of(root: PlacedMapping, path: Sequence[str | int], *, of_key: bool = False) -> Place:
    """The place of the value at `path`, or of its key; of its nearest known ancestor if absent."""
    node: object = root
    place = root.at
    for depth, step in enumerate(path):
        is_last = depth == len(path) - 1
        if isinstance(node, PlacedMapping) and isinstance(step, str) and step in node:
            place = (node.keys_at if of_key and is_last else node.values_at)[step]
            node = None if is_last else node[step]  # which may read a tool that was not read yet
        elif isinstance(node, PlacedList) and isinstance(step, int) and step < len(node):
            place = node.items_at[step]
            node = node[step]
        else:
            break
    return place


def texts_of(tree: PlacedMapping) -> Iterator[tuple[ManifestPath, Place, str]]:
    """Every text and key of a manifest, with its path and its place."""
    return _texts(tree, (), tree.at)


def _texts(
    node: object, path: ManifestPath, at: Place
) -> Iterator[tuple[ManifestPath, Place, str]]:
    if isinstance(node, str):
        yield path, at, node
    elif isinstance(node, PlacedMapping):
        for key, value in node.items():
            below = (*path, key)
            yield below, node.keys_at[key], key
            yield from _texts(value, below, node.values_at[key])
    elif isinstance(node, PlacedList):
        for index, value in enumerate(node):
            yield from _texts(value, (*path, index), node.items_at[index])


def dotted(path: Sequence[str | int]) -> str:
    """A path as messages show it: `tools.read_file.examples[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def plain(value: object) -> object:
    """A deep copy in plain dicts and lists, without places."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def kind_of(value: object) -> str:
    """The kind of a value as messages name it, such as `a list`; `nothing` for None."""
    return next((name for kind, name in _KINDS.items() if isinstance(value, kind)), "nothing")
