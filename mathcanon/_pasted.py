r"""What people paste, brought to plain ASCII with every character still in its place.

Unicode signs are replaced one for one (`×` is `*`), LaTeX commands are padded to their own length (`\times` is five
blanks and `*`), so that a place in the clean text is a place in the user's text and a caret points right.
"""

from __future__ import annotations

import re

__all__ = ["FRACTIONS", "clean_text", "to_ascii"]

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
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        **{chr(0xFF21 + i): chr(65 + i) for i in range(26)},
        **{chr(0xFF41 + i): chr(97 + i) for i in range(26)},
    }
)  # fmt: skip
_LATEX = {
    r"\times": "*", r"\cdot": "*", r"\ast": "*", r"\div": "/", r"\left": "", r"\right": "", r"\pi": "pi",
    r"\,": "", r"\;": "", r"\:": "", r"\!": "", r"\ ": "", r"\%": "%", r"\{": "{", r"\}": "}", r"\$": "", r"\quad": "",
    r"\(": "", r"\)": "", r"\[": "", r"\]": "", r"\lbrace": "{", r"\rbrace": "}",
}  # fmt: skip
_LATEX_COMMAND = re.compile(r"\\tfrac\{\d+\}\{\d+\}|\\[A-Za-z]+|\\.|\$", re.ASCII)
FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac")


def to_ascii(text: str) -> str:
    """`text` with pasted Unicode signs, digits, letters and brackets replaced one for one."""
    return text if text.isascii() else text.translate(_PASTED)


def clean_text(text: str) -> str:
    """`text` in ASCII and without LaTeX commands other than fractions, every character still in its place."""
    text = to_ascii(text)
    if "\\" in text or "$" in text:
        text = _LATEX_COMMAND.sub(_plain, text)
    return text


def _plain(command: re.Match[str]) -> str:
    found = command[0]
    if found in FRACTIONS:
        return found
    if found.startswith(r"\tfrac{"):  # how a fraction that is one number is written
        plain = "(" + found[7:-1].replace("}{", "/") + ")"
    elif found == "$":
        plain = ""
    elif found in _LATEX:
        plain = _LATEX[found]
    else:
        return found
    return plain.rjust(len(found))
