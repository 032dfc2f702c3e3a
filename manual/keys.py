"""The keys of a manifest as its schema describes them: path, type, default, meaning, example."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolfold.manifest.editor_schema import manifest_schema
from toolfold.manifest.hints import flow
from toolfold.manifest.schema import PATTERN_DESCRIPTIONS
from toolfold.manifest.types import ENV_PATTERN

#: The definitions of JSON Schema's own keywords, which have a page of their own.
SCHEMA_DEFINITIONS: Final = ("Schema", "Parameter")
# What the names below a key with free names are, in paths.
_FREE_NAMES: Final = {
    "$defs": "definition",
    "env": "variable",
    "headers": "header",
    "quick_actions": "task",
}
_NOTHING: Final[Mapping[str, Any]] = {}
_SECRET: Final = PATTERN_DESCRIPTIONS[ENV_PATTERN]


class Key(NamedTuple):
    """One key of the manifest."""

    #: The steps that lead to it; `<tool>` stands for a name that the author chooses, `[]` for an
    #: entry of a list.
    path: tuple[str, ...]
    meaning: str
    #: What may stand there, in Markdown.
    type: str
    #: As YAML; empty where there is none.
    default: str
    is_required: bool
    #: A value that would do; None where none is known.
    example: Any
    #: The key where the keys below this one are described; empty where they follow, or are none.
    described_at: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path with dots, as messages write it."""
        return shown(self.path)

    @property
    def missing(self) -> list[str]:
        """What its documentation lacks, and what to do about it."""
        lacks = [] if self.meaning else [f"{self.name}: give its field a description="]
        return lacks + (
            [f"{self.name}: give its field examples=[…]"] if self.example is None else []
        )


def shown(path: Sequence[str]) -> str:
    """A path with dots."""
    return ".".join(path).replace(".[]", "[]")


def manifest_keys() -> tuple[Key, ...]:
    """Every key of a manifest, each followed by those below it."""
    return tuple(_Walk(manifest_schema()).keys())


def keyword_keys() -> tuple[Key, ...]:
    """The keywords of a parameter, each with what it means."""
    schema = manifest_schema()
    properties = schema["definitions"]["Parameter"]["properties"]
    written = schema["definitions"]["Schema"]["properties"]
    walk = _Walk(schema)
    return tuple(
        walk.key((name,), part if "description" in part else written[name], is_required=False)
        for name, part in properties.items()
    )


class _Walk:
    """A walk through a schema that describes each definition once, where it is met first."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._definitions: dict[str, Any] = schema["definitions"]
        self._described: dict[str, tuple[str, ...]] = {}

    def keys(self) -> Iterator[Key]:
        """Every key, in the order of the schema."""
        yield from self._below((), self._schema)

    def key(self, path: tuple[str, ...], part: Mapping[str, Any], *, is_required: bool) -> Key:
        """One key by what the schema says of it."""
        default = part.get("default")
        shown = "" if default in (None, "", {}, []) else str(flow(default)).strip('"')
        example = _example(part)
        meaning = part.get("description", "")
        return Key(path, meaning, self._words(part), shown, is_required, example)

    def _below(self, path: tuple[str, ...], schema: Mapping[str, Any]) -> Iterator[Key]:
        required = schema.get("required", ())
        for name, part in schema.get("properties", _NOTHING).items():
            key = self.key((*path, name), part, is_required=name in required)
            nested = list(self._nested(part, name))
            known = [d for _, d in nested if d in self._described]
            yield key._replace(described_at=self._described[known[0]]) if known else key
            for steps, definition in nested:
                if definition not in self._described:
                    self._described[definition] = key.path
                    yield from self._below((*key.path, *steps), self._definitions[definition])

    def _nested(self, part: Mapping[str, Any], name: str) -> Iterator[tuple[tuple[str, ...], str]]:
        """The definitions of mappings that may stand in a value, and the steps to each."""
        if "$ref" in part:
            definition = part["$ref"].rpartition("/")[2]
            if definition not in SCHEMA_DEFINITIONS:
                yield (), definition
        for keyword in ("allOf", "anyOf", "oneOf"):
            for choice in part.get(keyword, ()):
                yield from self._nested(choice, name)
        if isinstance(items := part.get("items"), dict):
            yield from ((("[]", *steps), found) for steps, found in self._nested(items, name))
        for free in _free_values(part):
            step = f"<{_FREE_NAMES.get(name, name.removesuffix('s'))}>"
            step = step.replace("categorie", "category")
            yield from (((step, *steps), found) for steps, found in self._nested(free, name))

    def _words(self, part: Mapping[str, Any]) -> str:
        """What a value must be, in words."""
        for keyword in ("anyOf", "oneOf"):
            if keyword in part:
                choices = [c for c in part[keyword] if c.get("type") != "null"]
                words = list(dict.fromkeys(map(self._words, choices)))
                # The words for a secret say what its mapping is.
                if _SECRET in words:
                    return _SECRET
                many = f"a list; each entry: {words[0]}"
                return " or ".join("a list of these" if word == many else word for word in words)
        if "$ref" in part or "allOf" in part:
            reference = part.get("$ref") or part["allOf"][0]["$ref"]
            definition = reference.rpartition("/")[2]
            return "a JSON Schema" if definition in SCHEMA_DEFINITIONS else "a mapping"
        if "enum" in part:
            values = [f"`{value}`" for value in part["enum"]]
            return f"one of {', '.join(values)}" if len(values) > 2 else " or ".join(values)
        if "const" in part:
            return f"`{part['const']}`"
        match part.get("type"):
            case "string":
                text = PATTERN_DESCRIPTIONS.get(part.get("pattern", "text"), "text")
                return text.removesuffix(" that is not empty")
            case "boolean":
                return "`true` or `false`"
            case "integer" | "number":
                return _number(part)
            case "array":
                items = self._words(part.get("items", _NOTHING))
                return "a list" if items == "anything" else f"a list; each entry: {items}"
            case "object":
                values = [self._words(free) for free in _free_values(part)]
                named = values and values[0] != "anything"
                return f"a mapping of names, each to {values[0]}" if named else "a mapping"
            case _:
                return "anything"


def _free_values(part: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The schemas of values under names that the author chooses."""
    patterns = list(part.get("patternProperties", _NOTHING).values())
    rest = part.get("additionalProperties")
    return [*patterns, rest] if isinstance(rest, dict) else patterns


def _number(part: Mapping[str, Any]) -> str:
    words = "a whole number" if part["type"] == "integer" else "a number"
    if "exclusiveMinimum" in part:
        words += f" above {part['exclusiveMinimum']:,}"
    elif "minimum" in part:
        words += f" from {part['minimum']:,}"
    return f"{words} to {part['maximum']:,}" if "maximum" in part else words


def _example(part: Mapping[str, Any]) -> Any:
    """The declared example; else a value that shows more than the default does."""
    if part.get("examples"):
        return part["examples"][0]
    default = part.get("default")
    choices = [part, *part.get("anyOf", ()), *part.get("oneOf", ())]
    for choice in choices:
        values = [*choice.get("enum", ()), *([choice["const"]] if "const" in choice else ())]
        if choice.get("type") == "boolean":
            values = [True, False]
        other = [value for value in values if value != default]
        if other:
            return other[0]
    return default if isinstance(default, int | float | str) and default != "" else None
