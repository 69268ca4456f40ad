"""A certificate that enumeration, generating function and brute force agree.

Every binary tree over n operands (all shapes, all orders of the operands, all operators) is put together from two
smaller ones.  The canonical form and the function of a tree depend only on those of its two halves, so trees with the
same form are carried along together with their number; the numbers add up to n! Catalan(n-1) 4^(n-1), which shows that
none was left out.

Nothing here rests on chance.  That functions differ is shown by different values at a random point modulo a prime: an
unlucky point could only make the proof fail.  That functions are equal is shown by equal numerators and denominators
(`_FarPoint`), which are whole polynomials, each written as one integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial
from typing import Any

from .canonical_form import CANONICAL, canonical_form
from .counting import count
from .equality.fingerprints import fingerprint
from .errors import ArgumentError, LimitError
from .space import expressions

__all__ = ["MAX_PROVED", "Check", "Proof", "prove"]

MAX_PROVED = 6  # 31 million trees; n = 7 has 2.7 billion

_OPERATORS = (("sum", 1), ("sum", -1), ("product", 1), ("product", -1))


@dataclass(frozen=True)
class Check:
    """One line of a certificate."""

    claim: str
    holds: bool

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.claim}"


@dataclass(frozen=True)
class Proof:
    """The checks for one n; truthy where all hold."""

    n: int
    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        return all(check.holds for check in self.checks)

    def __str__(self) -> str:
        verdict = "proved" if self else "NOT proved"
        return "\n".join([*map(str, self.checks), f"{verdict} for n = {self.n}"])


_Ratio = tuple[int, int]  # numerator and denominator at the far point


class _FarPoint:
    """Numerator and denominator of a tree over n operands, each used once, as polynomials with integer coefficients.

    Both are of degree 1 at most in each operand, and the absolute values of their coefficients add up to 2^(n-1) at
    most: `a/b + c/d = (a*d + c*b)/(b*d)` at most doubles the product of the two sums.  At the point where the i-th
    operand is B^(2^i), with B = 2^(n+1), each product of operands is a power of B of its own, so the integer has the
    coefficients as its digits in base B, between -B/2 and B/2: different polynomials are different integers.
    """

    def __init__(self, operands: str) -> None:
        base = 2 ** (len(operands) + 1)
        self._at = {name: base ** (2**i) for i, name in enumerate(operands)}

    def operand(self, name: str) -> _Ratio:
        return self._at[name], 1

    def sum(self, left: _Ratio, mark: int, right: _Ratio) -> _Ratio:
        (a, b), (c, d) = left, right
        return a * d + mark * c * b, b * d

    def product(self, left: _Ratio, mark: int, right: _Ratio) -> _Ratio:
        (a, b), (c, d) = left, right
        return (a * c, b * d) if mark > 0 else (a * d, b * c)


def _is_same(left: _Ratio, right: _Ratio) -> bool:
    """Whether numerators and denominators are equal, or both are opposite."""
    return left == right or left == (-right[0], -right[1])


@dataclass(slots=True)
class _Class:
    """All binary trees with one canonical form: the form, numerator and denominator, and the number of trees."""

    form: Any
    ratio: _Ratio
    trees: int


def prove(n: int, *, progress: Callable[[int, int], None] | None = None) -> Proof:
    """Check, for all expressions on n operands, that the canonical form is what it claims to be.

    Parameters
    ----------
    n
        The number of operands, at most 6.
    progress
        Called as `progress(done, total)` with the number of binary trees covered so far.

    Returns
    -------
    Proof
        The claims that were checked; true as a condition if all hold.

    Raises
    ------
    ArgumentError
        If n is not a positive integer.
    LimitError
        If n is above 6.

    Notes
    -----
    Covers all n! Catalan(n-1) 4^(n-1) binary trees; those with the same form are carried along together.

    Examples
    --------
    >>> print(prove(3))
    holds: the enumeration lists 68 expressions, the generating function counts 68
    holds: their values modulo a prime are 68 different ones, so no two are the same function
    holds: 192 binary trees were covered, of 3! * Catalan(2) * 4^2 = 192
    holds: every binary tree has one of the enumerated forms, and every enumerated form is that of some tree
    holds: binary trees with the same form are the same function: equal numerators and denominators
    proved for n = 3
    """
    if not isinstance(n, int) or n < 1:
        raise ArgumentError(f"n must be a positive integer, not {n!r}")
    if n > MAX_PROVED:
        raise LimitError("n", n, MAX_PROVED, hint="the number of binary trees grows too fast")
    operands = "abcdef"[:n]
    enumerated = [canonical_form(expr) for expr in expressions(operands)]
    forms = {(form.identity, form.sign) for form in enumerated}
    expected = count(n)
    values = {fingerprint(expr) for expr in expressions(operands)}
    classes, consistent = _all_trees(operands, progress)
    trees = sum(item.trees for item in classes.values())
    every_tree = factorial(n) * (comb(2 * n - 2, n - 1) // n) * 4 ** (n - 1)
    return Proof(
        n,
        (
            Check(
                f"the enumeration lists {len(enumerated)} expressions, the generating function counts {expected}",
                len(enumerated) == len(forms) == expected,
            ),
            Check(
                f"their values modulo a prime are {len(values)} different ones, so no two are the same function",
                len(values) == len(enumerated),
            ),
            Check(
                f"{trees} binary trees were covered, of {n}! * Catalan({n - 1}) * 4^{n - 1} = {every_tree}",
                trees == every_tree,
            ),
            Check(
                "every binary tree has one of the enumerated forms, and every enumerated form is that of some tree",
                forms == set(classes),
            ),
            Check(
                "binary trees with the same form are the same function: equal numerators and denominators", consistent
            ),
        ),
    )


def _all_trees(
    operands: str, progress: Callable[[int, int], None] | None
) -> tuple[dict[tuple[str, int], _Class], bool]:
    """The binary trees over all operands by canonical form, and whether trees of one form were always one function."""
    point = _FarPoint(operands)
    classes: dict[frozenset[str], dict[tuple[str, int], _Class]] = {}
    consistent = True
    for size in range(1, len(operands) + 1):
        for chosen in combinations(operands, size):
            here: dict[tuple[str, int], _Class] = {}
            if size == 1:
                form = CANONICAL.operand(chosen[0])
                here[form[0], form[1]] = _Class(form, point.operand(chosen[0]), 1)
            done = 0
            for left, right in _halves(chosen, classes):
                consistent &= _combine(left, right, here, point)
                if progress and size == len(operands):
                    done += sum(c.trees for c in left.values()) * sum(c.trees for c in right.values()) * 4
                    progress(done, factorial(size) * (comb(2 * size - 2, size - 1) // size) * 4 ** (size - 1))
            classes[frozenset(chosen)] = here
    return classes[frozenset(operands)], consistent


def _halves(
    chosen: tuple[str, ...], classes: dict[frozenset[str], dict[tuple[str, int], _Class]]
) -> Iterator[tuple[dict[tuple[str, int], _Class], dict[tuple[str, int], _Class]]]:
    """Both halves of every way to split the operands in two, in both orders."""
    whole = frozenset(chosen)
    for size in range(1, len(chosen)):
        for part in combinations(chosen, size):
            left = frozenset(part)
            yield classes[left], classes[whole - left]


def _combine(
    lefts: dict[tuple[str, int], _Class],
    rights: dict[tuple[str, int], _Class],
    here: dict[tuple[str, int], _Class],
    point: _FarPoint,
) -> bool:
    """Add the trees with these halves to `here`; return whether trees of one form are always one function."""
    consistent = True
    for left in lefts.values():
        for right in rights.values():
            for kind, mark in _OPERATORS:
                form = getattr(CANONICAL, kind)([(1, left.form), (mark, right.form)])
                ratio = getattr(point, kind)(left.ratio, mark, right.ratio)
                trees = left.trees * right.trees
                known = here.get((form[0], form[1]))
                if known is None:
                    here[form[0], form[1]] = _Class(form, ratio, trees)
                else:
                    known.trees += trees
                    consistent &= _is_same(known.ratio, ratio)
    return consistent
