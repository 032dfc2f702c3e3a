"""`toolfold stubs`: every tool as the typed function that it is in programs, as one `.pyi`."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from toolfold.compile import plan_tools
from toolfold.disk import read_file, replace_file
from toolfold.emit.format import format_all
from toolfold.errors import OutputError
from toolfold.manifest.load import Loaded, load_with_problems
from toolfold.memo.memo import Memo
from toolfold.memo.store import Store
from toolfold.plan.stubs.build import stub_types, stubs_module

_MARK: Final = "Written by `toolfold stubs`"
_MOST_BYTES: Final = 100_000_000


def stubs_text(manifest: Path) -> str:
    """The stubs of a manifest's tools, whether or not it lets agents run programs.

    ManifestError where it is refused.
    """
    loaded = _with_programs(load_with_problems(manifest))
    catalog = plan_tools(loaded, Memo(Store()))
    stubs = [tool.stub for tool in catalog.tools if tool.stub is not None]
    header = f"{_MARK} from {loaded.name}; it is replaced whole."
    (text,) = format_all([stubs_module(header, stubs, stub_types(loaded.manifest.defs))])
    return text


def write_stubs(path: Path, text: str, base: Path) -> bool:
    """Make the file hold the stubs; False where it did already.

    Raises OutputError where a file is in the way that `stubs` did not write, or a link.
    """
    data = text.encode()
    try:
        before = read_file(path, _MOST_BYTES)
    except FileNotFoundError:
        before = None
    except OSError as error:
        raise OutputError(f"{path}: in the way: {error.strerror}; name another with -o") from None
    if before is not None and not before.startswith(f"# {_MARK}".encode()):
        raise OutputError(
            f"{path}: in the way: not written by `toolfold stubs`; name another with -o"
        )
    if before == data:
        return False
    replace_file(path, data, base)
    return True


def _with_programs(loaded: Loaded) -> Loaded:
    """The manifest as if it let agents run programs, so that every tool has a stub."""
    manifest = loaded.manifest
    if manifest.disclosure.code != "off":
        return loaded
    disclosure = manifest.disclosure.model_copy(update={"code": "read"})
    return replace(loaded, manifest=manifest.model_copy(update={"disclosure": disclosure}))
