"""`toolfold docs build`: a static site, which replaces an earlier one only when it is complete."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from toolfold.disk import refuse_links
from toolfold.errors import OutputError, UsageError
from toolfold.plan.docs.llms import full_text
from toolfold.plan.text.header import MARK
from toolfold.site.catalog import catalog_json

_OWNERSHIP_FILE: Final = ".gitignore"
_CONFIGURATION: Final = "mkdocs.yml"
_OWNERSHIP_TEXT: Final = f"# {MARK}a manifest; `toolfold docs build` replaces this folder.\n*\n"
_BUILT: Final = PurePosixPath("generated/site")
_MARKDOWN_LINK: Final = '\n<p class="tf-source"><a href="{name}">This page as Markdown</a></p>\n'
# Pages rendered by the builder itself look the same, and take far longer.
_OWN_RENDERER: Final = (
    "markdown_extensions:\n",
    "markdown_extensions:\n  - toolfold.site.extension\n",
)
# Every link is ours, so a build need not look for broken ones; a preview, which may, says when
# it is done.
_UNCHECKED_LINKS: Final = ("markdown_extensions:\n", "validation: false\nmarkdown_extensions:\n")
_MORE_LINKS: Final = (
    "\n## More\n\n- [Every page in one text](llms-full.txt)\n"
    "- [Every tool with its schemas, as JSON](catalog.json)\n"
)


@dataclass(frozen=True)
class Site:
    """A site that was built, and its number of pages."""

    folder: Path
    pages: int


@dataclass(frozen=True)
class SiteSources:
    """The files that the builder reads, by path below its folder, and the Markdown of each page."""

    files: dict[str, str]
    pages: dict[PurePosixPath, str]


def build_site(output: Path, target: Path, base: Path, changes: str = "") -> Site:
    """Turn the docs below `output` into a site in `target`, with a page of changes if given.

    Raises OutputError where something else than a site is in the way, or a link below `base`.
    """
    require_builder()
    refuse_links(target, base)
    _refuse_foreign(target)
    sources = site_sources(output, changes, with_markdown=True)
    with _staging_folder(target) as staging:
        for name, text in sources.files.items():
            write_file(staging / "generated" / name, text)
        _run_builder(staging)
        built = staging / _BUILT
        for path, text in sources.pages.items():
            write_file(built / path, text)
        write_file(built / _OWNERSHIP_FILE, _OWNERSHIP_TEXT)
        _replace(built, target, staging)
    return Site(target, len(sources.pages))


def require_builder() -> None:
    """Raise ModuleNotFoundError now, before any work, where the extra is not installed."""
    import pygments  # noqa: F401 - only to know that it is there
    import pyromark  # noqa: F401
    import zensical  # noqa: F401


def site_sources(output: Path, changes: str = "", *, with_markdown: bool = False) -> SiteSources:
    """What the builder reads: the generated docs, a page of changes, and the texts for agents.

    With `with_markdown` every page links to its Markdown, which has to be put beside it. Raises
    UsageError where there are no docs.
    """
    docs = dict(_generated_docs(output))
    if _CONFIGURATION not in docs:
        raise UsageError(f"{output}/: no docs here; run `toolfold generate` first")
    configuration = docs.pop(_CONFIGURATION).replace(*_OWN_RENDERER)
    configuration = configuration.replace(*_UNCHECKED_LINKS) if with_markdown else configuration
    if changes:
        docs["docs/changes.md"] = changes
        configuration += "  - Changes: changes.md\n"
    files, pages = {_CONFIGURATION: configuration}, {}
    for name, text in docs.items():
        if name.endswith(".md"):
            path = PurePosixPath(name).relative_to("docs")
            text = pages[path] = _without_header(text)
            text += _MARKDOWN_LINK.format(name=path.name) if with_markdown else ""
        files[name] = text
    files["docs/llms.txt"] = _without_header(files["docs/llms.txt"]) + _MORE_LINKS
    files["docs/llms-full.txt"] = full_text(pages)
    files["docs/catalog.json"] = catalog_json(output)
    return SiteSources(files, pages)


def _generated_docs(output: Path) -> Iterator[tuple[str, str]]:
    """Path and text of the generated files of the docs, known by their first line."""
    folders = [*(output / "docs").rglob("*"), *(output / "overrides").rglob("*")]
    for path in [output / _CONFIGURATION, *sorted(folders)]:
        if path.is_file() and not path.is_symlink():
            text = path.read_text(encoding="utf-8", errors="replace")
            if MARK in text.partition("\n")[0]:
                yield path.relative_to(output).as_posix(), text


def _without_header(page: str) -> str:
    """A page less the line that says who generated it."""
    return page.partition("\n")[2].lstrip("\n")


def _run_builder(staging: Path) -> None:
    configuration = staging / "generated" / _CONFIGURATION
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(configuration)]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        command, cwd=staging, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0 or not (staging / _BUILT / "index.html").is_file():
        raise OutputError(f"the site could not be built:\n{done.stdout}{done.stderr}".rstrip())


def _refuse_foreign(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise OutputError(f"{target}: not a folder; give another with --site")
    mark = target / _OWNERSHIP_FILE
    is_ours = mark.is_file() and MARK in mark.read_text(encoding="utf-8", errors="replace")
    if target.is_dir() and any(target.iterdir()) and not is_ours:
        raise OutputError(f"{target}: was not built by toolfold; give another with --site")


@contextmanager
def _staging_folder(target: Path) -> Iterator[Path]:
    """A folder beside the target, so that the finished site only has to be renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(".toolfold-new", f".{target.name}.", target.resolve().parent)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _replace(built: Path, target: Path, staging: Path) -> None:
    try:
        if target.exists():
            target.rename(staging / "old")
        built.rename(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be replaced: {error.strerror or error}") from None


def write_file(path: Path, text: str) -> None:
    """Write a text, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
