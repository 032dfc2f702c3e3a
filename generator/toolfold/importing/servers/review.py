"""What a person should look at before agents read a server's texts."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolfold.errors import Problem
from toolfold.importing.servers.snapshot import Snapshot
from toolfold.manifest.hidden import hidden_problems, with_marks
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import PlacedMapping, dotted, texts_of

#: The kinds of texts that are aimed at the model that reads them. Few, and none that 9,715 real tools
#: have: an alarm that often turns out to be false is soon ignored.
_AIMED: Final = {
    "has the reader ignore its instructions": (
        r"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,30}"
        r"\b(?:previous|prior|above|earlier|preceding|system|other|all)\b[^.!?\n]{0,20}"
        r"\b(?:instruction|prompt|rule|guideline|directive|message)s?\b"
    ),
    "keeps something from the user": (
        r"\b(?:do not|don't|never|must not|without)\b[^.!?\n]{0,20}"
        r"\b(?:tell|inform|mention|reveal|notify|alert|show)(?:ing)?\b[^.!?\n]{0,30}"
        r"\bthe (?:user|human)\b|\b(?:hide|conceal|keep)\b[^.!?\n]{0,30}\bfrom the (?:user|human)\b"
    ),
    "wants to come before other tools": (
        r"\bbefore (?:(?:using|calling|invoking|running|you use|you call) )?"
        r"(?:any|all|every)(?: of the)?(?: other)? tools?\b"
    ),
    "poses as part of a prompt": (
        r"<\s*/?\s*(?:important|system|secret|admin)\s*>"
        r"|<\|(?:im_start|im_end|system|endoftext)\|>|\[/?(?:INST|SYSTEM)\]"
    ),
    "names files or texts that are secret": (
        r"~/\.ssh\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b|\.aws/credentials"
        r"|\.kube/config|\.cursor/mcp\.json|\bclaude_desktop_config\.json|\byour system prompt\b"
        r"|\bseed phrase\b"
    ),
}
_PATTERNS: Final = {aim: re.compile(text, re.IGNORECASE) for aim, text in _AIMED.items()}
_HINT: Final = "read it; hide the tool in an overlay, or write another description there"
_AROUND: Final = 30
# Which is the beginning of a description.
_SUMMARY: Final = ".summary"


def review(
    snapshot: Snapshot, others: Mapping[str, str], tree: PlacedMapping | None = None
) -> Iterator[Problem]:
    """Warnings about a server's texts and names, at their places in its file.

    `others` are the names of the tools of other servers, by their ids; `tree` is the file, if it
    was read already.
    """
    tree = tree or read_yaml(snapshot.text.encode(), str(snapshot.path))
    yield from (problem for problem in hidden_problems(tree) if not problem.path.endswith(_SUMMARY))
    yield from _aimed_texts(tree)
    yield from _shadowed_names(tree, snapshot, others)


def _aimed_texts(tree: PlacedMapping) -> Iterator[Problem]:
    for path, place, text in texts_of(tree):
        if dotted(path).endswith(_SUMMARY):
            continue
        for aim, pattern in _PATTERNS.items():
            if match := pattern.search(text):
                around = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
                fact = f'a text that {aim}: "…{with_marks(" ".join(around.split()))}…"'
                yield Problem(place, dotted(path), fact, _HINT, "warning", "aimed-text")


def _shadowed_names(
    tree: PlacedMapping, snapshot: Snapshot, others: Mapping[str, str]
) -> Iterator[Problem]:
    """Warnings about tools with the name of another server's tool, ignoring case and dashes."""
    known: dict[str, str] = {}
    for identity in others:
        known.setdefault(_folded(identity), identity)
    for name, identity in snapshot.tools.items():
        other = known.get(_folded(identity))
        if other is not None:
            server, _, tool = other.partition("::")
            whose = f"the server {server}" if server else "this manifest"
            fact = f'"{tool}" is also a tool of {whose}; this one is listed as {name}'
            hint = "agents may take one for the other: tell them apart by their summaries"
            place = tree["tools"].keys_at[name]
            yield Problem(place, dotted(("tools", name)), fact, hint, "warning", "shadowed-name")


def _folded(identity: str) -> str:
    name = identity.partition("::")[2]
    return re.sub(r"[-_. ]+", "_", name).casefold()
