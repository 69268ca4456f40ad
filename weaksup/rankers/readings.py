"""Candidate sets -> arrays: every candidate as the templates it may stand for, its readings.

A candidate is a class at value level, so where quantities share a value, or have that of a constant, it can be read
in several ways: with N1 = 1, `N0-1` may be the template `N0-1` or `N0-N1`.  A reading is a *skeleton* (the text with
its leaves blank) and the leaves that fill it.  There are few skeletons, so texts are taken apart once for all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np

from ..records import CandidateSet

__all__ = ["MAX_READINGS", "NO_LEAF", "Array", "Readings", "read_candidates"]

Array = np.ndarray[Any, Any]

#: Readings of one candidate that are kept, in order.
MAX_READINGS = 8
#: What fills the places behind the last leaf.  Quantity i is i; constants are -1, -2...
NO_LEAF = -100

_LEAF = re.compile(r"(N\d+|(?<!\^)\b\d+(?:\.\d+)?)")  # a group, so that split keeps what it splits at
_TOKEN = re.compile(r"_|\^-?\d+|[-+*/()\[\]]")
_CODES = {"+": 1, "-": 2, "*": 3, "/": 4}  # in a program; 0 is a leaf, 10 + e the power e


class Readings(NamedTuple):
    """All readings of all candidates, problem by problem."""

    problem: Array  # of each candidate
    candidate: Array  # of each reading
    skeleton: Array  # of each reading
    leaves: Array  # (readings, most leaves)
    quantities: Array  # how many each problem has
    programs: Array  # (skeletons, longest): postfix codes
    lengths: Array  # of the programs
    constants: tuple[Fraction, ...]  # the value of leaf -1, -2...

    @property
    def place(self) -> Array:
        """The problem of each reading."""
        return self.problem[self.candidate]


def read_candidates(sets: Sequence[CandidateSet], *, limit: int = MAX_READINGS) -> Readings:
    """The readings of the candidates of `sets`, at most `limit` for each."""
    skeletons: dict[str, int] = {}
    constants: dict[Fraction, int] = {}
    names: dict[str, int] = {}
    known: dict[str, tuple[int, tuple[int, ...]]] = {}

    def taken_apart(text: str) -> tuple[int, tuple[int, ...]]:
        pieces = _LEAF.split(text)
        found = pieces[1::2]
        for name in found:
            if name not in names:
                quantity = name[0] == "N"
                names[name] = int(name[1:]) if quantity else constants.setdefault(Fraction(name), ~len(constants))
        return skeletons.setdefault("_".join(pieces[::2]), len(skeletons)), tuple([names[name] for name in found])

    for candidates in sets:
        for candidate in candidates.candidates:
            if candidate.expr not in known:
                known[candidate.expr] = taken_apart(candidate.expr)

    owner: list[int] = []
    skeleton: list[int] = []
    filled: list[tuple[int, ...]] = []
    number = 0
    for candidates in sets:
        same = _same_value(candidates.values, constants)
        for candidate in candidates.candidates:
            form, leaves = known[candidate.expr]
            if same and not same.keys().isdisjoint(leaves):
                choices = [same.get(leaf, (leaf,)) for leaf in leaves]
                readings = list(islice(product(*choices), limit))
            else:
                readings = [leaves]
            filled += readings
            owner += [number] * len(readings)
            skeleton += [form] * len(readings)
            number += 1
    programs, lengths = _programs(list(skeletons))
    return Readings(
        problem=np.repeat(np.arange(len(sets)), [len(candidates.candidates) for candidates in sets]),
        candidate=np.array(owner, dtype=np.int64),
        skeleton=np.array(skeleton, dtype=np.int64),
        leaves=_padded(filled, NO_LEAF),
        quantities=np.array([len(candidates.values) for candidates in sets], dtype=np.int64),
        programs=programs,
        lengths=lengths,
        constants=tuple(constants),
    )


def _same_value(values: Sequence[str], constants: dict[Fraction, int]) -> dict[int, tuple[int, ...]]:
    """leaf -> the leaves of its value, where there are several."""
    groups: dict[str, list[int]] = {}  # exact values are written one way
    for i, value in enumerate(values):
        groups.setdefault(value, []).append(i)
    for constant, leaf in constants.items():
        groups.setdefault(str(constant), []).append(leaf)
    return {leaf: tuple(group) for group in groups.values() if len(group) > 1 for leaf in group}


def _programs(skeletons: Sequence[str]) -> tuple[Array, Array]:
    codes = [_postfix(skeleton) for skeleton in skeletons]
    return _padded(codes, 0).astype(np.int8), np.array([len(code) for code in codes], dtype=np.int64)


def _postfix(skeleton: str) -> tuple[int, ...]:
    """The codes of a skeleton, operands first: `_*(_-_)` is 0 0 0 2 3."""
    out: list[int] = []
    waiting: list[str] = []
    for token in _TOKEN.findall(skeleton):
        if token == "_":
            out.append(0)
        elif token[0] == "^":
            out.append(10 + int(token[1:]))
        elif token in "([":
            waiting.append("(")
        elif token in ")]":
            while (operator := waiting.pop()) != "(":
                out.append(_CODES[operator])
        else:
            while waiting and waiting[-1] != "(" and (token in "+-" or waiting[-1] in "*/"):
                out.append(_CODES[waiting.pop()])
            waiting.append(token)
    return tuple(out + [_CODES[operator] for operator in reversed(waiting)])


def _padded(rows: Sequence[tuple[int, ...]], fill: int) -> Array:
    """Rows of different lengths as one array."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    table = np.full((len(rows), int(lengths.max(initial=0))), fill, dtype=np.int64)
    inside = np.arange(table.shape[1]) < lengths[:, None]
    table[inside] = np.array([number for row in rows for number in row], dtype=np.int64)
    return table
