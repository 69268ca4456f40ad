"""Beliefs over candidates -> label records: which candidate, how it is written, its equation in numbers.

A function has many writings; a solver learns best from one rule.  `write_expr` orients sums to be positive for the
numbers at hand (`(N1-N0)*N2`, not `(N0-N1)*(-N2)`), takes blocks in the order of the text with constants last, and
chains them to the left.  Every label is evaluated exactly before it leaves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isinf
from typing import NamedTuple

from mathcanon import (
    Expr,
    MathCanonError,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    canonical,
    evaluate,
    parse,
    parse_equation,
)
from mathcanon.algebra import substituted
from mathcanon.expr import make_power, make_product, make_sum

from .errors import DataError, WeakSupError
from .records import CandidateSet, Label, Problem, Scored

__all__ = ["KEPT", "check_label", "equation_text", "filter_labels", "make_label", "needed_quantities", "write_expr"]

#: How many of the next best candidates a label keeps.
KEPT = 30

_LEAST = 1e-6  # belief below which a candidate is not kept, and the unit that beliefs are rounded to
_TIE = 1e-9  # beliefs nearer than this are equal: then the simplest candidate is picked
_QUANTITY = re.compile(r"N\d{1,4}", re.ASCII)
_LAST = 1 << 30  # the place of a constant in the order of the text


def make_label(
    candidates: CandidateSet,
    posteriors: Sequence[float],
    *,
    ranker: str,
    pick: int | None = None,
    scores: Sequence[float] | None = None,
    kept: int = KEPT,
) -> Label:
    """The label that a ranker's beliefs give a problem: the likeliest candidate, or the one it picked.

    `others` are the next best as the search wrote them, up to `kept`; `scores` are those of a draft model.
    """
    best = max(posteriors)
    if pick is None:
        pick = next(i for i, belief in enumerate(posteriors) if belief >= best * (1 - _TIE))
    chosen = candidates.candidates[pick]
    values = [Fraction(value) for value in candidates.values]
    expr = write_expr(chosen.expr, values)
    equation = equation_text(expr, values, candidates.surfaces)
    if evaluate(parse_equation(equation)) != Fraction(chosen.value):
        raise WeakSupError(f"problem {candidates.id}: {equation} does not have the value {chosen.value}")
    score = [None if scores is None or isinf(scores[i]) else round(scores[i], 4) for i in range(len(posteriors))]
    others = [i for i, belief in enumerate(posteriors) if i != pick and belief >= _LEAST]
    others.sort(key=lambda i: (-round(posteriors[i], 6), i))
    return Label(
        id=candidates.id,
        expr=expr,
        equation=equation,
        posterior=round(posteriors[pick], 6),
        candidates=len(posteriors),
        stage=chosen.stage,
        ranker=ranker,
        others=tuple(
            [
                Scored(expr=candidates.candidates[i].expr, posterior=round(posteriors[i], 6), score=score[i])
                for i in others[:kept]
            ]
        ),
        score=score[pick],
    )


def check_label(label: Label, problem: Problem) -> None:
    """`DataError` if the label was made for other quantities: its expression and its equation differ in value."""
    values = {f"N{i}": quantity.exact for i, quantity in enumerate(problem.quantities)}
    try:
        fits = evaluate(_parsed(label.expr), values) == evaluate(parse_equation(label.equation))
    except MathCanonError:
        return  # unreadable: then nobody can tell
    if not fits:
        quantities = ", ".join(quantity.value for quantity in problem.quantities)
        message = f"the label of problem {label.id} is {label.expr} and {label.equation}, the corpus has {quantities}"
        raise DataError(f"{message}; read it with the options of the search")


@lru_cache(maxsize=1 << 19)
def needed_quantities(expr: str) -> float:
    """How many quantities a problem must have for an expression over N0, N1...; infinity if it is none.

    >>> needed_quantities("N2*(1-N0)"), needed_quantities("x+1")
    (3, inf)
    """
    try:
        names = [leaf.name for leaf in parse(expr).leaves() if isinstance(leaf, Operand)]
    except MathCanonError:
        return inf
    return max([int(name[1:]) + 1 if _QUANTITY.fullmatch(name) else inf for name in names], default=0)


def filter_labels(labels: Iterable[Label], *, posterior: float) -> Iterator[Label]:
    """The labels that are believed at least so much."""
    return (label for label in labels if label.posterior >= posterior)


def equation_text(expr: str, values: Sequence[Fraction], surfaces: Sequence[str]) -> str:
    """An expression over N0, N1... in the problem's own numbers, as they are written in the text where that is plain.

    >>> equation_text("N0*(1-N1)", [Fraction(30), Fraction(1, 6)], ["30", "1/6"])
    'x=30*(1-(1/6))'
    """
    leaves = {f"N{i}": _number(value, surface) for i, (value, surface) in enumerate(zip(values, surfaces, strict=True))}
    return f"x={substituted(_parsed(expr), leaves.__getitem__)}"


@lru_cache(maxsize=1 << 16)
def _number(value: Fraction, surface: str) -> Expr:
    """The number, with the spelling of the text if an equation can have it: `40%`, `(1/6)`, not `1,000` or `two`."""
    text = f"({surface})" if surface.count("/") == 1 and "(" not in surface else surface
    try:
        number = parse(text)
    except MathCanonError:
        number = Number(value)
    return number if isinstance(number, Number) and number.value == value and value >= 0 else Number(value)


class _Written(NamedTuple):
    """A block on its way: its value is `sign` times that of `expr`, which is `value`."""

    expr: Expr
    sign: int
    value: Fraction
    place: int  # of its first quantity in the text


def write_expr(expr: str, values: Sequence[Fraction]) -> str:
    """The same function as `expr`, written by the rule for labels.

    >>> values = [Fraction(2), Fraction(11), Fraction(5)]
    >>> write_expr("(N0-N1)*(1-N2)", values), write_expr("N2+N1-N0", values)
    ('(N1-N0)*(N2-1)', 'N1-N0+N2')
    """
    tree = _canonical(expr)
    written = _write(tree, values)
    text = str(written.expr if written.sign > 0 else tree)  # a negative result can't be turned
    if evaluate(_parsed(text), {f"N{i}": value for i, value in enumerate(values)}) != written.sign * written.value:
        raise WeakSupError(f"{text} is not a writing of {expr}")
    return text


@lru_cache(maxsize=1 << 16)
def _parsed(expr: str) -> Expr:
    return parse(expr)


@lru_cache(maxsize=1 << 16)
def _canonical(expr: str) -> Expr:
    return canonical(expr)


def _write(node: Expr, values: Sequence[Fraction]) -> _Written:
    match node:
        case Operand(name):
            place = int(name[1:])
            return _Written(node, 1, values[place], place)
        case Number(value):
            return _Written(node, 1, value, _LAST)
        case Power(base, exponent):
            inner = _write(base, values)
            sign = inner.sign if exponent % 2 else 1
            return _Written(make_power(inner.expr, exponent), sign, inner.value**exponent, inner.place)
        case Sum(terms):
            return _write_sum([(mark, _write(child, values)) for mark, child in terms])
        case Product(factors):
            return _write_product([(mark, _write(child, values)) for mark, child in factors])
    raise TypeError(f"not an expression: {node!r}")


def _write_sum(terms: list[tuple[int, _Written]]) -> _Written:
    signed = [(mark * block.sign, block) for mark, block in terms]
    total = sum((mark * block.value for mark, block in signed), Fraction(0))
    # Turned round where it is negative, unless it would begin with a minus.
    turn = -1 if total < 0 else 1
    if all(turn * mark < 0 for mark, _ in signed):
        turn = -turn
    ordered = _in_text_order([(turn * mark, block) for mark, block in signed])
    return _Written(make_sum([(mark, block.expr) for mark, block in ordered]), turn, turn * total, _first(terms))


def _write_product(factors: list[tuple[int, _Written]]) -> _Written:
    sign, value = 1, Fraction(1)
    for mark, block in factors:
        sign *= block.sign
        value *= block.value**mark
    ordered = _in_text_order(factors)
    return _Written(make_product([(mark, block.expr) for mark, block in ordered]), sign, value, _first(factors))


def _in_text_order(blocks: list[tuple[int, _Written]]) -> list[tuple[int, _Written]]:
    """By place in the text, but first a block that is added or multiplied, if there is one."""
    ordered = sorted(blocks, key=lambda block: block[1].place)
    first = next((i for i, (mark, _) in enumerate(ordered) if mark > 0), 0)
    return [ordered[first], *ordered[:first], *ordered[first + 1 :]]


def _first(blocks: list[tuple[int, _Written]]) -> int:
    return min(block.place for _, block in blocks)
