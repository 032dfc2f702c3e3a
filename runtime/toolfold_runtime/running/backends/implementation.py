"""The user's class: imported from the manifest's folder, constructed once."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolfold_runtime import log
from toolfold_runtime.errors import StartError


class ImplementationError(StartError):
    """The author's class or verifier cannot be loaded or started; the message says why."""


def load_implementation(path: str | None, root: Path) -> object | None:
    """An instance of `module.path:Class` imported from `root`, or None where none is declared."""
    if path is None:
        return None
    declared = load_object(path, root, "implementation")
    with _authors_code(f"implementation {path}"):
        instance: object = declared()
    return instance


def load_object(path: str, root: Path, role: str) -> Any:
    """What `module.path:name` names, imported from `root`; `role` is what it is for."""
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, name = path.partition(":")
    with _authors_code(f"{role} {path}"):
        named = getattr(importlib.import_module(module_name), name, None)
    if named is None:
        raise ImplementationError(f"{role} {path}: {module_name} has no {name}")
    return named


@contextlib.contextmanager
def _authors_code(what: str) -> Iterator[None]:
    """Run the author's code: what it prints goes to stderr, a failure is an ImplementationError."""
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
        log.failure(f"{what} failed", error)
        message = f"{what}: failed with {type(error).__name__}: {error}"
        raise ImplementationError(message) from None
