"""Equations as functions of the values that the text mentions, a 1 or 0 among them.

As in `value_level`, equal values are one variable, and a number that the text does not mention is a constant (0, 1,
3.14) or a variable of its own.  The difference: a 1, 0 or 3.14 of the text is a variable too, wherever an equation has
that number.  `140*58/1` is then not `140*58`: whoever learns from it learns to divide by some quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from mathcanon import Algebra, Expr, MathCanonError, Number, Operand, fingerprint, fold, parse, parse_equation
from mathcanon.algebra import substituted
from mathcanon.expr import make_power, make_product, make_sum
from mathcanon.grade import lift

from .value_level import CONSTANTS, Function

__all__ = ["mentioned_equation_function", "mentioned_expression_function"]

_CONSTANTS = (Fraction(0), *CONSTANTS.values())


def mentioned_expression_function(expr: str, values: Sequence[Fraction]) -> Function:
    """What an expression over N0, N1... means; None if nothing.

    >>> values = [Fraction(140), Fraction(1)]
    >>> mentioned_expression_function("N0/N1", values) == mentioned_expression_function("N0", values)
    False
    """
    first = _first_names(values)
    constants = tuple([(value, first[value]) for value in _CONSTANTS if value in first])
    return _expression_function(expr, tuple([first[value] for value in values]), constants)


@lru_cache(maxsize=1 << 19)
def _expression_function(expr: str, names: tuple[str, ...], constants: tuple[tuple[Fraction, str], ...]) -> Function:
    variables = {f"N{i}": Operand(name) for i, name in enumerate(names)}
    mentioned = dict(constants)

    def number(value: Fraction, text: str | None) -> Expr:
        return Operand(mentioned[value]) if value in mentioned else Number(value)

    keep = Algebra(operand=variables.__getitem__, number=number, sum=make_sum, product=make_product, power=make_power)
    try:
        return fingerprint(fold(parse(expr), keep))
    except (MathCanonError, KeyError):
        return None


def mentioned_equation_function(equation: str, values: Sequence[Fraction]) -> Function:
    """What an equation in literal numbers means; None if it can't be read.

    >>> values = [Fraction(140), Fraction(58), Fraction(1)]
    >>> mentioned_equation_function("x=58*140", values) == mentioned_expression_function("N0*N1", values)
    True
    """
    leaf = _leaf_of(_first_names(values))
    constants = [value for value in _CONSTANTS if value not in values]
    try:
        return fingerprint(substituted(lift(parse_equation(equation), values, constants=constants), leaf))
    except (MathCanonError, ValueError):
        return None


def _first_names(values: Sequence[Fraction]) -> dict[Fraction, str]:
    return {value: f"N{i}" for i, value in reversed(list(enumerate(values)))}


def _leaf_of(first: dict[Fraction, str]) -> Callable[[str], Expr]:
    def leaf(name: str) -> Expr:
        value = Fraction(name.removeprefix("q_").replace("_", "/").replace("m", "-"))
        return Operand(first.get(value, name))

    return leaf
