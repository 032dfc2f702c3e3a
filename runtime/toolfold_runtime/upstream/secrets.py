"""`${VARIABLE}` in what a manifest says about a server: expanded when it is used, never written anywhere."""

import os
import re
from collections.abc import Mapping
from typing import Final

from toolfold_runtime.contract.upstream import UpstreamServer

_PLACEHOLDER: Final = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class MissingVariableError(Exception):
    """Environment variables that a server needs are not set; the text names them all."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        plural = "s" if len(names) > 1 else ""
        are = "are" if plural else "is"
        super().__init__(f"the environment variable{plural} {', '.join(names)} {are} not set")


def literal(text: str) -> str:
    """The text that expands to this one, whatever it holds."""
    return text.replace("${", "$${")


def expand(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text with the values of its variables; MissingVariableError where one is not set."""
    missing = [name for name in variables_in(text) if name not in environment]
    if missing:
        raise MissingVariableError(missing)
    return _PLACEHOLDER.sub(lambda match: environment[match[1]] if match[1] else "${", text)


def variables_in(*texts: str) -> list[str]:
    """The names of the variables in texts, each once, in order."""
    names = (match[1] for text in texts for match in _PLACEHOLDER.finditer(text))
    return list(dict.fromkeys(name for name in names if name))


def require_variables(server: UpstreamServer, environment: Mapping[str, str] = os.environ) -> None:
    """MissingVariableError that names all variables of a server that are not set."""
    missing = [name for name in variables_in(*_texts(server)) if name not in environment]
    if missing:
        raise MissingVariableError(missing)


def _texts(value: object) -> list[str]:
    """Every text within a value of the contract."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [text for own in inner for text in _texts(own)]
