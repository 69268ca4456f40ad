"""Values of expressions: exact Fractions, of a bounded number of bits.

Every division is checked: `b/(c/(z-z))` has no value anywhere, although cross-multiplying would say 0.
The bits of every intermediate value are predicted before it is computed, so that no text takes long to evaluate:
operations on numbers of `MAX_BITS` bits take some 10 ms, and a text of 1 KB has room for a few dozen of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .algebra import Algebra, apply
from .errors import EvaluationError, LimitError
from .expr import ExprLike, Number, as_expr

__all__ = ["MAX_BITS", "as_fraction", "evaluate", "power_of", "product_of", "sum_of"]

MAX_BITS = 100_000


def evaluate(expr: ExprLike, values: Mapping[str, Any] | None = None) -> Fraction:
    """The exact value of `expr` where each operand has the given value.

    Parameters
    ----------
    expr
        An expression or text.
    values
        For each operand an int, Fraction, Decimal, text such as "40%" or "(1/6)", or float (taken as it prints: 0.1 is
        1/10).

    Returns
    -------
    Fraction
        The value, in lowest terms.

    Raises
    ------
    EvaluationError
        If the expression divides by zero or an operand has no value.
    LimitError
        If an intermediate numerator or denominator may have more than 100,000 bits.

    Notes
    -----
    One exact operation for each node, so the cost is linear in the size of the tree times that of the numbers.

    Examples
    --------
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

    algebra = Algebra(operand=operand, number=_number, sum=sum_of, product=product_of, power=power_of)
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
        return evaluate(as_expr(value))
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Decimal):
        _check_bits(4 * abs(value.adjusted()) if value else 0)
    try:
        return Fraction(value) if isinstance(value, Decimal) else Fraction(repr(float(value)))
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"not an exact number: {value!r}") from None


def _number(value: Fraction, text: str | None) -> Fraction:
    return value


def sum_of(terms: list[tuple[int, Fraction]]) -> Fraction:
    """The sum of values with their signs."""
    (sign, value), *others = terms
    total = value if sign > 0 else -value
    for sign, value in others:
        (above, below), (over, under) = _bits(total), _bits(value)
        _check_bits(max(above + under, over + below, below + under))
        total = total + value if sign > 0 else total - value
    return total


def product_of(factors: list[tuple[int, Fraction]]) -> Fraction:
    """The product of values with exponents 1 and -1."""
    (exponent, value), *others = factors
    total = power_of(value, exponent)
    for exponent, value in others:
        if exponent < 0 and not value:
            raise EvaluationError("division by zero")
        (above, below), (over, under) = _bits(total), _bits(value)
        _check_bits(max(above + over, below + under) if exponent > 0 else max(above + under, below + over))
        total = total * value if exponent > 0 else total / value
    return total


def power_of(base: Fraction, exponent: int) -> Fraction:
    """A value to an integer exponent."""
    if exponent == 1:
        return base
    if exponent < 0 and not base:
        raise EvaluationError("division by zero")
    if base not in (0, 1, -1):
        _check_bits(max(_bits(base)) * abs(exponent))
    return base**exponent


def _bits(value: Fraction) -> tuple[int, int]:
    return value.numerator.bit_length(), value.denominator.bit_length()


def _check_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise LimitError("the number of bits of an exact value", bits, MAX_BITS)
