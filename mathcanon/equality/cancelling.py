"""Canonical forms in which opposite terms and equal factors cancel and numbers are folded.

`x-x` and `x/x` disappear, `2+3` becomes 5 and `0*x` becomes 0; nothing is multiplied out.  Equal forms mean equal
functions, provided that no divisor is identically zero.  Unequal forms mean nothing.  The cost is that of a canonical
form, also where polynomials would have too many terms: `(a+b)*(c+d)*...` of hundreds of factors, plus `x-x`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..algebra import Algebra, apply
from ..canonical_form import CANONICAL, NUMBER, SUM, Plain
from ..expr import Expr
from .fingerprints import ZeroDivisor

__all__ = ["equal_after_cancelling"]

_ZERO: Plain = CANONICAL.number(Fraction(0), None)


def equal_after_cancelling(left: Expr | str, right: Expr | str) -> bool:
    """Whether two expressions have the same form after cancelling; both must divide by nothing identically zero.

    >>> equal_after_cancelling("a*(b+c)/a+2", "b+3+d+c-d-1"), equal_after_cancelling("a*(b+c)", "a*b+a*c")
    (True, False)
    """
    one, other = apply(_CANCELLED, left), apply(_CANCELLED, right)
    return bool(one[0] == other[0] and one[1] == other[1])


def _sum(terms: list[tuple[int, Plain]]) -> Plain:
    form: Plain = CANONICAL.sum(terms)
    _, sign, kind, added, subtracted = form
    if not sign:  # its own opposite
        return _ZERO
    if kind != SUM:
        return form
    total = sum([part[3] for part in added if part[2] == NUMBER], Fraction(0))
    total -= sum([part[3] for part in subtracted if part[2] == NUMBER], Fraction(0))
    kept = [(sign * mark, part) for mark, part in _uncancelled(added, subtracted) if part[1]]
    if total or not kept:
        kept.append((sign, CANONICAL.number(total, None)))
    total_form: Plain = CANONICAL.sum(kept)
    return total_form


def _product(factors: list[tuple[int, Plain]]) -> Plain:
    _, sign, _, multiplied, divided = CANONICAL.product(factors)
    if any(part[0] == _ZERO[0] for part in divided):
        raise ZeroDivisor
    if not sign or any(part[0] == _ZERO[0] for part in multiplied):
        return _ZERO
    total = Fraction(1)
    for part in multiplied:
        total = total * part[3] if part[2] == NUMBER else total
    for part in divided:
        total = total / part[3] if part[2] == NUMBER else total
    kept = _uncancelled(multiplied, divided)
    if total != 1 or not any(mark > 0 for mark, _ in kept):
        kept.append((1, CANONICAL.number(total, None)))
    form = CANONICAL.product(kept) if len(kept) > 1 else kept[0][1]
    return (form[0], form[1] and sign, *form[2:])


def _uncancelled(one: list[Plain], other: list[Plain]) -> list[tuple[int, Plain]]:
    """The parts of both sides without their signs, the second side marked -1; no numbers, none on both sides."""
    balance: dict[str, int] = {}
    parts: dict[str, Plain] = {}
    for mark, side in ((1, one), (-1, other)):
        for part in side:
            if part[2] != NUMBER:
                balance[part[0]] = balance.get(part[0], 0) + mark
                parts[part[0]] = (part[0], part[1] and 1, *part[2:])
    return [(1 if count > 0 else -1, parts[identity]) for identity, count in balance.items() for _ in range(abs(count))]


_CANCELLED: Algebra[Any] = Algebra(
    operand=CANONICAL.operand, number=CANONICAL.number, sum=_sum, product=_product, power=CANONICAL.power
)
