"""EM with words: the template model of `em.py` and a log-linear model of the text, learnt from answers alone.

The template model of `em.py` says how usual an equation is.  This model also reads the text: the words around a
quantity favour its role ("each" favours a factor), those around two quantities favour the operation that joins them,
and the question favours the last operation.  For an equation t of a problem x with n quantities,

    log P(t | x) = a log P(t | n) + sum over quantities i of U[features of i][role of i in t]
                   + sum over pairs i, j of V[features of i, j][relation of i and j in t]
                   + G[features of x][last operation of t, constants, repeated and omitted quantities]
                   + s flags of the steps of t (negative, not whole...)    - log of the sum over all equations

where the sum over all equations is that over the problem's `word_options.py`.  The weights maximize the probability of
the answers, P(answer | x) = (1 - P(none)) sum over candidates P(t | x) + P(none) P(answer | none), less a penalty on
their squares.  Nothing is fitted to gold.

A model would remember the candidates of the problems that it was trained on, so the problems are divided into parts and
each part is judged by a model of the others.  Problems that are not learnt from are judged by the mean of these models.
P(none) is then estimated from these judgements.  Cost: some seconds per thousand problems; no network is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..errors import DataError
from ..records import CandidateSet, Label, Problem
from ..wording.log_linear import Learner, WordOptions
from ..wording.readings import Array
from ..wording.text_features import NumberedTexts, number_features, text_features
from .decoys import calibrated, decoy_problems, without_equation
from .em import EMOptions, Model
from .labels import make_label, most_likely
from .prior_table import SHIPPED, PriorTable, load_prior
from .word_options import find_options

__all__ = ["Search", "WordOptions", "rank_words", "word_chances"]

Search = Callable[[Sequence[Problem]], Iterable[CandidateSet]]  # problems -> their candidates

_STEPS = 100  # of the estimation of P(none)
_TINY = 1e-300


def rank_words(
    sets: Iterable[CandidateSet],
    problems: Mapping[str, Problem],
    *,
    prior: str | PriorTable | None = SHIPPED,
    options: WordOptions | None = None,
    search: Search | None = None,
) -> Iterator[Label]:
    """Labels by EM over templates and words: which words go with which operation is learned from answers alone.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    prior
        "shipped", "none", a prior table or its path.
    options
        The settings of the model.
    search
        The search that found the candidates.  With it, posteriors are calibrated by wrong answers (`decoys.py`).

    Yields
    ------
    Label
        For each problem with candidates, in order.

    Notes
    -----
    The cost of a round is linear in the number of candidates times their words.

    Examples
    --------
    >>> list(rank_words([], {}))
    []
    """
    given = list(sets)
    chances = word_chances(given, problems, prior=prior, options=options)
    posteriors = [
        (row[:-1] / row.sum()).tolist() if found.candidates else [] for found, row in zip(given, chances, strict=True)
    ]
    picks = [most_likely(row) if row else None for row in posteriors]
    if search is not None:
        equations = {
            one.id: one.candidates[pick].expr for one, pick in zip(given, picks, strict=True) if pick is not None
        }
        lent = list(decoy_problems([problems[found.id] for found in given], equations))
        sets_of_decoys = search([problem for problem, _ in lent])
        decoys = [without_equation(found, expr) for found, (_, expr) in zip(sets_of_decoys, lent, strict=True)]
        judged = word_chances(given, problems, unseen=decoys, prior=prior, options=options)[len(given) :]
        rows = calibrated([row[:-1] for row in chances], [row[:-1] for row in judged])
        posteriors = [row.tolist() for row in rows]
    for found, belief, pick in zip(given, posteriors, picks, strict=True):
        if pick is not None:
            yield make_label(found, belief, ranker="em", pick=pick)


def word_chances(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    *,
    unseen: Sequence[CandidateSet] = (),
    prior: str | PriorTable | None = SHIPPED,
    options: WordOptions | None = None,
) -> list[Array]:
    """As `em.em_chances`, from the texts of `problems` too: P of each candidate, and last that none is right.

    A problem with too many quantities gets what the template model says.  The order of the problems makes no
    difference.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    unseen
        More candidate sets, from which nothing is learnt; also of problems of `sets` with other answers.
    prior
        "shipped", "none", a prior table or its path.
    options
        The settings of the model.

    Returns
    -------
    list of array
        For each problem of `sets` and then of `unseen`, as `em_chances` returns them.
    """
    given = [*sets, *unseen]
    by_id = sorted((i for i, found in enumerate(given) if found.candidates), key=lambda i: given[i].id)
    chances = [np.zeros(1)] * len(given)
    if by_id:
        model = Model(
            [given[i] for i in by_id],
            seen=np.asarray(by_id) < len(sets),
            prior=load_prior(prior) if isinstance(prior, str) else prior,
            unmatched=sum(found.reason == "no-match" for found in sets),
        )
        rows = _rows(model, [given[i] for i in by_id], problems, options or WordOptions())
        for i, row in zip(by_id, rows, strict=True):
            chances[i] = row
    return chances


def _rows(
    model: Model, sets: Sequence[CandidateSet], problems: Mapping[str, Problem], options: WordOptions
) -> Iterator[Array]:
    """The chances of the candidates of each problem, and last of "none"."""
    plain = EMOptions()
    posteriors = model.fit(plain)
    beliefs = model.candidates(posteriors)
    template, kinds = model.chances(posteriors, plain)
    choices = find_options(model, sets, template, template * kinds)
    read = [text_features(_problem_of(found, problems)) for found in sets]
    texts = NumberedTexts(read, number_features(read, model.seen.tolist(), least=options.least))
    answers = model.none.answers(plain.answer_strength)
    seen, usable = model.seen > 0, np.diff(choices.start) > 0
    home = {found.id: p for p, found in enumerate(sets) if seen[p]}
    same = np.array([home.get(found.id, -1) for found in sets])
    nothing = np.array([1 - belief.sum() for belief in beliefs])
    share = model.none.probability(nothing, plain.none_strength)
    logs = _cross_fit(Learner(choices, texts, answers, share), seen, usable, same, options)

    own = np.flatnonzero(choices.own)
    of_problem = np.searchsorted(choices.start, own, side="right") - 1
    reached = np.bincount(of_problem, np.exp(logs[own]), len(sets))
    for _ in range(_STEPS):
        none = share * answers / (share * answers + (1 - share) * reached + _TINY)
        share = model.none.probability(np.where(usable, none, nothing), plain.none_strength)
    for p, (found, belief) in enumerate(zip(sets, beliefs, strict=True)):
        if usable[p]:
            mine = own[np.searchsorted(own, choices.start[p]) : np.searchsorted(own, choices.start[p + 1])]
            chance = np.bincount(choices.candidate[mine], np.exp(logs[mine]), len(found.candidates))
            yield np.append((1 - share) * chance, share * answers[p])
        else:
            yield np.append(belief, max(1 - belief.sum(), 0.0)) * model.evidence[p] + _TINY


def _problem_of(found: CandidateSet, problems: Mapping[str, Problem]) -> Problem:
    """The problem of a candidate set; raises DataError if it has other quantities."""
    problem = problems[found.id]
    here = tuple([quantity.value for quantity in problem.quantities])
    if here != found.values:
        message = f"problem {found.id} was searched with the quantities {', '.join(found.values)}"
        raise DataError(
            f"{message}, the corpus has {', '.join(here)}; read it with the options of the search, or search again"
        )
    return problem


def _cross_fit(learner: Learner, seen: Array, usable: Array, same: Array, options: WordOptions) -> Array:
    """The log-probability of each option, by models that were not trained on its problem.

    `same` has the place of the seen problem with the same text, or -1.
    """
    rng = np.random.default_rng(options.seed)
    part = rng.permutation(len(seen)) % options.parts
    part = np.where(same >= 0, part[same], part)
    logs, mean = np.zeros(len(learner.choices.form)), np.zeros(learner.ends[-1])
    for number in range(options.parts):
        weights = learner.fit(np.flatnonzero(seen & usable & (part != number)), options, rng)
        learner.judge(np.flatnonzero((same >= 0) & usable & (part == number)), weights, logs)
        mean += weights / options.parts
    learner.judge(np.flatnonzero((same < 0) & usable), mean, logs)
    return logs
