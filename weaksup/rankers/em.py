"""EM over template frequencies: posteriors of candidates from the candidate sets alone, with neither text nor gold.

The right template of a problem is likely to explain other problems too.  Each round counts how often every template is
used, by the current posteriors, then computes new ones.  The posterior of a candidate is in proportion to

    P(template | n) times the factor of the kinds of numbers,        summed over the readings of the candidate,

and that of "none of the candidates is right" to P(none) P(answer).  The parts, each a file of its own:

- `em_prior.py`: P(template | n), Dirichlet priors over levels of templates that end in a description length;
- `prior_table.py`: counts of templates in other corpora, which weigh as much as some problems of this one;
- `em_kinds.py`: the kinds of a problem's numbers, for instance, percentages tend to be multiplied;
- `em_answers.py`: P(answer), if it has nothing to do with the candidates, and P(none);
- `em_counts.py`: each problem is judged by the counts of the others, so that nothing confirms itself.

A template that depends on no quantity (N0/N0) explains nothing and is never right.  The posteriors of a problem add up
to 1 - P(none).  The strengths of the priors are those that best predict the answers of held-out problems, over several
corpora: `benchmarks/em_strengths.py` chooses them without gold.  `benchmarks/labels_ablation.py` measures what each
idea contributes.  Cost: some bincounts per round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from ..meaning.kinds import KINDS
from ..records import CandidateSet, Label
from ..wording.readings import MAX_READINGS, ROLES, Array, read_candidates
from .em_answers import NoneRight
from .em_kinds import KindFactor
from .em_prior import TemplatePrior
from .labels import make_label
from .prior_table import SHIPPED, PriorTable, load_prior
from .templates import find_templates

__all__ = ["EMOptions", "Model", "em_chances", "em_posteriors", "rank_em"]


_TINY = 1e-300  # keeps a problem in which nothing is possible from dividing by zero


class EMOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Switches and strengths of the priors; the defaults were chosen by `benchmarks/em_strengths.py`."""

    rounds: int = 16
    kinds: bool = True  # use the kind of number that each quantity is
    none: bool = True  # consider that no candidate may be right
    readings: int = MAX_READINGS  # the most per candidate
    prior_problems: float = 30.0  # how many problems the prior table is worth
    template_strength: float = 300.0  # A, B, C, K, U and V of `em_prior`
    order_strength: float = 100.0
    shape_strength: float = 30.0
    kind_strength: float = 10.0
    used_strength: float = 30.0
    size_strength: float = 0.3
    number_strength: float = 10.0  # D and E of `em_kinds`
    role_strength: float = 10.0
    none_strength: float = 10.0  # of P(none), and of P(answer), in `em_answers`
    answer_strength: float = 100.0

    @property
    def levels(self) -> tuple[float, float, float, float, float, float]:
        """The strengths of the levels of templates, from A to V."""
        templates = (self.template_strength, self.order_strength, self.shape_strength, self.kind_strength)
        return (*templates, self.used_strength, self.size_strength)


def rank_em(
    sets: Iterable[CandidateSet], *, seed: int = 0, prior: str = SHIPPED, options: EMOptions | None = None
) -> Iterator[Label]:
    """Labels by EM over templates, without texts: the templates that best explain the whole corpus.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    seed
        Not used, as nothing is random.
    prior
        "shipped", "none" or the path of a prior table.
    options
        The settings of the model.

    Yields
    ------
    Label
        For each problem with candidates, in order.

    Notes
    -----
    The cost of a round is linear in the number of candidates; a few dozen rounds are enough.

    References
    ----------
    A. P. Dempster, N. M. Laird and D. B. Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, 1977.
    """
    given = list(sets)
    for candidates, belief in zip(given, em_posteriors(given, options, prior=prior), strict=True):
        if candidates.candidates:
            yield make_label(candidates, belief.tolist(), ranker="em")


def em_posteriors(
    sets: Sequence[CandidateSet],
    options: EMOptions | None = None,
    *,
    unseen: Sequence[CandidateSet] = (),
    prior: str | PriorTable | None = SHIPPED,
) -> list[Array]:
    """The posterior of each candidate of each problem; the order of the problems makes no difference.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    options
        The settings of the model.
    unseen
        More candidate sets: they get posteriors, but nothing is learnt from them.
    prior
        "shipped", "none", a prior table or its path.

    Returns
    -------
    list of array
        For each problem of `sets` and then of `unseen`, a number for each candidate.

    Notes
    -----
    As for `rank_em`.
    """
    chances = em_chances(sets, options, unseen=unseen, prior=prior)
    return [row[:-1] / row.sum() if len(row) > 1 else row[:-1] for row in chances]


