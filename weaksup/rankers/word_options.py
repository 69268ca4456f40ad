"""Among which equations a problem's text decides: its candidates, and rivals, which have the wrong value.

A log-linear model needs a sum over all equations.  The rivals stand for it: the commonest templates for this number of
quantities, and a random sample of the others, whose weight makes up for those that were not drawn.  Without the sample
the model would learn that rare templates are right: a candidate set has many of them, and the common rivals have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..records import CandidateSet
from ..wording.log_linear import MOST_QUANTITIES, Options, describe, flag_steps
from ..wording.readings import Array
from .em import Model

__all__ = ["find_options"]

_OWN, _COMMON, _SAMPLED = 30, 100, 100  # the most options of each kind
_SEED = 11


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
        flag_steps(readings, reading, [found.values for found in sets], of_problem),
        own_number,
        forms,
        *describe(readings, forms),
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


def _joined(parts: Sequence[Array], kind: type) -> Array:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
