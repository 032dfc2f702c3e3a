"""A problem in a schema, before its place in the manifest is known."""

from typing import NamedTuple

from toolfold_runtime.pointers import SchemaPath

from toolfold.errors import Severity


class SchemaProblem(NamedTuple):
    """A fact and a way out at a path into the schema.

    Without a severity it weighs what the schema weighs: hand-written ones are held to everything.
    """

    path: SchemaPath
    fact: str
    hint: str
    code: str
    of_key: bool = False
    severity: Severity | None = None
