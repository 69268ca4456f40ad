"""EM over template frequencies: beliefs over candidates from the candidate sets alone, with neither text nor gold.

The right template of a problem is likely one that explains many problems.  Each round counts every template by the
beliefs of its candidates (c) and believes anew, in proportion to P(template) summed over a candidate's readings.
As most templates are rare, P backs off; N_n is the number of problems with n quantities, M of all, k of quantities
that a template uses.  With `pool` (names as in `templates.py`):

    P(template | n) = (c + A P(order) P(used | n)) / (N_n + A)                  A = 0.5 M
    P(order | k)    = (c + B P(shape) / ways)      / (N_k + B)                  B = 0.15 M
    P(shape | k)    = (c + C P(kind of shape) / shapes of this kind) / (N_k + C)  C = 0.05 M

Without it, and in the first four rounds, P(template | n) = (c + a P(stage | n) / templates of the stage) / (N_n + a)
with a = 10 in the first four rounds, then 1.  Two factors say more about a template in a problem:

    kinds:      prod over quantities i of (P(kind of i | template, i) / P(kind of i)) ^ 0.7
                where P(kind | template, i) = (c + 20 P(kind | role of i)) / (c_template + 20)
    explained:  ((c + 0.5) / (matches + 1)) ^ 0.5

The first knows that percents are multiplied with, and the 0.7 that kinds are not independent.  The second is against
coincidence: a template that matches many problems and is believed in few of them (`N0/(1+1)`) matches by chance.
What each idea brings on real data: `benchmarks/labels_ablation.py`.  Cost: a few bincounts a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np

from ..labels import make_label
from ..records import CandidateSet, Label
from .kinds import KINDS, kind_of
from .readings import MAX_READINGS, Array, Readings, read_candidates
from .templates import Templates, find_templates

__all__ = ["PLAIN", "EMOptions", "em_posteriors", "rank_em"]

_WARM_UP = 4  # rounds with the stage prior alone


class EMOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which ideas take part, and how strong they are; the strengths are meant to stay as they are."""

    rounds: int = 16
    pool: bool = True  # back off to order and shape, over all numbers of quantities
    kinds: bool = True  # what kind of number each quantity is
    explained: bool = True  # how many of its matches a template explains
    readings: int = MAX_READINGS  # of one candidate
    template_backoff: float = 0.5  # A, B and C, as a share of the problems
    order_backoff: float = 0.15
    shape_backoff: float = 0.05
    kind_backoff: float = 20.0
    kind_weight: float = 0.7
    explained_weight: float = 0.5


#: The EM of template frequencies and stages alone.
PLAIN = EMOptions(rounds=40, pool=False, kinds=False, explained=False)


def rank_em(sets: Iterable[CandidateSet], *, seed: int = 0, options: EMOptions | None = None) -> Iterator[Label]:
    """A label for each problem with candidates, in order; `seed` is not used, for nothing is drawn."""
    given = [candidates for candidates in sets if candidates.candidates]
    for candidates, belief in zip(given, em_posteriors(given, options), strict=True):
        yield make_label(candidates, belief.tolist(), ranker="em")


def em_posteriors(sets: Sequence[CandidateSet], options: EMOptions | None = None) -> list[Array]:
    """The belief in each candidate of each problem; the order of the problems makes no difference."""
    by_id = sorted(range(len(sets)), key=lambda i: sets[i].id)
    ordered = [sets[i] for i in by_id if sets[i].candidates]
    beliefs = [np.zeros(0)] * len(sets)
    if ordered:
        found = iter(_run(ordered, options or EMOptions()))
        for i in by_id:
            if sets[i].candidates:
                beliefs[i] = next(found)
    return beliefs


def _run(sets: Sequence[CandidateSet], options: EMOptions) -> list[Array]:
    readings = read_candidates(sets, limit=options.readings)
    templates = find_templates(readings)
    place, problems = readings.place, len(sets)
    by_size = np.bincount(readings.quantities).astype(float)
    stage_prior = _stage_prior(templates, by_size)
    prior = _pooled_prior(templates, by_size, options) if options.pool else stage_prior
    kinds = _kind_factor(sets, readings, templates, options) if options.kinds else None
    matches = templates.reading.counts(np.ones(len(place)))

    weights: Array | None = None  # of the readings: belief in each
    for round_ in range(options.rounds):
        warm = round_ < _WARM_UP
        counts = np.zeros(templates.reading.size) if weights is None else templates.reading.counts(weights)
        chance = stage_prior(counts, 10.0) if warm else prior(counts, 1.0)
        if options.explained and not warm:
            chance *= ((counts + 0.5) / (matches + 1)) ** options.explained_weight
        belief = chance[templates.reading.of]
        if kinds is not None and weights is not None and not warm:
            belief *= kinds(weights, counts)
        weights = belief / np.bincount(place, belief, problems)[place]
    assert weights is not None, "there is a round at least"
    candidates = np.bincount(readings.candidate, weights, len(readings.problem))
    return np.split(candidates, np.cumsum(np.bincount(readings.problem, minlength=problems))[:-1])


