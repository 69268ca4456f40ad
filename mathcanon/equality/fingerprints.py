"""Values at a secret random point modulo a secret random prime: they tell different functions apart in microseconds.

A value is a pair (numerator, denominator), so that no inverse is taken on the way; a division by something that is
zero at the point is reported, because it is almost surely a division by something identically zero.  Different
values prove different functions.  Equal values of different functions happen with probability of at most
degree / 2**60 a pair (Schwartz-Zippel), and nobody can craft them: prime and points are drawn afresh in each
process and never shown, or come from a secret that the processes of one owner share.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import count

from ..algebra import Algebra, apply
from ..compiled import core
from ..errors import ArgumentError, MathCanonError
from ..expr import ExprLike

__all__ = ["BITS", "Residue", "ZeroDivisor", "fingerprint", "fingerprint_algebra", "residue_at", "same_value"]

BITS = 60  # the prime is above 2**BITS

Residue = tuple[int, int]


class ZeroDivisor(MathCanonError):
    """A divisor vanishes at the secret point."""

    def __str__(self) -> str:
        return "the expression divides by zero wherever it is evaluated"


class _Point(dict[str, int]):
    """The point and the prime that a secret stands for; the values of operands are computed when they are met."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        candidates = (self._number(f"prime {i}") for i in count())
        self.prime = next(prime for half in candidates if _is_prime(prime := (1 << BITS) + half % (1 << BITS) | 1))
        self.algebra = _residues(lambda name: (self[name], 1), self.prime)

    def __missing__(self, name: str) -> int:
        if len(self) >= _MAX_KEPT:
            self.clear()
        value = self[name] = self._number(f"operand {name}") % (self.prime - 1) + 1
        return value

    def _number(self, what: str) -> int:
        return int.from_bytes(hashlib.blake2b(what.encode(), key=self.secret, digest_size=16).digest())


_MAX_KEPT = 65_536


@lru_cache(maxsize=16)
def _point(secret: bytes | str | None) -> _Point:
    """The point of a secret; without one, that of this process."""
    if secret is None:
        return _Point(secrets.token_bytes(32))
    given = secret.encode() if isinstance(secret, str) else secret
    if len(given) < 16:
        raise ArgumentError(
            f"a secret has 16 characters or more, not {len(given)}: who can guess it can craft collisions"
        )
    return _Point(hashlib.blake2b(given, digest_size=32).digest())


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


def fingerprint(expr: ExprLike, *, secret: bytes | str | None = None) -> int:
    """The value at a secret point modulo a secret prime: equal functions have equal fingerprints in one process.

    Parameters
    ----------
    expr
        An expression or text.
    secret
        At least 16 characters.  With the same secret, fingerprints are equal in all processes and on all machines, so
        that expressions can be spread over them by fingerprint.

    Returns
    -------
    int
        The value modulo the prime, below 2^61.

    Raises
    ------
    ZeroDivisor
        A `MathCanonError`: a divisor vanishes at the point.
    ArgumentError
        If the secret is too short.

    Notes
    -----
    Fingerprints of different functions are equal with probability at most degree / 2^60, for all who do not know the
    secret (Schwartz-Zippel lemma).

    Examples
    --------
    >>> fingerprint("a*b+a*c") == fingerprint("a*(b+c)")
    True
    >>> fingerprint("a+a", secret="shared by the cluster") == fingerprint("2*a", secret=b"shared by the cluster")
    True
    """
    point = _point(secret)
    prime = point.prime
    if core is not None and isinstance(expr, str):
        value: int | None = core.residue(expr, prime, point)
        if value is not None:
            if value < 0:
                raise ZeroDivisor
            return value
    numerator, denominator = apply(point.algebra, expr)
    return numerator * pow(denominator, -1, prime) % prime


def residue_at(point: Mapping[str, Fraction], expr: ExprLike) -> Residue:
    """The value modulo the prime at a given point; raises `ZeroDivisor` as `fingerprint` does."""
    prime = _point(None).prime
    return apply(_residues(lambda name: _residue(point[name], prime), prime), expr)


def same_value(left: Residue, right: Residue) -> bool:
    """Whether two ratios are equal modulo the prime."""
    return (left[0] * right[1] - right[0] * left[1]) % _point(None).prime == 0


def fingerprint_algebra() -> Algebra[Residue]:
    """Values at the secret point of this process modulo its prime, as numerator and denominator."""
    return _point(None).algebra


def _residue(value: Fraction, prime: int) -> Residue:
    denominator = value.denominator % prime
    if not denominator:
        raise ZeroDivisor
    return value.numerator % prime, denominator


def _residues(operand: Callable[[str], Residue], prime: int) -> Algebra[Residue]:
    def number(value: Fraction, text: str | None) -> Residue:
        return _residue(value, prime)

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
