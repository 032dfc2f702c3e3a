"""Keywords without subschemas: which of them refuse a value."""

from typing import Final

from toolfold_runtime.pointers import SchemaPath
from toolfold_runtime.running.diagnosis.document import SchemaDocument

#: Keywords that stand alone: of a value that breaks one, no other fault is reported.
DECISIVE: Final = ("type", "const", "enum")
_OF_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_OF_TEXT: Final = ("minLength", "maxLength", "pattern", "format", "contentEncoding")
_OF_SIZES: Final = ("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties")
_OTHERS: Final = (*_OF_NUMBERS, *_OF_TEXT, "contentMediaType", *_OF_SIZES)


def refusing_keywords(document: SchemaDocument, pointer: SchemaPath, value: object) -> list[str]:
    """The keywords of the schema at a pointer that refuse the value; a decisive one stands alone."""
    schema = document.at(pointer)
    for keyword in DECISIVE:
        if keyword in schema and not document.holds(pointer, keyword, value):
            return [keyword]
    return [
        keyword
        for keyword in _OTHERS
        if keyword in schema and not document.holds(pointer, keyword, value)
    ]
