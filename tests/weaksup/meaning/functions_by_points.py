"""A slow oracle for meanings: two expressions are one function if they agree at random points, in exact fractions."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from mathcanon import EvaluationError, evaluate

EXPRS = (
    "N0", "N1", "1", "N0+N1", "N1+N0", "N0-N1", "N1-N0", "N0*N1", "N0/N1", "N1/N0", "N0+1", "N0-1", "N0*1", "N0/1",
    "N0^2", "N0*N0", "N0-N0", "N1-N1", "N0+N1-N1", "N0*N1+N0", "N0*(N1+1)", "N0*(1+N1)", "N0/(N0-N1)", "1-N0",
    "3.14*N0", "3.14*N1", "N0*3.14/1", "N0*N0*N1/N0",
)  # fmt: skip

#: Pairs of values in which 0, 1, 3.14 and equal values all occur.
VALUES = [tuple(map(Fraction, pair)) for pair in product(("0", "1", "2", "7/2", "3.14"), repeat=2)]

_CONSTANT = re.compile(r"(?<![N^\d.])(?:3\.14|1)(?![\d.])")


def points(
    values: Sequence[Fraction], constants: Sequence[Fraction], *, seed: int = 0
) -> list[dict[Fraction, Fraction]]:
    """A few random points: a number for each value, equal for equal ones; the constants stand for themselves."""
    rng = random.Random(0)
    found = []
    for _ in range(3):
        point = {value: Fraction(rng.randint(10**6, 10**9), rng.randint(10**6, 10**9)) for value in values}
        found.append(point | {value: value for value in constants})
    return found


def function_of(expr: str, values: Sequence[Fraction], at: Sequence[Mapping[Fraction, Fraction]]) -> object:
    """The values of an expression at some points, its constants taken from the points as well; None if it has none."""
    text = _CONSTANT.sub(lambda found: "C" + found[0].replace(".", "_"), expr)
    given = {"N0": values[0], "N1": values[1], "C1": Fraction(1), "C3_14": Fraction("3.14")}
    try:
        return tuple([evaluate(text, {name: point.get(v, v) for name, v in given.items()}) for point in at])
    except EvaluationError:
        return None


def literal(expr: str, values: Sequence[Fraction]) -> str:
    """The equation in literal numbers."""
    texts = [f"({value})" if value.denominator not in (1, 2, 50) else f"{float(value):g}" for value in values]
    return "x=" + expr.replace("N0", texts[0]).replace("N1", texts[1])
