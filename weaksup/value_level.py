"""Equations at value level: as functions of the distinct values of a problem's quantities.

Gold equations name values, not positions, so whether a candidate is right is decided here.  Quantities of equal value
are one variable, the values 0, 1 and 3.14 are constants, and a number that no quantity has is a variable of its own.
A fraction in brackets is one quantity if a quantity has its value, else a division.  Two equations are the same if
they are the same function: equal fingerprints, which another function has with a chance of about 2^-58.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from mathcanon import Expr, MathCanonError, Number, Operand, fingerprint, key, parse, parse_equation
from mathcanon.algebra import substituted
from mathcanon.expr import make_power
from mathcanon.grade import lift

__all__ = ["CONSTANTS", "Function", "equation_function", "expression_function", "named_leaf", "value_names"]

#: The constants that equations may use though the text does not mention them.
CONSTANTS = {"1": Fraction(1), "3.14": Fraction("3.14")}

Function = int | str | None  # comparable within a process; None: it means nothing


def value_names(values: Sequence[Fraction]) -> dict[str, str]:
    """The name at value level of each quantity.

    >>> value_names([Fraction(3), Fraction(1), Fraction(3)])
    {'N0': 'N0', 'N1': '1', 'N2': 'N0'}
    """
    first: dict[Fraction, str] = {Fraction(0): "0"} | {value: name for name, value in CONSTANTS.items()}
    return {f"N{i}": first.setdefault(value, f"N{i}") for i, value in enumerate(values)}


def expression_function(expr: str, values: Sequence[Fraction], *, law: str = "value") -> Function:
    """What an expression over N0, N1... means at value level.

    `law` "value" compares as functions, "structure" by canonical form only.
    """
    return _expression_function(expr, tuple(value_names(values).values()), law)


@lru_cache(maxsize=1 << 19)
def _expression_function(expr: str, names: tuple[str, ...], law: str) -> Function:
    leaves = {f"N{i}": named_leaf(name) for i, name in enumerate(names)}
    try:
        return _meaning(substituted(parse(expr), leaves.__getitem__), law)
    except KeyError:
        return None


def equation_function(equation: str, values: Sequence[Fraction], *, law: str = "value") -> Function:
    """What an equation in literal numbers (`x=(11-1)*2`) means at value level; None if it can't be read.

    >>> values = [Fraction(2), Fraction(11)]
    >>> equation_function("x=(11-1)*2", values) == expression_function("N0*N1-N0", values)
    True
    """
    names = value_names(values)
    by_value = {value: names[f"N{i}"] for i, value in reversed(list(enumerate(values)))}

    def leaf(name: str) -> Expr:
        value = Fraction(name.removeprefix("q_").replace("_", "/").replace("m", "-"))
        return named_leaf(by_value[value]) if value in by_value else Operand(name)

    try:
        lifted = lift(parse_equation(equation), values, constants=[Fraction(0), *CONSTANTS.values()])
        return _meaning(substituted(lifted, leaf), law)
    except (MathCanonError, ValueError):
        return None


@lru_cache(maxsize=4096)
def named_leaf(name: str) -> Expr:
    """The leaf of a name such as "N0", "N0^2", "1" or "3.14"."""
    if name[0].isdigit():
        return Number(Fraction(name))
    base, _, exponent = name.partition("^")
    return make_power(Operand(base), int(exponent)) if exponent else Operand(base)


def _meaning(expr: Expr, law: str) -> Function:
    if law == "structure":
        return key(expr)
    try:
        return fingerprint(expr)
    except MathCanonError:
        return None
