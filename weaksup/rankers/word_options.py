"""Among which equations a problem's text decides: its candidates, and rivals, which have the wrong value.

A log-linear model needs a sum over all equations.  The rivals stand for it: the commonest templates for this number of
quantities, and a random sample of the others, whose weight makes up for those that were not drawn.  Without the sample
the model would learn that rare templates are right: a candidate set has many of them, and the common rivals have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..records import CandidateSet
from .em import Model
from .readings import NO_LEAF, Array, Readings

__all__ = ["MOST_QUANTITIES", "Options", "find_options"]

#: Problems with more quantities have no options.
MOST_QUANTITIES = 9

_OWN, _COMMON, _SAMPLED = 30, 100, 100  # the most options of each kind
_SEED = 11


class Options(NamedTuple):
    """The options of all problems, one problem after the other, and the forms that they have."""

    start: Array  # the first option of each problem, and the end
    form: Array  # of each option
    own: Array  # whether it is a candidate
    weight: Array  # logarithm of how many equations it stands for
    flags: Array  # (options, FLAGS)
    candidate: Array  # its number in the candidate set; -1 for a rival
    reading: Array  # of each form
    roles: Array  # (forms, MOST_QUANTITIES): of each quantity
    relations: Array  # (forms, pairs): of each pair of quantities
    root: Array  # of each form
    extras: Array
    prior: Array  # log P(template | n)

    @property
    def of_problems(self) -> tuple[Array, ...]:
        return self.start, self.form, self.own, self.weight, self.flags

    @property
    def forms(self) -> tuple[Array, ...]:
        return self.roles, self.relations, self.root, self.extras, self.prior


def find_options(model: Model, sets: Sequence[CandidateSet], chances: Array, shown: Array) -> Options:
    """The options of the problems of a fitted model; `chances` has P(template | n) of each reading.

    Candidates are the likeliest by `shown`, the chance of each reading including the kinds of numbers.
    """
    readings, template = model.readings, model.templates.reading.of
    common, rare, best = _rivals(model, chances)
    place, candidate = readings.place, readings.candidate
    start = np.searchsorted(place, np.arange(len(sets) + 1))
    first_candidate = np.searchsorted(readings.problem, np.arange(len(sets)))
    rng = np.random.default_rng(_SEED)
    rows: list[Array] = []
    problem: list[Array] = []
    weights: list[Array] = []
    numbers: list[Array] = []
    for p, found in enumerate(sets):
        n = len(found.values)
        if n > MOST_QUANTITIES:
            continue
        here = np.arange(start[p], start[p + 1])
        own = here[model.allowed[here]]
        own = own[np.argsort(-shown[own], kind="stable")[:_OWN]]
        if not len(own):
            continue
        sampled = rng.choice(rare[n], min(_SAMPLED, len(rare[n])), replace=False)
        rivals = np.concatenate([common[n], sampled])
        weight = np.zeros(len(rivals))
        weight[len(common[n]) :] = np.log(max(len(rare[n]) / max(len(sampled), 1), 1.0))
        other = ~np.isin(rivals, template[here])
        rows.append(np.concatenate([own, best[rivals[other]]]))
        problem.append(np.full(len(rows[-1]), p))
        weights.append(np.concatenate([np.zeros(len(own)), weight[other]]))
        numbers.append(np.concatenate([candidate[own] - first_candidate[p], np.full(other.sum(), -1)]))
    reading, of_problem = (_joined(parts, np.int64) for parts in (rows, problem))
    forms, form = np.unique(reading, return_inverse=True)
    own_number = _joined(numbers, np.int64)
    return Options(
        np.searchsorted(of_problem, np.arange(len(sets) + 1)),
        form.reshape(-1),
        own_number >= 0,
        _joined(weights, np.float64),
        _flags(readings, reading, sets, of_problem),
        own_number,
        forms,
        *_describe(readings, forms),
        np.log(np.maximum(chances[forms], 1e-300)),
    )


def _rivals(model: Model, chances: Array) -> tuple[dict[int, Array], dict[int, Array], Array]:
    """The common and the rare templates by number of quantities, and the reading that stands for each template."""
    templates = model.templates
    template = templates.reading.of
    likeliest = np.lexsort((-chances, template))
    best = likeliest[np.searchsorted(template[likeliest], np.arange(templates.reading.size))]
    searched = np.zeros(templates.reading.size, bool)
    searched[template[model.learnt]] = True
    common, rare = {}, {}
    for n in range(1, MOST_QUANTITIES + 1):
        here = np.flatnonzero((templates.quantities == n) & ~templates.constant)
        here = here[np.lexsort((here, -chances[best[here]]))]
        common[n] = here[:_COMMON]
        rare[n] = here[_COMMON:][searched[here[_COMMON:]]]
    return common, rare, best


def _describe(readings: Readings, rows: Array) -> tuple[Array, Array, Array, Array]:
    """Roles, relations, root and extras of some readings."""
    from .em_loops import roles
    from .word_loops import relations

    skeleton, leaves = readings.skeleton[rows], readings.leaves[rows]
    counts = np.minimum(readings.quantities[readings.place[rows]], MOST_QUANTITIES)
    role = np.zeros((len(rows), int(readings.quantities.max(initial=1))), np.int64)
    roles(readings.programs, readings.lengths, skeleton, leaves, role)
    related = np.zeros((len(rows), MOST_QUANTITIES * (MOST_QUANTITIES - 1) // 2), np.int8)
    relations(readings.programs, readings.lengths, skeleton, leaves, counts, related)
    last = readings.programs[skeleton, readings.lengths[skeleton] - 1]
    times = np.stack([(leaves == i).sum(1) for i in range(MOST_QUANTITIES)], axis=1)
    parts = (
        ((leaves < 0) & (leaves != NO_LEAF)).sum(1),
        np.maximum(times - 1, 0).sum(1),
        counts - (times > 0).sum(1),
    )
    constants, again, omitted = (np.clip(part, 0, 2) for part in parts)
    wide = np.zeros((len(rows), MOST_QUANTITIES), np.int8)
    wide[:, : role.shape[1]] = role[:, :MOST_QUANTITIES]
    return wide, related, np.minimum(last, 5).astype(np.int8), (constants * 9 + again * 3 + omitted).astype(np.int8)


def _flags(readings: Readings, rows: Array, sets: Sequence[CandidateSet], problem: Array) -> Array:
    """What is suspect about the steps of each option, with the numbers of its problem."""
    from .word_loops import FLAGS, steps

    numbers = np.zeros((len(sets), MOST_QUANTITIES))
    for p, found in enumerate(sets):
        values = [_float(value) for value in found.values[:MOST_QUANTITIES]]
        numbers[p, : len(values)] = values
    out = np.zeros((len(rows), FLAGS), np.int8)
    constants = np.array([float(constant) for constant in readings.constants])
    with np.errstate(over="ignore", invalid="ignore"):
        skeleton, leaves = readings.skeleton[rows], readings.leaves[rows]
        steps(readings.programs, readings.lengths, skeleton, leaves, constants, numbers[problem], out)
    return out


def _float(value: str) -> float:
    try:
        return float(Fraction(value))
    except OverflowError:
        return 1e300


def _joined(parts: Sequence[Array], kind: type) -> Array:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
