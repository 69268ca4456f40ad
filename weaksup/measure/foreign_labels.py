"""The files that the oracle scores: candidates, labels, and foreign labels, which other programs made.

Foreign labels have an id and an equation in literal numbers.  Their authors often evaluated fractions and percents to
floats (`x=720.0*0.16666666666666666`); `exact_equation` replaces each float by the quantity that it approximates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any

import msgspec

from ..errors import DataError
from ..meaning.operand_names import CONSTANTS
from ..records import CandidateSet, Label
from ..storage.json_lines import read_records

__all__ = ["ForeignLabel", "Records", "exact_equation", "read_scored", "records_by_id"]

_DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d{1,3})?(?![\w.%])")
_NEAR = Fraction(1, 10**9)  # relative: floats have 15 to 17 digits
_ROUNDED_PLACES = 4  # a number with this many decimals may have been rounded; "2.0" is not 2.04


class ForeignLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label made by another program; a problem may have several."""

    id: str | int
    equation: str


Records = list[CandidateSet] | list[Label] | list[ForeignLabel]


def read_scored(path: str | PathLike[str]) -> Records:
    """The records of a file; the first one decides which of the three kinds they are.

    Parameters
    ----------
    path
        A file of candidates, labels or foreign labels.

    Returns
    -------
    list
        Its records.

    Raises
    ------
    DataError
        If the file is damaged or holds something else.
    """
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


def records_by_id(path: str | PathLike[str]) -> dict[str, CandidateSet | Label]:
    """The records of a file of candidates or labels by the ids of their problems."""
    found: dict[str, CandidateSet | Label] = {}
    for record in read_scored(path):
        if isinstance(record, ForeignLabel):
            raise DataError("foreign labels have no candidates to show", path=str(path))
        found[record.id] = record
    return found


def exact_equation(equation: str, values: Sequence[Fraction]) -> str:
    """The equation with each decimal replaced by the quantity or constant that it equals up to rounding.

    The nearest one is taken if it is within 1e-9 (relative) or, for four or more decimals, within half a unit of the
    last decimal.  Other numbers keep their value.

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
    """Half a unit of the last decimal if there are at least `_ROUNDED_PLACES`, else 0."""
    decimals = -int(Decimal(text).as_tuple().exponent)
    return Fraction(1, 2 * 10**decimals) if decimals >= _ROUNDED_PLACES else Fraction(0)
