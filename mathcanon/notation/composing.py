"""Equations -> steps, and steps -> one expression.

A step remembers its result and its name.  A number that is the result of an earlier step stands for that step, and so
does a name that a step defined.  If a number could be several things, it is a quantity of the question if the question
is given and contains it, otherwise the latest step with that result.  A number that occurs twice in one calculation
(`3+3`) stands for the two latest steps with that result, in their order.  The 100 of `20/100` never stands for a
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..algebra import Algebra, fold
from ..errors import EvaluationError, LimitError, ParseError
from ..expr import (
    MAX_DEPTH,
    MAX_SIZE,
    Expr,
    Number,
    Operand,
    Product,
    Sum,
    make_number,
    make_operand,
    make_power,
    make_product,
    make_sum,
    upwards,
)
from ..values import evaluate
from .notations import parse
from .numerals import value_text
from .prose import Equation

__all__ = ["Composer", "Solution", "Step", "is_literal", "value_of"]

_HUNDRED = Fraction(100)
_FLOAT_NOISE = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Step:
    """One calculation: its expression as written, the result stated for it, and whether that is right.

    `stated` and `right` are None where no result is stated.  A result stated with decimals is right if it is the
    value rounded or truncated to as many decimals.  `place` and `end` are the position of the equation in the text
    (the same for all steps of a chain).  `composed` is the expression with earlier steps put in.
    """

    expr: Expr
    value: Fraction = field(compare=False)
    stated: Fraction | None = None
    right: bool | None = None
    name: str = ""
    place: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    composed: Expr = field(default_factory=lambda: Number(0), compare=False, repr=False)

    @property
    def result(self) -> Fraction:
        """What later steps take from this one: the stated result, or the value if none is stated."""
        return self.value if self.stated is None else self.stated

    def __str__(self) -> str:
        return f"{self.expr}={value_text(self.result)}"


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution as read: its steps, the steps composed to one expression, and the final answer.

    `answer` is a Fraction, or an expression if it has operands (`2x-1`) or no value.  `unused` are the steps that
    the answer does not depend on.
    """

    expr: Expr
    answer: Fraction | Expr
    steps: tuple[Step, ...] = ()
    unused: tuple[Step, ...] = ()

    @property
    def wrong(self) -> Step | None:
        """The first step whose arithmetic is wrong."""
        return next((step for step in self.steps if step.right is False), None)


class Composer:
    """Steps in order, and what their results and names stand for."""

    def __init__(self, quantities: Iterable[Fraction]) -> None:
        self.quantities = frozenset(quantities)
        self.steps: list[Step] = []
        self.uses: list[set[int]] = []  # for each step, the earlier ones it depends on
        self.by_result: dict[Fraction, list[int]] = {}
        self.by_percent: dict[Fraction, int] = {}
        self.by_name: dict[str, int] = {}
        self.values: dict[str, Fraction] = {}

    def add(self, equation: Equation) -> bool:
        """Add the steps of an equation; False if it has none."""
        before = len(self.steps)
        name, chain = equation.name, []
        for i, side in enumerate(equation.sides):
            try:
                expr = parse(side, "infix")
            except (ParseError, LimitError):
                continue
            if i == 0 and isinstance(expr, Operand) and len(equation.sides) > 1:
                name = expr.name
                continue
            value = value_of(expr, self.values)
            if value is not None:
                chain.append((side, expr, value))
        for step, written in _steps_of(chain, floored=equation.floored):
            trivial = is_literal(step.expr) or (step.stated is None and _is_fraction_or_range(step.expr))
            if not name and step.right is not True and any(len(letter) == 1 for letter in step.expr.operands()):
                continue  # a condition on unknowns, not a calculation
            if name or equation.calculation or not trivial:
                self._append(replace(step, name=name, place=equation.place, end=equation.end), written)
        return len(self.steps) > before

    def _append(self, step: Step, written: str) -> None:
        index = len(self.steps)
        composed, used = self.compose(step.expr)
        if step.right is False and used:  # it may be right for the exact values of earlier rounded results
            exact = value_of(composed, {})
            step = replace(step, right=exact is not None and _agrees(exact, step.result, written))
        self.steps.append(replace(step, composed=composed))
        self.uses.append(used)
        if step.name:
            self.by_name[step.name], self.values[step.name] = index, step.result
        if is_literal(step.expr):
            self.by_result.setdefault(step.value, [index])
        else:
            for result in {step.value, step.result}:
                self.by_result.setdefault(result, []).append(index)
            if written.endswith("%"):
                self.by_percent[step.result * 100] = index

    def compose(self, expr: Expr) -> tuple[Expr, set[int]]:
        """`expr` with earlier steps in place of their results and names, and the indices of these steps."""
        used: set[int] = set()
        own = self.quantities | {_HUNDRED} if _is_percentage(expr) else self.quantities
        times = Counter([leaf.value for leaf in expr.leaves() if isinstance(leaf, Number)])

        def step(index: int) -> Expr:
            used.add(index)
            return self.steps[index].composed

        def number(value: Fraction, text: str | None) -> Expr:
            if value not in self.by_result or value in own:
                return make_number(value, text)
            latest = self.by_result[value][-times[value] :]
            times[value] = max(1, times[value] - 1)
            return step(latest[0])

        def operand(name: str) -> Expr:
            return step(self.by_name[name]) if name in self.by_name else make_operand(name)

        composed = fold(
            expr, Algebra(operand=operand, number=number, sum=make_sum, product=make_product, power=make_power)
        )
        if composed.size > MAX_SIZE:
            raise LimitError("the size of the composed solution", composed.size, MAX_SIZE)
        if composed.depth > MAX_DEPTH:
            raise LimitError("the depth of the composed solution", composed.depth, MAX_DEPTH)
        return composed, used

    def solution(self, answer: Expr | None) -> Solution:
        """The solution with this answer, or with the result of the last step."""
        if answer is None:
            last = len(self.steps) - 1
            return self._reached(self.steps[last].composed, self.steps[last].result, {last})
        value = value_of(answer, {})
        if value is None:
            return self._reached(answer, answer, set())
        if value in self.by_result:
            index = self.by_result[value][-1]
            return self._reached(self.steps[index].composed, value, {index})
        if value in self.by_percent:  # the answer is 25, and a step has the result 25%
            index = self.by_percent[value]
            return self._reached(make_product([(1, Number(100)), (1, self.steps[index].composed)]), value, {index})
        composed, used = self.compose(answer)
        return self._reached(composed, value, used)

    def _reached(self, expr: Expr, answer: Fraction | Expr, first: set[int]) -> Solution:
        reached, stack = set(first), list(first)
        while stack:
            new = self.uses[stack.pop()] - reached
            reached |= new
            stack.extend(new)
        unused = tuple([step for i, step in enumerate(self.steps) if i not in reached])
        return Solution(expr, answer, tuple(self.steps), unused)


