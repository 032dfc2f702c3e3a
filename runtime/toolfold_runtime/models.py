"""The base of every generated model."""

from pydantic import BaseModel, ConfigDict


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
