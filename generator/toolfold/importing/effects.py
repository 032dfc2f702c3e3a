"""A tool's effect: declared by its annotations, or guessed from its name and description."""

import re
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Effect

# Of 1,263 real tools whose annotations tell, these words call 529 of the 628 reading ones so, and no other.
READING: Final = frozenset(
    [
        "get",
        "list",
        "search",
        "find",
        "retrieve",
        "describe",
        "show",
        "count",
        "read",
        "lookup",
        "view",
    ]
)
DESTROYING: Final = frozenset(
    [
        "delete",
        "remove",
        "destroy",
        "drop",
        "purge",
        "erase",
        "wipe",
        "truncate",
        "uninstall",
        "revoke",
        "unlink",
        "rm",
    ]
)
WRITING: Final = frozenset(
    [
        "accept",
        "add",
        "append",
        "apply",
        "approve",
        "archive",
        "assign",
        "attach",
        "authenticate",
        "authorize",
        "batch",
        "book",
        "build",
        "bulk",
        "buy",
        "call",
        "cancel",
        "change",
        "charge",
        "clear",
        "click",
        "close",
        "comment",
        "commit",
        "complete",
        "convert",
        "copy",
        "create",
        "decline",
        "deploy",
        "detach",
        "disable",
        "download",
        "draft",
        "drag",
        "edit",
        "enable",
        "execute",
        "export",
        "feedback",
        "fill",
        "fork",
        "forward",
        "generate",
        "import",
        "insert",
        "install",
        "invite",
        "invoke",
        "join",
        "leave",
        "link",
        "lock",
        "log",
        "login",
        "logout",
        "make",
        "manage",
        "mark",
        "merge",
        "modify",
        "move",
        "navigate",
        "open",
        "order",
        "patch",
        "pay",
        "pin",
        "post",
        "power",
        "press",
        "publish",
        "push",
        "put",
        "refund",
        "register",
        "reject",
        "rename",
        "reopen",
        "replace",
        "reply",
        "request",
        "reset",
        "resize",
        "resolve",
        "restart",
        "restore",
        "rotate",
        "run",
        "save",
        "schedule",
        "select",
        "send",
        "set",
        "star",
        "start",
        "stop",
        "submit",
        "subscribe",
        "sync",
        "tag",
        "take",
        "toggle",
        "transfer",
        "trigger",
        "type",
        "unarchive",
        "unassign",
        "undo",
        "unlock",
        "unpin",
        "unstar",
        "unsubscribe",
        "update",
        "upload",
        "watch",
        "write",
    ]
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def declared_effect(annotations: Json) -> Effect | None:
    """The effect that the annotations declare; None if they declare none."""
    if annotations.get("readOnlyHint") is True:
        return "read"
    if isinstance(annotations.get("destructiveHint"), bool):
        return "destructive" if annotations["destructiveHint"] else "write"
    if annotations.get("readOnlyHint") is False:
        return "destructive"  # the protocol's default for a tool that writes
    return None


def proposed_effect(name: str, description: str) -> Effect:
    """The effect suggested by a tool's name and the first word of its description, else `write`.

    A tool is only taken to read where its name says so, and nothing in name or text speaks against it.
    """
    words = set(name_words(name))
    first = _WORD.search(description[:200])
    all_words = words | (_verb_forms(first[0].lower()) if first else set())
    if all_words & DESTROYING:
        return "destructive"
    return "read" if words & READING and not all_words & WRITING else "write"


def name_words(name: str) -> list[str]:
    """The words of a name in lower case: of `listOpenIssues` and `list_open_issues` the same."""
    return [word.lower() for word in _WORD.findall(name)]


def _verb_forms(verb: str) -> set[str]:
    """A verb with and without the ending of its third person."""
    return {verb, verb.removesuffix("s"), verb.removesuffix("es")}
