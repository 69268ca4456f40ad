"""Number literals and exponents: text -> exact values."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from .algebra import Algebra
from .errors import LimitError
from .expr import MAX_EXPONENT

__all__ = ["INTEGER", "MAX_DIGITS", "NUMBER", "read_exponent", "read_number"]

MAX_DIGITS = 1_000

#: A number as one token: 12, 0.5, .5, 40%, (1/6), 3(1/2), 5((1)/(2)).
NUMBER = r"\d*\(\s*\d+\s*/\s*\d+\s*\)|\d+\(\(\d+\)/\(\d+\)\)|(?:\d+(?:\.\d*)?|\.\d+)(?:\s*%)?"
INTEGER = r"-?\s*\d+"

_SUPERSCRIPT = {"²": 2, "³": 3}

T = TypeVar("T")


@lru_cache(maxsize=4096)
def _whole(digits: str) -> Fraction:
    return Fraction(int(digits))


def read_number(token: str, algebra: Algebra[T]) -> T:
    if len(token) > MAX_DIGITS:
        raise LimitError("the digits of a number", len(token), MAX_DIGITS)
    if token.isdigit():
        return algebra.number(_whole(token), token)
    if "/" not in token:
        if token[-1] == "%":
            return algebra.number(Fraction(token[:-1].strip()) / 100, token.replace(" ", ""))
        return algebra.number(Fraction(token), token)
    whole, *parts = re.findall(r"\d+", token if token[0] != "(" else "0" + token)
    numerator, denominator = map(int, parts)
    if denominator == 0 or numerator % denominator == 0:
        # Not a fraction anyone writes for a quantity: a division in brackets.
        ratio = algebra.product(
            [(1, algebra.number(Fraction(numerator), None)), (-1, algebra.number(Fraction(denominator), None))]
        )
        return algebra.sum([(1, algebra.number(Fraction(int(whole)), whole)), (1, ratio)]) if int(whole) else ratio
    return algebra.number(int(whole) + Fraction(numerator, denominator), token.replace(" ", ""))


def read_exponent(token: str) -> int:
    """The integer of a token such as `^2`, `**(-3)` or `^2^3`, which is read from the right."""
    if token in _SUPERSCRIPT:
        return _SUPERSCRIPT[token]
    if len(token) > MAX_DIGITS:
        raise LimitError("the digits of an exponent", len(token), MAX_DIGITS)
    tower = [int(found.replace(" ", "")) for found in re.findall(INTEGER, token)]
    exponent = tower.pop()
    for base in reversed(tower):
        if exponent < 0 or (abs(base) > 1 and exponent > MAX_EXPONENT.bit_length()):
            raise LimitError("an exponent of an exponent", exponent, MAX_EXPONENT.bit_length())
        exponent = base**exponent
    if abs(exponent) > MAX_EXPONENT:
        raise LimitError("the exponent", exponent, MAX_EXPONENT)
    return exponent
