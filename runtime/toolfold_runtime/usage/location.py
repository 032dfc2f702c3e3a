"""Where usage is recorded: a file, or a PostgreSQL database that several replicas share."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from toolfold_runtime.usage.store import UsageStoreError

#: The environment variable that says where, and the only way to name a PostgreSQL database.
VARIABLE: Final = "TOOLFOLD_USAGE"
OFF: Final = "off"
_SCHEMES: Final = ("postgresql://", "postgres://")
#: What no path has, and databases of any kind are named by: a scheme, or the words that drivers know.
_DSN: Final = re.compile(r"://|(?:^|\s)(?:host|hostaddr|dbname|user|password|service)\s*=")
_USER: Final = re.compile(r"^[^@/]*@")


@dataclass(frozen=True)
class Location:
    """A place for usage."""

    kind: Literal["sqlite", "postgres"]
    #: The path of the file, or the DSN, which may hold a password.
    target: str = field(repr=False)
    #: Whether the folders above the file are ours to make.
    makes_folder: bool = False

    @property
    def shown(self) -> str:
        """The place in words that may be printed: no password."""
        if self.kind == "sqlite":
            return self.target
        try:
            parts = urlsplit(f"//{_without_user(self.target)}")
            return f"PostgreSQL database {parts.path.strip('/') or '(default)'} at {parts.hostname or 'this machine'}"
        except ValueError:
            return "a PostgreSQL database"


def location_of(option: str | None, declared: str | None, root: Path) -> Location | None:
    """Where usage is recorded; None where it is not.

    `option` is what the command line says, and the environment comes before `declared`, what the
    manifest in the folder `root` says. Raises UsageStoreError for what names no place, for a DSN on
    the command line, which other users of the machine could read, and in the manifest, which is
    committed.
    """
    chosen = choice_of(option, declared)
    if chosen == OFF:
        return None
    if chosen is None:
        from platformdirs import (
            user_data_path,
        )  # slow, and of no use to a server that is not called

        return Location("sqlite", str(user_data_path("toolfold", False) / "usage.db"), True)
    if is_dsn(chosen):
        return _database(chosen)
    try:
        path = Path(chosen).expanduser()
    except RuntimeError:
        raise UsageStoreError(f"{chosen}: no home folder is known; write the whole path") from None
    is_declared = option is None and not os.environ.get(VARIABLE)
    return Location("sqlite", str(root / path if is_declared else path.absolute()))


def choice_of(option: str | None, declared: str | None) -> str | None:
    """What was chosen, as it is written: `off`, a path, a DSN; None where nothing was said."""
    for text, where in ((option, "on a command line"), (declared, "in a manifest")):
        if text is not None and is_dsn(text):
            fact = f"a DSN {where} would be read by others"
            raise UsageStoreError(f"{fact}; set the environment variable {VARIABLE} to it")
    return option or os.environ.get(VARIABLE) or declared


def is_dsn(text: str) -> bool:
    """Whether a place is a database that a server has, of whichever kind."""
    return _DSN.search(text) is not None


def _database(dsn: str) -> Location:
    """A PostgreSQL database; UsageStoreError, which repeats nothing, where it is not clear which."""
    form = "postgresql://user@host/database"
    if not dsn.startswith(_SCHEMES):
        raise UsageStoreError(f"{VARIABLE} is neither a path nor the DSN that is known: {form}")
    # The driver would take the rest of the password for a host or a database, and name that.
    if "@" in _without_user(dsn).partition("?")[0]:
        way_out = "write @ and / in a password as %40 and %2F"
        raise UsageStoreError(f"{VARIABLE} is no DSN as in {form}; {way_out}")
    return Location("postgres", dsn)


def _without_user(dsn: str) -> str:
    """What follows user and password, which end at the first @ before a slash."""
    return _USER.sub("", dsn.partition("://")[2])
