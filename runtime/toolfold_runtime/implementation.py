"""The user's class: imported from the manifest's folder, constructed once."""

import importlib
import sys
from pathlib import Path


class ImplementationError(Exception):
    """The declared implementation cannot be had; the message says why."""


def load_implementation(path: str | None, root: Path) -> object | None:
    """An instance of `module.path:Class` imported from `root`, or None where none is declared."""
    if path is None:
        return None
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, class_name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise
        message = f"implementation {path}: no module {error.name} in the manifest's folder"
        raise ImplementationError(message) from None
    made = getattr(module, class_name, None)
    if made is None:
        raise ImplementationError(f"implementation {path}: {module_name} has no {class_name}")
    instance: object = made()
    return instance
