"""The names that annotations of generated models use: no field and no definition may have them."""

from typing import Final

#: Name to the module that it is imported from; `dt` is the module `datetime` itself.
IMPORTED: Final = {
    "dt": "datetime",
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "TypeAlias": "typing",
    "UUID": "uuid",
    "AwareDatetime": "pydantic",
    "ConfigDict": "pydantic",
    "Field": "pydantic",
    "Base64": "toolfold_runtime.models",
    "Model": "toolfold_runtime.models",
    "NULLABLE": "toolfold_runtime.models",
    "TypeAliasType": "toolfold_runtime.models",
}
BUILTINS: Final = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple"})
