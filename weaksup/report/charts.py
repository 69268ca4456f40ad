"""Charts as SVG text: line charts, bar charts and calibration charts.

Each function draws one picture of a given width, so that a phone gets a narrower chart and not smaller letters.
Colours come from the page's style sheet by class (`s0`, `s1`...: see palette.py); there are no style attributes, as the
page's security policy forbids them.  Every picture has a title and a description for screen readers, and every mark
shows its value as a tooltip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, sqrt
from typing import NamedTuple

from ..measure.calibration import Bin
from .numbers_text import count_text, percent
from .scales import Axis, share_axis

__all__ = ["SHAPES", "Bar", "Line", "bar_chart", "calibration_chart", "line_chart", "swatch"]

#: The outlines of the marks, one per series, centred on (0, 0).
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
    "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "M0 -4.8L4.6 3.6H-4.6Z",
    "M0 -5L5 0L0 5L-5 0Z",
    "M0 4.8L4.6 -3.6H-4.6Z",
    "M-4 -1.5H-1.5V-4H1.5V-1.5H4V1.5H1.5V4H-1.5V1.5H-4Z",
    "M-5 -2H5V2H-5Z",
)

_LETTER = 7.2  # the width of a letter in the 12 px font
_MOST_MARKS = 8  # per line: a line with more points has marks at regular intervals and at its end
_ROW = 30.0  # the height of a bar with the space around it


class Line(NamedTuple):
    """A series of points; `band` has the minimum and maximum over several runs at each x."""

    name: str
    style: int
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()
    dashed: bool = False


class Bar(NamedTuple):
    """A named value and its text; `deviation` is drawn as a whisker."""

    name: str
    value: float
    text: str
    style: int = 0
    deviation: float | None = None


def line_chart(
    lines: Sequence[Line], *, key: str, title: str, description: str, x: Axis, y: Axis, width: int, height: int = 260
) -> str:
    """A line chart.  The label of the y axis stands above the axis, so that no text is rotated."""
    left = 14 + _LETTER * max(len(text) for _, text in y.ticks)
    right, top, bottom = width - 16.0, 30.0, height - 42.0
    parts = [_text(0, 12, y.label, "label", "start")]
    for value, text in y.ticks:
        place = y.place(value, bottom, top)
        parts += [f'<path class="grid" d="M{_n(left)} {_n(place)}H{_n(right)}"/>']
        parts += [_text(left - 8, place + 4, text, "tick", "end")]
    parts += [_text(x.place(v, left, right), bottom + 18, text, "tick") for v, text in _uncrowded(x, right - left)]
    parts += [_text((left + right) / 2, height - 6.0, x.label, "label")]
    for line in lines:
        band = [(x.place(a, left, right), y.place(b, bottom, top), y.place(c, bottom, top)) for a, b, c in line.band]
        if len(band) > 1:
            outline = [(a, b) for a, b, _ in band] + [(a, c) for a, _, c in reversed(band)]
            parts.append(f'<path class="band s{line.style}" d="{_path(outline)}Z"/>')
    for line in lines:
        places = [(x.place(a, left, right), y.place(b, bottom, top)) for a, b in line.points]
        if len(places) > 1:
            parts.append(f'<path class="line s{line.style}{" dashed" * line.dashed}" d="{_path(places)}"/>')
        names = dict(x.ticks)
        for i in range(len(places) - 1, -1, -ceil(len(places) / _MOST_MARKS) or -1):
            a, b = line.points[i]
            tip = f"{line.name}, {x.label} {names.get(a) or count_text(a)}: {_written(b, y)}"
            parts.append(_mark(line.style, *places[i], tip))
    return _svg(parts, key, title, description, width, height)


def bar_chart(
    bars: Sequence[Bar],
    *,
    key: str,
    title: str,
    description: str,
    x: Axis,
    width: int,
    reference: tuple[float, str] | None = None,
) -> str:
    """Horizontal bars, each with its name before it and its value after it, so that names may be long."""
    left = 12 + _LETTER * max([len(bar.name) for bar in bars], default=0)
    room = 12 + _LETTER * max([len(bar.text) for bar in bars], default=0)
    right, top = width - room, 22.0 if reference else 4.0
    bottom = top + _ROW * len(bars)
    height = bottom + 40
    parts = []
    for value, text in _uncrowded(x, right - left):
        place = x.place(value, left, right)
        parts += [
            f'<path class="grid" d="M{_n(place)} {_n(top)}V{_n(bottom)}"/>',
            _text(place, bottom + 16, text, "tick"),
        ]
    parts.append(_text((left + right) / 2, height - 6, x.label, "label"))
    for i, bar in enumerate(bars):
        y, end = top + _ROW * i, x.place(bar.value, left, right)
        parts.append(_text(left - 8, y + _ROW / 2 + 4, bar.name, "name", "end"))
        shape = f'x="{_n(left)}" y="{_n(y + 6)}" width="{_n(max(end - left, 1))}" height="{_n(_ROW - 12)}" rx="2"'
        parts.append(
            f'<rect class="bar s{bar.style}" {shape}><title>{_safe(bar.name)}: {_safe(bar.text)}</title></rect>'
        )
        after = end
        if bar.deviation:
            ends = (max(x.low, bar.value - bar.deviation), min(x.high, bar.value + bar.deviation))
            low, after = (x.place(end, left, right) for end in ends)
            middle = y + _ROW / 2
            whisker = f"M{_n(low)} {_n(middle)}H{_n(after)}M{_n(low)} {_n(middle - 4)}v8M{_n(after)} {_n(middle - 4)}v8"
            parts.append(f'<path class="whisker" d="{whisker}"/>')
        # If a reference line crosses the bars, the values stand in a column of their own, out of its way.
        place, anchor = (float(width), "end") if reference else (after + 7, "start")
        parts.append(_text(place, y + _ROW / 2 + 4, bar.text, "value", anchor))
    if reference:
        place = x.place(reference[0], left, right)
        parts.append(f'<path class="reference" d="M{_n(place)} {_n(top - 4)}V{_n(bottom)}"/>')
        parts.append(_text(place, 12, reference[1], "label"))
    return _svg(parts, key, title, description, width, height)


def calibration_chart(bins: Sequence[Bin], *, key: str, title: str, description: str, width: int) -> str:
    """The share of right labels against their posterior; on the diagonal the two agree.

    The area of a dot is proportional to the number of its labels.
    """
    x, y = share_axis("mean posterior of the labels"), share_axis("right against gold")
    height = min(width, 360) * 0.85
    left, right, top, bottom = 14 + 4 * _LETTER, width - 20.0, 34.0, height - 42.0
    parts = [_text(0, 12, y.label, "label", "start")]
    for value, text in y.ticks:
        place = y.place(value, bottom, top)
        parts += [f'<path class="grid" d="M{_n(left)} {_n(place)}H{_n(right)}"/>']
        parts += [_text(left - 8, place + 4, text, "tick", "end")]
    parts += [_text(x.place(value, left, right), bottom + 18, text, "tick") for value, text in x.ticks]
    parts += [_text((left + right) / 2, height - 6, x.label, "label")]
    parts += [f'<path class="reference" d="M{_n(left)} {_n(bottom)}L{_n(right)} {_n(top)}"/>']
    known = [(bin, bin.right) for bin in bins if bin.right is not None and bin.labels]
    places = [(x.place(bin.posterior, left, right), y.place(share, bottom, top)) for bin, share in known]
    most = max([bin.labels for bin, _ in known], default=1)
    for (bin, share), (a, b) in zip(known, places, strict=True):
        radius = max(3.5, 13 * sqrt(bin.labels / most))
        tip = f"posterior {percent(bin.posterior)}: {percent(share, sign=True)} of {bin.labels:,} labels are right"
        parts.append(f'<circle class="dot s0" cx="{_n(a)}" cy="{_n(b)}" r="{_n(radius)}"><title>{tip}</title></circle>')
    return _svg(parts, key, title, description, width, height)


def swatch(style: int, *, dashed: bool = False) -> str:
    """The sign of a series in a legend."""
    line = f'<path class="line s{style}{" dashed" * dashed}" d="M1 7H25"/>'
    return (
        f'<svg class="swatch" aria-hidden="true" width="26" height="14" viewBox="0 0 26 14">'
        f"{line}{_mark(style, 13, 7)}</svg>"
    )


def _svg(parts: Iterable[str], key: str, title: str, description: str, width: float, height: float) -> str:
    size = f'viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}"'
    head = f'<title id="{key}-t">{_safe(title)}</title><desc id="{key}-d">{_safe(description)}</desc>'
    names = f'aria-labelledby="{key}-t" aria-describedby="{key}-d"'
    return f'<svg class="chart" role="img" {names} {size}>{head}{"".join(parts)}</svg>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{_safe(text)}</text>'


def _mark(style: int, x: float, y: float, tip: str = "") -> str:
    inside = f"<title>{_safe(tip)}</title>" if tip else ""
    shape = SHAPES[style % len(SHAPES)]
    return f'<path class="mark s{style}" transform="translate({_n(x)} {_n(y)})" d="{shape}">{inside}</path>'


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join([f"{_n(x)} {_n(y)}" for x, y in places])


def _uncrowded(axis: Axis, room: float) -> list[tuple[float, str]]:
    """As many ticks as fit without their texts touching: all, every second, every fourth..."""
    for every in (1, 2, 4, 5, 10, 20, 50, 100):
        ticks = list(axis.ticks[::every])
        places = [axis.place(value, 0, room) for value, _ in ticks]
        widths = [_LETTER * len(text) for _, text in ticks]
        gaps = zip(places, places[1:], widths, widths[1:], strict=False)
        if all(b - a >= (v + w) / 2 + 6 for a, b, v, w in gaps):
            return ticks
    return list(axis.ticks[:1])


def _written(value: float, axis: Axis) -> str:
    """A value in the notation of its axis."""
    return percent(value, sign=True) if axis.ticks and axis.ticks[-1][1].endswith("%") else f"{value:.3g}"


def _n(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _safe(text: str) -> str:
    return escape(text)
