"""The user's class: imported from the manifest's folder, constructed once."""

import contextlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class ImplementationError(Exception):
    """The declared implementation cannot be had; the message says why."""


def load_implementation(path: str | None, root: Path) -> object | None:
    """An instance of `module.path:Class` imported from `root`, or None where none is declared."""
    if path is None:
        return None
    made = load_object(path, root, "implementation")
    with _authors_code(f"implementation {path}"):
        instance: object = made()
    return instance


def load_object(path: str, root: Path, role: str) -> Any:
    """What `module.path:name` names, imported from `root`; `role` is what it is for."""
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, name = path.partition(":")
    with _authors_code(f"{role} {path}"):
        found = getattr(importlib.import_module(module_name), name, None)
    if found is None:
        raise ImplementationError(f"{role} {path}: {module_name} has no {name}")
    return found


@contextlib.contextmanager
def _authors_code(what: str) -> Iterator[None]:
    """Run code that is not ours: what it prints goes to stderr, how it fails is told to its author."""
    try:
        # stdout belongs to the protocol.
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except ModuleNotFoundError as error:
        if error.name is not None and what.split()[1].partition(":")[0].startswith(error.name):
            message = f"{what}: no module {error.name} in the manifest's folder"
        else:
            message = f"{what}: {error}; install it beside toolfold"
        raise ImplementationError(message) from None
    except Exception as error:
        traceback.print_exception(error, file=sys.stderr)
        message = f"{what}: failed with {type(error).__name__}: {error}"
        raise ImplementationError(message) from None
