"""The manifest's JSON Schema, in the subset that draft-07 editors understand."""

from typing import Any

from toolfold.manifest.schema import Manifest


def manifest_schema() -> dict[str, Any]:
    """The schema that `toolfold schema` prints."""
    schema = Manifest.model_json_schema(ref_template="#/definitions/{model}")
    definitions = schema.pop("$defs")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$comment": "Shape only: `toolfold check` also holds a manifest to the rules across entries.",
        "title": "toolfold manifest",
        **{key: value for key, value in schema.items() if key != "title"},
        "definitions": definitions,
    }
