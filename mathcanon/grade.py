"""Right answer by the right method?  For people who grade equations that a model or a pupil wrote.

Literal numbers are lifted to quantities (equal numbers are one quantity; 1 and 3.14 stay numbers), and the two
equations are compared as functions of the quantities.  `150+50*2` against `150*2-50` has the right value and
the wrong reasoning: a false match, graded "same-value".
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .algebra import Algebra, fold
from .equivalence import Verdict, equivalent
from .evaluate import as_fraction
from .expr import Expr, Number, make_operand
from .parse import TREE, parse_equation

__all__ = ["CONSTANTS", "Grade", "grade", "lift"]

CONSTANTS = ("1", "3.14")


class Grade(str):
    """ "same-method", "same-value" or "different"; `reason` says why, `method` and `value` are the two verdicts."""

    __slots__ = ("method", "reason", "value")
    method: Verdict
    value: Verdict | None
    reason: str

    def __new__(cls, grade: str, reason: str, method: Verdict, value: Verdict | None) -> Grade:
        self = super().__new__(cls, grade)
        self.reason, self.method, self.value = reason, method, value
        return self

    def __getnewargs__(self) -> tuple[str, str, Verdict, Verdict | None]:  # type: ignore[override]
        return str(self), self.reason, self.method, self.value


def grade(
    predicted: Expr | str,
    gold: Expr | str,
    *,
    quantities: Iterable[Any] | None = None,
    constants: Iterable[Any] = CONSTANTS,
) -> Grade:
    """How `predicted` compares with `gold`: "same-method", "same-value" (a false match) or "different".

    Text may be an equation (`x=150*2-50`).  `quantities` are the numbers of the problem, if known: they decide
    whether `(1/6)` is one quantity or a division; without them it is one quantity if both sides have it.

    >>> grade("150+50*2", "150*2-50")
    'same-value'
    >>> grade("2*150-50", "x=150*2-50"), grade("150*2", "150*2-50")
    ('same-method', 'different')
    """
    left, right = _as_equation(predicted), _as_equation(gold)
    if quantities is None:
        known = _numbers(left) & _numbers(right)
    else:
        known = {as_fraction(quantity) for quantity in quantities}
    kept = {as_fraction(constant) for constant in constants}
    method = equivalent(lift(left, known, constants=kept), lift(right, known, constants=kept))
    if method:
        return Grade("same-method", f"the same function of the quantities ({method.reason})", method, None)
    value = equivalent(left, right)
    if value:
        shown = _value(left)
        return Grade("same-value", f"both {shown}, but by different functions of the quantities", method, value)
    if value.reason == "undefined":
        sides = {"left": "the prediction", "right": "the gold equation"}
        return Grade("different", f"{' and '.join(sides[s] for s in value.undefined)} divides by zero", method, value)
    point = ", ".join(f"{name}={amount}" for name, amount in (value.point or {}).items())
    reason = f"{value.value_text('left')} against {value.value_text('right')}" + (f" at {point}" if point else "")
    return Grade("different", reason, method, value)


def lift(expr: Expr, known: Iterable[Fraction] = (), *, constants: Iterable[Fraction] = ()) -> Expr:
    """`expr` with each number as an operand `q_...` named by its value, except the constants.

    A fraction in brackets is one quantity if its value is in `known`, else a division.

    >>> from mathcanon import parse
    >>> str(lift(parse("150*2-50+1"), constants=[Fraction(1)]))
    'q_150*q_2-q_50+1'
    """
    known, kept = set(known), set(constants)

    def number(value: Fraction, text: str | None) -> Expr:
        if value in kept:
            return Number(value)
        if text is None or "/" not in text or value in known:
            return make_operand(_quantity_name(value))
        numerator, denominator = _written_fraction(text)
        divided = TREE.product([(1, number(numerator, None)), (-1, number(denominator, None))])
        mixed = text[0] != "("
        return TREE.sum([(1, number(Fraction(value // 1), None)), (1, divided)]) if mixed else divided

    return fold(
        expr, Algebra(operand=make_operand, number=number, sum=TREE.sum, product=TREE.product, power=TREE.power)
    )


def _written_fraction(text: str) -> tuple[Fraction, Fraction]:
    above, below = text[text.index("(") :].split("/")
    return Fraction(above.strip("( )")), Fraction(below.strip("( )"))


def _quantity_name(value: Fraction) -> str:
    sign = "m" if value < 0 else ""
    ratio = f"_{value.denominator:d}" if value.denominator > 1 else ""
    return f"q_{sign}{abs(value.numerator):d}{ratio}"


def _as_equation(expr: Expr | str) -> Expr:
    return parse_equation(expr) if isinstance(expr, str) else expr


def _numbers(expr: Expr) -> set[Fraction]:
    return {leaf.value for leaf in expr.leaves() if isinstance(leaf, Number)}


def _value(expr: Expr) -> str:
    from .errors import MathCanonError
    from .evaluate import evaluate
    from .render import number_text

    try:
        return "are " + number_text(evaluate(expr, {})).strip("()")
    except MathCanonError:
        return "have the same value"
