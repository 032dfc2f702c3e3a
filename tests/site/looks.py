"""What is wrong with how pages look: in three widths, light and dark."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser

from tests.clients.node import INSTALLED
from tests.site.material import served, visiting

WIDTHS: Final = (390, 820, 1440)
SCHEMES: Final[tuple[Any, ...]] = ("light", "dark")
#: What a page shows that does not fit: sideways, or cut off where nothing can be scrolled.
_MISFITS: Final = """() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`sideways: ${wide} > ${innerWidth}`);
  for (const one of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(one);
    if (style.display === 'none' || style.visibility === 'hidden' || !one.textContent.trim()) continue;
    const hides = one.clientWidth > 1 && /hidden|clip/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    if (hides && !one.closest('svg')) faults.push(`clipped: ${one.tagName}.${one.className}`);
  }
  return faults;
}"""


def looked_at(site: Path, browser: Browser, pages: Sequence[str]) -> Iterator[str]:
    """Everything that is wrong with some pages of a site, as lines."""
    axe = (INSTALLED / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    with served(site) as base:
        for width in WIDTHS:
            with visiting(base, browser, viewport={"width": width, "height": 900}) as visit:
                for path in pages:
                    page = visit.open(path)
                    for scheme in SCHEMES:
                        page.emulate_media(color_scheme=scheme)
                        place = f"{path} at {width} in {scheme}"
                        yield from (f"{place}: {fault}" for fault in page.evaluate(_MISFITS))
                        page.evaluate(axe)
                        found = page.evaluate(
                            "axe.run({resultTypes: ['violations']}).then(answer => answer.violations)"
                        )
                        for one in found:
                            if one["impact"] in ("serious", "critical"):
                                yield f"{place}: {one['id']}: {one['nodes'][0]['html'][:160]}"
                yield from (f"{width}: {complaint}" for complaint in visit.complaints)


def spread(site: Path, number: int) -> list[str]:
    """So many pages spread over a site, its home among them."""
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    step = max(1, len(pages) // number)
    return sorted({*pages[::step], "index.html", "404.html"})
