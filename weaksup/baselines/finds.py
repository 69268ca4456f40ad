"""The equations with the right value that a baseline found for each problem, and the labels made from them.

A problem is labelled with the equation that was found most often, or that is most likely.  Expressions of the same
function count as one equation, and the shortest of them is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..meaning.value_level import Function, expression_function
from ..rankers.labels import make_label
from ..records import Candidate, CandidateSet, Label, Problem
from ..solvers.data.trees import expression_of

__all__ = ["Finds", "finds_of", "labels_of"]

#: By problem id: prefix sequence (tokens separated by spaces) -> how often it was found, or its relative probability.
Finds = dict[str, dict[str, float]]


def labels_of(
    problems: Sequence[Problem], finds: Mapping[str, Mapping[str, float]], *, baseline: str
) -> Iterator[Label]:
    """Yield a label for each problem with finds, in order; its posterior is the equation's share of the finds."""
    for problem in problems:
        if given := finds.get(problem.id):
            yield _label(problem, given, baseline)


def finds_of(problems: Sequence[Problem], labels: Iterable[Label]) -> Iterator[CandidateSet]:
    """Yield the finds of each labelled problem as a candidate set: the label and the runners-up that it keeps."""
    by_id = {problem.id: problem for problem in problems}
    for label in labels:
        exprs = [label.expr, *[other.expr for other in label.others]]
        yield _candidates(by_id[label.id], exprs, label.stage)


def _candidates(problem: Problem, exprs: Iterable[str], baseline: str) -> CandidateSet:
    return CandidateSet(
        id=problem.id,
        values=tuple(quantity.value for quantity in problem.quantities),
        surfaces=tuple(quantity.surface for quantity in problem.quantities),
        answer=problem.answer,
        candidates=tuple([Candidate(expr=expr, stage=baseline, value=problem.answer) for expr in exprs]),
    )


def _label(problem: Problem, given: Mapping[str, float], baseline: str) -> Label:
    values = [quantity.exact for quantity in problem.quantities]
    shares: dict[Function, float] = {}
    writings: dict[Function, str] = {}
    for prefix, weight in sorted(given.items(), key=lambda item: len(item[0].split())):  # shortest first
        expr = str(expression_of(prefix.split()))
        meaning = expression_function(expr, values)
        shares[meaning] = shares.get(meaning, 0.0) + weight
        writings.setdefault(meaning, expr)
    found = _candidates(problem, writings.values(), baseline)
    whole = sum(shares.values())
    return make_label(found, [share / whole for share in shares.values()], ranker=baseline)
