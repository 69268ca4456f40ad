"""The divisors of one side only: where one of them is zero, that side has no value and the other may have one.

Both sides become ratios of polynomials (`polynomial`), together with all their divisors.  The divisors are
factored, and the irreducible factors that occur on one side only are listed.  flint can't be interrupted, so the work
of factoring is predicted, from degrees, terms and bits of coefficients, before it begins.
"""

from __future__ import annotations

from typing import Any

from ..algebra import substituted
from ..canonical_form import canonical
from ..errors import LimitError
from ..expr import Expr, Operand
from ..notation.notations import parse
from .polynomial import over_rationals, ratios

__all__ = ["MAX_WORK", "one_sided_divisors"]

MAX_WORK = 20_000  # a fifth of a second: a polynomial of degree 140, or many small ones


def one_sided_divisors(left: Expr | str, right: Expr | str) -> tuple[Expr, ...]:
    """The irreducible polynomials that one side divides by and the other does not, the shortest first.

    Raises `LimitError` where that would be too much work.

    >>> one_sided_divisors("(a^2-b^2)/(a-b)/c", "(a+b)/c")
    (Expr('a-b'),)
    """
    _, (left_divisors, right_divisors), names, _ = ratios((left, right))
    _check(sum([len(divisor) for divisor in (*left_divisors, *right_divisors)]))
    one, other = _distinct(left_divisors), _distinct(right_divisors)
    if one.keys() == other.keys():
        return ()
    _check(sum([_work_to_factor(divisor) for divisor in (one | other).values()]))
    one_sided = _irreducible(one) ^ _irreducible(other)
    named = {f"x{i}": Operand(name) for i, name in enumerate(names)}
    with_names = [canonical(substituted(parse(text), named.__getitem__)) for text in one_sided]
    return tuple(sorted(with_names, key=lambda divisor: (divisor.size, divisor)))


def _check(work: int) -> None:
    if work > MAX_WORK:
        raise LimitError("the work of factoring the divisors", work, MAX_WORK)


def _distinct(polynomials: list[Any]) -> dict[str, Any]:
    """Each polynomial once, up to its sign, by its text (flint's can't be hashed)."""
    return {str(polynomial): polynomial for polynomial in map(_with_fixed_sign, polynomials)}


def _work_to_factor(polynomial: Any) -> int:
    """In units of at most 10 microseconds, measured on sparse and dense polynomials in one to eight variables."""
    degrees = polynomial.degrees()
    bits = max([abs(coefficient).bit_length() for coefficient in polynomial.coeffs()])
    return int(sum(degrees) ** 2 * (1 + bits // 256) + len(polynomial) * (1 + len(degrees) // 64))


def _irreducible(polynomials: dict[str, Any]) -> set[str]:
    """The irreducible factors of these polynomials, as text."""
    factored = [over_rationals(polynomial).factor()[1] for polynomial in polynomials.values()]
    return set(_distinct([factor for factors in factored for factor, _ in factors]))


def _with_fixed_sign(polynomial: Any) -> Any:
    return -polynomial if polynomial.leading_coefficient() < 0 else polynomial
