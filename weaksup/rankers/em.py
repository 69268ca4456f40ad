"""EM over template frequencies: beliefs over candidates from the candidate sets alone, with neither text nor gold.

The right template of a problem is likely one that explains many problems.  Each round counts every template by the
beliefs of its candidates (c) and believes anew, in proportion to P(template) summed over a candidate's readings.
As most templates are rare, P backs off; N_n is the number of problems with n quantities, M of all, k of quantities
that a template uses.  With `pool` (names as in `templates.py`):

    P(template | n) = (c + A P(order) P(used | n)) / (N_n + A)                  A = 0.3 M
    P(order | k)    = (c + B P(shape) / ways)      / (N_k + B)                  B = 0.1 M
    P(shape | k)    = (c + C P(kind of shape) / shapes of this kind) / (N_k + C)  C = 0.3 M

Without it, and in the first four rounds, P(template | n) = (c + a P(stage | n) / templates of the stage) / (N_n + a)
with a = 10 in the first four rounds, then 1.  One factor says more about a template in a problem, such as that percents
are multiplied with:

    prod over quantities i of P(kind of i | template, i) / P(kind of i)
    where P(kind | template, i) = (c + 10 P(kind | role of i)) / (c_template + 10)

The strengths (0.3, 0.1, 0.3, 10, and 1 as the exponent of the factor) are those that foretell the answers of unseen
problems best: `benchmarks/em_strengths.py` chooses them without gold.
What each idea brings on real data: `benchmarks/labels_ablation.py`.  Cost: a few bincounts a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np

from ..kinds import KINDS, kind_of
from ..labels import make_label
from ..records import CandidateSet, Label
from .readings import MAX_READINGS, Array, Readings, read_candidates
from .templates import Templates, find_templates

__all__ = ["PLAIN", "EMOptions", "em_posteriors", "rank_em"]

_WARM_UP = 4  # rounds with the stage prior alone


class EMOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which ideas take part, and how strong they are, as `benchmarks/em_strengths.py` chose on answers."""

    rounds: int = 16
    pool: bool = True  # back off to order and shape, over all numbers of quantities
    kinds: bool = True  # what kind of number each quantity is
    readings: int = MAX_READINGS  # of one candidate
    template_backoff: float = 0.3  # A, B and C, as a share of the problems
    order_backoff: float = 0.1
    shape_backoff: float = 0.3
    kind_backoff: float = 10.0
    kind_weight: float = 1.0


#: The EM of template frequencies and stages alone.
PLAIN = EMOptions(rounds=40, pool=False, kinds=False)


def rank_em(sets: Iterable[CandidateSet], *, seed: int = 0, options: EMOptions | None = None) -> Iterator[Label]:
    """A label for each problem with candidates, in order; `seed` is not used, for nothing is drawn."""
    given = [candidates for candidates in sets if candidates.candidates]
    for candidates, belief in zip(given, em_posteriors(given, options), strict=True):
        yield make_label(candidates, belief.tolist(), ranker="em")


def em_posteriors(
    sets: Sequence[CandidateSet], options: EMOptions | None = None, *, unseen: Sequence[CandidateSet] = ()
) -> list[Array]:
    """The belief in each candidate of each problem; the order of the problems makes no difference.

    Those of `unseen`, which nothing is learnt from, come last.
    """
    given = [*sets, *unseen]
    by_id = sorted((i for i, found in enumerate(given) if found.candidates), key=lambda i: given[i].id)
    beliefs = [np.zeros(0)] * len(given)
    if by_id:
        seen = np.asarray(by_id) < len(sets)
        for i, belief in zip(by_id, _run([given[i] for i in by_id], seen, options or EMOptions()), strict=True):
            beliefs[i] = belief
    return beliefs


def _run(sets: Sequence[CandidateSet], seen: Array, options: EMOptions) -> list[Array]:
    readings = read_candidates(sets, limit=options.readings)
    weights = Model(sets, readings, find_templates(readings), options, seen=seen).fit()
    candidates = np.bincount(readings.candidate, weights, len(readings.problem))
    return np.split(candidates, np.cumsum(np.bincount(readings.problem, minlength=len(sets)))[:-1])


