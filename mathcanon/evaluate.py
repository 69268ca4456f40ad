"""Values of expressions: exact Fractions.

Every division is checked on the way: `b/(c/(z-z))` has no value anywhere, although cross-multiplying would say 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .algebra import Algebra
from .errors import EvaluationError, LimitError
from .expr import Expr, Number
from .parse import apply, parse_number

__all__ = ["MAX_BITS", "as_fraction", "evaluate"]

MAX_BITS = 4_000_000


def evaluate(expr: Expr | str, values: Mapping[str, Any] | None = None) -> Fraction:
    """The exact value of `expr` where each operand has the given value.

    Values are int, Fraction, Decimal, text such as "40%" or "(1/6)", or float (taken as it prints: 0.1 is 1/10).
    Raises `EvaluationError` where the expression divides by zero or an operand has no value.

    >>> evaluate("a*(1-b)", {"a": 30, "b": "1/5"})
    Fraction(24, 1)
    """
    points = {name: as_fraction(value) for name, value in (values or {}).items()}

    def operand(name: str) -> Fraction:
        try:
            return points[name]
        except KeyError:
            hint = ": it is irrational, give an approximation such as pi='3.14'" if name == "pi" else ""
            raise EvaluationError(f"no value for {name}{hint}") from None

    algebra = Algebra(operand=operand, number=_number, sum=_sum, product=_product, power=_power)
    return apply(algebra, expr)


def as_fraction(value: Any) -> Fraction:
    """An exact number from int, Fraction, Decimal, float (as it prints), Number or text.

    >>> as_fraction("40%"), as_fraction(0.1)
    (Fraction(2, 5), Fraction(1, 10))
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise TypeError(f"not a number: {value!r}")
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, str):
        return parse_number(value)
    if isinstance(value, Number):
        return value.value
    try:
        return Fraction(value) if isinstance(value, Decimal) else Fraction(repr(float(value)))
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"not an exact number: {value!r}") from None


def _number(value: Fraction, text: str | None) -> Fraction:
    return value


def _sum(terms: list[tuple[int, Fraction]]) -> Fraction:
    total = Fraction(0)
    for sign, value in terms:
        total = total + value if sign > 0 else total - value
    return total


def _product(factors: list[tuple[int, Fraction]]) -> Fraction:
    above, below = Fraction(1), Fraction(1)
    for exponent, value in factors:
        if exponent > 0:
            above *= value
        elif not value:
            raise EvaluationError("division by zero")
        else:
            below *= value
    return above / below


def _power(base: Fraction, exponent: int) -> Fraction:
    if exponent < 0 and not base:
        raise EvaluationError("division by zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent)
    if bits > MAX_BITS and base not in (0, 1, -1):
        raise LimitError("the number of bits of a power", bits, MAX_BITS)
    return base**exponent
