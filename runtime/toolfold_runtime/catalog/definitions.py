"""Definitions in an answer about several tools: each is said once, with the first tool that needs it.

A later tool leaves out what was said above it. Two tools may give one name to different definitions,
their own; then each of them is said, and a third tool points to the one that it means.
"""

from toolfold_runtime.contract.tool import ToolEntry, ViewDefinition
from toolfold_runtime.jsontext import compact


class SaidDefinitions:
    """The definitions that an answer has said so far."""

    def __init__(self) -> None:
        # By keyword and name: the digest of each, to the tool that it was said with.
        self._said: dict[tuple[str, str], dict[str, str]] = {}

    def rest_of(self, entry: ToolEntry) -> list[ViewDefinition]:
        """What the view of a tool has to say: definitions that are new, and pointers to others."""
        rest = []
        for definition in entry.views.definitions:
            said = self._said.setdefault((definition.keyword, definition.name), {})
            if definition.digest not in said:
                said[definition.digest] = entry.name
                rest.append(definition)
            elif len(said) > 1:  # the name alone would not tell which
                place = f"{said[definition.digest]}#/{definition.keyword}/{definition.name}"
                rest.append(definition._replace(text=compact({"$ref": place})))
        return rest
