"""A tree as a flat postfix program: what a pickle holds, so that neither pickling nor unpickling recurses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .expr import (
    Expr,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    make_number,
    make_operand,
    make_power,
    make_product,
    make_sum,
    upwards,
)

__all__ = ["flatten", "pickled", "rebuild"]


def pickled(expr: Expr) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
    """What `Expr.__reduce__` returns: the function that rebuilds the expression, and its arguments."""
    return rebuild, (flatten(expr),)


def flatten(expr: Expr) -> tuple[tuple[Any, ...], ...]:
    """The nodes of `expr`, each after those below it, as plain tuples."""
    return tuple([_entry(node) for node in upwards(expr)])


def _entry(node: Expr) -> tuple[Any, ...]:
    match node:
        case Operand(name):
            return ("operand", name)
        case Number(value):
            return ("number", value.numerator, value.denominator, node.text)
        case Sum(terms):
            return ("sum", tuple([mark for mark, _ in terms]))
        case Product(factors):
            return ("product", tuple([mark for mark, _ in factors]))
        case Power(_, exponent):
            return ("power", exponent)
    raise TypeError(f"not a node of an expression: {node!r}")


def rebuild(program: tuple[tuple[Any, ...], ...]) -> Expr:
    """The expression that `flatten` took apart."""
    stack: list[Expr] = []
    for kind, *rest in program:
        if kind == "operand":
            stack.append(make_operand(rest[0]))
        elif kind == "number":
            stack.append(make_number(Fraction(rest[0], rest[1]), rest[2]))
        elif kind == "power":
            stack.append(make_power(stack.pop(), rest[0]))
        else:
            marks = rest[0]
            parts = list(zip(marks, stack[-len(marks) :], strict=True))
            del stack[-len(marks) :]
            stack.append(make_sum(parts) if kind == "sum" else make_product(parts))
    return stack.pop()
