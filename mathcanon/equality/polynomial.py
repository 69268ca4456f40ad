"""Expressions as exact ratios of integer polynomials (python-flint), within a stated budget of work.

No common factors are taken out: the numerator of a divisor must keep every factor that may not vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from ..algebra import Algebra, apply
from ..errors import LimitError
from ..expr import Expr
from .fingerprints import ZeroDivisor

__all__ = ["MAX_OPERANDS", "MAX_WORK", "Ratio", "Ratios", "over_rationals", "ratios"]

MAX_OPERANDS = 5_000
MAX_WORK = 5_000_000  # products of terms, weighted by the size of coefficients and monomials: up to half a second


class Ratio:
    """numerator / denominator, and a bound on the bits of the sum of the absolute values of their coefficients."""

    __slots__ = ("bits", "denominator", "numerator")

    def __init__(self, numerator: Any, denominator: Any, bits: int) -> None:
        self.numerator, self.denominator, self.bits = numerator, denominator, bits


class Ratios(NamedTuple):
    """Expressions as ratios of polynomials in x0, x1..., which stand for `names`."""

    ratios: list[Ratio]
    divisors: list[list[Any]]  # for each expression, the numerators of what it divides by
    names: list[str]
    budget: _Budget


def ratios(exprs: Sequence[Expr | str]) -> Ratios:
    """Each expression as a ratio of polynomials.

    Raises `ZeroDivisor` (with the index of the expression as its argument) where a divisor is identically zero,
    and `LimitError` where the budget does not suffice.
    """
    for operands in (8, 64, 512, MAX_OPERANDS):
        try:
            return _ratios(exprs, operands)
        except _MoreOperands:
            continue
    raise LimitError("the operands of an exact comparison", MAX_OPERANDS + 1, MAX_OPERANDS)


class _MoreOperands(Exception):
    """The ring has fewer variables than there are operands."""


@cache
def _ring(operands: int) -> tuple[Any, list[Any], Any, Any]:
    """The ring of polynomials in this many variables: context, variables, zero and one."""
    import flint

    context = flint.fmpz_mpoly_ctx.get([f"x{i}" for i in range(operands)], flint.Ordering.degrevlex)
    return context, list(context.gens()), context.constant(0), context.constant(1)


def over_rationals(polynomial: Any) -> Any:
    """The same polynomial with rational coefficients.

    Its factors are the same, but flint sorts those of an integer polynomial by coefficients read as a C int, and
    fails where they are longer.
    """
    import flint

    context = polynomial.context()
    return flint.fmpq_mpoly_ctx.get(context.names(), context.ordering()).from_dict(polynomial.to_dict())


def _ratios(exprs: Sequence[Expr | str], operands: int) -> Ratios:
    context, variables, zero, one = _ring(operands)
    budget = _Budget(operands, zero, one)
    named: dict[str, Ratio] = {}
    divisors: list[Any] = []

    def operand(name: str) -> Ratio:
        if name not in named:
            if len(named) == len(variables):
                raise _MoreOperands
            named[name] = Ratio(variables[len(named)], one, 0)
        return named[name]

    def number(value: Fraction, text: str | None) -> Ratio:
        bits = (max(abs(value.numerator), value.denominator) - 1).bit_length()
        below = one if value.denominator == 1 else context.constant(value.denominator)
        return Ratio(context.constant(value.numerator), below, bits)

    def sum(terms: list[tuple[int, Ratio]]) -> Ratio:
        whole = [(sign, item) for sign, item in terms if item.denominator is one]
        bits = max([item.bits for _, item in whole], default=0) + len(whole).bit_length()
        total, below = budget.plus([item.numerator if sign > 0 else -item.numerator for sign, item in whole], bits), one
        for sign, item in terms:
            if item.denominator is one:
                continue
            if item.denominator == below:
                total = total + item.numerator if sign > 0 else total - item.numerator
                bits = max(bits, item.bits) + 1
            else:
                bits += item.bits + 1
                total = budget.times(total, item.denominator, bits)
                cross = budget.times(item.numerator, below, bits)
                total = total + cross if sign > 0 else total - cross
                below = budget.times(below, item.denominator, bits)
        return Ratio(total, below, bits)

    def product(factors: list[tuple[int, Ratio]]) -> Ratio:
        above, below, bits = one, one, 0
        for exponent, item in factors:
            up, down = item.numerator, item.denominator
            if exponent < 0:
                divide_by(up)
                up, down = down, up
            bits += item.bits
            above, below = budget.times(above, up, bits), budget.times(below, down, bits)
        return Ratio(above, below, bits)

    def power(base: Ratio, exponent: int) -> Ratio:
        up, down = base.numerator, base.denominator
        if exponent < 0:
            divide_by(up)
            up, down, exponent = down, up, -exponent
        bits = base.bits * exponent
        return Ratio(budget.power(up, exponent, bits), budget.power(down, exponent, bits), bits)

    def divide_by(numerator: Any) -> None:
        if numerator == 0:
            raise ZeroDivisor
        divisors.append(numerator)

    algebra = Algebra(operand=operand, number=number, sum=sum, product=product, power=power)
    results: list[Ratio] = []
    divided_by: list[list[Any]] = []
    for i, expr in enumerate(exprs):
        divisors = []
        try:
            results.append(apply(algebra, expr))
        except ZeroDivisor:
            raise ZeroDivisor(i) from None
        divided_by.append(divisors)
    return Ratios(results, divided_by, list(named), budget)


class _Budget:
    def __init__(self, operands: int, zero: Any, one: Any) -> None:
        self.weight = 1 + operands // 8
        self.zero, self.one = zero, one
        self.left = MAX_WORK

    def spend(self, work: int, bits: int) -> None:
        long_numbers = min(bits * bits >> 17, bits // 8)  # schoolbook multiplication, then fast Fourier transform
        self.left -= work * (self.weight + long_numbers)
        if self.left < 0:
            raise LimitError("the work of the exact comparison", MAX_WORK - self.left, MAX_WORK)

    def plus(self, polynomials: list[Any], bits: int) -> Any:
        """Their sum, added in pairs: adding one by one would copy the growing sum each time."""
        while len(polynomials) > 1:
            self.spend(sum([len(p) for p in polynomials]), bits)
            paired = [p + q for p, q in zip(polynomials[::2], polynomials[1::2], strict=False)]
            polynomials = paired + polynomials[len(paired) * 2 :]
        return polynomials[0] if polynomials else self.zero

    def times(self, p: Any, q: Any, bits: int) -> Any:
        if q is self.one:
            return p
        if p is self.one:
            return q
        self.spend(len(p) * len(q), bits)
        return p * q

    def power(self, p: Any, exponent: int, bits: int) -> Any:
        if exponent == 1 or p is self.one:
            return p
        terms = 1  # a power of t terms has at most C(t + k - 1, k) terms
        for i in range(1, min(exponent, len(p) - 1) + 1):
            terms = terms * (len(p) + exponent - i) // i
            if terms > MAX_WORK:
                break
        self.spend(terms * len(p), bits)
        return p**exponent
