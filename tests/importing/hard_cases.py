"""Hard cases of real catalogs, written for the project: what servers do to JSON Schema."""

from dataclasses import dataclass, field
from typing import Any, Final

Json = dict[str, Any]


@dataclass(frozen=True)
class HardCase:
    """A tool, arguments that its schema accepts, and arguments that it does not."""

    name: str
    schema: Json
    accepted: tuple[Json, ...] = ({},)
    rejected: tuple[Json, ...] = ()
    returns: Json | None = None
    more: Json = field(default_factory=dict)
    is_usable: bool = True  # whether a validator can be made of the schema at all

    @property
    def tool(self) -> Json:
        """The tool as its server lists it."""
        tool = {"name": self.name, "description": "Do it.", "inputSchema": self.schema, **self.more}
        return tool if self.returns is None else {**tool, "outputSchema": self.returns}


def _object(**properties: Any) -> Json:
    return {"type": "object", "properties": properties}


def _nested(levels: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(levels):
        schema = _object(inner=schema)
    return schema


_TREE: Final = _object(
    label={"type": "string"}, children={"type": "array", "items": {"$ref": "#/$defs/Node"}}
)
_WORDS: Final = (
    *("class", "def", "from", "import", "None", "True", "lambda", "async", "self", "cls"),
    *("str", "int", "list", "dict", "Any", "Field", "Model", "Literal", "Annotated", "NULLABLE"),
    *("model_config", "model_dump", "schema", "json", "copy", "validate", "dict_", "print"),
    *("__class__", "__init__", "_private", "__", "_", "fields", "construct", "model_fields"),
)
_ODD: Final = (
    *("with space", "dotted.name", "dash-ed", "$filter", "@odata.type", "ünïcode", "名前", "🙂"),
    *("1st", "a/b", "a~b", "a%b", "x[0]", "quo'te", 'quo"te', "back\\slash", "new\nline", "{x}"),
    *("#", "$ref.", "ﬁ", "a:b", "*", " lead", "tab\t", "%s", "\u2028", "ſ"),
)

HARD_CASES: Final = (
    HardCase("no_schema", {}, ({}, {"x": 1})),
    HardCase("no_type", {"properties": {"q": {"type": "string"}}}, ({"q": "x"},), ({"q": 1},)),
    HardCase("no_properties", {"type": "object"}, ({}, {"x": [1]})),
    HardCase("closed", {"type": "object", "additionalProperties": False}, ({},), ({"x": 1},)),
    HardCase(
        "recursive_defs",
        {**_object(root={"$ref": "#/$defs/Node"}), "$defs": {"Node": _TREE}},
        ({"root": {"label": "a", "children": [{"label": "b", "children": []}]}},),
        ({"root": {"children": [{"label": 5}]}},),
        returns={"$ref": "#/$defs/Node", "$defs": {"Node": _TREE}},
    ),
    HardCase(
        "recursive_definitions",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **_object(filter={"$ref": "#/definitions/Filter"}),
            "definitions": {
                "Filter": {
                    "anyOf": [
                        {"type": "string"},
                        _object(
                            **{"and": {"type": "array", "items": {"$ref": "#/definitions/Filter"}}}
                        ),
                    ]
                }
            },
        },
        ({"filter": {"and": ["x", {"and": []}]}}, {"filter": "x"}),
        ({"filter": {"and": [5]}},),
    ),
    HardCase(
        "recursive_root",
        _object(name={"type": "string"}, next={"$ref": "#"}),
        ({"name": "a", "next": {"name": "b", "next": {}}},),
        ({"next": {"next": {"name": 1}}},),
    ),
    HardCase(
        "recursive_pointer",
        _object(
            a={"type": "array", "items": {"$ref": "#/properties/a"}},
            b={"$ref": "#/properties/b"},
            c={"$ref": "#/properties/a/items"},
        ),
        ({"a": [[], [[]]], "c": []},),
        ({"a": [1]},),
    ),
    HardCase(
        "references_in_a_ring",
        {
            **_object(a={"$ref": "#/$defs/A"}),
            "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        },
    ),
    HardCase(
        "reference_to_nowhere",
        _object(a={"$ref": "#/$defs/Missing"}, b={"type": "string"}),
        is_usable=False,
    ),
    HardCase(
        "reference_outside",
        _object(a={"$ref": "https://example.com/x.json"}, b={"$ref": "other.json#/x"}),
        is_usable=False,
    ),
    HardCase(
        "any_of_root",
        {"anyOf": [_object(a={"type": "string"}), {**_object(b={}), "required": ["b"]}]},
        ({"a": "x"}, {"b": 1}),
        ({"a": 1},),
    ),
    HardCase(
        "one_of_root",
        {
            "type": "object",
            "oneOf": [{"required": ["id"]}, {"required": ["name"]}],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        },
        ({"id": 1}, {"name": "x"}),
        ({}, {"id": 1, "name": "x"}),
    ),
    HardCase(
        "all_of_root",
        {
            "allOf": [_object(a={"type": "string"}), {"$ref": "#/$defs/B"}],
            "$defs": {"B": {**_object(b={"type": "integer"}), "required": ["b"]}},
        },
        ({"b": 1}, {"a": "x", "b": 2}),
        ({"a": "x"},),
    ),
    HardCase(
        "all_of_that_disagrees",
        _object(x={"allOf": [_object(v={"type": "string"}), _object(v={"type": "integer"})]}),
        ({"x": {}},),
        ({"x": {"v": 1}},),
    ),
    HardCase(
        "broken_defaults",
        _object(
            tags={"type": "array", "items": {"type": "string"}, "default": None},
            count={"type": "integer", "default": "ten"},
            kind={"enum": ["a", "b"], "default": "c"},
            flag={"type": "boolean", "default": "false"},
            deep={**_object(x={"type": "string"}), "default": {"x": 1}},
            ratio={"type": "number", "default": "0.5", "minimum": 0},
        ),
        ({}, {"tags": ["x"], "count": 1, "kind": "a", "flag": True, "deep": {"x": "y"}}),
        ({"count": "ten"},),
    ),
    HardCase(
        "text_where_numbers_belong",
        _object(limit={"type": "integer", "maximum": "50", "minimum": "1"}),
        is_usable=False,
    ),
    HardCase(
        "limits_of_older_drafts",
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            **_object(n={"type": "number", "minimum": 0, "exclusiveMinimum": True}),
        },
        ({"n": 0.5},),
        ({"n": 0},),
    ),
    HardCase(
        "limits_of_no_draft",
        _object(n={"type": "number", "minimum": 0, "exclusiveMinimum": True}),
        is_usable=False,
    ),
    HardCase("unknown_type", _object(a={"type": "date"}, b={"type": "any"}), is_usable=False),
    HardCase(
        "required_on_the_property", _object(a={"type": "string", "required": True}), is_usable=False
    ),
    HardCase(
        "required_of_nothing", {"type": "object", "required": ["ghost"]}, ({"ghost": 1},), ({},)
    ),
    HardCase(
        "boolean_schemas",
        {**_object(anything=True, nothing=False, items={"type": "array", "items": True})},
        ({"anything": [1, {}]}, {"items": [1, "x"]}),
        ({"nothing": 1},),
    ),
    HardCase(
        "empty_schemas",
        _object(a={}, b={"items": {}}, c={"type": "array"}, d={"enum": []}, e={"anyOf": [{}]}),
        ({"a": 1, "b": 2, "c": [3], "e": 4},),
    ),
    HardCase(
        "lists_of_types",
        _object(
            a={"type": ["string", "null"]},
            b={"type": ["integer", "string", "array"], "items": {"type": "string"}},
            c={"type": ["object", "null"], "properties": {"x": {"type": "integer"}}},
        ),
        ({"a": None, "b": ["x"], "c": {"x": 1}}, {"a": "x", "b": 1, "c": None}),
        ({"a": 1}, {"c": {"x": "y"}}),
    ),
    HardCase(
        "enums_of_everything",
        _object(
            a={"enum": ["x", None]},
            b={"enum": [1, 2.5, "three", True, None]},
            c={"type": "integer", "enum": [1, 2]},
            d={"const": "only"},
            e={"const": {"a": 1}},
            f={"type": "string", "enum": ["with space", "quo'te", "", "🙂", "\n"]},
        ),
        ({"a": None, "b": True, "c": 1.0, "d": "only", "e": {"a": 1}, "f": "\n"}, {"b": 2.5}),
        ({"a": "y"}, {"c": 3}, {"d": "other"}),
    ),
    HardCase(
        "maps_tuples_and_conditions",
        {
            **_object(
                map={"type": "object", "additionalProperties": {"type": "integer"}},
                keyed={"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
                pair={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
                old_pair={"type": "array", "items": [{"type": "string"}]},
            ),
            "if": {"required": ["map"]},
            "then": {"required": ["pair"]},
        },
        is_usable=False,
    ),
    HardCase(
        "patterns",
        _object(
            a={"type": "string", "pattern": "^(?!x)[a-z]+$"},
            b={"type": "string", "pattern": "[unclosed"},
        ),
        is_usable=False,
    ),
    HardCase(
        "formats_never_assert",
        _object(
            **{
                f: {"type": "string", "format": f}
                for f in ("date-time", "uuid", "uri", "email", "ipv4")
            },
            big={"type": "integer", "format": "int64"},
            binary={"type": "string", "format": "binary"},
        ),
        ({"date-time": "soon", "uuid": "x", "uri": "::", "email": "@", "big": 2**70},),
    ),
    HardCase(
        "words_of_python",
        _object(**{word: {"type": "string"} for word in _WORDS}),
        (dict.fromkeys(_WORDS, "x"), {}),
        ({"class": 1},),
    ),
    HardCase(
        "names_that_are_no_names",
        {
            **_object(**{name: {"type": "integer"} for name in _ODD}),
            "required": ["$filter"],
            "additionalProperties": False,
        },
        (dict.fromkeys(_ODD, 1), {"$filter": 1}),
        ({}, {"$filter": 1, "other": 1}),
    ),
    HardCase(
        "names_that_encode_alike",
        _object(**{"a-b": {"type": "string"}, "a_b": {"type": "integer"}, "a.b": {}, "": {}}),
        ({"a-b": "x", "a_b": 1, "a.b": None, "": 2},),
        ({"a_b": "x"},),
    ),
    HardCase(
        "words_of_json_schema_as_names",
        _object(
            type={"type": "string"},
            properties=_object(properties=_object(type={"type": "object"})),
            required={"type": "array", "items": {"type": "string"}},
            **{"$ref": {"type": "string"}, "$defs": {"type": "object"}, "default": {"default": 1}},
        ),
        (
            {
                "type": "x",
                "properties": {"properties": {"type": {}}},
                "required": ["a"],
                "$ref": "#",
            },
        ),
        ({"$ref": 1},),
    ),
    HardCase(
        "two_hundred_properties",
        _object(**{f"p{n}": {"type": ["string", "integer"][n % 2]} for n in range(200)}),
        ({"p0": "x", "p1": 1},),
        ({"p1": "x"},),
    ),
    HardCase(
        "three_hundred_objects",
        _object(**{f"o{n}": _object(v={"type": "integer"}) for n in range(300)}),
        ({"o0": {"v": 1}, "o299": {"v": 2}},),
        ({"o299": {"v": "x"}},),
    ),
    HardCase(
        "fifteen_levels", _nested(15), ({"inner": {"inner": {}}},), ({"inner": {"inner": 1}},)
    ),
    HardCase("thirty_levels", _nested(30), ({"inner": {}},), ({"inner": 1},)),
    HardCase(
        "dialect_of_2019",
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$id": "https://example.com/tool",
            **_object(pair={"type": "array", "items": [{"type": "string"}]}),
        },
        ({"pair": ["x"]},),
        ({"pair": [1]},),
    ),
    HardCase(
        "dialect_unknown", {"$schema": "https://example.com/mine", **_object(a={"type": "string"})}
    ),
    HardCase(
        "keywords_nobody_knows",
        {
            **_object(a={"type": "string", "x-order": 1, "nullable": True}),
            "$comment": "x",
            "name": "t",
        },
        ({"a": "x"},),
    ),
    HardCase(
        "long_and_hostile_texts",
        _object(
            a={
                "type": "string",
                "description": '"""\n\\N{X}\u202e\x00 {{x}} `${HOME}` </script>' * 20,
            },
            b={"type": "string", "default": "\"\"\"'''\\\n\u2028"},
        ),
        ({"a": "x"},),
        more={"description": "# Heading\n\n```\n" + "Long text. " * 2000},
    ),
    HardCase("result_that_is_a_list", _object(), returns={"type": "array", "items": {"$ref": "#"}}),
    HardCase("result_of_any_kind", _object(), returns={}),
    HardCase("result_with_a_union", _object(), returns={"anyOf": [_TREE, {"type": "null"}]}),
    # The nested class of the first and the outer one of the second have one name.
    HardCase(
        "meeting",
        _object(point=_object(params=_object(q={"type": "string"}))),
        ({"point": {"params": {"q": "x"}}},),
        ({"point": {"params": {"q": 1}}},),
    ),
    HardCase("meeting_params_point", _object(z={"type": "integer"}), ({"z": 1},), ({"z": "x"},)),
    HardCase("get_user", _object(id={"type": "string"})),
    HardCase("getUser", _object(id={"type": "integer"})),
    HardCase("get-user", _object(id={"type": "boolean"})),
    HardCase("capabilities", _object(verbose={"type": "boolean"})),
    HardCase("名前 with spaces/and.dots", _object(名={"type": "string"})),
    HardCase("x" * 90, _object()),
    HardCase(
        "annotated",
        _object(),
        more={
            "title": "Annotated: it",
            "annotations": {"title": "A", "readOnlyHint": True, "x": None},
            "_meta": {"vendor/key": {"deep": [1, None]}},
        },
    ),
)
