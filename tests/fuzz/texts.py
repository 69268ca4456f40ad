"""Texts to try: expressions, pieces of the grammar in any order, damaged finds of the past, and anything at all."""

from __future__ import annotations

from hypothesis import strategies as st

from mathcanon.notation.notations import FORMATS, render
from mathcanon.testing import expressions, texts

from .corpus import TEXTS

PIECES = [
    *"abN+-*/^()[]{}%.,=:~&_ 0123479",
    "**", "N0", "N10", "pi", "π", "x_1", "12", "0.5", ".5", "2.", "40%", "(1/6)", "3(1/2)", "5((1)/(2))", "(4/2)",
    "(1/0)", "^2", "^-1", "^(-2)", "^{3}", "^2.0", "^200%", "^0", "²", "³", "⁻¹", "¹⁰", "^2^3", "** 2", "\t", "\n",
    "\v", "\f", "\u00a0", "\u200b", "\u3000", "×", "÷", "−", "：", "（", "）", "７", "％", "\\frac{", "}{",
    "\\times", "\\left(", "\\right)", "\\cdot", "\\pi", "\\%", "$", "\\", "\x00", "\ud800", "😀", "999999", "3" * 40,
    '{"sum": [["+", ', '{"operand": "a"}', '{"number": "2"}', '{"power": [', "]]}", ", 2]}", '["-", ',
    'n0 [label="", kind=sum, value=""];\n', 'n1 [label="", kind=operand, value="a"];\n', 'n0 -> n1 [label="-"];\n',
]  # fmt: skip

_finds = st.sampled_from([text for text in TEXTS if len(text) < 200])


@st.composite
def _written(draw: st.DrawFn) -> str:
    return render(draw(expressions()), draw(st.sampled_from(FORMATS)))


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    text = draw(st.one_of(_finds, texts(), _written()))
    start = draw(st.integers(0, len(text)))
    stop = draw(st.integers(start, min(len(text), start + 3)))
    return text[:start] + draw(st.sampled_from(["", *PIECES])) + text[stop:]


def any_text() -> st.SearchStrategy[str]:
    pieces = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
    return st.one_of(texts(), pieces, _damaged(), _finds, st.text(max_size=30))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts, often one made from the other: written in another way, or with one thing changed."""
    left = draw(st.one_of(texts("abc", max_leaves=6), _damaged()))
    match draw(st.integers(0, 5)):
        case 0:
            return left, draw(any_text())
        case 1:
            return left, f"({left})*{draw(st.sampled_from(['1', 'b/b', '(a-a+1)', '2/2', 'a^0', '-1']))}"
        case 2:
            return left, f"{draw(st.sampled_from(['0', 'a-a', 'c', '0*c', '1/a-1/a']))}+({left})"
        case 3:
            return left, f"-(-({left}))^{draw(st.sampled_from(['1', '2', '-1', '1^2', '3-2']))}"
        case 4:
            return f"({left})^2", f"({left})*({left})"
    return left, left[::-1].translate(str.maketrans("()[]{}", ")(][}{"))
