"""Numbers and names as arrays: computed once for each number, then picked by index for any number of problems.

A table of numbers holds their residues modulo a prime, their floats, and numerators and denominators, for use by the
compiled loops.  A name has a secret random residue for each of two primes, the same in all searches of a process, so
that two expressions over names are one function if they agree there, with an error probability of about 2^-60.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import log2
from typing import TYPE_CHECKING

from ..errors import LimitError
from .program import INT64

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MAX_BITS_NEAR", "NAME_PRIMES", "Numbers", "as_table", "montgomery", "name_residues"]

NAME_PRIMES = (2147483647, 2147483629)
MAX_BITS_NEAR = 100  # of a number in a search in floats, so that products of eight stay finite


class Numbers:
    """Exact numbers, each with an index."""

    def __init__(self, values: Sequence[Fraction]) -> None:
        import numpy as np

        self.values = values
        self._heights = heights = [max(abs(x.numerator), x.denominator) for x in values]
        self.bits = np.array([log2(height) for height in heights])
        pairs = [
            (x.numerator, x.denominator) if height < INT64 else (0, 0)
            for x, height in zip(values, heights, strict=True)
        ]
        self.pairs = np.array(pairs, np.int64).reshape(-1, 2)  # numerators and denominators; 0 where too large
        self.heights = np.exp2(np.minimum(self.bits, 1000))  # the larger of numerator and denominator, as floats
        self._modulo: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def modulo(self, prime: int) -> tuple[np.ndarray, np.ndarray]:
        """Residues in Montgomery form, and whether they are usable: finite, and zero only for the number 0."""
        import numpy as np

        if prime not in self._modulo:
            good = [x.denominator % prime != 0 and (x.numerator % prime != 0 or x == 0) for x in self.values]
            residues = [_residue(x, prime) if fine else 0 for x, fine in zip(self.values, good, strict=True)]
            self._modulo[prime] = np.array(residues, np.uint32), np.array(good, bool)
        return self._modulo[prime]

    @cached_property
    def floats(self) -> np.ndarray:
        """The numbers as floats, such that products of eight stay finite; NaN for those that are too large."""
        import numpy as np

        return np.array(
            [
                float(x) if height.bit_length() <= MAX_BITS_NEAR else np.nan
                for x, height in zip(self.values, self._heights, strict=True)
            ]
        )

    def too_large(self, indices: Iterable[int]) -> LimitError:
        """The error for a problem with these numbers, of which at least one has no float."""
        most = max([self._heights[i].bit_length() for i in indices])
        what = "the bits of a number in a search with a tolerance"
        return LimitError(what, most, MAX_BITS_NEAR, hint="leave out the tolerance")


def as_table(rows: Iterable[Sequence[Fraction]]) -> tuple[Numbers, list[list[int]]]:
    """The distinct numbers of some rows, and each row as indices into them.

    >>> as_table([[Fraction(3), Fraction(5)], [Fraction(5)]])[1]
    [[0, 1], [1]]
    """
    indices: dict[tuple[int, int], int] = {}  # by numerator and denominator, as Fractions are slow to hash
    values: list[Fraction] = []
    table = []
    for row in rows:
        line = []
        for x in row:
            index = indices.setdefault((x.numerator, x.denominator), len(values))
            if index == len(values):
                values.append(x)
            line.append(index)
        table.append(line)
    return Numbers(values), table


def montgomery(prime: int) -> np.ndarray:
    """What the compiled loops need to know about a prime: itself, -1/p modulo 2^32, and 1 in Montgomery form."""
    import numpy as np

    return np.array([prime, pow(-prime, -1, 1 << 32), (1 << 32) % prime], np.uint32)


def _residue(value: Fraction, prime: int) -> int:
    """Value modulo the prime, in Montgomery form."""
    if value.denominator == 1:
        return (value.numerator << 32) % prime
    return (value.numerator << 32) * pow(value.denominator, -1, prime) % prime


@cache
def _secret() -> bytes:
    return secrets.token_bytes(32)


@lru_cache(maxsize=65_536)
def name_residues(name: str) -> tuple[int, ...]:
    """A secret random residue of a name for each prime, in Montgomery form.

    "0" and "1" are the constants, "N0^2" is the square of "N0".
    """
    return tuple([(_name_residue(name, prime) << 32) % prime for prime in NAME_PRIMES])


def _name_residue(name: str, prime: int) -> int:
    base, _, exponent = name.partition("^")
    if base in ("0", "1"):
        return int(base)
    digest = hashlib.blake2b(f"{prime} {base}".encode(), key=_secret(), digest_size=16).digest()
    return pow(int.from_bytes(digest) % (prime - 2) + 2, int(exponent or 1), prime)
