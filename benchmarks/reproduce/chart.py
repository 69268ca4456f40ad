"""A small bar chart of percents as plain SVG: the same bytes on every machine, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Bar", "bar_chart"]

_INK, _CARD, _WEAK, _GOLD = "#1f2933", "#f8fafc", "#0f766e", "#8fa3b8"
_WIDTH, _LEFT, _TOP, _ROW = 640, 150, 40, 34
_SCALE = 4.1  # pixels for a point


class Bar(NamedTuple):
    """A percent with its name, and how it is written."""

    name: str
    value: float
    shown: str
    is_gold: bool = False


def bar_chart(title: str, bars: Sequence[Bar]) -> str:
    """Bars from 0 to 100 percent, one below the other, with a description for those who do not see them."""
    height = _TOP + _ROW * len(bars) + 10
    described = "; ".join(f"{bar.name}: {bar.shown}" for bar in bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="14" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(described)}</desc>",
        f'<rect width="{_WIDTH}" height="{height}" fill="{_CARD}"/>',
        f'<text x="10" y="24" font-weight="bold">{escape(title)}</text>',
    ]
    for i, bar in enumerate(bars):
        y, length = _TOP + _ROW * i, round(_SCALE * bar.value, 1)
        colour = _GOLD if bar.is_gold else _WEAK
        lines += [
            f'<text x="{_LEFT - 10}" y="{y + 18}" text-anchor="end">{escape(bar.name)}</text>',
            f'<rect x="{_LEFT}" y="{y + 2}" width="{length}" height="24" fill="{colour}"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{y + 18}">{escape(bar.shown)}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"
