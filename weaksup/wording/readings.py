"""Equations -> arrays of readings, the templates that each equation may stand for.

A candidate is one of several expressions with the same meaning for the given numbers.  If quantities share a value, or
have the value of a constant, it can be read in several ways: with N1 = 1, `N0-1` may be the template `N0-1` or `N0-N1`.
A reading is a *skeleton* (a postfix program with blank leaves) and the leaves that fill it.  Each expression is parsed
once for all its readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np

from mathcanon import Algebra
from mathcanon.notation.notations import parse_with

from ..errors import DataError
from ..meaning.operand_names import quantity_number
from ..records import CandidateSet

__all__ = [
    "ADD",
    "DIVIDE",
    "LEAF",
    "MAX_READINGS",
    "MULTIPLY",
    "NO_LEAF",
    "POWER",
    "ROLES",
    "SUBTRACT",
    "Array",
    "Readings",
    "read_candidates",
    "read_equations",
]

Array = np.ndarray[Any, Any]

#: The most readings kept per candidate, in order.
MAX_READINGS = 8
#: The padding after the last leaf.  Quantity i is i; constants are -1, -2...
NO_LEAF = -100

# The codes of a program: a leaf, the operators, and POWER + e for the power e.
LEAF, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = 0, 1, 2, 3, 4, 10

#: The roles of a quantity: left out, used several times, the whole expression, or else the operation on it (added,
#: subtracted, multiplied, divided by) combined with the operation on the result (the same four, or none).
ROLES = 3 + 4 * 5

_Leaf = str | Fraction  # a quantity or a constant
_Program = tuple[tuple[int, ...], tuple[_Leaf, ...]]  # codes in postfix order, and the leaves in that order


class Readings(NamedTuple):
    """All readings of all candidates, problem by problem."""

    problem: Array  # the problem of each candidate
    candidate: Array  # the candidate of each reading
    skeleton: Array  # the skeleton of each reading
    leaves: Array  # (readings, most leaves)
    quantities: Array  # the number of quantities of each problem
    programs: Array  # (skeletons, longest program): postfix codes
    lengths: Array  # of the programs
    constants: tuple[Fraction, ...]  # the value of leaf -1, -2...

    @property
    def place(self) -> Array:
        """The problem of each reading."""
        return self.problem[self.candidate]


def read_candidates(sets: Sequence[CandidateSet], *, limit: int = MAX_READINGS) -> Readings:
    """The readings of the candidates of `sets`, at most `limit` for each."""
    return read_equations([(found.values, [one.expr for one in found.candidates]) for found in sets], limit=limit)


def read_equations(problems: Sequence[tuple[Sequence[str], Sequence[str]]], *, limit: int = MAX_READINGS) -> Readings:
    """The readings of the equations over N0, N1... of problems, each given by its quantities and its equations."""
    skeletons: dict[tuple[int, ...], int] = {}
    constants: dict[Fraction, int] = {}
    known: dict[str, tuple[int, tuple[int, ...]]] = {}

    def number_of(leaf: _Leaf) -> int:
        quantity = quantity_number(leaf) if isinstance(leaf, str) else constants.setdefault(leaf, ~len(constants))
        if quantity is None:
            raise DataError(f"{leaf} is not a quantity of a problem")
        return quantity

    for _, exprs in problems:
        for expr in exprs:
            if expr not in known:
                codes, names = parse_with(expr, _PROGRAMS)
                form = skeletons.setdefault(codes, len(skeletons))
                known[expr] = form, tuple([number_of(name) for name in names])

    owner: list[int] = []
    skeleton: list[int] = []
    filled: list[tuple[int, ...]] = []
    number = 0
    for values, exprs in problems:
        same = _same_value(values, constants)
        for expr in exprs:
            form, leaves = known[expr]
            if same and not same.keys().isdisjoint(leaves):
                choices = [same.get(leaf, (leaf,)) for leaf in leaves]
                readings = list(islice(product(*choices), limit))
            else:
                readings = [leaves]
            filled += readings
            owner += [number] * len(readings)
            skeleton += [form] * len(readings)
            number += 1
    return Readings(
        problem=np.repeat(np.arange(len(problems)), [len(exprs) for _, exprs in problems]),
        candidate=np.array(owner, dtype=np.int64),
        skeleton=np.array(skeleton, dtype=np.int64),
        leaves=_padded(filled, NO_LEAF),
        quantities=np.array([len(values) for values, _ in problems], dtype=np.int64),
        programs=_padded(list(skeletons), LEAF).astype(np.int16),
        lengths=np.array([len(codes) for codes in skeletons], dtype=np.int64),
        constants=tuple(constants),
    )


def _same_value(values: Sequence[str], constants: dict[Fraction, int]) -> dict[int, tuple[int, ...]]:
    """The leaves of the same value, by leaf, if there are several."""
    groups: dict[str, list[int]] = {}  # exact values are written one way
    for i, value in enumerate(values):
        groups.setdefault(value, []).append(i)
    for constant, leaf in constants.items():
        groups.setdefault(str(constant), []).append(leaf)
    return {leaf: tuple(group) for group in groups.values() if len(group) > 1 for leaf in group}


def _chained(blocks: list[tuple[int, _Program]], ahead: int, behind: int, neutral: Fraction) -> _Program:
    """Blocks joined from left to right, starting with a positive one, or with `neutral` (0 or 1) if there is none."""
    first = next((i for i, (mark, _) in enumerate(blocks) if mark > 0), None)
    if first is None:
        blocks = [(1, ((LEAF,), (neutral,))), *blocks]
    elif first > 0:
        blocks = [blocks[first], *blocks[:first], *blocks[first + 1 :]]
    codes, leaves = blocks[0][1]
    for mark, (more_codes, more_leaves) in blocks[1:]:
        codes += (*more_codes, ahead if mark > 0 else behind)
        leaves += more_leaves
    return codes, leaves


#: The program of an expression: `N0*(N1-1)` has the codes 0 0 0 2 3 and the leaves N0, N1, 1.
_PROGRAMS: Algebra[_Program] = Algebra(
    operand=lambda name: ((LEAF,), (name,)),
    number=lambda value, text: ((LEAF,), (value,)),
    sum=lambda terms: _chained(terms, ADD, SUBTRACT, Fraction(0)),
    product=lambda factors: _chained(factors, MULTIPLY, DIVIDE, Fraction(1)),
    power=lambda base, exponent: ((*base[0], POWER + exponent), base[1]),
)


def _padded(rows: Sequence[tuple[int, ...]], fill: int) -> Array:
    """Rows of different lengths as one array, padded with `fill`."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    table = np.full((len(rows), int(lengths.max(initial=0))), fill, dtype=np.int64)
    inside = np.arange(table.shape[1]) < lengths[:, None]
    table[inside] = np.array([number for row in rows for number in row], dtype=np.int64)
    return table
