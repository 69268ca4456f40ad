"""Pasted text -> plain ASCII, character by character.

Each sign is replaced by one character (`×` is `*`), so that positions in the clean text are positions in the user's
text, and a caret points to the right place.  Letters that need several characters, such as `α` and the `₁` of `x₁`, are
renamed token by token.
"""

from __future__ import annotations

import re
from unicodedata import name

__all__ = ["NAME", "plain_name", "to_ascii"]

_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
#: A name as one token: Latin letters, or one Greek letter; digits may be subscripts.
NAME = rf"[A-Za-z_][A-Za-z0-9_{_SUBSCRIPTS}]*|[Α-Ωα-ω][0-9_{_SUBSCRIPTS}]*"

_SUBSCRIPT = re.compile(rf"[{_SUBSCRIPTS}]+")
_TO_DIGITS = str.maketrans(_SUBSCRIPTS, "0123456789")

# One character for one, so that positions stay.
_PASTED = str.maketrans(
    {
        **dict.fromkeys("×·∙⋅•＊✕✖", "*"),
        **dict.fromkeys("÷：∶／⁄∕", "/"),
        **dict.fromkeys("−－–—﹣", "-"),
        **dict.fromkeys("＋﹢", "+"),
        **dict.fromkeys("（⦅", "("),
        **dict.fromkeys("）⦆", ")"),
        "［": "[", "］": "]", "｛": "{", "｝": "}", "【": "[", "】": "]", "％": "%", "．": ".", "＾": "^", "＝": "=",
        **dict.fromkeys("€£¥￥₹", " "),
        # Blanks of all widths: no-break, zero-width and other spaces, and the byte-order mark.
        **dict.fromkeys("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff", " "),
        **{chr(0x2000 + width): " " for width in range(11)},
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        **{chr(0xFF21 + i): chr(65 + i) for i in range(26)},
        **{chr(0xFF41 + i): chr(97 + i) for i in range(26)},
    }
)  # fmt: skip


def to_ascii(text: str) -> str:
    """`text` with pasted Unicode signs, digits, letters and brackets replaced one for one."""
    return text if text.isascii() else text.translate(_PASTED)


def plain_name(token: str) -> str:
    """A token that is a name, in ASCII: `x₁` is x_1, `α` is alpha and `Δ` is Delta; other tokens stay as they are.

    >>> plain_name("x₁"), plain_name("α"), plain_name("Δ₂"), plain_name("12")
    ('x_1', 'alpha', 'Delta_2', '12')
    """
    token = _SUBSCRIPT.sub(lambda found: "_" + found[0].translate(_TO_DIGITS), token)
    if "Α" <= token[0] <= "ω":
        size, _, letter = name(token[0]).removeprefix("GREEK ").partition(" LETTER ")
        letter = {"LAMDA": "lambda"}.get(letter, letter.lower().removeprefix("final "))
        token = (letter.capitalize() if size == "CAPITAL" else letter) + token[1:]
    return token
