"""What the oracle scores: candidate files, label files, and label files of other people.

Foreign labels have an id and an equation in literal numbers.  Often fractions and percents were evaluated to floats
on the way (`x=720.0*0.16666666666666666`); `exact_equation` gives each float back the quantity it is the float of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any

import msgspec

from .errors import DataError
from .files import read_records
from .records import CandidateSet, Label
from .value_level import CONSTANTS

__all__ = ["ForeignLabel", "Records", "exact_equation", "find_record", "read_scored"]

_DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d{1,3})?(?![\w.%])")
_NEAR = Fraction(1, 10**9)  # relative: floats have 15 to 17 digits
_ROUNDED_PLACES = 4  # a number with so many decimals may be a rounded one; "2.0" is not 2.04


class ForeignLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label of unknown origin; there may be several for a problem."""

    id: str | int
    equation: str


Records = list[CandidateSet] | list[Label] | list[ForeignLabel]


def read_scored(path: str | PathLike[str]) -> Records:
    """The records of a file, whichever of the three kinds it is: the first record decides."""
    try:
        first: Any = next(read_records(path, Any))
    except StopIteration:
        return list[CandidateSet]()
    if isinstance(first, dict) and "values" in first:
        return list(read_records(path, CandidateSet))
    if isinstance(first, dict) and "expr" in first:
        return list(read_records(path, Label))
    if isinstance(first, dict) and "id" in first and "equation" in first:
        return list(read_records(path, ForeignLabel))
    raise DataError("neither candidates nor labels: a record has an id and candidates or an equation", path=str(path))


def find_record(path: str | PathLike[str], id: str) -> CandidateSet | Label:
    """What a file of candidates or labels has for a problem."""
    for record in read_scored(path):
        if isinstance(record, ForeignLabel):
            raise DataError("labels without candidates: there is nothing to choose from", path=str(path))
        if record.id == id:
            return record
    raise DataError(f"{path} has no problem {id}")


def exact_equation(equation: str, values: Sequence[Fraction]) -> str:
    """The equation with the exact value for each decimal that is a quantity or a constant, but for rounding.

    A quantity of just that value comes first; else the nearest within 1e-9 of its size or, for a number with four
    decimals or more, within half a unit of the last one.  Other numbers stay as they are.

    >>> exact_equation("x=720.0*0.16666666666666666/1.5", [Fraction(720), Fraction(1, 6)])
    'x=720*(1/6)/1.5'
    """
    known = [*values, *CONSTANTS.values()]

    def exact(found: re.Match[str]) -> str:
        text = found[0]
        value = Fraction(text)
        nearest = min(known, key=lambda other: abs(other - value))
        if abs(nearest - value) <= max(_NEAR * abs(nearest), _rounding(text)):
            return str(nearest) if nearest.denominator == 1 else f"({nearest})"
        return format(Decimal(text), "f")

    return _DECIMAL.sub(exact, equation)


def _rounding(text: str) -> Fraction:
    """Half a unit of the last decimal, if there are enough of them."""
    decimals = -int(Decimal(text).as_tuple().exponent)
    return Fraction(1, 2 * 10**decimals) if decimals >= _ROUNDED_PLACES else Fraction(0)
