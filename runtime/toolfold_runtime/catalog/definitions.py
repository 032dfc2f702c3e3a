"""Definitions in an answer about several tools: each is shown once, with the first tool that needs it.

Two tools may give one name to different definitions of their own. Both are shown then, and a later
tool gets a reference to the one that it means.
"""

from toolfold_runtime.contract.tool import ToolEntry, ViewDefinition
from toolfold_runtime.jsontext import compact


class ShownDefinitions:
    """The definitions that an answer has shown so far."""

    def __init__(self) -> None:
        # By keyword and name: the digest of each definition, to the tool that it was shown with.
        self._tools: dict[tuple[str, str], dict[str, str]] = {}

    def missing_for(self, entry: ToolEntry) -> list[ViewDefinition]:
        """The definitions that the view of a tool must add; they count as shown from now on.

        One that was shown under an ambiguous name is a reference to its first place.
        """
        missing = []
        for definition in entry.views.definitions:
            tools = self._tools.setdefault((definition.keyword, definition.name), {})
            if definition.digest not in tools:
                tools[definition.digest] = entry.name
                missing.append(definition)
            elif len(tools) > 1:
                place = f"{tools[definition.digest]}#/{definition.keyword}/{definition.name}"
                missing.append(definition._replace(text=compact({"$ref": place})))
        return missing
