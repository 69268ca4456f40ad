"""Equations as functions of the values that the text mentions, including a mentioned 0, 1 or 3.14.

As in `value_level`, equal values are one variable, and a number that the text does not mention is a constant (0, 1,
3.14) or a variable of its own.  The difference: if the text mentions 0, 1 or 3.14, that number is a variable too
wherever it occurs in an equation.  `140*58/1` then differs from `140*58`: a solver trained on it learns to divide by a
quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from mathcanon import Algebra, Expr, MathCanonError, Number, Operand, fingerprint, fold, parse
from mathcanon.expr import make_power, make_product, make_sum

from .fraction_parts import part_of_quantity
from .operand_names import CONSTANTS, by_name
from .value_level import Function, read_equation

__all__ = ["mentioned_equation_function", "mentioned_expression_function"]

_CONSTANTS = (Fraction(0), *CONSTANTS.values())


def mentioned_expression_function(expr: str, values: Sequence[Fraction]) -> Function:
    """The function that an expression over N0, N1... stands for; None if it can't be read or evaluated.

    >>> values = [Fraction(140), Fraction(1)]
    >>> mentioned_expression_function("N0/N1", values) == mentioned_expression_function("N0", values)
    False
    """
    first = _first_names(values)
    constants = tuple([(value, first[value]) for value in _CONSTANTS if value in first])
    return _expression_function(expr, tuple([first[value] for value in values]), constants)


@lru_cache(maxsize=1 << 19)
def _expression_function(expr: str, names: tuple[str, ...], constants: tuple[tuple[Fraction, str], ...]) -> Function:
    variables = by_name([Operand(name) for name in names])
    mentioned = dict(constants)

    def number(value: Fraction, text: str | None) -> Expr:
        return Operand(mentioned[value]) if value in mentioned else Number(value)

    keep = Algebra(operand=variables.__getitem__, number=number, sum=make_sum, product=make_product, power=make_power)
    try:
        return fingerprint(fold(parse(expr), keep))
    except (MathCanonError, KeyError):
        return None


def mentioned_equation_function(equation: str, values: Sequence[Fraction]) -> Function:
    """The function that an equation in literal numbers stands for; None if it can't be read or evaluated.

    >>> values = [Fraction(140), Fraction(58), Fraction(1)]
    >>> mentioned_equation_function("x=58*140", values) == mentioned_expression_function("N0*N1", values)
    True
    """
    first = _first_names(values)
    leaves: dict[Fraction, Expr] = {value: Operand(name) for value, name in first.items()}
    expr = read_equation(
        equation,
        values,
        constants=[value for value in _CONSTANTS if value not in first],
        leaf=lambda value: part_of_quantity(value, leaves),
    )
    try:
        return None if expr is None else fingerprint(expr)
    except MathCanonError:
        return None


def _first_names(values: Sequence[Fraction]) -> dict[Fraction, str]:
    return {value: name for name, value in reversed(by_name(values).items())}
