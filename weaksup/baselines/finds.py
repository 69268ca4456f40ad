"""The equations of the right value that were found for each problem, and the labels that they make.

A problem is labelled with the equation that was found most often (or is likeliest); writings of one function count as
one equation, written in the shortest way that was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..labels import make_label
from ..records import Candidate, CandidateSet, Label, Problem
from ..solvers.trees import expression_of
from ..value_level import Function, expression_function

__all__ = ["Finds", "finds_of", "labels_of"]

#: For each problem by id: prefix sequence (tokens with spaces between) -> how often it was found, or how likely it is.
Finds = dict[str, dict[str, float]]


def labels_of(
    problems: Sequence[Problem], finds: Mapping[str, Mapping[str, float]], *, baseline: str
) -> Iterator[Label]:
    """A label for each problem with finds, in order, with the share of its finds as posterior."""
    for problem in problems:
        if given := finds.get(problem.id):
            yield _label(problem, given, baseline)


def finds_of(problems: Sequence[Problem], labels: Iterable[Label]) -> Iterator[CandidateSet]:
    """What was found for each labelled problem, as a search would give it: as much of it as its label keeps."""
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
    for prefix, weight in sorted(given.items(), key=lambda item: len(item[0].split())):  # the shortest writing of each
        expr = str(expression_of(prefix.split()))
        meaning = expression_function(expr, values)
        shares[meaning] = shares.get(meaning, 0.0) + weight
        writings.setdefault(meaning, expr)
    found = _candidates(problem, writings.values(), baseline)
    whole = sum(shares.values())
    return make_label(found, [share / whole for share in shares.values()], ranker=baseline)
