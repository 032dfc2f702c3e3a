"""The manifest's JSON Schema, in the subset that draft-07 editors understand."""

import json
from functools import cache
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from toolfold.manifest.keyword_schema import schema_definitions
from toolfold.manifest.schema import Manifest
from toolfold.manifest.types import PARAMETER_MARK, SCHEMA_MARK

_MARKS: Final[dict[str, dict[str, Any]]] = {
    SCHEMA_MARK: {"allOf": [{"$ref": "#/definitions/Schema"}], "type": "object"},
    PARAMETER_MARK: {"$ref": "#/definitions/Parameter"},
}


class _Unsorted(GenerateJsonSchema):
    """Leaves keys in the order in which they are declared, those of examples too."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        """The value unsorted."""
        return value


@cache
def manifest_schema() -> dict[str, Any]:
    """The schema that `toolfold schema` prints."""
    schema = Manifest.model_json_schema(
        ref_template="#/definitions/{model}", schema_generator=_Unsorted
    )
    definitions = {name: _for_editors(part) for name, part in schema.pop("$defs").items()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$comment": "Shape only: `toolfold check` also holds a manifest to the rules across entries.",
        "title": "toolfold manifest",
        **_for_editors(schema),
        "definitions": definitions | schema_definitions(),
    }


def editor_schema(header: str) -> str:
    """The schema as a generated file; `header` says in its first line who generated it."""
    first = json.dumps({"$comment": header}, ensure_ascii=False).removesuffix("}")
    schema = {key: value for key, value in manifest_schema().items() if key != "$comment"}
    return f"{first},\n{json.dumps(schema, indent=2, ensure_ascii=False).removeprefix('{')[1:]}\n"


def _for_editors(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of Pydantic's without made-up titles and defaults, and with ours where it is marked."""
    mark = schema.get("$comment")
    if mark in _MARKS:
        return _MARKS[mark]
    shown = {key: _inside(key, value) for key, value in schema.items() if key != "title"}
    if shown.get("default", 0) is None:
        del shown["default"]  # `null` stands for what the description says
    if "$ref" in shown and len(shown) > 1:
        # Draft 7 ignores what stands beside a reference.
        shown = {"allOf": [{"$ref": shown.pop("$ref")}], **shown}
    if "patternProperties" in shown:
        shown["additionalProperties"] = False  # names of another form
    if isinstance(shown.get("default"), dict):
        shown["default"] = {}  # the keys of a section show their own
    return shown


def _inside(key: str, value: Any) -> Any:
    """The value of a keyword with the schemas inside it converted too."""
    if key in ("properties", "patternProperties"):
        return {name: _for_editors(inner) for name, inner in value.items()}
    if key in ("anyOf", "oneOf", "allOf"):
        return [_for_editors(inner) for inner in value]
    if key in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
        return _for_editors(value)
    return value
