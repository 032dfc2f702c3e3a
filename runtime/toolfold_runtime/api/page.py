"""The frame of our own pages: one document, nothing fetched from anywhere, light and dark."""

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Final

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--line:#d9dee6;--paper:#fff;--card:#f6f8fb;
--calls:#3b6fd4;--bad:#c2410c;--good:#15803d}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf1;--soft:#9aa6b8;--line:#2c3543;--paper:#10151d;
--card:#18202b;--calls:#7aa2f7;--bad:#fb923c;--good:#4ade80}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:64rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 .6rem;overflow-wrap:anywhere}section{background:var(--card);
border:1px solid var(--line);border-radius:10px;padding:1rem;margin:0 0 1rem}section>:last-child{margin-bottom:0}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:0 0 .8rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}
th:last-child,td:last-child{padding-right:0}tr:last-child td{border-bottom:0}
td{overflow-wrap:break-word}.name{overflow-wrap:anywhere}.short{white-space:nowrap}
th{color:var(--soft);font-weight:500;white-space:nowrap}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
a{color:var(--calls)}code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}.soft{color:var(--soft)}
.bad{color:var(--bad)}.good{color:var(--good)}.facts{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;margin:0}
.facts div{min-width:6rem}.facts dt{color:var(--soft);font-size:.85rem}
.facts dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
figure{margin:0}figcaption{display:flex;justify-content:space-between;color:var(--soft);font-size:.85rem}
svg{display:block;width:100%;height:8rem;border-bottom:1px solid var(--line)}
.calls{fill:var(--calls)}.failures{fill:var(--bad)}.key{display:inline-block;width:.7em;height:.7em;border-radius:2px}
.key.calls{background:var(--calls)}.key.failures{background:var(--bad);margin-left:1em}
@media(max-width:40rem){.wide{display:none}}
"""


def page(title: str, body: str, *, refresh: int = 0) -> bytes:
    """A whole page; `body` is HTML whose texts are escaped already."""
    again = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'{again}<link rel="icon" href="data:,"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>{body}</body></html>"
    ).encode()


def named(name: str) -> str:
    """A long name as HTML, which breaks between its words where it has to."""
    return re.sub(r"(::|[_/])(?=.)", r"\1<wbr>", escape(name))


def section(title: str, body: str) -> str:
    """A part of a page; both are HTML whose texts are escaped already."""
    return f"<section><h2>{title}</h2>{body}</section>"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[int] = (),
    wide: Collection[int] = (),
) -> str:
    """A table whose first column has names; columns in `wide` are left out on a phone.

    Cells are HTML whose texts are escaped already.
    """

    def cells(row: Sequence[str], kind: str) -> str:
        return "".join(
            f"<{kind}{_classes(place, numbers, wide, kind)}>{cell}"
            for place, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}" for row in rows)
    return f"<table><tr>{cells(head, 'th')}{body}</table>"


def _classes(place: int, numbers: Collection[int], wide: Collection[int], kind: str) -> str:
    names = ["name"] if place == 0 and kind == "td" else []
    names += ["n"] if place in numbers else []
    names += ["wide"] if place in wide else []
    return f' class="{" ".join(names)}"' if names else ""
