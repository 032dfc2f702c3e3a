"""The formats of text that are asserted, and what is wrong with the use of others."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath

from toolfold.manifest.hints import nearest
from toolfold.manifest.json_schema import FORMAT_WORDS, STRING_FORMATS
from toolfold.plan.schemas.keywords import walk
from toolfold.plan.schemas.problem import SchemaProblem

_BASE64: Final = "say `contentEncoding: base64` instead"
_NUMBERS: Final = "numbers have no formats: use `minimum` and `maximum`"
# Words of OpenAPI that are no formats, and what to write instead.
_INSTEAD: Final = {
    "byte": _BASE64,
    "base64": _BASE64,
    "password": "no value can break it: leave it out",
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "float", "double"), _NUMBERS),
}
# Words whose nearest format is not the one that is meant.
_MEANT: Final = {
    **{word: f'did you mean "{name}"?' for word, name in FORMAT_WORDS.items()},
    "ip": 'did you mean "ipv4" or "ipv6"?',
}


def is_base64(schema: object) -> bool:
    """Whether text that the schema accepts stands for bytes."""
    return (
        isinstance(schema, dict)
        and (schema.get("contentEncoding") == "base64" or schema.get("format") == "binary")
        and _may_be_text(schema)
    )


def has_base64(schema: object) -> bool:
    """Whether some text in values of the schema stands for bytes."""
    return any(is_base64(inner) for _, inner in walk(schema))


def format_problems(path: SchemaPath, schema: Json) -> Iterator[SchemaProblem]:
    """Problems with formats and encodings: unknown ones, and ones on values that are never text."""
    named, encoding = schema.get("format"), schema.get("contentEncoding")
    if isinstance(named, str) and named not in STRING_FORMATS:
        yield SchemaProblem((*path, "format"), f'unknown format "{named}"', _hint(named), "format")
    elif isinstance(named, str) and not _may_be_text(schema):
        yield _without_text(path, schema, "format")
    if isinstance(encoding, str) and encoding != "base64":
        fact, hint = f'unknown encoding "{encoding}"', 'the only one is "base64"'
        yield SchemaProblem((*path, "contentEncoding"), fact, hint, "format")
    elif isinstance(encoding, str) and not _may_be_text(schema):
        yield _without_text(path, schema, "contentEncoding")


def unasserted_formats(path: SchemaPath, schema: Json) -> Iterator[SchemaProblem]:
    """Unknown formats of text in a foreign schema, which are not asserted."""
    named = schema.get("format")
    if isinstance(named, str) and named not in STRING_FORMATS and _may_be_text(schema):
        fact = f'unknown format "{named}" is not asserted'
        yield SchemaProblem((*path, "format"), fact, _hint(named), "format")


def _hint(name: str) -> str:
    if name in _INSTEAD:
        return _INSTEAD[name]
    known, word = sorted(STRING_FORMATS), name.lower().replace("_", "-")
    close = _MEANT.get(word) or nearest(word, known)
    return f"{close} known formats: {', '.join(known)}".strip()


def _without_text(path: SchemaPath, schema: Json, keyword: str) -> SchemaProblem:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fact = f"`{keyword}: {schema[keyword]}` on type {' or '.join(map(str, types))}"
    hint = f"it is about text: say `type: string`, or leave `{keyword}` out"
    return SchemaProblem((*path, keyword), fact, hint, "format")


def _may_be_text(schema: Json) -> bool:
    types = schema.get("type")
    return types is None or types == "string" or (isinstance(types, list) and "string" in types)
