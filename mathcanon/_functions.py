"""Hits that are one function of the operands, told before they are decoded.

Where an operand is used twice, or is the constant 1, many classes are one function (`a*1*1`, `a/1*1`, `a+1-1`...), and
most hits repeat each other.  The program that evaluates all classes is run once more at two random points, where
operands of one name have one value: classes that agree at both, up to sign, are one function, but for a chance
of about 2^-60 a pair.  So a hit costs a few array operations, and only the first of each function is decoded.
"""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

from ._program import ADD, OVER_X, TIMES, Program, class_counts

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FunctionTable", "function_table"]

_PRIMES = (2147483647, 2147483629)


class FunctionTable:
    """The residues of all classes on operands with these names, at two random points."""

    def __init__(self, program: Program, names: tuple[str, ...]) -> None:
        import numpy as np

        from ._scan import evaluate_at

        if any(step.is_open for step in program.steps):
            raise ValueError("functions are told apart only where all sets but the whole are evaluated")
        self._x: list[np.ndarray] = []  # for each point: residues of what lies at an address
        self._y: list[np.ndarray] = []  # and of the classes of each step, one step after the other
        lengths = [
            1 if step.mask.bit_count() == 1 else class_counts(step.mask.bit_count()).all for step in program.steps
        ]
        self._first = np.cumsum([0, *lengths])
        for prime in _PRIMES:
            constants = np.array([prime, pow(-prime, -1, 1 << 32), (1 << 32) % prime], np.uint32)
            point = np.array([(_residue(name, prime) << 32) % prime for name in names], np.uint32)
            values = np.zeros(program.memory, np.uint32)
            asked = np.empty(self._first[-1], np.uint32)
            evaluate_at(program.arrays, program.stored, point, constants, values, asked, self._first)
            back = pow(1 << 32, -1, prime)  # out of Montgomery form
            self._x.append(values.astype(np.uint64) * back % prime)
            self._y.append(asked.astype(np.uint64) * back % prime)

    def first_of_each(self, hits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each problem and function its first hit: rows, which of the two signs of a sum it is, and the function.

        The order is that of the hits, so it does not depend on the random points.
        """
        import numpy as np

        sums = np.flatnonzero(hits[:, 2] == ADD)
        rows = np.concatenate([np.arange(len(hits)), sums])
        minus = np.concatenate([np.zeros(len(hits), np.int64), np.ones(len(sums), np.int64)])
        joins, x = hits[rows, 2], hits[rows, 3]
        y = self._first[hits[rows, 4]] + hits[rows, 5]
        keys = np.zeros(len(rows), np.uint64)
        for prime, xs, ys in zip(_PRIMES, self._x, self._y, strict=True):
            value = _joined(xs[x], ys[y], joins, minus, np.uint64(prime))
            keys = keys << np.uint64(31) | np.minimum(value, np.uint64(prime) - value)
        order = np.lexsort((minus, rows, keys, hits[rows, 0]))
        new = np.ones(len(rows), bool)
        sorted_keys, sorted_problems = keys[order], hits[rows[order], 0]
        new[1:] = (sorted_keys[1:] != sorted_keys[:-1]) | (sorted_problems[1:] != sorted_problems[:-1])
        first = order[new]
        first = first[np.lexsort((minus[first], rows[first]))]
        return rows[first], minus[first], keys[first]


def _joined(x: np.ndarray, y: np.ndarray, joins: np.ndarray, minus: np.ndarray, prime: np.uint64) -> np.ndarray:
    import numpy as np

    value = np.where(minus == 1, x + (prime - y), x + y)
    times = joins == TIMES
    value[times] = x[times] * y[times]
    over_x = joins == OVER_X
    value[over_x] = y[over_x] * _inverse(x[over_x], prime) % prime
    x_over = joins > OVER_X
    value[x_over] = x[x_over] * _inverse(y[x_over], prime) % prime
    return value % prime


def _inverse(a: np.ndarray, prime: np.uint64) -> np.ndarray:
    """a^(p-2), by repeated squaring."""
    import numpy as np

    result, power = np.ones_like(a), int(prime) - 2
    while power:
        if power & 1:
            result = result * a % prime
        a = a * a % prime
        power >>= 1
    return result


@lru_cache(maxsize=4096)
def _residue(name: str, prime: int) -> int:
    """A secret random value for a name; the constants 0 and 1 are themselves, `N0^2` is the square of `N0`."""
    base, _, exponent = name.partition("^")
    if name in ("0", "1"):
        return int(name)
    if exponent:
        return pow(_residue(base, prime), int(exponent), prime)
    return secrets.randbelow(prime - 2) + 2


@lru_cache(maxsize=1024)
def function_table(program_size: int, largest: int, names: tuple[str, ...]) -> FunctionTable:
    from ._program import compile_program

    return FunctionTable(compile_program(program_size, largest), names)
