"""Pages of one's own beside the generated ones: Markdown files, and folders of them."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from toolfold.disk import read_file
from toolfold.errors import UsageError
from toolfold.site.markdown import blocks

_MOST_BYTES: Final = 4_000_000
PICTURES: Final = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")
#: What means something else in an address or ends an attribute; a page's path is its address.
_NOT_IN_NAMES: Final = re.compile(r'["<>#?%&\\\x00-\x1f\x7f]')
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:|/")
_LINK: Final = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()<?([^)\s>#]*)>?((?:#[^)\s]*)?[^)]*\))")


@dataclass(frozen=True)
class OwnPage:
    """A page that the author wrote."""

    #: Below the root of the site, as Markdown.
    path: str
    #: Below the folder of the manifest, for the link to edit it.
    source: str
    title: str
    text: str
    #: The heading of the section's index below which it is linked; empty where there is none.
    heading: str = ""


@dataclass(frozen=True)
class OwnSection:
    """Pages under a title in the menu; without one they stand by themselves."""

    title: str
    pages: tuple[OwnPage, ...]


@dataclass(frozen=True)
class OwnPages:
    """All pages that the author wrote, and the pictures beside them."""

    sections: tuple[OwnSection, ...] = ()
    #: Path below the root of the site, and where the picture is.
    pictures: tuple[tuple[str, Path], ...] = ()

    @property
    def pages(self) -> Iterator[OwnPage]:
        """Every page, in order."""
        for section in self.sections:
            yield from section.pages


def read_own_pages(folder: Path, entries: Sequence[str]) -> OwnPages:
    """The pages that `entries` name below `folder`; UsageError where one is not there.

    A file keeps its name, and a folder its last name. A folder's `index.md` comes first, gives its
    section the title, and the other pages the order in which it links to them, below its headings;
    links between pages, and to pictures, may be written as they are on disk.
    """
    places: dict[str, str] = {}
    for entry in entries:
        places |= dict(_places(folder, entry))
    sections, pictures = [], []
    for entry in entries:
        files = [(source, place) for source, place in places.items() if _is_below(source, entry)]
        pages = tuple(
            _page(folder, source, place, places) for source, place in files if place.endswith(".md")
        )
        pictures += [
            (place, folder / source) for source, place in files if not place.endswith(".md")
        ]
        if pages:
            sections.append(OwnSection(_section_title(entry, pages), _in_order(pages)))
    return OwnPages(tuple(sections), tuple(pictures))


def links_of(text: str) -> Iterator[str]:
    """What a page links to beside it, without what follows a hash."""
    for block in blocks(text):
        if block.kind == "text":
            for link in _LINK.finditer(block.text):
                target = unquote(link[2])
                if target and not _SCHEME.match(target):
                    yield target


def _is_below(source: str, entry: str) -> bool:
    whole = posixpath.normpath(entry)
    return whole in (".", source) or source.startswith(f"{whole}/")


def _places(folder: Path, entry: str) -> Iterator[tuple[str, str]]:
    """Path below `folder`, and path below the site, of what one entry stands for."""
    whole = posixpath.normpath(entry)
    path = folder / whole
    if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"site.pages: {entry} is not below {folder}/; move it there")
    if path.is_file():
        yield whole, PurePosixPath(whole).name
        return
    if not path.is_dir():
        raise UsageError(f"site.pages: {path}: no such file or folder")
    base = "" if whole == "." else f"{PurePosixPath(whole).name}/"
    found = [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    for file in sorted(found, key=lambda file: (file.parent, file.name != "index.md", file.name)):
        inside = file.relative_to(path).as_posix()
        if f"/{inside}".count("/."):
            continue
        if file.suffix == ".md" or file.suffix.lower() in PICTURES:
            yield posixpath.normpath(f"{whole}/{inside}"), f"{base}{inside}"


def _section_title(entry: str, pages: Sequence[OwnPage]) -> str:
    """A folder's title: that of its first page, if that is its index, else its name."""
    if entry.endswith(".md"):
        return ""
    if pages and PurePosixPath(pages[0].path).name == "index.md":
        return pages[0].title
    return PurePosixPath(entry).name.replace("-", " ").replace("_", " ").capitalize()


def _in_order(pages: Sequence[OwnPage]) -> tuple[OwnPage, ...]:
    """The pages of a section as its index links to them; those that it does not name come last."""
    index, others = pages[0], pages[1:]
    if PurePosixPath(index.path).name != "index.md":
        return tuple(pages)
    by_path = {page.path: page for page in others}
    headings = {
        path: heading for path, heading in _links_with_headings(index).items() if path in by_path
    }
    # One heading for all would only repeat the title of the section.
    has_parts = len(set(headings.values())) > 1
    linked = (
        replace(by_path[path], heading=heading if has_parts else "")
        for path, heading in headings.items()
    )
    return (index, *linked, *(page for page in others if page.path not in headings))


def _links_with_headings(index: OwnPage) -> dict[str, str]:
    """The paths that an index links to, in order, with the heading above each link."""
    base, heading = posixpath.dirname(index.path), ""
    headings: dict[str, str] = {}
    for block in blocks(index.text):
        if block.kind == "heading":
            heading = block.text if block.level > 1 else ""
        elif block.kind == "text":
            for link in _LINK.finditer(block.text):
                headings.setdefault(posixpath.normpath(posixpath.join(base, link[2])), heading)
    return headings


def _page(folder: Path, source: str, place: str, places: dict[str, str]) -> OwnPage:
    if found := _NOT_IN_NAMES.search(place):
        raise UsageError(
            f"site.pages: {source}: no name of a page has a {found.group()!r}; rename it"
        )
    data = read_file(folder / source, _MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{source}: larger than {_MOST_BYTES:,} bytes")
    text = _relinked(data.decode("utf-8", "replace").replace("\r\n", "\n"), source, place, places)
    title = next((block.text for block in blocks(text) if block.kind == "heading"), "")
    return OwnPage(place, source, title or PurePosixPath(place).stem, text)


def _relinked(text: str, source: str, place: str, places: dict[str, str]) -> str:
    """The page with its links to other pages and pictures as they are in the site."""
    here, there = posixpath.dirname(source), posixpath.dirname(place)

    def relinked(link: re.Match[str]) -> str:
        opening, target, rest = link.groups()
        known = places.get(posixpath.normpath(posixpath.join(here, unquote(target))))
        if not target or known is None:
            return link.group()
        return f"{opening}{posixpath.relpath(known, there or '.')}{rest}"

    return "".join(
        _as_written(block.text, block.level, block.info, block.kind)
        if block.kind != "text"
        else _LINK.sub(relinked, block.text) + "\n"
        for block in blocks(text)
    )


def _as_written(text: str, level: int, info: str, kind: str) -> str:
    if kind == "heading":
        return f"{'#' * level} {text}\n"
    fence = "`" * max(3, max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    return f"{fence}{info}\n{text}\n{fence}\n"
