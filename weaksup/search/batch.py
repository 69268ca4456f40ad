"""Many problems -> their candidates, in one pass over the stages of a plan.

Problems that combine the same operands in a stage run together through `mathcanon.reach_batch`.  Its hits are
deduplicated as functions of the operands; what remains is joined over the stages by fingerprint, the writing with
the fewest leaves kept (`N0*(1+N1)`, not `N0*N1+N0`), then that of the earlier stage.  Everything about a class
(its text, its leaves, its function) is worked out once for all problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from mathcanon import Expr, Hit, canonical, fingerprint, reach_batch
from mathcanon.algebra import substituted
from mathcanon.canonical import as_tree

from ..records import Candidate, CandidateSet, Problem
from ..value_level import named_leaf, value_names
from .operands import assignments, operand_value
from .plans import Plan

__all__ = ["search_problems"]

_TOGETHER = 4096  # problems searched at a time: enough to fill batches, few enough for memory


class _Found(NamedTuple):
    """A candidate on its way: how simple it is comes first, so that the smallest is the simplest."""

    leaves: int
    stage: int
    length: int
    text: str
    value: Fraction


def search_problems(problems: Iterable[Problem], plan: Plan, *, limit: int | None = None) -> Iterator[CandidateSet]:
    """The candidates of each problem, in order; with `limit`, the simplest so many.

    Simplest: fewest leaves, then the earlier stage, then fewest characters, then by alphabet.
    """
    chunk: list[Problem] = []
    for problem in problems:
        chunk.append(problem)
        if len(chunk) == _TOGETHER:
            yield from _search_chunk(chunk, plan, limit)
            chunk = []
    yield from _search_chunk(chunk, plan, limit)


def _search_chunk(problems: Sequence[Problem], plan: Plan, limit: int | None) -> Iterator[CandidateSet]:
    values = [tuple([quantity.exact for quantity in problem.quantities]) for problem in problems]
    answers = [problem.exact_answer for problem in problems]
    found: list[dict[object, _Found]] = [{} for _ in problems]
    by_size: dict[int, list[int]] = {}
    for i, quantities in enumerate(values):
        by_size.setdefault(len(quantities), []).append(i)
    for size, chosen in by_size.items():
        open_problems = chosen
        for number, stage in enumerate(plan.stage):
            if not stage.applies_to(size):
                continue
            for names in assignments(stage, size):
                _run_assignment(names, number, open_problems, values, answers, plan, found)
            if plan.stop == "first-match":
                open_problems = [i for i in open_problems if not found[i]]
    for problem, functions in zip(problems, found, strict=True):
        yield _candidate_set(problem, functions.values(), plan, limit)


def _run_assignment(
    names: tuple[str, ...],
    stage: int,
    chosen: Sequence[int],
    values: Sequence[tuple[Fraction, ...]],
    answers: Sequence[Fraction],
    plan: Plan,
    found: Sequence[dict[object, _Found]],
) -> None:
    """Search one choice of operands for the chosen problems."""
    # Problems whose equal values make the same operands one are searched together.
    by_pattern: dict[tuple[str, ...], list[int]] = {}
    for i in chosen:
        if plan.dedupe == "value":
            same = value_names(values[i])
            pattern = tuple([_at_value_level(name, same) for name in names])
        elif plan.dedupe == "position":
            pattern = names
        else:
            pattern = tuple([f"S{place}" for place in range(len(names))])
        by_pattern.setdefault(pattern, []).append(i)
    for pattern, members in by_pattern.items():
        numbers = [[operand_value(name, values[i]) for name in names] for i in members]
        problems = zip(numbers, [answers[i] for i in members], strict=True)
        for i, given, hits in zip(
            members, numbers, reach_batch(problems, names=pattern, tolerance=plan.exact_tolerance), strict=True
        ):
            for hit in hits:
                if plan.as_floats and not _is_less_in_floats(hit, given, answers[i], plan.exact_tolerance):
                    continue
                text, leaves = _written(hit.shape.expr, hit.sign, names)
                function = text if plan.dedupe == "none" else _function(hit.shape.expr, hit.sign, pattern)
                new = _Found(leaves, stage, len(text), text, hit.value)
                old = found[i].get(function)
                if old is None or new < old:
                    found[i][function] = new


def _at_value_level(name: str, same: dict[str, str]) -> str:
    base, caret, exponent = name.partition("^")
    base = same.get(base, base)
    return base if base in ("0", "1") else base + caret + exponent


def _is_less_in_floats(hit: Hit, numbers: Sequence[Fraction], answer: Fraction, tolerance: Fraction) -> bool:
    """Whether the value is nearer than the tolerance; at just that distance, what floats make of it."""
    distance = abs(hit.value - answer)
    if distance != tolerance:
        return distance < tolerance
    places = [float(number) for number in numbers]
    for operator, i, j in hit.shape.steps:
        a, b = places[i], places[j]
        places.append(a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b)
    return abs(hit.sign * places[-1] - float(answer)) < float(tolerance)


def _candidate_set(problem: Problem, found: Iterable[_Found], plan: Plan, limit: int | None) -> CandidateSet:
    ordered = sorted(found)[:limit]
    reason = None
    if not ordered:
        if not problem.quantities:
            reason = "no-quantity"
        else:
            reason = "no-match" if plan.stages_for(len(problem.quantities)) else "too-many-quantities"
    return CandidateSet(
        id=problem.id,
        values=tuple([quantity.value for quantity in problem.quantities]),
        surfaces=tuple([quantity.surface for quantity in problem.quantities]),
        answer=problem.answer,
        candidates=tuple(
            [Candidate(expr=item.text, stage=plan.stage[item.stage].name, value=str(item.value)) for item in ordered]
        ),
        reason=reason,
    )


@lru_cache(maxsize=1 << 18)
def _written(shape: Expr, sign: int, names: tuple[str, ...]) -> tuple[str, int]:
    """The text of a class over these operands, and how many leaves it has."""
    return str(canonical(_named(shape, sign, names))), len(names)


@lru_cache(maxsize=1 << 18)
def _function(shape: Expr, sign: int, names: tuple[str, ...]) -> int:
    """The function of a class over these operands: equal functions have equal fingerprints."""
    return fingerprint(_named(shape, sign, names))


def _named(shape: Expr, sign: int, names: tuple[str, ...]) -> Expr:
    leaves = {f"N{place}": named_leaf(name) for place, name in enumerate(names)}
    return substituted(as_tree(sign, shape), leaves.__getitem__)
