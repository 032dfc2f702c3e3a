"""The first line of every output: what it is, where it comes from, how to change it."""

import re
from typing import Final

from toolfold.manifest.include import GENERATED_MARK

MARK: Final = GENERATED_MARK
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*")


def header_for(manifest_name: str, package: str) -> str:
    """The line without comment marks; an unusual file name is not repeated in it.

    Manifest and package together are the owner, so that no run takes another's files for its own.
    """
    name = manifest_name if _PLAIN_NAME.fullmatch(manifest_name) else "a manifest"
    return f"{MARK}{name} ({package}); do not edit. Change the manifest, run `toolfold generate`."
