"""Names of operands: "N2" is a quantity, "N0^2" a power of a quantity, "1" and "3.14" are constants.

Search plans, candidates and the value level use these names; this module makes and reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from mathcanon import Expr, Number, Operand
from mathcanon.expr import make_power

__all__ = ["CONSTANTS", "by_name", "operand_leaf", "operand_value", "quantity_number", "rename_operand"]

#: The constants that equations may use even if the text does not mention them.
CONSTANTS = {"1": Fraction(1), "3.14": Fraction("3.14")}

_QUANTITY = re.compile(r"N(\d{1,4})", re.ASCII)

T = TypeVar("T")


def by_name(of_quantities: Iterable[T]) -> dict[str, T]:
    """The items, one per quantity, keyed by the name of the quantity.

    >>> by_name(["3", "1/6"])
    {'N0': '3', 'N1': '1/6'}
    """
    return {f"N{i}": item for i, item in enumerate(of_quantities)}


def quantity_number(name: str) -> int | None:
    """The index of the quantity with this name; None if it is not the name of a quantity.

    >>> quantity_number("N12"), quantity_number("N0^2"), quantity_number("1")
    (12, None, None)
    """
    found = _QUANTITY.fullmatch(name)
    return int(found[1]) if found else None


def operand_value(name: str, values: Sequence[Fraction]) -> Fraction:
    """The value of an operand, given the values of the quantities.

    >>> operand_value("N1^2", [Fraction(7), Fraction(3)]), operand_value("3.14", [])
    (Fraction(9, 1), Fraction(157, 50))
    """
    if name in CONSTANTS:
        return CONSTANTS[name]
    base, exponent = _base_and_exponent(name)
    return values[int(base[1:])] ** exponent


@lru_cache(maxsize=4096)
def operand_leaf(name: str) -> Expr:
    """The operand as an expression.

    >>> operand_leaf("N0^2"), operand_leaf("3.14")
    (Expr('N0^2'), Expr('3.14'))
    """
    if name[0].isdigit():
        return Number(Fraction(name))
    base, exponent = _base_and_exponent(name)
    return make_power(Operand(base), exponent) if exponent > 1 else Operand(base)


def rename_operand(name: str, names: Mapping[str, str]) -> str:
    """The operand with its quantity renamed; a power of 0 or 1 becomes 0 or 1.

    >>> rename_operand("N2^2", {"N2": "N0"}), rename_operand("N2^2", {"N2": "1"})
    ('N0^2', '1')
    """
    base, exponent = _base_and_exponent(name)
    base = names.get(base, base)
    return f"{base}^{exponent}" if exponent > 1 and base not in ("0", "1") else base


def _base_and_exponent(name: str) -> tuple[str, int]:
    base, _, exponent = name.partition("^")
    return base, int(exponent or 1)
