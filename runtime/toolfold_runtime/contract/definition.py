"""A tool or meta-tool as `tools/list` shows it."""

from typing import NamedTuple

from toolfold_runtime.contract.codec import Json


class Definition(NamedTuple):
    """The definition of a tool in the protocol; schemas, annotations and `_meta` are plain JSON."""

    name: str
    title: str
    description: str
    input_schema: Json
    annotations: Json
    meta: Json
    output_schema: Json | None = None
    icons: tuple[Json, ...] = ()

    def listed(self) -> Json:
        """The definition in the protocol's own form."""
        output = {} if self.output_schema is None else {"outputSchema": self.output_schema}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            **output,
            **({"icons": list(self.icons)} if self.icons else {}),
            "annotations": self.annotations,
            "_meta": self.meta,
        }
