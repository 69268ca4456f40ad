"""Proof of equality by one evaluation, at a point so large that different polynomials have different values there.

Kronecker substitution.  Cross-multiplied, two expressions are equal iff an integer polynomial is zero.  Counting leaves
bounds its degree in each operand and the size of its coefficients; with operand i set to 2^(bits * weight_i), no two
monomials fall together and no coefficient reaches into the next, so the polynomial is zero iff its value is.  The same
goes for the numerator of every divisor.  Plain integers, about as fast as a fingerprint while they stay short.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..algebra import Algebra, apply
from ..expr import Expr, make_operand
from .fingerprints import ZeroDivisor

__all__ = ["MAX_BITS", "far_point", "same_at"]

MAX_BITS = 400_000

Ratio = tuple[Any, Any]  # numerator and denominator: int or fmpz


def far_point(leaves: Iterable[str]) -> dict[str, Ratio] | None:
    """A point that tells expressions with these leaves apart, by identity of the operand; None if it is too large.

    `leaves` are the identities of the leaves of both canonical forms, each at least as often as it is multiplied out.
    """
    degrees: dict[str, int] = {}
    bits = 3
    for leaf in leaves:
        if leaf[0] == "~":
            bits += 4 * len(leaf)  # an identity has a digit or more for each digit of numerator and denominator
        else:
            degrees[leaf] = degrees.get(leaf, 1) + 1
            bits += 1
    from flint import fmpz  # long integers are multiplied many times faster than Python's

    point, one = {}, fmpz(1)
    for leaf, slots in degrees.items():
        point[leaf] = one << bits, one
        bits *= slots
        if bits > MAX_BITS:
            return None
    return point


def same_at(point: dict[str, Ratio], left: Expr | str, right: Expr | str) -> bool:
    """Whether two expressions agree at the point; raises `ZeroDivisor` where a divisor vanishes there."""

    def operand(name: str) -> Ratio:
        return point[make_operand(name)._identity]

    algebra = Algebra(operand=operand, number=_number, sum=_sum, product=_product, power=_power)
    above, below = apply(algebra, left)
    over, under = apply(algebra, right)
    return bool(above * under == over * below)


def _number(value: Fraction, text: str | None) -> Ratio:
    return value.numerator, value.denominator


def _sum(terms: list[tuple[int, Ratio]]) -> Ratio:
    numerator, denominator = 0, 1
    for sign, (above, below) in terms:
        if below != denominator:
            numerator, above = numerator * below, above * denominator
            denominator *= below
        numerator = numerator + above if sign > 0 else numerator - above
    return numerator, denominator


def _product(factors: list[tuple[int, Ratio]]) -> Ratio:
    numerator = denominator = 1
    for exponent, (above, below) in factors:
        if exponent < 0:
            if not above:
                raise ZeroDivisor
            above, below = below, above
        numerator *= above
        denominator *= below
    return numerator, denominator


def _power(base: Ratio, exponent: int) -> Ratio:
    above, below = base
    if exponent < 0:
        if not above:
            raise ZeroDivisor
        above, below, exponent = below, above, -exponent
    return above**exponent, below**exponent
