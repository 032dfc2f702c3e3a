"""Tables that a narrow screen can show: scrolled in a frame of their own."""

from typing import Final

_OPENING: Final = '<div class="table" tabindex="0" role="group" aria-label="Table"><table>'


def responsive(page: str) -> str:
    """HTML whose tables stand in frames that scroll, so that the page never has to."""
    return page.replace("<table>", _OPENING).replace("</table>", "</table></div>")
