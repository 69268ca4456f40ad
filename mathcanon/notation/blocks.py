"""What the readers of the skeleton, of JSON and of DOT share: a block of parts, a leaf, an exponent.

Unlike the readers of text that people write, these are given blocks of any number of parts at once.
"""

from __future__ import annotations

import re
from typing import TypeVar

from ..algebra import Algebra, multiplied_first
from ..errors import ParseError
from .exponents import read_exponent
from .numerals import NUMBER, read_number

__all__ = ["LITERAL", "MARK", "MARKS", "NAME", "block_of", "exponent_of", "leaf_of"]

T = TypeVar("T")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LITERAL = re.compile(NUMBER, re.ASCII)
#: The mark of each sign, and the signs that each kind of block may have.
MARK = {"+": 1, "-": -1, "*": 1, "/": -1, "": 1}
MARKS = {"sum": ("+", "-"), "product": ("*", "/"), "power": ("",)}


def block_of(kind: str, parts: list[tuple[int, T]], text: str, place: int, algebra: Algebra[T]) -> T:
    """A sum or product of these parts; one part alone that is added or multiplied is the part itself."""
    if len(parts) == 1 and parts[0][0] > 0:
        return parts[0][1]
    if kind == "sum":
        return algebra.sum(parts)
    if all(mark < 0 for mark, _ in parts):
        raise ParseError("a product of divisors only", text, place, hint="something must be multiplied")
    return algebra.product(list(multiplied_first(parts)))


def exponent_of(word: str, text: str, place: int) -> int:
    """The integer exponent that `word` writes."""
    exponent = read_exponent(word)
    if exponent is None:
        raise ParseError(f"the exponent is not an integer: {word[:60]!r}", text, place)
    return exponent


def leaf_of(word: str, text: str, place: int, algebra: Algebra[T]) -> T:
    """The operand or number that `word` writes."""
    if NAME.fullmatch(word):
        return algebra.operand(word)
    if LITERAL.fullmatch(word):
        return read_number(word, algebra)
    raise ParseError(f"not an operand or number: {word!r}", text, place)
