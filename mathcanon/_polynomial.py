"""Expressions as exact ratios of integer polynomials (python-flint), within a stated budget of work.

No common factors are taken out: the numerator of a divisor must keep every factor that may not vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ._fingerprint import ZeroDivisor
from .algebra import Algebra, fold
from .errors import LimitError
from .expr import Expr

__all__ = ["MAX_WORK", "Ratio", "ratios"]

MAX_OPERANDS = 5_000
MAX_WORK = 20_000_000  # products of terms, weighted by the size of coefficients and monomials: a second or two


class Ratio:
    """numerator / denominator, and a bound on the bits of their coefficients."""

    __slots__ = ("bits", "denominator", "numerator")

    def __init__(self, numerator: Any, denominator: Any, bits: int) -> None:
        self.numerator, self.denominator, self.bits = numerator, denominator, bits


def ratios(exprs: Sequence[Expr]) -> tuple[list[Ratio], list[list[Any]], _Budget]:
    """Each expression as a ratio, the numerators of the divisors in each, and what is left of the budget.

    Raises `ZeroDivisor` (with the index of the expression as its argument) where a divisor is identically zero,
    and `LimitError` where the budget does not suffice.
    """
    import flint

    names = sorted({name for expr in exprs for name in expr.operands()})
    if len(names) > MAX_OPERANDS:  # a monomial has an exponent for each
        raise LimitError("the operands of an exact comparison", len(names), MAX_OPERANDS)
    context = flint.fmpz_mpoly_ctx.get(names, flint.Ordering.degrevlex)
    operands = dict(zip(names, context.gens(), strict=True))
    one = context.constant(1)
    budget = _Budget(len(names), context.constant(0))
    divisors: list[Any] = []

    def number(value: Fraction, text: str | None) -> Ratio:
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        return Ratio(context.constant(value.numerator), context.constant(value.denominator), bits)

    def sum(terms: list[tuple[int, Ratio]]) -> Ratio:
        whole = [(sign, item) for sign, item in terms if item.denominator == one]
        bits = max([item.bits for _, item in whole], default=1) + len(whole).bit_length()
        total, below = budget.plus([item.numerator if sign > 0 else -item.numerator for sign, item in whole], bits), one
        for sign, item in terms:
            if item.denominator == one:
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
        above, below, bits = one, one, 1
        for exponent, item in factors:
            up, down = item.numerator, item.denominator
            if exponent < 0:
                divide_by(up)
                up, down = down, up
            bits += item.bits + len(up).bit_length()
            above, below = budget.times(above, up, bits), budget.times(below, down, bits)
        return Ratio(above, below, bits)

    def power(base: Ratio, exponent: int) -> Ratio:
        up, down = base.numerator, base.denominator
        if exponent < 0:
            divide_by(up)
            up, down, exponent = down, up, -exponent
        bits = (base.bits + max(len(up), len(down)).bit_length()) * exponent + 1
        return Ratio(budget.power(up, exponent, bits), budget.power(down, exponent, bits), bits)

    def divide_by(numerator: Any) -> None:
        if numerator == 0:
            raise ZeroDivisor
        divisors.append(numerator)

    algebra = Algebra(
        operand=lambda name: Ratio(operands[name], one, 1), number=number, sum=sum, product=product, power=power
    )
    results: list[Ratio] = []
    divided_by: list[list[Any]] = []
    for i, expr in enumerate(exprs):
        divisors = []
        try:
            results.append(fold(expr, algebra))
        except ZeroDivisor:
            raise ZeroDivisor(i) from None
        divided_by.append(divisors)
    return results, divided_by, budget


class _Budget:
    def __init__(self, operands: int, zero: Any) -> None:
        self.weight = 1 + operands // 8
        self.zero = zero
        self.left = MAX_WORK

    def spend(self, work: int, bits: int) -> None:
        self.left -= work * (self.weight + bits // 256)
        if self.left < 0:
            raise LimitError("the work of the exact comparison", MAX_WORK - self.left, MAX_WORK)

    def plus(self, polynomials: list[Any], bits: int) -> Any:
        """Their sum, added up in pairs, so that many terms are not gone through again for each new one."""
        while len(polynomials) > 1:
            self.spend(sum([len(p) for p in polynomials]), bits)
            paired = [p + q for p, q in zip(polynomials[::2], polynomials[1::2], strict=False)]
            polynomials = paired + polynomials[len(paired) * 2 :]
        return polynomials[0] if polynomials else self.zero

    def times(self, p: Any, q: Any, bits: int) -> Any:
        if q == 1:
            return p
        if p == 1:
            return q
        self.spend(len(p) * len(q), bits)
        return p * q

    def power(self, p: Any, exponent: int, bits: int) -> Any:
        if exponent == 1 or p == 1:
            return p
        terms = 1  # a power of t terms has at most C(t + k - 1, k) terms
        for i in range(1, min(exponent, len(p) - 1) + 1):
            terms = terms * (len(p) + exponent - i) // i
            if terms > MAX_WORK:
                break
        self.spend(terms * len(p), bits)
        return p**exponent
