"""Number literals: text -> exact values, and exact values -> text."""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from ..algebra import Algebra
from ..errors import LimitError

__all__ = ["MAX_DIGITS", "NUMBER", "VULGAR", "decimal_text", "integer_text", "number_text", "read_number", "value_text"]

MAX_DIGITS = 1_000
_MAX_SHOWN_BITS = 3_322  # about 1,000 digits
_MAX_PLACES = 30  # after the point; longer decimals are written as fractions

#: Fractions that are one character.
VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip

_DECIMAL = r"(?:(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\w))?(?:\s*%)?"
#: A number as one token: 12, 0.5, .5, 1,000, 1e3, 40%, (1/6), 3(1/2), 5((1)/(2)), 3½.
NUMBER = (
    r"\d*\(\s*\d+\s*/\s*\d+\s*\)|\d+\(\s*\(\s*\d+\s*\)\s*/\s*\(\s*\d+\s*\)\s*\)"
    rf"|\d*[{''.join(VULGAR)}]|{_DECIMAL}"
)

T = TypeVar("T")


@lru_cache(maxsize=4096)
def _whole(digits: str) -> Fraction:
    return Fraction(int(digits))


def read_number(token: str, algebra: Algebra[T]) -> T:
    if len(token) > MAX_DIGITS:
        raise LimitError("the digits of a number", len(token), MAX_DIGITS)
    if token.isdigit():
        return algebra.number(_whole(token), token)
    if token[-1] in VULGAR:
        token = f"{token[:-1]}({VULGAR[token[-1]]})"
    if "/" not in token:
        token = "".join(token.split()).replace(",", "")
        value = Fraction(token[:-1]) / 100 if token[-1] == "%" else Fraction(token)
        return algebra.number(value, None if "e" in token or "E" in token else token)
    whole, *parts = re.findall(r"\d+", token if token[0] != "(" else "0" + token)
    numerator, denominator = map(int, parts)
    if denominator == 0 or numerator % denominator == 0:
        # Not the usual way to write a fraction as a quantity: a division in brackets.
        ratio = algebra.product(
            [(1, algebra.number(Fraction(numerator), None)), (-1, algebra.number(Fraction(denominator), None))]
        )
        return algebra.sum([(1, algebra.number(Fraction(int(whole)), whole)), (1, ratio)]) if int(whole) else ratio
    return algebra.number(int(whole) + Fraction(numerator, denominator), "".join(token.split()))


def number_text(value: Fraction) -> str:
    """A number as the grammar reads it: `12`, `0.5`, or `(1/6)` where decimals do not end.

    >>> number_text(Fraction(5, 2)), number_text(Fraction(1, 6))
    ('2.5', '(1/6)')
    """
    if value < 0:
        return "-" + number_text(-value)
    if value.denominator == 1:
        return integer_text(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0 and twos <= _MAX_PLACES:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0 and fives <= _MAX_PLACES:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest > 1 or places > _MAX_PLACES:
        return f"({integer_text(value.numerator)}/{integer_text(value.denominator)})"
    whole, part = divmod(value.numerator * 10**places // value.denominator, 10**places)
    return f"{integer_text(whole)}.{part:0{places}}"


def decimal_text(value: Fraction) -> str:
    """Six significant digits of a value of any size, for reading.

    >>> decimal_text(Fraction(22, 7)), decimal_text(-Fraction(10) ** 4000 / 3)
    ('3.14286', '-3.33333e+3999')
    """
    above, below = (max(0, part.bit_length() - 128) for part in (value.numerator, value.denominator))
    with localcontext(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN) as context:
        # The leading 128 bits: Decimal takes quadratic time for a long integer.
        ratio = Decimal(value.numerator >> above) / Decimal(value.denominator >> below)
        exact = ratio * Decimal(2) ** (above - below)
        context.prec = 6
        rounded = exact.normalize()
        return f"{rounded:f}" if -5 < rounded.adjusted() < 6 else f"{rounded:e}"


def value_text(value: Fraction) -> str:
    """A value for reading: exact and without brackets, or six significant digits if it has more than 1,000.

    >>> value_text(Fraction(-2, 3)), value_text(Fraction(10) ** 4000)
    ('-2/3', '1e+4000')
    """
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_SHOWN_BITS:
        return decimal_text(value)
    return number_text(value).replace("(", "").replace(")", "")


def integer_text(value: int) -> str:
    """The digits of an integer of any length."""
    # str() refuses integers of more than 4,300 digits; Decimal does not.
    return str(value) if value.bit_length() < 14_000 else f"{Decimal(value):f}"
