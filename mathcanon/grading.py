"""Grading of solutions that a model or a pupil wrote: is the answer right, and the method too?

A solution is read and its steps are composed to one expression (`read_solution`).  Literal numbers become
quantities (equal numbers are one quantity; 0, 1, 3.14 and 100 stay numbers), and the two expressions are compared as
functions of the quantities.  `150+50*2` against `150*2-50` has the right value and the wrong reasoning: a false match,
graded "same-value".  20%, 0.2, 20/100 and 20*0.01 are one quantity over 100.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from .algebra import TREE, Algebra, fold
from .batches import mapped
from .equality.verdict import Verdict, equivalent
from .errors import MathCanonError
from .expr import Expr, ExprLike, Number, as_expr, make_operand
from .notation.numerals import integer_text, value_text
from .notation.pieces import read_quantities
from .notation.solutions import Solution, Step, read_solution, solution_of
from .values import as_fraction

__all__ = ["CONSTANTS", "GRADES", "Grade", "grade", "grade_many", "lift", "quantity_operand"]

CONSTANTS = (Fraction(0), Fraction(1), Fraction("3.14"), Fraction(100))
_KEPT = frozenset(CONSTANTS)
GRADES = ("same-method", "same-value", "different", "unreadable")
_CHUNK = 64  # pairs that are sent to a process at once
_UNREADABLE = (MathCanonError, TypeError, ValueError)


class Grade(str):
    """ "same-method", "same-value", "different" or, from `grade_many`, "unreadable"; `reason` says why.

    `method` and `value` are the verdicts on the functions of the quantities and on the values (None where they were
    not needed), `predicted` and `gold` the solutions as they were read (None for one that can't be read).
    """

    __slots__ = ("gold", "method", "predicted", "reason", "value")
    reason: str
    method: Verdict | None
    value: Verdict | None
    predicted: Solution | None
    gold: Solution | None

    def __new__(
        cls,
        grade: str,
        reason: str,
        method: Verdict | None = None,
        value: Verdict | None = None,
        predicted: Solution | None = None,
        gold: Solution | None = None,
    ) -> Grade:
        self = super().__new__(cls, grade)
        self.reason, self.method, self.value, self.predicted, self.gold = reason, method, value, predicted, gold
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:  # type: ignore[override]
        return str(self), self.reason, self.method, self.value, self.predicted, self.gold

    @property
    def kind(self) -> str:
        """The grade as a plain string."""
        return str(self)

    @property
    def answers(self) -> tuple[Fraction | Expr, Fraction | Expr] | None:
        """The final answers of the prediction and of gold."""
        return (self.predicted.answer, self.gold.answer) if self.predicted and self.gold else None

    @property
    def wrong_step(self) -> Step | None:
        """The first step of the prediction whose arithmetic is wrong."""
        return self.predicted.wrong if self.predicted else None

    @property
    def foreign_step(self) -> Step | None:
        """The first of `foreign_steps`."""
        return next(iter(self.foreign_steps), None)

    @property
    def foreign_steps(self) -> list[Step]:
        """The steps of the prediction whose results occur nowhere in the steps of gold."""
        if not self.predicted or not self.gold:
            return []
        known = {result for step in self.gold.steps for result in (step.value, step.result)} | {self.gold.answer}
        return [step for step in self.predicted.steps if step.result not in known]


def grade(
    predicted: ExprLike | Solution,
    gold: ExprLike | Solution,
    *,
    question: str | None = None,
    quantities: Iterable[Any] | None = None,
    constants: Iterable[Any] = CONSTANTS,
    tolerance: Any = 0,
) -> Grade:
    r"""How `predicted` compares with `gold`: "same-method", "same-value" (a false match) or "different".

    Parameters
    ----------
    predicted, gold
        Text (an expression, an equation or a whole solution, see `read_solution`), a `Solution`, an expression or an
        exact number.
    question
        The text of the problem: a number of the question stands for itself even if a step has the same result.
    quantities
        The numbers of the problem, if known: they decide whether `(1/6)` is one quantity or a division.  Without them
        and without a question it is one quantity if both sides have it.
    constants
        The values that stay numbers.  If 100 is one of them, decimals are read as hundredths, so that `0.2`, `20%` and
        `20/100` are the same.
    tolerance
        How far the final answers may differ, relative to gold where that is larger than 1.  The grade is "different"
        unless they agree.

    Returns
    -------
    Grade
        A string with the reason, both solutions as they were read, and the verdicts.

    Raises
    ------
    ParseError
        If a text can't be read; `grade_many` does not raise this.

    Notes
    -----
    Reading is linear in the length of the texts; then come one `equivalent` for the method and one comparison of exact
    values.

    Examples
    --------
    >>> grade("150+50*2", "150*2-50")
    'same-value'
    >>> grade("2*150-50", "x=150*2-50"), grade("150*2", "150*2-50")
    ('same-method', 'different')
    >>> found = grade("48/2=22 and 48+22=70. The answer is 70.", "48/2=<<48/2=24>>24, 48+24=<<48+24=72>>72 #### 72")
    >>> found, found.reason, found.wrong_step.expr
    ('different', '70 against 72; 48/2 is 24, not 22', Expr('48/2'))
    """
    left, right = _as_solution(predicted, question), _as_solution(gold, question)
    known: Collection[Fraction] | None = None
    if quantities is not None:
        known = frozenset([as_fraction(quantity) for quantity in quantities])
    elif question is not None:
        known = read_quantities(question)
    kept = _KEPT if constants is CONSTANTS else frozenset([as_fraction(constant) for constant in constants])
    close = _close(left.answer, right.answer, as_fraction(tolerance))
    if close is False:
        value = _same_answer(left.answer, right.answer)
        return Grade("different", _difference(value, left, right), None, value, left, right)
    if known is None:
        known = _numbers(left.expr) & _numbers(right.expr)
    leaf = _in_hundredths if Fraction(100) in kept else quantity_operand
    method = equivalent(
        lift(left.expr, known, constants=kept, leaf=leaf), lift(right.expr, known, constants=kept, leaf=leaf)
    )
    if method:
        return Grade("same-method", f"the same function of the quantities ({method.reason})", method, None, left, right)
    value = _same_answer(left.answer, right.answer)
    if value or close:
        reason = f"{_both(left.answer, right.answer)}, but by different functions of the quantities"
        return Grade("same-value", reason, method, value, left, right)
    return Grade("different", _difference(value, left, right), method, value, left, right)


def grade_many(
    pairs: Iterable[Sequence[Any]], *, workers: int = 1, constants: Iterable[Any] = CONSTANTS, tolerance: Any = 0
) -> Iterator[Grade]:
    """The grade of each pair of a prediction and gold, in order, as they are asked for.

    Parameters
    ----------
    pairs
        Pairs as for `grade`; the question may follow as the third part and the quantities of the problem as the fourth,
        and either may be None.
    workers
        Above 1, the work is done in that many processes, and a few hundred pairs for each are read ahead.
    constants, tolerance
        As for `grade`.

    Yields
    ------
    Grade
        "unreadable" for a pair that can't be read, or that is no pair; its reason says why.

    Raises
    ------
    ValueError
        If `workers` is below 1.

    Notes
    -----
    The cost is that of `grade` for each record, divided among the workers; only a few slices of the input are in
    memory.

    Examples
    --------
    >>> pairs = [("150*2-50", "150*2-50"), ("unknown", "150*2-50"), ("#### 250", "150*2-50")]
    >>> list(grade_many(pairs))
    ['same-method', 'unreadable', 'same-value']
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    kept = tuple([as_fraction(constant) for constant in constants])
    one = partial(_grade_pair, constants=kept, tolerance=as_fraction(tolerance))
    return mapped(partial(_grade_chunk, one), ([pair] for pair in pairs), workers, size=_CHUNK)


def _grade_chunk(one: partial[Grade], chunk: list[Sequence[Any]]) -> list[Grade]:
    return [one(pair) for pair in chunk]


def _grade_pair(pair: Sequence[Any], *, constants: Iterable[Fraction], tolerance: Fraction) -> Grade:
    try:
        predicted, gold, question, quantities = (*pair, None, None)[: max(4, len(pair))]
    except (TypeError, ValueError):
        return Grade("unreadable", f"not a pair of a prediction and gold: {type(pair).__name__}")
    try:
        right = _as_solution(gold, question)
    except _UNREADABLE as error:
        return Grade("unreadable", f"gold: {error}")
    try:
        left = _as_solution(predicted, question)
    except _UNREADABLE as error:
        return Grade("unreadable", f"the prediction: {error}", gold=right)
    try:
        return grade(left, right, question=question, quantities=quantities, constants=constants, tolerance=tolerance)
    except _UNREADABLE as error:  # invalid quantities, or too large to compare
        return Grade("unreadable", str(error), predicted=left, gold=right)


def _as_solution(x: Any, question: str | None) -> Solution:
    if isinstance(x, Solution):
        return x
    return read_solution(x, question) if isinstance(x, str) else solution_of(as_expr(x))


def _same_answer(left: Fraction | Expr, right: Fraction | Expr) -> Verdict:
    if isinstance(left, Fraction) and isinstance(right, Fraction):  # a shortcut: most answers are numbers
        same = left == right
        return Verdict(same, "structure" if same else "counterexample", as_expr(left), as_expr(right))
    return equivalent(as_expr(left), as_expr(right))


def _close(left: Fraction | Expr, right: Fraction | Expr, tolerance: Fraction) -> bool | None:
    """Whether two numbers agree within the tolerance; None if they are not both numbers."""
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return None
    if left == right or not tolerance:  # a shortcut: most people have no tolerance
        return left == right
    return abs(left - right) <= tolerance * max(Fraction(1), abs(right))


def _both(left: Fraction | Expr, right: Fraction | Expr) -> str:
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return "both have the same value"
    return f"both are {value_text(left)}" if left == right else f"{value_text(left)} is close to {value_text(right)}"


def _difference(value: Verdict, predicted: Solution, gold: Solution) -> str:
    if isinstance(predicted.answer, Fraction) and isinstance(gold.answer, Fraction):
        reason = f"{value_text(predicted.answer)} against {value_text(gold.answer)}"
    elif value.reason == "undefined":
        sides = {"left": "the prediction", "right": "the gold equation"}
        return f"{' and '.join(sides[side] for side in value.undefined)} divides by zero"
    elif value.point is None:
        return "the values differ, and are too large to show"
    else:
        point = ", ".join(f"{name}={amount}" for name, amount in value.point.items())
        reason = f"{value.value_text('left')} against {value.value_text('right')}" + (f" at {point}" if point else "")
    wrong = predicted.wrong
    if wrong is None:
        return reason
    return f"{reason}; {wrong.expr} is {value_text(wrong.value)}, not {value_text(wrong.result)}"


def quantity_operand(value: Fraction) -> Expr:
    """The operand `q_...` that stands for a number, named by its value."""
    sign = "m" if value < 0 else ""
    ratio = f"_{integer_text(value.denominator)}" if value.denominator > 1 else ""
    return make_operand(f"q_{sign}{integer_text(abs(value.numerator))}{ratio}")


def _in_hundredths(value: Fraction) -> Expr:
    """A whole number as an operand; any other number as the operand of its percentage, divided by 100."""
    if value.denominator == 1:
        return quantity_operand(value)
    percentage = Number(1) if value == Fraction(1, 100) else quantity_operand(100 * value)
    return TREE.product([(1, percentage), (-1, Number(100))])


def lift(
    expr: Expr,
    known: Iterable[Fraction] = (),
    *,
    constants: Iterable[Fraction] = (),
    leaf: Callable[[Fraction], Expr] = quantity_operand,
) -> Expr:
    """`expr` with `leaf(value)` for each number except the constants: by default an operand named by its value.

    A fraction in brackets is one number if its value is in `known`, else a division.

    >>> from mathcanon import parse
    >>> str(lift(parse("150*2-50+1"), constants=[Fraction(1)]))
    'q_150*q_2-q_50+1'
    """
    known, kept = set(known), set(constants)

    def number(value: Fraction, text: str | None) -> Expr:
        if value in kept:
            return Number(value)
        if text is None or "/" not in text or value in known:
            return leaf(value)
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


def _numbers(expr: Expr) -> frozenset[Fraction]:
    return frozenset([leaf.value for leaf in expr.leaves() if isinstance(leaf, Number)])
