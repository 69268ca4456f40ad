"""The colours of the page, light and dark, as CSS variables.

The series colours follow the hues of Okabe and Ito, which people with the common forms of colour blindness can tell
apart.  They are darkened or lightened until each has enough contrast with its background (3:1, text 4.5:1; a test
measures it).  Lines also differ in the shape of their marks, so colour is never the only difference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["DARK", "LIGHT", "SERIES", "contrast", "palette_css", "with_dark_colours"]

#: The number of series with a colour of their own; the last one is neutral, for gold labels.
SERIES = 7

LIGHT = {
    "page": "#fbfbf9", "card": "#ffffff", "raised": "#f3f4f1", "text": "#1d2126", "soft": "#5a626c",
    "line": "#e2e4df", "strong-line": "#c5c9c2", "accent": "#0b62a8", "mark": "#e3eefa", "mark-text": "#0b4f8a",
    "right": "#0b6e4f", "right-back": "#e2f3ec", "wrong": "#a8380b", "wrong-back": "#fbeae2",
    "s0": "#0b62a8", "s1": "#c2530c", "s2": "#0a8466", "s3": "#a83f86", "s4": "#8a6d00", "s5": "#3d8fc4",
    "s6": "#4a525c",
    "operator": "#e3eefa", "operator-line": "#0b62a8", "operand": "#f3f4f1", "operand-line": "#5a626c",
    "number": "#fbf3d4", "number-line": "#8a6d00", "badge": "#fbeae2", "badge-line": "#a8380b",
}  # fmt: skip

DARK = {
    "page": "#14171b", "card": "#1b1f24", "raised": "#242a31", "text": "#e8eaed", "soft": "#a4adb8",
    "line": "#2d343c", "strong-line": "#454e59", "accent": "#76b7f5", "mark": "#1d3a57", "mark-text": "#cfe5fb",
    "right": "#6bd3ae", "right-back": "#173a2f", "wrong": "#f7a27c", "wrong-back": "#46261a",
    "s0": "#76b7f5", "s1": "#f29a5c", "s2": "#55cba6", "s3": "#e493c8", "s4": "#dcc256", "s5": "#4d9fd6",
    "s6": "#c3cad3",
    "operator": "#1d3a57", "operator-line": "#76b7f5", "operand": "#242a31", "operand-line": "#a4adb8",
    "number": "#3b3212", "number-line": "#dcc256", "badge": "#46261a", "badge-line": "#f7a27c",
}  # fmt: skip


def palette_css() -> str:
    """The CSS variables: dark if the reader's system or the button on the page asks for it, never in print."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n"
        f':root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }}\n}}\n'
        f'@media screen {{\n:root[data-theme="dark"] {{ color-scheme: dark; {dark} }}\n}}\n'
        + "\n".join([f".s{i} {{ --c: var(--s{i}); }}" for i in range(SERIES)])
        + "\n"
    )


def _variables(colours: dict[str, str]) -> str:
    return " ".join([f"--{name}: {colour};" for name, colour in colours.items()])


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def with_dark_colours(svg: str, colours: Mapping[str, str], *, ink: str) -> str:
    """An SVG that shows each of its `colours` as another one, and what has no colour in `ink`, on dark screens.

    Colours of attributes and of inline styles are replaced, so it works for the output of matplotlib too.

    >>> dark = with_dark_colours('<svg><path fill="#ffffff"/></svg>', {"#ffffff": "#111111"}, ink="#eeeeee")
    >>> '[fill="#ffffff"]' in dark, dark.endswith('<path fill="#ffffff"/></svg>')
    (True, True)
    """
    rules = [f"svg {{ fill: {ink}; }}"]
    for light, dark in colours.items():
        for name in ("fill", "stroke"):
            rules.append(f'[{name}="{light}"], [style*="{name}: {light}"] {{ {name}: {dark} !important; }}')
    style = "<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}</style>"
    return re.sub(r"(<svg\b[^>]*>)", lambda tag: f"{tag[1]}\n{style}", svg, count=1)
