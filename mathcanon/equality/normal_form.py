"""One text for each rational function, the same for all ways of writing it.

An expression becomes a ratio of integer polynomials (`polynomial`), the greatest common divisor is taken out with its
content, and the last term of the denominator is made positive.  Such a numerator and denominator are unique, because
integer polynomials factor in one way only.  Their terms are then written with the names of the operands, sorted, so
that the text does not depend on the order in which operands were met.  Operands that cancel do not occur in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import LimitError
from ..expr import ExprLike, as_expr
from .polynomial import ratios

__all__ = ["MAX_GCD_WORK", "normal_form"]

MAX_GCD_WORK = 50_000  # at most a second
_WORK_OF_A_TERM = 20  # the cost of writing a term, in products of terms


def normal_form(expr: ExprLike) -> str:
    """The sorted terms of numerator and denominator in lowest terms; numbers are hexadecimal.

    Raises `ZeroDivisor` where a divisor is identically zero, and `LimitError` where the polynomials are too large.

    >>> normal_form("(b+a)/(10*b)"), normal_form("(a^2-b^2)/(20*b*(a-b))*2")
    ('1 a^1,1 b^1/a b^1', '1 a^1,1 b^1/a b^1')
    """
    (ratio,), _, names, budget = ratios((expr if isinstance(expr, str) else as_expr(expr),))
    above, below = ratio.numerator, ratio.denominator
    if not below.is_one():
        _check_work(above, below, ratio.bits)
        common = above.gcd(below)
        if not common.is_one():
            above, below = above // common, below // common
    budget.spend(_WORK_OF_A_TERM * (len(above) + len(below)), ratio.bits)
    order = sorted(range(len(names)), key=names.__getitem__)
    over, under = _terms(above, names, order), _terms(below, names, order)
    if under[max(under)] < 0:
        over = {monomial: -coefficient for monomial, coefficient in over.items()}
        under = {monomial: -coefficient for monomial, coefficient in under.items()}
    return f"{_text(over)}/{_text(under)}"


def _terms(polynomial: Any, names: Sequence[str], order: Sequence[int]) -> dict[str, int]:
    """The coefficient of each monomial, which is written with its operands sorted."""
    return {
        "".join([f" {names[i]}^{exponents[i]}" for i in order if exponents[i]]): int(coefficient)
        for exponents, coefficient in polynomial.to_dict().items()
    }


def _text(terms: dict[str, int]) -> str:
    return ",".join([f"{terms[monomial]:x}{monomial}" for monomial in sorted(terms)])


def _check_work(above: Any, below: Any, bits: int) -> None:
    """Refuse a greatest common divisor that would take long: flint can't be interrupted.

    Measured on sparse and dense polynomials in one to sixty operands; a unit is up to 20 microseconds.
    """
    if len(above) < 2 or len(below) < 2:
        return
    degree = max(*above.degrees(), *below.degrees())
    work = (degree * degree + len(above) + len(below)) * (1 + bits // 64)
    if work > MAX_GCD_WORK:
        raise LimitError("the work of taking out common factors", work, MAX_GCD_WORK)