class Model:
    """The EM on some problems; with `seen`, it learns from those only and says what it believes of the others."""

    def __init__(
        self,
        sets: Sequence[CandidateSet],
        readings: Readings,
        templates: Templates,
        options: EMOptions,
        *,
        seen: Array | None = None,
    ) -> None:
        self.options, self.place, self.problems = options, readings.place, len(sets)
        self.reading = templates.reading
        self.seen = np.ones(len(sets)) if seen is None else seen.astype(float)
        by_size = np.bincount(readings.quantities, self.seen)
        self.stage_prior = _stage_prior(templates, by_size)
        self.prior = _pooled_prior(templates, by_size, options) if options.pool else self.stage_prior
        self.kinds = KindFactor(sets, readings, templates, options) if options.kinds else None

    def fit(self) -> Array:
        """The belief in each reading after the last round."""
        weights: Array | None = None
        for round_ in range(self.options.rounds):
            warm = round_ < _WARM_UP
            learned = None if weights is None else weights * self.seen[self.place]
            chance = self.chance(learned, warm=warm)
            belief = chance[self.reading.of]
            if self.kinds is not None and learned is not None and not warm:
                belief *= self.kinds(learned, self.reading.counts(learned))
            weights = belief / np.bincount(self.place, belief, self.problems)[self.place]
        assert weights is not None, "there is a round at least"
        return weights

    def chance(self, weights: Array | None, *, warm: bool = False) -> Array:
        """What each template has before its problem's kinds are looked at."""
        counts = np.zeros(self.reading.size) if weights is None else self.reading.counts(weights)
        return self.stage_prior(counts, 10.0) if warm else self.prior(counts, 1.0)


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


class KindFactor:
    """How much likelier the kinds of a problem's quantities are under each reading than anyhow."""

    def __init__(
        self, sets: Sequence[CandidateSet], readings: Readings, templates: Templates, options: EMOptions
    ) -> None:
        from ._scan import roles

        self.options = options
        width = int(readings.quantities.max())
        self.role = np.zeros((len(readings.skeleton), width), np.int64)  # of each quantity in each reading
        roles(readings.programs, readings.lengths, readings.skeleton, readings.leaves, self.role)
        self.kind = np.zeros((len(sets), width), np.int64)  # of each quantity of each problem
        for i, candidates in enumerate(sets):
            self.kind[i, : len(candidates.values)] = list(map(kind_of, candidates.values, candidates.surfaces))
        there = np.arange(width) < readings.quantities[:, None]
        self.anyhow = np.bincount(self.kind[there], minlength=KINDS) / there.sum()

        # One entry for each quantity of each reading.
        self.reading, quantity = np.nonzero(there[readings.place])
        here = self.kind[readings.place[self.reading], quantity]
        self.in_role = self.role[self.reading, quantity] * KINDS + here
        self.template = templates.reading.of[self.reading]
        slots, self.slot = np.unique((self.template * width + quantity) * KINDS + here, return_inverse=True)
        self.slots = len(slots)
        self.log_anyhow = np.log(self.anyhow[here])

    def by_role(self, weights: Array) -> Array:
        """P(kind | role), for readings that are believed so much."""
        from ._scan import ROLES

        table = np.bincount(self.in_role, weights[self.reading], ROLES * KINDS).reshape(ROLES, KINDS)
        table += 0.5 * self.anyhow
        return np.asarray(table / table.sum(1, keepdims=True))

    def __call__(self, weights: Array, counts: Array) -> Array:
        """The factor of each reading."""
        by_role = self.by_role(weights).reshape(-1)[self.in_role]
        counted = np.bincount(self.slot, weights[self.reading], self.slots)[self.slot]
        backoff = self.options.kind_backoff
        ratio = np.log((counted + backoff * by_role) / (counts[self.template] + backoff)) - self.log_anyhow
        return np.asarray(np.exp(self.options.kind_weight * np.bincount(self.reading, ratio, len(weights))))