Prior = Callable[[Array, float], Array]  # counts, alpha -> P of each template


def _stage_prior(templates: Templates, by_size: Array) -> Prior:
    """P(template | n) that backs off to the stage."""
    stage, n = templates.stage, templates.stage_quantities
    members = stage.counts(np.ones(len(stage.of)))
    problems = by_size[templates.quantities]

    def prior(counts: Array, alpha: float) -> Array:
        heavy = stage.counts(counts) + 0.1
        share = heavy / np.bincount(n, heavy)[n] / members
        return np.asarray((counts + alpha * share[stage.of]) / (problems + alpha))

    return prior


def _pooled_prior(templates: Templates, by_size: Array, options: EMOptions) -> Prior:
    """P(template | n) that backs off to order and shape, which problems of all sizes share."""
    total = by_size.sum()
    a, b, c = (total * share for share in (options.template_backoff, options.order_backoff, options.shape_backoff))
    order, shape, kind, used = templates.order, templates.shape_of_order, templates.kind_of_shape, templates.used
    k, n = templates.used_by_shape, templates.used_by_choice
    kind_k = np.zeros(kind.size, np.int64)
    kind_k[kind.of] = k
    members = kind.counts(np.ones(len(kind.of)))
    problems = by_size[templates.quantities]

    def prior(counts: Array, alpha: float) -> Array:
        orders = order.counts(counts)
        shapes = shape.counts(orders)
        by_k = np.bincount(k, shapes)[k]
        heavy = kind.counts(shapes) + 0.5
        of_kind = heavy / np.bincount(kind_k, heavy)[kind_k] / members
        of_shape = (shapes + c * of_kind[kind.of]) / (by_k + c)
        of_order = (orders + b * of_shape[shape.of] / templates.ways) / (by_k[shape.of] + b)
        chosen = used.counts(counts) + 0.5
        of_used = chosen / np.bincount(n, chosen)[n]
        return np.asarray((counts + a * of_order[order.of] * of_used[used.of]) / (problems + a))

    return prior


def _kind_factor(
    sets: Sequence[CandidateSet], readings: Readings, templates: Templates, options: EMOptions
) -> Callable[[Array, Array], Array]:
    """How much likelier the kinds of a problem's quantities are under each reading than anyhow."""
    from ._scan import ROLES, roles

    width = int(readings.quantities.max())
    role = np.zeros((len(readings.skeleton), width), np.int64)
    roles(readings.programs, readings.lengths, readings.skeleton, readings.leaves, role)
    kind = np.zeros((len(sets), width), np.int64)
    for i, candidates in enumerate(sets):
        kind[i, : len(candidates.values)] = list(map(kind_of, candidates.values, candidates.surfaces))
    there = np.arange(width) < readings.quantities[:, None]
    anyhow = np.bincount(kind[there], minlength=KINDS) / there.sum()

    # One entry for each quantity of each reading.
    reading, quantity = np.nonzero(there[readings.place])
    here = kind[readings.place[reading], quantity]
    in_role = role[reading, quantity] * KINDS + here
    template = templates.reading.of[reading]
    slot_of = (template * width + quantity) * KINDS + here
    slots, slot = np.unique(slot_of, return_inverse=True)
    log_anyhow = np.log(anyhow[here])

    def factor(weights: Array, counts: Array) -> Array:
        spread = weights[reading]
        table = np.bincount(in_role, spread, ROLES * KINDS).reshape(ROLES, KINDS) + 0.5 * anyhow
        by_role = (table / table.sum(1, keepdims=True)).reshape(-1)[in_role]
        counted = np.bincount(slot, spread, len(slots))[slot]
        backoff = options.kind_backoff
        ratio = np.log((counted + backoff * by_role) / (counts[template] + backoff)) - log_anyhow
        return np.asarray(np.exp(options.kind_weight * np.bincount(reading, ratio, len(weights))))

    return factor
