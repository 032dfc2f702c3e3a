"""The manifest's JSON Schema, in the subset that draft-07 editors understand."""

import json
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


def editor_schema(header: str) -> str:
    """The schema as a generated file; `header` says in its first line who generated it."""
    first = json.dumps({"$comment": header}, ensure_ascii=False).removesuffix("}")
    schema = {key: value for key, value in manifest_schema().items() if key != "$comment"}
    return f"{first},\n{json.dumps(schema, indent=2, ensure_ascii=False).removeprefix('{')[1:]}\n"
