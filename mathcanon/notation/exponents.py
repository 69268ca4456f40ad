"""Exponents: constant expressions that are whole numbers, however they are written (`2`, `-1`, `(4/2)`, `200%`).

The readers pass what stands in the exponent; here it is evaluated with short Fractions only, so that a tower
such as `2^9999^9999` is refused before it costs time.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from ..algebra import Algebra
from ..errors import LimitError
from ..expr import check_exponent
from .numerals import NUMBER, read_number

__all__ = ["CONSTANTS", "SUPERSCRIPTS", "as_exponent", "read_exponent"]

MAX_BITS = 4_096

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

_SIGNED_NUMBER = re.compile(rf"-?(?:{NUMBER})", re.ASCII)


def as_exponent(value: Fraction) -> int | None:
    """The value as an exponent, None if it is not a whole number; `LimitError` if it is too large."""
    if value.denominator != 1:
        return None
    check_exponent(value.numerator)
    return value.numerator


@lru_cache(maxsize=4096)
def read_exponent(word: str) -> int | None:
    """The exponent that is written as one number, with or without a minus; None if it is not a whole number.

    >>> read_exponent("-2"), read_exponent("200%"), read_exponent("0.5"), read_exponent("a")
    (-2, 2, None, None)
    """
    if not _SIGNED_NUMBER.fullmatch(word):
        return None
    try:
        value = read_number(word.removeprefix("-"), CONSTANTS)
    except ZeroDivisionError:
        return None
    return as_exponent(-value if word[0] == "-" else value)


def _short(value: Fraction) -> Fraction:
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits > MAX_BITS:
        raise LimitError("the number of bits in an exponent", bits, MAX_BITS)
    return value


def _operand(name: str) -> Fraction:
    raise TypeError(f"{name} is not a constant")


def _sum(terms: list[tuple[int, Fraction]]) -> Fraction:
    total = Fraction(0)
    for sign, value in terms:
        total = _short(total + sign * value)
    return total


def _product(factors: list[tuple[int, Fraction]]) -> Fraction:
    total = Fraction(1)
    for exponent, value in factors:
        total = _short(total * value if exponent > 0 else total / value)
    return total


def _power(base: Fraction, exponent: int) -> Fraction:
    if abs(base) not in (0, 1):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent)
        if bits > 2 * MAX_BITS:  # the bound is at most twice the actual number of bits
            raise LimitError("the number of bits in an exponent", bits, MAX_BITS)
    return _short(base**exponent)


#: Values of constant expressions; a division by zero is a ZeroDivisionError.
CONSTANTS: Algebra[Fraction] = Algebra(
    operand=_operand,
    number=lambda value, text: value,
    sum=_sum,
    product=_product,
    power=_power,
)
