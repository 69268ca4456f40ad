"""Values at a secret random point modulo a secret random prime: they tell different functions apart in microseconds.

A value is a pair (numerator, denominator), so that no inverse is taken on the way; a division by something that is
zero at the point is reported, because it is almost surely a division by something identically zero.  Different
values prove different functions.  Equal values of different functions happen with probability of at most
degree / 2**60 a pair (Schwartz-Zippel), and nobody can craft them: prime and points are drawn afresh in each
process and never shown.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, lru_cache

from ..algebra import Algebra, apply
from ..errors import MathCanonError
from ..expr import ExprLike

__all__ = ["BITS", "Residue", "ZeroDivisor", "fingerprint", "fingerprint_algebra", "residue_at", "same_value"]

BITS = 60  # the prime is above 2**BITS

Residue = tuple[int, int]


class ZeroDivisor(MathCanonError):
    """A divisor vanishes at the secret point."""

    def __str__(self) -> str:
        return "the expression divides by zero wherever it is evaluated"


@cache
def _prime() -> int:
    while True:
        candidate = (1 << BITS) + secrets.randbits(BITS) | 1
        if _is_prime(candidate):
            return candidate


def _is_prime(n: int) -> bool:
    """Miller-Rabin with the bases that are known to suffice below 2**64."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if any(n % base == 0 for base in bases):
        return n in bases
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in bases:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@cache
def _secret() -> bytes:
    return secrets.token_bytes(32)


@lru_cache(maxsize=65_536)
def _operand(name: str) -> Residue:
    digest = hashlib.blake2b(name.encode(), key=_secret(), digest_size=16).digest()
    return int.from_bytes(digest) % (_prime() - 1) + 1, 1


def fingerprint(expr: ExprLike) -> int:
    """The value at a secret point modulo a secret prime: equal functions have equal fingerprints in one process.

    Those of different functions are equal with probability at most degree / 2^60.  Raises `ZeroDivisor`, a
    `MathCanonError`, where a divisor vanishes.

    >>> fingerprint("a*b+a*c") == fingerprint("a*(b+c)")
    True
    """
    numerator, denominator = apply(fingerprint_algebra(), expr)
    return numerator * pow(denominator, -1, _prime()) % _prime()


def residue_at(point: Mapping[str, Fraction], expr: ExprLike) -> Residue:
    """The value modulo the prime at a given point; raises `ZeroDivisor` as `fingerprint` does."""
    return apply(_residues(lambda name: _residue(point[name])), expr)


def same_value(left: Residue, right: Residue) -> bool:
    """Whether two ratios are equal modulo the prime."""
    return (left[0] * right[1] - right[0] * left[1]) % _prime() == 0


@cache
def fingerprint_algebra() -> Algebra[Residue]:
    """Values at the secret point modulo the prime, as numerator and denominator."""
    return _residues(_operand)


def _residue(value: Fraction) -> Residue:
    denominator = value.denominator % _prime()
    if not denominator:
        raise ZeroDivisor
    return value.numerator % _prime(), denominator


def _residues(operand: Callable[[str], Residue]) -> Algebra[Residue]:
    prime = _prime()

    def number(value: Fraction, text: str | None) -> Residue:
        return _residue(value)

    def sum(terms: list[tuple[int, Residue]]) -> Residue:
        numerator, denominator = 0, 1
        for sign, (above, below) in terms:
            if below == denominator:
                numerator = numerator + above if sign > 0 else numerator - above
            else:
                cross = above * denominator
                numerator = (numerator * below + (cross if sign > 0 else -cross)) % prime
                denominator = denominator * below % prime
        return numerator % prime, denominator

    def product(factors: list[tuple[int, Residue]]) -> Residue:
        numerator = denominator = 1
        for exponent, (above, below) in factors:
            if exponent < 0:
                if not above:
                    raise ZeroDivisor
                above, below = below, above
            numerator = numerator * above % prime
            denominator = denominator * below % prime
        return numerator, denominator

    def power(base: Residue, exponent: int) -> Residue:
        above, below = base
        if exponent < 0:
            if not above:
                raise ZeroDivisor
            above, below, exponent = below, above, -exponent
        return pow(above, exponent, prime), pow(below, exponent, prime)

    return Algebra(operand=operand, number=number, sum=sum, product=product, power=power)
