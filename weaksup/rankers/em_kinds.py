"""The kinds of a problem's numbers as evidence: percentages tend to be multiplied, small whole numbers to be left out.

The factor of a reading compares the kinds of a problem's quantities with those usual for its template,

    product over quantities i of P(kind of i | template, i) / P(kind of i)
    P(kind | template, i) = (c + D P(kind | role of i)) / (c_template + D)
    P(kind | role)        = (c + E P(kind))             / (c_role + E)

where c are counts in other problems, and those of the prior table for P(kind | role).  Roles are listed in
`readings.py`, kinds in `weaksup.meaning.kinds`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..meaning.kinds import KINDS, kind_of
from ..records import CandidateSet
from ..wording.readings import Array, Readings
from .em_counts import Tally
from .templates import Templates

__all__ = ["KindFactor"]


class KindFactor:
    """The factor of each reading of `sets`; the readings of other problems (the prior table) have none.

    `seen` says how much each of these problems counts.
    """

    def __init__(
        self,
        sets: Sequence[CandidateSet],
        readings: Readings,
        templates: Templates,
        *,
        seen: Array,
    ) -> None:
        from ..wording.equation_loops import roles

        width = int(readings.quantities.max())
        role = np.zeros((len(readings.skeleton), width), np.int64)  # of each quantity in each reading
        roles(readings.programs, readings.lengths, readings.skeleton, readings.leaves, role)
        kind = np.zeros((len(readings.quantities), width), np.int64)  # of each quantity of each problem
        for i, candidates in enumerate(sets):
            kind[i, : len(candidates.values)] = list(map(kind_of, candidates.values, candidates.surfaces))
        there = np.arange(width) < readings.quantities[:, None]
        there[len(sets) :] = False
        counted = np.bincount(kind[there], np.repeat(seen, there[: len(sets)].sum(1)), KINDS) + 0.5
        anyhow = counted / counted.sum()

        # One entry for each quantity of each reading.
        self.reading, quantity = np.nonzero(there[readings.place])
        place = readings.place[self.reading]
        here = kind[place, quantity]
        mine = role[self.reading, quantity]
        template = templates.reading.of[self.reading]
        self.role, self.cell = mine, mine * KINDS + here
        self.in_role, self.in_cell = Tally(mine, place), Tally(self.cell, place)
        slot = template * width + quantity
        self.in_slot = Tally(slot, place)
        self.alike = Tally(np.unique(slot * KINDS + here, return_inverse=True)[1].reshape(-1), place)
        self.anyhow = anyhow[here]

    def __call__(self, weights: Array, known: Array, strengths: tuple[float, float]) -> Array:
        """The factor of each reading, if readings count by `weights`; D and E.

        `known` has counts by role and kind from elsewhere.
        """
        d, e = strengths
        entry = weights[self.reading]
        in_cell = self.in_cell.others(entry) + known[self.cell]
        in_role = self.in_role.others(entry) + known.reshape(-1, KINDS).sum(1)[self.role]
        role = (in_cell + e * self.anyhow) / (in_role + e)
        kind = (self.alike.others(entry) + d * role) / (self.in_slot.others(entry) + d)
        return np.asarray(np.exp(np.bincount(self.reading, np.log(kind / self.anyhow), len(weights))))
