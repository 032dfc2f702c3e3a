"""Asking the user before a tool runs: the question, and what its answer means for the call."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import Effect
from toolfold_runtime.errors import ToolError
from toolfold_runtime.hidden import HIDDEN
from toolfold_runtime.running.call import Confirm, Consent
from toolfold_runtime.running.explain import dotted, excerpt

_MAX_ARGUMENTS: Final = 10
_MAX_LENGTH: Final = 160
_NOBODY: Final = Consent("there is nobody to ask", can_ask=False)
_CONSEQUENCES: Final[dict[Effect, str]] = {
    "read": "It only reads.",
    "write": "It changes data.",
    "destructive": "It can destroy data.",
}
_HIDDEN: Final = re.compile(f"[{HIDDEN}]")


async def require_consent(entry: ToolEntry, arguments: Json, confirm: Confirm | None) -> None:
    """Ask the user whether a tool that wants it may run; ToolError `unconfirmed` where it may not.

    `confirm: ask` goes on where nobody can be asked, `confirm: require` does not.
    """
    consent = _NOBODY if confirm is None else await confirm(question_of(entry, arguments))
    if not consent.refusal or (entry.confirm == "ask" and not consent.can_ask):
        return
    why = "" if consent.can_ask else "it needs the user's confirmation, and "
    raise ToolError("unconfirmed", f"{entry.name} was not run: {why}{consent.refusal}.")


def question_of(entry: ToolEntry, arguments: Json) -> str:
    """One sentence on one line: the tool, the beginnings of its arguments, and what it does.

    Arguments are an agent's text, which may be somebody else's: nothing in them can end the line,
    hide, or leave the code span that they stand in where a client renders Markdown.
    """
    # In the order of the schema, so that nothing that was made up pushes them out of sight.
    declared = entry.definition.input_schema.get("properties", {})
    names = [name for name in declared if name in arguments]
    names += [name for name in arguments if name not in declared]
    given = ", ".join(_shown(arguments, names))
    title = _visible(entry.definition.title or "")
    tool = f"{entry.name} ({title})" if title else entry.name
    return f"Run {tool} {f'with `{given}`' if given else 'without arguments'}? {_CONSEQUENCES[entry.effect]}"


def _shown(arguments: Json, names: Sequence[str]) -> Iterator[str]:
    for name in names[:_MAX_ARGUMENTS]:
        yield f"{_visible(dotted((name,)))}: {_visible(_beginning(arguments[name]))}"
    if len(names) > _MAX_ARGUMENTS:
        yield f"and {len(names) - _MAX_ARGUMENTS} more"


def _beginning(value: Any) -> str:
    text = excerpt(value)
    is_truncated = isinstance(value, str) and text.endswith("…")
    return f"{text} ({len(value):,} characters)" if is_truncated else text


def _visible(text: str) -> str:
    """The text with an escape for all that is not plainly seen, truncated."""
    shown = "".join(c if _is_visible(c) else _escaped(c) for c in text[: _MAX_LENGTH + 1])
    return shown if len(shown) <= _MAX_LENGTH else shown[:_MAX_LENGTH] + "…"


def _is_visible(character: str) -> bool:
    return character.isprintable() and not _HIDDEN.match(character) and character != "`"


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\u{{{number:x}}}"
