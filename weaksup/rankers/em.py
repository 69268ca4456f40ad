"""EM over template frequencies: posteriors of candidates from the candidate sets alone, with neither text nor gold.

The right template of a problem is likely to explain many other problems.  Each round computes the expected count c of
every template from the posteriors, then new posteriors in proportion to P(template), summed over the readings of a
candidate.  Most templates are rare, so P backs off.  N_n is the number of problems with n quantities, M that of all
problems, and k the number of quantities that a template uses.  With `pool` (terms as in `templates.py`):

    P(template | n) = (c + A P(order) P(used | n)) / (N_n + A)                  A = 0.3 M
    P(order | k)    = (c + B P(shape) / ways)      / (N_k + B)                  B = 0.1 M
    P(shape | k)    = (c + C P(kind of shape) / shapes of this kind) / (N_k + C)  C = 0.3 M

Without it, and in the first four rounds, P(template | n) = (c + a P(stage | n) / templates of the stage) / (N_n + a)
with a = 10 in the first four rounds, then 1.  With `kinds`, another factor compares the kinds of a problem's numbers
with those usual for the template; for instance, percentages tend to be multiplied:

    prod over quantities i of P(kind of i | template, i) / P(kind of i)
    where P(kind | template, i) = (c + 10 P(kind | role of i)) / (c_template + 10)

The hyperparameters (0.3, 0.1, 0.3, 10, and 1 as the exponent of the factor) are those that best predict the answers of
held-out problems: `benchmarks/em_strengths.py` chooses them without gold.  `benchmarks/labels_ablation.py` measures
what each idea contributes on real data.  Cost: a few bincounts per round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np

from ..meaning.kinds import KINDS, kind_of
from ..records import CandidateSet, Label
from .labels import make_label
from .readings import MAX_READINGS, Array, Readings, read_candidates
from .templates import Templates, find_templates

__all__ = ["PLAIN", "EMOptions", "em_posteriors", "rank_em"]

_WARM_UP = 4  # rounds with the stage prior alone


class EMOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Switches and hyperparameters; the defaults were chosen by `benchmarks/em_strengths.py`."""

    rounds: int = 16
    pool: bool = True  # back off to order and shape, shared by problems with any number of quantities
    kinds: bool = True  # use the kind of number that each quantity is
    readings: int = MAX_READINGS  # the most per candidate
    template_backoff: float = 0.3  # A, B and C, as a share of the number of problems
    order_backoff: float = 0.1
    shape_backoff: float = 0.3
    kind_backoff: float = 10.0
    kind_weight: float = 1.0


#: EM with template frequencies and stages alone.
PLAIN = EMOptions(rounds=40, pool=False, kinds=False)


def rank_em(sets: Iterable[CandidateSet], *, seed: int = 0, options: EMOptions | None = None) -> Iterator[Label]:
    """Yield a label for each problem with candidates, in order; `seed` is not used, as nothing is random."""
    given = [candidates for candidates in sets if candidates.candidates]
    for candidates, belief in zip(given, em_posteriors(given, options), strict=True):
        yield make_label(candidates, belief.tolist(), ranker="em")


def em_posteriors(
    sets: Sequence[CandidateSet], options: EMOptions | None = None, *, unseen: Sequence[CandidateSet] = ()
) -> list[Array]:
    """The posterior of each candidate of each problem; the order of the problems makes no difference.

    The problems of `unseen` come last; they get posteriors, but nothing is learnt from them.
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
    """The EM model of some problems; with `seen`, it learns from the marked problems only, and judges all."""

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
        """The posterior of each reading after the last round."""
        weights: Array | None = None
        for round_ in range(self.options.rounds):
            warm = round_ < _WARM_UP
            learned = None if weights is None else weights * self.seen[self.place]
            chance = self.chance(learned, warm=warm)
            belief = chance[self.reading.of]
            if self.kinds is not None and learned is not None and not warm:
                belief *= self.kinds(learned, self.reading.counts(learned))
            weights = belief / np.bincount(self.place, belief, self.problems)[self.place]
        assert weights is not None, "there is at least one round"
        return weights

    def chance(self, weights: Array | None, *, warm: bool = False) -> Array:
        """The prior probability of each template, before the kinds of the quantities are considered."""
        counts = np.zeros(self.reading.size) if weights is None else self.reading.counts(weights)
        return self.stage_prior(counts, 10.0) if warm else self.prior(counts, 1.0)


Prior = Callable[[Array, float], Array]  # counts, alpha -> P of each template


def _stage_prior(templates: Templates, by_size: Array) -> Prior:
    """P(template | n), backed off to the stage."""
    stage, n = templates.stage, templates.stage_quantities
    members = stage.counts(np.ones(len(stage.of)))
    problems = by_size[templates.quantities]

    def prior(counts: Array, alpha: float) -> Array:
        heavy = stage.counts(counts) + 0.1
        share = heavy / np.bincount(n, heavy)[n] / members
        return np.asarray((counts + alpha * share[stage.of]) / (problems + alpha))

    return prior


def _pooled_prior(templates: Templates, by_size: Array, options: EMOptions) -> Prior:
    """P(template | n), backed off to order and shape, which problems of all sizes share."""
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
    """The likelihood ratio of the kinds of a problem's quantities: under each reading against overall."""

    def __init__(
        self, sets: Sequence[CandidateSet], readings: Readings, templates: Templates, options: EMOptions
    ) -> None:
        from .em_loops import roles

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
        """P(kind | role), with readings counted by their posteriors."""
        from .em_loops import ROLES

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
