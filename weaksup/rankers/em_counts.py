"""Expected counts without a problem's own contribution: each problem is judged by what the others say.

The EM counts how often each template is used, by the current posteriors.  If the posterior of a problem were computed
from counts that include this problem, a template that only one problem supports would confirm itself.  A `Tally` counts
the readings of each class and leaves out, for each reading, those of the same problem.  (With Dirichlet priors, as in
`em_prior.py`, this is the collapsed variational method known as CVB0.)
"""

from __future__ import annotations

import numpy as np

from ..wording.readings import Array

__all__ = ["Tally"]


class Tally:
    """A classification of readings, `of`, whose counts leave out the problem of the reading, its `place`."""

    def __init__(self, of: Array, place: Array) -> None:
        self.of = of
        self.size = int(of.max(initial=-1)) + 1
        pairs, self.own = np.unique(place * max(self.size, 1) + of, return_inverse=True)
        self.pairs = len(pairs)

    def others(self, weights: Array) -> Array:
        """For each reading, the total weight of its class in other problems."""
        return np.asarray(np.maximum(self.all(weights) - self.mine(weights), 0.0))  # rounding may leave -1e-17

    def all(self, weights: Array) -> Array:
        """For each reading, the total weight of its class."""
        return np.asarray(np.bincount(self.of, weights, self.size)[self.of])

    def mine(self, weights: Array) -> Array:
        """For each reading, the total weight of its class in its own problem."""
        return np.asarray(np.bincount(self.own, weights, self.pairs)[self.own])
