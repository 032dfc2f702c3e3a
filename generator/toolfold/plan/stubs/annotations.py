"""JSON Schemas as Python annotations, with a type for every object that has known keys."""

from collections.abc import Iterable, Mapping
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.stub import STUB_NAMES
from toolfold_runtime.pointers import reference_steps, resolve

from toolfold.plan.names.identifiers import class_name, definition_type
from toolfold.plan.names.stub_names import encoded, is_plain, unique
from toolfold.plan.schemas.keywords import DEFINITION_KEYWORDS, properties_of, required_of
from toolfold.plan.text.escape import python_literal

ANY: Final = "Any"
_OBJECT: Final = "dict[str, Any]"
_NAMES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
# A key of such a name would hide the type in the class that it is a key of.
_TYPE_NAMES: Final = frozenset([*_NAMES.values(), "list", "dict", *STUB_NAMES])
_MAX_DEPTH: Final = 8
#: Values of an enum, and types, up to which they are worth their tokens.
_MOST_VALUES: Final = 40
_MOST_TYPES: Final = 200


class Annotations:
    """Turns the schemas of one document into annotations, and collects the types that these name.

    A definition of the manifest's is a type that other stubs share; every other object's type is
    named after its `owner` and its place, so that no two tools can have the same.
    """

    def __init__(self, owner: str, document: Json, definitions: Mapping[str, Json]) -> None:
        #: Source of the types of this document by their names, each after those that it names.
        self.types: dict[str, str] = {}
        #: The manifest's definitions that are referred to, in that order.
        self.shared: dict[str, None] = {}
        self._owner = owner
        self._document = document
        self._definitions = definitions
        self._local: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, schema: object, place: tuple[str, ...], depth: int = 0) -> str:
        """The annotation of a schema; `place` says where it stands, in names of properties."""
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            return ANY
        if isinstance(schema.get("$ref"), str):
            return self._referred_to(schema["$ref"], place, depth)
        annotation = self._without_null(schema, place, depth)
        return _union([annotation, "None"]) if schema.get("nullable") is True else annotation

    def object_type(self, name: str, schema: Json, place: tuple[str, ...], depth: int) -> str:
        """Source of a type for an object with known keys."""
        required = required_of(schema)
        items = properties_of(schema).items()
        fields = {key: self.of(inner, (*place, key), depth + 1) for key, inner in items}
        is_total = 2 * sum(key in required for key in fields) >= len(fields)
        marked = {
            key: _marked(text, is_required=key in required, is_total=is_total)
            for key, text in fields.items()
        }
        ends = ", total=False" if not is_total else ""
        if all(_is_field(key) for key in fields) and not self._hides(fields):
            lines = [f"class {name}(TypedDict{ends}):"]
            return "\n".join([*lines, *(f"    {key}: {text}" for key, text in marked.items())])
        keys = ", ".join(f"{python_literal(key)}: {text}" for key, text in marked.items())
        return f'{name} = TypedDict("{name}", {{{keys}}}{ends})'

    def _without_null(self, schema: Json, place: tuple[str, ...], depth: int) -> str:
        if "const" in schema:
            return _literal([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _literal(schema["enum"])
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [self._of_kind(str(type_name), schema, place, depth) for type_name in kind]
            return _union(kinds) if kinds else ANY
        if properties_of(schema):
            return self._object(schema, place, depth)
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                # A place in the name for each would say nothing; they are numbered where they differ.
                return _union(self.of(option, place, depth + 1) for option in schema[key])
        parts = schema.get("allOf")
        if isinstance(parts, list) and parts:
            return self._all_of(parts, place, depth)
        return self._of_kind(str(kind), schema, place, depth)

    def _of_kind(self, kind: str, schema: Json, place: tuple[str, ...], depth: int) -> str:
        if kind == "array":
            items = schema.get("items")
            is_tuple = isinstance(schema.get("prefixItems"), list) or isinstance(items, list)
            item = ANY if is_tuple else self.of(items, (*place, "item"), depth + 1)
            return f"list[{item}]"
        if kind == "object" or kind not in _NAMES:
            is_object = kind == "object" or bool(properties_of(schema))
            return self._object(schema, place, depth) if is_object else ANY
        return _NAMES[kind]

    def _object(self, schema: Json, place: tuple[str, ...], depth: int) -> str:
        more = schema.get("additionalProperties")
        properties = properties_of(schema)
        if not properties:
            value = self.of(more, (*place, "value"), depth + 1) if isinstance(more, dict) else ANY
            return f"dict[str, {value}]"
        is_open = more is True or isinstance(more, dict) or "patternProperties" in schema
        if is_open or len(self.types) >= _MOST_TYPES or depth >= _MAX_DEPTH:
            return _OBJECT
        name = self._new_name(place)
        self.types[name] = self.object_type(name, schema, place, depth)
        return name

    def _all_of(self, parts: list[object], place: tuple[str, ...], depth: int) -> str:
        if len(parts) == 1:
            return self.of(parts[0], place, depth + 1)
        resolved = [self._resolved(part) for part in parts]
        merged: Json = {"properties": {}, "required": []}
        for part in resolved:
            merged["properties"] |= properties_of(part)
            merged["required"] += required_of(part)
        if merged["properties"]:
            return self._object(merged, place, depth)
        known = (self.of(part, place, depth + 1) for part in parts)
        return next((text for text in known if text != ANY), ANY)

    def _resolved(self, part: object) -> object:
        for _ in range(_MAX_DEPTH):
            if not isinstance(part, dict) or not isinstance(part.get("$ref"), str):
                return part
            part = resolve(self._document, part["$ref"])
        return None

    def _referred_to(self, reference: str, place: tuple[str, ...], depth: int) -> str:
        steps = reference_steps(reference) or []
        target = resolve(self._document, reference)
        if len(steps) != 2 or steps[0] not in DEFINITION_KEYWORDS:
            return self.of(target, place, depth + 1)
        is_known = steps[0] == "$defs" and steps[1] in self._definitions
        if is_known and self._definitions[steps[1]] == target:
            self.shared[steps[1]] = None
            return definition_type(steps[1]).name
        return self._local_definition(steps[1], target, depth)

    def _local_definition(self, definition: str, target: object, depth: int) -> str:
        """The name of the type of a definition that only this document has."""
        if definition in self._local:
            return self._local[definition]
        if not isinstance(target, dict) or len(self.types) >= _MOST_TYPES:
            return ANY
        name = self._local[definition] = self._new_name((class_name(definition),))
        self.types[name] = self.named_type(name, target, depth)
        return name

    def named_type(self, name: str, schema: Json, depth: int = 0) -> str:
        """Source of a type for a definition, whatever its schema is."""
        is_object = properties_of(schema) and "allOf" not in schema
        if is_object and "patternProperties" not in schema and not _is_open(schema):
            return self.object_type(name, schema, _below(name), depth)
        text = self.of(schema, _below(name), depth + 1)
        # An alias of itself would be no type at all.
        return f"{name} = {ANY if name in _members(text) else text}"

    def _new_name(self, place: tuple[str, ...]) -> str:
        words = [encoded(word).strip("_")[:40] for word in place if word]
        name = unique("_".join([self._owner, *(word for word in words if word)]), self._taken)
        self._taken.add(name)
        return name

    def _hides(self, fields: Mapping[str, str]) -> bool:
        """Whether a key would be taken for a type in the annotations of keys after it."""
        return any(key in _TYPE_NAMES or key in self._taken for key in fields) or any(
            key == definition_type(name).name for key in fields for name in self.shared
        )


def _below(name: str) -> tuple[str, ...]:
    """The place of what stands in a definition: nothing, where its own name says all."""
    return () if "_" not in name else (name.split("_", 1)[1],)


def _is_open(schema: Json) -> bool:
    more = schema.get("additionalProperties")
    return more is True or isinstance(more, dict)


def _is_field(key: str) -> bool:
    return is_plain(key) and not key.startswith("__")


def _marked(text: str, *, is_required: bool, is_total: bool) -> str:
    if is_required == is_total:
        return text
    return f"{'Required' if is_required else 'NotRequired'}[{text}]"


def _literal(values: list[object]) -> str:
    """The values themselves if they are few and Python can write them, else their types."""
    plain = [value for value in values if isinstance(value, str | bool | int)]
    none = ["None"] if None in values else []
    if len(plain) + len(none) < len(values) or len(values) > _MOST_VALUES or not values:
        return _union(_kind_of(value) for value in values) if values else ANY
    if not plain:
        return "None"
    said = ", ".join(dict.fromkeys(map(python_literal, plain)))
    return _union([f"Literal[{said}]", *none])


def _kind_of(value: object) -> str:
    if value is None:
        return "None"
    names = {str: "str", bool: "bool", int: "int", float: "float", list: "list[Any]"}
    return names.get(type(value), _OBJECT)


def _union(texts: Iterable[str]) -> str:
    parts = list(dict.fromkeys(part for text in texts for part in _members(text)))
    if ANY in parts:
        return ANY
    if "None" in parts:  # last, as people write it
        parts = [*(part for part in parts if part != "None"), "None"]
    return " | ".join(parts)


def _members(text: str) -> list[str]:
    """The members of a union, each whole."""
    parts, depth, quote, start, at = list[str](), 0, "", 0, 0
    while at < len(text):
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[]":
            depth += 1 if character == "[" else -1
        elif not depth and text.startswith(" | ", at):
            parts.append(text[start:at])
            start = at + 3
        at += 1
    return [*parts, text[start:]]
