"""A small bar chart of percents as plain SVG: the same bytes on every machine, its colours those of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Bar", "bar_chart"]

_WIDTH, _TOP, _ROW, _SCALE = 720, 40, 34, 4.0  # pixels; the scale is those of one point
_LETTER = 7.3  # the width of a letter, roughly
_STYLE = """\
svg { --ink: #1f2933; --faint: #52606d; --card: #f8fafc; --weak: #0f766e; --gold: #8fa3b8; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e4e7eb; --faint: #b3bcc5; --card: #1a1f24; --weak: #2aa79b; --gold: #71859a; }
}
text { fill: var(--ink); } .faint { fill: var(--faint); } .card { fill: var(--card); }
.weak { fill: var(--weak); } .gold { fill: var(--gold); } .more { opacity: 0.45; }
.mark { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 2; }"""


class Bar(NamedTuple):
    """A percent with its name, and how it is written."""

    name: str
    value: float
    shown: str
    is_gold: bool = False
    extended: float | None = None  # the bar goes on to here, in a lighter colour
    published: float | None = None  # marked by a dashed line


def bar_chart(title: str, bars: Sequence[Bar], *, legend: Sequence[str] = ()) -> str:
    """Bars from 0 to 100 percent, one below the other, with a description for those who do not see them.

    `legend` names the bar, its lighter part and the dashed line.
    """
    left = 20 + round(_LETTER * max(len(bar.name) for bar in bars))
    height = _TOP + _ROW * len(bars) + (36 if legend else 10)
    described = "; ".join(f"{bar.name}: {bar.shown}" for bar in bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="14">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(described)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" rx="6" class="card"/>',
        f'<text x="14" y="24" font-weight="bold">{escape(title)}</text>',
    ]
    for i, bar in enumerate(bars):
        lines += _bar(bar, left, _TOP + _ROW * i)
    if legend:
        lines += _legend(legend, left, _TOP + _ROW * len(bars) + 20)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _bar(bar: Bar, left: int, y: int) -> Iterator[str]:
    end, colour = left + _SCALE * bar.value, "gold" if bar.is_gold else "weak"
    yield f'<text x="{left - 10}" y="{y + 18}" text-anchor="end">{escape(bar.name)}</text>'
    yield f'<rect x="{left}" y="{y + 2}" width="{end - left:.1f}" height="24" class="{colour}"/>'
    if bar.extended is not None:
        more = _SCALE * (bar.extended - bar.value)
        yield f'<rect x="{end:.1f}" y="{y + 2}" width="{more:.1f}" height="24" class="{colour} more"/>'
        end += more
    if bar.published is not None:
        at = left + _SCALE * bar.published
        yield f'<path d="M{at:.1f},{y} v28" class="mark"/>'
        end = max(end, at)
    yield f'<text x="{end + 7:.1f}" y="{y + 18}">{escape(bar.shown)}</text>'


def _legend(names: Sequence[str], x: float, y: int) -> Iterator[str]:
    keys = ('width="14" height="12" class="weak"', 'width="14" height="12" class="weak more"')
    for i, name in enumerate(names):
        if i < len(keys):
            yield f'<rect x="{x:.0f}" y="{y - 11}" {keys[i]}/>'
        else:
            yield f'<path d="M{x + 7:.0f},{y - 13} v16" class="mark"/>'
        yield f'<text x="{x + 20:.0f}" y="{y}" class="faint" font-size="12">{escape(name)}</text>'
        x += 44 + 6.3 * len(name)
