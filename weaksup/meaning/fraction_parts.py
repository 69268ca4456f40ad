"""Numbers of an equation that stand for a quantity without being it: the 2 and the 5 of `2/5`, the 70 of `30% off`.

People write `60*2/5` for two fifths of 60, `48/2` for a half of 48, `80*(100-30)/100` or `80*0.7` for 30% off 80.  The
text has one number there; the equation has its parts, its reciprocal or its complement.  When an equation is read with
the quantities of a problem, the quotient of two numbers is one quantity if that has its value, and a number that no
quantity has is expressed by a quantity N:

    1/N            2 for a half, 1/12 for a dozen
    N*q, N*100     2 for 2/5 and 30 for 30%, where q and 100 are numbers of the equation like any other
    1-N, (1-N)*q   0.7 and 70 for 30%, 3/5 and 3 for 2/5
    1+N            1.3 and 130 for 30%

Each of these is exact, so the value of the equation stays the same.  A complement that is also the sum or the
difference of two quantities is not read as either: with 1/4 and 1/2 in the text, 3/4 may be 1-1/4 or 1/4+1/2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import combinations

from mathcanon import Algebra, Expr, Number, Product, fold
from mathcanon.algebra import TREE
from mathcanon.grading import quantity_operand

__all__ = ["join_quotients", "part_of_quantity"]

_ONE, _HUNDRED = Fraction(1), Fraction(100)

Factor = tuple[int, Expr]


def join_quotients(expr: Expr, values: Collection[Fraction]) -> Expr:
    """`expr` with each quotient of two numbers in a product as one number, if that is the value of a quantity.

    Where both numbers are values of quantities as well, nothing is joined.

    >>> from mathcanon import parse
    >>> joined = join_quotients(parse("(60*2)/5"), {Fraction(60), Fraction(2, 5)})
    >>> [leaf.value for leaf in joined.leaves()]
    [Fraction(60, 1), Fraction(2, 5)]
    """
    known = set(values)
    fractions = {value for value in known if value.denominator > 1}
    if not fractions:
        return expr

    def product(factors: list[Factor]) -> Expr:
        flat = [factor for mark, block in factors for factor in _factors(mark, block)]
        above = [block for mark, block in flat if mark > 0 and isinstance(block, Number)]
        below = [block for mark, block in flat if mark < 0 and isinstance(block, Number) and block.value]
        for top in above:
            for bottom in below:
                if top.value / bottom.value in fractions and not known >= {top.value, bottom.value}:
                    flat[flat.index((1, top))] = (1, Number(top.value / bottom.value))
                    flat.remove((-1, bottom))
                    below.remove(bottom)
                    break
        return TREE.product(flat)

    joining = Algebra(operand=TREE.operand, number=TREE.number, sum=TREE.sum, product=product, power=TREE.power)
    return fold(expr, joining)


def part_of_quantity(value: Fraction, leaves: Mapping[Fraction, Expr]) -> Expr:
    """A number as its quantity, as a function of a quantity, or, if it is neither, as an operand of its own.

    >>> from mathcanon import Operand
    >>> leaves = {Fraction(1, 2): Operand("N0"), Fraction(3, 10): Operand("N1")}
    >>> [str(part_of_quantity(Fraction(value), leaves)) for value in ("1/2", "2", "30", "7/10", "130", "17")]
    ['N0', '1/N0', 'N1*q_100', '1-N1', '(1+N1)*q_100', 'q_17']
    """
    return _direct(value, leaves) or _scaled(value, leaves) or _complement(value, leaves) or quantity_operand(value)


def _direct(value: Fraction, leaves: Mapping[Fraction, Expr]) -> Expr | None:
    """The quantity of this value, or the reciprocal of a quantity, if one of the two is a whole number."""
    if value in leaves:
        return leaves[value]
    if value and 1 / value in leaves and 1 in (value.numerator, value.denominator):
        return TREE.product([(1, Number(_ONE)), (-1, leaves[1 / value])])
    return None


def _scaled(value: Fraction, leaves: Mapping[Fraction, Expr]) -> Expr | None:
    """The numerator of a fraction, or the number before a percent sign: N*q or N*100."""
    for whole, leaf in leaves.items():
        for below in _below(whole):
            if whole * below == value:
                return TREE.product([(1, leaf), (1, _under(below, leaves))])
    return None


def _complement(value: Fraction, leaves: Mapping[Fraction, Expr]) -> Expr | None:
    """1-N or 1+N, or these times q or 100, if there is one such reading and no sum or difference of two quantities."""
    found: dict[Expr, Fraction] = {}  # each reading, with the complement in it
    for whole, leaf in leaves.items():
        for mark in (-1, 1) if 0 < whole < 1 else ():
            share = 1 + mark * whole
            complement = TREE.sum([(1, Number(_ONE)), (mark, leaf)])
            if share == value:
                found[complement] = share
            for below in _below(whole):
                if share * below == value and (mark < 0 or below == _HUNDRED):
                    found[TREE.product([(1, complement), (1, _under(below, leaves))])] = share
    if len(found) != 1:
        return None
    ((reading, share),) = found.items()
    others = {left + mark * right for left, right in combinations(leaves, 2) for mark in (-1, 1)}
    return None if others & {share, -share, value, -value} else reading


def _below(whole: Fraction) -> list[Fraction]:
    """What a fraction may be written over: its denominator, and 100."""
    return [] if whole.denominator == 1 else list(dict.fromkeys((Fraction(whole.denominator), _HUNDRED)))


def _under(below: Fraction, leaves: Mapping[Fraction, Expr]) -> Expr:
    return _direct(below, leaves) or quantity_operand(below)


def _factors(mark: int, block: Expr) -> list[Factor]:
    """The factors of a block of a product, if it is a product itself; products directly in it are joined already."""
    return [(mark * sign, inner) for sign, inner in block.factors] if isinstance(block, Product) else [(mark, block)]
