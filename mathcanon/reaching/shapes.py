"""Traced hits as expressions: the steps of `trace` folded to a canonical form.

A form is folded straight from the steps.  Trees of blocks, and with them their texts, are kept by identity, because
hits share most of their blocks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ..algebra import Algebra, fold
from ..canonical_form import CANONICAL, _node, as_tree, canonical_form, is_polar
from ..expr import Expr, make_operand
from .program import MINUS, MULTIPLY, PLACE_BITS, PLUS

__all__ = ["Hit", "Shape", "evaluate_codes", "evaluate_steps", "shape_of"]

Pair = tuple[int, int]  # numerator and denominator, not reduced
Step = tuple[str, int, int]  # operator and the places of its operands; each result gets the next place

_OPERATORS = "+-*/"  # by code
_PLACE = (1 << PLACE_BITS) - 1
_MAX_BLOCKS = 1 << 16
_blocks: dict[str, Expr] = {}  # trees of blocks, by identity


class Shape:
    """A class on the operands N0, N1... (the positions of the numbers), shared by all problems it is a hit of."""

    __slots__ = ("_steps", "expr", "polar", "size")
    expr: Expr
    polar: bool  # whether its opposite can be written too
    size: int  # number of operands

    def __init__(self, expr: Expr, size: int) -> None:
        self.expr, self.size = expr, size
        self.polar = is_polar(expr)
        self._steps: tuple[Step, ...] | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that compute it, in the order of writing; operands come first, each result gets the next place."""
        if self._steps is None:
            self._steps = _steps(self.expr, self.size)
        return self._steps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.expr == other.expr

    def __hash__(self) -> int:
        return hash(self.expr)

    def __repr__(self) -> str:
        return f"Shape({str(self.expr)!r})"


class Hit(NamedTuple):
    """One expression of a problem with the right value: a sign times a class."""

    shape: Shape
    sign: int
    value: Fraction

    @property
    def expr(self) -> Expr:
        """The expression over N0, N1..., its sign pushed inward."""
        return as_tree(self.sign, self.shape.expr)


@lru_cache(maxsize=1 << 16)
def shape_of(size: int, codes: bytes) -> tuple[int, Shape]:
    """The sign and the class of traced steps on `size` operands.

    >>> import sys
    >>> subtract = (MINUS << 2 * PLACE_BITS | 1 << PLACE_BITS | 0).to_bytes(2, sys.byteorder)  # second minus first
    >>> shape_of(2, subtract)
    (-1, Shape('N0-N1'))
    """
    sign, expr = _folded(codes, [canonical_form(make_operand(f"N{i}")) for i in range(size)])
    return sign, Shape(expr, size)


def _folded(codes: bytes, places: list[Any]) -> tuple[int, Expr]:
    for operator, i, j in _decoded(codes):
        join = CANONICAL.sum if operator <= MINUS else CANONICAL.product
        places.append(join([(1, places[i]), (1 if operator in (PLUS, MULTIPLY) else -1, places[j])]))
    form = places[-1]
    return (form[1] or 1), _built(form)  # a class that is its own opposite is written as positive


def _decoded(codes: bytes) -> list[tuple[int, int, int]]:
    return [
        (code >> 2 * PLACE_BITS, code >> PLACE_BITS & _PLACE, code & _PLACE) for code in memoryview(codes).cast("H")
    ]


def _block(form: Any) -> Expr:
    """The tree of a form, from the cache if it is there."""
    found = _blocks.get(form[0])
    if found is None:
        if len(_blocks) >= _MAX_BLOCKS:
            _blocks.clear()
        found = _blocks[form[0]] = _built(form)
    return found


def _built(form: Any) -> Expr:
    _, _, _, parts, others = form
    if isinstance(parts, list):  # of a sum or a product
        below = [*parts, *others]
    else:
        below = [parts] if isinstance(parts, tuple) else []  # the base of a power
    return _node(form, {id(part): _block(part) for part in below})


def _steps(expr: Expr, size: int) -> tuple[Step, ...]:
    steps: list[Step] = []

    def chain(operators: str, parts: list[tuple[int, int]]) -> int:
        place = parts[0][1]  # the first block of a class is added, or multiplied
        for mark, part in parts[1:]:
            steps.append((operators[mark < 0], place, part))
            place = size + len(steps) - 1
        return place

    fold(
        expr,
        Algebra(
            operand=lambda name: int(name[1:]),
            number=lambda value, text: -1,
            sum=lambda terms: chain("+-", terms),
            product=lambda factors: chain("*/", factors),
            power=lambda base, exponent: base,
        ),
    )
    return tuple(steps)


def evaluate_codes(codes: bytes, pairs: list[Pair]) -> Pair | None:
    """The value of traced steps as numerator and denominator; None if something is divided by zero."""
    return evaluate_steps(tuple([(_OPERATORS[operator], i, j) for operator, i, j in _decoded(codes)]), pairs)


def evaluate_steps(steps: tuple[Step, ...], pairs: list[Pair]) -> Pair | None:
    """The value of a shape as numerator and denominator; None if it divides by zero."""
    places = pairs.copy()
    for operator, i, j in steps:
        a, b = places[i]
        c, d = places[j]
        if operator == "+":
            places.append((a * d + c * b, b * d))
        elif operator == "-":
            places.append((a * d - c * b, b * d))
        elif operator == "*":
            places.append((a * c, b * d))
        elif c:
            places.append((a * d, b * c))
        else:
            return None
    return places[-1]
