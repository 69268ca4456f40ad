"""The operands of a stage: which quantities, constants and repeats are combined for one problem.

An assignment names its operands by position ("N0", "1", "3.14", "N0^2").  At value level, where deduplication and
gold equations live, quantities of equal value share the name of the first, and values 0, 1 and 3.14 are constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

from ..value_level import CONSTANTS
from .plans import Stage

__all__ = ["assignments", "operand_value"]

_EXTRA_CONSTANTS = {"1": "1", "pi": "3.14"}
_POWERS = {"square": "^2", "cube": "^3"}


@lru_cache(maxsize=4096)
def assignments(stage: Stage, quantities: int) -> tuple[tuple[str, ...], ...]:
    """Every choice of operands of a stage for a problem with so many quantities, in order.

    >>> assignments(Stage(name="omit-1", omit=1, extras=("1",)), 2)
    (('N0', '1'), ('N1', '1'))
    """
    return tuple(dict.fromkeys(_assignments(stage, quantities)))


def _assignments(stage: Stage, quantities: int) -> Iterator[tuple[str, ...]]:
    constants = tuple([_EXTRA_CONSTANTS[extra] for extra in stage.extras if extra in _EXTRA_CONSTANTS])
    repeats = sum(extra == "twice" for extra in stage.extras)
    powers = [_POWERS[extra] for extra in stage.extras if extra in _POWERS]
    for kept in combinations([f"N{i}" for i in range(quantities)], quantities - stage.omit):
        for repeated in combinations_with_replacement(kept, repeats):
            for raised in product(range(len(kept)), repeat=len(powers)):
                names = list(kept)
                for place, power in zip(raised, powers, strict=True):
                    names[place] = names[place].partition("^")[0] + power
                yield (*names, *constants, *repeated)


def operand_value(name: str, values: Sequence[Fraction]) -> Fraction:
    """The value of an operand such as "N2", "1" or "N0^2"."""
    if name in CONSTANTS:
        return CONSTANTS[name]
    base, _, exponent = name.partition("^")
    return values[int(base[1:])] ** int(exponent or 1)
