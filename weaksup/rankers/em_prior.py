"""P(template | n): how likely a template is before the answer is known, from counts and from description length.

The counts c are expected counts in the other problems (`em_counts.py`), including those of the prior table.  Most
templates are rare, so each level backs off to a coarser one, as a Dirichlet prior with that level as its mean.  N_n is
the number of problems with n quantities, N_k that of problems whose template uses k of them (terms: `templates.py`):

    P(template | n) = (c + A P(order | k) P(used | n)) / (N_n + A)
    P(order | k)    = (c + B P(shape | k) / ways)      / (N_k + B)
    P(shape | k)    = (c + C ways P(kind | k) / orders(kind)) / (N_k + C)
    P(kind | k)     = (c + K 0.8 0.2^e / kinds with e) / (N_k + K)     e: constants and repeated quantities
    P(used | n)     = (c + U P(k | n) / binomial(n, k)) / (N_n + U)
    P(k | n)        = (c + V 0.8 0.2^(n-k)) / (N_n + V)

Where there are no counts, this is a description length.  Each constant, repeated quantity and omitted quantity costs
log 5, and the logarithm of orders(kind), the number of different expressions of a kind, is the length of the rest.  The
counts of A140606 (`mathcanon.count`) give it: with m leaves, of which a repeat one of k quantities and b are constants,

    orders(kind) = count(m) binomial(k+a-1, a) / (2^a b!)

which is exact for a = 0 if the constants are equal, and an estimate otherwise.
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np

from mathcanon import count

from ..wording.readings import Array
from .em_counts import Tally
from .templates import Templates

__all__ = ["TemplatePrior", "expressions"]

_EXTRA = 0.2  # the chance of one more constant or repeated quantity, and of one more omitted quantity


def expressions(leaves: int, used: int, again: int) -> float:
    """The number of different expressions with so many leaves that use so many quantities, some of them again.

    >>> expressions(2, 2, 0), expressions(3, 3, 0)  # a+b, a*b, a-b, b-a, a/b, b/a
    (6.0, 68.0)
    """
    constants = leaves - used - again
    repeated = comb(used + again - 1, again) if used else 1
    return float(count(leaves) * repeated / (2**again * factorial(constants)))


class TemplatePrior:
    """P(template | n) of each reading."""

    def __init__(self, templates: Templates, place: Array) -> None:
        template = templates.reading.of
        order = templates.order.of[template]
        shape = templates.shape_of_order.of[order]
        n, k = templates.quantities[template], templates.used_by_order[order]
        width = int(n.max(initial=0)) + 1
        self.template, self.order, self.shape = Tally(template, place), Tally(order, place), Tally(shape, place)
        self.kind = Tally(templates.kind_of_shape.of[shape], place)
        self.n, self.k, self.used = Tally(n, place), Tally(k, place), Tally(templates.used.of[template], place)
        self.k_of_n = Tally(n * width + k, place)
        self.ways = templates.ways[order]

        sizes = np.stack([templates.leaves_by_order, templates.used_by_order, templates.again_by_order], axis=1)
        kinds, of_order = np.unique(sizes, axis=0, return_inverse=True)
        self.orders = np.array([expressions(*kind) for kind in kinds.tolist()])[of_order.reshape(-1)[order]]
        extras = templates.leaves_by_order[order] - k
        self.kind_length = (1 - _EXTRA) * _EXTRA**extras * 2 / ((extras + 1) * (extras + 2))
        self.k_length = (1 - _EXTRA) * _EXTRA ** (n - k)
        choices = np.array([[comb(i, j) if j <= i else 1 for j in range(width)] for i in range(width)], float)
        self.choices = choices[n, k]

    def __call__(self, weights: Array, strengths: tuple[float, float, float, float, float, float]) -> Array:
        """The probability of the template of each reading, if readings count by `weights`; A, B, C, K, U and V."""
        a, b, c, k, u, v = strengths
        n_all, k_all = self.n.others(weights), self.k.others(weights)
        kind = (self.kind.others(weights) + k * self.kind_length) / (k_all + k)
        shape = (self.shape.others(weights) + c * self.ways * kind / self.orders) / (k_all + c)
        order = (self.order.others(weights) + b * shape / self.ways) / (k_all + b)
        size = (self.k_of_n.others(weights) + v * self.k_length) / (n_all + v)
        used = (self.used.others(weights) + u * size / self.choices) / (n_all + u)
        return np.asarray((self.template.others(weights) + a * order * used) / (n_all + a))
