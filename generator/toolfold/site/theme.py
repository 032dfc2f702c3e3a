"""The files that every page shares: style sheet, scripts and icon."""

from collections.abc import Iterator
from typing import Final

from toolfold.emit.templates import templates_dir

_COLOUR: Final = "#2f56c8"
_SCRIPTS: Final = ("site.js", "search.js")
_LEAST_CONTRAST: Final = 5.0
_GROUNDS: Final = {"light": (246, 247, 249), "dark": (24, 27, 33)}

_ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="7" fill="{colour}"/>'
    '<path d="M8 10h16M8 16h11M8 22h6" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>\n'
)
_DRAWN: Final = '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{}</svg>'
ICONS: Final = {
    "menu": _DRAWN.format('<path d="M4 7h16M4 12h16M4 17h16"/>'),
    "search": _DRAWN.format('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>'),
    "theme": _DRAWN.format(
        '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>'
    ),
    "source": _DRAWN.format('<path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5"/>'),
}


def theme_files(colour: str | None) -> Iterator[tuple[str, str]]:
    """Path and text of each file, for sites in a colour."""
    accent = _channels(colour or _COLOUR)
    sheet = _template("site.css")
    for scheme in ("light", "dark"):
        readable = _readable(accent, _GROUNDS[scheme], 0 if scheme == "light" else 255)
        sheet = sheet.replace(f"ACCENT_{scheme.upper()}", _hexadecimal(readable))
    yield "assets/site.css", sheet
    yield "assets/icon.svg", _ICON.format(colour=_hexadecimal(accent))
    for name in _SCRIPTS:
        yield f"assets/{name}", _template(name)


def _template(name: str) -> str:
    return (templates_dir() / "site" / name).read_text(encoding="utf-8")


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _hexadecimal(channels: tuple[int, ...]) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _readable(colour: tuple[int, ...], ground: tuple[int, ...], end: int) -> tuple[int, ...]:
    """The colour, mixed with black or white until text in it can be read on the ground."""
    for step in range(21):
        mixed = tuple(round(channel + (end - channel) * step / 20) for channel in colour)
        if _contrast(mixed, ground) >= _LEAST_CONTRAST:
            return mixed
    return (end, end, end)


def _contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The ratio of WCAG 2."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: tuple[int, ...]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
