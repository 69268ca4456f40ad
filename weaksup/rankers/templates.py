"""Readings -> templates, and their classification by order, shape, kind of shape and quantities used.

A *template* is a function of N0, N1... in problems with n quantities.  It combines some of the quantities, the *used*
ones.  Its *order* is the same function with the used quantities renumbered from 0, which problems with another n share;
its *shape* ignores which quantity stands where.  The *kind* of a shape says how many quantities are used, how many are
used again, and which constants occur.  Each class is an integer, so an EM round is a few bincounts.
"""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np

from ..wording.readings import NO_LEAF, Array, Readings

__all__ = ["Level", "Templates", "find_templates"]

_POINTS = 20_231  # the seed of the points at which functions are evaluated


class Level(NamedTuple):
    """A classification: the class of each item, and the number of classes."""

    of: Array
    size: int

    def counts(self, weights: Array) -> Array:
        """The total weight of each class."""
        return np.bincount(self.of, weights, self.size)


class Templates(NamedTuple):
    """The templates of some readings."""

    reading: Level  # the template of each reading
    quantities: Array  # n of each template
    used: Level  # which quantities are used, separately for each n
    order: Level
    shape_of_order: Level
    ways: Array  # for each order, the number of orders with the same shape
    kind_of_shape: Level  # number of used quantities, of leaves and of repetitions, and the constants
    used_by_order: Array  # for each order, the number of quantities that it uses
    leaves_by_order: Array  # quantities and constants, each as often as it occurs
    again_by_order: Array  # repetitions of quantities
    constant: Array  # whether the value of a template depends on no quantity, as that of N0/N0
    simplest: Array  # the reading with the fewest leaves of each template


def find_templates(readings: Readings) -> Templates:
    """The templates of all readings; a template is described by its reading with the fewest leaves."""
    n = readings.quantities[readings.place]
    functions = _functions(readings, readings.leaves)
    reading = _level(functions, n)
    times = _times_used(readings.leaves, int(n.max(initial=1)))
    inside = readings.leaves != NO_LEAF
    left_out = n - (times > 0).sum(1)
    again = np.maximum(times - 1, 0).sum(1)
    constants = np.zeros(len(n), np.int64)
    for place in range(len(readings.constants)):
        constants = constants * 16 + (readings.leaves == ~place).sum(1)

    first_leaves = np.zeros(len(n), np.int64)  # breaks ties between readings: N0/N0 before N1/N1
    for column in readings.leaves.T[:10]:
        first_leaves = first_leaves * 64 + np.clip(column + 16, 0, 63)
    complexity = ((inside.sum(1) * 64 + left_out) * 64 + again) * 2**40 + constants
    simplest = np.lexsort((first_leaves, complexity, reading.of))
    first = simplest[np.searchsorted(reading.of[simplest], np.arange(reading.size))]
    from_complex = np.lexsort((first_leaves[first], complexity[first]))[::-1]
    chosen = readings._replace(skeleton=readings.skeleton[first])
    leaves, times = readings.leaves[first], times[first]
    n, again, constants = n[first], again[first], constants[first]

    count = (times > 0).sum(1)
    used = _level(n, ((times > 0) << np.arange(times.shape[1])).sum(1))
    order = _level(_functions(chosen, _numbered_anew(leaves, times)), count)
    # N0/1 and N0 are one order; its shape is that of the simplest template.
    said = np.zeros(order.size, np.int64)
    said[order.of[from_complex]] = from_complex
    hashes, symmetries = _shapes(chosen._replace(skeleton=chosen.skeleton[said]), leaves[said])
    count, leaf_count = count[said], inside[first][said].sum(1)
    shape = _level(hashes, count)
    kind = _level(count, leaf_count, again[said], constants[said])
    factorials = np.array([lgamma(k + 1) for k in range(int(count.max(initial=0)) + 1)])
    return Templates(
        reading=reading,
        quantities=n,
        used=used,
        order=order,
        shape_of_order=shape,
        ways=np.exp(factorials[count] - symmetries),
        kind_of_shape=Level(_by_class(shape, kind.of), kind.size),
        used_by_order=count,
        leaves_by_order=leaf_count,
        again_by_order=again[said],
        # At two points a function has two values, unless it is constant.
        constant=_by_class(reading, (functions >> 31) == (functions & (2**31 - 1))),
        simplest=first,
    )


def _functions(readings: Readings, leaves: Array) -> Array:
    """A number for each reading that is equal for equal functions."""
    from .em_loops import PRIME, fingerprints

    constants = len(readings.constants)
    rng = np.random.default_rng(_POINTS)
    halves = []
    for _ in range(2):
        points = rng.integers(2, PRIME - 1, constants + int(leaves.max(initial=0)) + 1)
        points[:constants] = [c.numerator * pow(c.denominator, -1, PRIME) % PRIME for c in readings.constants]
        halves.append(
            fingerprints(readings.programs, readings.lengths, readings.skeleton, leaves, points, constants, PRIME)
        )
    return np.asarray((halves[0] << 31) | halves[1])


def _shapes(readings: Readings, leaves: Array) -> tuple[Array, Array]:
    from .em_loops import shapes

    hashes, symmetries = np.zeros(len(leaves), np.uint64), np.zeros(len(leaves))
    shapes(readings.programs, readings.lengths, readings.skeleton, leaves, hashes, symmetries)
    return hashes.view(np.int64), symmetries


def _times_used(leaves: Array, quantities: int) -> Array:
    """The number of times that each quantity occurs in each reading."""
    times = np.zeros((len(leaves), quantities), np.int64)
    rows, places = np.nonzero(leaves >= 0)
    np.add.at(times, (rows, leaves[rows, places]), 1)
    return times


def _numbered_anew(leaves: Array, times: Array) -> Array:
    """The leaves with the used quantities renumbered 0, 1, 2... in the order of the text."""
    number = np.cumsum(times > 0, axis=1) - 1
    renamed = leaves.copy()
    rows, places = np.nonzero(leaves >= 0)
    renamed[rows, places] = number[rows, leaves[rows, places]]
    return renamed


def _level(*parts: Array) -> Level:
    """The classes of items that agree in all parts; all parts but the first must be small integers."""
    values, of = np.unique(parts[0], return_inverse=True)
    for part in parts[1:]:
        low = int(part.min(initial=0))
        values, of = np.unique(of.reshape(-1) * (int(part.max(initial=0)) - low + 1) + part - low, return_inverse=True)
    return Level(of.reshape(-1), len(values))


def _by_class(level: Level, values: Array) -> Array:
    """The value of each class, from values that all items of a class share."""
    out = np.zeros(level.size, values.dtype)
    out[level.of] = values
    return out
