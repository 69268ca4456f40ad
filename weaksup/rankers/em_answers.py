"""The case that no candidate is right: how likely it is, and how likely the answer is then.

If none of the candidates is right, they have the value of the answer by chance.  The answer is then like the answers of
other problems, or like any number:

    P(answer) = (how many other problems have this answer + G u(answer)) / (other problems + G)

where u is a universal code of the rationals: log(1/u) is about the number of digits.  P(none) is estimated like any
other frequency, with a prior mean of 0.2; problems for which the search has found nothing count as well.  So a
candidate is believed as far as its template predicts the answer better than chance does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import log

import numpy as np

from ..wording.readings import Array

__all__ = ["USUAL", "NoneRight", "universal"]

#: P(none) before anything is known.
USUAL = 0.2
_SUM = 2.16  # of 1 / ((i + 1) (1 + log(i + 1)^2)) over i = 0, 1, 2...


class NoneRight:
    """P(none), and P(answer | none) of each problem; `seen` says which problems count.

    `unmatched` is the number of other problems, without any candidate.
    """

    def __init__(self, answers: Sequence[str], seen: Array, *, unmatched: int) -> None:
        self.seen, self.unmatched = seen, unmatched
        times: Counter[str] = Counter()
        for answer, weight in zip(answers, seen.tolist(), strict=True):
            times[answer] += weight
        self.others = np.array([times[answer] for answer in answers]) - seen
        self.code = np.array([universal(Fraction(answer)) for answer in answers])

    def answers(self, strength: float) -> Array:
        """P(answer | none) of each problem; `strength` is G."""
        return np.asarray((self.others + strength * self.code) / (self.seen.sum() - self.seen + strength))

    def probability(self, nothing: Array | None, strength: float) -> float:
        """P(none), if `nothing` has the posterior of "none" for each problem; without it, what it usually is."""
        if nothing is None:
            return USUAL
        total = float((nothing * self.seen).sum()) + self.unmatched + strength * USUAL
        return total / (float(self.seen.sum()) + self.unmatched + strength)


def universal(value: Fraction) -> float:
    """A probability for every rational number, larger for those with fewer digits.

    >>> universal(Fraction(7)) > universal(Fraction(70)) > universal(Fraction(7, 3))
    True
    """
    sign = 0.1 if value < 0 else 0.9
    if value.denominator == 1:
        return sign * 0.9 * _whole(abs(value.numerator))
    return sign * 0.1 * _whole(abs(value.numerator)) * _whole(value.denominator)


def _whole(number: int) -> float:
    """A probability for each of 0, 1, 2..., about 1 / (i log^2 i)."""
    if number > 10**300:
        return 10.0**-304
    return 1 / _SUM / ((number + 1) * (1 + log(number + 1) ** 2))
