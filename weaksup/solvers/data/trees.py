"""Expressions <-> prefix sequences of a binary tree, the form in which a solver writes an equation.

`N0*N1-1` is `- * N0 N1 1`.  A sum or product of more than two blocks becomes a left-deep chain in the order in which it
is written; a power is the operator `^` with its exponent.  The same function can be written in many ways; `WRITINGS`
lists the rules that pick the one to train on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from mathcanon import Expr, Number, Operand, Power, Product, Sum, canonical
from mathcanon.algebra import substituted
from mathcanon.errors import MathCanonError
from mathcanon.expr import as_expr, make_power, make_product, make_sum

from ...meaning.operand_names import CONSTANTS, by_name
from ...meaning.value_level import read_equation
from ...meaning.writing import written_expr
from ...records import Problem

__all__ = ["OPERATORS", "WRITINGS", "expression_of", "gold_expression", "prefix_of", "write_tree"]

OPERATORS = ("+", "-", "*", "/", "^")

_MAX_EXPONENT = 9


def prefix_of(expr: Expr | str) -> tuple[str, ...]:
    """The prefix sequence of an expression; raises ValueError if no binary tree expresses it (`-a-b`).

    >>> prefix_of("N0*N1-1")
    ('-', '*', 'N0', 'N1', '1')
    >>> prefix_of("3.14*N0^2")
    ('*', '3.14', '^', 'N0', '2')
    """
    found: list[str] = []
    pending: list[Expr | str] = [as_expr(expr)]
    while pending:
        node = pending.pop()
        match node:
            case str():
                found.append(node)
            case Operand(name):
                found.append(name)
            case Number(value):
                if value < 0:
                    raise ValueError(f"no token for the negative number {value}")
                found.append(_number_text(value))
            case Power(base, exponent):
                if not 2 <= exponent <= _MAX_EXPONENT:
                    raise ValueError(f"exponent {exponent} is not a whole number from 2 to {_MAX_EXPONENT}")
                found.append("^")
                pending += [str(exponent), base]
            case Sum(blocks) | Product(blocks):
                ahead, behind = ("+", "-") if isinstance(node, Sum) else ("*", "/")
                ordered = list(blocks)
                first = next((i for i, (mark, _) in enumerate(ordered) if mark > 0), None)
                if first is None:
                    raise ValueError(f"no binary tree for {node}")
                ordered.insert(0, ordered.pop(first))
                for mark, _ in reversed(ordered[1:]):
                    found.append(ahead if mark > 0 else behind)
                pending += [child for _, child in reversed(ordered)]
            case _:
                raise TypeError(f"not an expression: {node!r}")
    return tuple(found)


def expression_of(prefix: Sequence[str]) -> Expr:
    """The expression of a prefix sequence; raises ValueError if it is not one tree or has an unsupported exponent.

    >>> str(expression_of(["-", "*", "N0", "N1", "1"]))
    'N0*N1-1'
    """
    pending: list[Expr] = []
    for token in reversed(prefix):
        if token not in OPERATORS:
            pending.append(Number(Fraction(token)) if token[0].isdigit() else Operand(token))
            continue
        if len(pending) < 2:
            raise ValueError(f"not a tree: {' '.join(prefix)}")
        left, right = pending.pop(), pending.pop()
        if token in "+-":
            pending.append(make_sum([(1, left), (1 if token == "+" else -1, right)]))
        elif token in "*/":
            pending.append(make_product([(1, left), (1 if token == "*" else -1, right)]))
        elif isinstance(right, Number) and right.value.denominator == 1 and 2 <= right.value <= _MAX_EXPONENT:
            pending.append(make_power(left, int(right.value)))
        else:
            raise ValueError(f"exponent {right} is not a whole number from 2 to {_MAX_EXPONENT}")
    if len(pending) != 1:
        raise ValueError(f"not a tree: {' '.join(prefix)}")
    return pending[0]


def gold_expression(problem: Problem) -> Expr | None:
    """The gold equation over N0, N1..., written as its author did; None if it is missing or can't be read.

    A number that is the value of several quantities is read as the first of them.
    """
    if problem.gold is None:
        return None
    values = [quantity.exact for quantity in problem.quantities]
    first = {value: Operand(name) for name, value in reversed(by_name(values).items())}
    expr = read_equation(
        problem.gold,
        values,
        constants=[value for value in CONSTANTS.values() if value not in first],
        leaf=lambda value: first.get(value) or Number(value),
        names=("pi",),
    )
    pi = Number(CONSTANTS["3.14"])
    return expr and substituted(expr, lambda name: pi if name == "pi" else Operand(name))


def _as_written(expr: Expr, values: Sequence[Fraction]) -> Expr:
    return expr


def _canonical(expr: Expr, values: Sequence[Fraction]) -> Expr:
    return canonical(expr)


#: How an expression is rewritten before training.  `label`: text order, left-deep, constants last, sums positive for
#: the problem's numbers (`written_expr`).  `canonical`: mathcanon's order.  `as-written`: unchanged.
WRITINGS: dict[str, Callable[[Expr, Sequence[Fraction]], Expr]] = {
    "label": written_expr,
    "canonical": _canonical,
    "as-written": _as_written,
}


def write_tree(expr: Expr | str, problem: Problem, *, writing: str) -> tuple[str, ...] | None:
    """The prefix sequence to train on for an expression of a problem.

    None if no binary tree expresses it, or if it has a quantity that the problem lacks.
    """
    return _written_prefix(expr, tuple([quantity.value for quantity in problem.quantities]), writing)


@lru_cache(maxsize=1 << 18)  # every draft of em judges the same candidates; at most about 100 MB
def _written_prefix(expr: Expr | str, numbers: tuple[str, ...], writing: str) -> tuple[str, ...] | None:
    values = [Fraction(number) for number in numbers]
    try:
        tree = as_expr(expr)
        known = by_name(values).keys() >= set(tree.operands())
        return prefix_of(WRITINGS[writing](tree, values)) if known else None
    except (MathCanonError, ValueError, ZeroDivisionError):
        return None


def _number_text(value: Fraction) -> str:
    """The name of a constant (`3.14`, `1`, `100`), else the number as an integer or a fraction."""
    for name, constant in CONSTANTS.items():
        if value == constant:
            return name
    return str(value)
