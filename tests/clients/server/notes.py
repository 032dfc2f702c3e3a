"""What the tools of tools.yaml beside this file answer: the same in every process."""

import base64
from datetime import date
from typing import Any

from toolfold_runtime import Image, ToolError

#: One red pixel, as PNG in base64.
RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"

NOTES = (
    {"id": "n1", "text": "onboarding plan", "kind": "task", "written": "2026-03-01", "due": None},
    {"id": "n2", "text": "onboarding party", "kind": "idea", "written": "2026-05-02", "due": None},
    {"id": "n3", "text": "green door", "kind": "idea", "written": "2026-06-03", "due": None},
)


class Notes:
    """Implementation of tools.yaml beside this file."""

    def find_notes(self, params: Any) -> list[dict[str, Any]]:
        found = [note for note in NOTES if params.word in str(note["text"])]
        if params.kind is not None:
            found = [note for note in found if note["kind"] == params.kind]
        if params.since is not None:
            found = [note for note in found if str(note["written"]) >= params.since.isoformat()]
        return found[: params.limit]

    def read_note(self, params: Any) -> dict[str, Any]:
        for note in NOTES:
            if note["id"] == params.id:
                return note
        raise ToolError("no_such_note", f"There is no note {params.id}: find_notes has the ids.")

    def add_note(self, params: Any) -> dict[str, Any]:
        text = " ".join([params.text, *(f"#{tag}" for tag in params.tags or [])])
        day = date(2026, 11, 16)
        return {"id": "n4", "text": text, "kind": params.kind, "written": day, "due": params.due}

    def draw_note(self, params: Any) -> Image:
        return Image(base64.b64decode(RED))
