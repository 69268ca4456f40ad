"""Algebras, which give expressions a meaning, and `fold`, which runs one over a tree.

An `Algebra` says what to make of an operand, a number, a sum, a product, a power.  Canonical forms, values on
Fractions or modulo a prime, and texts are all algebras.  `fold` runs one over a tree without recursion; the parser
runs the same algebras over text, so text is compiled straight to a canonical form with no tree in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from .expr import (
    Expr,
    ExprLike,
    Number,
    Operand,
    Product,
    Sum,
    as_expr,
    later,
    make_number,
    make_operand,
    make_power,
    make_product,
    make_sum,
    upwards,
)

__all__ = ["TREE", "Algebra", "apply", "fold", "multiplied_first", "substituted"]

T = TypeVar("T")


class Algebra(Generic[T]):
    """What to make of each kind of node; `T` is what comes out (a tree, a value, a text...)."""

    __slots__ = ("number", "operand", "power", "product", "sum")

    def __init__(
        self,
        *,
        operand: Callable[[str], T],
        number: Callable[[Fraction, str | None], T],
        sum: Callable[[list[tuple[int, T]]], T],
        product: Callable[[list[tuple[int, T]]], T],
        power: Callable[[T, int], T],
    ) -> None:
        self.operand, self.number, self.sum, self.product, self.power = operand, number, sum, product, power


#: The algebra that makes trees.
TREE: Algebra[Expr] = Algebra(
    operand=make_operand,
    number=make_number,
    sum=make_sum,
    product=make_product,
    power=make_power,
)


def apply(algebra: Algebra[T], expr: ExprLike) -> T:
    """What `algebra` makes of anything that `as_expr` accepts; text is read without building a tree."""
    if isinstance(expr, str):
        made: T = later.parse_with(expr, algebra)
        return made
    return fold(as_expr(expr), algebra)


def fold(expr: Expr, algebra: Algebra[T]) -> T:
    """What `algebra` makes of `expr`, from the leaves up, without recursion.

    Parameters
    ----------
    expr
        An expression (not text).
    algebra
        What to make of each kind of node.

    Returns
    -------
    T
        What the algebra returns for the root.

    Notes
    -----
    A part that is shared within the tree is computed once.
    """
    done: dict[int, T] = {}
    for node in upwards(expr):
        here = id(node)
        if here in done:
            continue
        kind = type(node)
        if kind is Operand:
            done[here] = algebra.operand(node.name)  # type: ignore[attr-defined]
        elif kind is Sum:
            done[here] = algebra.sum([(mark, done[id(child)]) for mark, child in node.terms])  # type: ignore[attr-defined]
        elif kind is Product:
            done[here] = algebra.product([(mark, done[id(child)]) for mark, child in node.factors])  # type: ignore[attr-defined]
        elif kind is Number:
            done[here] = algebra.number(node.value, node.text)  # type: ignore[attr-defined]
        else:
            done[here] = algebra.power(done[id(node.base)], node.exponent)  # type: ignore[attr-defined]
    return done[id(expr)]


def substituted(expr: Expr, leaf: Callable[[str], Expr]) -> Expr:
    """`expr` with each operand replaced by the expression `leaf(name)`.

    >>> from mathcanon import parse
    >>> substituted(parse("a*b-a"), {"a": parse("x"), "b": parse("2")}.__getitem__)
    Expr('x*2-x')
    """
    keep = Algebra(operand=leaf, number=make_number, sum=make_sum, product=make_product, power=make_power)
    return fold(expr, keep)


def multiplied_first(factors: Sequence[tuple[int, T]]) -> Sequence[tuple[int, T]]:
    """The same factors, reordered so that the first one is multiplied, not divided by."""
    if factors[0][0] > 0:
        return factors
    first = next(i for i, (exponent, _) in enumerate(factors) if exponent > 0)
    return [factors[first], *factors[:first], *factors[first + 1 :]]
