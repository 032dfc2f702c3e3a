"""Checking the codes of tools' errors against those that the manifest declares."""

import re
from typing import Final

from toolfold_runtime import server_log
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import CODE_PATTERN, CODES
from toolfold_runtime.errors import ToolError

_FORM: Final = re.compile(CODE_PATTERN)
_MAX_WARNINGS: Final = 1000  # a code that is made from data would never end


class ErrorCodes:
    """Warns of codes that tools raise without declaring them, once for each tool and code."""

    def __init__(self) -> None:
        self._warned: set[tuple[str, str]] = set()

    def normalize(self, entry: ToolEntry, error: ToolError) -> None:
        """Warn of an undeclared code; one of another form becomes `backend_failed`.

        The agent gets the author's text either way: a slip in the code must not hide it.
        """
        error.text = str.__str__(error.text if isinstance(error.text, str) else str(error.text))
        given: object = error.code
        form = _FORM.fullmatch(given) if isinstance(given, str) else None
        if form is None:
            error.code = "backend_failed"
            hint = "use lower-case letters, digits and _, beginning with a letter"
            self._warn("a tool raises what is no error code", entry, repr(given)[:80], hint)
            return
        error.code = form.group()  # plain text, also where it was a member of an enumeration
        if error.code not in CODES and error.code not in entry.errors:
            event = "a tool raises an error code that it does not declare"
            hint = f"add `errors: {{{error.code}: When it is raised}}` to the tool"
            self._warn(event, entry, error.code, hint)

    def _warn(self, event: str, entry: ToolEntry, code: str, hint: str) -> None:
        if (entry.name, code) not in self._warned and len(self._warned) < _MAX_WARNINGS:
            self._warned.add((entry.name, code))
            server_log.warning(event, tool=entry.name, code=code, hint=hint)
