"""Whatever imports also generates: no schema is too odd for the models that are made of it."""

import ast
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from toolfold.compile import compile_manifest
from toolfold.errors import UsageError
from toolfold.importing.run import import_tools

from tests.importing.material import tool
from tests.importing.test_import_written import NUMBERS, TEXT
from tests.support.projects import Json

_KINDS = ["string", "integer", "number", "boolean", "object", "array", "null", "any", "Object"]
_REFERENCES = [
    *("#", "#/$defs/A", "#/$defs/B", "#/definitions/A", "#/properties/a", "#/$defs/a b", "#A"),
    *("#/$defs/A/properties/a", "#/anyOf/0", "x.json#", "https://example.com/x", "", "#/$defs"),
]
_NAMES = st.sampled_from(["a", "b", "a b", "a-b", "a_b", "class", "Field", "str", "model_x", "__"])
#: Of any kind and small: a schema has many values, and what is drawn for one must not grow large.
_ONE = st.none() | st.booleans() | NUMBERS | TEXT
_VALUES: st.SearchStrategy[Any] = st.deferred(
    lambda: _ONE | st.lists(_ONE, max_size=2) | st.dictionaries(TEXT, _ONE, max_size=2)
)
_LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(_KINDS) | st.lists(st.sampled_from(_KINDS), max_size=3) | _VALUES,
        "description": TEXT,
        "title": TEXT,
        "default": _VALUES,
        "enum": st.lists(_ONE, max_size=3) | st.dictionaries(TEXT, _ONE, max_size=2),
        "const": _VALUES,
        "minimum": NUMBERS | TEXT,
        "exclusiveMaximum": NUMBERS | st.booleans(),
        "maxLength": st.integers() | st.floats(0, 9),
        "minItems": st.integers() | TEXT,
        "pattern": TEXT,
        "format": TEXT | st.sampled_from(["date-time", "uuid", "byte", "binary", "ipv4"]),
        "$ref": st.sampled_from(_REFERENCES),
        "required": st.lists(_NAMES) | st.booleans(),
        "additionalProperties": st.booleans(),
    },
)


def _above(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    named = st.dictionaries(_NAMES | TEXT, inner | st.booleans(), max_size=3)
    several = st.lists(inner | st.booleans(), max_size=3)
    more = st.fixed_dictionaries(
        {},
        optional={
            "properties": named,
            "patternProperties": named,
            "additionalProperties": inner,
            "items": inner | several,
            "prefixItems": several,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
        },
    )
    return st.builds(lambda leaf, above: {**leaf, **above}, _LEAVES, more)


SCHEMAS = st.recursive(_LEAVES, _above, max_leaves=6)
_DEFINITIONS = st.fixed_dictionaries({"A": SCHEMAS}, optional={"B": SCHEMAS, "a b": SCHEMAS})
ROOTS = st.builds(
    lambda schema, definitions, properties: {
        **{key: value for key, value in schema.items() if key not in ("type", "required")},
        "type": "object",
        "$defs": definitions,
        "properties": properties,
    },
    SCHEMAS,
    _DEFINITIONS,
    st.dictionaries(_NAMES | TEXT, SCHEMAS, max_size=4),
)


_FAR: Json = {"properties": {"a": {"$ref": "x.json#"}, "b": {"type": "string", "default": "x"}}}


@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(ROOTS, ROOTS | SCHEMAS)
@example({"type": "object", "properties": {"a": {"type": [[], {}], "const": []}}}, {})
@example({"type": "object", "properties": {"a": {"default": {"$ref": "#"}}}}, {"$ref": "#"})
@example({"type": "object", **_FAR}, _FAR)
@example({"type": "object", "properties": {"a": {"enum": False}}}, {})
def test_whatever_imports_also_generates(parameters: Json, returns: Json) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = [tool("it", parameters, outputSchema=returns)]
        (folder / "demo.json").write_text(json.dumps(tools), encoding="utf-8")
        try:
            import_tools([folder / "demo.json"], folder / "tools.yaml", None)
        except UsageError:
            return

        files = compile_manifest(folder / "tools.yaml").files

    (module,) = [text for path, text in files.items() if path.endswith("/models/it.py")]
    names = {node.name for node in ast.parse(module).body if isinstance(node, ast.ClassDef)}
    assert "ItParams" in names