def _steps_of(chain: list[tuple[str, Expr, Fraction]], *, floored: bool) -> Iterator[tuple[Step, str]]:
    """The steps of a chain `a = b = c`, each with its result as it is written.

    Sides of equal value are one step.  `5*3 = 15+2 = 17`, where a side goes on from the result before it, is two.
    """
    if not chain:
        return
    if len(chain) > 1 and is_literal(chain[0][1]) and not is_literal(chain[1][1]):
        first, second, *rest = chain
        chain = [second, first, *rest] if first[2] == second[2] else [second, *rest]  # 24 = 48/2; 3 hours = 3*60
    step, written = Step(*chain[0][1:]), ""
    for text, side, value in chain[1:]:
        if value != step.value and not isinstance(side, Number) and _first_number(side) == step.result:
            if step.stated is None:
                step = replace(step, stated=step.value, right=True)
            yield step, written
            step, written = Step(side, value), ""
        elif value != step.value or is_literal(side) or _is_fraction_or_range(side):
            right = _agrees(step.value, value, text) or (floored and step.value // 1 == value)
            if step.stated is None:
                step, written = replace(step, stated=value, right=right), text
            elif not right:
                step = replace(step, right=False)
    yield step, written


def _first_number(expr: Expr) -> Fraction | None:
    first = next(expr.leaves())
    return first.value if isinstance(first, Number) else None


def is_literal(expr: Expr) -> bool:
    """Whether it is a number, perhaps negative."""
    match expr:
        case Number() | Sum(((-1, Number()),)):
            return True
    return False


def _is_fraction_or_range(expr: Expr) -> bool:
    """Whether it is a fraction or a range, which are seldom calculations of their own: `2/3`, `3-4`."""
    match expr:
        case Product(((1, Number()), (-1, Number()))) | Sum(((1, Number()), (-1, Number()))):
            return True
    return False


def _is_percentage(expr: Expr) -> bool:
    """Whether something in it is divided by 100."""
    return any(
        isinstance(node, Product) and any(mark < 0 and factor == Number(_HUNDRED) for mark, factor in node.factors)
        for node in upwards(expr)
    )


def _agrees(value: Fraction, stated: Fraction, written: str) -> bool:
    """Whether a stated result is right: exactly, or rounded or truncated to its number of decimals."""
    if value == stated:
        return True
    _, point, decimals = written.rstrip("% )").partition(".")
    if not point:
        return False
    unit = Fraction(1, 10 ** len(decimals) * (100 if written.endswith("%") else 1))
    off = abs(value - stated)
    cut_off = 0 <= (value - stated if value > 0 else stated - value) < unit
    return 2 * off <= unit or cut_off or off <= abs(value) * _FLOAT_NOISE


def value_of(expr: Expr, values: dict[str, Fraction]) -> Fraction | None:
    """The value, or None where there is none or it is too large."""
    try:
        return evaluate(expr, values)
    except (EvaluationError, LimitError):
        return None
