"""The frame of our own pages: one document, nothing fetched from anywhere, light and dark."""

from html import escape
from typing import Final

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--line:#d9dee6;--paper:#fff;--card:#f6f8fb;
--calls:#3b6fd4;--bad:#c2410c;--good:#15803d}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf1;--soft:#9aa6b8;--line:#2c3543;--paper:#10151d;
--card:#18202b;--calls:#7aa2f7;--bad:#fb923c;--good:#4ade80}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:64rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0 0 1rem}h2{font-size:1.05rem;
margin:0 0 .6rem;overflow-wrap:anywhere}section{background:var(--card);border:1px solid var(--line);
border-radius:10px;padding:1rem;margin:0 0 1rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--soft);font-weight:500}.n{text-align:right;font-variant-numeric:tabular-nums}
a{color:var(--calls)}code{font:.9em ui-monospace,monospace}.soft{color:var(--soft)}.bad{color:var(--bad)}
.good{color:var(--good)}.facts{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;margin:0}.facts div{min-width:6rem}
.facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
.calls{fill:var(--calls)}.failures{fill:var(--bad)}.axis{stroke:var(--line)}
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
