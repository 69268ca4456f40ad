"""How the equation of a label is written, and whether a label belongs to a problem.

A function can be written in many ways, and a solver learns best if one rule chooses among them.  `write_expr` turns
differences so that they are positive for the numbers of the problem (`(N1-N0)*N2`, not `(N0-N1)*(-N2)`), orders terms
and factors as in the text with constants last, and associates to the left.  `equation_text` replaces N0, N1... by the
problem's own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, prod
from typing import NamedTuple

from mathcanon import Expr, MathCanonError, Number, canonical, evaluate, parse, parse_equation
from mathcanon.algebra import Algebra, fold, substituted
from mathcanon.expr import as_expr, make_operand, make_power, make_product, make_sum
from mathcanon.values import power_of, product_of, sum_of

from ..errors import DataError, WeakSupError
from ..records import Label, Problem
from .operand_names import by_name, quantity_number

__all__ = ["check_label", "equation_text", "needed_quantities", "write_expr", "written_expr"]

_LAST = 1 << 30  # the position of constants: after everything in the text


def write_expr(expr: Expr | str, values: Sequence[Fraction]) -> str:
    """The text of the same function as `expr`, written by the rule for labels.

    Parameters
    ----------
    expr
        An expression over N0, N1...
    values
        The values of N0, N1...

    Returns
    -------
    str
        Infix text.

    Examples
    --------
    >>> values = [Fraction(2), Fraction(11), Fraction(5)]
    >>> write_expr("(N0-N1)*(1-N2)", values), write_expr("N2+N1-N0", values)
    ('(N1-N0)*(N2-1)', 'N1-N0+N2')
    """
    return str(written_expr(expr, values))


def written_expr(expr: Expr | str, values: Sequence[Fraction]) -> Expr:
    """The same function as `expr`, written by the rule for labels."""
    tree = _canonical(expr)
    written = _write(tree, values)
    found = written.expr if written.sign > 0 else tree  # the sign of a negative result can't be flipped
    if evaluate(found, by_name(values)) != written.sign * written.value:
        raise WeakSupError(f"{found} does not have the value of {expr}")
    return found


def equation_text(expr: Expr | str, values: Sequence[Fraction], surfaces: Sequence[str]) -> str:
    """An expression over N0, N1... in the problem's own numbers, spelled as in the text if an equation allows it.

    Parameters
    ----------
    expr
        An expression over N0, N1...
    values
        The values of N0, N1...
    surfaces
        How the text spells each of them.

    Returns
    -------
    str
        An equation `x=...`.

    Examples
    --------
    >>> equation_text("N0*(1-N1)", [Fraction(30), Fraction(1, 6)], ["30", "1/6"])
    'x=30*(1-(1/6))'
    """
    leaves = by_name([_number(value, surface) for value, surface in zip(values, surfaces, strict=True)])
    return f"x={substituted(_parsed(expr), leaves.__getitem__)}"


def check_label(label: Label, problem: Problem) -> None:
    """Raise `DataError` if the label was made for other quantities: its expression and equation differ in value.

    Parameters
    ----------
    label
        A label.
    problem
        The problem with its id.

    Raises
    ------
    DataError
        If the label was made for other quantities.
    """
    values = by_name([quantity.exact for quantity in problem.quantities])
    try:
        fits = evaluate(_parsed(label.expr), values) == evaluate(parse_equation(label.equation))
    except MathCanonError:
        return  # can't be read, so can't be compared
    if not fits:
        quantities = ", ".join(quantity.value for quantity in problem.quantities)
        message = f"the label of problem {label.id} is {label.expr} and {label.equation}, the corpus has {quantities}"
        raise DataError(f"{message}; read the corpus with the options of the search")


@lru_cache(maxsize=1 << 19)
def needed_quantities(expr: str) -> float:
    """The least number of quantities that an expression over N0, N1... needs; infinity if it is not such an expression.

    >>> needed_quantities("N2*(1-N0)"), needed_quantities("x+1")
    (3, inf)
    """
    try:
        numbers = [quantity_number(name) for name in parse(expr).operands()]
    except MathCanonError:
        return inf
    return max([inf if number is None else number + 1 for number in numbers], default=0)


@lru_cache(maxsize=1 << 16)
def _number(value: Fraction, surface: str) -> Expr:
    """The number, spelled as in the text if an equation can contain that: `40%`, `(1/6)`, not `1,000` or `two`."""
    text = f"({surface})" if surface.count("/") == 1 and "(" not in surface else surface
    try:
        number = parse(text)
    except MathCanonError:
        number = Number(value)
    return number if isinstance(number, Number) and number.value == value and value >= 0 else Number(value)


class _Written(NamedTuple):
    """A written subexpression: it stands for `sign` times `expr`, and `expr` has the value `value`."""

    expr: Expr
    sign: int
    value: Fraction
    place: int  # the index of its first quantity


@lru_cache(maxsize=1 << 16)
def _parsed(expr: Expr | str) -> Expr:
    return as_expr(expr)


@lru_cache(maxsize=1 << 16)
def _canonical(expr: Expr | str) -> Expr:
    return canonical(expr)


def _write(tree: Expr, values: Sequence[Fraction]) -> _Written:
    def operand(name: str) -> _Written:
        place = int(name[1:])
        return _Written(make_operand(name), 1, values[place], place)

    writing = Algebra(operand=operand, number=_write_number, sum=_write_sum, product=_write_product, power=_write_power)
    return fold(tree, writing)


def _write_number(value: Fraction, text: str | None) -> _Written:
    return _Written(Number(value), 1, value, _LAST)


def _write_power(base: _Written, exponent: int) -> _Written:
    sign = base.sign if exponent % 2 else 1
    return _Written(make_power(base.expr, exponent), sign, power_of(base.value, exponent), base.place)


def _write_sum(terms: list[tuple[int, _Written]]) -> _Written:
    signed = [(mark * block.sign, block) for mark, block in terms]
    total = sum_of([(mark, block.value) for mark, block in signed])
    # Flip the signs of a negative sum, unless it would then begin with a minus.
    turn = -1 if total < 0 else 1
    if all(turn * mark < 0 for mark, _ in signed):
        turn = -turn
    ordered = _in_text_order([(turn * mark, block) for mark, block in signed])
    return _Written(make_sum([(mark, block.expr) for mark, block in ordered]), turn, turn * total, _first(terms))


def _write_product(factors: list[tuple[int, _Written]]) -> _Written:
    sign = prod([block.sign for _, block in factors])
    value = product_of([(mark, block.value) for mark, block in factors])
    ordered = _in_text_order(factors)
    return _Written(make_product([(mark, block.expr) for mark, block in ordered]), sign, value, _first(factors))


def _in_text_order(blocks: list[tuple[int, _Written]]) -> list[tuple[int, _Written]]:
    """The blocks in text order, except that the first one is added or multiplied if any block is."""
    ordered = sorted(blocks, key=lambda block: block[1].place)
    first = next((i for i, (mark, _) in enumerate(ordered) if mark > 0), 0)
    return [ordered[first], *ordered[:first], *ordered[first + 1 :]]


def _first(blocks: list[tuple[int, _Written]]) -> int:
    return min(block.place for _, block in blocks)
