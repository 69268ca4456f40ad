"""Equations at value level: as functions of the distinct values of a problem's quantities.

Gold equations name values, not positions, so candidates are compared with gold at this level.  Quantities of equal
value are one variable, the values 0, 1 and 3.14 are constants, and any other number is a variable of its own.  A
fraction in brackets is one quantity if a quantity has its value, else a division.  Two equations are the same if they
are the same function.  Functions are compared by fingerprint; two different ones collide with probability about 2^-58.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from mathcanon import Expr, MathCanonError, fingerprint, key, parse_equation
from mathcanon.algebra import substituted
from mathcanon.expr import as_expr
from mathcanon.grading import lift

from .fraction_parts import join_quotients, part_of_quantity
from .operand_names import CONSTANTS, by_name, operand_leaf

__all__ = ["Function", "equation_function", "expression_function", "read_equation", "value_names"]

Function = int | str | None  # equal for equal functions, within one process; None: unreadable or undefined


def value_names(values: Sequence[Fraction]) -> dict[str, str]:
    """The name of each quantity at value level: that of the first quantity of equal value, or of a constant.

    >>> value_names([Fraction(3), Fraction(1), Fraction(3)])
    {'N0': 'N0', 'N1': '1', 'N2': 'N0'}
    """
    first: dict[Fraction, str] = {Fraction(0): "0"} | {value: name for name, value in CONSTANTS.items()}
    return {name: first.setdefault(value, name) for name, value in by_name(values).items()}


def expression_function(expr: Expr | str, values: Sequence[Fraction], *, law: str = "value") -> Function:
    """The function that an expression over N0, N1... stands for at value level.

    Parameters
    ----------
    expr
        An expression over N0, N1...
    values
        The values of N0, N1...
    law
        With "value", results are equal for equal functions; with "structure", for equal canonical forms only.

    Returns
    -------
    Function
        Something to compare: equal means right.
    """
    return _expression_function(expr, tuple(value_names(values).values()), law)


@lru_cache(maxsize=1 << 19)
def _expression_function(expr: Expr | str, names: tuple[str, ...], law: str) -> Function:
    leaves = by_name([operand_leaf(name) for name in names])
    try:
        return _meaning(substituted(as_expr(expr), leaves.__getitem__), law)
    except KeyError:
        return None


def equation_function(equation: str, values: Sequence[Fraction], *, law: str = "value") -> Function:
    """The function that an equation in literal numbers (`x=(11-1)*2`) stands for.

    Parameters
    ----------
    equation
        The equation.
    values
        The values of N0, N1...
    law
        With "value", results are equal for equal functions; with "structure", for equal canonical forms only.

    Returns
    -------
    Function
        Something to compare with `expression_function`; None if the equation can't be read.

    Examples
    --------
    >>> values = [Fraction(2), Fraction(11)]
    >>> equation_function("x=(11-1)*2", values) == expression_function("N0*N1-N0", values)
    True
    """
    names = value_names(values)
    leaves = {value: operand_leaf(names[name]) for name, value in reversed(by_name(values).items())}
    expr = read_equation(
        equation,
        values,
        constants=[Fraction(0), *CONSTANTS.values()],
        leaf=lambda value: part_of_quantity(value, leaves),
    )
    return None if expr is None else _meaning(expr, law)


def read_equation(
    equation: str,
    values: Sequence[Fraction],
    *,
    constants: Iterable[Fraction],
    leaf: Callable[[Fraction], Expr],
    names: Collection[str] = (),
) -> Expr | None:
    """An equation in literal numbers as an expression, with `leaf(value)` for each number that is no constant.

    A fraction in brackets is one number if a quantity has its value, else a division.  None if the equation can't be
    read or has a variable that is not one of `names`.
    """
    try:
        expr = parse_equation(equation)
        if not set(names).issuperset(expr.operands()):
            return None
        return lift(join_quotients(expr, values), values, constants=constants, leaf=leaf)
    except (MathCanonError, ValueError):
        return None


def _meaning(expr: Expr, law: str) -> Function:
    if law == "structure":
        return key(expr)
    try:
        return fingerprint(expr)
    except MathCanonError:
        return None
