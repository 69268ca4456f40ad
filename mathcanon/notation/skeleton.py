"""The paper's skeleton, such as `ab&c`: a level adds, the next one multiplies, and so on.

One block alone in brackets is the block itself, so doubled brackets keep the kind of level.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ..algebra import Algebra, fold
from ..canonical_form import canonical
from ..errors import LimitError, ParseError
from ..expr import MAX_DEPTH, Expr
from .blocks import block_of, exponent_of, leaf_of
from .numerals import number_text

__all__ = ["read_skeleton", "skeleton_text"]

T = TypeVar("T")

_TOKEN = re.compile(r"[A-Za-z]|\[[^\[\]]*\]|\^-?[0-9]++(?!\s*\^)|[()&]|\S")


def read_skeleton(text: str, algebra: Algebra[T]) -> T:
    """The paper's `ab&c`: left of `&` what is added (or multiplied), right what is subtracted (or divided).

    The outermost level adds, each pair of brackets switches between adding and multiplying; a leaf that is not
    a single letter stands in square brackets, as in `[N0][3.14]&b`.
    """
    frames: list[tuple[list[tuple[int, T]], int]] = []
    parts: list[tuple[int, T]] = []
    mark = 1
    for found in _TOKEN.finditer(text):
        token, place = found[0], found.start()
        if token == "(":
            frames.append((parts, mark))
            if len(frames) > MAX_DEPTH:
                raise LimitError("the depth of brackets", len(frames), MAX_DEPTH)
            parts, mark = [], 1
        elif token == ")" and frames:
            value = _close(parts, len(frames), text, place, algebra)
            parts, mark = frames.pop()
            parts.append((mark, value))
        elif token == "&" and mark > 0:
            mark = -1
        elif token[0] == "^" and len(token) > 1 and parts:
            exponent = exponent_of(token[1:], text, place)
            parts[-1] = (parts[-1][0], algebra.power(parts[-1][1], exponent))
        elif token[0] == "[" and len(token) > 1:
            parts.append((mark, leaf_of(token[1:-1], text, place, algebra)))
        elif token.isalpha() and token.isascii():
            parts.append((mark, algebra.operand(token)))
        else:
            raise ParseError(f"unexpected {token!r} in a skeleton", text, place)
    if frames:
        raise ParseError("'(' is never closed", text, len(text), hint="add ')'")
    return _close(parts, 0, text, len(text), algebra)


def _close(parts: list[tuple[int, T]], level: int, text: str, place: int, algebra: Algebra[T]) -> T:
    if not parts:
        raise ParseError("empty brackets" if level else "there is no expression", text, place)
    return block_of("product" if level % 2 else "sum", parts, text, place, algebra)


def skeleton_text(expr: Expr) -> str:
    """The skeleton of the canonical form of an expression, such as `ab&c`."""
    text, kind = fold(canonical(expr), _SKELETON)
    return f"({text})" if kind == "product" else text


def _write_leaf(text: str) -> tuple[str, str]:
    return (text if len(text) == 1 and text.isalpha() else f"[{text}]"), "leaf"


def _write_level(here: str) -> Callable[[list[tuple[int, tuple[str, str]]]], tuple[str, str]]:
    def level(parts: list[tuple[int, tuple[str, str]]]) -> tuple[str, str]:
        sides = [
            "".join([_in_level(here, text, kind) for mark, (text, kind) in parts if mark == side]) for side in (1, -1)
        ]
        return "&".join(sides) if sides[1] else sides[0], here

    return level


def _in_level(here: str, text: str, kind: str) -> str:
    """A block of kind sum, product, leaf, or a power that was written for a level of sums."""
    if kind == "leaf":
        return text
    return f"(({text}))" if kind == here else f"({text})"


def _write_power(base: tuple[str, str], exponent: int) -> tuple[str, str]:
    text, kind = base
    # A power is written as a product of one block, so that the level it stands in does not matter.
    return f"{_in_level('product', text, kind)}^{exponent}", "product"


_SKELETON: Algebra[tuple[str, str]] = Algebra(
    operand=_write_leaf,
    number=lambda value, text: _write_leaf(number_text(value)),
    sum=_write_level("sum"),
    product=_write_level("product"),
    power=_write_power,
)