def em_chances(
    sets: Sequence[CandidateSet],
    options: EMOptions | None = None,
    *,
    unseen: Sequence[CandidateSet] = (),
    prior: str | PriorTable | None = SHIPPED,
) -> list[Array]:
    """As `em_posteriors`, before the answer is known: the probability of each candidate, and last that none is right.

    Parameters
    ----------
    sets, options, unseen, prior
        As for `em_posteriors`.

    Returns
    -------
    list of array
        For each problem a number for each candidate, and one for the case that none is right, which also contains the
        probability of the answer in that case.  So the sum is P(answer), by what the other problems say; it is 0 for a
        problem without candidates.
    """
    given = [*sets, *unseen]
    by_id = sorted((i for i, found in enumerate(given) if found.candidates), key=lambda i: given[i].id)
    chances = [np.zeros(1)] * len(given)
    if by_id:
        chosen = options or EMOptions()
        model = Model(
            [given[i] for i in by_id],
            seen=np.asarray(by_id) < len(sets),
            prior=load_prior(prior) if isinstance(prior, str) else prior,
            unmatched=sum(found.reason == "no-match" for found in sets),
            readings=chosen.readings,
        )
        beliefs = model.candidates(model.fit(chosen))
        for i, belief, answer in zip(by_id, beliefs, model.evidence.tolist(), strict=True):
            chances[i] = np.append(belief, max(1 - belief.sum(), 0.0)) * answer
    return chances


class Model:
    """The EM model of some problems with candidates; `fit` may be called with several options.

    With `seen`, it learns from the marked problems only, and judges all.  `unmatched` is the number of other problems,
    for which the search has found no candidate.  The problems of the table `prior` come after those of `sets`.
    """

    def __init__(
        self,
        sets: Sequence[CandidateSet],
        *,
        seen: Array | None = None,
        prior: PriorTable | None = None,
        unmatched: int = 0,
        readings: int = MAX_READINGS,
    ) -> None:
        self.problems = len(sets)
        self.seen = np.ones(self.problems) if seen is None else seen.astype(float)
        more: list[CandidateSet] = []
        self.shares: Array = np.zeros(0)
        if prior is not None:
            more, self.shares = prior.problems()
        self.roles = np.zeros(ROLES * KINDS) if prior is None else prior.roles()
        self.readings = read_candidates([*sets, *more], limit=readings)
        self.templates = find_templates(self.readings)
        self.place = self.readings.place
        self.own = self.place < self.problems
        self.learnt = np.append(self.seen > 0, np.zeros(len(more), bool))[self.place]
        self.allowed = ~self.templates.constant[self.templates.reading.of]
        self.chance = TemplatePrior(self.templates, self.place)
        self.kinds = KindFactor(sets, self.readings, self.templates, seen=self.seen)
        self.none = NoneRight([found.answer for found in sets], self.seen, unmatched=unmatched)
        self.evidence = np.zeros(self.problems)  # after `fit`: P(answer) of each problem, by what the others say

    def fit(self, options: EMOptions) -> Array:
        """The posterior of each reading after the last round."""
        answers = self.none.answers(options.answer_strength)
        nothing: Array | None = None
        posteriors = np.where(self.own, 0.0, 1.0)
        for _ in range(options.rounds):
            template, kinds = self.chances(posteriors, options)
            belief = np.where(self.allowed, template, 0.0) * kinds
            none = self.none.probability(nothing, options.none_strength) if options.none else 0.0
            belief *= 1 - none
            reached = np.bincount(self.place[self.own], belief[self.own], self.problems)
            self.evidence = reached + none * answers + _TINY
            nothing = none * answers / self.evidence
            posteriors[self.own] = belief[self.own] / self.evidence[self.place[self.own]]
        return posteriors

    def chances(self, posteriors: Array, options: EMOptions) -> tuple[Array, Array]:
        """P(template | n) of each reading, by the other problems, and the factor of the kinds of numbers, if any."""
        counted = posteriors * np.concatenate([self.seen, options.prior_problems * self.shares])[self.place]
        template = self.chance(counted, options.levels)
        if not options.kinds:
            return template, np.ones(len(template))
        known = options.prior_problems * self.roles
        numbers = (options.number_strength, options.role_strength)
        return template, self.kinds(np.where(self.own, counted, 0.0), known, numbers)

    def candidates(self, posteriors: Array) -> list[Array]:
        """The posteriors of the candidates of each problem, from those of readings."""
        problem = self.readings.problem
        own = problem < self.problems
        sums = np.bincount(self.readings.candidate, posteriors, len(problem))[own]
        return np.split(sums, np.cumsum(np.bincount(problem[own], minlength=self.problems))[:-1])
