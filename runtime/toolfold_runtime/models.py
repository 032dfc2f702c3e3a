"""What generated models are made of: their base class, and the types that are not Python's own."""

import base64
from contextvars import ContextVar
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, PlainSerializer
from pydantic_core import CoreSchema, to_jsonable_python
from typing_extensions import TypeAliasType

__all__ = ["NULLABLE", "Base64", "Model", "TypeAliasType", "result_json"]


class _Nullable:
    """Marks an optional field whose schema accepts null."""


#: Null is a value of the field, and sent as such; elsewhere `None` means that it is not given.
NULLABLE: Final = _Nullable()

_IS_SENT: Final[ContextVar[bool]] = ContextVar("toolfold_is_sent", default=False)


class Model(BaseModel):
    """Open as JSON Schema is open, filled by attribute or by the property's own name.

    The server validates what comes over the wire by property names only, so that an attribute's
    name is never taken for a property.
    """

    model_config = ConfigDict(
        extra="allow",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The class's own schema, by which a `None` that means "not given" is not sent."""
        schema = handler(source)
        inner: Any = schema
        while inner["type"] != "model-fields" and "schema" in inner:
            inner = inner["schema"]
        for name, field in inner.get("fields", {}).items():
            info = cls.__pydantic_fields__[name]
            if info.default is None and NULLABLE not in info.metadata:
                field["serialization_exclude_if"] = _is_left_out
        return schema


def _is_left_out(value: object) -> bool:
    return value is None and _IS_SENT.get()


def result_json(value: object) -> Any:
    """A tool's result as plain JSON: properties by their own names, without what is not given."""
    token = _IS_SENT.set(True)
    try:
        return to_jsonable_python(value, by_alias=True, inf_nan_mode="constants")
    finally:
        _IS_SENT.reset(token)


def _decoded(value: object) -> object:
    return base64.b64decode(value, validate=True) if isinstance(value, str) else value


def _encoded(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


#: Bytes that are base64 in JSON.
Base64: TypeAlias = Annotated[
    bytes, BeforeValidator(_decoded), PlainSerializer(_encoded, when_used="json")
]
