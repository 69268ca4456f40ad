"""The operands of a stage: which quantities, constants, repeats and powers are combined for a problem.

Operands are named by position ("N0", "1", "3.14", "N0^2"), see `meaning.operand_names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

from .plans import Stage

__all__ = ["assignments"]

_EXTRA_CONSTANTS = {"1": "1", "pi": "3.14"}
_POWERS = {"square": "^2", "cube": "^3"}


@lru_cache(maxsize=4096)
def assignments(stage: Stage, quantities: int, implied: int = 0) -> tuple[tuple[str, ...], ...]:
    """Every choice of operands of a stage, in order, for a problem with so many printed and implied quantities.

    >>> assignments(Stage(name="omit-1", omit=1, extras=("1",)), 2)
    (('N0', '1'), ('N1', '1'))
    >>> assignments(Stage(name="omit-1 implied-1", omit=1, implied=1), 2, 1)
    (('N0', 'N2'), ('N1', 'N2'))
    """
    return tuple(dict.fromkeys(_assignments(stage, quantities, implied)))


def _assignments(stage: Stage, quantities: int, implied: int) -> Iterator[tuple[str, ...]]:
    constants = tuple([_EXTRA_CONSTANTS[extra] for extra in stage.extras if extra in _EXTRA_CONSTANTS])
    repeats = sum(extra == "twice" for extra in stage.extras)
    powers = [_POWERS[extra] for extra in stage.extras if extra in _POWERS]
    names_of_implied = [f"N{i}" for i in range(quantities, quantities + implied)]
    choices = product(
        combinations([f"N{i}" for i in range(quantities)], quantities - stage.omit),
        combinations(names_of_implied, stage.implied),
    )
    for kept, brought in choices:
        for repeated in combinations_with_replacement(kept, repeats):
            for raised in product(range(len(kept)), repeat=len(powers)):
                names = list(kept)
                for place, power in zip(raised, powers, strict=True):
                    names[place] = names[place].partition("^")[0] + power
                yield (*names, *brought, *constants, *repeated)
