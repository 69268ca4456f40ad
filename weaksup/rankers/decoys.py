"""Posteriors that were checked against wrong answers: how often does a candidate of this chance come about by accident?

A model of the text believes what it has learnt, and where it understands little it believes in false matches firmly.
Nobody has marked which labels are right.  But it can be seen how a problem looks whose candidates are all wrong: give
it a wrong answer, a *decoy*, and search again.  Mass spectrometry judges its matches in this way (Elias and Gygi 2007,
"Target-decoy search strategy").  Here:

1. The decoy of a problem is the value of another problem's equation on its numbers, of the same sign, and whole if the
   answer is.  So it has to do with the numbers as the answer has, and false matches are as frequent.  The borrowed
   equation itself is taken out of the candidates that the search finds for the decoy: what is left is wrong.
2. Let real(c) and false(c) be how many candidates of chance c a problem has, with its answer and with its decoy.  With
   the answer there are as many false ones, and the right one: real(c) = false(c) + P(right one has chance c).
3. A candidate of chance c is therefore right with odds r(c) = real(c) / false(c) - 1, against being false.  The
   posterior of a candidate is r / (1 - P(found) + the sum of r over the candidates of its problem), where P(found) is
   the sum of real - false: how often the right one is found at all.

real / false is estimated in bins of equally many candidates, made to grow with c, and interpolated.  Nothing is fitted
to gold, and no label changes.  Some false matches resemble the right equation;
decoys have fewer of these, so they count as right ones, and the posteriors are rather too low than too high.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from mathcanon import MathCanonError, evaluate

from ..meaning.operand_names import by_name
from ..meaning.value_level import expression_function
from ..records import CandidateSet, Problem
from ..wording.readings import Array

__all__ = ["calibrated", "decoy_problems", "rising", "without_equation"]

_MOST = 3000  # decoys
_TRIES = 40  # equations tried for the decoy of one problem
_BINS = 40
_LEAST = 1e-4  # no odds are lower
_FOUND = 0.98  # the most that P(found) is believed to be


def decoy_problems(
    problems: Sequence[Problem], equations: Mapping[str, str], *, seed: int = 0
) -> Iterator[tuple[Problem, str]]:
    """Yield some of the problems with a wrong answer in place of theirs, each with the equation that has this value.

    `equations` has the equation, over N0, N1..., that each problem is believed to have, by its id.  The decoy of a
    problem is the value of another one's, of a problem with as many printed and implied quantities.
    """
    rng = np.random.default_rng(seed)
    alike: dict[tuple[int, int], list[str]] = {}
    for problem in sorted(problems, key=lambda problem: problem.id):
        if problem.id in equations:
            alike.setdefault(_size(problem), []).append(equations[problem.id])
    order = sorted((problem for problem in problems if _size(problem) in alike), key=lambda problem: problem.id)
    for i in rng.permutation(len(order))[:_MOST].tolist():
        problem = order[i]
        values = [quantity.exact for quantity in problem.quantities]
        lent = alike[_size(problem)]
        for number in rng.integers(len(lent), size=_TRIES).tolist():
            value = _value(lent[number], values)
            if value is not None and value != problem.exact_answer and _kind(value) == _kind(problem.exact_answer):
                yield msgspec.structs.replace(problem, answer=str(value)), lent[number]
                break


def _size(problem: Problem) -> tuple[int, int]:
    return len(problem.quantities), problem.printed


def _kind(value: Fraction) -> tuple[bool, bool]:
    return value.denominator == 1, value > 0


def _value(expr: str, values: Sequence[Fraction]) -> Fraction | None:
    try:
        return evaluate(expr, by_name(values))
    except (MathCanonError, ZeroDivisionError):
        return None


def without_equation(found: CandidateSet, expr: str) -> CandidateSet:
    """The candidates of a decoy that do not mean the same as the equation it comes from.

    >>> from weaksup.records import Candidate
    >>> made = [Candidate(expr=text, stage="all", value="6") for text in ("N1*N0", "N0+N1+1")]
    >>> found = CandidateSet(id="1", values=("2", "3"), surfaces=("2", "3"), answer="6", candidates=tuple(made))
    >>> [candidate.expr for candidate in without_equation(found, "N0*N1").candidates]
    ['N0+N1+1']
    """
    values = [Fraction(value) for value in found.values]
    same = expression_function(expr, values)
    kept = [one for one in found.candidates if expression_function(one.expr, values) != same]
    return msgspec.structs.replace(found, candidates=tuple(kept))


def calibrated(chances: Sequence[Array], decoys: Sequence[Array]) -> list[Array]:
    """The posteriors of the candidates of problems, by the chances of these candidates and of those of decoys.

    Each row has the chances of one problem or decoy; those for which the search has found nothing count as well.
    """
    real, false = (np.log(np.concatenate([np.zeros(0), *(row[row > 0] for row in rows)])) for rows in (chances, decoys))
    if not len(real) or not decoys:
        return [np.zeros(len(row)) for row in chances]
    edges = np.unique(np.quantile(real, np.linspace(0, 1, _BINS + 1)))[1:-1]
    bin_of = np.searchsorted(edges, real, side="right")
    number = np.bincount(bin_of, minlength=len(edges) + 1)
    per_problem = number / len(chances)
    per_decoy = np.bincount(np.searchsorted(edges, false, side="right"), minlength=len(number)) / len(decoys)
    ratio = rising(per_problem / (per_decoy + 0.5 / len(decoys)), per_decoy + 1e-9)
    odds = np.maximum(ratio - 1, _LEAST)
    found = min(float((odds * per_decoy).sum()), _FOUND)
    filled = number > 0
    middle = np.bincount(bin_of, real)[filled] / number[filled]
    posteriors = []
    for row in chances:
        with np.errstate(divide="ignore"):
            mine = np.exp(np.interp(np.log(row), middle, np.log(odds[filled])))
        mine = np.where(row > 0, mine, 0.0)
        posteriors.append(mine / (mine.sum() + 1 - found))
    return posteriors


def rising(values: Array, weights: Array) -> Array:
    """The rising sequence nearest to `values` by weighted squares (pool adjacent violators).

    >>> rising(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight and length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, w, m), (other, v, n) = pools[-2:]
            pools[-2:] = [((one * w + other * v) / (w + v), w + v, m + n)]
    return np.repeat([mean for mean, _, _ in pools], [length for _, _, length in pools])
